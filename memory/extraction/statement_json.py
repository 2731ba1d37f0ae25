"""Converts statements to JSON and back, for storage."""

from __future__ import annotations

from datetime import datetime
from typing import Any, cast
from uuid import UUID

import orjson

from ...schemas.fact import ExtractorInfo
from .statement import Cited, Statement

_PLAIN = (
    "document_id", "speaker", "subject", "attribute", "value", "content", "negated", "category", "importance",
    "sensitivity", "confidence", "sentiment",
)  # fmt: skip
_TIMES = ("observed_at", "valid_from", "valid_to")
_LISTS = ("audience", "keywords", "tags")


def statement_to_json(statement: Statement) -> str:
    """Return the statement as one line of JSON; default values are omitted."""
    body: dict[str, Any] = {"document": str(statement.document)}
    for name in _PLAIN:
        body[name] = getattr(statement, name)
    for name in _TIMES:
        time: datetime | None = getattr(statement, name)
        if time is not None:
            body[name] = time.isoformat()
    for name in _LISTS:
        if getattr(statement, name):
            body[name] = list(getattr(statement, name))
    if statement.of_known:
        body["of_known"] = True
    if statement.sentence:
        body["sentence"] = statement.sentence
    body["evidence"] = [[str(cited.message), cited.message_id, cited.quote] for cited in statement.evidence]
    body["extractor"] = statement.extractor.model_dump(exclude_defaults=True)
    return orjson.dumps(body).decode()


def statement_from_json(text: str) -> Statement:
    """Parse the output of `statement_to_json`."""
    body = cast("dict[str, Any]", orjson.loads(text))
    fields: dict[str, Any] = {name: body[name] for name in _PLAIN}
    fields |= {name: datetime.fromisoformat(body[name]) for name in _TIMES if name in body}
    fields |= {name: tuple(body[name]) for name in _LISTS if name in body}
    return Statement(
        sentence=body.get("sentence", ""),
        of_known=body.get("of_known", False),
        document=UUID(body["document"]),
        evidence=tuple(Cited(UUID(message), name, quote) for message, name, quote in body["evidence"]),
        extractor=ExtractorInfo(**body["extractor"]),
        **fields,
    )
