"""A row of the tables of patterns, and the small language that the tables are written in.

A pattern is a regular expression where a space stands for any white space and ``<name>`` for a fragment of `FRAGMENTS`
or, where it is a value, for the group ``value`` in one of the shapes of `VALUES`. Letters match in either case, but
for the capital a proper name begins with.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

from ..calendar import MONTHS, any_of_pattern
from .lexicon import (
    CHILDREN,
    FRIENDS,
    GOALS,
    INSTRUMENTS_AND_GAMES,
    JOBS,
    JOBS_DE,
    JOBS_ES,
    LANGUAGES,
    LANGUAGES_DE,
    LANGUAGES_ES,
    OTHERS,
    PARENTS,
    PETS,
    PLANNED,
    PLANNING,
    SIBLINGS,
    SPORTS,
    SPOUSES,
    WORKPLACES,
    words,
)

Time = Literal["none", "state", "change", "past", "plan", "brief"]
"""What words of time after the value mean: how long it has been so, when it became so, how long it was so, when it is to
be, or how long it is to last."""
Shape = Literal["name", "place", "org", "phrase", "taste", "fixed", "birthday", "day", "number", "plan", "thing"]
"""What a value must look like, beyond its pattern; see `value_checks`."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """One row. ``says`` is the sentence in English; ``{s}`` the speaker, ``{v}`` the value, ``{r}`` a relative."""

    attribute: str
    words: str
    says: str
    shape: Shape
    time: Time = "none"
    negated: bool = False
    language: str = "en"
    anywhere: bool = False
    """It may stand within a sentence, not only where a claim begins."""
    value: str = "{v}"
    """What the value becomes; ``{kind}`` is the group of that name."""
    splits: bool = False
    """The value may be a list: "French and German"."""
    cues: str = ""
    """Words, one of which is in every text that the row matches; ``0`` stands for any digit. A text without any of them is
    not compared with the row at all."""
    example: str = ""
    """A message that the row reads, an equals sign, and the value of its fact."""

    @property
    def regex(self) -> re.Pattern[str]:
        """It compiled, once for each pattern."""
        return compiled(self.words)


_ADVERBS = (
    "really|actually|currently|now|also|just|still|already|always|absolutely|totally|honestly|originally|kinda|finally|both"
    "|only|all|recently|officially|definitely|truly|absolutely|so|quite|again|mostly|mainly|temporarily|genuinely|secretly"
)
_UPPER = r"(?-i:[A-ZÀ-ÖØ-ÞĀĂĄĆČĎĐĒĘĚĞĢĪİĶŁŃŇŌŐŒŘŚŞŠŤŪŮŰŹŻŽ])"
_PROPER = rf"{_UPPER}[\w&+-]*(?:[’'](?!s\b)\w+)?"
LINKED = rf"{_PROPER}(?: (?:(?:de|del|de la|la|of|of the|am|an der|upon|sur|do|da|di|y|&|on) )?{_PROPER})*"
_NAME = rf"{_UPPER}[^\W\d_]+(?:[-’']{_UPPER}[^\W\d_]+)?"


def any_word(*lists: str) -> str:
    """A pattern for any word of such lists."""
    return any_of_pattern(re.escape(word).replace("\\ ", " ") for text in lists for word in words(text))


FRAGMENTS: Mapping[str, str] = {
    "nun": r"(?:(?:jetzt|nun|ja|noch|aktuell|gerade|immer noch|wieder|auch|eigentlich|übrigens|inzwischen|mittlerweile|gleich|natürlich|leider|selbst"
    r"|schon lange|schon|derzeit|zurzeit|nebenbei|seit (?:dem )?[^\W\d_]+ ?(?:[^\W\d_]+|\d{4})?) )*",
    "verwandt": "(?:Tochter|Sohn|Schwester|Bruder|Mutter|Vater|Mama|Papa|Frau|Mann|Freundin|Freund|Oma|Opa|Eltern|Tante|Onkel|Cousine|Cousin|Kinder|Neffe|Nichte)",
    "familia": "(?:hij[oa]s?|herman[oa]s?|madre|padre|mamá|papá|padres|marido|mujer|esposa|esposo|novi[oa]|abuel[oa]s?|tí[oa]s?|prim[oa]s?)",
    "tier": "(?:Hunde?|Katzen?|Kater|Hasen?|Kaninchen|Hamster|Wellensittiche?|Meerschweinchen|Pferde?|Hühner|Schildkröten?|Vögel|Fische|Ziegen|Schafe|Papagei|Welpen?|Esel|Ponys?)",
    "ende": r"(?=\s*(?:$|[,.;:!…()–—\n]|[^\w\s'’\0-]|(?:und|aber|oder)\b))",
    "i": "(?:i|we)",
    "im": "(?:i['’]?m|i am|we['’]re|we are)",
    "ive": "(?:i['’]?ve|i have|we['’]ve|we have)",
    "ill": "(?:i['’]ll|i will|we['’]ll|we will)",
    "adv": rf"(?:(?:{_ADVERBS}) )*",
    "my": "(?:my|our)",
    "named": "(?:['’]s name(?: is|['’]s)|(?: is|['’]s)? (?:called|named))",
    "dont": "(?:don['’]?t|do not)",
    "anymore": "(?: anymore| any more| any longer| now)",
    "a": "(?:an?|the|my|our)",
    "age": r"(?:older|dear|elder|eldest|oldest|younger|youngest|little|big|baby|twin|middle|only|half|step|late|dear|lovely)",
    "spouse": any_word(SPOUSES),
    "child": any_word(CHILDREN),
    "sibling": any_word(SIBLINGS),
    "parent": any_word(PARENTS),
    "kin": any_word(SPOUSES, CHILDREN, SIBLINGS, PARENTS, OTHERS, FRIENDS),
    "relative": any_word(SPOUSES, CHILDREN, SIBLINGS, PARENTS, OTHERS),
    "pet": any_word(PETS),
    "count": "(?:two|three|four|five|six|seven|eight|nine|ten|twelve|several|many)",
    "then": r"(?=\s*(?:$|[^\w\s'’-]|(?:and|but|so|in|at|for|by|with|here|now|from|working|since|on|btw|lol|too|because|these|myself|near)\b))",
    "end": r"(?=\s*(?:$|[,.;:!…()–—\n]|[^\w\s'’\0-]|(?:and|but|so|btw|by the way|now|lol|haha|tbh|again|since|too|though|here|with)\b))",
}
_DAY_MONTH = (
    rf"(?:the )?\d{{1,2}}(?:st|nd|rd|th|\.)?(?: of| de)? {any_of_pattern(MONTHS)}\b(?:,? (?:de )?\d{{4}})?"
    rf"|{any_of_pattern(MONTHS)} (?:the )?\d{{1,2}}(?:st|nd|rd|th)?\b(?:,? \d{{4}})?|\d{{4}}-\d\d-\d\d|\d{{1,2}}\.\d{{1,2}}\.\d{{4}}"
)
VALUES: Mapping[str, str] = {
    "firma": r"(?!(?:Freunden|Eltern|Oma|Opa|Nacht|Tag|Regen|Hitze|Kälte|Gelegenheit|Hause|Nachbarn|Weitem|Fuß|Wetter|Sonne|Bedarf)\b)(?-i:[A-ZÄÖÜ])[\w&.-]*\w(?: (?-i:[A-ZÄÖÜ])[\w&-]+)?",
    "nomen": r"(?!(?:Das|Dies|Den|Die|Der|Ich|Wir|Da|So|Es|Hier|Dort|Jetzt|Heute|Nein|Ja|Aber|Und|Wo|Wie|Was)\b)(?-i:[A-ZÄÖÜ])[^\W\d_]+",
    "tun": r"(?:singen|schwimmen|kochen|backen|tanzen|nähen|stricken|häkeln|schweißen|programmieren|reiten|segeln|surfen|skifahren|Ski fahren|Auto fahren|zeichnen|malen|jonglieren|Klavier spielen|Gitarre spielen|pfeifen|tauchen|klettern|Schach spielen|löten|Motorrad fahren)",
    "place": rf"{LINKED}|[^\W\d_]+(?:-[^\W\d_]+)*",
    "org": rf"(?:the )?{LINKED}|(?:(?:an?|the) )?(?:[^\W\d_]+ )?{any_word(WORKPLACES)}|[^\W\d_]+",
    "job": rf"(?:[^\W\d_]+(?:-[^\W\d_]+)* ){{0,3}}?{any_word(JOBS)}",
    "name": _NAME,
    "fullname": rf"{_NAME}(?: {_NAME})?",
    "phrase": r"[^\W_][^,.;:!?…()–—\n\0]*",
    "until_end": r"[^\W_][^.;:!?…()–—\n\0]*",
    "language": any_word(LANGUAGES),
    "languages": rf"{any_word(LANGUAGES)}(?:(?:, | and |, and | & ){any_word(LANGUAGES)})*",
    "sprache": any_word(LANGUAGES_DE),
    "idioma": any_word(LANGUAGES_ES),
    "beruf": any_word(JOBS_DE),
    "oficio": any_word(JOBS_ES),
    "played": any_word(INSTRUMENTS_AND_GAMES),
    "sport": any_word(SPORTS),
    "pet": any_word(PETS),
    "born": _DAY_MONTH,
    "number": r"\d{1,3}",
    "phone": r"\+?\(?\d[\d ()/.-]{5,}\d",
    "email": r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+",
    "goal": rf"{any_word(GOALS)}(?: [^,.;:!?…()–—\n\0]*)?",
    "to_do": rf"{any_word(PLANNED)}(?: [^,.;:!?…()–—\n\0]*)?",
    "doing": rf"{any_word(PLANNING)}(?: [^,.;:!?…()–—\n\0]*)?",
}


def spelled_out(text: str) -> str:
    """Such a text with its fragments and values as regular expressions; a space still stands for white space."""
    for name, fragment in FRAGMENTS.items():
        text = text.replace(f"<{name}>", fragment)
    for name, value in VALUES.items():
        text = text.replace(f"<={name}>", f"(?P<value>{value})").replace(f"<{name}>", f"(?:{value})")
    return text


@cache
def compiled(text: str) -> re.Pattern[str]:
    """The regular expression that such a text stands for."""
    whole = spelled_out(text).replace("(? ", r"(?\s").replace(" ", r"\s+")
    return re.compile(whole + r"(?![^\W_])", re.IGNORECASE)


def english(
    attribute: str,
    cues: str,
    text: str,
    says: str,
    shape: Shape = "phrase",
    time: Time = "none",
    *,
    no: bool = False,
    anywhere: bool = False,
    value: str = "{v}",
    splits: bool = False,
    eg: str = "",
) -> Pattern:
    """A row of the English table; the statement is worded anew."""
    return Pattern(attribute, text, says, shape, time, no, "en", anywhere, value, splits, cues, eg)


def foreign(
    language: str,
    attribute: str,
    cues: str,
    text: str,
    shape: Shape = "fixed",
    time: Time = "none",
    *,
    no: bool = False,
    anywhere: bool = False,
    value: str = "{v}",
    eg: str = "",
) -> Pattern:
    """A row of another table; the statement keeps the words of its sentence."""
    return Pattern(attribute, text, "", shape, time, no, language, anywhere, value=value, cues=cues, example=eg)
