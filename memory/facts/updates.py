"""Plans and applies changes of the facts: statements become facts, are excluded, or go with their documents.

All statements of a cluster are resolved anew, so that the facts are a function of the statements in any order.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from uuid import UUID

import anyio
from anyio import to_thread

from ..extraction.records import DocumentExtraction, StoredStatement
from ..extraction.statement import Statement
from ..store import fact_rows
from ..store.database import Database
from ..write_batches import KnowledgeUpdate
from .clusters import Judge
from .document_windows import document_windows
from .fact_reader import FORGOTTEN, statements_behind
from .fact_update_plan import (
    changed_facts,
    merge_clusters,
    parse_cluster_name,
    plan_fact_update,
    resolve_clusters,
)
from .window_results import renamed, without_statements

if TYPE_CHECKING:
    from .llm_judge import LLMJudge


class FactUpdates:
    """The changes of the facts of one store.

    Args:
        database: the store.
        count: counts the tokens of a text, for cutting windows.
        writing: held while the store is written to.
        judge: decides pairs that the rules cannot.
    """

    def __init__(
        self, database: Database, count: Callable[[str], int], writing: anyio.Lock, judge: LLMJudge | None = None
    ) -> None:
        self.judge = judge
        self._database = database
        self._count = count
        self._writing = writing

    async def regroup(self, run: str, documents: Sequence[UUID]) -> None:
        """Resolve the statements of these documents anew, because a participant is another person now; no extractor is
        called. A document with a window that was never read is left unchanged; one with a window by another extractor
        stays unread.

        Raises:
            StoreError: nothing of these documents was changed.
        """
        async with self._writing:
            seen = await document_windows(self._database, documents, self._count)
            extractions = await self._database.read(fact_rows.extractions, documents)
            extractor = await self._database.read(fact_rows.recorded_extractor)
            whole = [
                DocumentExtraction(
                    key,
                    extractions[key].windows,
                    renamed(extractions[key].statements, seen[key]),
                    provisional=any(note.extractor != extractor for note in extractions[key].windows),
                )
                for key in documents
                if key in seen
                and key in extractions
                and {window.hash for window in seen[key].windows} == {note.hash for note in extractions[key].windows}
            ]
            if whole:
                await self._database.write(fact_rows.apply_knowledge, await self.update_from(run, whole))

    async def update_from(self, run: str, extractions: Sequence[DocumentExtraction]) -> KnowledgeUpdate:
        """Return the update by these extractions, including all other statements of the same clusters."""
        read = [reading.document for reading in extractions]
        before = await self._database.read(fact_rows.extractions, read)
        excluded = await self._database.read(fact_rows.excluded)
        forgotten = {key for key, run in excluded.items() if run == FORGOTTEN}
        extractions = [without_statements(reading, forgotten) for reading in extractions]
        added = [each for reading in extractions for each in reading.statements]
        names = {each.cluster for each in added}
        names |= {each.cluster for reading in before.values() for each in reading.statements}
        believed = [each for each in added if each.statement.key not in excluded]
        clusters = merge_clusters(await self._database.read(fact_rows.clusters, names), set(read), believed)
        return await self._update_of_clusters(run, clusters, names, extractions)

    async def update_without(
        self, run: str, documents: Sequence[UUID], about: Sequence[StoredStatement] = ()
    ) -> KnowledgeUpdate:
        """Return the update for the removal of these documents: clusters with statements from them lose their history,
        and the other statements in them are resolved anew. It must be applied together with the removal; the remaining
        parts are read again. Statements ``about`` forgotten people are excluded, wherever they were made.
        """
        extractions = await self._database.read(fact_rows.extractions, documents)
        names = {each.cluster for reading in extractions.values() for each in reading.statements}
        names |= {each.cluster for each in about}
        disbelieved = {each.statement.key for each in about}
        clusters = {
            name: [each for each in statements if each.statement.key not in disbelieved]
            for name, statements in merge_clusters(
                await self._database.read(fact_rows.clusters, names), set(documents), ()
            ).items()
        }
        update = await self._update_of_clusters(run, clusters, names, anew=True)
        return replace(update, erased=sorted(names), gone=(), excluded=sorted(disbelieved))

    async def recompute(self, names: Collection[str], *, anew: bool = False) -> KnowledgeUpdate:
        """Return the changes by resolving these clusters again: none if they are consistent. ``anew``: include all of
        their facts.
        """
        return await self._update_of_clusters(
            "repair", await self._database.read(fact_rows.clusters, names), set(names), anew=anew
        )

    async def undo(
        self, identifier: str, run: str, *, believe: bool | None = None, dry_run: bool = False
    ) -> KnowledgeUpdate:
        """Exclude or include again the statements behind a fact or a run; facts that they had replaced hold again after
        an exclusion.

        Args:
            identifier: the id of a fact or a run.
            run: the id of this change.
            believe: the wanted state; if it holds already, nothing is written. None: the opposite of the present state.
            dry_run: plan the change, and write nothing.

        Raises:
            NotFoundError: neither a fact nor a run has this id.
        """
        async with self._writing:
            statements = await statements_behind(self._database, identifier)
            keys = {each.statement.key for each in statements}
            excluded = keys & set(await self._database.read(fact_rows.excluded))
            again = keys == excluded if believe is None else believe
            if excluded == (set[UUID]() if again else keys):
                update = KnowledgeUpdate(run, datetime.now(UTC))
            else:
                update = await self._update_with_beliefs(statements, run, again=again)
                if not dry_run:
                    await self._database.write(fact_rows.apply_knowledge, update)
            statement_keys = tuple(sorted(keys))
            return replace(update, excluded=() if again else statement_keys, included=statement_keys if again else ())

    async def ask_judge(self, read: Collection[UUID], added: Sequence[StoredStatement], run: str) -> None:
        """Have the judge decide the pairs that the rules cannot, if these documents give these statements. Call it before
        taking the lock: writers must not wait for a model.
        """
        judge = self.judge
        if judge is None:
            return
        clusters = merge_clusters(
            await self._database.read(fact_rows.clusters, {each.cluster for each in added}), set(read), added
        )
        while True:
            pairs = await to_thread.run_sync(_undecided_pairs, clusters, judge.verdict)
            if not pairs or not (await judge.decide(pairs, run)).decided:
                return

    async def needs_unknown_verdict(self, names: Collection[str]) -> bool:
        """Return whether these clusters depend on verdicts that this process does not know, about statements by a
        model.
        """
        statements_by_cluster = await self._database.read(fact_rows.clusters, names)
        clusters = {
            name: statements
            for name, statements in statements_by_cluster.items()
            if any(each.statement.extractor.model for each in statements)
        }
        return bool(await to_thread.run_sync(_undecided_pairs, clusters, self._verdict or _no_verdict))

    async def _update_of_clusters(
        self,
        run: str,
        clusters: Mapping[str, Sequence[StoredStatement]],
        names: set[str],
        extractions: Sequence[DocumentExtraction] = (),
        *,
        anew: bool = False,
    ) -> KnowledgeUpdate:
        """Return the update that makes these clusters known; with ``anew`` it contains all of their facts, also
        unchanged ones.
        """
        at = datetime.now(UTC)
        before = await self._database.read(fact_rows.facts_of_clusters, names)
        after = await to_thread.run_sync(resolve_clusters, clusters, run, at, self._verdict)
        different = before.keys() | after.keys() if anew else changed_facts(before, after)
        moved = {key: before[key] for key in before if key in different}
        moving = {key: after[key] for key in after if key in different}
        documents = {
            cited.message: each.statement.document
            for statements in clusters.values()
            for each in statements
            for cited in each.statement.evidence
        }
        documents = {message: document for message, document in documents.items() if message != document}
        staying = before.keys() - different
        shared = {chunk for key in staying for chunk in before[key].chunks}
        return await to_thread.run_sync(plan_fact_update, run, at, moved, moving, documents, extractions, shared)

    async def _update_with_beliefs(
        self, statements: Sequence[StoredStatement], run: str, *, again: bool
    ) -> KnowledgeUpdate:
        """Return the update that includes these statements ``again``, or excludes them."""
        keys = {each.statement.key for each in statements}
        names = {each.cluster for each in statements}
        clusters = {
            name: [each for each in members if each.statement.key not in keys]
            for name, members in (await self._database.read(fact_rows.clusters, names)).items()
        }
        if again:
            for each in statements:
                clusters[each.cluster].append(each)
        update = await self._update_of_clusters(run, clusters, names)
        return replace(update, excluded=() if again else sorted(keys), included=sorted(keys) if again else ())

    @property
    def _verdict(self) -> Judge | None:
        return None if self.judge is None else self.judge.verdict


def _undecided_pairs(
    clusters: Mapping[str, Sequence[StoredStatement]], judge: Judge
) -> list[tuple[Statement, Statement]]:
    from .supersession import undecided  # see `resolve_clusters`

    return [
        pair
        for cluster, statements in clusters.items()
        for pair in undecided(parse_cluster_name(cluster), [each.statement for each in statements], judge)
    ]


def _no_verdict(_: Statement, __: Statement) -> bool | None:
    """Return None: no pair is decided."""
