"""The sentence of a fact: about the person by name, in the language of the message, with the articles that it needs."""

from __future__ import annotations

import re
from collections.abc import Mapping

from .pattern import Pattern
from .words import listed

_ARTICLE = re.compile(r"(?:an?|another|eine[nr]?|ein|nen|ne|una?) $", re.IGNORECASE)
_RELATIVES = {"hubby": "husband", "bf": "boyfriend", "gf": "girlfriend", "mommy": "mum", "mummy": "mum", "daddy": "dad"}
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
    return row.says.format(s=speaker, v=f"{text} {named}".strip(), a=whole, r=relative)


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
