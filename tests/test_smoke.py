"""Everything once: each module imported, each format read, each verb run. The oldest Python runs this, too."""

from __future__ import annotations

import pkgutil
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from datetime import UTC
from pathlib import Path

import pytest

from memd.connectors.connector import ReadOptions
from memd.connectors.reading.read_path import read_records
from memd.daemon.cli.dispatch import build_parser
from memd.tests.cases import check_all
from memd.tests.e2e.conftest import LINES, Memd, write_chat
from memd.tests.fuzz.contract_samples import samples_by_format

OPTIONS = ReadOptions(me="Ann", zone=UTC, date_order="dmy")

VERBS: Mapping[str, tuple[str, ...] | None] = {
    "parse": ("{chat}", "--me", "Ann"),
    "ingest": ("{chat}", "--me", "Ann"),
    "query": ("where does Bob live?",),
    "show": ("{message}",),
    "documents": (),
    "ask": ("where does Bob live?",),
    "llm": ("test",),
    "audit": (),
    "facts": (),
    "history": ("{fact}",),
    "undo": ("{fact}", "--dry-run"),
    "people": (),
    "graph": ("Bob",),
    "chats": (),
    "serve": None,  # runs while the others do
    "sources": (),
    "sync": (),
    "runs": (),
    "status": (),
    "health": (),
    "install-service": ("--user", "--dry-run"),
    "uninstall-service": ("--user", "--dry-run"),
    "stats": (),
    "watch": ("--run", "{run}"),
    "forget": ("--speaker", "Bob", "--dry-run"),
    "backup": ("{folder}/backup",),
    "restore": None,  # needs a data directory without an owner: run at the end
    "export": (),
    "retry": (),
    "doctor": (),
    "migrate": ("--index", "embedded"),
    "reindex": (),
    "schema": (),
    "config": (),
    "mcp": None,  # answers what an agent asks: tests/mcp
    "completion": ("bash",),
    "demo": (),
    "eval": ("--compare", "ranking=grep,bm25"),
    "help": ("query",),
    "version": (),
}
"""By verb, words of a command that succeeds beside a daemon whose memory holds a chat."""
REFUSED = {"ask": 2, "llm": 2, "install-service": 2}
"""Exit codes of those that are refused here: there is no model, and a user's service has a socket of its own."""


@pytest.mark.slow
def test_each_module_is_imported(checkout: Path) -> None:
    """Each module of the package can be imported, the last one first."""
    names = ["memd"]
    for layer in ("schemas", "connectors", "memory", "daemon"):
        names += [each.name for each in pkgutil.walk_packages([str(checkout / layer)], f"memd.{layer}.")]
    names = [name for name in names if not name.endswith("__main__")]
    assert len(names) > 500
    program = "import sys, importlib\nfor name in sys.argv[1:]: importlib.import_module(name)"
    subprocess.run([sys.executable, "-P", "-c", program, *reversed(names)], check=True)


@pytest.mark.slow
def test_each_format_is_read(tmp_path: Path) -> None:
    """A sample of each is recognised among all formats and gives documents."""

    def check(name: str) -> None:
        _, samples = samples_by_format()[name]
        folder = tmp_path / name
        for path, data in samples[0].items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(data)
        records = list(read_records(folder, OPTIONS))
        assert any(hasattr(record, "content") for record in records)

    check_all(samples_by_format(), check)


@pytest.fixture
def memd(tmp_path: Path) -> Iterator[Memd]:
    """The command with a fresh home."""
    command = Memd(tmp_path)
    yield command
    command.end()


@pytest.mark.slow
def test_each_verb_runs(memd: Memd, tmp_path: Path) -> None:
    """As a command, beside a daemon; what a verb does is told by its own tests."""
    memd.environment["MEMD_EMBEDDING_ENABLED"] = "false"
    daemon = memd.start("serve")
    memd.until_served(daemon)
    chat = write_chat(tmp_path / "WhatsApp Chat with Two.txt", LINES)
    run = memd.json("ingest", str(chat), "--me", "Ann")["run"]
    places = {
        "chat": chat,
        "folder": tmp_path,
        "run": run,
        "message": memd.json("query", "sister")["hits"][0]["id"],
        "fact": memd.json("facts")["facts"][0]["id"],
    }
    assert sorted(VERBS) == sorted(_verbs())

    def check(verb: str) -> None:
        words = VERBS[verb]
        if words is not None:
            done = memd(verb, *(word.format(**places) for word in words))
            assert done.returncode == REFUSED.get(verb, 0), done.stderr.decode()
            assert done.stdout or done.stderr or verb == "reindex"

    check_all(VERBS, check)
    daemon.terminate()
    assert daemon.wait(60) == 0
    memd.environment["MEMD_DATA_DIR"] = str(tmp_path / "restored")
    assert memd("restore", str(tmp_path / "backup")).returncode == 0
    assert memd.json("query", "sister")["hits"]


def _verbs() -> list[str]:
    """The verbs that the parser knows."""
    shown = build_parser().format_help().partition("verbs:")[2].partition("first steps:")[0]
    return re.findall(r"^    ([a-z][a-z-]*)", shown, re.MULTILINE)
