"""What a run did can be told, done again and taken back."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memd.memory.extraction.statement import Statement
from memd.tests.facts.fact_actions import applied, difference
from memd.tests.facts.labelled import Case, cases, resolve_all

SAID = [each for case in list(cases())[::7] for each in case.statements]


@given(st.sets(st.integers(0, len(SAID) - 1), max_size=20), st.sets(st.integers(0, len(SAID) - 1), max_size=20))
def test_a_difference_leads_from_one_state_to_the_other_and_back(one: set[int], other: set[int]) -> None:
    """Applied it gives the later state, undone the earlier; nothing untouched is in it, and each action has a reason."""
    before = resolve_all([SAID[index] for index in one])
    after = resolve_all([SAID[index] for index in other])
    actions = difference(before, after)
    assert applied(before, actions) == sorted(after, key=lambda fact: fact.key)
    assert applied(after, [action.undone for action in actions]) == sorted(before, key=lambda fact: fact.key)
    assert all(action.reason and action.before != action.after for action in actions)
    assert difference(after, after) == []


def told(before: list[Statement], after: list[Statement]) -> list[tuple[str, str]]:
    """What is said of a change."""
    return [(action.kind, action.reason) for action in difference(resolve_all(before), resolve_all(after))]


def first(topic: str) -> Case:
    """The first case of a topic."""
    return next(case for case in cases() if case.topic == topic)


def test_reasons_say_what_happened() -> None:
    """A move supersedes, a sale retracts, the same again repeats, and an undo takes back."""
    porto, lisbon = first("moved").statements
    assert told([], [porto]) == [("ADD", "new")]
    assert told([porto], [porto, lisbon]) == [("UPDATE", "superseded by “Lisbon”"), ("ADD", "supersedes “Porto”")]
    assert told([porto, lisbon], [porto]) == [
        ("UPDATE", "holds again"),
        ("DELETE", "no statement supports it any more"),
    ]
    bike, sold = first("sold").statements
    assert ("DELETE", "retracted by not “cargo bike”") in told([bike], [bike, sold])
    again = next(case for case in cases() if len(case.statements) == 3 and case.topic == "moved").statements
    assert told([again[0]], list(again[:2])) == [("NONE", "repeated")]
    past = first("past").statements
    assert told([past[0]], list(past)) == [("ADD", "was over when it was said")]
