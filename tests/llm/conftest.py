"""What the tests of the language model share: a server, a desk that asks it, windows to read."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator
from pathlib import Path

import pytest

from memd.memory.llm.store import LLMStore
from memd.tests.llm.places import Place
from memd.tests.openai_server.server import Server


@pytest.fixture
def server() -> Iterator[Server]:
    """The test server."""
    with Server(key="sesame") as server:
        yield server


@pytest.fixture(autouse=True)
def _quick_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody needs to wait for a server that does not need time."""
    monkeypatch.setattr("memd.memory.openai_http.failures.FIRST_PAUSE", 0.01)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[LLMStore]:
    """An empty llm.db."""
    store = LLMStore(tmp_path)
    yield store
    store.close()


@pytest.fixture
async def place(server: Server, store: LLMStore) -> AsyncGenerator[Place]:
    """A desk that asks the test server."""
    place = Place(server, store)
    yield place
    await place.model.aclose()
