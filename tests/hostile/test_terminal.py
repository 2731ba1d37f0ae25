"""Nothing that came from a source, a file's name or a command line is ever obeyed by the terminal it is shown on."""

from __future__ import annotations

import json
import signal
import threading
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from memd.tests.cases import check_all
from memd.tests.command import memd_command
from memd.tests.e2e.conftest import Memd
from memd.tests.hostile.pseudoterminal import all_of, each_on_terminal, obeyed, on_terminal, start_on_terminal

EVIL = "\x1b]0;owned\x07\x1b[2J\x9b31mred\u202egnp.exe\u2066\x08\x7f\x85\u2028\ufeff\x00end"
"""A window's title, a cleared screen, a one-byte CSI, an override of the writing order, backspaces, NUL."""


def document(number: int) -> dict[str, object]:
    """A conversation whose every text is hostile."""
    said = {"speaker": f"Bob{EVIL}", "content": f"lives in Lisbon {EVIL}\r\nand {EVIL}", "time": "2024-01-15T12:01:00Z"}
    first = {"speaker": "Ann", "content": f"where does Bob live {number}?", "time": "2024-01-15T12:00:00Z"}
    return {
        "id": f"evil:{EVIL}:{number}",
        "conversation": {
            "source": f"evil{EVIL}",
            "people": ["Ann", f"Bob{EVIL}"],
            "user": "Ann",
            "conversation": [first, said],
        },
        "tags": [f"tag{EVIL}"],
        "metadata": {"title": f"title {EVIL}", "chat": f"chat{EVIL}"},
    }


def text(number: int) -> dict[str, object]:
    """A text whose every field is hostile."""
    return {
        "id": f"note:{EVIL}:{number}",
        "content": f"# Lisbon {EVIL}\n\nBob lives there {EVIL}",
        "metadata": {"title": f"note {EVIL}", "source": f"notes{EVIL}"},
    }


@pytest.fixture(scope="module")
def evil(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memd]:
    """A daemon whose store holds nothing but hostile names and texts."""
    command = Memd(tmp_path_factory.mktemp("e"))
    command.until_served(command.start("serve"))
    lines = [*map(document, range(3)), *map(text, range(2))]
    command.json("ingest", "-", stdin="".join(json.dumps(line) + "\n" for line in lines).encode())
    yield command
    command.end()


TYPED = EVIL.replace("\x00", "")
"""As far as a command line can hold it."""

COMMANDS = [
    ["query", "where does Bob live"],
    ["query", "where does Bob live", "--explain", "-k", "3"],
    ["query", "where does Bob live", "--json"],
    ["query", TYPED],
    ["query", "x", "--since", TYPED],
    ["query", "x", "-k", TYPED],
    ["documents"],
    ["documents", "--json"],
    ["documents", "--source", TYPED, "--tag", "\udcff"],
    ["show", "evil:" + TYPED],
    ["show", "\udcff\udc9b"],
    ["stats"],
    ["stats", "--json"],
    ["status"],
    ["doctor"],
    ["config"],
    ["retry"],
    ["export"],
    ["forget", "--speaker", "Ann", "--dry-run"],
    ["forget", "--speaker", "Ann", "--dry-run", "--json"],
    ["forget", "--chat", TYPED],
    ["watch", "--run", TYPED],
    [TYPED],
    ["query", "--" + TYPED],
    ["--config", "/nowhere/" + TYPED, "stats"],
    ["--data-dir", "/proc/" + TYPED, "stats"],
    ["--socket", "/tmp/" + TYPED * 9, "stats"],
    ["parse", TYPED],
    ["ingest", TYPED],
    ["schema", TYPED],
    ["backup", "/proc/" + TYPED],
    ["restore", "/proc/" + TYPED],
]


def test_no_command_lets_a_text_through(evil: Memd) -> None:
    """Results, lists, counts, errors and echoes of the command line: none holds a raw control character."""

    def check(ended: tuple[Sequence[str], int, str]) -> None:
        _, code, shown = ended
        assert shown.strip()
        assert obeyed(shown) == []
        assert code != 1, shown  # a hostile word is a usage error or finds nothing; it is never unexpected

    check_all(each_on_terminal(COMMANDS, evil.environment), check)


def test_every_text_can_be_shown(evil: Memd) -> None:
    """What a listing and an answer name can be looked up, with all that is in it."""
    hits = evil.json("query", "where does Bob live")["hits"]
    listed = [line["id"] for line in evil.json("documents")["documents"] if "\x00" not in line["id"]]
    assert hits
    identifiers = [hits[0]["id"], hits[0]["document_id"].replace("\x00", ""), *listed]
    shown = each_on_terminal([["show", identifier] for identifier in identifiers], evil.environment)
    for words, code, screen in shown:
        assert (words, code in (0, 7), obeyed(screen)) == (words, True, [])
    assert shown[0][1] == 0


def test_file_names_and_problems_are_shown_harmless(memd: Memd, tmp_path: Path) -> None:
    """Names of files, of members, notices, rejected records, the bar, the question who one is, and the summary."""
    folder = tmp_path / f"exports {EVIL}".replace("\x00", "")
    folder.mkdir()
    name = f"WhatsApp Chat with {EVIL}.txt".replace("\x00", "").replace("/", "")
    (folder / name).write_bytes(
        f"15/01/2024, 12:00 - Bob{EVIL}: hello {EVIL}\n15/01/2024, 12:01 - Ann: hi\n".encode() + b"\xff\xfe\n"
    )
    (folder / f"broken {EVIL}.json".replace("\x00", "")).write_text('{"id": "\x1b[2J", }')
    with zipfile.ZipFile(folder / "a.zip", "w") as archive:
        archive.writestr(f"../{EVIL}", "x")
        archive.writestr(f"x{EVIL}.txt", "15/01/2024, 12:00 - Bob: hi\n")
    for words in (["parse", str(folder)], ["ingest", str(folder)], ["ingest", str(folder), "--json"]):
        code, shown = on_terminal(memd_command(*words), memd.environment, answers=b"\n\n\n")
        assert obeyed(shown) == []
        assert code in (0, 3, 4), shown


@pytest.mark.parametrize("words", [["watch"], ["watch", "--json"]], ids=["bar", "json"])
def test_watching_shows_nothing_raw(evil: Memd, words: list[str]) -> None:
    """Also while a run goes on whose source and titles are hostile."""
    shown: list[str] = []
    process, terminal = start_on_terminal(memd_command(*words), evil.environment)
    reader = threading.Thread(target=lambda: shown.append(all_of(terminal, process, 240)))
    reader.start()
    for number in range(100):  # until the watcher has connected and seen the end of a run
        evil.json("ingest", "-", stdin=(json.dumps(document(100 + number)) + "\n").encode())
        if process.poll() is not None or number >= 4:
            break
    process.send_signal(signal.SIGINT)
    reader.join(250)
    process.wait(60)
    assert "ok" in shown[0]
    assert obeyed(shown[0]) == []
