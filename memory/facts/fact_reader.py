"""Reads facts: pages with links, versions, changes by an update, summaries of documents, the statements behind a fact."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

from ...schemas.errors import NotFoundError
from ..extraction.records import DocumentExtraction, RefusedLine, StoredStatement
from ..records import StoredFact
from ..search_types import FactFilter
from ..store import fact_rows, refused_rows
from ..store.database import Database
from ..store.fact_links import facts_by_link_key
from ..store.fact_times import with_first_observed
from ..write_batches import KnowledgeUpdate
from .changelog import FactChange, fact_changes
from .document_windows import document_windows
from .life_cycle import at_moment
from .links import MAX_FACTS_PER_KEY, link_keys_of, linkable, links_of, with_counterparts

FORGOTTEN = "forget"
"""The run that is recorded for statements that are neither believed nor kept, because they are about a forgotten
person.
"""
PAGE = 500


@dataclass(frozen=True, slots=True)
class ExtractionSummary:
    """The summary of a window."""

    text: str
    """The summary."""
    message_ids: tuple[str, ...]
    """The ids of the messages that it covers, as evidence; for a text its own id."""


def _utc_now() -> datetime:
    return datetime.now(UTC)


class FactReader:
    """Reads the facts of one store.

    Args:
        database: the store.
        count: counts the tokens of a text, for cutting windows.
        now: returns the time at which plans are judged to be due.
    """

    def __init__(self, database: Database, count: Callable[[str], int], now: Callable[[], datetime] = _utc_now) -> None:
        self._database = database
        self._count = count
        self._now = now

    async def facts(self, where: FactFilter, after: int = 0, limit: int = PAGE) -> list[tuple[int, StoredFact]]:
        """Return a page of facts; present ones have their links."""
        page = await self._database.read(fact_rows.facts, where, after, limit)
        moment = where.as_of or where.known_at or self._now()
        facts_then = [replace(stored, fact=at_moment(stored.fact, moment)) for _, stored in page]
        shown = await self._with_links(facts_then)
        return [(number, stored) for (number, _), stored in zip(page, shown, strict=True)]

    async def attributes(self) -> set[str]:
        """Return the attributes of all facts, present or past."""
        return await self._database.read(fact_rows.attributes)

    async def _with_links(self, versions: Sequence[StoredFact]) -> list[StoredFact]:
        """Add to the versions the time of the first statement, and to present ones the links to other present facts;
        computed in a worker thread.
        """
        return await self._database.read(_linked, versions)

    async def changes_of(self, update: KnowledgeUpdate) -> list[FactChange]:
        """Return the change of each fact by an update that was made or planned, with the reason."""
        keys = [*(each.fact.id for each in update.facts), *update.gone]
        just_before = update.at - timedelta(microseconds=1)
        before: dict[UUID, StoredFact] = {}
        for begin in range(0, len(keys), PAGE):
            where = FactFilter(keys=tuple(keys[begin : begin + PAGE]), known_at=just_before)
            before |= {each.fact.id: each for _, each in await self._database.read(fact_rows.facts, where, 0, PAGE)}
        return fact_changes(before, update.facts, update.gone)

    async def history(self, fact: UUID) -> list[StoredFact]:
        """Return all versions of a fact, and of the facts before and after it.

        Raises:
            NotFoundError: there never was such a fact.
        """
        versions_by_fact: dict[UUID, list[StoredFact]] = {}
        waiting = [fact]
        while waiting:
            key = waiting.pop()
            if key in versions_by_fact:
                continue
            versions_by_fact[key] = await self._database.read(fact_rows.history, key)
            for version in versions_by_fact[key]:
                waiting += [other for other in (version.fact.supersedes, version.fact.superseded_by) if other]
        if not versions_by_fact[fact]:
            raise NotFoundError("there is no such fact", hint="`memd facts --ids` shows them")
        versions = await self._with_links([version for each in versions_by_fact.values() for version in each])
        return sorted(versions, key=lambda each: (each.fact.recorded_at, each.fact.observed_at, each.fact.id))

    async def summaries(self, document: UUID) -> list[ExtractionSummary]:
        """Return the summary of each window of a document, in order, where its extractor gave one."""
        notes = (
            (await self._database.read(fact_rows.extractions, [document]))
            .get(document, DocumentExtraction(document))
            .windows
        )
        notes_by_hash = {note.hash: note for note in notes if note.summary}
        seen = (await document_windows(self._database, [document], self._count)) if notes_by_hash else {}
        return [
            ExtractionSummary(
                notes_by_hash[window.hash].summary, tuple(dict.fromkeys(line.message_id for line in window.lines))
            )
            for each in seen.values()
            for window in each.windows
            if window.hash in notes_by_hash
        ]

    async def summaries_of(self, documents: Sequence[UUID]) -> dict[UUID, list[str]]:
        """Return the summaries of documents without their evidence, in no particular order."""
        extractions = await self._database.read(fact_rows.extractions, documents)
        summaries = {
            key: sorted(note.summary for note in each.windows if note.summary) for key, each in extractions.items()
        }
        return {key: texts for key, texts in summaries.items() if texts}

    async def refused(
        self, reasons: Sequence[str] = (), run: str = "", after: int = 0, limit: int = PAGE
    ) -> list[tuple[int, RefusedLine]]:
        """Return a page of refused proposals in the order of refusal, each with an increasing number to continue
        ``after``.
        """
        return await self._database.read(refused_rows.page, reasons, run, after, limit)

    async def disbelieved_count(self) -> int:
        """Return the number of stored statements that a user declared wrong."""
        return sum(run != FORGOTTEN for run in (await self._database.read(fact_rows.excluded)).values())

    async def belief(self, identifier: str) -> tuple[bool, int]:
        """Return whether any statement behind a fact or a run is believed, and the number of these statements.

        Raises:
            NotFoundError: neither a fact nor a run has this id.
        """
        keys = {each.statement.key for each in await statements_behind(self._database, identifier)}
        return not keys <= set(await self._database.read(fact_rows.excluded)), len(keys)


async def statements_behind(database: Database, identifier: str) -> list[StoredStatement]:
    """Return the statements that a fact rests on, or that a run read first, whether they are believed or not.

    Raises:
        NotFoundError: neither a fact nor a run has this id.
    """
    try:
        last = (await database.read(fact_rows.history, UUID(identifier)))[-1:]
    except ValueError:
        last = []
    if last:
        statements = await _statements_of(database, last[0])
    else:
        # The statements of the facts that the run made would differ: a run may only have ended facts, and after people
        # were merged another run made the facts of its statements again.
        statements = await database.read(fact_rows.statements_of_run, identifier)
    if statements:
        return statements
    if not last and not await database.read(fact_rows.facts_of_run, identifier):
        hint = "`memd runs` lists the runs of imports, `memd facts` the facts; `memd history ID` tells the run that read a fact"
        raise NotFoundError("no fact has this id, and no run of this id read a fact", hint=hint)
    hint = "what it rests on was read by another run; `memd history ID` tells the run of each version of a fact"
    raise NotFoundError("no statement is behind this id", hint=hint)


async def _statements_of(database: Database, version: StoredFact) -> list[StoredStatement]:
    """Return the statements behind a version of a fact, also if they belong to a fact of another id since people were
    merged.
    """
    documents = set((await database.read(fact_rows.documents_of, version.messages)).values())
    return [
        each
        for reading in (await database.read(fact_rows.extractions, documents)).values()
        for each in reading.statements
        if _supports(each, version)
    ]


def _supports(stored: StoredStatement, version: StoredFact) -> bool:
    statement, fact = stored.statement, version.fact
    if stored.cluster != version.cluster and (
        version.replaced_at is None
        or (statement.attribute, statement.value, statement.negated) != (fact.attribute, fact.value, fact.negated)
    ):
        return False
    cited = {evidence.message for evidence in statement.evidence}
    quotes = {(evidence.message_id, evidence.quote) for evidence in fact.evidence}
    return not cited.isdisjoint(version.messages) and any(
        (one.message_id, one.quote) in quotes for one in statement.evidence
    )


def _linked(connection: sqlite3.Connection, versions: Sequence[StoredFact]) -> list[StoredFact]:
    versions = with_first_observed(connection, versions)
    present = {each.fact.id: link_keys_of(linkable(each)) for each in versions if each.replaced_at is None}
    keys = with_counterparts(key for keys in present.values() for key in keys)
    facts = facts_by_link_key(connection, keys, MAX_FACTS_PER_KEY + 1)
    return [
        each
        if each.replaced_at is not None
        else replace(each, fact=each.fact.model_copy(update={"links": links_of(key, present[key], facts)}))
        for each in versions
        for key in (each.fact.id,)
    ]
