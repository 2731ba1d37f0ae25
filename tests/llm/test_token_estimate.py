"""Tokens are counted by the model's own tokenizer where an endpoint on this machine offers one; an estimate is never too low."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from memd.memory.embedding.bundled import MODELS, NAME, bundled_model
from memd.memory.embedding.tokenizer import model_tokenizer
from memd.memory.llm.ledger import LedgerSettings, Limit
from memd.memory.llm.openai_chat import OpenAIChat
from memd.memory.llm.request import LLMRequest
from memd.memory.llm.store import LLMStore
from memd.memory.llm.token_estimate import estimated_tokens
from memd.schemas.errors import BudgetError
from memd.tests.llm.places import Place
from memd.tests.openai_server.server import Server

TOKENIZE = "/tokenize"
TEXTS = [
    "I moved to Oslo last month with my husband Kurt, and we found a lovely flat near the harbour. ",
    "Die Wohnungsbaugesellschaft hat uns die Betriebskostenabrechnung geschickt; übermorgen fährt sie zurück. ",
    "El mes pasado nos mudamos a Valencia y todavía buscamos colegio para los niños. ",
    "Geçen ay Ankara'ya taşındık, çocuklarımız yeni okullarına alışmaya çalışıyorlar. ",
    "先月、京都に引っ越しました。エンジニアとして働いています。",
    "上个月我们搬到了上海,我在一家医院工作。",
    "😂😂👍🏽❤️🎉👨‍👩‍👧‍👦🥳 haha 🙈🔥✨ ",
    "    def count(self, texts: Sequence[str]) -> list[int]:\n        return [len(text) // 4 + 1 for text in texts]\n",
    "bW92ZWQgdG8gT3Nsb7Zq3vX9kLm2PwT7sRb4YcQ8AAECAwQFBgcICQoLDA0ODxAREhM= ",
    "2024-01-15 12:01 +49 170 1234567 1.200,50 DE89370400440532013000 ",
    '{"lines": [1, 2], "speaker": "Ann", "attribute": "home", "confidence": 0.9}\n',
]


@pytest.mark.slow
def test_an_estimate_is_an_upper_bound() -> None:
    """Of what a real tokenizer makes of six languages, emoji, code, encoded data, numbers and JSON; and no wild one."""
    model = MODELS[NAME]
    tokenizer = model_tokenizer(bundled_model() / model.tokenizer, "", model.pieces)
    counts = tokenizer.count_many([text * 3 for text in TEXTS])
    for text, count in zip(TEXTS, counts, strict=True):
        assert count <= estimated_tokens(text * 3) <= 4.5 * count, text
    assert estimated_tokens("") == 1


def question(text: str) -> LLMRequest[object]:
    """Something to ask."""
    return LLMRequest(
        "ask", "1", text.encode(), "Answer.", [text], lambda hide: hide(text), {}, lambda found: found, 10
    )


def like_llama(body: Mapping[str, Any]) -> object:
    """The answer of llama.cpp."""
    return {"tokens": list(range(len(body["content"].split())))}


def like_vllm(body: Mapping[str, Any]) -> object:
    """The answer of vLLM."""
    return {"count": len(body["prompt"].split()), "max_model_len": 4096, "tokens": []}


@pytest.mark.anyio
@pytest.mark.parametrize("count", [like_llama, like_vllm])
async def test_the_tokenizer_of_the_endpoint_decides_what_fits(server: Server, store: LLMStore, count: Any) -> None:
    """What the estimate would refuse fits, and what does not is refused, by exactly what the tokenizer counts."""
    server.routes[TOKENIZE] = count
    text = "word " * 100
    place = Place(server, store, ledger=LedgerSettings(per_day=Limit(tokens=101 + 16 + 10)))
    await place.gateway.ask(question(text))
    smaller = Place(server, store, ledger=LedgerSettings(per_run=Limit(tokens=101 + 16 + 9)))
    with pytest.raises(BudgetError):
        await smaller.gateway.ask(question(text + "."), "r")
    assert [each.path for each in server.requests].count("/v1/chat/completions") == 1
    for each in (place, smaller):
        await each.model.aclose()


@pytest.mark.anyio
async def test_an_endpoint_without_a_tokenizer_is_asked_once(server: Server, store: LLMStore) -> None:
    """And none where there is no budget: nobody needs the count."""
    place = Place(server, store, ledger=LedgerSettings(per_day=Limit(tokens=10_000)))
    for number in range(3):
        await place.gateway.ask(question(f"word {number}"))
    assert [each.path for each in server.requests].count(TOKENIZE) == 1
    unlimited = Place(server, store)
    await unlimited.gateway.ask(question("another"))
    assert [each.path for each in server.requests].count(TOKENIZE) == 1
    for each in (place, unlimited):
        await each.model.aclose()


@pytest.mark.anyio
async def test_an_endpoint_elsewhere_is_not_asked_to_count() -> None:
    """Its unknown paths may cost something."""
    from memd.memory.llm.chat import ChatSettings

    model = OpenAIChat(ChatSettings("small-model", "https://model.invalid/v1"), lambda: None)
    assert await model.token_counts(["text"]) is None
