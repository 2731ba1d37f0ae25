"""The statements of a message as the next message corrects them: "sorry, May 4" after "my birthday is May 3"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..corrections import ends_there, is_word_alone, opening_of, replaces, retyped
from ..dates import anniversary
from ..proposal import Proposal
from ..window import Line
from .pattern import compiled
from .sentences import with_other_day
from .words import in_names

_YEAR = re.compile(r"(?:19|20)\d\d\b")


def corrections(stated: Sequence[Proposal], line: Line) -> Iterator[Proposal]:
    """The first of what was stated that the message corrects, as it says it.

    Args:
        stated: what the message before states.
        line: the message; of the same person.
    """
    word = retyped(line.text)
    opening = opening_of(line.text)
    if not word and not opening:
        return
    for each in stated:
        old = each.value if each.value in each.content else each.value.rpartition(" ")[2]  # of "dog Rex" the name alone
        if word and old in each.content and replaces(line.text, word, old) and not _is_no_place(each, word):
            yield _with_word(each, old, word, line)
            return
        if each.attribute != "birthday":
            continue
        corrected = _with_year(each, line, len(opening)) or _with_day(each, line, len(opening))
        if corrected is not None:
            yield corrected
            return


def _is_no_place(stated: Proposal, word: str) -> bool:
    """Return whether the correction of where somebody lives is no place: "*Hell" after "I live in Hull"."""
    return stated.attribute == "home" and word.casefold() in in_names("no_places")


def _with_word(stated: Proposal, old: str, word: str, line: Line) -> Proposal:
    alone = is_word_alone(line.text)  # one word states nothing: the words are before it
    return replace(
        stated,
        value=stated.value.replace(old, word),
        content=_replaced(stated, old, word),
        lines=(*stated.lines, line.number) if alone else (line.number,),
        quote=stated.quote if alone else line.text.strip(),
        sentence=line.text,
    )


def _replaced(stated: Proposal, old: str, new: str) -> str:
    """Return the sentence with another value; a name of the speaker that equals the value stays."""
    before, subject, behind = stated.content.partition(stated.subject)
    return before.replace(old, new) + subject + behind.replace(old, new)


def _with_year(stated: Proposal, line: Line, begin: int) -> Proposal | None:
    year = _YEAR.match(line.text, begin)
    if year is None or not stated.value[:4].isdigit() or not ends_there(line.text, year.end()):
        return None
    return replace(
        stated,
        value=f"{year[0]}{stated.value[4:]}",
        content=_replaced(stated, stated.value[:4], year[0]),
        lines=(*stated.lines, line.number),  # the day stands in the one, the year in the other
        quote=line.text.strip(),
        sentence=line.text,
    )


def _with_day(stated: Proposal, line: Line, begin: int) -> Proposal | None:
    match = compiled(r"(?:[^\W\d_]+[!.,]+ )?(?:on |on the |the |am |el )?<=born>").match(line.text, begin)
    day = None if match is None else anniversary(match["value"], line.time)
    if match is None or not day or not ends_there(line.text, match.end()):
        return None
    return replace(
        stated,
        value=day,
        content=with_other_day(stated.content, stated.value, day),
        lines=(line.number,),
        quote=line.text.strip(),
        sentence=line.text,
    )
