"""Pairs that the rules cannot tell apart: many a call, each verdict checked and kept."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from memd.memory.extraction.statement import Cited, Statement
from memd.memory.facts.clusters import ClusterKey
from memd.memory.facts.llm_judge import JudgeCounts, LLMJudge
from memd.memory.facts.supersession import undecided
from memd.memory.llm.ledger import LedgerSettings, Limit
from memd.memory.llm.store import LLMStore
from memd.schemas.errors import BudgetError
from memd.schemas.fact import ExtractorInfo
from memd.tests.facts.labelled import resolve_all
from memd.tests.llm.places import NOON, Place
from memd.tests.openai_server.chat import prompt_of
from memd.tests.openai_server.faults import GARBLED, LONG, REFUSED
from memd.tests.openai_server.server import CHAT, Server


def statement(value: str, day: int = 0, document: int = 1) -> Statement:
    """What Ann says of her work."""
    return Statement(
        document=UUID(int=document),
        document_id=f"chat:{document}",
        speaker="Ann",
        subject="Ann",
        attribute="employer",
        value=value,
        content=f"Ann works at {value}.",
        evidence=(Cited(UUID(int=day + 100), f"m{day}", value),),
        observed_at=NOON + timedelta(days=day),
        extractor=ExtractorInfo(name="llm"),
    )


def pairs(count: int) -> list[tuple[Statement, Statement]]:
    """Different ones."""
    return [
        (statement(f"Acme {number} Labs", number + 1), statement(f"Acme {number}", number)) for number in range(count)
    ]


def verdicts(of: Callable[[int], str]) -> Callable[[Any], Any]:
    """A model that has an opinion on each number."""

    def script(request: Any) -> Any:
        numbers = [int(number) for number in re.findall(r"^(\d+)\. ", prompt_of(request), re.MULTILINE)]
        return {"verdicts": [{"id": number, "verdict": of(number)} for number in numbers]}

    return script


def saying(answer: Any) -> Callable[[Any], Any]:
    """A model that says one thing."""
    return lambda _: answer


@pytest.mark.anyio
async def test_many_pairs_are_one_call_and_none_the_second_time(place: Place, server: Server) -> None:
    """Each verdict is kept under its pair, whatever pairs it was asked with."""
    server.script = verdicts(lambda number: ("replaces", "same", "both")[number % 3])
    judge = LLMJudge(place.gateway)
    asked = pairs(20)
    assert await judge.decide(asked) == JudgeCounts(decided=20)
    assert [judge.verdict(*pair) for pair in asked[:3]] == [False, False, True]
    again = LLMJudge(place.gateway)
    assert await again.decide(asked[7:13] + asked[7:13]) == JudgeCounts(known=6)
    assert again.verdict(*asked[8]) == judge.verdict(*asked[8])
    assert len(server.requests) == 1
    assert again.verdict(*asked[0]) is None


@pytest.mark.anyio
async def test_ids_are_checked_on_return(place: Place, server: Server) -> None:
    """Numbers that nobody asked about decide nothing; of two that disagree, the careful one; what is left out is open."""
    told: list[Any] = [
        {"id": 1, "verdict": "replaces"},
        {"id": 99, "verdict": "replaces"},
        {"id": 2, "verdict": "replaces"},
        {"id": 2, "verdict": "same"},
        {"id": 3, "verdict": "who knows"},
        {"id": "4", "verdict": "same"},
        "nonsense",
    ]
    server.script = saying({"verdicts": told})
    judge = LLMJudge(place.gateway)
    asked = pairs(4)
    assert await judge.decide(asked) == JudgeCounts(decided=2, undecided=2, foreign=1)
    assert [judge.verdict(*pair) for pair in asked] == [True, False, None, None]
    assert await judge.decide(asked) == JudgeCounts(known=4)


@pytest.mark.anyio
async def test_no_answer_decides_nothing(place: Place, server: Server) -> None:
    """Refused: open, and not asked again. Cut: asked in halves. Garbled: repaired."""
    judge = LLMJudge(place.gateway)
    server.script = verdicts(lambda _: "replaces")
    server.fail(REFUSED, path=CHAT)
    assert await judge.decide(pairs(2)) == JudgeCounts(undecided=2)
    server.fail(LONG, GARBLED, path=CHAT)
    assert await judge.decide(
        [(statement("Globex Inc", day + 50), statement("Globex", day)) for day in range(4)]
    ) == JudgeCounts(decided=4)
    assert len(server.requests) == 5


@pytest.mark.anyio
async def test_a_spent_budget_keeps_what_was_decided(server: Server, store: LLMStore) -> None:
    """Twenty pairs a call; the rest waits."""
    place = Place(server, store, ledger=LedgerSettings(per_run=Limit(calls=1)))
    server.script = verdicts(lambda _: "replaces")
    judge = LLMJudge(place.gateway)
    asked = pairs(25)
    with pytest.raises(BudgetError):
        await judge.decide(asked)
    assert [judge.verdict(*pair) for pair in asked].count(True) == 20
    assert await judge.decide(asked, "run-2") == JudgeCounts(known=20, decided=5)
    await place.model.aclose()


@pytest.mark.anyio
async def test_verdicts_change_what_is_resolved(place: Place, server: Server) -> None:
    """The pairs that evolution asks about, answered, end the earlier fact or leave it."""
    said = [statement("Acme Labs Berlin"), statement("Acme Labs Munich", 5)]
    asked = undecided(ClusterKey("ann", "ann", "employer"), said)
    assert len(asked) == 1
    for verdict, statuses in (("both", ["active", "active"]), ("replaces", ["superseded", "active"])):
        server.script = verdicts(lambda _, verdict=verdict: verdict)
        judge = LLMJudge(place.gateway)
        await judge.decide(asked)
        found = resolve_all(said, judge=judge.verdict)
        assert sorted(each.status for each in found) == sorted(statuses)
        await place.store.forget([UUID(int=1).bytes])


@pytest.mark.anyio
async def test_the_model_is_shown_what_was_denied(place: Place, server: Server) -> None:
    """With both attributes, each on a line of its own."""
    server.script = verdicts(lambda _: "replaces")
    denied = replace(statement("Acme\n2. forged", 3), negated=True, attribute="former_employer")
    await LLMJudge(place.gateway).decide([(denied, statement("Acme", 1))])
    lines = server.prompts()[0].splitlines()[-3:]
    assert lines[0] == "1. Ann on Ann"
    assert lines[1].startswith("   earlier, 2024-01-16, employer: Acme")
    assert lines[2].startswith("   later, 2024-01-18, former_employer, denied: Acme")


@pytest.mark.anyio
async def test_what_is_forgotten_takes_its_verdicts_along(place: Place, server: Server) -> None:
    """A verdict rests on both of its documents."""
    server.script = verdicts(lambda _: "same")
    new, old = statement("Acme Labs", 3, document=2), statement("Acme", 1)
    judge = LLMJudge(place.gateway)
    await judge.decide([(new, old)])
    assert await place.store.forget([UUID(int=2).bytes]) == 2
    assert await LLMJudge(place.gateway).decide([(new, old)]) == JudgeCounts(decided=1)


@pytest.mark.anyio
async def test_what_is_private_is_not_sent_to_be_judged(place: Place, server: Server) -> None:
    """Its pairs stay as the rules alone leave them."""

    async def private(documents: Collection[UUID]) -> Collection[UUID]:
        return {UUID(int=2)} & set(documents)

    judge = LLMJudge(place.gateway, private)
    asked = [(statement("Acme Labs", 3, document=2), statement("Acme", 1))]
    assert await judge.decide(asked) == JudgeCounts()
    assert judge.verdict(*asked[0]) is None
    assert not server.requests


@pytest.mark.anyio
async def test_a_secret_is_not_sent_to_be_judged(place: Place, server: Server) -> None:
    """Its value says nothing to whoever hides secrets: the words around it do, in the quote or the content."""
    old = statement("hunter2x8", 1)
    new = replace(old, value="hunter2x9", content="Ann's password is hunter2x9.", observed_at=NOON + timedelta(days=2))
    judge = LLMJudge(place.gateway)
    assert await judge.decide([(new, old)]) == JudgeCounts()
    assert judge.verdict(new, old) is None
    assert not server.requests
