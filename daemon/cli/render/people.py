"""People as lines for people: one person, the names of one, a plan of merging or splitting, a decision."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from .facts import grouped_fact_lines
from .terminal import TerminalStyle, counted, joined, one_line, width_of
from .wall_clock import local_time


def other_names(person: Mapping[str, Any]) -> list[str]:
    """The names of a person beside the first, with their sources: ``Priya S. (slack)``."""
    by_name: dict[str, list[str]] = {}
    for source, names in person["names"].items():
        for name in names:
            by_name.setdefault(name, []).append(source)
    return [
        f"{one_line(name, 40)} ({', '.join(one_line(source, 20) for source in sources)})"
        for name, sources in by_name.items()
        if name != person["name"]
    ]


def _named(person: Mapping[str, Any]) -> str:
    sources = ", ".join(one_line(source, 20) for source, names in person["names"].items() if person["name"] in names)
    whole = [f"{one_line(person['name'], 40)} ({sources}, {counted(person['messages'], 'message')})"]
    return " = ".join([*whole, *other_names(person)]) + (" · you" if person["is_user"] else "")


def plan_lines(plan: Mapping[str, Any]) -> Iterator[str]:
    """Yield the plan of a merge or a split: the people who would be one, or the names that would stand by themselves."""
    if "people" in plan:
        yield f"{len(plan['people'])} people would be one:"
        yield from (f"  {_named(person)}" for person in plan["people"])
    else:
        yield f"of {_named(plan['person'])}"
        yield f"{counted(len(plan['identities']), 'name')} would stand by themselves again:"
        for each in plan["identities"]:
            name, source = one_line(each["name"], 40), one_line(each["source"], 20)
            yield f"  {name} ({source}, {counted(each['messages'], 'message')})"


def decision_line(decision: Mapping[str, Any]) -> str:
    """Its number, when it was made, and about whom."""
    names = [f"{one_line(each['name'], 40)} ({one_line(each['source'], 20)})" for each in decision["identities"]]
    names += [f"{counted(decision['forgotten'], 'forgotten name')}"] if decision["forgotten"] else []
    whom = f"number {decision['target']}" if decision["action"] == "undo" else " = ".join(names)
    return f"{decision['id']}  {local_time(decision['at'])}  {decision['action']} {whom}"


def person_lines(body: dict[str, Any], columns: int) -> Iterator[str]:
    """A person: the names, how much and since when, where, with whom, about what, and what is known."""
    paint = TerminalStyle(sys.stdout)
    for line in joined(
        [one_line(name, min(60, columns - 4)) for name in body["names"]], " = ", "  ", columns, first=""
    ):
        yield paint.bold(line)
    if apart := body.get("apart"):
        note = f"{len(apart)} people of this name, counted together; if they are one: memd people merge"
        words = [note, *(shlex.quote(one_line(each, 60)) for each in apart)]
        yield from joined(words, " ", "    ", columns, first="  ")
    span = [f"{local_time(body['first'])} to", local_time(body["last"])]
    yield from joined([f"{counted(body['messages'], 'message')},", *span], " ", "    ", columns, first="  ")
    yield from _rows("writes in", body["chats"], columns)
    yield from _rows("writes with", body["contacts"], columns)
    if body["topics"]:
        topics = [one_line(topic, 30) for topic in body["topics"]]
        yield from joined(topics, ", ", " " * 15, columns, first=f"  {'about':<13}")
    if body["facts"]:
        yield ""
        yield from grouped_fact_lines(body["facts"])


def _rows(title: str, rows: list[dict[str, Any]], columns: int) -> Iterator[str]:
    """A line for each; with too few columns for the name beside its counts, two."""
    width = max((width_of(one_line(row["name"], 40)) for row in rows), default=0)
    for number, row in enumerate(rows):
        name = one_line(row["name"], min(40, columns - 15))
        size = f"{counted(row['messages'], 'message')} on {counted(row['documents'], 'day')}"
        text = f"{size}, since {local_time(row['first'])[:10]}"
        head = f"  {'' if number else title:<13}"
        if 15 + width + 2 + width_of(text) <= columns:
            yield f"{head}{name}{' ' * (width - width_of(name))}  {text}"
        else:
            yield f"{head}{name}"
            yield f"{'':<17}{text}"
