"""The ledger of calls, tokens and money, by model, source and run, with the budget that no call may exceed."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from typing import Literal

import anyio

from ...schemas.errors import BudgetError, ConfigError
from .chat import Usage
from .store import LLMStore

NANO = 1_000_000_000
BATCH_SHARE = 0.5
"""The share of the price that OpenAI's Batch API charges."""


@dataclass(frozen=True, slots=True)
class Price:
    """The price of a million tokens, in the currency of the budget."""

    prompt: float
    completion: float

    def nanos(self, usage: Usage, share: float = 1.0) -> int:
        """Return the cost of these tokens in billionths; ``share`` is the charged part of the price."""
        return round((usage.prompt_tokens * self.prompt + usage.completion_tokens * self.completion) * 1000 * share)


@dataclass(frozen=True, slots=True)
class Limit:
    """A spending limit; None means unlimited."""

    calls: int | None = None
    tokens: int | None = None
    money: float | None = None


@dataclass(frozen=True, slots=True)
class LedgerSettings:
    """Prices by model, and the budget. A model without a price is counted in tokens alone; a local one costs 0."""

    prices: Mapping[str, Price] = field(default_factory=dict[str, Price])
    per_run: Limit = Limit()
    per_day: Limit = Limit()
    zone: tzinfo | None = None
    """The zone in which a day of the budget begins; None for the machine's own."""


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """An amount that was spent."""

    at: datetime
    run: str
    source: str
    model: str
    purpose: str
    usage: Usage
    nanos: int | None = None
    """The cost in billionths; None if the price is unknown."""
    batch: str | None = None
    """The batch whose actual cost is still unknown."""


@dataclass(frozen=True, slots=True)
class Total:
    """The sum spent on one model, source, run or day."""

    name: str
    usage: Usage
    nanos: int

    @property
    def money(self) -> float:
        """The cost in the currency of the prices."""
        return self.nanos / NANO


By = Literal["model", "source", "run", "purpose", "day"]


class LedgerStore:
    """The ledger's entries, stored in llm.db."""

    def __init__(self, store: LLMStore, zone: tzinfo | None = None) -> None:
        self._store = store
        self._zone = zone

    async def add(self, entries: Sequence[LedgerEntry], settles: str | None = None) -> None:
        """Write entries in one transaction, and delete the expected entries of the batch ``settles``."""

        def work(connection: sqlite3.Connection) -> None:
            if settles is not None:
                connection.execute("DELETE FROM spent WHERE batch = ?", (settles,))
            connection.executemany(
                "INSERT INTO spent (at, day, run, source, model, purpose, calls, prompt_tokens, completion_tokens,"
                " nanos, batch) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (
                        entry.at.timestamp(), day_of(entry.at, self._zone), entry.run, entry.source, entry.model, entry.purpose,
                        entry.usage.calls, entry.usage.prompt_tokens, entry.usage.completion_tokens, entry.nanos,
                        entry.batch,
                    )
                    for entry in entries
                ],
            )  # fmt: skip

        await self._store.run(work)

    async def last(self) -> datetime | None:
        """Return the time of the last entry; None if nothing was spent yet."""
        row = await self._store.run(
            lambda connection: connection.execute("SELECT at FROM spent ORDER BY id DESC LIMIT 1").fetchone()
        )
        return None if row is None else datetime.fromtimestamp(row[0], UTC)

    async def totals(self, by: By, *, run: str | None = None, day: str | None = None) -> list[Total]:
        """Return the sums of a run, of a day or of everything, grouped by ``by``; runs and days come newest first."""
        # Add only the conditions in use: "? IS NULL OR run = ?" would prevent SQLite from using an index.
        spans = {name: value for name, value in (("run", run), ("day", day)) if value is not None}
        condition = " AND ".join(f"{name} = ?" for name in spans) or "1"

        def work(connection: sqlite3.Connection) -> list[Total]:
            rows = connection.execute(
                f"SELECT {by}, sum(calls), sum(prompt_tokens), sum(completion_tokens), coalesce(sum(nanos), 0)"  # noqa: S608 - names of closed lists
                " FROM spent"
                f" WHERE {condition} GROUP BY {by} ORDER BY max(id) DESC",
                list(spans.values()),
            )
            return [Total(name, Usage(calls, sent, got), nanos) for name, calls, sent, got, nanos in rows]

        return await self._store.run(work)


def day_of(at: datetime, zone: tzinfo | None = None) -> str:
    """Return the date of a moment in a zone, None for the machine's own: a budget per day is meant in that of its payer."""
    return at.astimezone(zone).date().isoformat()


def now() -> datetime:
    """Return the current time."""
    return datetime.now(UTC)


@dataclass(slots=True)
class Reserved:
    """The most that a call under way may use."""

    run: str
    usage: Usage
    nanos: int


class Ledger:
    """Enforces the budget. Calls under way count with the most that they may use, so that nothing is overspent.

    Args:
        store: stores the entries.
        settings: prices and budget.
        clock: returns the current time.
    """

    def __init__(
        self, store: LedgerStore, settings: LedgerSettings | None = None, clock: Callable[[], datetime] = now
    ) -> None:
        self.store = store
        self.settings = settings or LedgerSettings()
        self._clock = clock
        self._under_way: list[Reserved] = []
        self._deciding = anyio.Lock()

    @property
    def limited(self) -> bool:
        """Return whether tokens or money are limited."""
        limits = (self.settings.per_run, self.settings.per_day)
        return any(limit.tokens is not None or limit.money is not None for limit in limits)

    async def reserve(self, model: str, run: str, most: Usage, share: float = 1.0) -> Reserved:
        """Reserve budget for a call; the result is passed to `record` or `release`.

        Args:
            model: the model's name.
            run: the run whose budget applies.
            most: the most that the call may use.
            share: the charged part of the price.

        Raises:
            BudgetError: it would exceed the budget; nothing was reserved.
            ConfigError: the budget is in money and the model has no price.
        """
        nanos = self.cost(model, most, share)
        reserved = Reserved(run, most, nanos or 0)
        async with self._deciding:  # two calls must not reserve the same remainder
            await self._check(model, run, reserved, priced=nanos is not None)
            self._under_way.append(reserved)
        return reserved

    def release(self, reserved: Reserved) -> None:
        """Release an unused reservation."""
        self._under_way = [each for each in self._under_way if each is not reserved]

    async def record(self, reserved: Reserved, entry: LedgerEntry) -> None:
        """Replace a reservation by the actual cost."""
        try:
            await self.store.add([entry])
        finally:
            self.release(reserved)

    async def replace(self, batch: str, entries: Sequence[LedgerEntry]) -> None:
        """Replace a batch's expected entries by the actual ones."""
        await self.store.add(entries, settles=batch)

    def entry(
        self,
        run: str,
        source: str,
        model: str,
        purpose: str,
        usage: Usage,
        *,
        share: float = 1.0,
        batch: str | None = None,
    ) -> LedgerEntry:
        """Return an entry dated now; ``share`` is the charged part of the price."""
        return LedgerEntry(self._clock(), run, source, model, purpose, usage, self.cost(model, usage, share), batch)

    def cost(self, model: str, usage: Usage, share: float = 1.0) -> int | None:
        """Return the cost in billionths; None if the price is unknown."""
        price = self.settings.prices.get(model)
        return None if price is None else price.nanos(usage, share)

    async def totals(self, by: By, *, run: str | None = None, day: str | None = None) -> list[Total]:
        """Return the sums; see `LedgerStore.totals`."""
        return await self.store.totals(by, run=run, day=day)

    async def _check(self, model: str, run: str, more: Reserved, *, priced: bool) -> None:
        limits = (self.settings.per_run, self.settings.per_day)
        if any(limit.money is not None for limit in limits) and not priced:
            raise ConfigError(
                f"the budget is in money, and the model {model} has no price",
                hint="set llm.price_prompt and llm.price_completion",
            )
        names = ("of this run", "of today")
        for name, limit, part in zip(
            names, limits, ({"run": run}, {"day": day_of(self._clock(), self.settings.zone)}), strict=True
        ):
            if limit == Limit():
                continue
            totals = await self.store.totals("model", **part)
            under_way = [each for each in self._under_way if "run" not in part or each.run == run]
            usage = sum((each.usage for each in (*totals, *under_way, more)), Usage())
            nanos = sum(each.nanos for each in (*totals, *under_way, more))
            over = (
                (limit.calls is not None and usage.calls > limit.calls)
                or (limit.tokens is not None and usage.tokens > limit.tokens)
                or (limit.money is not None and nanos > round(limit.money * NANO))
            )
            if over:
                raise BudgetError(
                    f"the budget {name} is spent", hint="what is left waits; see `memd audit --spent day`"
                )
