"""Eight characters of an id suffice wherever a command takes one."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from memd.daemon.cli import main
from memd.daemon.cli.dispatch import build_parser
from memd.daemon.cli.shell.command_tree import command_tree
from memd.tests.cli.conftest import Home, served

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
EXPORTS = {
    "WhatsApp Chat with Bob.txt": "02/03/2024, 12:30 - Ann: Where do you live?\n02/03/2024, 12:31 - Bob: I live in Rome\n"
}
PLACES = {
    ("show", "ID"): ("show {message}", "show {document}", "show {fact}"),
    ("history", "ID"): ("history {fact}",),
    ("undo", "ID"): ("undo {fact} --dry-run", "undo {run} --dry-run"),
    ("undo", "RUN"): ("undo {run} {run} --dry-run",),
    ("runs", "ID"): ("runs {run}",),
    ("facts", "--run"): ("facts --rejected --run {run}",),
    ("forget", "--document"): ("forget --document {document} --dry-run",),
    ("forget", "--message"): ("forget --message {message} --dry-run",),
    ("export", "--document"): ("export --document {document}", "export --document {message}"),
}
"""By the command and the word or flag that takes an id, the lines that give one."""
ELSEWHERE = {
    ("retry", "ID"): "needs something that was given up",
    ("watch", "--run"): "needs a run that goes on",
    ("sources add", "--client-id"): "an id of the user's own at a provider",
    ("sources set", "--client-id"): "an id of the user's own at a provider",
}
"""Those that need more than is stored here, or take no id of memd's."""


@pytest.fixture(scope="module")
def rome() -> Iterator[Home]:
    """A chat with a fact."""
    with served(EXPORTS, "--me", "Ann", "--zone", "UTC", TZ="UTC", MEMD_EMBEDDING_ENABLED="false") as home:
        yield home


def test_every_command_that_takes_an_id_is_listed() -> None:
    """As the parser has them: a new one is told here."""
    taking = {
        (command.path, name)
        for command in command_tree(build_parser()).walk()
        for name, value in (
            *((each.name, each.name) for each in command.positionals),
            *((each.names[-1], each.value) for each in command.flags),
        )
        if value in ("ID", "RUN")
    }
    assert taking == PLACES.keys() | ELSEWHERE.keys()


def test_eight_characters_suffice(
    rome: Home, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """And show the same as the whole id; a plan names what it is taken for."""
    for name, value in rome.variables.items():
        monkeypatch.setenv(name, value)

    def shown(line: str) -> str:
        assert main(line.split()) == 0, line
        told = capfd.readouterr()
        return told.out + told.err

    ids = {
        "message": json.loads(shown("query rome --json"))["hits"][0]["id"],
        "document": json.loads(shown("documents --json"))["documents"][0]["key"],
        "fact": json.loads(shown("facts --json"))["facts"][0]["id"],
        "run": next(each["run"] for each in json.loads(shown("runs --json"))["runs"] if each.get("added")),
    }
    for line in (line for lines in PLACES.values() for line in lines):
        short = shown(line.format(**{name: each[:8] for name, each in ids.items()}))
        taken = [each for each in short.splitlines() if " is taken for " in each]
        assert bool(taken) == line.startswith("forget"), line
        # The plan of an undo tells the whole id where it was given a part of it.
        rest = [each.removeprefix(f"{ids['fact']}: ") for each in short.splitlines() if each not in taken]
        assert rest == shown(line.format(**ids)).splitlines(), line
