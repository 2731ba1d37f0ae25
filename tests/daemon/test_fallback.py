"""The bundled model stands in for an endpoint that is away: in a space of its own, for as long as it is needed."""

from __future__ import annotations

import re
import shutil
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any, cast

import pytest

from memd.daemon.app import open_app
from memd.daemon.config.settings import Settings
from memd.daemon.service.service import Service
from memd.memory.forgetting.selection import ForgetSelection
from memd.memory.index.exact_vectors import ExactVectors
from memd.memory.indexing.vector_sync import FALLBACK_FOLDER
from memd.schemas import ConversationDocument, Query
from memd.tests.daemon.house import START
from memd.tests.daemon.interruptions import findings, hasten, ingest, until
from memd.tests.openai_server.embeddings import embeddings
from memd.tests.openai_server.faults import BROKEN, BUSY, DROPPED, Fault, of_each_vector
from memd.tests.openai_server.server import Server

pytestmark = [pytest.mark.anyio, pytest.mark.slow]
OLD = {
    "My sister works as a dentist in Oslo": "Who cares for teeth?",
    "The lamp in the hall is broken again": "Is there light in the corridor?",
    "We watched a film about whales": "Did they see the movie?",
}
NEW = {
    "I adopted a kitten last weekend": "Who got themselves an animal?",
    "The doctor told me to rest for three days": "Was anybody ill?",
    "My car would not start this morning": "trouble with vehicles",
}
"""Messages, each with a question that has no word of it."""
MEANINGS = (
    "dentist teeth",
    "lamp light",
    "film movie watched see",
    "kitten animal",
    "doctor ill",
    "car vehicles",
)
"""Words of one meaning, by which the endpoint finds what the questions ask for."""


def by_meaning(body: Mapping[str, Any]) -> Any:
    """Vectors of the meanings of words; of texts without any, those of the words."""
    meaning = {word: f"meaning{number}" for number, words in enumerate(MEANINGS) for word in words.split()}
    texts = [
        " ".join(meaning[word] for word in re.findall(r"\w+", text.lower()) if word in meaning) or text
        for text in body["input"]
    ]
    return embeddings({**body, "input": texts}, 256)


def is_question(body: Any) -> bool:
    """Whether a text that is to be embedded is a question of ours, or the word that asks whether the endpoint is there."""
    return body["input"][0] in {*OLD.values(), *NEW.values()}


@pytest.fixture(autouse=True)
def _hastened(monkeypatch: pytest.MonkeyPatch) -> None:
    hasten(monkeypatch)
    monkeypatch.setattr("memd.memory.openai_http.failures.FIRST_PAUSE", 0.01)


@pytest.fixture
def server() -> Iterator[Server]:
    """An endpoint whose vectors know what words mean."""
    with Server() as server:
        server.routes["/v1/embeddings"] = by_meaning
        yield server


@asynccontextmanager
async def serving(folder: Path, server: Server, **embedding: object) -> AsyncGenerator[Service]:
    """The whole application on this endpoint."""
    section = {"provider": "openai", "model": "words", "base_url": server.base_url, "api_key_env": "", **embedding}
    settings = Settings.model_validate({"data_dir": folder, "embedding": section})
    async with open_app(settings, serve=False) as service:
        yield service


def chat(name: str, lines: Sequence[str]) -> ConversationDocument:
    """A conversation of these lines."""
    messages = tuple(
        {"speaker": "Ann", "content": line, "time": START + timedelta(minutes=n)} for n, line in enumerate(lines)
    )
    return ConversationDocument.model_validate(
        {
            "id": f"talk:{name}",
            "conversation": {"source": "tests", "people": ("Ann", "Bob"), "user": "Ann", "conversation": messages},
        }
    )


async def recall(service: Service, labelled: Mapping[str, str], within: int = 1) -> tuple[int, set[str]]:
    """The number of questions whose message is among so many first hits, and all that was missing."""
    right, missing = 0, set[str]()
    for line, question in labelled.items():
        answer = await service.query(Query(text=question))
        right += line in [hit.text for hit in answer.hits[:within]]
        missing |= {*answer.degraded}
        assert len({hit.text for hit in answer.hits}) == len(answer.hits)
    return right, missing


async def vectors(service: Service) -> tuple[int, int, int]:
    """The numbers of vectors of the endpoint, of texts that await one, and of vectors of the fallback."""
    stats = await service.stats()
    return stats["vectors"]["done"], stats["vectors"]["pending"], (stats["fallback"] or {"vectors": 0})["vectors"]


async def whole(service: Service) -> None:
    """Every check finds all in order."""
    found = await findings(service)
    assert [each for each in found.values() if not isinstance(each, bool) and each["severity"] == "error"] == []


def ended(service: Service) -> bool:
    """Whether nothing of the fallback is left, and nothing is missing."""
    fallback = service.pipeline._memory.fallback  # pyright: ignore[reportPrivateUsage]
    return fallback is not None and not fallback.active and not service.health()["degraded"]


async def test_an_endpoint_away_at_the_start_is_stood_in_for_until_it_is_back(tmp_path: Path, server: Server) -> None:
    """Messages are found by meaning at once; when it is back, by its own vectors, and nothing of the others is left."""
    server.fail_always(DROPPED)
    async with serving(tmp_path, server) as service:
        update = await ingest(service, chat("new", list(NEW)))
        assert update.outcome == "partial"
        assert await vectors(service) == (0, 3, 3)
        assert await recall(service, NEW) == (3, {"embedder"})
        assert service.health()["degraded"] == ["embedder"]
        status = await service.status()
        assert status["fallback"] == {"model": "multilingual-e5-small-int8", "vectors": 3}
        await whole(service)
        server.heal()
        await until(lambda: ended(service))
        assert await vectors(service) == (3, 0, 0)
        assert not (tmp_path / "store" / FALLBACK_FOLDER).exists()
        assert await recall(service, NEW) == (3, set())
        await whole(service)


async def test_what_comes_while_it_is_away_is_found_beside_what_came_before(tmp_path: Path, server: Server) -> None:
    """Without it, new messages by meaning and the others by words; while it answers questions alone, all by meaning."""
    async with serving(tmp_path, server) as service:
        assert (await ingest(service, chat("old", list(OLD)))).outcome == "ok"
        assert await recall(service, OLD) == (3, set())
        server.fail_always(BROKEN)
        await ingest(service, chat("new", list(NEW)))
        assert await vectors(service) == (3, 3, 3)
        assert await recall(service, NEW) == (3, {"embedder"})
        assert (await service.query(Query(text="dentist in Oslo"))).hits[0].text == next(iter(OLD))
        server.heal()
        server.fail_always(Fault(status=429, headers={"Retry-After": "0"}, when=lambda body: not is_question(body)))
        assert await recall(service, OLD | NEW, 2) == (6, {"embedder"})  # with three vectors in each space
        await whole(service)
        server.heal()
        await until(lambda: ended(service))
        assert await vectors(service) == (6, 0, 0)
        assert await recall(service, OLD | NEW) == (6, set())
        await whole(service)


async def test_vectors_of_another_dimension_on_return_are_not_taken(tmp_path: Path, server: Server) -> None:
    """The fallback goes on until the endpoint gives what it gave before."""
    async with serving(tmp_path, server) as service:
        await ingest(service, chat("old", list(OLD)))
        server.fail_always(of_each_vector(lambda row: row[:100]))
        await ingest(service, chat("new", list(NEW)))
        assert await vectors(service) == (3, 3, 3)
        assert await recall(service, NEW) == (3, {"embedder"})
        server.heal()
        await until(lambda: ended(service))
        assert await vectors(service) == (6, 0, 0)


async def test_an_endpoint_that_comes_and_goes_loses_nothing(tmp_path: Path, server: Server) -> None:
    """Whenever it fails, in whatever way, each text has one vector at most, and in the end one of the endpoint."""
    async with serving(tmp_path, server, batch=1) as service:
        for number, fault in enumerate((DROPPED, BUSY, BROKEN, BUSY)):
            server.fail_always(fault)
            await ingest(service, chat(f"n{number}", [f"line {number} of {each}" for each in range(3)]))
            done, pending, standing = await vectors(service)
            assert done + pending == 3 * number + 3
            assert standing == pending > 0
            server.heal()
            server.fail(*[BUSY] * 4, *[Fault()] * 2, *[BROKEN] * 4)
            await until(lambda: not server._once["/v1/embeddings"])  # pyright: ignore[reportPrivateUsage]
        await until(lambda: ended(service))
        assert await vectors(service) == (12, 0, 0)
        await whole(service)


async def test_what_is_forgotten_leaves_both_spaces(tmp_path: Path, server: Server) -> None:
    """Neither a vector nor a code of it is left, and without a text that waits the fallback ends."""
    async with serving(tmp_path, server) as service:
        memory = service.pipeline._memory  # pyright: ignore[reportPrivateUsage]
        store = memory.indexed

        async def forget(name: str) -> None:
            plan = await memory.forget_planner.plan(ForgetSelection(documents=(f"talk:{name}",)))
            await memory.forget(plan)
            await store.purge()

        await ingest(service, chat("old", list(OLD)))
        server.fail_always(BROKEN)
        await ingest(service, chat("new", list(NEW)), chat("other", ["The dog sleeps under the table"]))
        await store.refresh_indexes()
        await forget("old")
        await forget("new")
        assert await vectors(service) == (0, 1, 1)
        index = cast("ExactVectors", store.fallback.index)
        assert len(index._codes.texts()) == 1  # pyright: ignore[reportPrivateUsage]
        await forget("other")
        await until(lambda: memory.fallback is not None and not memory.fallback.active)
        assert await vectors(service) == (0, 0, 0)
        assert not (tmp_path / "store" / FALLBACK_FOLDER).exists()
        assert await recall(service, NEW) == (0, {"vector"})


async def test_without_a_fallback_vectors_wait(tmp_path: Path, server: Server) -> None:
    """Switched off, questions are answered by words, and what another setting made is removed."""
    server.fail_always(BROKEN)
    async with serving(tmp_path, server) as service:
        await ingest(service, chat("new", list(NEW)))
        assert await vectors(service) == (0, 3, 3)
    async with serving(tmp_path, server, fallback="none") as service:
        assert await vectors(service) == (0, 3, 0)
        assert await recall(service, NEW) == (0, {"vector"})
        assert not (tmp_path / "store" / FALLBACK_FOLDER).exists()


async def test_a_restart_goes_on_with_what_was_made(tmp_path: Path, server: Server) -> None:
    """The next owner finds the vectors of the fallback, also without the files of its index, and replaces them."""
    server.fail_always(BROKEN)
    async with serving(tmp_path, server) as service:
        await ingest(service, chat("new", list(NEW)))
    async with serving(tmp_path, server) as service:
        assert await recall(service, NEW) == (3, {"embedder"})
    shutil.rmtree(tmp_path / "store" / FALLBACK_FOLDER)
    async with serving(tmp_path, server) as service:
        await service.pipeline._memory.indexed.refresh_indexes()  # pyright: ignore[reportPrivateUsage]
        assert await recall(service, NEW) == (3, {"embedder"})
        server.heal()
        await until(lambda: ended(service))
        assert await vectors(service) == (3, 0, 0)
