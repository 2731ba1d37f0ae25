"""The arranged log of decisions tells what a replay of them tells, in work that grows as they do."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.memory.people.decision_log import DecisionLog
from memd.memory.people.decisions import Action, labels_by_key, undone_numbers
from memd.tests.effort import examples
from memd.tests.executed_lines import executed_lines

Row = tuple[int, Action, Sequence[bytes], int | None]
KEYS = [f"key {number:012}".encode() for number in range(60)]


def _replayed(rows: Sequence[Row], own: Collection[bytes]) -> dict[bytes, str]:
    undone = undone_numbers([(number, target) for number, _, _, target in rows])
    standing: list[tuple[Action, Sequence[bytes]]] = [
        (action, keys) for number, action, keys, _ in rows if action != "undo" and number not in undone
    ]
    return labels_by_key(standing, own)


@st.composite
def _rows(draw: st.DrawFn) -> list[Row]:
    """Decisions on a few keys, or on so many that most have nothing to do with each other."""
    keys = st.sampled_from(KEYS[: draw(st.sampled_from([4, 12, 60]))])
    rows: list[Row] = []
    for number in range(1, draw(st.integers(1, 60)) + 1):
        action: Action = draw(st.sampled_from(["merge", "merge", "split", "undo"]))
        if action == "undo":
            rows.append((number, action, (), draw(st.integers(1, number))))  # itself: nothing is taken back
        else:
            rows.append((number, action, draw(st.lists(keys, min_size=1, max_size=4, unique=True)), None))
    return rows


@given(_rows(), st.sets(st.sampled_from(KEYS[:4])))
@settings(max_examples=examples(60))
def test_people_are_what_a_replay_of_all_decisions_gives(rows: list[Row], own: set[bytes]) -> None:
    """After each decision, where only the people are looked at whom it may change; and which decisions stand."""
    log = DecisionLog()
    people = labels_by_key([], own)
    for number, row in enumerate(rows, 1):
        concerned, labels = log.people(log.add(*row), own)
        people = {key: label for key, label in people.items() if key not in concerned} | labels
        assert people == _replayed(rows[:number], own)
    undone = undone_numbers([(number, target) for number, _, _, target in rows if target != number])
    assert {number for number, *_ in rows if not log.stands(number)} == undone
    assert log.last_standing() == max(
        (n for n, action, *_ in rows if action != "undo" and n not in undone), default=None
    )
    assert log.stands(len(rows) + 1) is None


def _random_rows(count: int) -> list[Row]:
    chance = random.Random(7)
    rows: list[Row] = []
    for number in range(1, count + 1):
        kind = chance.random()
        if kind < 0.3 and rows:
            rows.append((number, "undo", (), chance.randrange(1, number)))
        else:
            rows.append((number, "merge" if kind < 0.7 else "split", chance.sample(KEYS[:12], 3), None))
    return rows


def _apart(count: int) -> list[Row]:
    """Pairs that have nothing to do with each other; then each merge is taken back."""
    pairs: list[Row] = [
        (number, "merge", (f"a{number}".encode(), f"b{number}".encode()), None) for number in range(1, count + 1)
    ]
    return pairs + [(count + number, "undo", (), number) for number in range(1, count + 1)]


@pytest.mark.slow
@pytest.mark.parametrize("made", [_random_rows, _apart])
def test_work_grows_as_the_decisions_do(made: Callable[[int], list[Row]]) -> None:
    """Twice the decisions are little more than twice the work, where a replay for each undo would be four times."""

    def work(count: int) -> int:
        rows = made(count)

        def take() -> None:
            log = DecisionLog()
            for row in rows:
                log.people(log.add(*row), KEYS[:2])

        return executed_lines(take)

    assert work(800) < 2.6 * work(400)
