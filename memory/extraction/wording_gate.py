"""Decides whether the wording of a claim adds something to the cited lines: a clause, a denial, a tense, a person.
Pure.

If the lines support only the first clauses of a claim, the rest is cut off. Cues are in English, German, Spanish,
Turkish and Japanese.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from pathlib import Path

from ..text.analyzer import fold
from ..text.word_files import patterns
from .assertion_gate import ends_something

_CUES = {
    name: re.compile(cue.pattern.replace(r"\w", r"[^\W_]"))
    for name, cue in patterns(Path(__file__).with_suffix(".txt")).items()
}
"""Cues without underscores, after which a word may begin: otherwise "_a_a_a" takes quadratic time."""
_DENIES = _CUES["denies"]
_FORMER = _CUES["former"]
_WAS = _CUES["was"]
_TO_COME = _CUES["to come"]
_LATER = _CUES["later"]
_BOUNDARY = re.compile(
    r"(?:\s*[,;]|\s+[–—-])\s+(?=[^\W_])|\s+(?=(?:and|but|because|since|although|though|while|which|who|where|so that|und|aber|weil|obwohl|sowie"
    r"|y|e|pero|porque|aunque|además|ve|ama|çünkü)\s)",
    re.IGNORECASE,
)
_DENIES_WITHOUT_BLANKS = re.compile(r"ない|ません|なかった|無い")
_LATIN = re.compile(r"[a-z]")


def first_clauses(text: str, is_carried: Callable[[str], bool]) -> str:
    """Return the text up to its first unsupported clause; the whole text if all are supported, an empty one if the
    first is not.
    """
    start = end = 0
    for boundary in (*(match.span() for match in _BOUNDARY.finditer(text)), (len(text), len(text))):
        if not is_carried(text[start : boundary[0]]):
            break
        start, end = boundary[1], boundary[0]
    return text[:end].strip()


def denies_more(text: str, said: str) -> bool:
    """Return whether a text denies something while the lines deny and end nothing."""
    return _denies(text) and not _denies(said) and not ends_something(said)


def is_of_another_time(text: str, said: str) -> bool:
    """Return whether a text is about the past or the future while the lines, as far as can be told, are not."""
    plain, whole = _plain(text), _plain(said)
    if not _LATIN.search(whole):
        return False
    former = _FORMER.search(plain) is not None and _WAS.search(said.casefold()) is None
    return former or (_TO_COME.search(plain) is not None and _LATER.search(whole) is None)


def begins_with_another(text: str, subjects: Iterable[str], people: Collection[str]) -> bool:
    """Return whether the first words of a text name a participant who is neither its subject nor its speaker."""
    names = {word for name in subjects for word in fold(name).split()}
    first = re.split(r"[^\w]", fold(text).strip(), maxsplit=1)[0]
    return first not in names and any(first in fold(person).split() for person in people)


def _denies(text: str) -> bool:
    return _DENIES.search(_plain(text)) is not None or _DENIES_WITHOUT_BLANKS.search(text) is not None


def _plain(text: str) -> str:
    return fold(text).replace("’", "'").replace("ʼ", "'")
