"""The flags of `memd sources`, `memd sync` and of reading: each changes what is kept of a source, or what is read of it."""

from __future__ import annotations

import json
import os
import shlex
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memd.daemon.cli import main
from memd.tests.cli.conftest import Home, served

CHAT = "03/04/2024, 12:30 - Ann: the boat is blue\n03/04/2024, 12:31 - Bob: I live in Rome\n"
READING = {
    "--chat 'Club {verb}'": {"title": "Club {verb}"},
    "--zone Asia/Tokyo": {"time": "2024-04-03T12:30:00+09:00"},
    "--date-order mdy": {"time": "2024-03-04T12:30:00Z"},
    "--me Bob": {"user": "Bob"},
    "--format notes": {"text": CHAT},
}
"""By flag of reading, what is read with it, and not without; `{verb}` keeps apart what several verbs read."""
NEW = {
    "--name boats": ("name", "boats"),
    "--watch": ("watch", True),
    "--schedule '30 1 * * *'": ("schedule", "30 1 * * *"),
    "--every 6h": ("schedule", "every 6h"),
    "--jitter 7": ("jitter_s", 7.0),
    "--grace 8": ("misfire_grace_s", 8.0),
    "--move-to /elsewhere": ("move_to", "/elsewhere"),
    "--delete-read": ("after_read", "delete"),
    "--me Ann": ("me", "Ann"),
    "--chat Club": ("chat", "Club"),
    "--zone Asia/Tokyo": ("zone", "Asia/Tokyo"),
    "--date-order ymd": ("date_order", "ymd"),
    "--format whatsapp": ("format", "whatsapp"),
}
"""By flag, the setting that it makes."""
CHANGED = {given: told for given, told in NEW.items() if not given.startswith("--name")} | {
    "--path /usr/share": ("path", "/usr/share"),
    "--no-watch": ("watch", False),
    "--keep-read": ("after_read", None),
    "--reset zone": ("zone", None),
}
"""The same of a source that is watched, deletes what it has read, and reads times of New York."""


@pytest.fixture(scope="module")
def answering() -> Iterator[Home]:
    """A daemon with a memory of next to nothing."""
    with served({"note.md": "# A note\n"}, TZ="UTC") as home:
        yield home


@pytest.fixture
def run(
    answering: Home, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> Callable[..., tuple[bytes, bytes]]:
    """Runs a command beside the daemon: what it wrote."""
    for name, value in answering.variables.items():
        monkeypatch.setenv(name, value)

    def run(*words: str) -> tuple[bytes, bytes]:
        assert main(words) == 0, capfdbinary.readouterr().err.decode()
        written = capfdbinary.readouterr()
        return written.out, written.err

    return run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Of one chat, whose day can be read in two ways."""
    path = tmp_path / f"exports {tmp_path.name[-2:]}"
    path.mkdir()
    chat = path / "WhatsApp Chat with Two.txt"
    chat.write_text(CHAT)
    os.utime(chat, (time.time() - 60, time.time() - 60))
    return path


def settings_of(run: Callable[..., tuple[bytes, bytes]], name: str) -> dict[str, Any]:
    """What is kept of a source."""
    shown = json.loads(run("sources", "show", name, "--json")[0])
    return shown["settings"] | {key: shown[key] for key in ("name", "path", "watch", "schedule")}


@pytest.mark.slow
@pytest.mark.parametrize("given", NEW)
def test_a_new_source_is_as_it_was_told(given: str, folder: Path, run: Callable[..., tuple[bytes, bytes]]) -> None:
    """And otherwise has the default."""
    setting, value = NEW[given]
    for flags in ([], shlex.split(given)):
        name = json.loads(run("sources", "add", "folder", str(folder), *flags, "--json")[0])["name"]
        assert (settings_of(run, name).get(setting) == value) == bool(flags)
        run("sources", "remove", name)


@pytest.mark.slow
@pytest.mark.parametrize("given", CHANGED)
def test_a_source_changes_as_it_is_told(given: str, folder: Path, run: Callable[..., tuple[bytes, bytes]]) -> None:
    """One setting, and no other."""
    setting, value = CHANGED[given]
    watch = [] if given == "--watch" else ["--watch"]
    after = [] if given == "--delete-read" else ["--delete-read"]
    run("sources", "add", "folder", str(folder), "--zone", "America/New_York", *watch, *after)
    before = settings_of(run, folder.name)
    run("sources", "set", folder.name, *shlex.split(given))
    now = settings_of(run, folder.name)
    run("sources", "remove", folder.name)
    assert (before.get(setting) == value, now.get(setting)) == (False, value)
    other = {setting, "after_read"} if setting == "move_to" else {setting}
    assert {key: each for key, each in now.items() if key not in other} == {
        key: each for key, each in before.items() if key not in other
    }


def read_of(document: dict[str, Any]) -> dict[str, str]:
    """What the flags of reading change."""
    if "content" in document:
        return {"text": document["content"]}
    conversation, metadata = document["conversation"], document["metadata"]
    return {
        "title": metadata["title"],
        "time": conversation["conversation"][0]["time"],
        "user": conversation["user"],
    }


@pytest.mark.slow
@pytest.mark.parametrize("verb", ["parse", "ingest", "sources add"])
@pytest.mark.parametrize("given", READING)
def test_an_export_is_read_as_it_was_told(
    verb: str, given: str, folder: Path, run: Callable[..., tuple[bytes, bytes]]
) -> None:
    """The chat's title, the zone of its times, the order of its dates, the user, the format; by each verb that reads."""
    found: list[dict[str, str]] = []
    for number, more in enumerate(([], shlex.split(given.format(verb=verb)))):
        flags = more if "--zone" in more else [*more, "--zone", "UTC"]
        (chat,) = folder.iterdir()
        chat.rename(folder / f"WhatsApp Chat with {verb} {number}{given[:6]}.txt")
        if verb == "parse":
            (line,) = run("parse", str(folder), *flags)[0].splitlines()
        else:
            before = {each["id"] for each in json.loads(run("documents", "-k", "1000", "--json")[0])["documents"]}
            if verb == "ingest":
                run("ingest", str(folder), *flags)
            else:
                run("sources", "add", "folder", str(folder), *flags)
                run("sync", folder.name, "--wait")
                run("sources", "remove", folder.name)
            after = {each["id"] for each in json.loads(run("documents", "-k", "1000", "--json")[0])["documents"]}
            (new,) = after - before
            (line,) = run("export", "--document", new)[0].splitlines()
        found.append(read_of(json.loads(line)))
    without, told = found
    expected = {name: value.format(verb=verb) for name, value in READING[given].items()}
    assert expected.items() <= told.items()
    assert not expected.items() & without.items()


def test_the_formats_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a daemon or a store, for people and for programs."""
    assert main(["sources", "--formats"]) == 0
    told = capsys.readouterr().out
    assert "\ntelegram\n  Telegram Desktop: result.json" in told
    assert "\n  not read: " in told
    assert main(["sources", "--formats", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)["formats"]
    assert {"name", "reads", "leaves_out"} == set(listed[0])
