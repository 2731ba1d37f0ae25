"""A row of the tables of patterns, and the small language that the tables are written in.

A pattern is a regular expression in which a space stands for any white space, ``<name>`` for a fragment of
`FRAGMENTS`, and ``<=kind>`` for the value, which must look like its kind (see `value_checks`). Letters match in either
case, but for the capital with which a name begins.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

from ..calendar import MONTHS, any_of_pattern

Time = Literal["none", "state", "change", "past"]
"""The meaning of words of time after the value: ``state``, how long it has been so; ``change``, when it became so;
``past``, how long it was so; ``none``, nothing.
"""
Language = Literal["en", "de", "es"]


@dataclass(frozen=True, slots=True)
class Pattern:
    """One row."""

    attribute: str
    cues: str
    """Words in lower case, one of which is in every text that the row reads."""
    words: str
    """The pattern."""
    says: str = ""
    """The sentence where it is not that of its attribute, see `sentences.SAYS`."""
    language: Language = "en"
    time: Time = "none"
    negated: bool = False
    anywhere: bool = False
    """It may stand within a sentence, not only where a claim begins."""
    value_form: str = "{v}"
    """The form of the value that is kept; ``{v}`` is the matched text: ``no {v}`` gives the diet "no meat"."""
    after: bool = False
    """It counts only right behind another claim: "I live in Leeds, I'm 34"."""
    of_known: bool = False
    """It only ends what is known; see `Statement.of_known`."""

    @property
    def kind(self) -> str:
        """The kind of the value, a key of `KINDS`; empty if the pattern has none. A list of a kind in the singular, as
        ``allergen``, takes as few words as the rest of the pattern allows.
        """
        match = _KIND.search(self.words)
        return "" if match is None else match[1]

    @property
    def second_half(self) -> re.Pattern[str] | None:
        """The pattern without its "I" or "I'm", for the second half of "I live in Leeds and work at Aldi"; None if it
        begins with neither.
        """
        for subject, verb in (("<i> ", ""), ("<im> ", "am ")):
            if self.words.startswith(subject):
                return compiled(verb + self.words.removeprefix(subject))
        return None

    @property
    def is_closed(self) -> bool:
        """True if the words behind the value say where it ends."""
        return self.kind in ("animal", "allergen")

    @property
    def is_of_ones_own(self) -> bool:
        """True if the value is the name of somebody or something called "my"."""
        return self.words.startswith(("<my>", "<mein>", "<mi>"))

    @property
    def regex(self) -> re.Pattern[str]:
        """It compiled, once for each pattern."""
        return compiled(self.words)


def relatives(language: Language, kin: Mapping[str, str], *forms: str, anywhere: str = "") -> tuple[Pattern, ...]:
    """Return a row for each attribute and form.

    Args:
        language: of the words.
        kin: words of kinship, by attribute.
        forms: patterns with ``<who>`` for such a word.
        anywhere: another, which may stand anywhere in a sentence.
    """
    return tuple(
        Pattern(attribute, words, with_who(form, words), language=language, anywhere=form == anywhere)
        for attribute, words in kin.items()
        for form in (*forms, anywhere)
        if form
    )


def partings(language: Language, words: str, *forms: str, says: str = "") -> tuple[Pattern, ...]:
    """Return a row for each form, which ends whatever partner is known, without a name.

    Args:
        language: of the words.
        words: for a partner.
        forms: patterns with ``<who>`` for such a word.
        says: the sentence.
    """
    return tuple(
        Pattern(
            "partner",
            _PARTED[language],
            with_who(form, words),
            says or _HAS_PARTED[language],
            language,
            negated=True,
            value_form="partner",
            of_known=True,
        )
        for form in forms
    )


_PARTED: Mapping[Language, str] = {
    "en": "broke broken split separated divorced left dumped died passed",
    "de": "getrennt verlassen gestorben verstorben",
    "es": "terminamos rompimos roto dejamos dejado dejó separamos separado divorciamos divorciado murió muerto falleció"
    " fallecido",
}
_HAS_PARTED: Mapping[Language, str] = {
    "en": "{s} is no longer with the partner.",
    "de": "{s} ist nicht mehr mit dem Partner zusammen.",
    "es": "{s} ya no está con su pareja.",
}


def with_who(form: str, words: str) -> str:
    """Return a pattern with one of these words as the group ``who`` in the place of ``<who>``."""
    return form.replace("<who>", f"(?P<who>{'|'.join(words.split())})")


_KIND = re.compile(r"<=([a-z_]+)>")
_UPPER = r"(?-i:[A-ZÀ-ÖØ-ÞĀĂĄĆČĎĐĒĘĚĞĢĪİĶŁŃŇŌŐŒŘŚŞŠŤŪŮŰŹŻŽ])"
_PROPER = rf"{_UPPER}[\w&+-]*(?:[’'](?!s\b)\w+)?"
_LINK = r"(?:de|del|de la|la|of|of the|am|an der|upon|sur|do|da|di|y|&|on) "
_LINKED = rf"(?:(?-i:St|San|Sta)\.? )?{_PROPER}(?: (?:{_LINK})?{_PROPER}){{0,3}}"
_NAME = rf"{_UPPER}[^\W\d_]+(?:[-’']{_UPPER}[^\W\d_]+)?"
_WORD = r"[^\W\d_][\w&]*(?:[’'-]\w+)*"
_DAY_MONTH = (
    rf"(?:the )?\d{{1,2}}(?:st|nd|rd|th|\.|º)?(?: of| de)? {any_of_pattern(MONTHS)}\b(?:,? (?:de |del )?\d{{4}})?"
    rf"|{any_of_pattern(MONTHS)} (?:the )?\d{{1,2}}(?:st|nd|rd|th)?\b(?:,? \d{{4}})?"
    r"|\d{4}-\d\d-\d\d|\d{1,2}\.\d{1,2}\.(?:\d{4})?"
)
PLACE_ARTICLE = r"(?:(?-i:[Tt]he|de[rnm]|la|el|l[ao]s) )"
"""Before a country: "the Netherlands", "in der Schweiz", "en los Estados Unidos"; "El Paso" has its own."""
_DIGITS = r"\+?\(?\d[\d ()/.-]{5,18}\d(?![\d-])"
END_SIGNS = r"\s*(?:$|[,.;:!…()–—\n]|[^\w\s'’\"\0-])"
KINDS: Mapping[str, str] = {
    "place": rf"(?:{PLACE_ARTICLE})?(?:{_LINKED}|{_WORD}(?: {_WORD}){{0,2}})",
    "known": rf"(?:{PLACE_ARTICLE})?(?:{_LINKED}|{_WORD}(?: {_WORD}){{0,2}})",
    "org": rf"(?:(?:the|an?|my|our|der|die|dem|einer|einem|la|el|una?) )?(?:{_LINKED}|{_WORD}(?: {_WORD}){{0,2}})",
    "workplace": rf"(?:an?|the) {_WORD}(?: {_WORD}){{0,2}}",
    "name": _NAME,
    "names": rf"{_NAME}(?:(?:, |,? and |,? & |,? und |,? y |,? e ){_NAME})+",
    "fullname": rf"{_NAME}(?: {_NAME}){{0,2}}",
    "job": rf"{_WORD}(?: {_WORD}){{0,4}}",
    "pet": rf"{_WORD}(?: {_WORD}){{0,3}}",
    "animal": rf"{_WORD}(?: {_WORD}){{0,2}}?",
    "nationality": rf"{_WORD}",
    "languages": rf"{_WORD}(?:(?:, | and |, and | und | y | e ){_WORD})*",
    "allergens": rf"{_WORD}(?:(?:,? and |,? und |,? y |, | or | |-){_WORD}){{0,6}}",
    "allergen": rf"{_WORD}(?:(?:,? and |,? und |,? y |, | or | |-){_WORD}){{0,6}}?",
    "born": _DAY_MONTH,
    "age": r"\d{1,3}",
    "phone": _DIGITS,
    "email": r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+",
}
FRAGMENTS: Mapping[str, str] = {
    # English
    "i": "(?:i|we)",
    "im": "(?:i['’]?m|i am)",
    "were": "(?:we['’]?re|we are|i['’]?m|i am)",
    "ive": "(?:i['’]?ve|i have|we['’]?ve|we have)",
    "adv": "(?:(?:really|actually|currently|now|also|just|still|already|originally|finally|recently|officially"
    r"|both|all|only) )*",
    "my": "(?:my|our)",
    "dont": "(?:don['’]?t|do not)",
    "more": "(?: anymore| any more| any longer)",
    "called": "(?:['’]?s name(?: is|['’]?s)| is called| is named|, who is called,?)",
    "nick": "(?:(?:lovely|dear|older|elder|eldest|oldest|younger|youngest|little|big|baby|twin|new|half|step) )?",
    "end": rf"(?={END_SIGNS}|\s+(?:and|but|so|btw|now|lol|haha|tbh|again|since|too|though|here|with|because"
    r"|as well|from|for|at|in)\b)",
    "does": rf"(?={END_SIGNS}|\s+(?:is|are|has|have|just|loves?|likes?|hates?|always|who|and|to|in|on|for|at|with"
    r"|when|because|every"
    r"|today|needs?|wants?|keeps?|sleeps?|barks?|got)\b)",
    "gone": rf"(?={END_SIGNS}|\s+(?:today|yesterday|last|this|on|in|at|of|after|and|but|aged)\b)",
    "stop": rf"(?={END_SIGNS}|\s+(?:and|but|so|btw|lol|haha|tbh|too|though|as well|here)\b)",
    # German
    "zeit": r"(?:(?:(?:seit|vor|letzte[nrms]?|vorige[nrms]?|am|im) [^.,;!?\n]{1,20}|gestern|heute|wieder|jetzt"
    r"|auch) ){0,2}",
    "seit": r"(?:seit [^.,;!?\n]{1,20} )?",
    "nun": "(?:(?:jetzt|nun|ja|noch|aktuell|gerade|immer noch|auch|eigentlich|übrigens|inzwischen|mittlerweile"
    r"|schon|derzeit|ursprünglich|wieder) )*",
    "mein": "(?:mein|meine|meiner|meinen|meinem|unser|unsere|unserer|unseren|unserem)",
    "ende": rf"(?={END_SIGNS}|\s+(?:und|aber|oder|weil|seit|denn|in|bei|an|am|im|für)\b)",
    "tut": rf"(?={END_SIGNS}|\s+(?:ist|hat|und|liebt|mag|schläft|will|muss|kann|in|im|auf|bei|mit|zum|gerade"
    r"|heute|immer)\b)",
    "halt": rf"(?={END_SIGNS}|\s+(?:und|aber|oder|weil|seit|denn)\b)",
    "tun": r"(?= (?-i:(?:und ich )?(?:[a-zß-ü]+te?n?|haben|kommen|gehen|sind|war|waren|will|kann|mag|muss|kam|ging)\b)"
    "|, (?:de[rmn]|die) )",  # a verb right behind: else a noun with its capital stands where a name might
    # Spanish
    "alto": rf"(?={END_SIGNS})",
    "ya": "(?:(?:ya|ahora|todavía|aún|también|actualmente|por ahora|sigo|seguimos|yo|originalmente) )*",
    "mi": "(?:mi|mis|nuestr[oa]s?)",
    "hace": rf"(?={END_SIGNS}|\s+(?:es|está|tiene|y|quiere|duerme|come|ladra|en|con|al|se|ha|siempre|hoy)\b)",
    "fin": rf"(?={END_SIGNS}|\s+(?:y|pero|o|porque|desde|en|con|para|ahora|también)\b)",
}


def spelled_out(text: str) -> str:
    """Return such a text with its fragments and kinds as regular expressions; a space still stands for white space."""
    for name, fragment in FRAGMENTS.items():
        text = text.replace(f"<{name}>", fragment)
    for name, value in KINDS.items():
        text = text.replace(f"<={name}>", f"(?P<value>{value})").replace(f"<{name}>", f"(?:{value})")
    return text


@cache
def compiled(text: str) -> re.Pattern[str]:
    """Return the regular expression that such a text stands for."""
    return re.compile(spelled_out(text).replace(" ", r"\s+") + r"(?![^\W_])", re.IGNORECASE)
