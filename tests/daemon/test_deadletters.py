"""Dead letters: listed, tried again as a run of their own, removed; the counts stay right."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC
from pathlib import Path
from uuid import uuid4

import anyio
import pytest

from memd.daemon.pipeline.limits import PipelineLimits
from memd.daemon.service import dead_letters
from memd.daemon.service.dead_letters import DeadLetters
from memd.daemon.service.requests import DeadLettersRequest, LettersRequest, parse
from memd.memory import lookup
from memd.memory.extraction.records import UnreadWindowLine
from memd.schemas.errors import InvalidError, NotFoundError
from memd.tests.daemon.house import House, house, note, talk

pytestmark = pytest.mark.anyio
ONCE = PipelineLimits(attempts=1)


async def _given_up(parts: House, *names: str) -> None:
    """Texts that the store refuses, one attempt each, beside one that it takes."""
    run = await parts.ingest(talk("well", 3), *(note(f"{name} poison", "secret words") for name in names))
    with anyio.fail_after(30):
        await parts.pipeline.runs.wait(run, "vectors")


@pytest.mark.slow
async def test_what_was_given_up_is_listed_with_its_reason(tmp_path: Path) -> None:
    """By number and document, in pages, without a private word."""
    async with house(tmp_path / "h", bounds=ONCE) as parts:
        await _given_up(parts, "a", "b", "c")
        letters = DeadLetters(parts.pipeline, parts.memory.fact_service, lambda: None)
        page = await letters.listing(DeadLettersRequest(limit=2))
        assert [each["document_id"] for each in page["dead_letters"]] == ["note:a poison", "note:b poison"]
        assert {each["reason"] for each in page["dead_letters"]} == {"ValueError"}
        assert page["dead_letters"][0]["source"] == "tests"
        assert (page["dead_letters"][0]["attempts"], page["dead_letters"][0]["messages"]) == (1, 1)
        rest = await letters.listing(parse(DeadLettersRequest, {"after": page["next"], "limit": 2}, UTC))
        assert [each["document_id"] for each in rest["dead_letters"]] == ["note:c poison"]
        assert "next" not in rest


@pytest.mark.slow
async def test_a_mended_store_takes_them_and_the_run_tells(tmp_path: Path) -> None:
    """They are a run of their own, which ends; nothing waits any more."""
    async with house(tmp_path / "h", bounds=ONCE) as parts:
        await _given_up(parts, "a", "b")
        parts.memory.tolerant = True
        sent = await DeadLetters(parts.pipeline, parts.memory.fact_service, lambda: None).retry(LettersRequest())
        assert (sent["documents"], sent["messages"]) == (2, 2)
        with anyio.fail_after(30):
            last = await parts.pipeline.runs.wait(str(sent["run"]), "vectors")
            await parts.pipeline.drain()
        assert (last.outcome, last.source, last.processed, last.added) == ("ok", "retry", 2, 2)
        queue = await parts.pipeline.journal.depth()
        assert (queue.documents, queue.dead) == (0, 0)
        assert (await lookup.find(parts.memory.database, "note:a poison")).document.content == "secret words"
        assert (await DeadLetters(parts.pipeline, parts.memory.fact_service, lambda: None).retry(LettersRequest()))[
            "run"
        ] is None


async def test_what_fails_again_is_given_up_again(tmp_path: Path) -> None:
    """With its attempts counted anew; the run says so, and the queue is empty."""
    async with house(tmp_path / "h", bounds=ONCE) as parts:
        await _given_up(parts, "a", "b")
        letters = DeadLetters(parts.pipeline, parts.memory.fact_service, lambda: None)
        sent = await letters.retry(LettersRequest(ids=("note:a poison",)))
        assert sent["documents"] == 1
        with anyio.fail_after(30):
            last = await parts.pipeline.runs.wait(str(sent["run"]), "vectors")
            await parts.pipeline.drain()
        assert (last.outcome, last.failed) == ("failed", 1)
        assert (await parts.pipeline.journal.depth()).dead == 2
        assert [each["attempts"] for each in (await letters.listing(DeadLettersRequest()))["dead_letters"]] == [1, 1]


@pytest.mark.slow
async def test_a_kill_right_after_a_retry_loses_nothing(tmp_path: Path) -> None:
    """What waits again is the next owner's, under the run's id."""
    async with house(tmp_path / "h", bounds=ONCE) as parts:
        await _given_up(parts, "a")
        parts.memory.refusing = True
        sent = await DeadLetters(parts.pipeline, parts.memory.fact_service, lambda: None).retry(LettersRequest())
    async with house(tmp_path / "h", bounds=ONCE) as parts:
        parts.memory.tolerant = True
        with anyio.fail_after(30):
            assert (await parts.pipeline.runs.wait(str(sent["run"]), "vectors")).outcome == "ok"
        assert (await lookup.find(parts.memory.database, "note:a poison")).document.content == "secret words"


async def test_discarded_is_gone_from_every_file(tmp_path: Path) -> None:
    """Some by number or id; an id that is none changes nothing."""
    async with house(tmp_path / "h", bounds=ONCE) as parts:
        await _given_up(parts, "a", "b", "c")
        letters = DeadLetters(parts.pipeline, parts.memory.fact_service, lambda: None)
        first = (await letters.listing(DeadLettersRequest()))["dead_letters"][0]["id"]
        with pytest.raises(NotFoundError):
            await letters.discard(LettersRequest(ids=(first, "nothing")))
        with pytest.raises(InvalidError):
            await letters.discard(parse(LettersRequest, {"id": first}, UTC))
        assert await letters.discard(LettersRequest(ids=(first, "note:b poison"))) == {
            "documents": 2,
            "messages": 2,
            "windows": 0,
        }
        left = (await letters.listing(DeadLettersRequest()))["dead_letters"]
        assert [each["document_id"] for each in left] == ["note:c poison"]
        assert await letters.discard(LettersRequest()) == {"documents": 1, "messages": 1, "windows": 0}
        assert (await parts.pipeline.journal.depth()).dead == 0
        assert not [path for path in (tmp_path / "h").rglob("journal*") if b"secret words" in path.read_bytes()]


async def test_only_windows_that_are_given_up_are_discarded_unasked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is tried again by itself stays, unless it is named; and more windows than are listed are told of."""
    async with house(tmp_path / "h", bounds=ONCE) as parts:
        service = parts.memory.fact_service
        lines = [
            UnreadWindowLine(uuid4(), f"chat:{n}", "chat", bytes([n]) * 32, "refused", 1, 0.0, due)
            for n, due in enumerate((None, 1e12, None))
        ]
        taken: list[bytes] = []

        async def windows() -> list[UnreadWindowLine]:
            return lines

        async def first_windows(limit: int) -> tuple[list[UnreadWindowLine], int]:
            return lines[:limit], len(lines) - limit

        async def give_up(hashes: Collection[bytes]) -> int:
            taken.extend(hashes)
            return len(hashes)

        monkeypatch.setattr(service, "unread_windows", windows)
        monkeypatch.setattr(service, "first_unread_windows", first_windows)
        monkeypatch.setattr(service, "give_up_windows", give_up)
        monkeypatch.setattr(dead_letters, "MOST_WINDOWS", 2)
        letters = DeadLetters(parts.pipeline, service, lambda: None)
        listed = await letters.listing(DeadLettersRequest())
        assert (len(listed["windows"]), listed["more_windows"]) == (2, 1)
        assert (await letters.discard(LettersRequest()))["windows"] == 2
        assert taken == [lines[0].hash, lines[2].hash]
        assert (await letters.discard(LettersRequest(ids=("chat:1",))))["windows"] == 1
