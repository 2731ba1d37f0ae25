"""Facts as lines for people."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TextIO

from .terminal import TerminalStyle, columns_of, joined, one_line, width_of, wrapped
from .wall_clock import local_time

SHORT_ID = 8
"""Characters of an id that are shown."""
LONGEST_QUOTE = 200
"""Columns of a quote."""
SHORTEST_QUOTE = 18
"""Columns that a long quote has in a narrow window, too."""
SHORTEST_NAME = 10
"""Columns that a long name has there."""


def grouped_fact_lines(
    facts: Sequence[Mapping[str, Any]], *, of: str = "", ids: bool = False, stream: TextIO | None = None
) -> Iterator[str]:
    """Facts under two headings: what is known, and what was said once and only rules read.

    Args:
        facts: as an answer holds them.
        of: what the headings add, such as "as of 2023-06-01".
        ids: with their ids.
        stream: where the lines go: standard output where it is not given.
    """
    for heading, confirmed in (("known", True), ("said", False)):
        group = [fact for fact in facts if bool(fact.get("confirmed")) == confirmed]
        if group:
            yield TerminalStyle(stream or sys.stdout).dim(f"{heading} {of}".rstrip() + ":")
        for fact in group:
            yield from fact_lines(fact, ids=ids, stream=stream)


def fact_lines(fact: Mapping[str, Any], *, ids: bool = False, stream: TextIO | None = None) -> Iterator[str]:
    """A fact, as an answer holds it: a sentence, then the words it rests on, with who said them and when; with ids a third line,
    where it has to do with other facts.
    """
    out = stream or sys.stdout
    paint, columns = TerminalStyle(out), columns_of(out)
    notes = _notes(fact)
    for line in wrapped(one_line(_headed(fact)) + (f" ({', '.join(notes)})" if notes else ""), "", columns):
        yield paint.bold(line)
    quotes = [one_line(evidence["quote"]) for evidence in fact["evidence"]]
    who = _who(fact, paint.line_columns - len("    “”") - min(SHORTEST_QUOTE, width_of("".join(quotes[-1:]))), ids=ids)
    room = min(LONGEST_QUOTE, max(SHORTEST_QUOTE, paint.line_columns - len("    “”") - width_of(who)))
    quote = f"“{cut_at_word(quotes[-1], room)}”" if quotes else ""
    yield f"    {quote}{who}" if quote else f"   {who}"
    if ids:
        for more in _more(fact):
            yield from map(paint.dim, joined(more.split(), " ", "      ", paint.line_columns, first="    "))


def _who(fact: Mapping[str, Any], room: int, *, ids: bool) -> str:
    """Return the speaker and the time, in at most ``room`` columns where a short name fits: of several days, in little
    room the last.
    """
    last, first = local_time(fact["observed_at"])[:10], local_time(_first(fact))[:10]
    ending = f" · {short(fact['id'])}" if ids else ""
    days = last if first == last else f"{last}, first {first}"
    if width_of(f" — {one_line(fact['speaker'], SHORTEST_NAME)}, {days}{ending}") > room:
        days = last
    said = f", {days}{ending}"
    speaker = one_line(fact["speaker"], min(40, max(SHORTEST_NAME, room - width_of(f" — {said}"))))
    return f" — {speaker}{said}" if speaker else f" — {said[2:]}"


def short(identifier: object) -> str:
    """The beginning of an id, which the commands that take ids take."""
    return one_line(identifier)[:SHORT_ID]


def cut_at_word(line: str, limit: int) -> str:
    """At most ``limit`` columns of a line, cut after a word where it has more than one."""
    cut = one_line(line, limit)
    if cut == line or " " not in cut or line[len(cut) - 1 : len(cut)].isspace():
        return cut
    return cut[: cut.rindex(" ")].rstrip(" ,;:–-") + "…"


def refused_lines(refused: Mapping[str, Any]) -> Iterator[str]:
    """Yield a few lines on a refused fact: the reason, the proposal, and the words it cites."""
    paint = TerminalStyle(sys.stdout)
    columns = columns_of(sys.stdout)
    denied = "not " if refused["negated"] else ""
    told = f"{one_line(refused['subject'], 40)} — {one_line(refused['attribute'], 40)}: {denied}{refused['value']}"
    for line in wrapped(f"{refused['reason']}: {told}", "", columns):
        yield paint.bold(line)
    if refused["quote"]:
        yield from wrapped(f"“{one_line(refused['quote'], 200)}”", "    │ ", columns)
    notes = [f"said by {one_line(refused['speaker'], 40)}"] if refused["speaker"] else []
    notes += [one_line(refused["document_id"], 60), *map(one_line, refused["message_ids"][:1])]
    for line in joined(notes, " · ", "      ", paint.line_columns, first="    — "):
        yield paint.dim(line)


def _headed(fact: Mapping[str, Any]) -> str:
    """Return the content of a fact, with its subject if the content does not name it: facts from other languages than
    English keep their wording, “vivo en Roma”.
    """
    content, subject = str(fact["content"]), one_line(fact["subject"], 40)
    named = any(_stands_in(word, content.casefold()) for word in subject.casefold().split())
    return content if named or not subject else f"{subject}: {content}"


def _stands_in(word: str, text: str) -> bool:
    """Return whether a word occurs in a text, as a whole word where its script has blanks: Ann is not in "planning"."""
    return bool(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text)) if word.isascii() else word in text


def _notes(fact: Mapping[str, Any]) -> list[str]:
    """Return the notes on a fact besides its first mention: its status, its begin and end, its qualifications."""
    notes = [one_line(fact["status"])] if fact.get("status", "active") != "active" else []
    notes += ["was over when it was said"] if fact.get("history") else []
    notes += ["beside another"] if fact.get("beside") else []
    begin, until = _when(fact.get("valid_from"))[:10], _when(fact.get("valid_to"))[:10]
    if begin and fact["attribute"] != "plan" and fact["valid_from"] != _first(fact):
        notes.append(f"since {begin}")
    notes += [f"until {until}"] if until else []
    return [*notes, "due, unknown whether it happened"] if fact.get("due") else notes


def _first(fact: Mapping[str, Any]) -> str:
    return fact.get("first_observed_at") or fact["observed_at"]


def _when(time: str | None) -> str:
    """A time by the clock here; of one that begins a day where it was said, the day: “in September” means no hour."""
    return time[:10] if time and _MIDNIGHT.match(time) else local_time(time)


_MIDNIGHT = re.compile(r".{10}T00:00(:00)?(?![:.0-9])")


def _more(fact: Mapping[str, Any]) -> list[str]:
    """Return the facts it ended, the facts that ended it, and its links."""
    parts: list[str] = []
    if fact.get("superseded_by"):
        parts.append(f"ended by {short(fact['superseded_by'])}")
    if fact.get("retires"):
        parts.append(f"ends {', '.join(map(short, fact['retires'][:_SHOWN]))}{_beyond(fact['retires'])}")
    # What a fact superseded is told above; that two are of one topic, or of one message, tells a reader nothing.
    links = [link for link in fact.get("links", ()) if link["kind"] == "about"]
    if links:
        parts.append(f"about {', '.join(short(link['other']) for link in links[:_SHOWN])}{_beyond(links)}")
    return parts


_SHOWN = 3


def _beyond(listed: list[Any]) -> str:
    return f" and {len(listed) - _SHOWN} more" if len(listed) > _SHOWN else ""
