"""Batches: half the price, and nothing lost, doubled or paid twice, whatever happens in between."""

from __future__ import annotations

import json
import threading
from typing import Any

import anyio
import pytest

from memd.memory.extraction.llm import LLMExtractor
from memd.memory.extraction.window import Window
from memd.memory.llm.batch import Polled, Submitted
from memd.memory.llm.ledger import LedgerSettings, Limit, Price
from memd.memory.llm.store import LLMStore
from memd.schemas.errors import BudgetError, ExtractionError
from memd.tests.llm.places import Place, homes, window
from memd.tests.openai_server.chat import prompt_of
from memd.tests.openai_server.faults import BROKEN, BUSY, Fault
from memd.tests.openai_server.server import CHAT, Server

CITIES = ("Oslo", "Rome", "Kiel", "Bonn")
WINDOWS = [window(("Ann", f"I live in {city}, you know"), document=f"chat:{city}") for city in CITIES]
PRICES = LedgerSettings({"small-model": Price(1.0, 1.0)})


@pytest.fixture(autouse=True)
def _homely(server: Server) -> None:
    """The server understands homes."""
    server.script = homes


@pytest.fixture
def extractor(place: Place) -> LLMExtractor:
    """Reads what batches left in the cache."""
    return LLMExtractor(place.gateway)


async def submit(place: Place, windows: list[Window]) -> Submitted:
    """Send windows as a batch."""
    extractor = LLMExtractor(place.gateway)
    return await place.batches.submit([extractor.question(each) for each in windows])


def chats(server: Server) -> int:
    """Direct calls, without the client's probe."""
    return len(server.prompts())


@pytest.mark.anyio
async def test_a_batch_answers_everything_and_costs_half(server: Server, store: LLMStore) -> None:
    """No direct call; what was uploaded is deleted; the ledger tells what it took."""
    place = Place(server, store, ledger=PRICES)
    extractor = LLMExtractor(place.gateway)
    assert await submit(place, WINDOWS) == Submitted(sent=4)
    assert await place.batches.poll() == Polled(open=1)
    assert server.batches is not None
    server.batches.work()
    assert await place.batches.poll() == Polled(answered=4)
    assert await place.batches.poll() == Polled()
    found = await extractor.extract(WINDOWS)
    assert [each.statements[0].value for each in found] == list(CITIES)
    assert chats(server) == 0
    assert not server.batches.files
    (total,) = await place.gateway.ledger.totals("model")
    assert total.usage.calls == 4
    assert total.nanos == total.usage.tokens * 500
    assert len(await place.audit.list()) == 4
    await place.model.aclose()


@pytest.mark.anyio
async def test_nothing_is_submitted_twice(place: Place) -> None:
    """Neither what is known nor what is under way."""
    await LLMExtractor(place.gateway).extract(WINDOWS[:1])
    assert await submit(place, WINDOWS[:2]) == Submitted(sent=1, known=1)
    assert await submit(place, WINDOWS[:3]) == Submitted(sent=1, known=2)
    assert await submit(place, WINDOWS[:3]) == Submitted(known=3)


@pytest.mark.anyio
async def test_another_process_takes_up_what_one_left(place: Place, server: Server) -> None:
    """The batch is noted in the file."""
    await submit(place, WINDOWS)
    assert server.batches is not None
    server.batches.work()
    other = Place(server, place.store)
    assert await other.batches.poll() == Polled(answered=4)
    await other.model.aclose()


@pytest.mark.anyio
@pytest.mark.parametrize("arrived", [True, False])
async def test_a_crash_between_sending_and_noting_is_survived(
    place: Place, server: Server, monkeypatch: pytest.MonkeyPatch, arrived: bool
) -> None:
    """Found again by the note's id if it arrived; if not, its questions are free and what was uploaded is deleted."""

    class CrashError(BaseException):
        """The process dies."""

    real = place.batches._created  # pyright: ignore[reportPrivateUsage] - the very place where a process may die

    async def dying(*words: Any) -> str:
        if arrived:
            await real(*words)
        raise CrashError

    monkeypatch.setattr(place.batches, "_created", dying)
    with pytest.raises(CrashError):
        await submit(place, WINDOWS)
    assert server.batches is not None
    server.batches.work()
    other = Place(server, place.store)
    polled = await other.batches.poll()
    assert polled == (Polled(answered=4) if arrived else Polled(failed=4))
    assert not server.batches.files
    found = await LLMExtractor(other.gateway).extract(WINDOWS)
    assert [each.statements[0].value for each in found] == list(CITIES)
    assert chats(server) == (0 if arrived else 4)
    (total,) = await other.gateway.ledger.totals("model")
    assert total.usage.calls == 4
    await other.model.aclose()


@pytest.mark.anyio
async def test_an_endpoint_without_batches_is_asked_directly(place: Place, server: Server) -> None:
    """404: nothing is noted, nothing is spent."""
    server.batches = None
    assert await submit(place, WINDOWS) == Submitted(left=4, supported=False)
    assert await place.gateway.ledger.totals("model") == []
    assert await place.batches.poll() == Polled()
    found = await LLMExtractor(place.gateway).extract(WINDOWS)
    assert len(found) == chats(server) == 4


@pytest.mark.anyio
@pytest.mark.parametrize("status", ["failed", "expired", "cancelled", "completed"])
@pytest.mark.slow
async def test_what_came_back_without_an_answer_is_asked_directly(place: Place, server: Server, status: str) -> None:
    """Of a batch that ended in any way, the rest is taken."""
    await submit(place, WINDOWS)
    assert server.batches is not None
    server.batches.work(status, skip=lambda body: "Kiel" in json.dumps(body))
    assert await place.batches.poll() == Polled(answered=3, failed=1)
    found = await LLMExtractor(place.gateway).extract(WINDOWS)
    assert [each.statements[0].value for each in found] == list(CITIES)
    assert chats(server) == 1


@pytest.mark.anyio
async def test_unreadable_lines_and_answers_are_asked_for_again(place: Place, server: Server) -> None:
    """Prose, another form, lines that are no JSON, ids that nobody gave."""

    def confused(request: Any) -> Any:
        asked = prompt_of(request)
        return "no idea" if "Oslo" in asked else {"other": 1} if "Rome" in asked else homes(request)

    server.script = confused
    await submit(place, WINDOWS)
    assert server.batches is not None
    server.batches.work()
    (output,) = [batch["output_file_id"] for batch in server.batches.batches.values()]
    server.batches.contents[output] += (
        b'\n{"custom_id": "zz", "response": null}\n{"custom_id": "ff00", "response": {"status_code": 200, "body": {}}}\nnonsense\n'
    )
    assert await place.batches.poll() == Polled(answered=3, failed=1)
    server.script = homes
    found = await LLMExtractor(place.gateway).extract(WINDOWS)
    assert [each.statements[0].value for each in found] == list(CITIES)
    assert chats(server) == 2


@pytest.mark.anyio
async def test_a_batch_that_vanished_is_given_up(place: Place, server: Server) -> None:
    """Its questions are free again."""
    await submit(place, WINDOWS)
    assert server.batches is not None
    server.batches.batches.clear()
    assert await place.batches.poll() == Polled(failed=4)
    assert await submit(place, WINDOWS) == Submitted(sent=4)


@pytest.mark.anyio
async def test_trouble_that_passes_is_waited_out_and_other_trouble_keeps_the_batch(
    place: Place, server: Server
) -> None:
    """Nothing is lost by an endpoint that fails for a while."""
    server.fail(BUSY, path="/v1/files")
    server.fail(BROKEN, path="/v1/batches")
    await submit(place, WINDOWS)
    assert server.batches is not None
    server.batches.work()
    (name,) = server.batches.batches
    server.fail_always(BROKEN, path=f"/v1/batches/{name}")
    with pytest.raises(ExtractionError, match="answered 500"):
        await place.batches.poll()
    server.heal()
    assert await place.batches.poll() == Polled(answered=4)


@pytest.mark.anyio
async def test_a_refused_upload_is_an_error_and_the_next_look_frees_it(place: Place, server: Server) -> None:
    """A wrong key, for instance; nothing private in the text."""
    server.fail_always(Fault(status=401), path="/v1/files")
    with pytest.raises(ExtractionError, match="answered 401") as caught:
        await submit(place, WINDOWS)
    assert "Oslo" not in str(caught.value)
    server.heal()
    assert await place.batches.poll() == Polled(failed=4)
    assert await place.gateway.ledger.totals("model") == []
    assert await submit(place, WINDOWS) == Submitted(sent=4)


@pytest.mark.anyio
async def test_a_batch_keeps_to_the_budget(server: Server, store: LLMStore) -> None:
    """As many questions as fit; the expected cost counts until the true one is known."""
    place = Place(server, store, ledger=LedgerSettings(per_day=Limit(calls=3)))
    assert await submit(place, WINDOWS) == Submitted(sent=3, left=1)
    with pytest.raises(BudgetError):
        await submit(place, WINDOWS)
    with pytest.raises(BudgetError):
        await LLMExtractor(place.gateway).extract(WINDOWS[3:])
    await place.model.aclose()


@pytest.mark.anyio
async def test_what_was_forgotten_meanwhile_is_not_taken(place: Place, server: Server) -> None:
    """Its answer is paid for, and thrown away."""
    await submit(place, WINDOWS)
    await place.store.forget([WINDOWS[0].document.bytes])
    assert server.batches is not None
    server.batches.work()
    assert await place.batches.poll() == Polled(answered=3)
    assert b"I live in Oslo" not in b"".join(path.read_bytes() for path in place.store.path.parent.iterdir())
    (total,) = await place.gateway.ledger.totals("model")
    assert total.usage.calls == 4


@pytest.mark.anyio
async def test_the_lines_are_what_the_batch_api_takes(place: Place, server: Server) -> None:
    """One request a line, with an id of its own, the same body as a direct call, secrets hidden."""
    await submit(place, [window(("Ann", "I live in Oslo, my card is 4111 1111 1111 1111"))])
    assert server.batches is not None
    (content,) = server.batches.contents.values()
    (line,) = [json.loads(each) for each in content.splitlines()]
    assert (line["method"], line["url"]) == ("POST", CHAT)
    assert line["body"]["response_format"]["type"] == "json_schema"
    assert "4111" not in content.decode()
    assert len(line["custom_id"]) == 64


def posted(body: object) -> bool:
    """Whether a request adds something: the path of a list is the same."""
    return body is not None


@pytest.mark.anyio
async def test_a_batch_is_created_once_when_the_answer_is_lost(place: Place, server: Server) -> None:
    """The endpoint made it, and nobody heard: it is found by what it was told, and nothing is paid for twice."""
    server.fail(Fault(lose=True, when=posted), path="/v1/batches")
    assert await submit(place, WINDOWS) == Submitted(sent=4)
    assert server.batches is not None
    assert len(server.batches.batches) == 1
    server.batches.work()
    assert await place.batches.poll() == Polled(answered=4)


@pytest.mark.anyio
async def test_a_batch_that_was_not_created_is_asked_for_again(place: Place, server: Server) -> None:
    """The connection was lost before the endpoint had read the request."""
    server.fail(Fault(drop=True, when=posted), BROKEN, path="/v1/batches")
    assert await submit(place, WINDOWS) == Submitted(sent=4)
    assert server.batches is not None
    assert len(server.batches.batches) == 1


@pytest.mark.slow
@pytest.mark.anyio
async def test_a_batch_in_the_making_is_not_created_again(
    server: Server, store: LLMStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The endpoint takes longer than anybody waits: the questions stay noted, and the next look finds the batch."""
    place = Place(server, store, timeout_s=1.0)
    assert server.batches is not None
    handle, goes_on = server.batches.handle, threading.Event()

    def slow(method: str, path: str, *rest: Any) -> Any:
        if method == "POST" and path == "/v1/batches":
            goes_on.wait(60)
        return handle(method, path, *rest)

    monkeypatch.setattr(server.batches, "handle", slow)
    with pytest.raises(ExtractionError, match="in time"):
        await submit(place, WINDOWS)
    assert not server.batches.batches
    goes_on.set()
    with anyio.fail_after(60):
        while not server.batches.batches:
            await anyio.sleep(0.01)
    assert await submit(place, WINDOWS) == Submitted(known=4)
    assert await place.batches.poll() == Polled(open=1)
    assert len(server.batches.batches) == 1
    await place.model.aclose()


@pytest.mark.anyio
async def test_an_upload_whose_answer_is_lost_does_not_stay(place: Place, server: Server) -> None:
    """It is sent once more; both copies of the words are deleted when the batch has ended."""
    server.fail(Fault(lose=True, when=posted), path="/v1/files")
    assert await submit(place, WINDOWS) == Submitted(sent=4)
    assert server.batches is not None
    assert len(server.batches.files) == 2
    server.batches.work()
    assert await place.batches.poll() == Polled(answered=4)
    assert not server.batches.files
