"""Summarises an ingest, for people and for programs: counts, notices grouped by their code, unreadable records."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ...client import STOPPED_MESSAGE
from ...notices import PLACES, Notices
from .status import stopped_model
from .terminal import counted, one_line, place, say, say_command

if TYPE_CHECKING:
    from ....schemas import Notice, Rejected

NOT_STORED = "kept, not stored yet: "
"""The beginning of the daemon's message that documents could not be stored."""
_FORBIDDEN = os.strerror(errno.EACCES)
NAMED = 20
"""The maximum number of rejected records that are listed."""


@dataclass(slots=True)
class IngestSummary:
    """Collects while it goes; in constant memory, however much there is to say."""

    notices: Notices = field(default_factory=Notices)
    rejected: int = 0
    named: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """Locator and reason of the first rejected records."""

    def notice(self, notice: Notice) -> None:
        """Count it under its code."""
        self.notices.add(notice)

    def reject(self, record: Rejected, records: int = 1) -> None:
        """Count it, which may stand for several, and name the first ones."""
        self.rejected += records
        if len(self.named) < NAMED:
            self.named.append((record.locator, record.reason))

    def to_wire(self, last: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        """One JSON object, from the last progress update and what was collected."""
        counts = ("documents", "added", "updated", "unchanged", "failed", "forgotten")
        pending = max(0, int(last.get("to_embed", 0)) - int(last.get("embedded", 0)))
        done = sum(int(last.get(name, 0)) for name in counts[1:])
        waiting = int(last.get("waiting", 0))
        left = max(0, int(last.get("processed", 0)) - done) if waiting else 0
        return {
            "run": last.get("run", ""),
            "outcome": self.outcome(last),
            "messages": int(last.get("processed", 0)),
            **{name: int(last.get(name, 0)) for name in counts},
            "documents": int(last.get("documents", 0)) + waiting,
            "waiting": {"messages": left, "documents": waiting},
            "detail": str(last.get("detail") or ""),
            "rejected": max(self.rejected, int(last.get("rejected", 0))),
            "vectors": {"done": int(last.get("embedded", 0)), "pending": pending},
            "took_s": round(seconds, 2),
            "notices": self.notices.to_wire(),
            "rejected_records": [{"locator": place, "reason": reason} for place, reason in self.named],
        }

    def outcome(self, last: Mapping[str, Any]) -> str:
        """``ok``, ``partial`` or ``failed``."""
        word = str(last.get("outcome") or "ok")
        return "partial" if word == "ok" and self.rejected else word


def print_summary(body: Mapping[str, Any], again: str = "memd ingest --allow-again PATH") -> None:
    """The object of `IngestSummary.to_wire` in a few lines.

    Args:
        body: the object.
        again: the command that lets forgotten messages come back.
    """
    parts = [f"{body['added']:,} added"]
    parts += [f"{body[name]:,} {name}" for name in ("updated", "unchanged", "rejected", "failed") if body[name]]
    parts += [f"{body['forgotten']:,} left out"] if body["forgotten"] else []
    waiting: Mapping[str, Any] = body["waiting"]
    parts += [f"{waiting['messages']:,} kept but not stored yet"] if waiting["documents"] else []
    took = f" in {body['took_s']:.1f} s" if body["took_s"] >= 0.05 else ""
    say(f"{_size(body)} of {counted(body['documents'], 'document')}{took}: {', '.join(parts)}")
    if body["forgotten"]:
        one = body["forgotten"] == 1
        who = f"{counted(body['forgotten'], 'message')} left out: `memd forget` deleted {'it' if one else 'them'} for good"
        say(f"{who}, and no import brings {'it' if one else 'them'} back by itself")
        say_command(f"to let {'it' if one else 'them'} come back:", again)
    if waiting["documents"]:
        why = one_line(body["detail"].removeprefix(NOT_STORED))
        if why:
            say(f"not stored yet: {why}{'; free some space' if 'disk is full' in why else ''}")
        say("nothing of them is lost: the next memd that runs stores them; sent again they count as unchanged")
    if body["vectors"]["pending"]:
        say(
            f"{counted(body['vectors']['pending'], 'vector')} to go: the next memd that runs makes them; words work now"
        )
    elif not waiting["documents"] and body["detail"] == STOPPED_MESSAGE:  # nobody had counted the vectors yet
        say("memd ended when all was stored: the next memd that runs makes the vectors that are missing")
    _print_unread(body.get("reading") or {})
    print_notices(body["notices"])
    for record in body["rejected_records"]:
        say(f"not read: {place(record['locator'], 80)}: {one_line(record['reason'])}")
    hidden = body["rejected"] - len(body["rejected_records"])
    if hidden > 0 and body["rejected_records"]:
        say(f"          … and {hidden:,} more; `memd parse` lists all")
    if any(record["reason"] == _FORBIDDEN for record in body["rejected_records"]):
        say("hint: memd may read what you may read: chmod u+r FILE where it is yours, else ask whose it is")


def _print_unread(reading: Mapping[str, Any]) -> None:
    """Print which documents are still to be read for facts, and why."""
    if reading.get("unread"):
        unread, batches = counted(reading["unread"], "document"), reading.get("batches", 0)
        if reading.get("stopped"):
            say(f"{unread} read for facts by rules alone: {stopped_model(reading)}")
        elif reading.get("trouble"):
            read = (
                "read for facts by rules alone"
                if reading.get("by_rules") == reading["unread"]
                else "not read for facts"
            )
            say(f"{unread} {read}: {one_line(reading['trouble'])}; the next ingest or `memd serve` goes on")
        elif batches:
            say(f"{unread} to be read for facts when {counted(batches, 'batch', 'batches')} of questions are answered")
            say("the next ingest, or `memd serve`, takes the answers in; `memd status` tells of them")
        else:
            say(f"{unread} to be read for facts: the next memd that runs does")


def _size(body: Mapping[str, Any]) -> str:
    """Return the number of messages, and of texts and events, which the counts of a run include as messages."""
    contents: Mapping[str, Any] = body.get("contents") or {}
    messages = int(body["messages"])
    others: list[str] = []
    for name in ("text", "event"):
        count = min(int(contents.get(f"{name}s", 0)), messages)
        others += [counted(count, name)] if count else []
        messages -= count
    parts = [*([counted(messages, "message")] if messages or not others else []), *others]
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if parts[1:] else parts)


def print_notices(notices: Iterable[Mapping[str, Any]], of: str = "") -> None:
    """Each with its first places; ``of`` names what they are about, where that is not plain."""
    for notice in notices:
        more = f" (and {notice['count'] - len(notice['places']):,} more)" if notice["count"] > PLACES else ""
        where = ", ".join(place(each, 60) for each in notice["places"])
        say(f"note: {f'{one_line(of)}: ' if of else ''}{one_line(notice['hint'])}")
        say(f"      [{one_line(notice['code'])}] {where}{more}")


def stopped_lines(
    last: Mapping[str, Any], kept: int, *, all_sent: bool, by_itself: bool, unanswered: bool = False
) -> Iterator[str]:
    """Yield the summary after Ctrl-C: what is safe, what is missing, and the next step.

    Args:
        last: the last progress update; empty before the first.
        kept: number of messages that are acknowledged.
        all_sent: everything was read and kept.
        by_itself: a daemon goes on with what it was given.
        unanswered: of some that were sent it is not known whether they were kept.
    """
    who = "the running memd" if by_itself else "the next memd that runs"
    messages = counted(kept, "message")
    if not all_sent and unanswered:
        yield f"stopped while reading: {messages} kept for certain, and more if what was on its way arrived"
        yield "next: the same command reads the rest, and doubles nothing; `memd runs` tells what was kept"
    elif not all_sent:
        yield f"stopped while reading: {messages} kept, nothing is lost or doubled"
        yield "next: the same command reads the rest"
    elif _stored(last) < kept:  # the last update of a run that was stopped is of the stage ``done``, whatever it did
        yield f"stopped while storing: {messages} kept, nothing is lost or doubled"
        yield f"{who} stores the rest"
    elif (done := int(last.get("embedded", 0))) < (total := int(last.get("to_embed", 0))):
        yield f"stopped while vectors were made: {done:,} of {total:,} are done"
        yield f"{messages} stored, and found by {'its' if kept == 1 else 'their'} words; {who} makes the other vectors"
    elif not total and last.get("detail") == STOPPED_MESSAGE:  # nobody had counted yet what waits for a vector
        yield f"stopped when all was stored: {messages}; {who} makes the vectors that are missing"
    else:
        yield f"stopped at the end: {messages} stored, and all vectors made"


def _stored(last: Mapping[str, Any]) -> int:
    """Messages that need no storing any more."""
    return sum(int(last.get(name, 0)) for name in ("added", "updated", "unchanged", "failed", "forgotten"))
