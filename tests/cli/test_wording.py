"""What is made of fields: schedules, times, spans, states, what Ctrl-C left; and which pager is asked."""

from __future__ import annotations

import argparse
import io
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memd.daemon.cli import connect, in_process
from memd.daemon.cli.commands import status as status_verb
from memd.daemon.cli.commands.show import SYSTEM
from memd.daemon.cli.commands.show import _lines as show_lines  # pyright: ignore[reportPrivateUsage]
from memd.daemon.cli.render.ingest_summary import stopped_lines
from memd.daemon.cli.render.pager import pager_command, print_paged
from memd.daemon.cli.render.people import person_lines
from memd.daemon.cli.render.progress import ProgressBar
from memd.daemon.cli.render.sources import schedule_words
from memd.daemon.cli.render.status import status_lines
from memd.daemon.cli.render.terminal import joined, lasting
from memd.daemon.cli.render.wall_clock import local_time
from memd.daemon.client import STOPPED_MESSAGE
from memd.memory import file_errors
from memd.schemas import SYSTEM_SPEAKER

STATUS: dict[str, Any] = {
    "version": "1.0", "pid": 7, "uptime_s": 11_000.0, "data_dir": "/d", "degraded": [], "failures": {}, "workers": [],
    "vectors": {"done": 2_000, "pending": 3_000}, "dead_letters": 0,
    "reading": {"unread": 3, "batches": 1, "trouble": "", "unreadable": [], "given_up": 0},
    "queue": {"depth": 12, "oldest_s": 100.0, "buffered": 4},
    "running": [{"run": "r", "stage": "storing", "source": "Exports", "processed": 5, "total": 10}],
}  # fmt: skip


@pytest.fixture
def berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The clock on the wall is that of Berlin."""
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("berlin")
def test_times_are_those_of_the_clock_on_the_wall() -> None:
    """In summer and winter; what has no time there stays as it is."""
    assert local_time("2024-01-15T12:01:00Z") == "2024-01-15 13:01"
    assert local_time("2024-07-15T12:01:00+00:00") == "2024-07-15 14:01"
    assert local_time(None) == ""
    assert local_time("never\x1b") == "never\\x1b"
    assert local_time("0001-01-01T00:00:00+05:00") == "0001-01-01 00:00"


def test_a_day_without_a_time_of_day_stays_that_day(monkeypatch: pytest.MonkeyPatch) -> None:
    """West of where it was written its midnight is the day before; nobody wrote a midnight."""
    monkeypatch.setenv("TZ", "America/Los_Angeles")
    time.tzset()
    messages = [
        {"speaker": "Ann", "content": "on this day", "time": "2024-01-15T00:00:00+01:00", "time_precision": "day"},
        {"speaker": "Bob", "content": "at this time", "time": "2024-01-15T00:00:00+01:00"},
    ]
    conversation = {"people": ["Ann", "Bob"], "conversation": messages}
    lines, _ = show_lines({"document": {"id": "d", "conversation": conversation}}, None)
    monkeypatch.undo()
    time.tzset()
    assert [line for line in lines if "Ann" in line or "Bob" in line][1:] == [
        "  2024-01-15        Ann", "  2024-01-14 15:00  Bob",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("schedule", "words"),
    [
        ("45 4 * * *", "daily at 04:45"),
        ("0 5 * * 0", "Sundays at 05:00"),
        ("0 5 * * 7", "Sundays at 05:00"),
        ("30 22 * * 5", "Fridays at 22:30"),
        ("6h", "every 6h"),
        ("@daily", "@daily"),
        ("0 5 1 * 0", "0 5 1 * 0"),
        ("", ""),
    ],
)
def test_common_schedules_are_words(schedule: str, words: str) -> None:
    """Days of the week as crontab(5) counts them; any other schedule as it is written."""
    assert schedule_words(schedule) == words


def test_spans_are_words() -> None:
    """Seconds, minutes, hours, days."""
    assert [lasting(n) for n in (0.2, 89, 300, 11_000, 400_000)] == ["0 s", "89 s", "5 min", "3 h 03 min", "4 days"]


def test_a_state_is_told_in_words() -> None:
    """What is done, what waits, and for how long."""
    told = list(status_lines(STATUS, 80))
    assert told == [
        "memd         1.0, running for 3 h 03 min, process 7",
        "data         /d",
        "vectors      2,000 of 5,000 made",
        "facts        3 documents to be read; 1 batch of questions under way",
        "waiting      12 messages to be stored, the oldest for 1 min; 4 messages of",
        "               sessions that go on",
        "running      Exports: storing, 5 of 10",
    ]


def test_what_is_wrong_comes_before_what_is_well() -> None:
    """Each trouble once, with what to do about it."""
    trouble = {
        "degraded": ["queue", "vector", "generation", "pending"],
        "failures": {"storing": "the disk is full"},
        "workers": [{"worker": "writer", "error": "OSError", "count": 3}],
        "reading": STATUS["reading"] | {"trouble": "no key", "unreadable": [{"id": "notes:a", "error": "too long"}]},
        "dead_letters": 2,
    }
    told = [line[13:] for line in status_lines(STATUS | trouble, 200) if line[13:14] == "!"]
    assert told == [
        "! nothing can be stored: the disk is full; it is tried again by itself",
        "! questions are answered by words alone: the embedder does not take part",
        "! the stored vectors are of another model or chunking: `memd reindex` makes them anew",
        "! writer failed 3 times: OSError",
        "! nothing can be read for facts: no key",
        "! cannot be read for facts: notes:a: too long",
        "! 2 documents given up: `memd retry --list` says why",
    ]


@pytest.mark.parametrize(
    ("last", "all_sent", "by_itself", "told"),
    [
        ({}, False, False, "stopped while reading: 1 message kept, nothing is lost or doubled|next: the same command reads the rest"),
        ({"stage": "storing"}, True, False, "stopped while storing: 1 message kept, nothing is lost or doubled|the next memd that runs stores the rest"),
        ({"stage": "done", "added": 1, "embedded": 5, "to_embed": 1_000}, True, True, "stopped while vectors were made: 5 of 1,000 are done|1 message stored, and found by its words; the running memd makes the other vectors"),
        ({"stage": "done", "added": 1, "detail": STOPPED_MESSAGE}, True, False, "stopped when all was stored: 1 message; the next memd that runs makes the vectors that are missing"),
        ({"stage": "done", "unchanged": 1}, True, False, "stopped at the end: 1 message stored, and all vectors made"),
    ],
    ids=["reading", "storing", "embedding", "not counted", "end"],
)  # fmt: skip
def test_ctrl_c_tells_what_is_safe(last: dict[str, Any], all_sent: bool, by_itself: bool, told: str) -> None:
    """And what is missing, and who goes on with it."""
    assert "|".join(stopped_lines(last, 1, all_sent=all_sent, by_itself=by_itself)) == told


def test_ctrl_c_before_an_answer_claims_nothing() -> None:
    """What was on its way may have been kept: that is told, and who knows it."""
    told = list(stopped_lines({}, 0, all_sent=False, by_itself=True, unanswered=True))
    assert told == [
        "stopped while reading: 0 messages kept for certain, and more if what was on its way arrived",
        "next: the same command reads the rest, and doubles nothing; `memd runs` tells what was kept",
    ]


def test_the_status_of_a_full_disk_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """And names the socket in force, not the private one of this command."""
    arguments = argparse.Namespace(config=None, data_dir=str(tmp_path), socket=str(tmp_path / "s"), json=True)
    own = {"pid": os.getpid(), "uptime_s": 1.0, "socket": "/tmp/private/memd.sock"}

    def told_status(*_: object) -> dict[str, Any]:
        return STATUS | own

    def nothing(*_: object, **__: object) -> None:
        return None

    monkeypatch.setattr(status_verb, "_of_nothing", nothing)
    monkeypatch.setattr(status_verb, "request", told_status)
    assert status_verb.run(arguments) == 0
    assert json.loads(capsys.readouterr().out)["socket"] == str(tmp_path / "s")
    monkeypatch.setattr(in_process.InProcessDaemon, "work", nothing)
    for full_below, told in ((0, "now: what is"), (1 << 62, "now, for the disk is full (free some space): what is")):
        monkeypatch.setattr(file_errors, "ROOM_BYTES", full_below)
        connect._without_writing(arguments, nothing, tmp_path)  # pyright: ignore[reportPrivateUsage]
        assert told in capsys.readouterr().err


def test_parts_stay_whole() -> None:
    """A part is never broken; one that is longer than a line stands alone."""
    assert joined(["aa", "bb", "c" * 12, "d"], " · ", "  ", 10, first="-") == ["-aa · bb ·", f"  {'c' * 12} ·", "  d"]
    assert joined([], " ", "", 10) == [""]


def test_the_pager_is_the_persons_own(tmp_path: Path) -> None:
    """``$PAGER``, else less, else more; none where it would be in the way."""
    assert pager_command({"PAGER": "less -S"}) == ["less", "-S"]
    for none in (
        {"PAGER": ""},
        {"PAGER": "cat"},
        {"PAGER": "'"},
        {"PAGER": "less", "TERM": "dumb"},
        {"PATH": str(tmp_path)},
    ):
        assert pager_command(none) == []
    for name in ("more", "less"):  # the better one wins as soon as it is there
        (tmp_path / name).touch(0o755)
        assert pager_command({"PATH": str(tmp_path)}) == [name]


def test_nothing_is_paged_elsewhere_than_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """However long it is."""
    monkeypatch.setenv("PAGER", "/no/such/pager")
    stream = io.StringIO()
    print_paged(["x"] * 500, stream)
    assert stream.getvalue() == "x\n" * 500


def test_a_bar_has_its_text_at_any_width(monkeypatch: pytest.MonkeyPatch) -> None:
    """From a wide terminal to a narrow one: the bar goes, then whole parts, and no number is cut before."""

    class Screen(io.StringIO):
        """A terminal."""

        def isatty(self) -> bool:
            """It is one."""
            return True

    monkeypatch.setenv("TERM", "xterm")
    widest = 0
    for columns in range(120, 29, -1):
        monkeypatch.setenv("COLUMNS", str(columns))
        stream = Screen()
        bar = ProgressBar(stream)
        update = {"stage": "embedding", "embedded": 0, "to_embed": 123_456, "source": "Exports"}
        bar.show(update, now=10.0)
        bar.show(update | {"embedded": 23_456}, now=20.0)
        line = stream.getvalue().rpartition("\x1b[K")[2]
        assert len(line) < columns
        parts = [part for part in ("19%", "23,456/123,456", "2,346/s", "43 s left", "Exports") if part in line]
        rest = line.replace("vectors", "")
        for part in parts:
            rest = rest.replace(part, "")
        assert not rest.strip(" [█·]"), line
        assert "23,456/123,456" in parts
        assert "43 s left" in parts or columns < 50
        widest = max(widest, line.count("█") + line.count("·"))
    assert widest == 24


def test_nobody_is_the_system() -> None:
    """The name that stands for the app's own lines is the one that the nouns use."""
    assert SYSTEM == SYSTEM_SPEAKER


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (["overdue"], "  ! overdue: its time has passed and nothing ran"),
        (["schedule"], "  ! its schedule cannot be read, or is never due"),
    ],
)
def test_maintenance_that_is_unwell_says_so(flags: list[str], told: str) -> None:
    """Below its line in the status; a daemon that tells no flags has none."""
    job = {"name": "prune", "schedule": "45 4 * * *", "doing": "", "next": None, "last": None, "trouble": ""}
    well = list(status_lines(STATUS | {"maintenance": [job]}, 80))
    assert well[-1].endswith("prune  daily at 04:45  never done")
    assert list(status_lines(STATUS | {"maintenance": [job | {"flags": flags}]}, 80))[-1].strip() == told.strip()


@pytest.mark.usefixtures("berlin")
def test_a_person_is_told_by_one_clock() -> None:
    """What is known of somebody begins at the time at which the message was written here."""
    fact: dict[str, Any] = {
        "id": "f",
        "content": "Bob lives in Rome.",
        "subject": "Bob",
        "attribute": "home",
        "speaker": "Bob",
        "evidence": [],
        "observed_at": "2024-01-15T23:30:00Z",
    }
    row = {"name": "Ann", "messages": 1, "documents": 1, "first": "2024-01-15T23:30:00Z"}
    body: dict[str, Any] = {
        "names": ["Bob"], "messages": 1, "first": "2024-01-15T23:30:00Z", "last": "2024-01-15T23:30:00Z",
        "chats": [], "contacts": [row], "topics": [], "facts": [fact | {"valid_from": "2024-01-15T23:30:00Z"}],
    }  # fmt: skip
    told = "\n".join(person_lines(body, 80))
    assert told.count("2024-01-16") == 4
    assert "2024-01-15" not in told
