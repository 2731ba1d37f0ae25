"""Detection of the files in exports of Teams and Skype by their first objects."""

from __future__ import annotations

import re

from ...connector import Member
from ...files.whole_files import head_of
from ...text.json_beginnings import object_keys

HISTORY, GRAPH, USERS, TEAMS, CHANNELS, MEMBERS = "history", "graph", "users", "teams", "channels", "members"
SCORES = {HISTORY: 0.97, GRAPH: 0.95, USERS: 0.6, TEAMS: 0.6, CHANNELS: 0.6, MEMBERS: 0.55}
_LISTS = re.compile(rb'"MessageList"\s*:\s*\[')
_CONVERSATIONS = re.compile(rb'"conversations"\s*:\s*\[')
_WORDS = (b'"MessageList"', b'"conversations"')
"""The words of which either pattern above contains one; searching for them first is much faster."""
_SKYPE = re.compile(rb'"(?:originalarrivaltime|messagetype|exportDate|userId)"\s*:')
_MESSAGE = frozenset({"body", "createddatetime", "from"})
_MESSAGE_MORE = frozenset({"messagetype", "chatid", "channelidentity", "attachments", "mentions", "eventdetail"})


def kind_of(member: Member) -> str:
    """Return the kind of a file; empty for any other."""
    head = head_of(member)
    if not head.lstrip().startswith((b"{", b"[")):
        return ""
    listed = any(word in head for word in _WORDS) and (_LISTS.search(head) or _CONVERSATIONS.search(head))
    if listed and len(set(_SKYPE.findall(head))) >= 2:
        return HISTORY
    return next((kind for keys in object_keys(head) if (kind := _of_keys(keys))), "")


def _of_keys(names: set[str]) -> str:
    """Return the kind by the keys of one object; their case depends on the exporting program."""
    keys = {key.lower() for key in names}
    if keys >= _MESSAGE and len(keys & _MESSAGE_MORE) >= 2:
        return GRAPH
    if keys >= {"displayname", "userprincipalname", "id"}:
        return USERS
    if keys >= {"groupsid", "name", "privacy"}:
        return TEAMS
    if keys >= {"id", "displayname", "membershiptype"}:
        return CHANNELS
    return MEMBERS if keys >= {"id", "roles", "displayname", "userid"} else ""
