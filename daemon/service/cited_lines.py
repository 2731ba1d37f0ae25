"""The lines of an answer that a language model is shown: facts and messages, each with what it rests on."""

from __future__ import annotations

from datetime import UTC, datetime

from ...memory import lookup
from ...memory.memory import EvolvingMemory
from ...memory.retrieval.answer import CitedHit, text_to_send
from ...memory.store import fact_rows
from ...schemas import Fact, QueryResult
from ..config.settings import LLMSettings

ASKED_FACTS = 15
"""Facts that a model is shown beside messages."""
_UNDATED = datetime(1970, 1, 1, tzinfo=UTC)


async def lines_of(settings: LLMSettings, memory: EvolvingMemory, result: QueryResult) -> list[CitedHit]:
    """Return the facts and messages of an answer as lines for the model; those that must not be sent are marked."""
    from ..llm import private_of

    rests_on = await lookup.messages_of_facts(memory.database, [fact.id for fact in result.facts])
    messages = {hit.id for hit in result.hits}.union(*rests_on.values())
    documents = await memory.database.read(fact_rows.documents_of, list(messages))
    kept = await private_of(settings, memory.fact_service, set(documents.values()))
    facts = [
        CitedHit(
            id=str(fact.id),
            speaker=fact.speaker,
            time=fact.observed_at,
            text=_fact_line(fact),
            document=next((documents[each] for each in rests_on[fact.id] if each in documents), None),
            private=any(documents.get(each) in kept for each in rests_on[fact.id]),
            messages=tuple(map(str, rests_on[fact.id])),
        )
        for fact in result.facts
        if rests_on.get(fact.id)
    ]
    hits = [
        CitedHit(
            id=str(hit.id),
            speaker=hit.speaker or hit.source,
            time=hit.time or _UNDATED,
            text=text_to_send(hit),
            document=documents.get(hit.id),
            source=hit.source,
            private=documents.get(hit.id) in kept,
        )
        for hit in result.hits
    ]
    return [*facts[:ASKED_FACTS], *hits]


def _fact_line(fact: Fact) -> str:
    """A fact as a line for the model: its sentence, and since or until when it holds."""
    since = f", since {fact.valid_from:%Y-%m-%d}" if fact.valid_from else ""
    until = f", until {fact.valid_to:%Y-%m-%d}" if fact.valid_to else ""
    return f"{fact.content.rstrip('.')}{since}{until}."
