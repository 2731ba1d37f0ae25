"""Messages about problems: what is told, how often, and the program that tells it."""

from __future__ import annotations

import json
import logging
import os
import shlex
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from memd.daemon.app import open_app
from memd.daemon.config.settings import MaintenanceSettings, NotifySettings
from memd.daemon.service.notifications import AGAIN, Notifier, run_program
from memd.daemon.service.problems import Problem, problems_of, sentence
from memd.daemon.service.requests import SyncRequest
from memd.memory.llm.chat import Usage
from memd.memory.llm.ledger import LedgerEntry, LedgerStore
from memd.memory.llm.store import LLMStore
from memd.tests.cases import check_all
from memd.tests.daemon.house import talk
from memd.tests.daemon.test_service import ingest, words_only

pytestmark = pytest.mark.anyio
MAIL = Problem("failed", "source", "Mail", "failing")
NOTES = Problem("failed", "source", "Notes", "absent")
MODEL = Problem("silent", "model", "", "silent")
_RECORD = """
import json, os, sys
with open(sys.argv[1], "a") as file:
    print(json.dumps([json.load(sys.stdin), os.environ["MEMD_EVENT"], os.environ["MEMD_MESSAGE"]]), file=file)
"""


def recording(file: Path) -> str:
    """A command that appends what it gets to a file."""
    return shlex.join([sys.executable, "-I", "-c", _RECORD, str(file)])


def records(file: Path) -> list[Any]:
    """What it got."""
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


class Changing:
    """Problems and a clock that a test changes."""

    def __init__(self, settings: NotifySettings, data_dir: str = "/data") -> None:
        self.now = datetime(2024, 1, 15, tzinfo=UTC)
        self.present: Sequence[Problem] = ()
        self.notifier = Notifier(settings, self._problems, lambda: self.now, data_dir)

    async def _problems(self) -> list[Problem]:
        return list(self.present)

    async def look(self, *problems: Problem, later: timedelta = timedelta(0)) -> None:
        """Look at these problems, so much later."""
        self.now += later
        self.present = problems
        await self.notifier.look()


def status(name: str, *flags: str) -> dict[str, Any]:
    """A source or maintenance with these flags."""
    return {"name": name, "flags": list(flags)}


def test_flags_become_problems() -> None:
    """The worst of each event; what is only paused or incomplete is none; overdue only where something is scheduled."""

    def problems(sources: Sequence[dict[str, Any]], **more: Any) -> list[tuple[str, str, str, str]]:
        options: dict[str, Any] = {"model_stopped": False, "model_silent": False, "scheduled": True}
        found = problems_of(sources, more.pop("maintenance", ()), **options | more)
        return [(each.event, each.kind, each.name, each.flag) for each in found]

    both = status("Mail", "overdue", "failing", "silent")
    assert problems([both]) == [("failed", "source", "Mail", "overdue"), ("silent", "source", "Mail", "silent")]
    assert problems([both], scheduled=False)[0][3] == "failing"
    assert problems([status("Mail", "paused"), status("Notes", "incomplete", "unreadable")]) == []
    assert problems((), maintenance=[status("backup", "failing")]) == [("failed", "maintenance", "backup", "failing")]
    assert problems((), model_silent=True) == [("silent", "model", "", "silent")]
    assert problems((), model_silent=True, model_stopped=True) == [("failed", "model", "", "stopped")]


def test_the_sentence_is_plain() -> None:
    """One line, whatever the name of a source."""
    assert sentence([MAIL, Problem("failed", "maintenance", "backup", "failing")]) == (
        "memd: the source Mail failed, the backup job failed; `memd status` says more"
    )
    assert sentence([Problem("silent", "source", "a\nb", "silent")]).splitlines() == [
        "memd: the source a b has brought nothing new for much longer than usual; `memd status` says more"
    ]


async def test_a_problem_is_told_when_it_is_new_and_once_a_day(tmp_path: Path) -> None:
    """One message for all of an event; one that ended is new again."""
    file = tmp_path / "told"
    changing = Changing(NotifySettings(command=recording(file)))
    hour = timedelta(hours=1)
    for problems, later, messages in (
        ([MAIL], hour, 1),
        ([MAIL], hour, 1),
        ([MAIL, NOTES], hour, 2),
        ([NOTES], hour, 2),
        ([MAIL, NOTES], hour, 3),
        ([MAIL, NOTES, MODEL], hour, 4),
        ([MAIL, NOTES, MODEL], AGAIN, 6),
        ([], hour, 6),
    ):
        await changing.look(*problems, later=later)
        assert len(records(file)) == messages
    body, event, message = records(file)[1]
    assert (event, message) == ("failed", sentence([MAIL, NOTES]))
    assert (body["event"], body["message"], body["data_dir"]) == (event, message, "/data")
    assert body["problems"] == [MAIL.to_wire(), NOTES.to_wire()]
    assert [each[1] for each in records(file)] == ["failed"] * 3 + ["silent", "failed", "silent"]


async def test_only_what_is_asked_for_is_told(tmp_path: Path) -> None:
    """Other events, or no command: nothing runs, and nothing is looked at."""
    file = tmp_path / "told"
    silent = Changing(NotifySettings(command=recording(file), on=("silent",)))
    await silent.look(MAIL)
    assert records(file) == []
    await silent.look(MAIL, MODEL)
    assert [each[1] for each in records(file)] == ["silent"]
    assert not Changing(NotifySettings()).notifier.is_on
    assert not Changing(NotifySettings(command="x", on=())).notifier.is_on


async def test_no_shell_sees_the_command(tmp_path: Path) -> None:
    """Words are what quotes make of them; a shell runs where the settings name one."""
    file = tmp_path / "told"
    words = shlex.split(f"{shlex.quote(sys.executable)} -c 'import sys; open(sys.argv[1], \"w\").write(sys.argv[2])'")
    assert await run_program([*words, str(file), "$HOME; `id` > x"], b"", {}, 30) == ""
    assert file.read_text() == "$HOME; `id` > x"
    shell = Changing(NotifySettings(command=f"sh -c 'echo \"$MEMD_EVENT\" > {file}'"))
    await shell.look(MAIL)
    assert file.read_text() == "failed\n"


async def test_a_program_that_fails_is_logged_once(caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    """Again only after it has worked."""
    switch = tmp_path / "works"
    changing = Changing(NotifySettings(command=f"test -e {switch}"))
    with caplog.at_level(logging.ERROR):
        for works, logged in ((False, 1), (False, 1), (True, 1), (False, 2)):
            switch.touch() if works else switch.unlink(missing_ok=True)
            await changing.look(MAIL, later=AGAIN)
            assert len(caplog.records) == logged
    assert caplog.records[0].getMessage() == "a message could not be sent: it ended with 1"


async def test_what_can_go_wrong_is_told() -> None:
    """No such program, another exit code, and a program that hangs with what it started, which is killed."""
    assert "cannot be started" in await run_program(["/no/such/program"], b"", {}, 30)
    assert await run_program(["sh", "-c", "exit 7"], b"x" * 1_000_000, {}, 30) == "it ended with 7"
    began = time.monotonic()
    assert await run_program(["sh", "-c", "sleep 600 & sleep 600"], b"", {}, 0.3) == "it took longer than 0.3 s"
    assert time.monotonic() - began < 300


async def test_the_desktop_is_told_where_there_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By notify-send, with the sentence as its last word; without the program nothing happens."""
    changing = Changing(NotifySettings(desktop=True))
    monkeypatch.setenv("PATH", str(tmp_path))
    await changing.look(MAIL)
    program = tmp_path / "notify-send"
    program.write_text(f'#!/bin/sh\nfor word in "$@"; do echo "$word"; done > {tmp_path}/told\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}/bin{os.pathsep}/usr/bin")
    await changing.look(MAIL, later=AGAIN)
    words = (tmp_path / "told").read_text().splitlines()
    assert words[-2:] == ["memd", sentence([MAIL]).removeprefix("memd: ")]


def test_a_command_that_is_none_is_refused() -> None:
    """An open quote, nothing but blanks, a NUL."""

    def check(value: str) -> None:
        with pytest.raises(ValidationError):
            NotifySettings(command=value)

    check_all(["mail 'x", " ", "a\0b"], check)


async def test_a_night_without_a_daemon_does_what_is_due_and_tells(tmp_path: Path) -> None:
    """The first night notes when it began; the next does the backup, whose failure is told; a day later all is well."""
    now = [datetime(2024, 1, 15, 3, tzinfo=UTC)]
    file, target = tmp_path / "told", tmp_path / "backups"
    target.write_text("a file where the folder should be")
    settings = words_only(tmp_path / "data").model_copy(
        update={
            "maintenance": MaintenanceSettings(backup_to=target, doctor_schedule=""),
            "notify": NotifySettings(command=recording(file)),
            "zone": "UTC",
        }
    )

    async def night() -> list[tuple[str, str]]:
        async with open_app(settings, serve=False, clock=lambda: now[0]) as service:
            report = await service.sync(SyncRequest(wait=True, nightly=True), lambda _: None)
            return [(each["source"], each["outcome"]) for each in report.get("maintenance", ())]

    assert await night() == []
    now[0] += timedelta(days=1)
    assert await night() == [("backup", "failed"), ("prune", "ok")]
    assert [(each[1], each[0]["problems"][0]["name"]) for each in records(file)] == [("failed", "backup")]
    assert await night() == []  # nothing is due twice, and what lasts is told every night
    assert len(records(file)) == 2
    target.unlink()
    now[0] += timedelta(days=1)
    assert await night() == [("backup", "ok"), ("prune", "ok")]
    assert len(records(file)) == 2


async def test_a_model_that_answered_before_and_answers_no_more_is_silent(tmp_path: Path) -> None:
    """Only where messages have waited for it for more than a day: in status, health and metrics."""
    ahead = [timedelta(0)]
    model = {"model": "m", "base_url": "http://127.0.0.1:9/v1", "api_key_env": ""}
    settings = words_only(tmp_path, llm=model)
    async with open_app(settings, serve=False, clock=lambda: datetime.now(UTC) + ahead[0]) as service:

        async def is_silent() -> bool:
            told = "silent_since" in (await service.status())["reading"]
            assert ("model" in (await service.status())["degraded"]) is told
            assert ("model" in (await service.health_with_sources())["degraded"]) is told
            assert f"memd_model_silent {float(told)}".encode() in await service.metrics.text()
            return told

        await ingest(service, talk("d", 2))
        ahead[0] = timedelta(days=2)
        assert not await is_silent()  # it never answered, which another message tells of
        store = LLMStore(tmp_path)
        await LedgerStore(store).add([LedgerEntry(datetime.now(UTC), "r", "s", "m", "extract", Usage(1, 1, 1))])
        store.close()
        assert not await is_silent()  # nothing came since its answer
        await ingest(service, talk("e", 2))
        assert await is_silent()
        ahead[0] = timedelta(hours=23)
        assert not await is_silent()
