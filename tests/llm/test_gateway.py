"""The one way out: nothing twice, nothing beyond the budget, nothing unhidden, nothing unnoted."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import UUID

import anyio
import pytest

from memd.memory import sqlite_wal
from memd.memory.llm.ledger import LedgerSettings, Limit, Price
from memd.memory.llm.redaction import RedactionSettings
from memd.memory.llm.request import LLMRequest, UnreadableError
from memd.memory.llm.store import LLMStore, purge_in
from memd.schemas.errors import BudgetError, ConfigError, ExtractionError
from memd.tests.byte_scan import traces
from memd.tests.llm.places import Place
from memd.tests.openai_server.faults import BROKEN, CHATTY, GARBLED, LONG, REFUSED, WRONG_SCHEMA, of_the_text
from memd.tests.openai_server.server import CHAT, Server

ONE, TWO = UUID(int=1), UUID(int=2)
CARD = "4111 1111 1111 1111"


def echo(request: Any) -> Any:
    """A model that repeats what it was told."""
    return {"said": request["messages"][1]["content"]}


def said(found: object) -> str:
    """What the model repeated."""
    if isinstance(found, dict) and isinstance(found.get("said"), str):  # pyright: ignore[reportUnknownMemberType]
        return str(found["said"])  # pyright: ignore[reportUnknownArgumentType]
    raise UnreadableError('it has no "said"')


def question(text: str, about: bytes | None = None, **more: Any) -> LLMRequest[str]:
    """To repeat a text."""
    given: dict[str, Any] = {"documents": (ONE,), "source": "notes", "max_tokens": 50, **more}
    return LLMRequest(
        purpose="echo",
        version="1",
        about=about or sha256(text.encode()).digest(),
        system="Repeat.",
        texts=[text],
        compose=lambda hide: hide(text),
        schema={"type": "object"},
        read=said,
        **given,
    )


@pytest.fixture(autouse=True)
def _echoing(server: Server) -> None:
    """The server repeats."""
    server.script = echo


@pytest.mark.anyio
async def test_a_question_is_asked_once(place: Place, server: Server) -> None:
    """The second time nobody is asked, not even by another process."""
    first = await place.gateway.ask(question("hello"))
    second = await Place(server, place.store).gateway.ask(question("hello"))
    assert (first.value, first.known) == ("hello", False)
    assert (second.value, second.known) == ("hello", True)
    assert len(server.requests) == 1


@pytest.mark.anyio
async def test_what_the_answer_depends_on_makes_it_another_question(place: Place, server: Server) -> None:
    """Other words about it, another prompt, another model, other redaction."""
    await place.gateway.ask(question("hello"))
    await place.gateway.ask(question("hello", b"other"))
    other = Place(server, place.store, model="larger-model")
    await other.gateway.ask(question("hello"))
    hiding = Place(server, place.store, redaction=RedactionSettings(emails=True))
    await hiding.gateway.ask(question("hello"))
    assert len(server.requests) == 4
    await other.model.aclose()
    await hiding.model.aclose()


@pytest.mark.anyio
async def test_secrets_stay_here_and_come_back(place: Place, server: Server) -> None:
    """Neither in what is sent, nor in the audit, nor in the cache; the answer has them again, also the second time."""
    text = f"my card is {CARD}"
    assert (await place.gateway.ask(question(text), "run-1")).value == text
    assert (await place.gateway.ask(question(text), "run-1")).value == text
    assert CARD not in json.dumps([request.body for request in server.requests])
    assert "[card-1]" in server.prompts()[0]
    (sent,) = await place.audit.list()
    assert (sent.hidden, sent.documents, sent.purpose, sent.run) == (1, (ONE,), "echo", "run-1")
    assert sent.digest == sha256(sent.body.encode()).digest()
    assert json.loads(sent.body) == [
        {"role": "system", "content": "Repeat."},
        {"role": "user", "content": "my card is [card-1]"},
    ]
    assert sent.place == server.base_url
    assert CARD.encode() not in b"".join(path.read_bytes() for path in place.store.path.parent.iterdir())


@pytest.mark.anyio
@pytest.mark.parametrize("fault", [GARBLED, WRONG_SCHEMA, of_the_text(lambda _: "I would rather not say.")])
async def test_an_unreadable_answer_gets_one_repair(place: Place, server: Server, fault: Any) -> None:
    """The model is shown what it wrote and what is wrong with it; both turns are paid for and noted."""
    server.fail(fault, path=CHAT)

    def counting(request: Any) -> Any:
        return {"said": f"turn {len(request['messages'])}"}

    server.script = counting
    assert (await place.gateway.ask(question("hello"))).value == "turn 4"
    assert "could not be read" in server.requests[1].body["messages"][-1]["content"]
    (total,) = await place.gateway.ledger.totals("run")
    assert total.usage.calls == 2
    assert len(await place.audit.list()) == 2


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("fault", "failure", "calls"),
    [(WRONG_SCHEMA, "unreadable", 4), (GARBLED, "unreadable", 4), (REFUSED, "refused", 2), (LONG, "truncated", 1)],
)
@pytest.mark.slow
async def test_what_cannot_be_answered_is_a_value(
    place: Place, server: Server, fault: Any, failure: str, calls: int
) -> None:
    """After one repair at most; what less text may not meet is known the next time, all else is asked again."""
    server.fail_always(fault, path=CHAT)
    first = await place.gateway.ask(question("hello"))
    second = await place.gateway.ask(question("hello"))
    assert (first.value, first.failure, second.failure, second.known) == (None, failure, failure, calls == 1)
    assert len(server.requests) == calls
    server.heal()
    assert (await place.gateway.ask(question("hello"), again=True)).value == "hello"


@pytest.mark.anyio
async def test_chatter_around_the_answer_is_no_trouble(place: Place, server: Server) -> None:
    """Thoughts, fences, closing words."""
    server.fail_always(CHATTY, path=CHAT)
    assert (await place.gateway.ask(question("hello"))).value == "hello"
    assert len(server.requests) == 1


@pytest.mark.anyio
async def test_trouble_is_no_answer(place: Place, server: Server) -> None:
    """An endpoint that fails is asked again by the next run, and nothing is counted against the budget."""
    server.fail_always(BROKEN, path=CHAT)
    with pytest.raises(ExtractionError):
        await place.gateway.ask(question("hello"))
    server.heal()
    assert (await place.gateway.ask(question("hello"))).value == "hello"
    (total,) = await place.gateway.ledger.totals("source")
    assert (total.name, total.usage.calls) == ("notes", 1)


@pytest.mark.anyio
async def test_beyond_the_budget_nothing_is_sent(server: Server, store: LLMStore) -> None:
    """Neither asked nor noted; what is known is known all the same, and the next day goes on."""
    from datetime import timedelta

    place = Place(server, store, ledger=LedgerSettings(per_day=Limit(calls=1)))
    await place.gateway.ask(question("hello"))
    with pytest.raises(BudgetError, match="of today"):
        await place.gateway.ask(question("again"))
    assert (await place.gateway.ask(question("hello"))).known
    assert len(server.requests) == len(await place.audit.list()) == 1
    place.clock.at += timedelta(days=1)
    assert (await place.gateway.ask(question("again"))).value == "again"
    await place.model.aclose()


@pytest.mark.anyio
async def test_the_estimate_sends_nothing(server: Server, store: LLMStore) -> None:
    """Calls, tokens and money of what is not known yet."""
    place = Place(server, store, ledger=LedgerSettings({"small-model": Price(1.0, 10.0)}))
    await place.gateway.ask(question("hello"))
    found = await place.gateway.estimate([question("hello"), question("again")], 100)
    assert (found.questions, found.known) == (2, 1)
    assert (found.usage.calls, found.usage.completion_tokens) == (1, 100)
    assert found.nanos == found.usage.prompt_tokens * 1000 + 100 * 10_000
    assert len(server.requests) == 1
    await place.model.aclose()


@pytest.mark.anyio
async def test_what_was_refused_is_not_listed_as_sent(server: Server, store: LLMStore) -> None:
    """An endpoint elsewhere, where only this machine may be asked: nothing leaves, and the audit says so."""
    place = Place(server, store, base_url="https://llm.example/v1", local_only=True)
    with pytest.raises(ConfigError, match="not on this machine"):
        await place.gateway.ask(question("hello"))
    assert await place.audit.list() == []
    assert await place.gateway.ledger.totals("run") == []


@pytest.mark.anyio
async def test_forgetting_leaves_no_byte(place: Place) -> None:
    """Of what was sent and answered for a document; what rests on others stays, and so does what was spent."""
    await place.gateway.ask(question("the secret garden", documents=(ONE, TWO)))
    await place.gateway.ask(question("the open field", documents=(TWO,)))
    assert await place.store.forget([ONE.bytes]) == 2
    files = b"".join(path.read_bytes() for path in place.store.path.parent.iterdir())
    assert b"secret garden" not in files
    assert b"open field" in files
    assert [sent.documents for sent in await place.audit.list()] == [(TWO,)]
    assert await place.audit.list(document=ONE) == []
    (total,) = await place.gateway.ledger.totals("run")
    assert total.usage.calls == 2


@pytest.mark.anyio
async def test_the_audit_is_read_in_pages(place: Place) -> None:
    """The newest first."""
    for number in range(5):
        await place.gateway.ask(question(f"number {number}"))
    first = await place.audit.list(limit=3)
    second = await place.audit.list(limit=3, before=first[-1].id)
    assert [json.loads(sent.body)[1]["content"][-1] for sent in (*first, *second)] == ["4", "3", "2", "1", "0"]


@pytest.mark.anyio
async def test_two_runs_at_once_pay_for_their_own_questions(server: Server, store: LLMStore) -> None:
    """A question of one run that is under way is charged to it, whoever asks meanwhile; budgets stay apart."""
    place = Place(server, store, ledger=LedgerSettings(per_run=Limit(calls=2)))

    async def ask(run: str, number: int) -> None:
        await place.gateway.ask(question(f"{run} asks {number}"), run)

    async with anyio.create_task_group() as tasks:
        for number in range(2):
            for run in ("reading", "asking"):
                tasks.start_soon(ask, run, number)
    spent = {total.name: total.usage.calls for total in await place.gateway.ledger.totals("run")}
    assert spent == {"reading": 2, "asking": 2}
    for run in spent:
        with pytest.raises(BudgetError):
            await ask(run, 3)
    sent = await place.audit.list()
    assert sorted(each.run for each in sent) == ["asking", "asking", "reading", "reading"]
    assert all(each.run in each.body for each in sent)
    await place.model.aclose()


@pytest.mark.anyio
@pytest.mark.slow
async def test_a_reader_delays_the_purge_and_the_next_owner_ends_it(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was sent is gone from the tables at once, and from the file as soon as nobody reads its older state."""
    monkeypatch.setattr(sqlite_wal, "WAIT_SECONDS", 0.1)
    await place.gateway.ask(question("the secret garden", documents=(ONE,)))
    with closing(sqlite3.connect(place.store.path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM sent").fetchone()
        assert await place.store.forget([ONE.bytes]) == 2
        assert not await place.store.purge()
        assert traces(tmp_path, "secret garden")
        reader.execute("ROLLBACK")
    assert await purge_in(tmp_path)
    assert traces(tmp_path, "secret garden") == {}
