"""The sentence of a fact: about the person by name, in the language of the message, with the articles that it needs."""

from __future__ import annotations

import re
from collections.abc import Mapping

from .pattern import Language, Pattern
from .words import listed

_ARTICLE = re.compile(r"(?:an?|another|eine[nr]?|ein|nen|ne|una?) $", re.IGNORECASE)
_RELATIVES = {
    "hubby": "husband", "bf": "boyfriend", "gf": "girlfriend", "mommy": "mum", "mummy": "mum", "daddy": "dad",
    "kids": "child", "children": "child", "sons": "son", "daughters": "daughter", "brothers": "brother",
    "sisters": "sister",
}  # fmt: skip
_ONE_OF: Mapping[str, str] = {
    "kinder": "Ein Kind", "söhne": "Ein Sohn", "töchter": "Eine Tochter", "brüder": "Ein Bruder",
    "schwestern": "Eine Schwester", "hijos": "Un hijo", "hijas": "Una hija", "hermanos": "Un hermano",
    "hermanas": "Una hermana",
}  # fmt: skip
SAYS: Mapping[Language, Mapping[str, str]] = {
    "en": {
        "age": "{s} is {v} years old.",
        "allergy": "{s} is allergic to {v}.",
        "not allergy": "{s} is not allergic to {v}.",
        "birthday": "{s}'s birthday is {v}.",
        "diet": "{s} is {v}.",
        "not diet": "{s} is not {v}.",
        "email": "{s}'s e-mail address is {v}.",
        "employer": "{s} works at {v}.",
        "not employer": "{s} no longer works at {v}.",
        "past employer": "{s} used to work at {v}.",
        "home": "{s} lives in {v}.",
        "not home": "{s} no longer lives in {v}.",
        "past home": "{s} used to live in {v}.",
        "language": "{s} speaks {v}.",
        "not language": "{s} does not speak {v}.",
        "name": "{s} is called {v}.",
        "not occupation": "{s} is no longer {a}.",
        "occupation": "{s} is {a}.",
        "past occupation": "{s} used to be {a}.",
        "origin": "{s} comes from {v}.",
        "not partner": "{s} is no longer with {v}.",
        "relative": "{s}'s {r} is called {v}.",
        "not pet": "{s} no longer has {v}.",
        "pet": "{s} has {a}.",
        "phone": "{s}'s phone number is {v}.",
    },
    "de": {
        "age": "{s} ist {v} Jahre alt.",
        "allergy": "{s} ist gegen {v} allergisch.",
        "birthday": "{s} hat am {v} Geburtstag.",
        "diet": "{s} isst {v}.",
        "not diet": "{s} ist nicht mehr {v}.",
        "email": "Die E-Mail-Adresse von {s} ist {v}.",
        "employer": "{s} arbeitet {p} {v}.",
        "not employer": "{s} arbeitet nicht mehr {p} {v}.",
        "home": "{s} wohnt in {v}.",
        "not home": "{s} wohnt nicht mehr in {v}.",
        "past home": "{s} hat früher in {v} gewohnt.",
        "language": "{s} spricht {v}.",
        "name": "{s} heißt {v}.",
        "not occupation": "{s} ist nicht mehr {v}.",
        "occupation": "{s} ist {v}.",
        "origin": "{s} kommt aus {v}.",
        "not partner": "{s} ist nicht mehr mit {v} zusammen.",
        "relative": "{r} von {s} heißt {v}.",
        "not pet": "{s} hat k{a} mehr.",
        "pet": "{s} hat {a}.",
        "phone": "Die Nummer von {s} ist {v}.",
    },
    "es": {
        "age": "{s} tiene {v} años.",
        "allergy": "{s} tiene alergia a {v}.",
        "birthday": "El cumpleaños de {s} es el {v}.",
        "diet": "{s} es {v}.",
        "not diet": "{s} ya no es {v}.",
        "email": "El correo de {s} es {v}.",
        "employer": "{s} trabaja en {v}.",
        "not employer": "{s} ya no trabaja en {v}.",
        "home": "{s} vive en {v}.",
        "not home": "{s} ya no vive en {v}.",
        "past home": "{s} vivía antes en {v}.",
        "language": "{s} habla {v}.",
        "name": "{s} se llama {v}.",
        "not occupation": "{s} ya no es {v}.",
        "occupation": "{s} es {v}.",
        "origin": "{s} es de {v}.",
        "not partner": "{s} ya no está con {v}.",
        "relative": "{r} de {s} se llama {v}.",
        "not pet": "{s} ya no tiene {a}.",
        "pet": "{s} tiene {a}.",
        "phone": "El teléfono de {s} es {v}.",
    },
}
"""The sentences of rows that have none of their own, by language and attribute ("not " before an attribute that ended,
"past " before a former one): ``{s}`` is the speaker, ``{v}`` the value, ``{a}`` the value with its article, ``{r}``
the relative that the group ``who`` names, ``{p}`` the preposition ``at``.
"""
_MONTHS: Mapping[str, tuple[str, ...]] = {
    "en": (
        "January", "February", "March", "April", "May", "June",
        "July", "August", "September", "October", "November", "December",
    ),
    "de": (
        "Januar", "Februar", "März", "April", "Mai", "Juni",
        "Juli", "August", "September", "Oktober", "November", "Dezember",
    ),
    "es": (
        "enero", "febrero", "marzo", "abril", "mayo", "junio",
        "julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre",
    ),
}  # fmt: skip


def says(row: Pattern) -> str:
    """Return the form of the sentences of a row."""
    table = SAYS[row.language]
    when = "not " if row.negated else "past " if row.time == "past" else ""
    return row.says or table.get(when + row.attribute) or table["relative"]


def sentence_of(row: Pattern, speaker: str, value: str, match: re.Match[str], named: str) -> str:
    """Return the sentence.

    Args:
        row: what read the message.
        speaker: whose fact it is.
        value: as it stands in the message; of a birthday the day, ``--MM-DD`` or ``YYYY-MM-DD``.
        match: what the row read.
        named: the name of an animal; empty if it has none.
    """
    text = _day(row.language, value) if row.attribute == "birthday" else value
    relative = _relative(row.language, match.groupdict().get("who") or "")
    single = bool(named) or _ARTICLE.search(match.string[match.start() : match.start("value")]) is not None
    whole = _with_article(row, text, single=single)
    if named:
        whole += {"en": " called ", "de": " namens ", "es": " que se llama "}[row.language] + named
    at = match.groupdict().get("at") or ""
    return says(row).format(s=speaker, v=f"{text} {named}".strip(), a=whole, r=relative, p=at)


def _with_article(row: Pattern, text: str, *, single: bool) -> str:
    first = text.split(maxsplit=1)[0].casefold()
    if not single and row.attribute == "pet" and (first in listed(row.language, "many") or _plural(row, text)):
        return text
    if row.language == "en":
        return f"{'an' if text[:1].casefold() in 'aeiou' else 'a'} {text}"
    if row.attribute != "pet":
        return text
    head = text.rsplit(maxsplit=1)[-1].casefold()
    if row.language == "es":
        return f"{'una' if first.endswith('a') else 'un'} {text}"
    if head in listed("de", "animals_feminine"):
        return f"eine {text}"
    return f"{'ein' if head in listed('de', 'animals_neuter') else 'einen'} {text}"


def _plural(row: Pattern, text: str) -> bool:
    """Return True if an animal that stands without an article is more than one."""
    word = text.rsplit(maxsplit=1)[-1].casefold()
    if row.language == "de":
        return word in listed("de", "animals_many")
    return word.endswith("s") or word in ("mice", "geese", "bees", "sheep", "fish", "peces")


def _relative(language: str, word: str) -> str:
    low = word.casefold()
    if language == "en":
        return _RELATIVES.get(low, low)
    if low in _ONE_OF:
        return _ONE_OF[low]
    if language == "de":
        return f"{'Die' if low in listed('de', 'feminine_kin') else 'Der'} {word[:1].upper()}{word[1:]}" if word else ""
    return f"{'La' if low in listed('es', 'feminine_kin') else 'El'} {low}" if word else ""


def with_other_day(sentence: str, old: str, new: str) -> str:
    """Return the sentence of a birthday with another day, each ``--MM-DD`` or ``YYYY-MM-DD``."""
    for language in _MONTHS:
        sentence = sentence.replace(_day(language, old), _day(language, new))
    return sentence


def _day(language: str, value: str) -> str:
    """``--05-03`` as "3 May"."""
    year, month, day = value[:-6].strip("-"), int(value[-5:-3]), int(value[-2:])
    name = _MONTHS[language][month - 1]
    if language == "en":
        return f"{day} {name} {year}".strip()
    if language == "de":
        return f"{day}. {name} {year}".strip()
    return f"{day} de {name}" + (f" de {year}" if year else "")
