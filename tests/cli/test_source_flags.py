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
from memd.tests.cases import check_all
from memd.tests.cli.conftest import Home, served

CHAT = "03/04/2024, 12:30 - Ann: the boat is blue\n03/04/2024, 12:31 - Bob: I live in Rome\n"
READING = {
    "--chat Club": {"title": "Club"},
    "--zone Asia/Tokyo": {"time": "2024-04-03T12:30:00+09:00"},
    "--date-order mdy": {"time": "2024-03-04T12:30:00Z"},
    "--me Bob": {"user": "Bob"},
    "--format notes": {"text": CHAT},
}
"""By flag of reading, what is read with it, and not without."""
TOGETHER = ["--chat Club --zone Asia/Tokyo --date-order mdy --me Bob", "--format notes"]
"""The same flags on few command lines, for a reading that costs a process."""

NEW = {
    "--name boats": ("name", "boats"),
    "--watch": ("watch", True),
    "--schedule '30 1 * * *'": ("schedule", "30 1 * * *"),
    "--every 6h": ("schedule", "every 6h"),
    "--jitter 7": ("jitter_s", 7.0),
    "--grace 8": ("misfire_grace_s", 8.0),
    "--move-to /elsewhere": ("move_to", "/elsewhere"),
    "--delete-read": ("after_read", "delete"),
    "--mirror": ("mirror", True),
    "--me Ann": ("me", "Ann"),
    "--chat Club": ("chat", "Club"),
    "--zone Asia/Tokyo": ("zone", "Asia/Tokyo"),
    "--date-order ymd": ("date_order", "ymd"),
    "--format whatsapp": ("format", "whatsapp"),
}
"""By flag, the setting that it makes."""
CHANGED = {given: told for given, told in NEW.items() if given.split()[0] not in ("--name", "--mirror")} | {
    "--path /usr/share": ("path", "/usr/share"),
    "--no-watch": ("watch", False),
    "--keep-read": ("after_read", None),
    "--reset zone": ("zone", None),
}
"""The same of a source that is watched, deletes what it has read, and reads times of New York."""


@pytest.fixture(scope="module")
def answering() -> Iterator[Home]:
    """A daemon with a memory of next to nothing, without vectors."""
    with served({"note.md": "# A note\n"}, TZ="UTC", MEMD_EMBEDDING_ENABLED="false") as home:
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


def settings_of(run: Callable[..., tuple[bytes, bytes]], name: str) -> dict[str, Any]:
    """What is kept of a source."""
    shown = json.loads(run("sources", "show", name, "--json")[0])
    return shown["settings"] | {key: shown[key] for key in ("name", "path", "watch", "schedule")}


@pytest.mark.slow
def test_a_new_source_is_as_it_was_told(tmp_path: Path, run: Callable[..., tuple[bytes, bytes]]) -> None:
    """Each flag makes its setting, which is another without it."""

    def settings_with(*flags: str) -> dict[str, Any]:
        name = json.loads(run("sources", "add", "folder", str(tmp_path), *flags, "--json")[0])["name"]
        settings = settings_of(run, name)
        run("sources", "remove", name)
        return settings

    without = settings_with()

    def check(given: str) -> None:
        setting, value = NEW[given]
        assert without.get(setting) != value
        assert settings_with(*shlex.split(given)).get(setting) == value

    check_all(NEW, check)


@pytest.mark.slow
def test_a_source_changes_as_it_is_told(tmp_path: Path, run: Callable[..., tuple[bytes, bytes]]) -> None:
    """One setting, and no other."""
    name = tmp_path.name

    def check(given: str) -> None:
        setting, value = CHANGED[given]
        watch = [] if given == "--watch" else ["--watch"]
        after = [] if given == "--delete-read" else ["--delete-read"]
        run("sources", "add", "folder", str(tmp_path), "--zone", "America/New_York", *watch, *after)
        try:
            before = settings_of(run, name)
            run("sources", "set", name, *shlex.split(given))
            now = settings_of(run, name)
        finally:
            run("sources", "remove", name)
        assert (before.get(setting) == value, now.get(setting)) == (False, value)
        other = {setting, "after_read"} if setting == "move_to" else {setting}
        assert {key: each for key, each in now.items() if key not in other} == {
            key: each for key, each in before.items() if key not in other
        }

    check_all(CHANGED, check)


@pytest.mark.slow
def test_a_source_becomes_a_mirror_and_is_none_again(tmp_path: Path, run: Callable[..., tuple[bytes, bytes]]) -> None:
    """It says so in its line; a source that deletes or moves what it has read is none."""
    name = tmp_path.name
    run("sources", "add", "folder", str(tmp_path))
    try:
        assert b"(mirror)" in run("sources", "set", name, "--mirror")[0]
        assert settings_of(run, name)["mirror"] is True
        assert main(("sources", "set", name, "--delete-read")) == 2
        assert b"(mirror)" not in run("sources", "set", name, "--no-mirror")[0]
        run("sources", "set", name, "--mirror")
        run("sources", "set", name, "--reset", "mirror")
        assert "mirror" not in settings_of(run, name)
    finally:
        run("sources", "remove", name)


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
def test_an_export_is_read_as_it_was_told(verb: str, tmp_path: Path, run: Callable[..., tuple[bytes, bytes]]) -> None:
    """The chat's title, the zone of its times, the order of its dates, the user, the format; by each verb that reads."""
    count = 0

    def stored() -> set[str]:
        return {each["id"] for each in json.loads(run("documents", "-k", "1000", "--json")[0])["documents"]}

    def read_with(given: str) -> dict[str, str]:
        """A chat of its own, whose day can be read in two ways, as it is read with these flags."""
        nonlocal count
        count += 1
        chat = f"{verb} {count}"
        folder = tmp_path / f"exports {chat}"
        folder.mkdir()
        export = folder / f"WhatsApp Chat with {chat}.txt"
        export.write_text(CHAT)
        os.utime(export, (time.time() - 60, time.time() - 60))
        flags = shlex.split(given.replace("Club", f"'Club of {chat}'"))
        flags += [] if "--zone" in flags else ["--zone", "UTC"]
        if verb == "parse":
            (line,) = run("parse", str(folder), *flags)[0].splitlines()
        else:
            before = stored()
            if verb == "ingest":
                run("ingest", str(folder), *flags)
            else:
                run("sources", "add", "folder", str(folder), *flags)
                run("sync", folder.name, "--wait")
                run("sources", "remove", folder.name)
            (new,) = stored() - before
            (line,) = run("export", "--document", new)[0].splitlines()
        return {name: value.replace(f" of {chat}", "") for name, value in read_of(json.loads(line)).items()}

    without = read_with("")

    def check(line: str) -> None:
        expected: dict[str, str] = {}
        for given, effect in READING.items():
            if given in line:
                expected |= effect
        if "--zone" in line and "--date-order" in line:
            expected["time"] = "2024-03-04T12:30:00+09:00"
        assert expected.items() <= read_with(line).items()
        assert not expected.items() & without.items()

    check_all(TOGETHER if verb == "sources add" else READING, check)


def test_the_formats_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a daemon or a store, for people and for programs."""
    assert main(["sources", "--formats"]) == 0
    told = capsys.readouterr().out
    assert "\ntelegram\n  Telegram Desktop: result.json" in told
    assert "\n  not read: " in told
    assert main(["sources", "--formats", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)["formats"]
    assert {"name", "reads", "leaves_out"} == set(listed[0])
