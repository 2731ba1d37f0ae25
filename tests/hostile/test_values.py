"""Values at the edge of what a format can say, through the whole of memd: kept and found, or rejected with a reason."""

from __future__ import annotations

import json
from collections.abc import Iterator
from subprocess import CompletedProcess

import pytest

from memd.tests.cases import check_all
from memd.tests.e2e.conftest import Memd
from memd.tests.hostile.commands import Ended, run_each

TIMES = [
    "0001-01-01T00:00:00Z",
    "0001-01-01T00:00:00+14:00",
    "0000-01-01T00:00:00Z",
    "9999-12-31T23:59:59.999999Z",
    "9999-12-31T23:59:59-14:00",
    "10000-01-01T00:00:00Z",
    "2016-12-31T23:59:60Z",
    "1969-12-31T23:59:59.999999Z",
    "2024-02-30T00:00:00Z",
    "2024-01-15T24:00:00Z",
    "2024-01-15T12:00:00+99:99",
    "2024-01-15T12:00:00",
    "-2024-01-15T12:00:00Z",
    "\u0662\u0660\u0662\u0664-01-15T12:00:00Z",
    "",
    " ",
]
TEXTS = [
    "nul \x00 inside",
    "\ufeffmark before",
    "\u202eturned around",
    "e" + "\u0301" * 5000 + " many marks",
    "\U0001f468\u200d" * 2000 + " family",
    "\u0000",
    "\u200b\u200b",
    "line\u2028separator\u2029and\x85more\r\nends",
    "\ufdd0\uffff\U0010ffff noncharacters",
    "x" * 100_000,
    "\x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\",
]
RAW = [
    b'{"id": "dup", "id": "dup2", "content": "one", "content": "two keys of one name"}',
    b'{"id": "big", "content": "huge number", "n": 123456789012345678901234567890}',
    b'{"id": "float", "content": "huge float", "n": 1e400}',
    b'{"id": "nan", "content": "nan", "n": NaN}',
    b'{"id": "lone", "content": "lone \\ud800 surrogate \\udfff here"}',
    b'{"id": "bytes", "content": "bad \xff\xc3\x28 bytes"}',
    b'{"id": "deep", "content": "deep", "x": ' + b"[" * 2000 + b"]" * 2000 + b"}",
    b'{"id": "very", "content": "very deep", "x": ' + b'{"a":' * 100_000,
    b'{"id": 5, "content": "number as id"}',
    b'{"id": "", "content": "no id"}',
    b'{"id": "wrong", "content": {"a": 1}, "tags": "x", "metadata": []}',
    b'\xef\xbb\xbf{"id": "bom", "content": "mark before the object"}',
    b"\x00\x00\x00",
    b"[" * 50_000,
    b'{"id": "last", "content": "the last line is read"}',
]


def lines() -> Iterator[bytes]:
    """A document for each of them."""
    for number, time in enumerate(TIMES):
        yield json.dumps({"id": f"time:{number}", "content": f"at {number}", "timestamp": time}).encode()
        message = {"speaker": "Ann", "content": f"said at {number}", "time": time}
        body = {"source": "s", "people": ["Ann"], "user": "Ann", "conversation": [message]}
        yield json.dumps({"id": f"said:{number}", "conversation": body}).encode()
    for number, text in enumerate(TEXTS):
        yield json.dumps({"id": f"text:{number}", "content": text}).encode()
        message = {"speaker": f"A{text[:50]}", "content": text, "time": "2024-01-15T12:00:00Z"}
        body = {"source": "s", "people": [message["speaker"]], "user": message["speaker"], "conversation": [message]}
        yield json.dumps({"id": f"spoken:{number}", "conversation": body}).encode()
    yield from RAW


@pytest.fixture(scope="module")
def given() -> bytes:
    """All of them."""
    return b"\n".join(lines())


@pytest.fixture(scope="module")
def ingested(tmp_path_factory: pytest.TempPathFactory, given: bytes) -> Iterator[tuple[Memd, CompletedProcess[bytes]]]:
    """A daemon that was given them, and how that went."""
    command = Memd(tmp_path_factory.mktemp("o"))
    command.until_served(command.start("serve"))
    yield command, command("ingest", "-", "--json", "--format", "documents", stdin=given)
    command.end()


@pytest.fixture
def odd(ingested: tuple[Memd, CompletedProcess[bytes]]) -> Memd:
    """The daemon alone."""
    return ingested[0]


def test_what_can_be_kept_is_kept_and_the_rest_is_told(
    ingested: tuple[Memd, CompletedProcess[bytes]], given: bytes
) -> None:
    """Nothing is lost without a word: each line is a document or a rejection."""
    odd, done = ingested
    parsed = odd("parse", "-", "--format", "documents", stdin=given)
    assert parsed.returncode == 4, parsed.stderr.decode()[-2000:]
    rejected = sum(json.loads(line)["type"] == "rejected" for line in parsed.stderr.splitlines())
    assert parsed.stdout.count(b"\n") + rejected >= len(list(lines()))
    assert b"the last line is read" in parsed.stdout
    assert done.returncode == 4, done.stderr.decode()[-2000:]
    body = json.loads(done.stdout)
    assert (body["failed"], body["outcome"]) == (0, "partial")
    assert body["documents"] == parsed.stdout.count(b"\n")
    again = odd("ingest", "-", "--json", "--format", "documents", stdin=given)
    assert json.loads(again.stdout)["added"] == 0


def test_every_command_works_on_them(odd: Memd) -> None:
    """Answers and listings over times and texts at the edge, as text and as JSON."""
    commands = [
        ["query", "last line"],
        ["query", "said", "--sort", "time", "-k", "100", "--explain"],
        ["query", "said", "--since", "0001-01-01"],
        ["query", "said", "--until", "9999-12-31", "--since", "0001-01-01T00:00:00Z"],
        ["query", "said", "--since", "9999-12-31T23:59:59.999999Z"],
        ["query", "said", "--speaker", "Ann", "--kind", "text"],
        ["query", "surrogate \ufffd"],
        ["query", "a" + "\u0301" * 1000],
        ["documents", "-k", "1000"],
        ["documents", "--until", "0001-01-02"],
        ["stats"],
        ["doctor"],
        ["export"],
        ["forget", "--since", "0001-01-01", "--dry-run"],
    ]

    def check(words: tuple[str, int, str]) -> None:
        assert words[1] == 0, words[2]

    ended = run_each(odd, [[*words, *form] for words in commands for form in ([], ["--json"])])
    check_all([(ascii(" ".join(each.words))[:60], each.code, each.err.decode()[-2000:]) for each in ended], check)


def test_times_that_are_none_are_refused(odd: Memd) -> None:
    """In a sentence, with the exit code of a usage error; an empty one, too: a variable of a script was not set."""
    commands: list[list[str]] = []
    for value in (
        "0000-01-01",
        "10000-01-01",
        "9999-12-31T24:00:00Z",
        "now",
        "\x1b[2J",
        "1e9",
        "2024-13-01",
        "\udcff",
    ):
        commands += [
            ["query", "x", "--since", value],
            ["documents", "--until", value],
            ["forget", "--since", value, "--yes"],
        ]
    for words in (["query", "x"], ["documents"], ["export"], ["forget", "--chat", "x", "--yes"]):
        commands.append([*words, "--since", ""])

    def check(done: Ended) -> None:
        assert done.code == 2
        assert (b"must be a day" if done.words[-1] else b"since must be a day") in done.err

    check_all(run_each(odd, commands), check)


def test_the_longest_question(odd: Memd) -> None:
    """Ten thousand characters on standard input are asked; more, or a stream without an end, are refused without being held."""
    assert odd("query", "-", stdin=b"where " * 1_600).returncode == 0
    assert odd("query", "-", stdin=b"where " * 170_000).returncode == 2
    assert odd("query", "-", stdin=b"\xff\xfe\x00" * 1000).returncode == 0
    assert odd("query", "-", stdin=b"x" * 2_000_000).returncode == 2


def test_its_own_export_is_the_same_memory(odd: Memd, without_vectors: Memd) -> None:
    """What was kept of all this goes out and into another memory without loss."""
    memd = without_vectors
    out = odd("export").stdout
    assert memd("ingest", "-", "--json", "--no-wait", "--format", "documents", stdin=out).returncode == 0
    assert sorted(memd("export").stdout.splitlines()) == sorted(out.splitlines())
