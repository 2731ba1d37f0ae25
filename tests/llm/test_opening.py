"""All parts put together do what they do apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from memd.memory.extraction.llm import LLMExtractor
from memd.memory.llm.chat import ChatSettings
from memd.memory.llm.factory import LLM, LLMOptions
from memd.tests.llm.places import homes, window
from memd.tests.openai_server.server import Server


@pytest.mark.anyio
async def test_read_forget_close(server: Server, tmp_path: Path) -> None:
    """From a folder and an address to statements; what is forgotten is in none of its files."""
    server.script = homes
    llm = LLM(tmp_path, LLMOptions(ChatSettings("small-model", server.base_url, local_only=True)), lambda: "sesame")
    talk = window(("Ann", "I live in Trondheim, you know"))
    (found,) = await LLMExtractor(llm.gateway).extract([talk])
    assert found.statements[0].value == "Trondheim"
    assert len(await llm.audit.list()) == 1
    assert await llm.forget([talk.document]) == 2
    await llm.aclose()
    assert not any(b"Trondheim" in path.read_bytes() for path in tmp_path.iterdir())
