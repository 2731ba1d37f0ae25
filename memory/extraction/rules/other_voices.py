"""Which lines of a window a person says in their own voice: not on another's phone, not as a letter in another's name, not taken back at once."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..window import Line

_BORROWED = re.compile(
    r"\b(?:this is|it['’]?s|hier ist(?: der| die)?|hier schreibt|soy|aquí|das ist) (?!(?:me|my|mine)\b)[^\W\d_]+(?: here)?,? (?:on|from|using|with|writing from|mit|von|vom|auf|desde|con|en)"
    r" [^.,;!?\n]{2,30}?(?:phone|mobile|account|laptop|handy|telefon|konto|m[oó]vil|tel[eé]fono|cuenta)",
    re.IGNORECASE,
)
_BACK = re.compile(
    r"\b(?:here again|me again|back again|it['’]?s me|i['’]?m back|wieder (?:ich|da|hier)|soy yo otra vez)\b",
    re.IGNORECASE,
)
_TAKES_BACK = re.compile(
    r"^\W*(?:\w+\W+){0,2}?(?:jk|just kidding|kidding|i['’]?m joking|joking|april fools?|scherz|spaß|es broma|era broma|eso era broma|inocente)\b",
    re.IGNORECASE,
)
_LETTER = re.compile(r"^\W*(?:dear|sehr geehrte|liebe|querid|estimad)", re.IGNORECASE)
_SIGNED = re.compile(
    r"(?:regards|wishes|sincerely|faithfully|love|cheers|grüßen?|grüße|liebe|saludos|abrazo|atentamente),?\s+(?P<name>(?-i:[A-ZÄÖÜÁÉÍÓÚ])[^\W\d_]+(?: (?-i:[A-ZÄÖÜÁÉÍÓÚ])[^\W\d_]+){0,3})\W*$",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"\b(?:my name is|mein name ist|me llamo|mi nombre es) (?P<name>(?-i:[A-ZÄÖÜ])[^\W\d_]+(?: (?-i:[A-ZÄÖÜ])[^\W\d_]+)?)",
    re.IGNORECASE,
)
_MOST_WORDS_TAKEN_BACK = 6


def own_lines(lines: Sequence[Line]) -> frozenset[int]:
    """The numbers of the lines whose "I" is their speaker.

    Args:
        lines: one after the other, as they were said.
    """
    borrowed: set[str] = set()
    own: set[int] = set()
    for index, line in enumerate(lines):
        if _BORROWED.search(line.text):
            borrowed.add(line.speaker)
        elif _BACK.search(line.text):
            borrowed.discard(line.speaker)
        if line.speaker not in borrowed and not _is_of_another(line) and not _taken_back(lines, index):
            own.add(line.number)
    return frozenset(own)


def _is_of_another(line: Line) -> bool:
    """Whether it is a letter that somebody else signs."""
    if not _LETTER.match(line.text):
        return False
    signed = _SIGNED.search(line.text) or _NAMED.search(line.text)
    if signed is None:
        return False
    return set(signed["name"].casefold().split()).isdisjoint(line.speaker.casefold().split())


def _taken_back(lines: Sequence[Line], index: int) -> bool:
    """Whether the same person calls it a joke in the next words."""
    speaker = lines[index].speaker
    after = next((each for each in lines[index + 1 : index + 4] if each.speaker == speaker), None)
    return (
        after is not None and len(after.text.split()) <= _MOST_WORDS_TAKEN_BACK and bool(_TAKES_BACK.match(after.text))
    )
