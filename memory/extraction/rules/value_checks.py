"""Checks that a value looks like what its pattern claims it to be: a place, an employer, a name, a job, an animal."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from ..calendar import MONTHS, WEEKDAYS
from ..dates import EXPRESSION
from .pattern import END_SIGNS, PLACE_ARTICLE, Language, Pattern
from .words import in_names, listed

ARTICLE = re.compile(r"^(?:the|an?|my|our|der|die|dem|einer|einem|la|el|una?)\s+", re.IGNORECASE)
CONJUNCTION = re.compile(r",\s*(?:(?:and|or|und|y|e|&)\s+)?|\s+(?:and|or|und|y|e|&)\s+", re.IGNORECASE)
"""The words and signs between the values of a list."""
PHONE_DIGITS = range(7, 16)
"""Digits of a telephone number; E.164 allows 15, a card has 16, an IBAN more."""
AGES = range(14, 100)
"""Below, "11" to "How old are you?" is mostly a jest: programs for chats ask for 13 years."""
_ENDS = re.compile(END_SIGNS)
"""The end of a clause, by a sign."""
_THEN: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"\s+(?:near|these|right|again|together|where|alone|when|if|though|also|until|actually|originally|or|"
        r"and|but|so|at|in|for|by|with|from|here|now|who|working|since|on|lol|too|because|as|currently"
        r"|myself|btw|tbh|haha|any ?more|any longer)\b",
        re.IGNORECASE,
    ),
    "de": re.compile(
        r"\s+(?:und|aber|in|im|bei|beim|am|an|für|von|seit|aus|auf|mit|nach|namens|die|der|das|jetzt|hier)\b",
        re.IGNORECASE,
    ),
    "es": re.compile(r"\s+(?:y|pero|en|de|por|para|con|desde|que|aquí|ahora|porque)\b", re.IGNORECASE),
}
"""Words that may stand behind a noun that is complete."""
_TIMED = re.compile(rf"\s+{EXPRESSION}", re.IGNORECASE)
_AFTER_A_PET = re.compile(
    rf"{END_SIGNS}|\s+{EXPRESSION}"
    r"|\s+(?:and|but|so|who|now|too|at home|und|aber|zuhause|zu hause|y|pero|que|en casa)\b",
    re.IGNORECASE,
)
_GOES_ON = re.compile(r"\s+(?:is|was|isn['’]?t|would|makes|sounds|means|seems|ist|war|es|era|fue)\b", re.IGNORECASE)
"""Words behind a value that make it a part of something else: "I live in Madrid was for someone else"."""
_REGION = re.compile(r"\s+(?:area|region|county|metro|side|suburbs)\b", re.IGNORECASE)
"""Words behind a place that is not the value then: "the Dallas area" is not Dallas."""
_WHERE = re.compile(r"\s(?:on|am|an der)\s")
"""Matches a preposition that may be part of the name of a town, but ends the name of an employer: "Aldi an der Kasse".
"""
_NUMBERED = re.compile(r"\s+#?\d")
"""Behind what is neither a place nor an employer: "Level 5"."""
_VAGUE = frozenset({"company", "firm", "firma", "unternehmen", "empresa", "compañía"})
"""Workplaces that tell nothing alone; an "IT company" tells something."""
_FOR_FUN = re.compile(
    r"\s+(?:at heart|in the shower|in training|as a hobby|of sorts|wannabe|by night|(?:at|on)(?: the)? weekends?"
    r"|for (?:a|the) (?:day|night|week)|in (?:a|my|another) (?:\w+ )?life|and (?:i )?didn['’]?t (?:even )?know)\b",
    re.IGNORECASE,
)
"""Words behind a job by which nobody earns their living."""
_DATE = re.compile(r"\d{4}-\d\d-\d\d|\d{1,2}\.\d{1,2}\.\d{4}")
_GENITIVE = re.compile(r"['’]s?\b")
_ABSTRACT = re.compile(r"[^\W\d_]{3,}(?:heit|keit|schaft|nung|tät|ismus|ism|nis)", re.IGNORECASE)
"""Nouns that German writes with a capital like a town: "ich lebe in Hoffnung"."""
_ABSTRACT_GERMAN = re.compile(r"[^\W\d_]{3,}(?:ung|zeit|ion)", re.IGNORECASE)
_SHOUTED = re.compile(r"[a-zß-ÿ]\S* [A-ZÀ-Þ]{2,}$")
"""A word in capitals behind a name: "Rome NOT", "Google LOL"."""
_ACRONYMS = frozenset({"UK", "US", "USA", "UAE", "NYC", "LA", "DC", "NRW", "BW", "CDMX", "EEUU"})
"""Places in capitals; others in capitals are mostly departments: "I'm from HR"."""
BEFORE_A_PLACE = re.compile(f"^{PLACE_ARTICLE}")
_IN_A_PLACE = re.compile(r",? (?:in )?(?P<place>[^\W\d_]+)")
BEFORE_AN_ALLERGEN = re.compile(r"^(?:most|all|some|raw|the|a las?|a los|las?|los|el|al)\s+", re.IGNORECASE)
_CALLS: Mapping[Language, str] = {
    "en": "['’]s name is|,? (?:is )?(?:called|named)"
    "|[,.!] (?:(?:[Hh]er|[Hh]is|[Ii]ts) name|(?:[Ss]?[Hh]e|[Ii]t))(?: is|['’]s)(?: called)?",
    "de": ",? (?:namens|d(?:er|ie|as) heißt|heißt)|[,.!] (?:[Ee]r|[Ss]ie|[Ee]s) heißt",
    "es": "[,.!]? (?:que se llama|[Ss]e llama|llamad[oa])",
}
_CALLED: Mapping[Language, re.Pattern[str]] = {
    language: re.compile(rf"(?:(?:{calls}) | |, (?=[^\W\d_]+[.!]?$))(?P<name>[A-ZÀ-Þ][^\W\d_]+)(?![^\W_])")
    for language, calls in _CALLS.items()
}
"""The words between an animal and its name."""


@dataclass(frozen=True, slots=True)
class Value:
    """A value, perhaps with capitals that its message leaves out, and where it ends in its sentence."""

    text: str
    end: int


@dataclass(frozen=True, slots=True)
class _Read:
    """A value as a pattern read it, and the rest of its sentence."""

    row: Pattern
    text: str
    rest: str
    small: bool
    followed: bool
    """The pattern has words behind the value."""

    @property
    def language(self) -> Language:
        return self.row.language

    def parts(self) -> Iterator[tuple[str, str]]:
        """The text by ever fewer of its words, each with what follows."""
        ends = [match.end() for match in re.finditer(r"\S+", self.text)]
        for end in reversed(ends):
            part = self.text[:end].rstrip(",")
            yield part, self.text[len(part) :] + self.rest

    def whole_parts(self) -> Iterator[str]:
        """Yield those parts behind which a clause ends, or a word that begins another part of it; all of a text that
        ends where its pattern says.
        """
        for part, rest in self.parts():
            if self.row.is_closed or _ENDS.match(rest) or _THEN[self.language].match(rest) or _TIMED.match(rest):
                yield part
            if self.row.is_closed:
                return


def value_of(row: Pattern, match: re.Match[str], sentence: str, *, small: bool) -> Value | None:
    """Return the value if it looks like its kind, perhaps shorter than the pattern read it.

    Args:
        row: the pattern.
        match: what it read.
        sentence: all of the sentence.
        small: True if the message has no capital, so that names have none either.
    """
    text, start = match["value"], match.start("value")
    check = _CHECKS.get(row.kind)
    value = (
        text
        if check is None
        else check(_Read(row, text, sentence[match.end("value") :], small, match.end() > match.end("value")))
    )
    if not value:
        return None
    return Value(value, start + text.casefold().find(value.casefold()) + len(value))


def is_shouted(text: str) -> bool:
    """Return True if a text is written in capitals or as a title, so that a capital tells nothing."""
    if text.isupper():
        return True
    words = re.findall(r"[^\W\d_]{2,}", text)
    capitals = sum(word[0].isupper() for word in words)
    return (len(words) >= 6 and capitals > 0.7 * len(words)) or (len(words) >= 4 and capitals == len(words))


def is_name(name: str, rest: str) -> bool:
    """Return True if words with a capital look like somebody's name: no word of every day, month, language or brand.

    Args:
        name: one word or more.
        rest: what follows.
    """
    for word in name.split():
        low = word.casefold()
        if (
            low in _no_names()
            or low.removesuffix("s") in in_names("brands")
            or len(word) < 2
            or (word.isupper() and len(word) > 2)
        ):
            return False
    if len(name) > 4 and name.endswith("ed"):  # "my mom Googled it"; Jared and Mohammed are missed
        return False
    return not _GENITIVE.match(rest) and not rest.startswith(("-", "/", "@"))


def animal_name(language: Language, rest: str) -> re.Match[str] | None:
    """Return the ``name`` that follows an animal."""
    match = _CALLED[language].match(rest)
    return match if match is not None and is_name(match["name"], rest[match.end() :]) else None


@cache
def _everyday() -> frozenset[str]:
    return in_names("no_names") | ({*WEEKDAYS, *MONTHS} - {"may", "mai", "jan"})


@cache
def _tongues() -> frozenset[str]:
    return listed("en", "languages") | listed("de", "languages") | listed("es", "languages")


@cache
def _no_names() -> frozenset[str]:
    nouns = listed("en", "nationalities") | listed("de", "jobs")
    return _everyday() | in_names("brands") | nouns | _tongues()


def _up_to_the_last_capital(text: str) -> str:
    """The words up to the last with a capital: a pattern reads on over others."""
    words = text.split()
    while words and not words[-1][:1].isupper():
        words.pop()
    return " ".join(words)


def _place(read: _Read) -> str:
    if read.small:
        places = (part for part in read.whole_parts() if part.removeprefix("the ") in in_names("places"))
        return next(places, "").title()
    text = _up_to_the_last_capital(read.text)
    if _REGION.match(read.text[len(text) :] + read.rest) or _NUMBERED.match(read.text[len(text) :] + read.rest):
        return ""
    name = BEFORE_A_PLACE.sub("", text)
    if name != text and read.language != "en" and name.casefold() not in in_names("places"):
        return ""  # German and Spanish put an article before any noun
    first, _, more = name.casefold().partition(" ")
    behind = read.text[len(text) :] + read.rest
    if not name[:1].isupper() or _GENITIVE.match(read.rest) or _GOES_ON.match(behind) or _SHOUTED.search(name):
        return ""
    ends = (_ENDS, _THEN[read.language], _TIMED)
    if not (read.followed or any(each.match(behind) for each in ends)):  # "Mobile homes"
        return ""
    if (
        first in in_names("no_places") | _tongues()
        or name.casefold() in in_names("brands")
        or (not more and first in _everyday())
    ):
        return ""
    if not more and len(name) > 1 and name.isupper() and name not in _ACRONYMS:
        return ""
    return "" if _is_abstract(read.language, name) or name.casefold() in listed(read.language, "jobs") else text


def _is_abstract(language: Language, noun: str) -> bool:
    return bool(_ABSTRACT.fullmatch(noun) or (language == "de" and _ABSTRACT_GERMAN.fullmatch(noun)))


def _known_place(read: _Read) -> str:
    """A place of the list, or one in such a place: people move to databases, too."""
    place = _place(read)
    behind = _IN_A_PLACE.match(read.text[len(place) :] + read.rest)
    names = [BEFORE_A_PLACE.sub("", place), "" if behind is None else behind["place"]]
    return place if in_names("places").intersection(map(str.casefold, names)) else ""


def _organisation(read: _Read) -> str:
    if place := _workplace(read):
        return place
    article = ARTICLE.match(read.text)
    begin = 0 if article is None else article.end()
    name = _up_to_the_last_capital(_WHERE.split(read.text[begin:])[0])
    barred = _everyday() | in_names("no_employers") | in_names("places") | _tongues()
    if not name[:1].isupper() or name.split()[0].casefold() in barred or name.casefold() in barred:
        return ""
    if _GENITIVE.match(read.rest) or _is_abstract(read.language, name) or _SHOUTED.search(name):
        return ""
    return "" if _NUMBERED.match(read.text[begin + len(name) :] + read.rest) else read.text[:begin] + name


def _workplace(read: _Read) -> str:
    """Return a kind of place where people work, with its article."""
    article = ARTICLE.match(read.text)
    for part in () if article is None else read.whole_parts():
        bare = part[article.end() :].casefold() if article else ""
        if {bare, bare.rpartition(" ")[2]} & listed(read.language, "workplaces"):
            return "" if bare in _VAGUE else part
    return ""


def _name(read: _Read) -> str:
    words = read.text.split()
    while len(words) > 1 and words[-1].casefold() in _no_names():
        words.pop()
    name = " ".join(words)
    # "My daughter Sara's birthday" names her, too.
    shown = name != read.text or (read.row.is_of_ones_own and _GENITIVE.match(read.rest))
    return name if read.text.startswith(name) and is_name(name, " " if shown else read.rest) else ""


def _names(read: _Read) -> str:
    *names, last = CONJUNCTION.split(read.text)
    return read.text if all(is_name(name, "") for name in names) and is_name(last, read.rest) else ""


def _job(read: _Read) -> str:
    job = next((part for part in read.whole_parts() if _is_job(read.language, part.casefold())), "")
    return "" if _FOR_FUN.match(read.text[len(job) :] + read.rest) else job


def _is_job(language: Language, text: str) -> bool:
    jobs = listed(language, "jobs")
    if text in jobs:
        return True
    words = re.sub(r"[-–]", " ", text).split()
    if language != "en":
        return len(words) > 1 and words[0] in listed(language, "job_adjectives") and " ".join(words[1:]) in jobs
    heads, kinds = listed("en", "job_heads"), listed("en", "job_kinds")
    for size in (2, 1):
        head, before = " ".join(words[-size:]), words[:-size]
        if all(word in kinds for word in before) and (head in jobs or (bool(before) and head in heads)):
            return True
    return False


def _pet(read: _Read) -> str:
    for part, rest in read.parts():
        if _is_pet(read.language, part.casefold().split()):
            whole = read.row.is_closed or _AFTER_A_PET.match(rest) or animal_name(read.language, rest)
            return part if whole else ""
        if read.row.is_closed:
            return ""
    return ""


def _is_pet(language: Language, words: Sequence[str]) -> bool:
    pets, before = listed(language, "pets"), listed(language, "pet_adjectives") | listed(language, "many")
    return any(
        " ".join(words[-size:]) in pets and all(w in before or w.isdigit() for w in words[:-size]) for size in (2, 1)
    )


def _nationality(read: _Read) -> str:
    is_listed = read.text.casefold() in listed(read.language, "nationalities")
    return read.text if is_listed and _ENDS.match(read.rest) else ""


def _languages(read: _Read) -> str:
    names = listed(read.language, "languages")
    parts = (part for part, _ in read.parts())
    return next((part for part in parts if all(each.casefold() in names for each in CONJUNCTION.split(part))), "")


def _allergens(read: _Read) -> str:
    names = listed(read.language, "allergens")

    def is_known(text: str) -> bool:
        bare = BEFORE_AN_ALLERGEN.sub("", text.casefold())
        return bool({bare, bare.removesuffix("s"), f"{bare}s"} & names)

    parts = (part for part in read.whole_parts() if all(is_known(each) for each in CONJUNCTION.split(part)))
    return next(parts, "")


def _age(read: _Read) -> str:
    return str(int(read.text)) if int(read.text) in AGES and not read.rest.startswith("%") else ""


def _phone(read: _Read) -> str:
    if _DATE.match(read.text):
        return ""
    return read.text if sum(each.isdigit() for each in read.text) in PHONE_DIGITS else ""


def _email(read: _Read) -> str:
    return "" if read.rest.startswith("@") else read.text


_CHECKS: Mapping[str, Callable[[_Read], str]] = {
    "place": _place,
    "org": _organisation,
    "known": _known_place,
    "workplace": _workplace,
    "name": _name,
    "names": _names,
    "fullname": _name,
    "job": _job,
    "pet": _pet,
    "animal": _pet,
    "nationality": _nationality,
    "languages": _languages,
    "allergens": _allergens,
    "allergen": _allergens,
    "age": _age,
    "phone": _phone,
    "email": _email,
}
