"""Inputs without measure: endless lines, endless files, a crowd of people. What is read takes bounded memory, or is refused."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from memd.connectors.formats.jsondocs.connector import DOCUMENT_CAP
from memd.connectors.opening.limits import MESSAGE_CAP
from memd.tests.e2e.conftest import Memd
from memd.tests.hostile.measuring import MIB, measured, sparse

LONG_CHAT = int(os.environ.get("MEMD_HOSTILE_BYTES", 200 * MIB))
"""Bytes of the long chat; the variable makes it as long as the disk allows."""

ONCE = pytest.mark.skipif("MEMD_TEST_COMMAND" in os.environ, reason="takes minutes, and was run from the checkout")

HEADER = b"".join(b"15/01/2024, 11:%02d - Ann: good morning\n" % n for n in range(20)) + b"15/01/2024, 12:00 - Bob: "
NEXT = b"\n15/01/2024, 12:01 - Ann: this one is read\n"

LINES = {
    "WhatsApp Chat with Bob.txt": (HEADER, NEXT),
    "noheader.txt": (b"", NEXT),
    "list.json": (b'[{"id": "a", "content": "', b'"},\n{"id": "b", "content": "this one is read"}]\n'),
    "lines.jsonl": (
        b'{"id": "c", "content": "x"}\n{"id": "a", "content": "',
        b'"}\n{"id": "b", "content": "this one is read"}\n',
    ),
    "note.md": (b"# Title\n\n", b"\nend\n"),
}


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> int:
    """The memory that reading next to nothing takes."""
    folder = tmp_path_factory.mktemp("base")
    small = folder / "WhatsApp Chat with Bob.txt"
    small.write_bytes(HEADER + b"hi" + NEXT)
    command = Memd(folder)
    done = measured(["parse", str(small)], command.environment)
    assert (done.code, done.lines) == (0, 1)
    return done.peak


@pytest.mark.parametrize("name", LINES)
@pytest.mark.parametrize(
    "kind", ["above the cap", pytest.param("1G", marks=[ONCE, pytest.mark.long, pytest.mark.timeout(300)])]
)
def test_one_endless_line(memd: Memd, tmp_path: Path, base: int, name: str, kind: str) -> None:
    """It is rejected with its place, what stands after it is read, and memory has one bound for 70 MiB and for 1 GiB."""
    before, after = LINES[name]
    cap = DOCUMENT_CAP if name.endswith(("json", "jsonl")) else MESSAGE_CAP
    size = 1024 * MIB if kind == "1G" else cap + 2 * MIB
    if size > 100 * MIB:
        path = sparse(tmp_path / name, before, size, after)
    else:
        path = tmp_path / name
        path.write_bytes(before + b"x" * size + after)
    # Zeros look like no text, so the format is named where it would have to be guessed.
    form = ["--format", "whatsapp"] if name.startswith("WhatsApp") else []
    done = measured(["parse", *form, str(path)], memd.environment, 250)
    assert done.code in (3, 4), done
    assert done.reasons()
    assert done.peak < base + min(5 * size + 20 * MIB, 420 * MIB)
    if name in ("WhatsApp Chat with Bob.txt", "lines.jsonl", "list.json"):
        assert done.lines >= 1


@pytest.mark.parametrize(
    ("part", "whole", "more"),
    [
        pytest.param(8 * MIB, 16 * MIB, 7 * MIB, id="16M"),
        pytest.param(
            LONG_CHAT // 10,
            LONG_CHAT,
            24 * MIB,
            marks=[ONCE, pytest.mark.long, pytest.mark.timeout(7200)],
            id="long",
        ),
    ],
)
def test_a_chat_of_any_length_takes_the_same_memory(
    memd: Memd, tmp_path: Path, part: int, whole: int, more: int
) -> None:
    """The peak of a part of it and of all of it, so that a chat kept in memory would show."""

    def peak(size: int) -> int:
        path = tmp_path / f"WhatsApp Chat with {size}.txt"
        minute = 0
        with path.open("wb") as file:
            while file.tell() < size:
                day, rest = divmod(minute, 1440)
                month, day = divmod(day, 28)
                year, month = divmod(month, 12)
                stamp = f"{day + 1:02}/{month + 1:02}/{year + 2000}, {rest // 60:02}:{rest % 60:02}"
                file.write("".join(f"{stamp} - Ann: message {minute} {n} {'said ' * 25}\n" for n in range(40)).encode())
                minute += 1
        try:
            done = measured(["parse", str(path)], memd.environment, 7000)
        finally:
            path.unlink()
        assert (done.code, done.lines > 0) == (0, True), done
        return done.peak

    assert peak(whole) < peak(part) + more


@pytest.mark.parametrize(
    "people",
    [20_000, pytest.param(1_000_000, marks=[ONCE, pytest.mark.long, pytest.mark.timeout(400)])],
    ids=["20k", "1M"],
)
def test_a_crowd_in_a_chat(memd: Memd, tmp_path: Path, base: int, people: int) -> None:
    """A name for every message: memory is some hundred bytes for each of them."""
    path = tmp_path / "WhatsApp Chat with Crowd.txt"
    with path.open("w") as file:
        for number in range(people):
            minute = number % 1440
            file.write(f"{1 + number // 1440 % 28:02}/01/2024, {minute // 60:02}:{minute % 60:02} - P{number}: hi\n")
    done = measured(["parse", str(path)], memd.environment, 380)
    assert done.code in (0, 4)
    assert done.lines >= 1
    assert done.peak < base + 32 * MIB + people * 1500


def test_a_crowd_in_a_document_is_kept(without_vectors: Memd) -> None:
    """Thirty-five thousand people, more than a statement of SQL takes, and one message."""
    memd = without_vectors
    people = [f"person {number}" for number in range(35_000)]
    message = {"speaker": "person 7", "content": "is anybody here?", "time": "2024-01-15T12:00:00Z"}
    conversation = {"source": "x", "people": people, "user": "person 1", "conversation": [message]}
    body = json.dumps({"id": "crowd", "conversation": conversation})
    assert memd.json("ingest", "-", stdin=body.encode())["added"] == 1
    hit = memd.json("query", "is anybody here", "--person", "person 34999")["hits"][0]
    assert hit["speaker"] == "person 7"


def test_names_and_ids_of_a_megabyte(without_vectors: Memd) -> None:
    """They are kept and found, or rejected with a reason; a listing shows them cut."""
    memd = without_vectors
    long = "x" * MIB
    documents = [
        {"id": "a", "content": "a note"},
        {"id": long, "content": "the first note"},
        {"id": "b", "content": "the second note", "metadata": {"title": long, long: "y"}, "tags": [long]},
        {"id": "c", "content": "word " * 200_000},
        {
            "id": "d",
            "conversation": {
                "source": "s",
                "people": [long],
                "user": long,
                "conversation": [{"speaker": long, "content": "the third note", "time": "2024-01-15T12:00:00Z"}],
            },
        },
    ]
    done = memd("ingest", "-", "--json", "--no-wait", stdin="\n".join(map(json.dumps, documents)).encode())
    assert done.returncode in (0, 4), done.stderr.decode()[:2000]
    assert len(done.stdout) < MIB // 2
    shown = memd("documents")
    assert shown.returncode == 0
    assert memd("query", "note").returncode == 0
