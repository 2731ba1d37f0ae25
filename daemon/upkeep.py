"""Upkeep by whoever owns the memory: forgetting, mending, cutting and embedding anew. The API's `Upkeep`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import anyio
from pydantic import BaseModel, ConfigDict, ValidationError

from ..memory.evolving import EvolvingMemory
from ..memory.forgetting import ForgetPlan, Selection, without
from ..schemas.errors import BusyError, InvalidError
from .operations import Step, Tell
from .pipeline import Pipeline
from .questions import problems_of, time_in

if TYPE_CHECKING:
    from . import keeping
    from .config import Settings
    from .journal import Removed

SHOWN = 20
"""Documents that a plan names; the counts are always whole."""
WATCH_SECONDS = 0.5


class ForgetRequest(BaseModel):
    """The body of a request to forget."""

    model_config = ConfigDict(extra="forbid")

    documents: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    chats: tuple[str, ...] = ()
    speakers: tuple[str, ...] = ()
    since: str | None = None
    until: str | None = None
    dry_run: bool = True
    plan: str | None = None


class Upkeep:
    """What the owner does to what is kept. Methods raise ``StoreError`` when the disk refuses, and what they name."""

    def __init__(self, settings: Settings, memory: EvolvingMemory, pipeline: Pipeline) -> None:
        self._settings = settings
        self._memory = memory
        self._pipeline = pipeline
        self._one = anyio.Lock()
        """One operation at a time."""

    async def forget(self, body: dict[str, Any], tell: Tell) -> dict[str, Any]:
        """Plan (``dry_run``), or carry out the plan of that name: remove from the store, the journal and every file.

        Raises:
            InvalidError: the body breaks a rule, or selects nothing in particular.
            BusyError: something else would go now than was planned.
        """
        request, selection = self._selection(body)
        async with self._one:
            tell(Step("planning"))
            if request.dry_run:
                plan = await self._memory.plan_forget(selection)
                async with self._pipeline.still() as journal:
                    removed = await journal.rewrite(lambda document: without(document, selection), dry=True)
                return _told(plan, removed) | {"dry_run": True}
            async with self._pipeline.still() as journal:
                plan = await self._memory.plan_forget(selection)
                if plan.token != request.plan:
                    raise BusyError("something else would be forgotten now than was planned", hint="plan it again")
                tell(Step("forgetting", 0, plan.messages))
                await self._memory.forget(plan)
                removed = await journal.rewrite(lambda document: without(document, selection))
                self._pipeline.forgotten(removed)
            tell(Step("purging"))
            await self._memory.purge()
            return _told(plan, removed) | {"dry_run": False}

    def _selection(self, body: dict[str, Any]) -> tuple[ForgetRequest, Selection]:
        try:
            request = ForgetRequest.model_validate(body)
        except ValidationError as error:
            problems = problems_of(error)
            raise InvalidError("; ".join(problems), problems=tuple(problems)) from None
        zone = self._settings.zone_in_force()[0]
        try:
            since, until = (None if text is None else time_in(text, zone) for text in (request.since, request.until))
        except (ValueError, OverflowError):
            raise InvalidError("since and until must be a day (2024-01-15) or an RFC 3339 time") from None
        selection = Selection(request.documents, request.sources, request.chats, request.speakers, since, until)
        if selection.empty:
            hint = "name a document, source, chat, speaker or time; `memd forget --help` has examples"
            raise InvalidError("nothing was named that should be forgotten", hint=hint)
        return request, selection


def _told(plan: ForgetPlan, removed: list[Removed]) -> dict[str, Any]:
    largest = sorted(plan.affected, key=lambda each: -each.messages)[:SHOWN]
    return {
        "plan": plan.token,
        "messages": plan.messages,
        "documents": {
            "whole": sum(each.whole for each in plan.affected),
            "partly": sum(not each.whole for each in plan.affected),
        },
        "waiting": sum(each.messages for each in removed),
        "largest": [
            {"id": each.id, "source": each.source, "title": each.title, "messages": each.messages, "whole": each.whole}
            for each in largest
        ],
    }


if TYPE_CHECKING:
    _upkeep: type[keeping.Upkeep] = Upkeep
