"""Parses a log line after its time: a message, an action, a notice, or an event of the channel. Pure."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

Kind = Literal["said", "action", "notice", "event", "unknown"]
_NICK = r"[^\s<>!*]{1,64}"
_WORD = r"[^\s<>!*=\"/]{1,40}"
"""A regular expression for a further word of a name, as bridges to other chats write names; excludes attributes of
mark-up.
"""
_SAID = re.compile(
    rf"<[ @+%~&!.*]{{0,2}}(?P<nick>{_NICK}(?: {_WORD}){{0,4}})(?P<host>![^>\s]{{0,255}})?>(?:[ \t](?P<text>.*))?",
    re.DOTALL,
)
_BRACKETED = re.compile(
    r"(?:\[[ @+%~&]{0,2}(?P<square>[^\s<>!*]{1,64})\]|\([ @+%~&]{0,2}(?P<round>[^\s<>!*]{1,64})\))(?:[ \t](?P<text>.*))?",
    re.DOTALL,
)
_ACTION = re.compile(rf" ?\*[ \t]{{1,3}}[@+%~&]?(?P<nick>{_NICK}?)(?:![^\]\s]{{0,255}}\])? (?P<text>.*)", re.DOTALL)
_OTHER_ACTION = re.compile(rf"(?:Action:|—) (?P<nick>{_NICK}) (?P<text>.*)", re.DOTALL)
"""Matches an action as eggdrop and IRCCloud write it."""
_NOTICE = re.compile(
    rf"-(?P<nick>{_NICK}?)(?:\([^)\s]{{0,255}}\)|![^\s-]{{0,255}})?(?::[@+]?[#&][^\s-]{{1,64}})?-[ \t](?P<text>.*)",
    re.DOTALL,
)
_EVENT = re.compile(r"(?:-!-|\*{3}|={3}|-{2,3}>?|<-{2,3}|=!=|→|←|⇒|⇐)[ \t]{1,3}(?P<text>.*)", re.DOTALL)
_EVENT_WORDS = re.compile(
    r"(?:Joins: |Parts: |Quits: |(?:Join|Part|Quit|Nick|Topic|Mode|Kick|Away|Info|Notify)\t)|\S+ (?:\([^()]{0,255}\) |\[[^\[\]]{0,255}\] )?(?:has joined|joined (?:the channel|#)|has left|left (?:the channel|#)"
    r"|has quit|Quit\b|sets? mode|was kicked|has kicked|changes? topic|has changed|is now known as|gives? |removes? |has set)"
    r"|\S+ (?:\([^()]{0,255}\) left irc:|kicked from [#&]\S+ by )|[#&]\S+: mode change '|Nick change: \S+ -> \S+"
    r"|(?:Now talking|Topic (?:is|for|changed on)|Set by|Disconnected|Attempting|Rejoined|Retrieving|You(?:'re| are) now|You have|Channel |Users on)\b"
)
_NICK_CHANGE = re.compile(
    rf"(?:Nick change: )?(?P<old>{_NICK}) (?:(?:is|are) now known as|->|→) (?P<new>[^\s<>!*.]{{1,64}})\.?\s*"
)
_GONE = re.compile(
    rf"(?:(?:Joins|Parts|Quits): )?(?P<nick>{_NICK})\b.{{0,300}}?(?:has joined|joined the|joined #|has left|left the|left #|has quit|quit \(|left irc:|Quit\b|was kicked|kicked from [#&])"
    rf"|(?:Joins|Parts|Quits): (?P<named>{_NICK})"
)
_FORMATTING = re.compile(r"\x03(?:\d{1,2}(?:,\d{1,2})?)?|\x04(?:[0-9A-Fa-f]{6})?|[\x02\x0f\x11\x16\x1d\x1e\x1f]")

_MARKS = re.compile(r"[\x02-\x04\x0f\x11\x16\x1d-\x1f]")


class Form(NamedTuple):
    """The parsed line after its time."""

    kind: Kind
    nick: str
    text: str
    host: bool = False
    """True if the nick is written with its user and host."""


def plain(text: str) -> str:
    """Return the text without mIRC's colours and other formatting."""
    return _FORMATTING.sub("", text) if _MARKS.search(text) else text


def form_of(text: str) -> Form:
    """Parse a line with nicks in ``<>``."""
    first = text.lstrip(" ")[:1]
    if first == "<":
        if match := _SAID.fullmatch(text.lstrip(" ")):
            return Form("said", match["nick"], match["text"] or "", match["host"] is not None)
    elif first == "*" and not text.lstrip(" ").startswith("**"):
        bare = text.lstrip(" *\t")
        if _EVENT_WORDS.match(bare) or (" → " in bare and nick_change(bare)):
            return Form("event", "", bare)
        if match := _ACTION.match(text.lstrip(" ")):
            return Form("action", match["nick"], match["text"])
    elif first == "-" and (match := _NOTICE.fullmatch(text.lstrip(" "))) and match["nick"].strip("-!>"):
        return Form("notice", match["nick"], match["text"])
    elif first in ("A", "—") and (match := _OTHER_ACTION.fullmatch(text)):
        return Form("action", match["nick"], match["text"])
    if match := _EVENT.fullmatch(text.lstrip(" ")):
        return Form("event", "", match["text"])
    if _EVENT_WORDS.match(text):
        return Form("event", "", text)
    return Form("unknown", "", text)


def bracketed_form(text: str) -> Form:
    """Parse a line of a client set to write ``[nick]`` or ``(nick)``; use it only for a log written so throughout."""
    if text[:1] in ("[", "(") and (match := _BRACKETED.fullmatch(text)):
        return Form("said", match["square"] or match["round"], match["text"] or "")
    return form_of(text)


def weechat_form(text: str) -> Form:
    """Parse a line of WeeChat, which has a prefix and a tab: ``@nick<tab>words``."""
    prefix, tab, words = text.partition("\t")
    name = prefix.strip()
    if not tab:
        return form_of(text)
    if name == "*":
        nick, _, words = words.partition(" ")
        return Form("action", nick, words) if nick else Form("unknown", "", text)
    if name in ("-->", "<--", "--", "=!=", "", "◦", "⚠"):
        if name == "--" and (
            match := re.match(rf"(?:Notice|NOTICE)\((?P<nick>{_NICK})\): (?P<text>.*)", words, re.DOTALL)
        ):
            return Form("notice", match["nick"], match["text"])
        return Form("event" if name else "unknown", "", words)
    return Form("said", name.strip("<>").lstrip("@+%~&!.") or name, words)


def nick_change(text: str) -> tuple[str, str] | None:
    """Return the old and the new nick of a nick change; None for any other event."""
    match = _NICK_CHANGE.fullmatch(text) if len(text) <= 300 else None
    return (match["old"], match["new"]) if match and match["old"] not in ("You", "you") else None


def came_or_left(text: str) -> str:
    """Return the nick that joined or left in an event; empty for any other event."""
    match = _GONE.match(text[:600])
    return (match["nick"] or match["named"] or "") if match else ""
