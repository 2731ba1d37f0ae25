"""Facts as lines for people."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from .terminal import TerminalStyle, columns_of, joined, local_time, one_line, wrapped


def fact_lines(fact: Mapping[str, Any]) -> Iterator[str]:
    """A fact, as an answer holds it, in a few lines: what, since when, on which words."""
    paint = TerminalStyle(sys.stdout)
    columns = columns_of(sys.stdout)
    for line in wrapped(_headed(fact), "", columns):
        yield paint.bold(line)
    for evidence in fact["evidence"]:
        yield from wrapped(f"“{one_line(evidence['quote'], 200)}”", "    │ ", columns)
    until = _when(fact.get("valid_to"))
    notes = [fact["status"]] if fact.get("status", "active") != "active" else []
    notes += ["was over when it was said"] if fact.get("history") else []
    notes += ["beside another"] if fact.get("beside") else []
    notes += [one_line(fact["attribute"]), f"said by {one_line(fact['speaker'], 40)}"]
    notes += [*_time_of(fact, until), one_line(fact["id"])]
    for line in joined(notes, " · ", "      ", paint.line_columns, first="    — "):
        yield paint.dim(line)
    for more in _more(fact):
        for line in joined(more.split(), " ", "      ", paint.line_columns, first="      "):
            yield paint.dim(line)


def refused_lines(refused: Mapping[str, Any]) -> Iterator[str]:
    """What became no fact, in a few lines: why, what was proposed, on which words."""
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
    """What is known, with whom it is about where its words do not name them: what is read in other languages than English is
    told as it was said, “vivo en Roma”.
    """
    content, subject = str(fact["content"]), one_line(fact["subject"], 40)
    named = any(word in content.casefold() for word in subject.casefold().split())
    return content if named or not subject else f"{subject}: {content}"


def _time_of(fact: Mapping[str, Any], until: str) -> list[str]:
    """When it holds: since the beginning that was told, else when it was first and last said; a plan that is due, that it is."""
    begin, last = _when(fact.get("valid_from")), _when(fact.get("observed_at"))
    first = fact.get("first_observed_at") or fact.get("observed_at")
    said = not begin or fact["valid_from"] == first
    again = f", last {last}" if "first_observed_at" in fact else ""
    since = f"said {_when(first)}{again}" if said else f"since {begin}"
    if fact["attribute"] == "plan":
        told = [f"{since}, until {until}" if until else since]
        return [*told, "due, unknown whether it happened"] if fact.get("due") else told
    return [f"{since}, until {until}" if said and until else f"{since} until {until}" if until else since]


def _when(time: str | None) -> str:
    """A time by the clock here; of one that begins a day where it was said, the day: “in September” means no hour."""
    return time[:10] if time and _MIDNIGHT.match(time) else local_time(time)


_MIDNIGHT = re.compile(r".{10}T00:00(:00)?(?![:.0-9])")


def _more(fact: Mapping[str, Any]) -> list[str]:
    """The mood in which it was said, what it ended, and what it is linked with."""
    told: list[str] = []
    if "sentiment" in fact:
        told.append(f"sentiment {fact['sentiment']:+.1f}")
    if fact.get("superseded_by"):
        told.append(f"ended by {one_line(fact['superseded_by'])}")
    if fact.get("retires"):
        told.append(f"ends {', '.join(map(one_line, fact['retires'][:_SHOWN]))}{_beyond(fact['retires'])}")
    # What a fact superseded is told above; that two are of one topic, or of one message, tells a reader nothing.
    links = [link for link in fact.get("links", ()) if link["kind"] == "about"]
    if links:
        shown = ", ".join(f"{one_line(link['kind'])} {one_line(link['other'])}" for link in links[:_SHOWN])
        told.append(f"linked: {shown}{_beyond(links)}")
    return told


_SHOWN = 3


def _beyond(listed: list[Any]) -> str:
    return f" and {len(listed) - _SHOWN} more" if len(listed) > _SHOWN else ""
