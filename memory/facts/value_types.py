"""Compares two values of one attribute, for attributes whose values are of a known kind. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import SequenceMatcher
from functools import lru_cache

from ..text.analyzer import fold
from .value_similarity import Relation, relation, terms_of

_NUMBER = re.compile(r"[0-9]+")
_DAY = re.compile(r"(?:[0-9]{4}|-)-([0-9]{2}-[0-9]{2})$")
_HEAD = re.compile(r"[,;(]|\s(?:in|at|near|by|with|on|from|bei|am|im|nahe|en|cerca|con|de)\s")

_MARITAL: Mapping[str, str] = {
    "single": "single", "solter": "single", "alleinstehend": "single", "ledig": "single",
    "remarried": "remarried", "wieder verheiratet": "remarried",
    "married": "married", "verheiratet": "married", "casad": "married", "husband": "married", "wife": "married",
    "engaged": "engaged", "verlobt": "engaged", "prometid": "engaged",
    "divorce": "divorced", "geschieden": "divorced", "divorciad": "divorced",
    "separated": "separated", "getrennt": "separated", "separad": "separated",
    "widow": "widowed", "verwitwet": "widowed", "viud": "widowed",
    "relationship": "together", "together": "together", "dating": "together", "vergeben": "together",
    "beziehung": "together", "en pareja": "together",
}  # fmt: skip
_DIETS: Mapping[str, str] = {
    "vegetar": "vegetarian", "meat-free": "vegetarian", "vegan": "vegan", "pescatar": "pescatarian",
    "pescetar": "pescatarian", "omnivor": "all", "everything": "all", "flexitar": "flexitarian",
}  # fmt: skip
_KINDS: Mapping[str, Mapping[str, str]] = {"marital_status": _MARITAL, "diet": _DIETS}
_NONE: Mapping[str, str] = {}
WITHOUT_EMPLOYER = frozenset(
    {
        "retired", "unemployed", "pensioner", "jobless", "rentner", "rentnerin", "rente", "ruhestand", "pension",
        "arbeitslos", "jubilado", "jubilada", "jubile", "jubilo",
    }
)  # fmt: skip
"""Occupations without an employer; folded."""
_ANY: Mapping[str, frozenset[str]] = {
    "employer": frozenset(
        {"job", "company", "work", "employer", "firma", "arbeit", "trabajo", "empresa", "jubilo", "jubile", "jubilado"}
        | {"fired", "sacked", "laid", "off", "made", "redundant", "stelle", "arbeitsstelle", "gefeuert", "entlassen"}
        | {"curro", "empleo", "despidieron", "han", "despedido"}
    ),
    "occupation": frozenset({"job", "work", "arbeit", "trabajo"}),
    "partner": frozenset(
        {
            "partner", "boyfriend", "girlfriend", "husband", "wife", "freund", "freundin", "mann", "frau", "novio",
            "novia",
        }
    ),
    "car": frozenset({"car", "auto", "coche", "wagen"}),
    "pet": frozenset({"pet", "pets", "haustier", "haustiere", "mascota", "mascotas", "animals"}),
    "study": frozenset(
        {"studies", "studium", "uni", "university", "college", "degree", "course", "masters", "master's", "master"}
        | {"bachelors", "bachelor's", "bachelor", "phd", "graduated", "carrera", "gradue", "licencie"}
    ),
    "home": frozenset({"home"}),
    "phone": frozenset({"phone", "telephone", "telefon"}),
    "diet": frozenset({"diet"}),
}  # fmt: skip
_ANY_PLAN = """
go going fly flying move moving travel travelling trip holiday vacation visit visiting start starting get
getting tour journey plan plans leave leaving drive driving spend big whole first next last this week month
year weekend summer winter spring autumn back our my we i january february march april may june july august
september october november december monday tuesday wednesday thursday friday saturday sunday fliege fliegen
fahre fahren ziehe ziehen reise reisen gehe gehen nach wir ich im am doch nicht jetzt viaje voy vamos me nos
viajo viajamos vuelo a en el
"""
_OF_ANY_PLAN = frozenset(term for word in _ANY_PLAN.split() for term in terms_of(word))
"""Words on time and manner that any plan may contain; stemmed."""
_SCHOOLS = frozenset(
    {
        "school", "uni", "university", "college", "degree", "course", "studies", "studium", "ausbildung", "lehre",
        "carrera",
    }
    | {"the", "my", "das", "die", "mein", "meine", "la", "el"}
)  # fmt: skip
"""Words of a course of study that name no subject."""
_SUBJECT_ENDING = re.compile(r"(?<=[^\W\d_]{3})(?:studium|ausbildung|lehre)$")
_SHORTEST_KIND = 4
_ARTICLE = re.compile(
    r"(?:the|an?|my|our|der|die|das|den|mein(?:e[nrs]?)?|unser(?:e[nrs]?)?|el|la|los|las|mis?|nuestr[oa]s?)\s+",
    re.IGNORECASE,
)
_SHOPS = frozenset({"shop", "store"})
_NO_SHOPS = frozenset({"workshop", "photoshop", "sweatshop"})
_OTHER_IN_COMPOUNDS = frozenset({"haus", "hauser", "hof", "zeug", "werk", "stuck"})
"""Second parts of German compounds that often denote another kind: a "Gewächshaus" is no house."""
_MISTYPED = 0.6
"""The share of common letters from which on a value may be a misspelling of another."""
_DONE = frozenset({"habit"})
"""Attributes of activities, which are named by a verb in various forms."""
_VERB_ENDING = re.compile(r"(?<=[^\W\d_]{3})(?:en|e|ar|er|ir|o|amos|emos|imos|ando|iendo)$")
_ANY_WORDS = frozenset({"any", "anyone", "anything", "anybody", "none", "nothing", "nobody"})


@lru_cache(maxsize=65_536)
def compare_values(attribute: str, value: str, earlier: str) -> Relation:
    """Return the relation of two values as `value_similarity.relation` does, with the knowledge of the attribute;
    ``other`` is then certain, see `are_exclusive`.
    """
    if attribute == "favourite":
        return relation(_which(value), _which(earlier))
    if attribute == "phone":
        return _numbers_of(value, earlier)
    if attribute == "email":
        return "same" if value.strip().casefold() == earlier.strip().casefold() else "other"
    if attribute == "birthday":
        return _days_of(value, earlier)
    if attribute == "age":
        new, old = _NUMBER.search(value), _NUMBER.search(earlier)
        return (
            ("same" if int(new.group()) == int(old.group()) else "other") if new and old else relation(value, earlier)
        )
    kinds = _kinds(attribute, value, earlier)
    if kinds is not None:
        return "same" if kinds[0] == kinds[1] else "other"
    closeness = relation(value, earlier)
    return "same" if closeness == "other" and attribute in _DONE and _stems(value) == _stems(earlier) else closeness


def _stems(value: str) -> frozenset[str]:
    """Return the words without the endings of German and Spanish verbs: giving up "rauchen" ends "ich rauche"."""
    return frozenset(_VERB_ENDING.sub("", word) for word in fold(value).split())


def are_exclusive(attribute: str, value: str, earlier: str) -> bool:
    """Return whether two different values can certainly not both hold."""
    if attribute == "age":
        new, old = _NUMBER.search(value), _NUMBER.search(earlier)
        return new is not None and old is not None and int(new.group()) > int(old.group())
    if attribute == "birthday":
        return _DAY.match(value.strip()) is not None and _DAY.match(earlier.strip()) is not None
    if attribute == "occupation" and is_without_employer(value) != is_without_employer(earlier):
        return True
    kinds = _kinds(attribute, value, earlier)
    return kinds is not None and kinds[0] != kinds[1]


@lru_cache(maxsize=4096)
def kind_of(attribute: str, value: str) -> str:
    """Return the canonical word for a marital status or diet; empty for an unknown one."""
    table = _KINDS.get(attribute, _NONE)
    folded = fold(value)
    return next((kind for word, kind in table.items() if word in folded), "")


def names_anything(attribute: str, value: str) -> bool:
    """Return whether a denied value names nothing specific: no job, no pets, nobody."""
    words = frozenset(fold(value).split())
    general_words = _ANY.get(attribute, frozenset[str]()) | _ANY_WORDS
    return bool(words) and words <= general_words | {"a", "an", "the", "my", "our", "kein", "keine"}


def is_without_employer(occupation: str) -> bool:
    """Return whether the occupation has no employer."""
    return not WITHOUT_EMPLOYER.isdisjoint(fold(occupation).split())


def names_subject(value: str, study: str) -> bool:
    """Return whether a dropped value names the subject of a study, with any word for the institution: "nursing school",
    "das Jurastudium".
    """
    named = frozenset(_SUBJECT_ENDING.sub("", term) for term in fold(value).split()) - _SCHOOLS
    return bool(named) and terms_of(" ".join(named)) <= terms_of(study)


def is_kind_of(value: str, earlier: str) -> bool:
    """Return whether a value of one word is the last word of the other, or the second part of a compound: "the shop"
    for a "bookshop".

    German writes any two nouns as one word; in English only "shop" keeps its meaning in nearly all compounds.
    """
    called = _ARTICLE.sub("", value.strip())
    kind = fold(called).strip()
    if " " in kind or len(kind) < _SHORTEST_KIND:
        return False
    thing = _HEAD.split(fold(earlier))[0].split()
    if not thing:
        return False
    *_, whole = thing
    if re.search(rf"(?<![^\W_]){re.escape(kind)}$", whole):
        return True
    compounds = kind in _SHOPS or (called[0].isupper() and kind not in _OTHER_IN_COMPOUNDS)
    return compounds and whole.endswith(kind) and whole not in _NO_SHOPS


def may_be_mistyped(value: str, earlier: str) -> bool:
    """Return whether one value may be a misspelling of the other."""
    return SequenceMatcher(None, fold(value), fold(earlier)).ratio() >= _MISTYPED


def calls_off(value: str, plan: str) -> bool:
    """Return whether the called-off or postponed value is that plan: all words beside those on time and manner occur in
    the plan.
    """
    named = _core(value)
    return bool(named) and named <= _core(plan)


def _core(plan: str) -> frozenset[str]:
    return frozenset(term for term in terms_of(plan) if term not in _OF_ANY_PLAN and not term.isdigit())


def elaborates_from_front(value: str, earlier: str) -> bool:
    """Return whether the longer value is the shorter one behind a word for its kind: "dog Rufus" is "Rufus"."""
    return value.casefold().split()[-len(earlier.split()) :] == earlier.casefold().split()


def elaborates(value: str, earlier: str) -> bool:
    """Return whether the longer of two values is the shorter one with an addition behind it: "Lisbon, near the river"."""
    long, short = (value, earlier) if len(terms_of(value)) >= len(terms_of(earlier)) else (earlier, value)
    return any(terms_of(long[: match.start()]) == terms_of(short) for match in _HEAD.finditer(long) if match.start())


def may_be_same(value: str, earlier: str) -> bool:
    """Return whether two values without a common word may be one: a short form of a name, initials, or a name and a
    description ("a bank", "Sparda").
    """
    short, long = sorted((fold(value).strip(), fold(earlier).strip()), key=len)
    initials = "".join(word[0] for word in long.split())
    if (len(short) >= 3 and long.startswith(short)) or (len(short) >= 2 and short == initials):
        return True
    return _vague(value) != _vague(earlier)


def _vague(value: str) -> bool:
    """Return whether a value is a description without a name."""
    return fold(value).startswith(("a ", "an ", "ein ", "eine ", "einem ", "einer ", "un ", "una ", "alone", "allein"))


def details_differ(value: str, earlier: str) -> bool:
    """Return whether two values differ only in numbers, days and months, and each has its own."""
    new, old = terms_of(value), terms_of(earlier)
    return bool(new - old) and bool(old - new) and all(term in DETAILS or term.isdigit() for term in new ^ old)


DETAILS = terms_of(
    "one two three four five six seven eight nine ten twice once times first second half monday tuesday wednesday thursday "
    "friday saturday sunday january february march april may june july august september october november december "
    "montag dienstag mittwoch donnerstag freitag samstag sonntag januar februar marz mai juni juli oktober dezember "
    "eins zwei drei vier funf sechs lunes martes miercoles jueves viernes sabado domingo enero febrero marzo abril mayo "
    "junio julio agosto septiembre octubre noviembre diciembre dos tres cuatro cinco tomorrow today tonight morning evening"
)
"""Stems of words that change the time or the amount of a thing."""


def _which(favourite: str) -> str:
    """Return the part behind the colon: "blue" of "colour: blue"."""
    return favourite.partition(":")[2] or favourite


def _numbers_of(value: str, earlier: str) -> Relation:
    new, old = ("".join(_NUMBER.findall(each)).lstrip("0") for each in (value, earlier))
    long, short = (new, old) if len(new) >= len(old) else (old, new)
    return "same" if long == short or (len(short) >= 7 and long.endswith(short)) else "other"


def _days_of(value: str, earlier: str) -> Relation:
    new, old = _DAY.match(value.strip()), _DAY.match(earlier.strip())
    if new is None or old is None or value[:1] == "-" or earlier[:1] == "-":
        return relation(value, earlier) if new is None or old is None else _same(new.group(1), old.group(1))
    return _same(value.strip(), earlier.strip())


def _same(value: str, earlier: str) -> Relation:
    return "same" if value == earlier else "other"


def _kinds(attribute: str, value: str, earlier: str) -> tuple[str, str] | None:
    if attribute not in _KINDS:
        return None
    kinds = kind_of(attribute, value), kind_of(attribute, earlier)
    return kinds if all(kinds) else None
