"""Parses a line of Pidgin's logs in text or HTML: timestamp, author, text. Pure."""

from __future__ import annotations

import re
from html import unescape
from typing import Literal, NamedTuple

from ...times.clock_times import TIME

Kind = Literal["said", "own", "action", "reply", "event"]
_STAMP = rf"[^()<>\n]{{0,40}}?{TIME}[^()<>\n]{{0,24}}"
_CLOCK = re.compile(TIME)
_DATE = re.compile(r"\d{4}|\d{1,2}[-/.年月]")
_TEXT = re.compile(rf"\((?P<stamp>{_STAMP})\) ?(?P<rest>.*)", re.DOTALL)
_HTML = re.compile(
    r"\s{0,16}(?:<(?:font color=|span style=\"color: )\"?(?P<colour>#[0-9A-Fa-f]{6})\">)?"
    rf"<(?:font size=\"2\"|span style=\"font-size: smaller\")>\((?P<stamp>{_STAMP})\)</(?:font|span)>"
    r"(?P<blank> ?)(?:<b>(?P<bold>[^\n]{0,2000}?)</b>)?(?:</(?:font|span)>)?(?P<rest>.*)",
    re.DOTALL,
)
_SENT, _ERROR = "#16569E", "#FF0000"
"""The colours of the user's own messages, and of errors."""
_NAMED = re.compile(r"(?P<name>[^\s:][^:\n]{0,99}|[^\s:]\S{0,99}):(?: (?P<words>.*))?", re.DOTALL)
_REPLIES = " <AUTO-REPLY>"
_EVENTS = re.compile(
    r"(?:Unable to|The following|Transfer of|Error|The topic|There (?:was|were)|[^:\n]{1,100} (?:has|have|was|were) (?:set|changed|invited|kicked|left|parted)) ",
    re.IGNORECASE,
)
"""Matches libpurple's own notes, which may contain a colon too."""
_RESOURCE = re.compile(r"([^@/\s]{1,200}@[^@/\s]{1,200})/.*", re.DOTALL)
_TAG = re.compile(r"<[^<>]*>")


class Line(NamedTuple):
    """The header of a message."""

    stamp: str
    kind: Kind
    name: str
    html: bool


def line_of(text: str) -> tuple[Line, str] | None:
    """Return a line's header and text; None for a line that continues the message above.

    For an action in a plain text log the text begins with the actor's name, whose end is not marked.
    """
    plain = text.lstrip("\ufeff")
    if plain[:1] == "(" and (match := _TEXT.fullmatch(plain)) and _is_stamp(match["stamp"]):
        return _text_line(match["stamp"], match["rest"])
    if plain.lstrip()[:1] == "<" and (match := _HTML.fullmatch(plain)) and _is_stamp(match["stamp"]):
        return _html_line(match)
    return None


def _is_stamp(text: str) -> bool:
    """Return whether the text in parentheses is only a time or date and time, unlike ``at 10:30 tomorrow``."""
    match = _CLOCK.search(text)
    if match is None:
        return False
    before, behind = text[: match.start()].strip(), text[match.end() :].strip()
    if any(letter.isdigit() for letter in before + behind):
        return _DATE.search(before) is not None or _DATE.search(behind) is not None
    return not before and len(behind) < 9 and not re.search("[a-z]", behind)  # a zone, or AM and PM


def _text_line(stamp: str, rest: str) -> tuple[Line, str]:
    if rest.startswith("***"):
        return Line(stamp, "action", "", html=False), rest[3:]
    match = None if _EVENTS.match(rest) else _NAMED.fullmatch(rest)
    if match is None or match["name"].count("(") != match["name"].count(")"):
        return Line(stamp, "event", "", html=False), rest  # ``Ann left the room (Ping timeout: 250 seconds).``
    name, words = match["name"], match["words"] or ""
    if name.endswith(_REPLIES):
        return Line(stamp, "reply", account_of(name.removesuffix(_REPLIES)), html=False), words
    return Line(stamp, "said", account_of(name), html=False), words


def _html_line(match: re.Match[str]) -> tuple[Line, str]:
    stamp, rest, colour = match["stamp"], match["rest"], (match["colour"] or "").upper()
    bold = match["bold"]
    if bold is None or colour == _ERROR or not colour:
        return Line(stamp, "event", "", html=True), f"{bold or ''}{rest}"
    name = unescape(_TAG.sub("", bold)).strip()
    if name.startswith("***"):
        return Line(stamp, "action", account_of(name[3:]), html=True), rest
    name = name.removesuffix(":")
    if name.endswith(_REPLIES):
        return Line(stamp, "reply", account_of(name.removesuffix(_REPLIES)), html=True), rest
    return Line(stamp, "own" if colour == _SENT else "said", account_of(name), html=True), rest


def account_of(name: str) -> str:
    """Return a name; for Jabber accounts without the resource, which changes: ``ann@example.org/laptop``."""
    name = name.strip()
    match = _RESOURCE.fullmatch(name)
    return match[1] if match else name
