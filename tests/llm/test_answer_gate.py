"""No lie of an answering model passes, whatever line it cites; what the lines say does, in any of five languages."""

from __future__ import annotations

import pytest

from memd.memory.retrieval.answer import CitedHit, ask
from memd.memory.retrieval.answer_gate import AnswerGate
from memd.tests.llm.answer_cases import Asked, asked
from memd.tests.llm.places import Place
from memd.tests.openai_server.chat import Script
from memd.tests.openai_server.server import Server

LEAST_KEPT = 0.9


@pytest.mark.slow
def test_lies_are_dropped_and_true_answers_are_kept() -> None:
    """By the closed lists."""
    passed: list[str] = []
    dropped: list[str] = []
    count = 0
    for each in asked():
        gate = AnswerGate(each.question, each.lines)
        passed += [text for text, cited in each.lies if gate.holds(text, cited)]
        dropped += [text for text, cited in each.true if not gate.holds(text, cited)]
        count += len(each.true)
    assert not passed
    assert count >= 60
    assert len(dropped) <= (1 - LEAST_KEPT) * count, dropped


@pytest.mark.anyio
@pytest.mark.slow
async def test_lies_of_a_model_reach_nobody(place: Place, server: Server) -> None:
    """Over a socket."""
    kept, count = 0, 0
    for each in asked():
        server.script = _telling(each.lies)
        lied = await ask(place.gateway, each.question, _hits(each))
        assert (lied.sentences, lied.dropped) == ((), len(each.lies))
        server.script = _telling(each.true)
        told = await ask(place.gateway, f"{each.question} ", _hits(each))
        assert told.dropped == len(each.true) - len(told.sentences)
        kept += len(told.sentences)
        count += len(each.true)
    assert kept >= LEAST_KEPT * count


def _hits(each: Asked) -> list[CitedHit]:
    return [CitedHit(f"m{at}", line.speaker, line.time, line.text) for at, line in enumerate(each.lines, 1)]


def _telling(answers: list[tuple[str, list[int]]]) -> Script:
    sentences = [{"text": text, "lines": [at + 1 for at in cited]} for text, cited in answers]

    def script(_: object) -> object:
        return {"found": True, "sentences": sentences}

    return script
