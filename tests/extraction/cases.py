"""The attribution set as windows: whose words carry what, and everything else that nobody may be said to have said.

`attribution.jsonl` holds one case a line: a document as on the wire, and ``carried``: speaker, subject, attribute and a part
of the value of every statement that the words themselves carry. Whatever an extractor makes beyond them is a mistake.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from memd.memory.extraction.statement import Statement
from memd.memory.extraction.window import Window, windows_of
from memd.memory.records import StoredDocument, StoredMessage
from memd.schemas import ConversationDocument, TextDocument, document_from_wire
from memd.schemas.keys import document_key, message_key

FILE = Path(__file__).parent / "attribution.jsonl"


@dataclass(frozen=True)
class Case:
    """One document and what its words carry."""

    name: str
    windows: tuple[Window, ...]
    carried: tuple[tuple[str, str, str, str], ...]
    """Speaker, subject, attribute, value."""

    def carries(self, statement: Statement) -> bool:
        """Whether the words carry it."""
        return any(
            (statement.speaker, statement.subject, statement.attribute) == label[:3]
            and label[3].casefold() in statement.value.casefold()
            for label in self.carried
        )


def windows_of_wire(data: dict[str, Any]) -> tuple[Window, ...]:
    """The windows of a document as on the wire."""
    (document,) = (
        item for item in document_from_wire(data, "case") if isinstance(item, ConversationDocument | TextDocument)
    )
    key = document_key(document.source, "", document.id)
    row = StoredDocument(
        key=key,
        id=document.id,
        source=document.source,
        account="",
        kind="conversation" if document.is_conversation() else "text",
        metadata=dict(document.metadata),
        timestamp=document.timestamp,
    )
    if isinstance(document, TextDocument):
        return tuple(windows_of(_with(row, content=document.content), (), _count))
    body = document.conversation
    messages = [
        StoredMessage(message_key(row.source, "", row.id, message.id or str(position)), key, position, message)
        for position, message in enumerate(body.conversation)
    ]
    return tuple(windows_of(_with(row, user=body.user, people=body.people), messages, _count))


def cases() -> list[Case]:
    """The whole set."""
    found: list[Case] = []
    for line in FILE.read_text(encoding="utf-8").splitlines():
        raw = json.loads(line)
        labels = [(each["speaker"], each["subject"], each["attribute"], each["value"]) for each in raw["carried"]]
        found.append(Case(raw["name"], windows_of_wire(raw["document"]), tuple(labels)))
    return found


def _with(row: StoredDocument, **changes: Any) -> StoredDocument:
    return replace(row, **changes)


def _count(text: str) -> int:
    return len(text.split())
