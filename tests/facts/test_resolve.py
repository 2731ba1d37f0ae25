"""Facts are a function of the set of statements: order, repetition and batches change nothing, and undo gives back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from memd.memory.extraction.statement import Cited, Statement
from memd.memory.facts.clusters import Resolved, cluster_key
from memd.memory.facts.supersession import resolve_cluster, undecided
from memd.schemas.keys import uuid5
from memd.tests.facts.labelled import RULES, START, cases, resolve_all

VALUES = {
    "home": ["Porto", "Lisbon", "Lisbon, near the river", "New York", "York"],
    "employer": ["Quill", "Fenwick", "my own studio"],
    "occupation": ["teacher", "retired"],
    "marital_status": ["single", "married", "divorced"],
    "partner": ["Sam", "Robin"],
    "likes": ["coffee", "instant coffee", "hiking"],
    "dislikes": ["coffee", "hiking in the rain"],
    "pet": ["dog Rex", "cat Milo", "pets"],
    "plan": ["trip to Rome on 3 May", "trip to Rome on 9 May"],
    "favourite": ["colour: blue", "colour: green", "food: ramen"],
    "car": ["Golf", "red Golf"],
    "possession": ["Golf", "boat"],
    "shoe_size": ["38", "39"],
}
TOLD = [
    "It is so.",
    "Now it is so.",
    "It is also so.",
    "I used to have it so.",
    "Only for two weeks.",
    "No more, any more.",
]


@st.composite
def statement(draw: st.DrawFn) -> Statement:
    """Anything that two people may say of each other in a year."""
    attribute = draw(st.sampled_from(sorted(VALUES)))
    day = draw(st.integers(0, 40))
    message = uuid5("message", str(draw(st.integers(0, 9))))
    bound = st.none() | st.integers(-20, 60)
    start, end = draw(bound), draw(bound)
    content = draw(st.sampled_from(TOLD))
    return Statement(
        document=uuid5("document"),
        document_id="chat",
        speaker=draw(st.sampled_from(["Ana", "Ben"])),
        subject=draw(st.sampled_from(["Ana", "Ben"])),
        attribute=attribute,
        value=draw(st.sampled_from(VALUES[attribute])),
        content=content,
        evidence=(Cited(message, "m", content),),
        observed_at=START + timedelta(days=day),
        extractor=RULES,
        negated=draw(st.booleans()) and draw(st.booleans()),
        valid_from=None if start is None else START + timedelta(days=day + start),
        valid_to=None if end is None else START + timedelta(days=day + end),
        confidence=draw(st.sampled_from([0.5, 1.0])),
    )


STATEMENTS = st.lists(statement(), max_size=24)
SEEDS = st.integers(0, 2**32)


def judged(seed: int) -> Callable[[Statement, Statement], bool | None]:
    """A judge whose answers are arbitrary and always the same: yes, no or none."""

    def judge(new: Statement, old: Statement) -> bool | None:
        return (True, False, None)[uuid5(str(seed), str(new.key), str(old.key)).int % 3]

    return judge


@given(STATEMENTS, st.randoms(use_true_random=False), SEEDS)
def test_order_and_repetition_change_nothing(said: list[Statement], random: Random, seed: int) -> None:
    """Any permutation of the statements, with any of them repeated, gives the same facts."""
    again = [*said, *said[: len(said) // 2]]
    random.shuffle(again)
    assert resolve_all(again, judge=judged(seed)) == resolve_all(said, judge=judged(seed))


@given(STATEMENTS, st.integers(0, 24), SEEDS)
def test_batches_and_other_groups_change_nothing(said: list[Statement], cut: int, seed: int) -> None:
    """Each group resolved by itself, from two batches, gives its facts among all of them."""
    judge = judged(seed)
    whole = resolve_all(said, judge=judge)
    groups = {cluster_key(each, str) for each in said}
    for group in groups:
        own = [each for each in [*said[cut:], *said[:cut]] if cluster_key(each, str) == group]
        assert resolve_cluster(group, own, judge) == [fact for fact in whole if fact.cluster == group]


@given(STATEMENTS, statement(), SEEDS)
def test_undo_gives_back_what_was(said: list[Statement], extra: Statement, seed: int) -> None:
    """A statement added and taken away leaves the facts as they were; in between only its own group differs."""
    judge = judged(seed)
    said = [each for each in said if each.key != extra.key]
    before = resolve_all(said, judge=judge)
    between = resolve_all([*said, extra], judge=judge)
    group = cluster_key(extra, str)
    assert [fact for fact in between if fact.cluster != group] == [fact for fact in before if fact.cluster != group]
    assert resolve_all([each for each in [*said, extra] if each.key != extra.key], judge=judge) == before
    assert resolve_all([extra, *said], judge=judge) == between


@given(STATEMENTS, SEEDS)
def test_no_statement_is_lost_and_what_ends_what_is_told_on_both_sides(said: list[Statement], seed: int) -> None:
    """Each statement is evidence of one fact; keys are unique; who supersedes whom agrees; statuses say why."""
    facts = resolve_all(said, judge=judged(seed))
    by_key = {fact.key: fact for fact in facts}
    assert len(by_key) == len(facts)
    evidence = [each.key for fact in facts for each in fact.statements]
    assert sorted(evidence) == sorted({each.key for each in said})
    for fact in facts:
        assert fact.supersedes == (fact.retires[0] if fact.retires else None)
        assert all(by_key[key].superseded_by == fact.key for key in fact.retires)
        if fact.superseded_by is not None:
            assert fact.key in by_key[fact.superseded_by].retires
            assert fact.status != "active"
            assert fact.valid_to is not None
        else:
            assert (fact.status == "active") != fact.history
        assert fact.valid_to is None or fact.valid_from <= fact.valid_to


@given(STATEMENTS, SEEDS)
def test_values_of_a_functional_attribute_follow_each_other(said: list[Statement], seed: int) -> None:
    """What holds at one time is one value, apart from what is told as additional, passing or long over."""
    chains: dict[tuple[object, str], list[Resolved]] = {}
    for fact in resolve_all(said, judge=judged(seed)):
        if fact.attribute in ("home", "employer", "partner", "marital_status") and not (
            fact.negated or fact.beside or fact.history
        ):
            chains.setdefault((fact.cluster, fact.attribute), []).append(fact)
    for chain in chains.values():
        for earlier, later in pairwise(chain):
            assert earlier.valid_to is not None
            assert earlier.valid_to <= later.valid_from
        assert all(fact.status != "active" for fact in chain[:-1])


def test_each_question_is_asked_until_it_is_answered() -> None:
    """With all verdicts known nothing is undecided, and questions about the same pair come once."""
    for case in cases():
        for group in {cluster_key(each, str) for each in case.statements}:
            own = [each for each in case.statements if cluster_key(each, str) == group]
            pairs = undecided(group, own)
            assert len(pairs) == len({(new.key, old.key) for new, old in pairs})
            assert undecided(group, own, lambda _new, _old: False) == []


def test_a_change_called_off_gives_back_what_it_would_have_ended() -> None:
    """Moving to Berlin in June, and then not: the home is where it was."""
    case = next(case for case in cases() if case.topic == "future")
    facts = resolve_all(case.statements)
    active = [(fact.value, fact.negated, fact.valid_to) for fact in facts if fact.status == "active"]
    assert active == [("Porto", False, None), ("Berlin", True, None)]


def test_one_statement_extracted_twice_counts_once() -> None:
    """Of two extractions of the same words the surer one is kept, in whichever order they come."""
    case = next(cases())
    sure = case.statements[0]
    unsure = replace(sure, confidence=0.5, content="I may live there.")
    assert resolve_all([sure, unsure]) == resolve_all([unsure, sure]) == resolve_all([sure])
