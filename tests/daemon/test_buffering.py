"""Batching policies on plans alone: each with its numbers, sessions beside each other, clocks that go back."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.daemon.buffering.plan import BufferKey, key_of, plan_release
from memd.daemon.buffering.policy import POLICIES, BatchingPolicy, policy_of
from memd.daemon.config.settings import IngestSettings
from memd.daemon.journal.journal import HeldEntry

NOW = 1_700_000_000.0
FOREVER = 10**9


def held(
    *ages: float, session: str = "s", tokens: int = 10, first: int = 1, messages: int = 2, size: int = 100
) -> list[HeldEntry]:
    """Lists of a session, by the seconds that they have waited."""
    return [
        HeldEntry(seq, BufferKey(session, f"l{seq}", tokens).to_text(), messages, size, NOW - age)
        for seq, age in enumerate(ages, start=first)
    ]


def released(entries: Sequence[HeldEntry], policy: BatchingPolicy | str, now: float = NOW) -> list[int]:
    """The numbers that are due."""
    return list(plan_release(entries, POLICIES[policy] if isinstance(policy, str) else policy, now).release)


def test_write_releases_five_lists_or_after_a_second() -> None:
    """Four wait, the fifth takes them along; and a second is enough."""
    assert released(held(0, 0, 0, 0), "write") == []
    assert released(held(0, 0, 0, 0, 0), "write") == [1, 2, 3, 4, 5]
    assert released(held(0.9, 0), "write") == []
    assert released(held(1.0, 0), "write") == [1, 2]


def test_round_releases_800_tokens_or_five_lists() -> None:
    """Tokens of all lists of the session together."""
    assert released(held(0, 0, tokens=399), "round") == []
    assert released(held(0, 0, tokens=400), "round") == [1, 2]
    assert released(held(0, 0, 0, 0, 0), "round") == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("policy", ["round", "hybrid"])
def test_what_is_too_large_for_a_round_goes_straight_through(policy: str) -> None:
    """And what waited before it goes with it, in order."""
    assert released([*held(0), *held(0, tokens=800, first=2)], policy) == [1, 2]


def test_hybrid_releases_five_rounds_or_after_a_minute() -> None:
    """A round is five lists or 800 tokens."""
    assert released(held(*[0.0] * 24), "hybrid") == []
    assert released(held(*[0.0] * 25), "hybrid") == list(range(1, 26))
    assert released(held(*[0.0] * 9, tokens=400), "hybrid") == []
    assert released(held(*[0.0] * 10, tokens=400), "hybrid") == list(range(1, 11))
    assert released(held(59.9), "hybrid") == []
    assert released(held(60.0), "hybrid") == [1]


@pytest.mark.parametrize("policy", ["write", "round", "hybrid"])
def test_a_conversation_that_falls_silent_is_released(policy: str) -> None:
    """Half an hour at most: every policy ends by time, and the plan says when to look again."""
    plan = plan_release(held(0), POLICIES[policy], NOW)
    assert plan.again is not None
    assert NOW < plan.again <= NOW + 1800
    assert released(held(0), policy, plan.again) == [1]


@pytest.mark.parametrize("policy", ["write", "round", "hybrid"])
def test_sessions_that_alternate_do_not_release_each_other(policy: str) -> None:
    """Four lists of each of three sessions, one after the other: nobody is full."""
    entries = [each for number in range(12) for each in held(0.0, session=f"s{number % 3}", first=number + 1)]
    assert released(entries, policy) == []
    fifth = [*entries, *held(0.0, session="s0", first=13)]
    assert released(fifth, "write") == [1, 4, 7, 10, 13]


@pytest.mark.parametrize("policy", ["write", "round", "hybrid"])
def test_a_clock_that_was_set_back_holds_nothing_up(policy: str) -> None:
    """What seems to come from the future is released."""
    assert released(held(-3600.0), policy) == [1]


def test_none_holds_nothing_back() -> None:
    """Not even what an owner with another policy held back."""
    assert not POLICIES["none"].holds
    assert released(held(0), "none") == [1]


def test_messages_and_bytes_are_limits_too() -> None:
    """Where the settings give them; what they do not give stays."""
    policy = policy_of(IngestSettings(buffer="hybrid", buffer_messages=4, buffer_bytes=1000, buffer_age_s=7.0))
    assert (policy.tokens, policy.rounds, policy.age_s, policy.idle_s) == (800, 5, 7.0, 1800.0)
    assert released(held(0), policy) == []
    assert released(held(0, 0), policy) == [1, 2]
    assert released(held(0, size=1000, messages=1), policy) == [1]


def test_a_list_of_several_documents_is_one_list() -> None:
    """A list over midnight is two documents."""
    entry = held(0)[0]
    parts = [HeldEntry(seq, entry.buffer, 1, 10, NOW) for seq in range(1, 8)]
    assert released(parts, "write") == []


def test_a_buffer_of_another_form_is_one_of_its_own() -> None:
    """Whatever the journal says, its documents are stored one day."""
    assert key_of("x") == BufferKey("x", "x", 0)
    assert key_of(BufferKey("s", "l", 7).to_text()) == BufferKey("s", "l", 7)


STEPS = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 1000), st.floats(-100, 2000, allow_nan=False), st.booleans()),
    max_size=60,
)


@given(STEPS, st.sampled_from(sorted(POLICIES)))
def test_every_list_is_released_once_and_in_order(steps: list[tuple[int, int, float, bool]], name: str) -> None:
    """Whatever comes when, in whichever session, however the clock runs, and whenever the owner changes: the plan has no
    memory of its own.
    """
    policy, now = POLICIES[name], NOW
    waiting: dict[int, HeldEntry] = {}
    out: list[int] = []
    arrived: list[tuple[int, int]] = []

    def look(time: float) -> None:
        plan = plan_release(waiting.values(), policy, time)
        for seq in plan.release:
            del waiting[seq]  # a second release would fail here
            out.append(seq)
        assert plan.held == sum(entry.messages for entry in waiting.values())
        assert not waiting or plan.again is not None

    for seq, (session, tokens, seconds, arrives) in enumerate(steps):
        now += seconds
        if arrives:
            waiting[seq] = HeldEntry(seq, BufferKey(str(session), str(seq), tokens).to_text(), 1, 1, now)
            arrived.append((session, seq))
        look(now)
    look(now + FOREVER)
    assert sorted(out) == [seq for _, seq in arrived]
    for session in range(4):
        its = [seq for own, seq in arrived if own == session]
        assert [seq for seq in out if seq in its] == its
