"""Detects bulk exports of Mattermost: one JSON object per line, with a type and the object of that type."""

from __future__ import annotations

import re

from ...connector import Member
from ...files.whole_files import head_of

SURE = 0.97
_VERSION = re.compile(rb'\A\s{0,64}\{\s*"type"\s*:\s*"version"\s*,\s*(?:"info"\s*:[^\n]{0,4000}?)?"version"\s*:\s*\d')
_OBJECT = (
    rb'\{\s*"type"\s*:\s*"(team|channel|user|post|direct_channel|direct_post|emoji|role|scheme|bot)"\s*,'
    rb'\s*"(?:\1)"\s*:\s*\{'
)
_LINE = re.compile(rb"^\s{0,8}" + _OBJECT, re.MULTILINE)
_PAIR = re.compile(_OBJECT)
"""Without the line start, as a quick test of any JSON: a search for a bracket is ten times as fast."""
_VERSION_AND_INFO = re.compile(rb'\A\s{0,64}\{[^\n]{0,4000}?"type"\s*:\s*"version"[^\n]{0,4000}?"version"\s*:\s*1\b')


def score_of(member: Member) -> float:
    """Return the confidence that a file is a bulk export."""
    head = head_of(member)
    lines = len(set(_LINE.findall(head))) if _PAIR.search(head) else 0
    if _VERSION.match(head) or _VERSION_AND_INFO.match(head):
        return SURE if lines or head.count(b"\n") <= 1 else 0.6
    if lines >= 2:
        return 0.9
    return 0.75 if lines and re.search(rb'"(?:create_at|roles|notify_props|display_name)"', head) else 0.0
