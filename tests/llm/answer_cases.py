"""The true answers and the lies of `answers.txt`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from memd.memory.retrieval.answer_lines import ShownLine

_LINE = re.compile(r"\d+ (\S+) (\S+): (.*)")
_ANSWER = re.compile(r"([+-]) (.*) \[([\d, ]+)\]")


@dataclass(frozen=True)
class Asked:
    """A question, the lines that were found, and answers: (text, indexes of cited lines)."""

    question: str
    lines: list[ShownLine]
    true: list[tuple[str, list[int]]]
    lies: list[tuple[str, list[int]]]


def asked(name: str = "answers.txt") -> Iterator[Asked]:
    """Each question of a file beside this one."""
    for block in (Path(__file__).parent / name).read_text("utf-8").split("\n\n"):
        if not block.startswith("?"):
            continue
        found = Asked(block.splitlines()[0][2:], [], [], [])
        for line in block.splitlines()[1:]:
            if told := _LINE.fullmatch(line):
                noon = datetime.fromisoformat(told[2] + "T12:00").replace(tzinfo=UTC)
                found.lines.append(ShownLine(told[1], noon, told[3].replace("\\n", "\n")))
            elif answer := _ANSWER.fullmatch(line):
                cited = [int(number) - 1 for number in answer[3].split(",")]
                (found.true if answer[1] == "+" else found.lies).append((answer[2], cited))
        yield found
