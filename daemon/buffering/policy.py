"""Batching policies: when the lists of messages of a session are released into the store."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..config.settings import IngestSettings


@dataclass(frozen=True, slots=True)
class BatchingPolicy:
    """The limits of one session's buffer; None means no limit. The first limit reached releases the whole buffer.

    A list that reaches the limit of tokens, messages or bytes by itself does not wait at all.
    """

    lists: int | None = None
    tokens: int | None = None
    """The limit of a round, like ``lists``."""
    rounds: int = 1
    """The number of full rounds that are released together."""
    messages: int | None = None
    bytes: int | None = None
    age_s: float | None = None
    """The maximum seconds since the oldest list arrived."""
    idle_s: float | None = None
    """The maximum seconds since the last list arrived."""

    @property
    def holds(self) -> bool:
        """Return whether any list can ever wait."""
        return self.lists != 1 or self.rounds > 1


POLICIES = {
    "none": BatchingPolicy(lists=1),
    "write": BatchingPolicy(lists=5, age_s=1.0),
    "round": BatchingPolicy(lists=5, tokens=800, idle_s=1800.0),
    "hybrid": BatchingPolicy(lists=5, tokens=800, rounds=5, age_s=60.0, idle_s=1800.0),
}
"""The policies by their names in the settings. A buffer belongs to a session, so a change to another session releases
nothing; every policy that holds lists back also has a time limit, so that a silent conversation is stored.
"""


def policy_of(settings: IngestSettings) -> BatchingPolicy:
    """Return the policy in force: the named one with the limits of the settings."""
    limits = {
        "lists": settings.buffer_lists,
        "tokens": settings.buffer_tokens,
        "rounds": settings.buffer_rounds,
        "messages": settings.buffer_messages,
        "bytes": settings.buffer_bytes,
        "age_s": settings.buffer_age_s,
        "idle_s": settings.buffer_idle_s,
    }
    policy = replace(POLICIES[settings.buffer], **{name: value for name, value in limits.items() if value is not None})
    if policy.holds and policy.age_s is None and policy.idle_s is None:
        return replace(policy, idle_s=POLICIES["round"].idle_s)
    return policy
