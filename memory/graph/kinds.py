"""Decides which values of facts are names, and whether a name is a person's, a place's, an organisation's or a thing's. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from ..facts.value_types import names_anything

Kind = Literal["person", "place", "organisation", "thing"]
RANK: Mapping[Kind, int] = {"person": 3, "place": 2, "organisation": 1, "thing": 0}
"""The rank of kinds; of several kinds of one name the highest counts: a person who likes Lisbon does not turn the place into a thing."""
VALUE_KINDS: Mapping[str, Kind] = {
    "home": "place", "origin": "place", "location": "place", "employer": "organisation",
    "partner": "person", "child": "person", "parent": "person", "sibling": "person", "relative": "person",
    "friend": "person", "car": "thing", "pet": "thing", "possession": "thing", "favourite": "thing",
    "likes": "thing", "dislikes": "thing", "hobby": "thing", "skill": "thing", "language": "thing", "study": "thing",
    "occupation": "thing", "allergy": "thing", "diet": "thing", "health": "thing",
}  # fmt: skip
"""The kind of an attribute's values. An attribute of memd's own that is missing here has values that name nothing: numbers,
dates, moods, sentences.
"""
_ORGANISATIONS = """
gmbh ag inc ltd llc corp company foundation institute university universität universidad college school hospital bank club
league union association museum library restaurant café
"""
_PLACES = """
street road avenue park lake beach island islands airport station city mountain mountains river square valley bay canyon
forest falls coast platz straße allee calle plaza
"""
_PLACES_BEFORE = frozenset({"lake", "mount", "rio"})
_MOST_WORDS, _LONGEST = 5, 60
_DETAIL = re.compile(r"[,;(]|\s(?:in|at|near|by|bei|nahe|en|cerca)\s")
_ARTICLE = re.compile(
    r"(?:the|an?|my|our|his|her|their|der|die|das|den|ein(?:e[nrms]?)?|mein(?:e[nrs]?)?|el|la|los|las|un|una|mis?)\s+"
)
"""In small letters: "Los Angeles" keeps its first word."""


def name_in(attribute: str, value: str, *, native: bool) -> tuple[str, Kind] | None:
    """Return the name in the value of a fact and its kind; None if it names nothing.

    Args:
        attribute: of the fact.
        value: of the fact.
        native: the attribute is one of memd's own; the values of others are things.
    """
    kind = VALUE_KINDS.get(attribute)
    if kind is None and not native:
        kind = "thing"
    if kind is None or names_anything(attribute, value):
        return None
    text = " ".join(value.split())
    if attribute == "favourite":
        text = text.partition(":")[2].strip() or text
    if kind in ("place", "organisation"):
        text = _DETAIL.split(text, maxsplit=1)[0].strip()
    elif kind == "person":
        text = _last_name(text)
    text = _ARTICLE.sub("", text, count=1) if _ARTICLE.match(text) else text
    named = any(letter.isalpha() for letter in text) and len(text) <= _LONGEST and len(text.split()) <= _MOST_WORDS
    if not named or (attribute == "location" and text == text.lower() != text.upper()):
        return None  # "at the gym" is nowhere in particular
    return text, kind


def _last_name(text: str) -> str:
    """Return the last words with a capital, of a script without capitals all: "Lena" of "daughter Lena", nothing of "a girl"."""
    if text.lower() == text.upper():
        return text
    kept: list[str] = []
    for word in reversed(re.split(r"[,;(]", text)[0].split()):
        if not word[:1].isupper():
            if kept:
                break
            continue
        kept.append(word)
    return " ".join(reversed(kept))


def kind_of_name(words: list[str]) -> tuple[Kind, str]:
    """Return the kind of a name that only messages have, by its last or first word, and that word; a thing without one."""
    last, first = words[-1].casefold(), words[0].casefold()
    if last in _ORGANISATIONS.split():
        return "organisation", last
    if last in _PLACES.split() or first in _PLACES_BEFORE:
        return "place", last if last in _PLACES.split() else first
    return "thing", ""
