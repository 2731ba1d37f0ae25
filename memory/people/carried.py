"""The decisions on people as a document carries them from one store to another: they name nobody but by keys. Pure.

Only days of chats carry them, whose metadata no text writes: what stands at the head of a note decides nothing. Of documents as
JSON only those on standard input do (`memd ingest -`): a file that lies somewhere may be anybody's.
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
"""Metadata of the first day in a whole export: all decisions on people, as JSON."""
_LEAST_KEYS = {"merge": 2, "split": 1, "undo": 0}
_FIRST_YEAR, _LAST_YEAR = 2000, 2199
"""Years in which somebody can have decided."""


def with_decisions(documents: Sequence[Document], decisions: Sequence[Decision]) -> list[Document] | None:
    """These documents, the first day among them with the decisions; None where there is no day among them."""
    for place, document in enumerate(documents):
        if isinstance(document, ConversationDocument):
            metadata = {**document.metadata, DECISIONS: orjson.dumps(list(map(_to_wire, decisions))).decode()}
            carrying = document.model_copy(update={"metadata": metadata})
            return [*documents[:place], carrying, *documents[place + 1 :]]
    return None


def decisions_taken_out(documents: Sequence[Document]) -> tuple[Sequence[Document], list[Decision]]:
    """The documents as their source said them, and what they carry; what is no word of ours stays where it is."""
    found: list[Decision] = []
    bare: list[Document] = list(documents)
    for place, document in enumerate(documents):
        if isinstance(document, ConversationDocument) and DECISIONS in document.metadata:
            told = _from_text(document.metadata[DECISIONS])
            if told is not None:
                found += told
                metadata = {name: value for name, value in document.metadata.items() if name != DECISIONS}
                bare[place] = document.model_copy(update={"metadata": metadata})
    return bare, found


def _to_wire(decision: Decision) -> dict[str, Any]:
    told: dict[str, Any] = {"id": decision.id, "action": decision.action, "at": utc_microseconds(decision.at)}
    return told | ({"keys": list(map(str, decision.keys))} if decision.target is None else {"target": decision.target})


def _from_text(text: str) -> list[Decision] | None:
    try:
        body: object = orjson.loads(text)
        return [_decision(cast("dict[str, Any]", each)) for each in cast("list[object]", body)]
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError):
        return None


def _decision(told: dict[str, Any]) -> Decision:
    number, action, at, target = told["id"], told["action"], told["at"], told.get("target")
    if type(number) is not int or type(at) is not int or action not in ("merge", "split", "undo"):
        raise ValueError("no decision")
    if (action == "undo") is not (type(target) is int):
        raise ValueError("an undo, and nothing else, has a target")
    keys = tuple(map(UUID, told.get("keys", ())))
    if len(set(keys)) < _LEAST_KEYS[action]:
        raise ValueError("it decides on nobody")
    moment = in_utc(at)
    if not _FIRST_YEAR <= moment.year <= _LAST_YEAR:
        raise ValueError("nobody decided then")
    return Decision(number, action, moment, keys, target)
