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
    ACTIVITIES_DE,
    AILING,
    CHILDREN,
    CLOSING,
    FOODS,
    FOODS_DE,
    FOODS_ES,
    FRIENDS,
    GOALS,
    ILLNESSES,
    ILLNESSES_DE,
    ILLNESSES_ES,
    INSTRUMENTS_AND_GAMES,
    JOBS,
    JOBS_DE,
    JOBS_ES,
    LANGUAGES,
    LANGUAGES_DE,
    LANGUAGES_ES,
    NATIONALITIES,
    NATIONALITIES_DE,
    NATIONALITIES_ES,
    OTHERS,
    PARENTS,
    PETS,
    PETS_DE,
    PETS_ES,
    PLANNED,
    PLANNING,
    PLAYED_DE,
    PLAYED_ES,
    SIBLINGS,
    SPORTS,
    SPOUSES,
    SUBJECTS,
    SUBJECTS_DE,
    SUBJECTS_ES,
    THINGS,
    WORKPLACES,
    WORKPLACES_DE,
    WORKPLACES_ES,
    words,
)

Time = Literal["none", "state", "change", "past", "plan", "brief"]
"""What words of time after the value mean: how long it has been so, when it became so, how long it was so, when it is to
be, or how long it is to last."""
Shape = Literal["name", "place", "org", "phrase", "taste", "fixed", "birthday", "day", "number", "plan", "thing"]
"""What a value must look like, beyond its pattern; see `value_checks`."""


def any_word(*lists: str) -> str:
    """A pattern for any word of such lists; an apostrophe may be any, or missing, and a hyphen a space."""
    return any_of_pattern(
        re.escape(word).replace("\\ ", " ").replace("\\-", "[- ]").replace("'", "['’]?")
        for text in lists
        for word in words(text)
    )


_CLOSING = rf"(?:{any_word(CLOSING)}|[:;=][-']?[)(dp3*]{{1,3}}|<3)(?![^\W_])"
CLOSED = rf"(?=[^\w\n]*(?:$|\n)|\s*[.!]+(?:\s|$)|(?:[.!]*,?\s+{_CLOSING}){{1,3}}[^\w\n?]*(?:$|\n))"
"""Nothing more of the sentence; see `Pattern.closes_message`."""
_ONLY_CLOSES = re.compile(
    rf"[^\w?]*+(?:(?:{any_word(CLOSING)}|(?<=[:;=-])[dp3]|(?<=<)3)(?![^\W_])[^\w?]*+)*$".replace(" ", r"\s+"),
    re.IGNORECASE,
)
_TOLD_ABOUT = frozenset({"partner", "marital_status", "habit", "birthday"})


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
    of_known: bool = False
    """It only ends what is known, see `endings`."""
    cues: str = ""
    """Words, one of which is in every text that the row matches; ``0`` stands for any digit. A text without any of them is
    not compared with the row at all."""
    example: str = ""
    """A message that the row reads, an equals sign, and the value of its fact."""

    @property
    def closes_message(self) -> bool:
        """Whether nothing but signs may follow, also in later sentences: they often say whose child, pet or place it is, or that
        it is play. Of a wedding, a habit, a birthday or an employer that was left people go on to tell what it is like.
        """
        goes_on = self.attribute in _TOLD_ABOUT or (self.attribute == "employer" and self.negated and not self.of_known)
        return ("<last>" in self.words or CLOSED in self.words) and not goes_on

    @property
    def regex(self) -> re.Pattern[str]:
        """It compiled, once for each pattern."""
        return compiled(self.words)


def only_closes(text: str) -> bool:
    """Whether a text consists of words that may end a message, see `lexicon.CLOSING`, and of signs but question marks."""
    return _ONLY_CLOSES.match(text) is not None


_ADVERBS = (
    "really|actually|currently|now|also|just|still|already|always|absolutely|totally|honestly|originally|kinda|finally|both"
    "|only|all|recently|officially|definitely|truly|so|quite|again|mostly|mainly|temporarily|genuinely|secretly|do"
)
_UPPER = r"(?-i:[A-ZÀ-ÖØ-ÞĀĂĄĆČĎĐĒĘĚĞĢĪİĶŁŃŇŌŐŒŘŚŞŠŤŪŮŰŹŻŽ])"
_PROPER = rf"{_UPPER}[\w&+-]*(?:[’'](?!s\b)\w+)?"
_SAINT = rf"(?-i:St|Saint|Sankt|Santa|San)\.? {_PROPER}(?:['’]s(?![^\W_])|['’](?= {_UPPER}))?"
LINKED = rf"(?:{_SAINT}|{_PROPER})(?: (?:(?:de|del|de la|la|of|of the|am|an der|upon|sur|do|da|di|y|&|on) )?{_PROPER})*"
_NAME = rf"{_UPPER}[^\W\d_]+(?:[-’']{_UPPER}[^\W\d_]+)?"


FRAGMENTS: Mapping[str, str] = {
    "be": "(?:<im> <adv>|(?:still|now|currently|officially|happily|newly|recently|also) )",
    "have": r"(?:<i> <adv>(?:have|own|keep|got|adopted|rescued|bought)|<ive> <adv>(?:got|adopted|rescued|bought)|<ive>|(?:got|adopted|rescued)(?: myself| ourselves)?)",
    "whose": r"(?P<who>(?:<age> )*<kin>)(?:,? (?-i:<name>),?)?",
    "out": "(?:(?:out|up|over|down|back|right) )?",
    "sits": r"(?:<i> <adv>(?:work|temp|lecture|bartend|waitress|intern|do (?:evenings|nights|mornings|days|shifts|weekends|reception|security|it|admin|accounts|marketing|payroll|logistics|research|sales|the books))"
    r"|<im> <adv>(?:working|temping|lecturing|bartending|waitressing|interning|employed|doing (?:nights|evenings|shifts|reception|admin|sales|it|security)))"
    r"(?: (?:part[- ]time|full[- ]time|nights|days|evenings|weekends|shifts|mornings|remotely|in [^\W\d_]+))?",
    "nun": r"(?:(?:jetzt|nun|ja|noch|aktuell|gerade|immer noch|wieder|auch|eigentlich|übrigens|inzwischen|mittlerweile|gleich|natürlich|leider|selbst"
    r"|schon lange|schon|derzeit|zurzeit|nebenbei|seit (?:dem )?[^\W\d_]+ ?(?:[^\W\d_]+|\d{4})?) )*",
    "eben": r"(?:(?:ja|halt|eh|eben|leider|einfach|wirklich|echt|gar|absolut|auch|selbst|selber|nur|noch|jetzt|wieder|schon|übrigens|überhaupt|doch|eigentlich|immer|nun|inzwischen|mittlerweile|aktuell|gerade|grad|derzeit|nebenbei|zusätzlich|gern|total|sehr"
    r"|montags|dienstags|mittwochs|donnerstags|freitags|samstags|sonntags|abends|nachts|vormittags|nachmittags|da|dort|am Wochenende|(?:seit|ab) (?:dem |der )?[^\W\d_]+(?: \d{4})?) ){0,4}",
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
    "age": r"(?:lil|wee|older|dear|elder|eldest|oldest|younger|youngest|little|big|baby|twin|middle|only|half|step|late|lovely)",
    "spouse": any_word(SPOUSES),
    "child": any_word(CHILDREN),
    "sibling": any_word(SIBLINGS),
    "parent": any_word(PARENTS),
    "kin": any_word(SPOUSES, CHILDREN, SIBLINGS, PARENTS, OTHERS, FRIENDS),
    "relative": any_word(SPOUSES, CHILDREN, SIBLINGS, PARENTS, OTHERS),
    "pet": any_word(PETS),
    "workplace": any_word(WORKPLACES),
    "soon": r"(?=\s*(?:$|[^\w\s'’\0-]|(?:and|but|so|btw|by the way|now|lol|haha|tbh|again|since|too|though|here|with|as well|these days|at|in|on|for|every|since|because|from|last|this|next|today|yesterday|tomorrow|tonight|when|after|before)\b))",
    "timed": r"(?=[^.;:!?\n]{0,40}?\b(?:tomorrow|next|in (?:a|two|three|four|five|six|\d+|january|february|march|april|may|june|july|august|september|october|november|december|spring|summer|autumn|fall|winter|the (?:spring|summer|autumn|fall|winter|new year))|on (?:the|monday|tuesday|wednesday|thursday|friday|saturday|sunday)"
    r"|this (?:weekend|summer|autumn|winter|spring|friday|saturday|sunday|monday|tuesday|wednesday|thursday|month|year|christmas)|(?:from|starting|until|after|before|end of|start of|beginning of|over|for) (?:the )?(?:january|february|march|april|may|june|july|august|september|october|november|december|summer|christmas|easter|new year|\d|monday|tuesday|wednesday|thursday|friday|saturday|sunday|next)|soon)\b)",
    "count": "(?:two|three|four|five|six|seven|eight|nine|ten|twelve|several|many)",
    "then": r"(?=\s*(?:$|[^\w\s'’-]|(?:and|but|so|in|at|for|by|with|here|now|from|working|since|on|btw|lol|too|because|these|myself|near|actually|though|tho|haha|again|there|up|down|over|out|who|like|part|full|these|actually|remember)\b))",
    "last": rf"(?=(?:[.!]*,?\s+{_CLOSING}){{0,3}}[ .!]*(?:$|\n|[^\w\s'’\0.,;:!?()\[\]\"…–—&+/-]))",
    "end": r"(?=\s*(?:$|[,.;:!…()–—\n]|[^\w\s'’\0-]|(?:and|but|so|btw|by the way|now|lol|haha|tbh|again|since|too|though|here|with)\b))",
}
_DAY_MONTH = (
    rf"(?:the )?\d{{1,2}}(?:st|nd|rd|th|\.)?(?: of| de)? {any_of_pattern(MONTHS)}\b(?:,? (?:de )?\d{{4}})?"
    rf"|{any_of_pattern(MONTHS)} (?:the )?\d{{1,2}}(?:st|nd|rd|th)?\b(?:,? \d{{4}})?|\d{{4}}-\d\d-\d\d|\d{{1,2}}\.\d{{1,2}}\.\d{{4}}"
)
_WITHIN = (
    rf"(?:(?:the )?(?:outskirts|edge|suburbs|middle|centre|center|north|south|east|west|heart|nicer part|far end) of |(?:an? )?(?:tiny |little |small )?(?:village|hamlet|suburb) (?:near|outside|of|called) |(?:deepest|sunny|rainy|central|downtown|beautiful|lovely|good old) (?={_UPPER}))?"
    r"(?:the (?=(?-i:Netherlands|Hague|Highlands|Bronx|UK|US|States|Cotswolds|Peak District|Lake District|Lakes|Midlands|West Midlands|East Midlands|Wirral|Black Country|Valleys|Borders|Scottish Borders|Philippines|Bahamas|Gambia|Maldives"
    r"|Emirates|UAE|Dominican Republic|Czech Republic|Ivory Coast|Isle of|Bay Area|Midwest|Azores|Canaries|Canary Islands|Algarve|Dordogne|Ardennes|Hebrides|Outer Hebrides|Fens|Yorkshire Dales|Dales|Black Forest|Basque Country|Seychelles|Faroe)\b))?"
)
"""What may stand before the name of a place without being a part of it."""
VALUES: Mapping[str, str] = {
    "firma": r"(?!(?:Vodafone|Telekom|Netflix|Spotify|Discord|WhatsApp|Insta|Instagram|Facebook|Tinder|TikTok|YouTube|Twitch|Steam|Snapchat|Telegram|Reddit|Mama|Mami|Mutti|Papa|Papi|Vati|Omi|Opa|Tante|Onkel|Schwiegermama|Schwiegermutter|Schwiegereltern|Arzt|Ärztin|Zahnarzt|Hausarzt|Friseur|Frisör|Bäcker|Metzger|Anwalt|Freunden|Eltern|Oma|Opa|Nacht|Tag|Regen|Hitze|Kälte|Gelegenheit|Hause|Nachbarn|Weitem|Fuß|Wetter|Sonne|Bedarf)\b)(?-i:[A-ZÄÖÜ])[\w&.-]*\w(?: (?-i:[A-ZÄÖÜ])[\w&-]+)?",
    "nomen": r"(?!(?:Das|Dies|Den|Die|Der|Ich|Wir|Da|So|Es|Hier|Dort|Jetzt|Heute|Nein|Ja|Aber|Und|Wo|Wie|Was)\b)(?-i:[A-ZÄÖÜ])[^\W\d_]+",
    "tun": r"(?:singen|schwimmen|kochen|backen|tanzen|nähen|stricken|häkeln|schweißen|programmieren|reiten|segeln|surfen|skifahren|Ski fahren|Auto fahren|zeichnen|malen|jonglieren|Klavier spielen|Gitarre spielen|pfeifen|tauchen|klettern|Schach spielen|löten|Motorrad fahren)",
    "place": rf"{LINKED}|[^\W\d_]+(?:-[^\W\d_]+)*",
    "org": rf"(?:the )?{LINKED}|(?:(?:an?|the|our|my) )?(?:(?!(?:and|or|in|at|on|for|with|of|since|where|as|then|but|until|by)\b)[^\W\d_]+(?:-[^\W\d_]+)* ){{0,2}}{any_word(WORKPLACES)}|[^\W\d_]+",
    "fach": any_word(SUBJECTS_DE),
    "materia": any_word(SUBJECTS_ES),
    "essen": any_word(FOODS_DE),
    "food": any_word(FOODS),
    "nationality": any_word(NATIONALITIES),
    "landsmann": any_word(NATIONALITIES_DE),
    "gentilicio": any_word(NATIONALITIES_ES),
    "comida": any_word(FOODS_ES),
    "arbeitsort": any_word(WORKPLACES_DE),
    "lugar": any_word(WORKPLACES_ES),
    "treffen": any_word(ACTIVITIES_DE),
    "leiden": any_word(ILLNESSES_DE),
    "mal": any_word(ILLNESSES_ES),
    "spielt": any_word(PLAYED_DE),
    "juega": any_word(PLAYED_ES),
    "haustier": any_word(PETS_DE),
    "mascota": any_word(PETS_ES),
    "retired": rf"retired (?:[^\W\d_]+ )?{any_word(JOBS)}",
    "illness": any_word(ILLNESSES),
    "ailing": any_word(AILING),
    "subject": any_word(SUBJECTS),
    "thing_owned": any_word(THINGS),
    "job": rf"(?:(?!(?:not|no|nor)\b)[^\W\d_]+(?:-[^\W\d_]+)* ){{0,3}}?{any_word(JOBS)}",
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
        before = _WITHIN if name == "place" else ""
        text = text.replace(f"<={name}>", f"{before}(?P<value>{value})").replace(f"<{name}>", f"(?:{value})")
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
    return Pattern(attribute, text, says, shape, time, no, "en", anywhere, value, splits, cues=cues, example=eg)


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
