"""Removes the prefixes of replies and forwards from subjects, in many languages."""

from __future__ import annotations

import re

_REPLY = r"re|r|aw|antw|antwort|sv|vs|odp|ynt|yan|ref|res|resp|rif|ré|rép|réf|bls|atb|vá|σχετ|απ|на|отв|ответ|回复|回覆|答复|答覆|返信|회신|답장|תגובה|השב|رد"
_PREFIX = re.compile(
    rf"^\s*(?:\[[^\[\]]{{1,60}}\]\s*)?(?:{_REPLY})\s*(?:\[\d{{1,3}}\]|\(\d{{1,3}}\)|\^\d{{1,3}})?\s*[:：]\s*",
    re.IGNORECASE,
)
_LIST = re.compile(r"^\s*\[[^\[\]]{1,60}\]\s*(?=\S)")


def without_prefixes(subject: str) -> tuple[str, bool]:
    """Return a subject without reply prefixes, and whether it had one. Forward prefixes stay: they begin a thread."""
    if ":" not in subject and "：" not in subject:
        return subject.strip(), False
    rest = subject
    while match := _PREFIX.match(rest):
        rest = rest[match.end() :]
    return rest.strip(), rest != subject


def topic_of(subject: str) -> tuple[str, bool]:
    """Return the subject for comparison, and whether it is a reply's.

    It has no prefixes and no list name, and is in lower case.
    """
    rest, is_reply = without_prefixes(subject)
    named = _LIST.sub("", rest) if rest.startswith("[") else rest
    return " ".join(named.lower().split()), is_reply
