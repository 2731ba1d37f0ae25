"""Every flag of every verb has a test: one of these, which tell what it changes, or one that gives it on a command line."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pytest

from memd.daemon.cli import main
from memd.daemon.cli.dispatch import build_parser
from memd.daemon.cli.shell.command_tree import command_tree
from memd.tests.cli.conftest import Home, served
from memd.tests.flag_uses import EVERYWHERE, own_flags, uses_in

COMMANDS = list(command_tree(build_parser()).walk())
MISTAKES = "test_usage.py"
"""What is given there is refused before it does anything."""
EXPORTS = {
    "WhatsApp Chat with Rowing.txt": (
        "15/01/2024, 12:30 - Ann: the boat is blue\n"
        "15/01/2024, 12:31 - Bob: I live in Rome\n"
        "02/03/2024, 12:30 - Bob: IMG-20240302-WA0001.jpg (file attached)\n"
        "02/03/2024, 12:31 - Bob: I live in Milan now\n"
    ),
    "WhatsApp Chat with Attic.txt": (
        "10/02/2024, 12:30 - Ann: the boat is in the attic\n10/02/2024, 12:31 - Cleo: I live in Oslo\n"
    ),
    "boat.md": "---\ntags: [sail]\n---\n# The boat\n\nIt has two oars and a sail.\n",
}
JANUARY, MARCH, ATTIC = "whatsapp:Rowing:2024-01-15", "whatsapp:Rowing:2024-03-02", "whatsapp:Attic:2024-02-10"
NOTE = "notes:exports/boat.md"


@dataclass(frozen=True)
class Effect:
    """A flag, and what is told with it and not without it."""

    verb: str
    given: str
    told: object
    line: str = ""
    """What else stands on the command line."""
    pick: Callable[[Any], object] = lambda answer: answer
    """What of the answer is compared."""

    @property
    def flag(self) -> str:
        """By its name."""
        return self.given.split()[0]

    def __str__(self) -> str:
        """For the name of the test."""
        return f"{self.verb} {self.given}"


def documents_of(answer: Any) -> set[str]:
    """Where the hits are, or what is listed or exported."""
    if isinstance(answer, dict):
        answer = cast("dict[str, Any]", answer)
        if "hits" in answer:
            return {hit["document_id"] for hit in answer["hits"]}
        answer = answer.get("documents", answer)
    return {line["id"] for line in answer}


def values_of(answer: Any) -> set[str]:
    """Of facts."""
    return {fact["value"] for fact in answer["facts"]}


FILTERS = {
    "--speaker Cleo": {ATTIC},
    "--person Bob": {JANUARY, MARCH},
    "--source notes": {NOTE},
    "--chat Attic": {ATTIC},
    "--since 2024-03": {MARCH},
    "--until 2024-02": {JANUARY},
    "--tag sail": {NOTE},
    "--kind media": {MARCH},
}
"""With the documents that hold something that passes."""
FILTERED = {"query": "boat -k 100", "documents": "-k 1000", "export": ""}
EFFECTS = [
    *(
        Effect(verb, given, told, line, documents_of)
        for verb, line in FILTERED.items()
        for given, told in FILTERS.items()
    ),
    Effect("documents", "--limit 1", 1, pick=lambda answer: len(answer["documents"])),
    Effect("export", f"--document {ATTIC}", {ATTIC}, pick=documents_of),
    Effect("facts", "--speaker Cleo", {"Oslo"}, pick=values_of),
    Effect("facts", "--subject Cleo", {"Oslo"}, pick=values_of),
    Effect("facts", "--attribute employer", set[str](), pick=values_of),
    Effect("facts", "--status superseded", {"Rome"}, pick=values_of),
    Effect("facts", "--as-of 2024-02-01", {"Rome"}, pick=values_of),
    Effect("facts", "--known-at 2020-01-01", set[str](), pick=values_of),
    Effect("facts", "--limit 1", 1, pick=lambda answer: len(answer["facts"])),
    Effect("query", "--limit 1", 1, "boat", lambda answer: len(answer["hits"])),
    Effect("query", "--as-of 2024-02-01", True, "'where does Bob live'", lambda answer: "Rome" in values_of(answer)),
    Effect("query", "--superseded", True, "'where does Bob live'", lambda answer: "Rome" in values_of(answer)),
    Effect("query", "--explain", True, "boat", lambda answer: "explain" in answer["hits"][0]),
    Effect("runs", "--limit 1", 1, pick=lambda answer: len(answer["runs"])),
    Effect("runs", "--source nobody", 0, pick=lambda answer: len(answer["runs"])),
]


@pytest.fixture(scope="module")
def answering() -> Iterator[Home]:
    """Two chats and a note."""
    with served(EXPORTS, "--me", "Ann", "--zone", "UTC", TZ="UTC") as home:
        yield home


@pytest.fixture
def asked(
    answering: Home, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> Callable[[str], Any]:
    """Runs a command line beside the daemon: what it printed as JSON, several lines as a list."""
    for name, value in answering.variables.items():
        monkeypatch.setenv(name, value)

    def ask(line: str) -> Any:
        assert main([*shlex.split(line), "--json"]) in (0, 7)
        lines = [json.loads(each) for each in capsysbinary.readouterr().out.splitlines()]
        return lines if line.startswith("export") else lines[0]

    return ask


def test_every_flag_has_a_test(checkout: Path) -> None:
    """Of every verb and action: what is added to the parser is told here until a test gives it."""
    paths = [path for path in (checkout / "tests").rglob("test_*.py") if path.name != MISTAKES]
    tested = uses_in(paths, COMMANDS) | {(each.verb, each.flag) for each in EFFECTS}
    tested |= {("ask", given.split()[0]) for given in FILTERS}
    without = [
        f"memd {command.path} {flag.names[-1]}"
        for command in COMMANDS
        for flag in own_flags(command)
        if command.words and not any((command.path, name) in tested for name in flag.names)
    ]
    assert without == []


def test_what_counts_as_a_use(tmp_path: Path) -> None:
    """A flag behind its verb in one line; neither one before it, nor one of another verb or another line."""
    (tmp_path / "t.py").write_text(
        'memd("query", "x", "--sort", order)\nmain(["show", "--sort=time"])\nmain("runs -n 1".split())\n'
        'memd("--until", "facts")\nmemd(*["sources", "add"], "--watch")\n'
    )
    assert uses_in([tmp_path / "t.py"], COMMANDS) == {("query", "--sort"), ("show", "--sort")}


@pytest.mark.slow
@pytest.mark.parametrize("effect", EFFECTS, ids=str)
def test_a_flag_changes_the_answer(effect: Effect, asked: Callable[[str], Any]) -> None:
    """With it that is told which is not told without it."""
    line = f"{effect.verb} {effect.line}"
    assert effect.pick(asked(f"{line} {effect.given}")) == effect.told
    assert effect.pick(asked(line)) != effect.told
