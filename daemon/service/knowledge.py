"""The API of knowledge: facts and their history, undoing, people. Part of the owner's service."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any
from uuid import UUID

import anyio.to_thread

from ...memory import lookup
from ...memory.extraction.attributes import ATTRIBUTES
from ...memory.extraction.rejection import Reason
from ...memory.facts.changelog import FactChange, version_changes
from ...memory.llm.audit import AuditLog
from ...memory.llm.ledger import LedgerStore
from ...memory.llm.store import LLMStore, records_in
from ...memory.memory import EvolvingMemory
from ...memory.records import PersonStats, StoredFact
from ...memory.search_types import FactFilter, Filter
from ...memory.store import annotation_rows
from ...memory.store.part_stats import part_stats
from ...memory.store.person_stats import chat_stats, person_stats
from ...memory.text import analyzer
from ...memory.text.language import language_of
from ...memory.text.name_matching import alike
from ...memory.text.names import folded
from ...memory.text.stemmer import english_stem
from ...memory.text.stopwords import stop_words
from ...schemas import Hit, Query, QueryResult, TextDocument
from ...schemas.errors import ConfigError, InvalidError, NotFoundError
from ...schemas.keys import SHORTEST_KEY
from ...schemas.times import rfc3339
from ..forgetting.active_answers import ActiveAnswers
from ..pipeline.pipeline import Pipeline
from .name_filters import LONGEST, SHOWN, NameFilters
from .requests import (
    AuditRequest,
    FactsRequest,
    LedgerRequest,
    PartStatsRequest,
    RefusedFactsRequest,
    UndoRequest,
)
from .user_identity import UserIdentity

PERSON_FACTS = 50
TOPICS = 12
if TYPE_CHECKING:
    from ...memory.llm.factory import LLM
    from ..config.settings import Settings
    from .answers.facts import BeliefAnswer, FactHistory, FactPage, RefusedFactPage, UndoReport
    from .answers.people import PersonAnswer
    from .answers.questions import AuditPage, ChatsAnswer, LedgerAnswer, ModelAnswer, PartStatsAnswer


class KnowledgeService:
    """Methods raise the errors of ``schemas.errors``; each says which beside ``StoreError`` (the disk)."""

    def __init__(
        self,
        settings: Settings,
        memory: EvolvingMemory,
        pipeline: Pipeline,
        answering: ActiveAnswers,
        llm: LLM | None,
        user: UserIdentity,
    ) -> None:
        self._settings = settings
        self._user = user
        self._answering = answering
        self._llm = llm
        self._memory = memory
        self._names = NameFilters(memory)
        self._pipeline = pipeline

    async def facts(self, request: FactsRequest) -> FactPage:
        """A page of facts: active ones, unless ``status`` or ``as_of`` says otherwise; ``next`` when there may be more.

        Raises:
            NotFoundError: nobody has one of these names, or no fact can have one of these attributes.
        """
        await self._require_attributes(request.attribute)
        statuses = request.status or (() if request.as_of else ("active",))
        where = FactFilter(
            subjects=await self._names.subjects(request.subject),
            speakers=await self._names.speakers(request.speaker),
            attributes=request.attribute,
            statuses=() if "all" in statuses else statuses,
            as_of=request.as_of,
            known_at=request.known_at,
        )
        rows = await self._memory.fact_reader.facts(where, request.after, request.limit)
        off = self._settings.facts.extractor == "off"
        service = self._memory.fact_service
        _, waiting = (0, 0) if off else await service.unread_window_counts()
        page: FactPage = {
            "facts": [fact_to_wire(stored) for _, stored in rows],
            "unread": 0 if off else await service.pending_extraction_count() + waiting,
        }
        if not rows:
            page["disbelieved"] = await self._memory.fact_reader.disbelieved_count()
        if len(rows) == request.limit:
            page["next"] = rows[-1][0]
        return page

    async def _require_attributes(self, attributes: Sequence[str]) -> None:
        """Raises `NotFoundError` where one is neither of memd's own nor of any fact."""
        strange = [each for each in attributes if each not in ATTRIBUTES]
        stored = await self._memory.fact_reader.attributes() if strange else set[str]()
        for each in strange:
            if each not in stored:
                hint = _meant(each, sorted({*ATTRIBUTES, *stored}))
                raise NotFoundError(f"there is no attribute {_short(each)!r}", hint=hint)

    async def refused(self, request: RefusedFactsRequest) -> RefusedFactPage:
        """A page of what became no fact, in the order it was refused; ``next`` when there may be more. ``counts`` are of all,
        by reason.

        Raises:
            InvalidError: a reason is none.
            NotFoundError: no run has this id.
        """
        counts = (await self._memory.stats())["facts_rejected"]
        reasons = sorted({*map(str, Reason), *counts})
        for each in request.reason:
            if each not in reasons:
                raise InvalidError(f"there is no reason {_short(each)!r}", hint=_meant(each, reasons))
        ended_run = await self._pipeline.journal.runs.with_prefix(request.run) if request.run else None
        run = (request.run or "") if ended_run is None else ended_run.run
        rows = await self._memory.fact_reader.refused(request.reason, run, request.after, request.limit)
        if run and ended_run is None and not rows and not request.after:  # the journal keeps no run for ever
            raise NotFoundError("no run has this id", hint="`memd runs` lists them")
        lines = [
            {**asdict(each.refusal), "document_id": each.document_id, "source": each.source, "run": each.run}
            for _, each in rows
        ]
        page: RefusedFactPage = {"refused": lines, "counts": counts}
        if len(rows) == request.limit:
            page["next"] = rows[-1][0]
        return page

    async def history(self, identifier: str) -> FactHistory:
        """Every version of a fact, and of those it superseded and that superseded it, the oldest first; each with
        ``action`` (ADD, UPDATE, DELETE, NONE) and ``reason``. ``ended``: a last version once more, where it ended.

        Raises:
            NotFoundError: there never was such a fact, or the ids of several begin so.
        """
        try:
            key = UUID(await lookup.whole_fact_id(self._memory.database, identifier))
        except ValueError:
            raise NotFoundError("there is no such fact", hint="`memd facts --ids` shows them") from None
        versions = await self._memory.fact_reader.history(key)
        return {"versions": [version_to_wire(each) for each in version_changes(versions)]}

    async def undo(self, request: UndoRequest) -> UndoReport:
        """Stop believing what a fact or a run rests on, or believe it again; with ``dry_run`` only tell what would change.

        With ``believe`` the state that is wanted is named: asking for it twice is as once, and ``facts`` is empty the
        second time. Without it the state changes over.

        Raises:
            NotFoundError: neither a fact nor a run has this id, or the ids of several begin so.
        """
        run = uuid.uuid4().hex
        identifier = await self._fact_or_run(request.id)
        if await self._memory.database.read(annotation_rows.exist):
            from . import annotations

            if (report := await annotations.undone(self._memory, self._pipeline, request, identifier)) is not None:
                return report
        service = self._memory.fact_service
        update = await service.updates.undo(identifier, run, believe=request.believe, dry_run=request.dry_run)
        if not request.dry_run:
            self._pipeline.embed_more()
        changes = await self._memory.fact_reader.changes_of(update)
        return {
            "id": identifier,
            "run": run,
            "dry_run": request.dry_run,
            "believed": bool(update.included),
            "statements": len(update.excluded) + len(update.included),
            "facts": [version_to_wire(each) for each in changes],
            "gone": list(update.gone),
        }

    async def belief(self, identifier: str) -> BeliefAnswer:
        """Return whether the statements behind a fact or a run are believed.

        Raises:
            NotFoundError: neither a fact nor a run has this id, or the ids of several begin so.
        """
        whole = await self._fact_or_run(identifier)
        if await self._memory.database.read(annotation_rows.exist):
            from . import annotations

            if (answer := await annotations.belief_of(self._memory, whole)) is not None:
                return answer
        believed, statements = await self._memory.fact_reader.belief(whole)
        return {"id": whole, "believed": believed, "statements": statements}

    async def _fact_or_run(self, identifier: str) -> str:
        """The whole id of the only fact or run that begins so; what begins none, or is too short to tell, as it is.

        Raises:
            NotFoundError: the ids of several begin so.
        """
        whole = await lookup.whole_fact_id(self._memory.database, identifier)
        run = await self._pipeline.journal.runs.with_prefix(identifier) if len(identifier) >= SHORTEST_KEY else None
        if run is None or whole == run.run:
            return whole
        if whole != identifier:
            raise NotFoundError(
                "a fact and a run begin with that", hint=f"it may be the fact {whole} or the run {run.run}"
            )
        return run.run

    async def ask(self, query: Query) -> ModelAnswer:
        """Answer from the messages and facts that are found, by the model; every sentence with the messages it rests on.

        Raises:
            ConfigError: no model is set.
            BudgetError: what may be spent is spent.
            BusyError: something was forgotten meanwhile.
            ExtractionError: the model cannot be reached or used.
        """
        llm = self._the_llm()
        from ...memory.retrieval import answer
        from .cited_lines import lines_of

        async with self._answering.under_way():
            waits = self._pipeline.has_backlog
            await self._user.follow()
            result = await self._memory.query(await self._names.of_query(query))
            lines = await lines_of(self._settings.llm, self._memory, result)
            reply = await answer.ask(llm.gateway, query.text, lines, uuid.uuid4().hex)
            hits = {str(hit.id): hit for hit in result.hits}
            missing = dict.fromkeys(each for sentence in reply.sentences for each in sentence.ids if each not in hits)
            hits |= {each: await self._hit_of(each, len(hits) + at) for at, each in enumerate(missing, 1)}
        cited = {each for sentence in reply.sentences for each in sentence.facts}
        return {
            "question": query.text,
            "found": reply.found,
            "answer": [
                {"text": sentence.text, "ids": sentence.ids, "facts": sentence.facts} for sentence in reply.sentences
            ],
            "dropped": reply.dropped,
            "withheld": reply.withheld,
            "degraded": [*result.degraded, *(["queue"] if waits else [])],
            "facts": [fact for fact in result.facts if str(fact.id) in cited],
            "hits": QueryResult(query=query.text, took_ms=0, hits=tuple(hits.values())).to_wire()["hits"],
        }

    async def _hit_of(self, message: str, rank: int) -> Hit:
        """A message that a cited fact rests on, as a hit."""
        match = await lookup.find(self._memory.database, message)
        shown: dict[str, Any] = {
            "rank": rank,
            "score": 0.0,
            "source": match.document.source,
            "document_id": match.document.id,
        }
        if match.message is None:
            content = match.document.content if isinstance(match.document, TextDocument) else ""
            return Hit(id=match.key, type="chunk", text=content, time=match.document.timestamp, **shown)
        original = match.message.message
        return Hit(
            id=match.message.key,
            type="message",
            kind=original.kind,
            text=original.content,
            speaker=original.speaker,
            time=original.time,
            message_ids=(original.id,) if original.id else (),
            **shown,
        )

    async def audit(self, request: AuditRequest) -> AuditPage:
        """Return the texts sent to a model, the latest first, also to one that is no longer set; ``next`` when there
        may be more.
        """
        async with self._records() as records:
            sent = [] if records is None else await AuditLog(records).list(before=request.before, limit=request.limit)
        page: AuditPage = {
            "sent": [
                {
                    "number": each.id,
                    "at": each.at,
                    "place": each.place,
                    "model": each.model,
                    "purpose": each.purpose,
                    "run": each.run,
                    "text": each.body,
                    "hidden": each.hidden,
                }
                for each in sent
            ]
        }
        if len(sent) == request.limit:
            page["next"] = sent[-1].id
        return page

    async def spent(self, request: LedgerRequest) -> LedgerAnswer:
        """Calls, tokens and money."""
        async with self._records() as records:
            totals = [] if records is None else await LedgerStore(records).totals(request.by)
        return {
            "by": request.by,
            "totals": [
                {
                    "name": each.name,
                    "calls": each.usage.calls,
                    "prompt_tokens": each.usage.prompt_tokens,
                    "completion_tokens": each.usage.completion_tokens,
                    "money": each.money,
                }
                for each in totals
            ],
        }

    @asynccontextmanager
    async def _records(self) -> AsyncGenerator[LLMStore | None]:
        """Open the records of what was sent; None if nothing ever was."""
        if self._llm is not None:
            yield self._llm.store
            return
        async with records_in(self._settings.data_dir) as store:
            yield store

    def _the_llm(self) -> LLM:
        if self._llm is None:
            raise ConfigError(
                "no language model is set",
                hint="`memd llm setup` finds one on this machine; a running memd takes it after a restart",
            )
        return self._llm

    async def person(self, name: str) -> PersonAnswer:
        """Return a person's contacts with counts, times and topics, and the facts about the person.

        Raises:
            NotFoundError: nobody of that name wrote, or the part of a name means several.
        """
        whole = await self._names.whole_person(name)
        stats = await self._memory.database.read(person_stats, whole)
        if stats is None:
            raise NotFoundError("nobody of that name wrote", hint="`memd people` shows all names")
        topics = await anyio.to_thread.run_sync(topics_of, stats)
        # By the one name: what was merged with it counts in its own source alone, and not of namesakes elsewhere.
        where = FactFilter(subjects=(whole,), statuses=("active",))
        facts = await self._memory.fact_reader.facts(where, 0, PERSON_FACTS)
        alike = [
            [f"{one.source}:{one.name}" for one in each.identities if folded(one.name) == folded(whole)]
            for each in await self._memory.person_service.people()
        ]
        apart = [names[0] for names in alike if names]
        person: PersonAnswer = {
            "names": stats.names,
            "messages": stats.messages,
            "first": stats.first,
            "last": stats.last,
            "chats": stats.chats,
            "contacts": stats.contacts,
            "topics": topics,
            "facts": [fact_to_wire(stored) for _, stored in facts],
        }
        return {"apart": apart, **person} if len(apart) > 1 else person

    async def part_stats(self, request: PartStatsRequest) -> PartStatsAnswer:
        """Return the amounts stored of some chats or sources.

        Raises:
            NotFoundError: a name means none, or several.
        """
        sources, chats = await self._names.whole_chats(request.sources, request.chats)
        stats = await self._memory.database.read(part_stats, Filter(sources=sources, chats=chats))
        return {
            "chats": chats,
            "sources": sources,
            "documents": stats.documents,
            "messages": stats.messages,
            "chunks": stats.chunks,
            "facts": stats.facts,
            "people": stats.people,
            "vectors": {"done": stats.vectors_done, "pending": stats.vectors_pending},
            "first": stats.first,
            "last": stats.last,
        }

    async def chats(self) -> ChatsAnswer:
        """Every chat, those with the latest message first."""
        return {"chats": await self._memory.database.read(chat_stats)}


def _short(name: str) -> str:
    return name if len(name) <= LONGEST else f"{name[:LONGEST]}…"


def _meant(name: str, names: Sequence[str]) -> str:
    """A hint: the names that are like the one that was asked for, or all."""
    near = alike(name, names, SHOWN)
    return f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(names)}"


def fact_to_wire(stored: StoredFact) -> dict[str, Any]:
    """A fact with the run that made this version, and when another replaced it."""
    body = stored.fact.to_wire() | {"run": stored.run}
    return body if stored.replaced_at is None else body | {"replaced_at": rfc3339(stored.replaced_at)}


def version_to_wire(change: FactChange) -> dict[str, Any]:
    """A version of a fact with what was done to it and why; ``ended`` where nothing supports it any more."""
    body = fact_to_wire(change.stored) | {"action": change.kind, "reason": change.reason}
    return body | {"ended": True} if change.ended else body


def topics_of(stats: PersonStats) -> list[str]:
    """Words that come often in somebody's latest messages, in the form in which they came most; without those that say
    nothing in English or in a language in which at least a tenth of the messages is written.
    """
    texts = [(text, analyzer.words(text)) for text in stats.recent]
    spoken = Counter(code for text, words_of_text in texts if (code := language_of(text, words_of_text)))
    silent = stop_words("en").union(
        *(stop_words(code) for code, count in spoken.items() if 10 * count >= spoken.total())
    )
    forms: dict[str, Counter[str]] = {}
    for _, words_of_text in texts:
        for word in set(words_of_text) - silent:
            if len(word) > 3 and not word.isdigit():
                forms.setdefault(english_stem(word), Counter())[word] += 1
    often = sorted(forms.items(), key=lambda item: (-item[1].total(), item[0]))
    return [words.most_common(1)[0][0] for _, words in often if words.total() > 1][:TOPICS]
