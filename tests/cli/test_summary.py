"""The summary of an ingest: counts, notices grouped by code, the first rejected records; nothing that writes itself."""

from __future__ import annotations

import pytest

from memd.daemon.cli.commands.stats import flat
from memd.daemon.cli.render.ingest_summary import NAMED, PLACES, IngestSummary, print_summary
from memd.daemon.client import STOPPED_MESSAGE
from memd.daemon.notices import HINTS
from memd.schemas import Notice, Rejected


def test_notices_are_grouped_and_records_counted(capsys: pytest.CaptureFixture[str]) -> None:
    """A million notices of one code take one entry; counts are whole, names are the first few."""
    summary = IngestSummary()
    for number in range(1000):
        summary.notice(Notice(code="zone-assumed", locator=f"chat\x1b[2J.txt:{number}", hint="--zone decides"))
        summary.reject(Rejected(locator=f"line {number}", reason="no time"))
    body = summary.to_wire({"run": "r", "processed": 5, "added": 5, "documents": 1, "outcome": "ok"}, 1.25)
    assert body["outcome"] == "partial"
    assert body["rejected"] == 1000
    assert [(n["code"], n["count"], len(n["places"])) for n in body["notices"]] == [("zone-assumed", 1000, PLACES)]
    assert len(body["rejected_records"]) == NAMED
    print_summary(body)
    told = capsys.readouterr().err
    assert "5 messages of 1 document in 1.2 s: 5 added, 1,000 rejected" in told
    assert "zone-assumed" in told
    assert "and 980 more" in told
    assert "\x1b" not in told


def test_what_readers_say_differently_is_told_apart() -> None:
    """Numbers do not tell two hints apart, and one code has few of them."""
    summary = IngestSummary()
    for hint in ("this chat: --me", "3 chat(s): --me", "this export: --me", "14 chat(s): --me"):
        summary.notice(Notice(code="user-unknown", locator=hint, hint=hint))
    assert [(each["hint"], each["count"]) for each in summary.notices.to_wire()] == [
        ("this chat: --me", 1),
        ("3 chat(s): --me", 2),
        ("this export: --me", 1),
    ]
    for number in range(1000):
        summary.notice(Notice(code="user-unknown", locator="x", hint=f"a hint of its own {chr(256 + number)}"))
    told = summary.notices.to_wire()
    assert (len(told), sum(each["count"] for each in told)) == (HINTS, 1004)


def test_objects_in_lists_are_lines() -> None:
    """Each in one line, without what is empty or 0; a process has a number without separators."""
    body = {"pid": 12345, "last_runs": [{"run": "r", "outcome": "ok", "added": 1000, "failed": 0}], "running": []}
    assert list(flat(body)) == [
        "pid        12345", "last runs", "  run r · outcome ok · added 1,000", "running    –",
    ]  # fmt: skip


def test_what_waits_for_vectors_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    """With --no-wait, the rest is left to the next owner, and the summary says so."""
    body = IngestSummary().to_wire({"processed": 9, "added": 9, "to_embed": 9, "embedded": 2}, 0.0)
    assert body["vectors"] == {"done": 2, "pending": 7}
    print_summary(body)
    assert "7 vectors to go" in capsys.readouterr().err


def test_what_was_forgotten_is_told_with_the_way_back(capsys: pytest.CaptureFixture[str]) -> None:
    """Why it is left out, and the command that lets it come back."""
    body = IngestSummary().to_wire({"processed": 4, "added": 1, "forgotten": 3, "documents": 2, "outcome": "ok"}, 0.0)
    print_summary(body, "memd ingest --allow-again x.zip")
    assert capsys.readouterr().err.splitlines() == [
        "4 messages of 2 documents: 1 added, 3 left out",
        "3 messages left out: `memd forget` deleted them for good, and no import brings them back by itself",
        "to let them come back: memd ingest --allow-again x.zip",
    ]


def test_a_memd_that_ended_before_the_vectors_were_counted_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    """The command ends with another code than 0 then, so it says why; not where vectors that are counted are missing."""
    last = {"processed": 1, "documents": 1, "added": 1, "outcome": "partial", "detail": STOPPED_MESSAGE}
    for more, told in (({}, "memd ended"), ({"to_embed": 2}, "2 vectors to go")):
        print_summary(IngestSummary().to_wire(last | more, 0.0))
        _, line = capsys.readouterr().err.splitlines()
        assert line.startswith(told)
