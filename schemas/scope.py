"""The scope of messages that programs send: whose they are, by which agent, in which session. Pure.

A document carries its scope as tags, such as ``user:ann``, so that an export keeps it and any client may give it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

USER_ID = "user_id"
AGENT_ID = "agent_id"
SESSION_ID = "session_id"
KINDS: Mapping[str, str] = {USER_ID: "user", AGENT_ID: "agent", SESSION_ID: "session"}
"""The parts of a scope by their keys in the metadata of a message."""


def scope_tags(scope: Mapping[str, str]) -> tuple[str, ...]:
    """Return the tags of a document whose scope has these names, by the keys of ``KINDS``; blank names are omitted."""
    names = {kind: scope.get(key, "").strip() for key, kind in KINDS.items()}
    return tuple(f"{kind}:{name}" for kind, name in names.items() if name)


def tag_groups(
    users: Sequence[str] = (), agents: Sequence[str] = (), sessions: Sequence[str] = ()
) -> tuple[tuple[str, ...], ...]:
    """Return the groups of tags of which a document in such a scope has one each."""
    values = zip(KINDS.values(), (users, agents, sessions), strict=True)
    return tuple(tuple(dict.fromkeys(f"{kind}:{name}" for name in names)) for kind, names in values if names)
