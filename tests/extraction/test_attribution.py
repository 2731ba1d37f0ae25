"""Attribution: no statement is laid into the mouth of a person whose words do not carry it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

from memd.memory.extraction.proposal import Proposal
from memd.memory.extraction.rejection import Reason
from memd.memory.extraction.rules.engine import RulesExtractor
from memd.memory.extraction.verify import NOT_OWN_WORDS, verify
from memd.memory.extraction.window import Window, escaped
from memd.schemas import SYSTEM_SPEAKER, UNKNOWN_USER
from memd.schemas.fact import ExtractorInfo
from memd.tests.cases import for_each
from memd.tests.extraction.cases import Case, cases

CASES = cases()
MODEL = ExtractorInfo(name="llm", model="made-up")


@pytest.mark.anyio
@pytest.mark.slow
async def test_the_rules_attribute_nothing_that_is_not_carried() -> None:
    """Whatever the rules make of a case is among what its words carry."""
    wrong = [
        (case.name, statement.speaker, statement.attribute, statement.value)
        for case in CASES
        for extraction in await RulesExtractor().extract(case.windows)
        for statement in extraction.statements
        if not case.carries(statement)
    ]
    assert wrong == []


@pytest.mark.anyio
async def test_the_rules_find_most_of_what_is_carried() -> None:
    """The set does not pass by finding nothing."""
    found = labelled = 0
    for case in CASES:
        made = [each for part in await RulesExtractor().extract(case.windows) for each in part.statements]
        labelled += len(case.carried)
        for speaker, subject, attribute, _ in case.carried:
            found += any((each.speaker, each.subject, each.attribute) == (speaker, subject, attribute) for each in made)
    assert found >= 0.8 * labelled


def claims_of_a_liar(window: Window) -> Iterator[Proposal]:
    """What a model might claim that was told to: every line, in everybody's name, about everybody."""
    names = {*window.people, window.user, "primaryUser", "I", SYSTEM_SPEAKER, UNKNOWN_USER} - {""}
    for line in (*window.lines, *window.context):
        quote = line.text.strip().split("\n")[-1]
        for speaker in names:
            for subject in names:
                yield Proposal(subject, "home", "Mars", "They live in Mars.", (line.number,), quote, speaker)


@for_each(CASES)
def test_no_lie_about_who_spoke_gets_through(case: Case) -> None:
    """Whoever is claimed to have spoken, a statement's speaker is who spoke, in person, words of his or her own."""
    for window in case.windows:
        shown = list(window.lines)
        for proposal in claims_of_a_liar(window):
            result = verify(proposal, window, MODEL)
            if isinstance(result, Reason):
                continue
            for cited in result.evidence:
                lines = [each for each in shown if each.message == cited.message and cited.quote in each.text]
                assert lines
                assert all(each.speaker == result.speaker for each in lines)
                assert all(each.role in (None, "user") and not each.forwarded for each in lines)
            assert not {result.speaker, result.subject} & {SYSTEM_SPEAKER, UNKNOWN_USER}
            if not window.written_by_user:
                assert NOT_OWN_WORDS in result.tags


def test_the_set_covers_each_kind_of_trap() -> None:
    """Groups, quotes, forwards, forged lines, instructions, first names, assistants, articles: several cases each."""
    kinds = Counter(case.name.partition("-")[0] for case in CASES)
    for kind in ("group", "quote", "forward", "forged", "instruction", "first", "assistant", "article"):
        assert kinds[kind] >= 3, kind


def test_no_message_of_the_set_can_look_like_two() -> None:
    """Escaped, every line that a model is shown is one line."""
    for case in CASES:
        for window in case.windows:
            assert all(len(escaped(line.text).splitlines()) <= 1 for line in window.lines)
