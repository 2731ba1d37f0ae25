"""The export of WhatsApp in a browser ("Export chat"): lines like those of iPhones, with placeholders of its own. Pure.

The notice of encryption stands above the first line, without a time; lines of the app begin with ``- ``; the user is called
"You" in the language of the page; dates are month, day and year in every language.
"""

from __future__ import annotations

import re
from typing import Any

from ...times.locales import plain
from . import message_body
from . import vocabulary as words
from .header_regex import Template

_FILE = "chat.txt"
APP = "- "
"""Stands before the words of the app."""
_USER = frozenset(
    [
        "you",
        "du",
        "tú",
        "tu",
        "vous",
        "você",
        "jij",
        "u",
        "anda",
        "awak",
        "siz",
        "sen",
        "вы",
        "ви",
        "ty",
        "wy",
        "ти",
        "ön",
        "te",
        "sinä",
        "đây",
        "bạn",
        "คุณ",
        "您",
        "你",
        "あなた",
        "나",
        "אתה",
        "أنت",
        "आप",
        "আপনি",
    ]
)
_ATTACHED = re.compile(
    r"(?P<file>[^\n<>:*?\"|/\\]{1,200}?\.[A-Za-z0-9]{1,8}) \((?P<word>[^()\n]{2,40})\)(?: (?P<caption>.*))?", re.DOTALL
)
_LEFT_OUT = re.compile(r"<(?P<what>[^<>\n]{2,40})>(?: .*)?", re.DOTALL)
_FORWARDED = re.compile(rf"\[(?:{'|'.join(map(re.escape, words.FORWARDED))})\] (?=\S)", re.IGNORECASE)
_CALL = re.compile(r"\[[^\[\]\n]{2,30}\]")
_CONTACTS = tuple(f"{word}: " for word in words.CONTACT)


def is_web_export(template: Template, before: str, *, unnoticed: bool = False) -> bool:
    """Return whether a file is such an export, by its header and what stands before the first one.

    Args:
        template: the file's header.
        before: the text before the first header.
        unnoticed: other marks show such an export, see ``may_be_without_notice``.
    """
    if template.shape != "bracket" or not template.clock.period:
        return False
    return bool(message_body.language_of(before)) or (unnoticed and not before.strip("\ufeff \t\r\n"))


def may_be_without_notice(name: str, text: str) -> bool:
    """Return whether a file is named as the page names it, and its beginning lacks the marks of iPhones."""
    return name == _FILE and "\u200e" not in text


def is_user(author: str) -> bool:
    """Return whether an author is the user, as the page calls every one of them."""
    return author.casefold() in _USER


def app_fields(text: str) -> dict[str, str]:
    """Return the fields of a line of the app, without its speaker."""
    called = _CALL.fullmatch(text.strip()) or message_body.is_call(text)
    return {"content": text, "kind": "call" if called else "system"}


def fields_of(body: str, sizes: message_body.Sizes) -> dict[str, Any] | None:
    """Return the fields of a body with a placeholder of this export; None for any other."""
    if (file := _ATTACHED.fullmatch(body)) is not None:
        name = file["file"]
        if sizes(name) is not None or plain(file["word"]).casefold() in {
            plain(each).casefold() for each in words.ATTACHED_AFTER
        }:
            kind = "contact" if name.lower().endswith(".vcf") else "media"
            return {"content": body, "kind": kind, "attachments": [message_body.attachment_fields(name, sizes)]}
    if (left_out := _LEFT_OUT.fullmatch(body)) is not None:
        what = message_body.fold_body(left_out["what"])
        is_known = message_body.whole_bodies().get(what) == "media" or any(part in what for part in words.OMITTED_PARTS)
        if is_known or (" " in left_out["what"] and left_out["what"][:1].isalpha()):
            return {"content": body, "kind": "media"}
    if (forwarded := _FORWARDED.match(body)) is not None:
        text = body[forwarded.end() :]
        return {"content": text, "segments": [{"kind": "forward", "start": 0, "end": len(text)}]}
    return {"content": body, "kind": "contact"} if body.startswith(_CONTACTS) else None
