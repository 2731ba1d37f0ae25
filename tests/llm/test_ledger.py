"""What is spent is written down, and never more than may be."""

from __future__ import annotations

import stat
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from uuid import UUID

import anyio
import anyio.lowlevel
import pytest

from memd.memory.llm.audit import AuditLog
from memd.memory.llm.chat import Usage
from memd.memory.llm.ledger import Ledger, LedgerSettings, LedgerStore, Limit, Price
from memd.memory.llm.store import LLMStore
from memd.schemas.errors import BudgetError, ConfigError, StoreError
from memd.tests.llm.places import Clock

PRICES = {"dear": Price(2.0, 8.0), "local": Price(0.0, 0.0)}


def ledger_of(
    store: LLMStore, clock: Clock | None = None, *, per_run: Limit | None = None, per_day: Limit | None = None
) -> Ledger:
    """A ledger with prices."""
    return Ledger(LedgerStore(store), LedgerSettings(PRICES, per_run or Limit(), per_day or Limit()), clock or Clock())


async def spend(ledger: Ledger, model: str, usage: Usage, run: str = "r1", source: str = "notes") -> None:
    """One call."""
    reserved = await ledger.reserve(model, run, usage)
    await ledger.record(reserved, ledger.entry(run, source, model, "extract", usage))


@pytest.mark.anyio
async def test_totals_by_model_source_and_run(store: LLMStore) -> None:
    """Calls, tokens and money; a model without a price counts in tokens alone."""
    ledger = ledger_of(store)
    await spend(ledger, "dear", Usage(1, 1_000_000, 500_000))
    await spend(ledger, "dear", Usage(1, 1000, 0), run="r2", source="whatsapp")
    await spend(ledger, "free", Usage(1, 10, 5), run="r2", source="whatsapp")
    by_model = {total.name: total for total in await ledger.store.totals("model")}
    assert by_model["dear"].usage == Usage(2, 1_001_000, 500_000)
    assert by_model["dear"].money == pytest.approx(6.002)
    assert (by_model["free"].money, by_model["free"].usage.tokens) == (0, 15)
    assert [total.name for total in await ledger.store.totals("run")] == ["r2", "r1"]
    assert {total.name: total.usage.calls for total in await ledger.store.totals("source", run="r2")} == {"whatsapp": 2}


@pytest.mark.anyio
@pytest.mark.parametrize("limit", [Limit(calls=2), Limit(tokens=2500), Limit(money=0.01)])
async def test_a_budget_of_a_run_stops_it_and_no_other(store: LLMStore, limit: Limit) -> None:
    """The call that would go over it is not made."""
    ledger = ledger_of(store, per_run=limit)
    for _ in range(2):
        await spend(ledger, "dear", Usage(1, 500, 500))
    with pytest.raises(BudgetError, match="of this run"):
        await spend(ledger, "dear", Usage(1, 500, 500))
    await spend(ledger, "dear", Usage(1, 500, 500), run="r2")


@pytest.mark.anyio
async def test_a_budget_of_a_day_is_new_the_next_day(store: LLMStore) -> None:
    """Whatever the run."""
    clock = Clock()
    ledger = ledger_of(store, clock, per_day=Limit(calls=1))
    await spend(ledger, "dear", Usage(1, 1, 1))
    with pytest.raises(BudgetError, match="of today"):
        await spend(ledger, "dear", Usage(1, 1, 1), run="r2")
    clock.at += timedelta(days=1)
    await spend(ledger, "dear", Usage(1, 1, 1), run="r3")


@pytest.mark.anyio
async def test_a_day_begins_in_the_zone_of_the_payer(store: LLMStore) -> None:
    """Not in that of the machine: two moments of one day in UTC are of two days elsewhere."""
    zone, clock = timezone(timedelta(hours=9)), Clock()
    clock.at = datetime(2024, 1, 15, 14, 59, tzinfo=UTC)
    settings = LedgerSettings(PRICES, per_day=Limit(calls=1), zone=zone)
    ledger = Ledger(LedgerStore(store, zone), settings, clock)
    await spend(ledger, "dear", Usage(1, 1, 1))
    clock.at += timedelta(minutes=1)
    await spend(ledger, "dear", Usage(1, 1, 1))
    assert {total.name for total in await ledger.store.totals("day")} == {"2024-01-15", "2024-01-16"}


@pytest.mark.anyio
async def test_calls_at_once_never_go_over_the_budget(store: LLMStore) -> None:
    """What is under way counts with the most it may take."""
    ledger = ledger_of(store, per_day=Limit(calls=5))
    made: list[int] = []

    async def one(number: int) -> None:
        try:
            reserved = await ledger.reserve("dear", "r1", Usage(1, 10, 10))
        except BudgetError:
            return
        await anyio.lowlevel.checkpoint()
        await ledger.record(reserved, ledger.entry("r1", "", "dear", "extract", Usage(1, 1, 1)))
        made.append(number)

    async with anyio.create_task_group() as group:
        for number in range(20):
            group.start_soon(one, number)
    (total,) = await ledger.store.totals("model")
    assert total.usage.calls == len(made) <= 5
    assert made


@pytest.mark.anyio
async def test_what_was_not_used_is_given_back(store: LLMStore) -> None:
    """A call that failed leaves its room to the next."""
    ledger = ledger_of(store, per_day=Limit(calls=1))
    ledger.release(await ledger.reserve("dear", "r1", Usage(1, 10, 10)))
    await spend(ledger, "dear", Usage(1, 10, 10))


@pytest.mark.anyio
async def test_a_budget_in_money_needs_a_price(store: LLMStore) -> None:
    """A model of unknown price could cost anything; one that costs nothing says so."""
    ledger = ledger_of(store, per_day=Limit(money=1))
    with pytest.raises(ConfigError, match="has no price"):
        await ledger.reserve("free", "r1", Usage(1, 10, 10))
    await spend(ledger, "local", Usage(1, 10**9, 10**9))


@pytest.mark.anyio
async def test_a_batch_costs_what_it_took_and_until_then_what_it_may_take(store: LLMStore) -> None:
    """Half the price; the expectation goes when the truth is known."""
    ledger = ledger_of(store)
    most, took = Usage(1, 1_000_000, 1_000_000), Usage(1, 1_000_000, 0)
    await ledger.replace("b1", [ledger.entry("r1", "", "dear", "extract", most, share=0.5, batch="b1")])
    assert [total.money for total in await ledger.store.totals("model")] == [5.0]
    await ledger.replace("b1", [ledger.entry("r1", "", "dear", "extract", took, share=0.5)])
    assert [total.money for total in await ledger.store.totals("model")] == [1.0]


@pytest.mark.anyio
async def test_the_file_is_its_owners_alone_and_stays(tmp_path: Path) -> None:
    """0600, and what is written is there for the next process."""
    store = LLMStore(tmp_path)
    await spend(ledger_of(store), "dear", Usage(1, 1, 1))
    assert {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()} == {0o600}
    store.close()
    again = LLMStore(tmp_path)
    assert len(await ledger_of(again).store.totals("model")) == 1
    again.close()


@pytest.mark.anyio
async def test_a_run_a_day_and_a_document_are_looked_up(store: LLMStore) -> None:
    """Before each call the budget asks for its run and its day, and whoever asks pages what was sent: none reads it all."""
    seen: list[str] = []
    await store.run(lambda connection: connection.set_trace_callback(seen.append))
    await LedgerStore(store).totals("model", run="r1")
    await LedgerStore(store).totals("model", day="2024-01-15")
    await AuditLog(store).list(before=7)
    await AuditLog(store).list(document=UUID(int=7), before=7)
    await store.run(lambda connection: connection.set_trace_callback(None))
    asked = [statement for statement in seen if statement.startswith("SELECT")]
    assert len(asked) == 4
    for statement in asked:
        plan = await store.run(lambda connection, s=statement: connection.execute(f"EXPLAIN QUERY PLAN {s}").fetchall())
        assert not [row for row in plan if row[3].startswith("SCAN")], statement


def test_a_file_of_the_future_is_left_alone(tmp_path: Path) -> None:
    """So is one that is no database."""
    LLMStore(tmp_path).close()
    path = tmp_path / "llm.db"
    import sqlite3

    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(StoreError, match="newer"):
        LLMStore(tmp_path)
    for other in tmp_path.iterdir():
        other.unlink()
    path.write_bytes(b"not a database at all, only text" * 40)
    with pytest.raises(StoreError, match="cannot be used"):
        LLMStore(tmp_path)
    with pytest.raises(StoreError, match="cannot be opened"):
        LLMStore(tmp_path / "missing")
