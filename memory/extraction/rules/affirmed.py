"""Questions that are answered by yes or no, and what the answer states: "Still at Siemens?" "no, since May not any more"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from .lexicon import LANGUAGES, LANGUAGES_DE, LANGUAGES_ES
from .pattern import any_word

Answer = Literal["yes", "no"]
"""Whether it is so."""

_UPPER = r"(?-i:[A-ZÄÖÜÁÉÍÓÚÑ])"
_NAME = rf"{_UPPER}[\w&'’-]+(?: {_UPPER}[\w&'’-]+)?"
_YES = re.compile(
    r"\W*(?:(?:oh|well|na|pues|hm+) )?(?:yes|yep|yeah|yup|aye|sure (?:do|am)|of course|i (?:am|do|have)|we (?:are|do)|still am|still do|ja|jo|jep|jawohl|klar|immer noch|s[ií]|claro|por supuesto)\b"
    r"(?! (?:but|aber|pero|and no|right|sure|well)\b|[^\w\s]* ?(?:but|aber|pero|right|no)\b|\W*\?)",
    re.IGNORECASE,
)
_NO = re.compile(
    r"\W*(?:(?:oh|well|na|pues|hm+) )?(?:no|nope|nah|not any ?more|not anymore|nein|nee|nö|nicht mehr|ya no|qué va|never|nie|nunca)\b"
    r"(?! (?:idea|problem|worries|way|doubt|kidding|comment|one|sé)\b|[^\w\s]* ?(?:but|aber|pero)\b|\W*\?)",
    re.IGNORECASE,
)
_OF_OTHERS = re.compile(r"\b(?:he|she|they|her|his|their|er|sie|ella|él)\b", re.IGNORECASE)
_ABOUT_OTHERS = re.compile(
    r"(?<![^\W_])(?:he|she|they|his|her|their|er|ella|él|ellos|ellas|(?:your|my|our|dein\w*|euer\w*|eure\w*|mein\w*|unser\w*|tus?|vuestr\w*|mis?) (?!job\b|place\b|flat\b|house\b|home\b|work\b|office\b|wohnung\b|haus\b|casa\b|piso\b|trabajo\b)[^\W\d_]+)(?![^\W_])",
    re.IGNORECASE,
)
_NAMED_STILL = re.compile(rf"(?<![^\W_]){_UPPER}[^\W\d_]+ $")
"""Right before what is asked: "Tom still in Berlin?"."""
_CALLED = re.compile(rf"\W*(?P<first>{_UPPER}[^\W\d_]+),|.*,\s(?P<last>{_UPPER}[^\W\d_]+)\?\W*$")
"""Whom a question calls by name."""
_LONGEST = 9
"""Words of an answer: what is longer speaks for itself."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question asks whether it is so."""

    attribute: str
    value: str
    says: str
    """The sentence about the answerer, ``{s}``, when it is so."""
    denies: str


@dataclass(frozen=True, slots=True)
class _Row:
    attribute: str
    asked: str
    says: str
    denies: str
    value: str = ""
    """What the value is; else the group of that name."""


_ROWS = (
    _Row("marital_status", r"(?:(?:are|r) (?:you|u) (?:still )?|^\W*)(?P<value>married|single|engaged|divorced)", "{s} is {v}.", "{s} is not {v}."),
    _Row("marital_status", r"(?:bist du|sind sie|seid ihr) (?:noch |eigentlich |schon )*(?P<value>verheiratet|single|verlobt|geschieden|ledig)", "{s}: {v}.", "{s}: nicht {v}."),
    _Row("marital_status", r"(?:estás|est[aá] usted|eres) (?P<value>casad[oa]|solter[oa]|divorciad[oa])", "{s}: {v}.", "{s}: no {v}."),
    _Row("home", rf"(?:do you (?:guys )?still live|are you (?:guys )?still(?: living)?|still(?: living)?|you still) in (?P<value>{_NAME})", "{s} lives in {v}.", "{s} does not live in {v} any more."),
    _Row("home", rf"(?:wohnst du|wohnt ihr|wohnen sie) (?:denn |eigentlich )?(?:noch|immer noch) in (?P<value>{_NAME})", "{s} wohnt in {v}.", "{s} wohnt nicht mehr in {v}."),
    _Row("home", rf"(?:sigues|seguís)(?: viviendo)? en (?P<value>{_NAME})", "{s} vive en {v}.", "{s} ya no vive en {v}."),
    _Row("employer", rf"(?:do you still work|are you still(?: working)?|still(?: working)?|you still) (?:at|for|with) (?:the )?(?P<value>{_NAME})", "{s} works at {v}.", "{s} does not work at {v} any more."),
    _Row("employer", rf"(?:arbeitest du|bist du|arbeiten sie) (?:denn |eigentlich )?(?:noch|immer noch) (?:bei|beim) (?:der |dem )?(?P<value>{_NAME})", "{s} arbeitet bei {v}.", "{s} arbeitet nicht mehr bei {v}."),
    _Row("employer", rf"(?:sigues|seguís)(?: trabajando| currando) en (?:el |la )?(?P<value>{_NAME})", "{s} trabaja en {v}.", "{s} ya no trabaja en {v}."),
    _Row("habit", r"(?:do you|you) (?:still )?(?P<value>smoke|vape)", "{s}: {v}.", "{s} does not {v}."),
    _Row("habit", r"(?P<value>rauchst du|rauchen sie)", "{s} raucht.", "{s} raucht nicht.", value="rauchen"),
    _Row("habit", r"(?P<value>fumas|fuma usted)", "{s} fuma.", "{s} no fuma.", value="fumar"),
    _Row("diet", r"(?:are|r) (?:you|u) (?:still )?(?:an? )?(?P<value>vegetarian|vegan)", "{s} is {v}.", "{s} is not {v}."),
    _Row("diet", r"(?:bist du|sind sie) (?:noch |eigentlich )*(?P<value>vegetarier(?:in)?|veganer(?:in)?|vegan)", "{s}: {v}.", "{s}: nicht {v}."),
    _Row("diet", r"eres (?P<value>vegan[oa]|vegetarian[oa])", "{s}: {v}.", "{s}: no {v}."),
    _Row("language", rf"(?:do you speak|sprichst du|sprechen sie|hablas) (?:any )?(?P<value>{any_word(LANGUAGES, LANGUAGES_DE, LANGUAGES_ES)})", "{s}: {v}.", "{s}: not {v}."),
)  # fmt: skip
_COMPILED = tuple((row, re.compile(rf"(?:{row.asked})\b[^?\n]{{0,25}}\?\W*$", re.IGNORECASE)) for row in _ROWS)


def answer_of(text: str) -> Answer | None:
    """Whether a short message says yes or no; None where it does neither."""
    if len(text.split()) > _LONGEST or _OF_OTHERS.search(text):
        return None
    if _YES.match(text):
        return "yes"
    return "no" if _NO.match(text) else None


def is_for_another(question: str, speaker: str, people: Sequence[str]) -> bool:
    """Whether a question calls somebody else by name: "Tom, are you married?"."""
    if "," not in question:
        return False
    called = {word for name in people if name != speaker for word in name.casefold().split()}
    own = set(speaker.casefold().split())
    found = _CALLED.match(question)
    name = "" if found is None else (found["first"] or found["last"]).casefold()
    return name in called and name not in own


def asked_of(question: str) -> Asked | None:
    """What the end of a message asks somebody to affirm, if it asks for something that the rules know."""
    if not question.rstrip().endswith("?"):
        return None
    last = re.split(r"(?<=[.!?…])\s+", question.strip())[-1]
    for row, regex in _COMPILED:
        found = regex.search(last)
        if found is not None and (
            _ABOUT_OTHERS.search(last[: found.start()]) or _NAMED_STILL.search(last[: found.start()])
        ):
            return None
        if found is not None:
            value = row.value or found["value"]
            named = row.attribute in ("home", "employer", "language")
            return Asked(row.attribute, value if named else value[0].lower() + value[1:], row.says, row.denies)
    return None
