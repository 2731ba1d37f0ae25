"""Questions, and what a short answer to each of them states: "Porto" to "Where do you live now?"."""

from __future__ import annotations

import re
from functools import cache

from .pattern import Language, Pattern

_YES = "(?:(?:yes|yeah|oh|well|um+|hm+|ja|sí|si|pues|bueno)[,.! ]+)?"
_END = r"(?=\s*(?:$|[,.!;…]|[^\w\s'’]))"
_HOME, _FROM = (
    {"en": "{s} lives in {v}.", "de": "{s} wohnt in {v}.", "es": "{s} vive en {v}."},
    {
        "en": "{s} comes from {v}.",
        "de": "{s} kommt aus {v}.",
        "es": "{s} es de {v}.",
    },
)
_TABLE: tuple[tuple[Language, str, str, str, str], ...] = (
    (
        "en",
        "home",
        r"where (?:do you|are you guys|are you) (?:guys )?(?:live|living|based)(?: now| these days)?",
        "(?:in )?<=place>",
        _HOME["en"],
    ),
    (
        "de",
        "home",
        r"wo (?:genau )?(?:wohnst|lebst) du|wo (?:wohnt|lebt) ihr|wo wohnen sie",
        "(?:in )?<=place>",
        _HOME["de"],
    ),
    ("es", "home", r"d[oó]nde (?:viv[ií]s|vives|vive usted|viven)", "(?:en )?<=place>", _HOME["es"]),
    ("en", "origin", r"where are you (?:guys )?(?:originally )?from", "(?:from )?<=place>", _FROM["en"]),
    ("de", "origin", r"woher kommst du|wo kommst du her", "(?:aus )?<=place>", _FROM["de"]),
    ("es", "origin", r"de d[oó]nde (?:eres|sos)", "(?:de )?<=place>", _FROM["es"]),
    (
        "en",
        "occupation",
        r"what do you do(?: for (?:a living|work))?\??$|what(?:['’]s| is) your job",
        "(?:<im> )?(?:an? )?<=job>",
        "{s} is {a}.",
    ),
    (
        "de",
        "occupation",
        r"was machst du (?:so )?beruflich|was arbeitest du|was bist du von beruf",
        "(?:ich bin |bin )?<=job>",
        "{s} ist {v}.",
    ),
    ("es", "occupation", r"a qu[eé] te dedicas|en qu[eé] trabajas", "(?:soy )?<=job>", "{s} es {v}."),
    (
        "en",
        "birthday",
        r"when(?:['’]?s| is) your (?:birthday|bday)",
        "(?:on |it['’]?s )?<=born>",
        "{s}'s birthday is {v}.",
    ),
    (
        "de",
        "birthday",
        r"wann hast du geburtstag|wann ist dein geburtstag",
        "(?:am )?<=born>",
        "{s} hat am {v} Geburtstag.",
    ),
    (
        "es",
        "birthday",
        r"cu[aá]ndo es tu cumple|cu[aá]ndo cumples",
        "(?:el )?<=born>",
        "El cumpleaños de {s} es el {v}.",
    ),
    ("en", "age", r"how old are you", "(?:<im> )?<=age>(?: years old)?", "{s} is {v} years old."),
    ("de", "age", r"wie alt bist du", "(?:ich bin |bin )?<=age>(?: jahre(?: alt)?)?", "{s} ist {v} Jahre alt."),
    ("es", "age", r"cu[aá]ntos años tienes", "(?:tengo )?<=age>(?: años)?", "{s} tiene {v} años."),
    (
        "en",
        "phone",
        r"what(?:['’]?s| is) your (?:new )?(?:phone |mobile )?number",
        "(?:it['’]?s )?<=phone>",
        "{s}'s phone number is {v}.",
    ),
    ("de", "phone", r"wie ist deine (?:neue )?(?:handy)?nummer", "<=phone>", "Die Nummer von {s} ist {v}."),
    (
        "es",
        "phone",
        r"cu[aá]l es tu (?:n[uú]mero|tel[eé]fono|m[oó]vil)",
        "(?:es el )?<=phone>",
        "El teléfono de {s} es {v}.",
    ),
    (
        "en",
        "email",
        r"what(?:['’]?s| is) your (?:new )?e-?mail",
        "(?:it['’]?s )?<=email>",
        "{s}'s e-mail address is {v}.",
    ),
    (
        "en",
        "name",
        r"what(?:['’]?s| is) your (?:full )?name",
        "(?:<im> |it['’]?s |my name is )?<=fullname>",
        "{s} is called {v}.",
    ),
    ("de", "name", r"wie hei(?:ß|ss)(?:t du|en sie)", "(?:ich heiße |ich bin )?<=fullname>", "{s} heißt {v}."),
    ("es", "name", r"c[oó]mo te llamas", "(?:me llamo )?<=fullname>", "{s} se llama {v}."),
)


@cache
def _compiled() -> tuple[re.Pattern[str], tuple[tuple[re.Pattern[str], Pattern], ...]]:
    rows = tuple(
        (re.compile(rf"\b(?:{asked})", re.IGNORECASE), Pattern(attribute, "", f"{_YES}{answer}{_END}", says, language))
        for language, attribute, asked, answer, says in _TABLE
    )
    return re.compile("|".join(f"(?:{asked})" for _, _, asked, _, _ in _TABLE), re.IGNORECASE), rows


def answers_to(question: str) -> list[Pattern]:
    """Return what an answer to a message may state, if its last sentence asks one of the questions."""
    if "?" not in question and "¿" not in question:
        return []
    last = re.split(r"(?<=[.!?…])\s+", question.strip())[-1]
    any_question, rows = _compiled()
    if any_question.search(last) is None:
        return []
    return [row for asked, row in rows if asked.search(last)]
