"""Threads: gathered over the files of many days, each message once, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from itertools import chain

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.connectors.formats.slack import chat as chat_module
from memd.connectors.formats.slack.message import SlackMessage
from memd.connectors.formats.slack.threads import OpenThreads, Thread
from memd.schemas import ConversationDocument
from memd.tests.cases import for_each
from memd.tests.connectors.slack.exports import (
    DAY,
    Json,
    codes,
    documents,
    message,
    read,
    reply,
    root,
    stamp,
    workspace,
)
from memd.tests.effort import examples

FIRST = date(2024, 1, 15)


def days(entries: list[Json]) -> dict[str, object]:
    """Records in the files of their days, in UTC."""
    found: dict[str, list[Json]] = {}
    for entry in sorted(entries, key=lambda each: each["ts"]):
        day = FIRST + timedelta(seconds=10 * 3600 + int(entry["ts"].partition(".")[0]) - 1705312800)
        found.setdefault(day.isoformat(), []).append(entry)
    return dict(found)


def test_replies_of_other_days_are_in_their_thread() -> None:
    """However late a reply came, and whatever was written between."""
    entries = [
        root(0, "U0ANN", "Plan?", [60, 90 * DAY]),
        reply(60, "U0BO", "Yes", 0),
        reply(90 * DAY, "U0CY", "Late", 0),
    ]
    entries += [message(day * DAY + 5, "U0BO", f"day {day}") for day in range(100)]
    found = documents(read(workspace(days(entries))))
    assert [m.content for m in found[f"slack:T0ACME:C0GEN:{stamp(0)}"].messages] == ["Plan?", "Yes", "Late"]
    assert len(found) == 101


def test_a_thread_is_given_out_when_its_last_reply_was_read() -> None:
    """It tells when that came, so it need not be kept until the end."""
    entries = [root(0, "U0ANN", "a?", [60]), reply(60, "U0BO", "a!", 0), root(9, "U0ANN", "b?", [3 * DAY])]
    entries += [reply(3 * DAY, "U0BO", "b!", 9), *(message(day * DAY + 70, "U0CY", "x") for day in range(9))]
    order = [r.id.rpartition(":")[2] for r in read(workspace(days(entries))) if isinstance(r, ConversationDocument)]
    assert order.index(stamp(0)) == 0
    assert order.index(stamp(9)) < order.index("2024-01-19")


def test_a_reply_shown_in_the_channel_is_read_once() -> None:
    """Its copy in the channel, in the same file or in another place of it, is no second message."""
    shown = reply(60, "U0BO", "for all", 0, subtype="thread_broadcast", root={"ts": stamp(0), "text": "Plan?"})
    entries = [root(0, "U0ANN", "Plan?", [60]), shown, message(61, "U0CY", "else"), reply(60, "U0BO", "for all", 0)]
    records = read(workspace({"2024-01-15": entries}))
    found = documents(records)
    assert [m.content for m in found[f"slack:T0ACME:C0GEN:{stamp(0)}"].messages] == ["Plan?", "for all"]
    assert [m.content for m in found["slack:T0ACME:C0GEN:2024-01-15"].messages] == ["else"]
    assert "duplicate-message" in codes(records)


def test_replies_to_what_the_export_does_not_hold_are_a_thread() -> None:
    """The first message may be older than the export, or deleted: its replies stay together, with a notice."""
    entries = [reply(60, "U0BO", "yes", -DAY), reply(90, "U0CY", "no", -DAY)]
    records = read(workspace({"2024-01-15": entries}))
    (thread,) = documents(records).values()
    assert thread.id == f"slack:T0ACME:C0GEN:{stamp(-DAY)}"
    assert [m.reply_to for m in thread.messages] == [f"C0GEN:{stamp(-DAY)}"] * 2
    assert "thread-without-start" in codes(records)


def test_a_tombstone_begins_its_thread() -> None:
    """A deleted first message stands for itself."""
    gone = root(0, "USLACKBOT", "This message was deleted.", [60], subtype="tombstone", hidden=True)
    (thread,) = documents(read(workspace({"2024-01-15": [gone, reply(60, "U0BO", "why?", 0)]}))).values()
    assert [(m.kind, m.content) for m in thread.messages] == [
        ("deleted", "This message was deleted."),
        ("text", "why?"),
    ]


@for_each(
    [
        {"thread_ts": stamp(0), "reply_count": 1, "latest_reply": stamp(60)},
        {"thread_ts": stamp(0)},
        {"replies": [{"user": "U0BO", "ts": stamp(60)}]},
        {"thread_ts": stamp(0), "reply_count": 5, "latest_reply": "0000000000.000000"},
        {"thread_ts": stamp(0), "replies": "none", "latest_reply": 7, "reply_count": "1"},
    ]
)
def test_first_messages_are_recognised_by_any_of_their_signs(more: Json) -> None:
    """Exports of different times tell it differently."""
    (thread,) = documents(
        read(workspace({"2024-01-15": [message(0, "U0ANN", "a?", **more), reply(60, "U0BO", "a!", 0)]}))
    ).values()
    assert [m.content for m in thread.messages] == ["a?", "a!"]


def test_a_thread_whose_replies_are_gone_is_a_message_of_its_day() -> None:
    """No replies, no thread."""
    (day,) = documents(
        read(workspace({"2024-01-15": [message(0, "U0ANN", "a?", thread_ts=stamp(0), reply_count=0)]}))
    ).values()
    assert (day.id, day.messages[0].thread) == ("slack:T0ACME:C0GEN:2024-01-15", None)


def test_too_much_at_once_is_given_out_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """More open threads than may be kept: those that rested longest come in several documents of one id, nothing is lost."""
    monkeypatch.setattr(chat_module, "OpenThreads", lambda: OpenThreads(most_messages=20))
    entries = [message(n, "U0ANN", f"q{n}", thread_ts=stamp(n), reply_count=2) for n in range(50)]
    entries += [reply(1000 + n, "U0BO", f"a{n}", n) for n in range(50)]
    records = read(workspace({"2024-01-15": entries}))
    parts: dict[str, list[str]] = {}
    for record in records:
        if isinstance(record, ConversationDocument):
            parts.setdefault(record.id, []).extend(m.content for m in record.messages)
    assert parts == {f"slack:T0ACME:C0GEN:{stamp(n)}": [f"q{n}", f"a{n}"] for n in range(50)}
    assert "thread-without-start" not in codes(records)


@st.composite
def _threads(draw: st.DrawFn) -> list[tuple[int, int]]:
    """Messages as (thread, time), in the order of their times; a thread's first message has its time."""
    times = sorted(draw(st.lists(st.integers(1, 400), unique=True, max_size=60)))
    roots: list[int] = []
    found: list[tuple[int, int]] = []
    for time in times:
        if roots and draw(st.booleans()):
            found.append((draw(st.sampled_from(roots)), time))
        else:
            roots.append(time)
            found.append((time, time))
    return found


@settings(max_examples=examples(30), deadline=None)
@given(made=_threads(), most=st.integers(2, 30), told=st.booleans(), step=st.integers(1, 20))
def test_no_message_is_lost_or_doubled(made: list[tuple[int, int]], most: int, told: bool, step: int) -> None:
    """Whatever the limits: each thread's parts are its messages in order; with room for all, one part each."""
    last = {thread: max(time for other, time in made if other == thread) for thread, _ in made}
    for limit in (most, 10_000):
        threads = OpenThreads(most_messages=limit)
        parts: dict[str, list[list[int]]] = {}

        def take(given_out: Iterator[Thread], parts: dict[str, list[list[int]]] = parts) -> None:
            for thread in given_out:
                times = [each.fields["time"] for each in thread.once()]
                parts.setdefault(thread.stamp, []).append(times)

        for number, (thread, time) in enumerate(made):
            latest = last[thread] if told and thread == time else None
            fields = {"content": "x", "time": time}
            take(threads.add(SlackMessage(fields, str(time), time, thread=str(thread), latest=latest)))
            if number % step == 0:
                take(threads.complete(time))
        take(threads.close())
        expected: dict[str, list[int]] = {}
        for thread, time in made:
            expected.setdefault(str(thread), []).append(time)
        assert {stamp: list(chain(*each)) for stamp, each in parts.items()} == expected
        if limit == 10_000:
            assert all(len(each) == 1 for each in parts.values())
            assert threads.orphans == 0
