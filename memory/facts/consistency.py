"""Checks that stored facts agree with their statements: every cluster is resolved again and compared."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from uuid import UUID

from ..records import OWN_WORDS, CheckResult
from ..search_types import FactFilter, Filter
from ..store import documents_read, fact_rows
from ..store.database import Database
from .updates import FactUpdates

AT_ONCE = 200
"""The number of documents, and of clusters, that are processed at once."""


async def check_facts(database: Database, updates: FactUpdates) -> CheckResult:
    """Return one finding about all facts. A difference that may come from an unavailable verdict of a model is no error."""
    wrong = count = doubtful = 0
    async for part in _cluster_pages(database):
        count += len(part)
        for cluster in await _out_of_date(database, updates, part):
            if await updates.needs_unknown_verdict([cluster]):
                doubtful += 1
            else:
                wrong += 1
    if wrong:
        detail = f"{wrong} of {count} fact groups are out of date"
        return CheckResult("facts", "error", detail, "memd doctor --repair resolves them again", repairable=True)
    more = f", {doubtful} rest on a model's verdict" if doubtful else ""
    return CheckResult("facts", "ok", f"all {count} fact groups agree with their statements{more}")


async def repair_facts(database: Database, updates: FactUpdates) -> int:
    """Resolve and store the clusters that differ; return their number. Call it only while nothing else writes."""
    mended = 0
    for part in [part async for part in _cluster_pages(database)]:
        for cluster in await _out_of_date(database, updates, part):
            unchunked = bool(await _without_chunks(database, [cluster]))
            if unchunked or not await updates.needs_unknown_verdict([cluster]):
                await database.write(fact_rows.apply_knowledge, await updates.recompute([cluster], anew=unchunked))
                mended += 1
    return mended


async def _out_of_date(database: Database, updates: FactUpdates, clusters: Sequence[str]) -> list[str]:
    """Return the clusters whose facts differ from a new resolution, or lack chunks for some of their messages."""
    unchunked = await _without_chunks(database, clusters)
    update = await updates.recompute(clusters)
    if not update.facts and not update.gone:
        return sorted(unchunked)
    stale = set(unchunked)
    for cluster in clusters:  # the change may belong to a neighbouring cluster
        alone = await updates.recompute([cluster])
        if alone.facts or alone.gone:
            stale.add(cluster)
    return sorted(stale)


async def _without_chunks(database: Database, clusters: Sequence[str]) -> set[str]:
    """Return the clusters with a fact that has fewer chunks than messages. Facts of texts have no chunks, and facts by
    rules or a program need none.
    """
    facts = await database.read(fact_rows.facts_of_clusters, clusters)
    documents = await database.read(
        fact_rows.documents_of, {message for each in facts.values() for message in each.messages}
    )
    return {
        each.cluster
        for each in facts.values()
        if (each.chunks or each.fact.extractor.name not in OWN_WORDS)
        and len(each.chunks) < sum(documents.get(message, message) != message for message in each.messages)
    }


async def _cluster_pages(database: Database) -> AsyncGenerator[list[str], None]:
    """Yield the names of all clusters with a statement or a fact, page by page."""
    names: set[str] = set()
    after: UUID | None = None
    while lines := await database.read(documents_read.listing, Filter(), after, AT_ONCE, retired=True):
        after = lines[-1].key
        for reading in (await database.read(fact_rows.extractions, [line.key for line in lines])).values():
            names |= {each.cluster for each in reading.statements}
    number = 0
    while page := await database.read(fact_rows.facts, FactFilter(), number, AT_ONCE):
        number = page[-1][0]
        names |= {stored.cluster for _, stored in page}
    listed = sorted(names)
    for begin in range(0, len(listed), AT_ONCE):
        yield listed[begin : begin + AT_ONCE]
