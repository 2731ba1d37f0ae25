"""Decides which buffered entries to release now, and when to check again, from the entries and the time. Pure."""

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
    """The key that the journal stores with a buffered entry: enough to continue after a restart."""

    session: str
    """A hash of the chat's id, which stands in the document alone and can be forgotten with it."""
    list: str
    """The list that the document belongs to; a list may be several documents."""
    tokens: int

    def to_text(self) -> str:
        """Return the text that the journal stores."""
        return SEPARATOR.join((self.session, self.list, str(self.tokens)))


def session_key(chat: str) -> str:
    """Return a hash of the id of a session's chat."""
    return hashlib.sha256(chat.encode()).hexdigest()[:32]


def key_of(buffer: str) -> BufferKey:
    """Parse the text of `BufferKey.to_text`; any other text is a buffer of its own."""
    parts = buffer.split(SEPARATOR)
    if len(parts) == PARTS and parts[2].isdecimal():
        return BufferKey(parts[0], parts[1], int(parts[2]))
    return BufferKey(buffer, buffer, 0)


@dataclass(frozen=True, slots=True)
class ReleasePlan:
    """Entries to release, by number, and the time of the next check; None: when something comes in."""

    release: Sequence[int] = ()
    again: float | None = None
    held: int = 0
    """The number of messages that still wait."""


def plan_release(held: Iterable[HeldEntry], policy: BatchingPolicy, now: float) -> ReleasePlan:
    """Plan which buffered entries to release; those of a session go together, in order.

    Args:
        held: in any order.
        policy: the policy in force now; it also applies to entries that an earlier owner held back.
        now: seconds since 1970. An entry from the future is due: the clock was set back, and its age is unknown.
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
    """Return the time when the entries of one session are due; 0 for at once, None if time alone never makes them due."""
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
        list_tokens = sum(key.tokens for key in its)
        if _reached(list_tokens, policy.tokens):
            return True  # the list fills a round by itself, and does not wait; nor do earlier ones
        lists, tokens = lists + 1, tokens + list_tokens
        if _reached(lists, policy.lists) or _reached(tokens, policy.tokens):
            rounds, lists, tokens = rounds + 1, 0, 0
    return rounds >= policy.rounds


def _reached(value: int, limit: int | None) -> bool:
    return limit is not None and value >= limit
