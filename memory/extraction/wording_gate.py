"""Decides whether the wording of a claim adds something to the cited lines: a clause, a denial, a tense, a person.
Pure.

If the lines support only the first clauses of a claim, the rest is cut off. Cues are in English, German, Spanish,
Turkish and Japanese.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable

from ..text.analyzer import fold
from .assertion_gate import ends_something


def _words(*patterns: str) -> re.Pattern[str]:
    """Match whole words. Letters exclude underscores, after which a word may begin: otherwise "_a_a_a" takes quadratic
    time.
    """
    either = "|".join(patterns).replace(r"\w", r"[^\W_]")
    return re.compile(rf"(?<![^\W_])(?:{either})(?![^\W_])")


_BOUNDARY = re.compile(
    r"(?:\s*[,;]|\s+[–—-])\s+(?=[^\W_])|\s+(?=(?:and|but|because|since|although|though|while|which|who|where|so that|und|aber|weil|obwohl|sowie"
    r"|y|e|pero|porque|aunque|además|ve|ama|çünkü)\s)",
    re.IGNORECASE,
)
_DENIES = _words(
    "not", "no longer", "[a-z]+n't", "(?:do|does|did|is|are|was|were|have|has|had|ca|wo|could|would|should)nt", "cannot", "never", "nor", "neither", "nobody", "nothing", "without", "stopped", "quit", "nicht", "nie", "niemals",
    "kein\\w*", "ohne", "no", "nunca", "jamas", "tampoco", "sin", "ningun\\w*", "degil", "yok", "hic", "hayir", "\\w+m[iu]yor\\w*", "\\w+ma[dz]\\w*",
)  # fmt: skip
"""Negations, for folded text. "non-profit" and "no." of a street also match, but lines without any match deny nothing.
"""
_DENIES_WITHOUT_BLANKS = re.compile(r"ない|ません|なかった|無い")
_FORMER = _words(
    "used to",
    "formerly",
    "previously",
    "back then",
    "once was",
    "fruher\\w*",
    "damals",
    "ehemals",
    "antes",
    "solia\\w*",
    "antiguamente",
    "eskiden",
)
_WAS = _words(
    "used to", "was", "were", "had", "did", "ago", "last", "before", "\\w{2,}[^\\W\\de]ed", "went", "left", "quit", "grew", "spoke", "once", "back then", "ex", "former\\w*",
    "war", "waren", "hatte\\w*", "wurde\\w*", "ge\\w{3,}t", "ge\\w{4,}en", "früher\\w*", "damals", "nicht mehr", "\\w{3,}ete", "wohnte", "lebte", "spielte", "machte", "kaufte", "liebte", "mochte", "hasste", "ging", "kam", "nahm", "fuhr", "sprach",
    "era\\w*", "fui", "fue", "estuve", "tuve", "antes", "hace", "ya no", "\\w{3,}aba[ns]?", "\\w{2,}ía[ns]?", "\\w+iste", "\\w+é", "viví", "nací",
    "eskiden", "\\w+(?:dım|dim|tım|tim|dum|düm)", "\\w+yordu\\w*",
)  # fmt: skip
"""Cues for text as it is written, since "trabaje" is not "trabajé"."""
_TO_COME = _words(
    "will(?! be able)",
    "going to",
    "plans? to",
    "planning to",
    "intends? to",
    "wird",
    "werden",
    "va a",
    "van a",
    "planea\\w*",
    "piensa",
)
_LATER = _words(
    "will", "ll", "going", "gonna", "plan\\w*", "about to", "soon", "next", "tomorrow", "tonight", "want\\w*", "wanna", "would", "d", "hop(?:e|ing)", "forward",
    "wait", "may(?:be)?", "might", "should", "gotta", "need\\w*", "try", "let", "if", "ready", "(?!working|living|studying)\\w+ing", "always", "whenever",
    "werd\\w+", "wird", "mochte\\w*", "plane\\w*", "bald", "nachste\\w*", "morgen", "vor", "wenn", "ab",
    "voy", "vas?", "vamos", "van", "quiero", "queremos", "pienso", "proxim\\w+", "manana", "pronto", "\\w+[aei]re(?:mos)?", "si", "\\w+ecek\\w*", "\\w+acak\\w*", "\\w+aca[gk]\\w*",
)  # fmt: skip
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
