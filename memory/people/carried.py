"""Transfers the decisions on people from one store to another in a document's metadata, with keys instead of names.
Pure.

Only day documents of chats carry them, since no text can write their metadata: the head of a note decides nothing. JSON
documents may carry them only on standard input (`memd ingest -`): a file may come from anyone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast
from uuid import UUID

import orjson

from ...schemas import ConversationDocument, Document
from ...schemas.identity_links import PEOPLE_DECISIONS
from ...schemas.times import in_utc, utc_microseconds
from .decisions import Decision

DECISIONS = PEOPLE_DECISIONS
"""Metadata of the first day in a complete export: all decisions on people, as JSON."""
_LEAST_KEYS = {"merge": 2, "split": 1, "undo": 0}
_FIRST_YEAR, _LAST_YEAR = 2000, 2199
"""The range of years in which a decision can have been made."""


def with_decisions(documents: Sequence[Document], decisions: Sequence[Decision]) -> list[Document] | None:
    """Return these documents with the decisions added to the first day among them; None if there is none."""
    for place, document in enumerate(documents):
        if isinstance(document, ConversationDocument):
            metadata = {**document.metadata, DECISIONS: orjson.dumps(list(map(_to_wire, decisions))).decode()}
            carrying = document.model_copy(update={"metadata": metadata})
            return [*documents[:place], carrying, *documents[place + 1 :]]
    return None


def decisions_taken_out(documents: Sequence[Document]) -> tuple[Sequence[Document], list[Decision]]:
    """Return the documents without carried decisions, and the decisions. Values that memd did not write stay in place."""
    result: list[Decision] = []
    bare: list[Document] = list(documents)
    for place, document in enumerate(documents):
        if isinstance(document, ConversationDocument) and DECISIONS in document.metadata:
            decisions = _from_text(document.metadata[DECISIONS])
            if decisions is not None:
                result += decisions
                metadata = {name: value for name, value in document.metadata.items() if name != DECISIONS}
                bare[place] = document.model_copy(update={"metadata": metadata})
    return bare, result


def _to_wire(decision: Decision) -> dict[str, Any]:
    fields: dict[str, Any] = {"id": decision.id, "action": decision.action, "at": utc_microseconds(decision.at)}
    return fields | (
        {"keys": list(map(str, decision.keys))} if decision.target is None else {"target": decision.target}
    )


def _from_text(text: str) -> list[Decision] | None:
    try:
        body: object = orjson.loads(text)
        return [_decision(cast("dict[str, Any]", each)) for each in cast("list[object]", body)]
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError):
        return None


def _decision(fields: dict[str, Any]) -> Decision:
    number, action, at, target = fields["id"], fields["action"], fields["at"], fields.get("target")
    if type(number) is not int or type(at) is not int or action not in ("merge", "split", "undo"):
        raise ValueError("no decision")
    if (action == "undo") is not (type(target) is int):
        raise ValueError("an undo, and nothing else, has a target")
    keys = tuple(map(UUID, fields.get("keys", ())))
    if len(set(keys)) < _LEAST_KEYS[action]:
        raise ValueError("it decides on nobody")
    moment = in_utc(at)
    if not _FIRST_YEAR <= moment.year <= _LAST_YEAR:
        raise ValueError("nobody decided then")
    return Decision(number, action, moment, keys, target)
