"""Questions, and what a short answer to each of them states: "Porto" to "Where do you live now?"."""

from __future__ import annotations

import re
from functools import cache

from .pattern import Language, Pattern

_YES = "(?:(?:yes|yeah|oh|well|um+|hm+|ja|sí|si|pues|bueno)[,.! ]+)?"
_END = r"(?=\s*(?:$|[,.!;…]|[^\w\s'’]))"
_TABLE: tuple[tuple[Language, str, str, str], ...] = (
    (
        "en",
        "home",
        r"where (?:do you|are you guys|are you) (?:guys )?(?:live|living|based)(?: now| these days)?",
        "(?:in )?<=place>",
    ),
    ("de", "home", r"wo (?:genau )?(?:wohnst|lebst) du|wo (?:wohnt|lebt) ihr|wo wohnen sie", "(?:in )?<=place>"),
    ("es", "home", r"d[oó]nde (?:viv[ií]s|vives|vive usted|viven)", "(?:en )?<=place>"),
    ("en", "origin", r"where are you (?:guys )?(?:originally )?from", "(?:from )?<=place>"),
    ("de", "origin", r"woher kommst du|wo kommst du her", "(?:aus )?<=place>"),
    ("es", "origin", r"de d[oó]nde (?:eres|sos)", "(?:de )?<=place>"),
    (
        "en",
        "occupation",
        r"what do you do(?: for (?:a living|work))?\??$|what(?:['’]s| is) your job",
        "(?:<im> )?(?:an? )?<=job>",
    ),
    (
        "de",
        "occupation",
        r"was machst du (?:so )?beruflich|was arbeitest du|was bist du von beruf",
        "(?:ich bin |bin )?<=job>",
    ),
    ("es", "occupation", r"a qu[eé] te dedicas|en qu[eé] trabajas", "(?:soy )?<=job>"),
    ("en", "birthday", r"when(?:['’]?s| is) your (?:birthday|bday)", "(?:on |it['’]?s )?<=born>"),
    ("de", "birthday", r"wann hast du geburtstag|wann ist dein geburtstag", "(?:am )?<=born>"),
    ("es", "birthday", r"cu[aá]ndo es tu cumple|cu[aá]ndo cumples", "(?:el )?<=born>"),
    ("en", "age", r"how old are you", "(?:<im> )?<=age>(?: years old)?"),
    ("de", "age", r"wie alt bist du", "(?:ich bin |bin )?<=age>(?: jahre(?: alt)?)?"),
    ("es", "age", r"cu[aá]ntos años tienes", "(?:tengo )?<=age>(?: años)?"),
    ("en", "phone", r"what(?:['’]?s| is) your (?:new )?(?:phone |mobile )?number", "(?:it['’]?s )?<=phone>"),
    ("de", "phone", r"wie ist deine (?:neue )?(?:handy)?nummer", "<=phone>"),
    ("es", "phone", r"cu[aá]l es tu (?:n[uú]mero|tel[eé]fono|m[oó]vil)", "(?:es el )?<=phone>"),
    ("en", "email", r"what(?:['’]?s| is) your (?:new )?e-?mail", "(?:it['’]?s )?<=email>"),
    ("en", "name", r"what(?:['’]?s| is) your (?:full )?name", "(?:<im> |it['’]?s |my name is )?<=fullname>"),
    ("de", "name", r"wie hei(?:ß|ss)(?:t du|en sie)", "(?:ich heiße |ich bin )?<=fullname>"),
    ("es", "name", r"c[oó]mo te llamas", "(?:me llamo )?<=fullname>"),
)


@cache
def _compiled() -> tuple[re.Pattern[str], tuple[tuple[re.Pattern[str], Pattern], ...]]:
    rows = tuple(
        (
            re.compile(rf"\b(?:{question})", re.IGNORECASE),
            Pattern(attribute, "", f"{_YES}{answer}{_END}", language=language),
        )
        for language, attribute, question, answer in _TABLE
    )
    return re.compile("|".join(f"(?:{question})" for _, _, question, _ in _TABLE), re.IGNORECASE), rows


def answers_to(question: str) -> list[Pattern]:
    """Return what an answer to a message may state, if its last sentence asks one of the questions."""
    if "?" not in question and "¿" not in question:
        return []
    last = re.split(r"(?<=[.!?…])\s+", question.strip())[-1]
    any_question, rows = _compiled()
    if any_question.search(last) is None:
        return []
    return [row for pattern, row in rows if pattern.search(last)]
