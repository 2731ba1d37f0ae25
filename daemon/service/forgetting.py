"""Forgetting on request: plans and their tokens, names that are parts of others, and the answer."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import fields
from typing import TYPE_CHECKING

import anyio

from ...memory.forgetting.quotations import Quotations, QuotePlace
from ...memory.forgetting.selection import ForgetPlan, ForgetSelection, Impact
from ...memory.memory import EvolvingMemory
from ...memory.text.names import folded
from ...schemas.errors import BusyError, InvalidError, NotFoundError
from ..forgetting.saga import ForgetSaga
from ..operation_progress import OperationProgress, ReportProgress
from .name_filters import LONGEST, NameFilters
from .requests import ForgetRequest

if TYPE_CHECKING:
    from ..forgetting.journal_entries import JournalForgetPlan
    from .answers.upkeep import AffectedChat, AffectedName, ForgetExtent, ForgetReport, Quotes, QuotingPlace

SHOWN = 20
"""The maximum number of documents, and of chats, that a plan lists; the counts are of all."""


class ForgettingService:
    """Forgetting, as the API offers it."""

    def __init__(self, memory: EvolvingMemory, names: NameFilters, saga: ForgetSaga, exclusive: anyio.Lock) -> None:
        self._memory = memory
        self._names = names
        self._saga = saga
        self._exclusive = exclusive

    async def forget(self, request: ForgetRequest, tell: ReportProgress) -> ForgetReport:
        """Plan (``dry_run``), or carry out the plan of that name: remove from the store, the journal and every file.

        Raises:
            InvalidError: it selects nothing in particular.
            BusyError: something else would go now than was planned.
            NotFoundError: the part of a name means several, or stands where names must be whole.
        """
        request_selection = _selection(request)
        parts = request.dry_run and not request.whole_names
        async with self._exclusive:
            tell(OperationProgress("planning"))
            whole = await self._names.of_selection(request_selection, parts=parts)
            selection = await self._memory.forget_planner.with_all_names(whole)
            if request.dry_run:
                unpurged = await self._saga.erasure.purge()
                plan, queued = await self._saga.plan(selection, request.quotes, tell)
                extent = _extent(selection, plan, queued.messages, queued)
                taken = await self._names.taken(
                    request_selection, whole, parts=parts, present=plan.present | queued.names
                )
                return {**extent, "taken": taken, "dry_run": True, "unpurged": unpurged}
            done = await self._saga.carry_out(selection, request.quotes, request.plan, tell)
            if done is None:
                await self._refuse_parts(request_selection, whole)
                raise BusyError("something else would be forgotten now than was planned", hint="plan it again")
            run, left = done
            extent = _extent(selection, run.plan, run.waiting, run.queued)
            return {**extent, "dry_run": False, "unpurged": left}

    async def _refuse_parts(self, selection: ForgetSelection, whole: ForgetSelection) -> None:
        """Refuse a name that is only a part of others; in a plan it stands for them.

        Raises:
            NotFoundError: there is one.
        """
        for each in await self._names.taken(selection, whole, parts=False):
            if part_of := each.get("part_of"):
                message = (
                    f"there is no {each['kind']} {each['asked'][:LONGEST]!r}; it is a part of {', '.join(part_of)}"
                )
                raise NotFoundError(
                    message, hint="what is forgotten is named whole; `taken` of the plan tells the names"
                )


def _selection(request: ForgetRequest) -> ForgetSelection:
    selection = ForgetSelection(
        **{each.name: getattr(request, each.name) for each in fields(ForgetSelection) if hasattr(request, each.name)}
    )
    if selection.empty:
        hint = "name a document, source, chat, speaker, person, message or time; `memd forget --help` has examples"
        raise InvalidError("nothing was named that should be forgotten", hint=hint)
    return selection


def _extent(selection: ForgetSelection, plan: ForgetPlan, waiting: int, queued: JournalForgetPlan) -> ForgetExtent:
    chats = affected_chats(plan.affected)
    largest = sorted(plan.affected, key=lambda each: -each.messages)[:SHOWN]
    extent: ForgetExtent = {
        "plan": plan.token,
        "messages": plan.messages,
        "documents": {
            "whole": sum(each.whole for each in plan.affected),
            "partly": sum(not each.whole for each in plan.affected),
        },
        "names": sorted({unicodedata.normalize("NFC", name) for name in plan.names}),
        "identities": _identities_of(plan) if selection.people or selection.speakers else [],
        "facts_about": plan.facts,
        "waiting": waiting,
        "damaged": len(queued.damaged),
        "largest": [
            {"id": each.id, "source": each.source, "title": each.title, "messages": each.messages, "whole": each.whole}
            for each in largest
        ],
        "chats": chats[:SHOWN],
        "chat_count": len(chats),
    }
    if plan.quotes is not None:
        extent["quotes"] = _quotes(plan.quotes, queued.entries)
    return extent


def _quotes(quotes: Quotations, waiting: int) -> Quotes:
    return {
        "treatment": quotes.treatment,
        "messages": len(quotes.places),
        "places": [_place(each) for each in quotes.places[:SHOWN]],
        "mentions": quotes.mentions,
        "waiting": waiting,
        "complete": quotes.complete,
    }


def _place(each: QuotePlace) -> QuotingPlace:
    place: QuotingPlace = {
        "id": str(each.key),
        "kind": "text" if each.text else "message",
        "title": each.title,
        "source": each.source,
        "author": each.author,
    }
    if each.time is not None:
        place["time"] = each.time
    return place


def _identities_of(plan: ForgetPlan) -> list[AffectedName]:
    """Return the names whose messages are removed, with counts, by source and name: each merged name, also one without
    a message.
    """
    counts: dict[tuple[str, str], int] = {}
    shown: dict[tuple[str, str], str] = {}
    for each in plan.affected:
        for name, messages in each.names.items():
            key = (each.source, folded(name))
            shown.setdefault(key, name)
            counts[key] = counts.get(key, 0) + messages
    for source, name in plan.merged:
        counts.setdefault((source, folded(name)), 0)
    return [
        {"source": key[0], "name": shown.get(key, key[1]), "messages": number} for key, number in sorted(counts.items())
    ]


def affected_chats(affected: Iterable[Impact]) -> list[AffectedChat]:
    """Return the chats and texts that lose messages, those that lose most first."""
    impacts: dict[tuple[str, str, bool], list[Impact]] = {}
    for each in affected:
        impacts.setdefault((each.source, each.title or each.id, each.text), []).append(each)
    chats: list[AffectedChat] = []
    for (source, title, text), documents in impacts.items():
        chat: AffectedChat = {
            "title": title,
            "source": source,
            "kind": "text" if text else "conversation",
            "messages": sum(each.messages for each in documents),
            "documents": len(documents),
        }
        if times := [time for each in documents for time in (each.first, each.last) if time is not None]:
            chat["first"], chat["last"] = min(times), max(times)
        chats.append(chat)
    return sorted(chats, key=lambda chat: -chat["messages"])
