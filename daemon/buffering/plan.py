"""What is to be released now, and when to look again: decided of what waits and the time. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from ..journal.journal import HeldEntry
from .policy import BatchingPolicy

SEPARATOR = "\n"
PARTS = 3


@dataclass(frozen=True, slots=True)
class BufferKey:
    """What the journal keeps with an entry that is held back: enough to go on with it after a restart."""

    session: str
    """A hash: the name of a session is in the document alone, which can be forgotten."""
    list: str
    """The list that it is of, which may be several documents."""
    tokens: int

    def to_text(self) -> str:
        """As the journal keeps it."""
        return SEPARATOR.join((self.session, self.list, str(self.tokens)))


def session_key(session: str) -> str:
    """A short name of a session, without its words."""
    return hashlib.sha256(session.encode()).hexdigest()[:32]


def key_of(buffer: str) -> BufferKey:
    """The inverse of `BufferKey.to_text`; anything else is a buffer of its own."""
    parts = buffer.split(SEPARATOR)
    if len(parts) == PARTS and parts[2].isdecimal():
        return BufferKey(parts[0], parts[1], int(parts[2]))
    return BufferKey(buffer, buffer, 0)


@dataclass(frozen=True, slots=True)
class ReleasePlan:
    """Entries to release, by number, and the time by which to look again; None: when something comes in."""

    release: Sequence[int] = ()
    again: float | None = None
    held: int = 0
    """Messages that go on waiting."""


def plan_release(held: Iterable[HeldEntry], policy: BatchingPolicy, now: float) -> ReleasePlan:
    """Which of the entries that are held back are due; those of a session go together, in their order.

    Args:
        held: in any order.
        policy: in force now; what an earlier owner held back goes by it as well.
        now: seconds since 1970. An entry from the future is due: the clock was set back, and nobody knows how old it is.
    """
    sessions: dict[str, list[HeldEntry]] = {}
    for entry in sorted(held, key=lambda entry: entry.seq):
        sessions.setdefault(key_of(entry.buffer).session, []).append(entry)
    release: list[int] = []
    times: list[float] = []
    waiting = 0
    for entries in sessions.values():
        due = due_time(entries, policy)
        if due is not None and (due <= now or any(entry.added > now for entry in entries)):
            release += [entry.seq for entry in entries]
            continue
        waiting += sum(entry.messages for entry in entries)
        times += [] if due is None else [due]
    return ReleasePlan(sorted(release), min(times, default=None), waiting)


def due_time(entries: Sequence[HeldEntry], policy: BatchingPolicy) -> float | None:
    """When the entries of one session are due; 0 at once, None never by time alone."""
    if _is_full(entries, policy):
        return 0.0
    arrivals = [entry.added for entry in entries]
    times: list[float] = []
    if policy.age_s is not None:
        times.append(min(arrivals) + policy.age_s)
    if policy.idle_s is not None:
        times.append(max(arrivals) + policy.idle_s)
    return min(times, default=None)


def _is_full(entries: Sequence[HeldEntry], policy: BatchingPolicy) -> bool:
    messages, size = sum(entry.messages for entry in entries), sum(entry.bytes for entry in entries)
    if _reached(messages, policy.messages) or _reached(size, policy.bytes):
        return True
    rounds = lists = tokens = 0
    for _, its in groupby((key_of(entry.buffer) for entry in entries), key=lambda key: key.list):
        own = sum(key.tokens for key in its)
        if _reached(own, policy.tokens):
            return True  # it fills a round by itself, and does not wait; nor does what came before it
        lists, tokens = lists + 1, tokens + own
        if _reached(lists, policy.lists) or _reached(tokens, policy.tokens):
            rounds, lists, tokens = rounds + 1, 0, 0
    return rounds >= policy.rounds


def _reached(value: int, limit: int | None) -> bool:
    return limit is not None and value >= limit
