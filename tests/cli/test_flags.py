"""Every flag of every verb has a test: one of these, which tell what it changes, or one that gives it on a command line."""

from __future__ import annotations

import json
import os
import shlex
import time
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast
from xml.etree import ElementTree as ET

import pytest

from memd.daemon.cli import main
from memd.daemon.cli.dispatch import build_parser
from memd.daemon.cli.shell.command_tree import command_tree
from memd.daemon.client import Client
from memd.daemon.operations import ADD_SOURCE, SYNC
from memd.tests.cases import check_all
from memd.tests.cli.conftest import Home, served
from memd.tests.cli.test_source_flags import CHANGED, NEW, READING
from memd.tests.flag_uses import own_flags, uses_in

COMMANDS = list(command_tree(build_parser()).walk())
MISTAKES = "test_usage.py"
"""What is given there is refused before it does anything."""
EXPORTS = {
    "WhatsApp Chat with Rowing.txt": (
        "15/01/2024, 12:30 - Ann: the boat is blue\n"
        "15/01/2024, 12:31 - Bob: I live in Rome\n"
        "02/03/2024, 12:30 - Bob: IMG-20240302-WA0001.jpg (file attached)\nthe boat in spring\n"
        "02/03/2024, 12:31 - Bob: I live in Milan now\n"
    ),
    "WhatsApp Chat with Attic.txt": (
        "10/02/2024, 12:30 - Ann: the boat is in the attic\n10/02/2024, 12:31 - Cleo: I live in Oslo\n"
    ),
    "program.jsonl": "".join(
        json.dumps(
            {
                "id": f"messages/user={user}:{session}:2024-02-11",
                "conversation": {
                    "source": "messages",
                    "people": [user],
                    "user": user,
                    "conversation": [
                        {
                            "speaker": user,
                            "content": f"the boat has oars, {session}",
                            "time": "2024-02-11T12:00:00Z",
                            "id": f"m{session}",
                        }
                    ],
                },
                "tags": [f"user:{user}", "agent:guide", f"session:{session}"],
            }
        )
        + "\n"
        for user, session in (("dora", "7"), ("dora", "8"), ("emil", "7"))
    ),
    "boat.md": "---\ntags: [sail]\n---\n# The boat\n\nIt has two oars and a sail.\n",
}
JANUARY, MARCH, ATTIC = "whatsapp:Rowing:2024-01-15", "whatsapp:Rowing:2024-03-02", "whatsapp:Attic:2024-02-10"
NOTE = "notes:exports/boat.md"


DORA = {f"messages/user=dora:{session}:2024-02-11" for session in "78"}
EMIL = {"messages/user=emil:7:2024-02-11"}


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


def nodes_of(answer: Any) -> set[str]:
    """Names of the nodes of a part of the graph."""
    return {node["name"] for node in answer["nodes"]}


FILTERS = {
    "--speaker Cleo": {ATTIC},
    "--person Bob": {JANUARY, MARCH},
    "--source notes": {NOTE},
    "--chat Attic": {ATTIC},
    "--since 2024-03": {MARCH},
    "--until 2024-02": {JANUARY},
    "--tag sail": {NOTE},
    "--kind media": {MARCH},
    "--user dora": DORA,
    "--agent guide": DORA | EMIL,
    "--session 8": DORA - {"messages/user=dora:7:2024-02-11"},
}
"""With the documents that hold something that passes."""
FILTERED = {"query": "boat -k 100", "documents": "-k 1000", "export": ""}
EFFECTS = [
    *(
        Effect(verb, given, told, line, documents_of)
        for verb, line in FILTERED.items()
        for given, told in FILTERS.items()
    ),
    Effect("stats", "--chat Attic", 2, pick=lambda answer: answer["messages"]),
    Effect("stats", "--source notes", 1, pick=lambda answer: answer["documents"]),
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
    Effect("query", "--ignore order", "best", "'latest boat'", lambda answer: answer["understood"]["order"]),
    Effect("query", "--show-chunks", True, "boat", lambda answer: "chunks" in answer["hits"][0]),
    Effect("query", "--without messages", 0, "attic", lambda answer: len(answer["hits"])),
    Effect("query", "--explain", True, "boat", lambda answer: "explain" in answer["hits"][0]),
    Effect("graph", "--depth 2", True, "Rome --as-of 2024-02-01", lambda answer: "Ann" in nodes_of(answer)),
    Effect("graph", "--as-of 2024-02-01", True, "Bob", lambda answer: "Rome" in nodes_of(answer)),
    Effect("graph", "--limit 1", 1, "Bob --as-of 2024-02-01", lambda answer: len(answer["edges"])),
    Effect("runs", "--limit 1", 1, pick=lambda answer: len(answer["runs"])),
    Effect("runs", "--source exports", {"exports"}, pick=lambda answer: {run["source"] for run in answer["runs"]}),
    Effect("forget", f"--document {ATTIC}", 2, "--source whatsapp --dry-run", lambda plan: plan["messages"]),
    *(
        Effect("forget", given, count, "--source messages --dry-run", lambda plan: plan["messages"])
        for given, count in (("--user dora", 2), ("--session 7", 2), ("--message m8", 1), ("--agent nobody", 0))
    ),
    Effect("forget", "--until 2024-02", 2, "--source whatsapp --dry-run", lambda plan: plan["messages"]),
    Effect(
        "sync",
        "--again",
        10,
        "exports --wait",
        lambda answer: sum(each.get("unchanged", 0) for each in answer["sources"]),
    ),
]


@pytest.fixture(scope="module")
def answering() -> Iterator[Home]:
    """Two chats and a note."""
    variables = {"TZ": "UTC", "MEMD_EMBEDDING_ENABLED": "false"}
    with served(EXPORTS, "--me", "Ann", "--zone", "UTC", **variables) as home:
        client = Client(str(home.path / "s"))
        client.call(ADD_SOURCE, {"settings": {"name": "exports", "path": str(home.path / "exports"), "zone": "UTC"}})
        client.call(SYNC, {"sources": ["exports"], "wait": True})
        client.close()
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


@pytest.mark.slow
def test_every_flag_has_a_test(checkout: Path) -> None:
    """Of every verb and action: what is added to the parser is told here until a test gives it."""
    paths = [path for path in (checkout / "tests").rglob("test_*.py") if path.name != MISTAKES]
    tested = uses_in(paths, COMMANDS) | {(each.verb, each.flag) for each in EFFECTS}
    tested |= {("ask", given.split()[0]) for given in ASKED}
    tested |= {(verb, given.split()[0]) for verb in ("parse", "ingest", "sources add") for given in READING}
    tested |= {("sources add", given.split()[0]) for given in NEW}
    tested |= {("reindex", "--no-wait"), ("reindex", "--keep-old"), ("reindex", "--force-rechunk")}
    tested |= {("ingest", "--verbose"), ("sync", "--verbose"), ("documents", "--after"), ("facts", "--after")}
    tested |= {("sources set", given.split()[0]) for given in CHANGED}
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
def test_a_flag_changes_the_answer(asked: Callable[[str], Any]) -> None:
    """With it that is told which is not told without it."""
    answers: dict[str, Any] = {}

    def check(effect: Effect) -> None:
        line = f"{effect.verb} {effect.line}"
        if line not in answers:
            answers[line] = asked(line)
        assert effect.pick(asked(f"{line} {effect.given}")) == effect.told
        assert effect.pick(answers[line]) != effect.told

    check_all(EFFECTS, check)


@pytest.mark.slow
def test_a_graph_as_graphml(
    answering: Home, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    """`--format graphml` prints one XML document with the names of the nodes, and without a name the whole graph."""
    for name, value in answering.variables.items():
        monkeypatch.setenv(name, value)
    assert main(["graph", "--format", "graphml"]) == 0
    printed = ET.fromstring(capsysbinary.readouterr().out)
    assert printed.tag == "{http://graphml.graphdrawing.org/xmlns}graphml"
    assert {"Ann", "Bob", "Cleo", "Milan", "Oslo"} <= {each.text for each in printed.iter()}


@pytest.mark.slow
@pytest.mark.parametrize("verb", ["documents", "facts"])
def test_a_page_goes_on_where_the_one_before_ended(verb: str, asked: Callable[[str], Any]) -> None:
    """`--after` takes its `next`, until everything was told once."""
    told: list[str] = []
    line = f"{verb} --limit 1"
    page = asked(line)
    told += [each["id"] for each in page[verb]]
    while page.get("next"):
        page = asked(f"{line} --after '{page['next']}'")
        told += [each["id"] for each in page[verb]]
    assert sorted(told) == sorted(each["id"] for each in asked(verb)[verb])
    assert len(told) == len(set(told)) > 1


@pytest.mark.slow
@pytest.mark.parametrize("line", ["ingest {0}/exports --no-wait", "sync exports --wait --again"])
def test_every_file_is_named_where_that_is_asked_for(
    line: str, answering: Home, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Also many notes of one archive, which are one line otherwise."""
    for name, value in answering.variables.items():
        monkeypatch.setenv(name, value)
    notes = [f"leaf-{number:02}.md" for number in range(30)]
    archive = answering.path / "exports" / "leaves.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for note in notes:
            file.writestr(note, f"# A leaf\n\nof {note}\n")
    os.utime(archive, (time.time() - 60, time.time() - 60))
    try:
        named: list[int] = []
        for words in ([], ["--verbose"]):
            main([*shlex.split(line.format(answering.path)), *words])
            told = capfd.readouterr()
            named.append(sum(note in told.out + told.err for note in notes))
    finally:
        archive.unlink()
    assert (named[0] < len(notes), named[1]) == (True, len(notes))


@pytest.mark.slow
def test_the_first_characters_of_an_id_lead_to_its_fact(
    answering: Home, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Ids are shown where they are asked for, eight characters of each; these suffice for `show`, `history` and `undo`."""
    for name, value in answering.variables.items():
        monkeypatch.setenv(name, value)

    def shown(*words: str) -> str:
        assert main([*words]) == 0
        return capfd.readouterr().out

    by_value = {fact["value"]: fact["id"] for fact in json.loads(shown("facts", "--status", "all", "--json"))["facts"]}
    milan, rome = by_value["Milan"][:8], by_value["Rome"][:8]
    told = shown("facts", "--ids", "--subject", "Bob")
    assert told.splitlines()[1:] == [
        "Bob lives in Milan.",
        f"    “I live in Milan” — Bob, 2024-03-02 · {milan}",
        f"    ends {rome}",
    ]
    assert f"· {milan}" in shown("query", "where does Bob live?", "--ids")
    assert milan not in shown("facts", "--subject", "Bob")
    assert milan not in shown("query", "where does Bob live?")
    assert milan not in shown("query", "where does Bob live?", "--memory", "own")
    assert "> 2024-03-02 12:31  Bob" in shown("show", milan, "--context", "0")
    assert f"ended by {milan}" in shown("history", "--ids", rome)
    assert f"· {milan}" in shown("undo", "--ids", milan)
    assert milan not in shown("undo", milan)


ASKED = {
    "--speaker A": {"speakers": ["A"]},
    "--person A": {"people": ["A"]},
    "--source A": {"sources": ["A"]},
    "--chat A": {"chats": ["A"]},
    "--since 2024": {"since": "2024"},
    "--until 2024": {"until": "2024"},
    "--tag A": {"tags": ["A"]},
    "--kind text": {"kinds": ["text"]},
    "--user A": {"users": ["A"]},
    "--agent A": {"agents": ["A"]},
    "--session A": {"sessions": ["A"]},
    "--limit 3": {"limit": 3},
    "--without facts": {"include_knowledge": False},
    "--ignore kind": {"ignore": ["kind"]},
}


def test_a_question_to_the_model_is_narrowed_like_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is sent holds the filter by the name that a query's filter has."""
    sent: list[dict[str, Any]] = []

    def answer(_: object, __: object, body: dict[str, Any]) -> dict[str, Any]:
        sent.append(body)
        return {"found": False, "question": "x", "answer": [], "hits": [], "dropped": 0, "withheld": 0}

    monkeypatch.setattr("memd.daemon.cli.commands.ask.operate", answer)
    assert main(["ask", "x"]) == 7
    (plain,) = sent

    def check(given: str) -> None:
        assert main(shlex.split(f"ask x {given}")) == 7
        assert sent[-1] == plain | ASKED[given] != plain

    check_all(ASKED, check)


@pytest.mark.parametrize(
    ("given", "body"),
    [
        ("--no-wait", {"wait": False, "keep_old": False}),
        ("--keep-old", {"wait": True, "keep_old": True}),
        ("--force-rechunk", {"wait": True, "keep_old": False, "force_rechunk": True}),
    ],
)
def test_reindex_asks_for_what_it_was_told(given: str, body: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """To return at once, or to keep the vectors of other models."""
    sent: list[object] = []

    def answer(_: object, __: object, body: object, **___: object) -> dict[str, int]:
        sent.append(body)
        return {"documents": 0, "embedded": 0, "pending": 0, "dropped": 0}

    monkeypatch.setattr("memd.daemon.cli.commands.reindex.operate", answer)
    assert main(["reindex"]) == main(["reindex", given]) == 0
    assert sent == [{"wait": True, "keep_old": False}, body]
