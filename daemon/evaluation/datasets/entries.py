"""Reads the form of memex's design: ``entries`` of path and content, ``qa`` of question, answer, category and chunk.

Categories are LoCoMo's numbers or names. ``expected_chunk`` names a piece (``path#chunk_2``), or a whole entry by its path.
The number of a piece depends on how texts are cut, so ``expected_text`` may quote words of the entry instead: a hit counts
if it holds them. Both may be lists. An entry may have a ``time``, ``tags``, or in the place of a content ``messages``, each with
``id``, ``speaker``, ``content`` and ``time``; then ``expected_chunk`` names messages.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from typing import Any, cast

from ....schemas import ConversationDocument, Document, TextDocument
from .dataset import Dataset, Question, Raw, Scope, objects_of, text_of
from .dialogues import CATEGORIES

UNANSWERABLE = "adversarial"


def read_entries(dataset: Dataset, files: list[Path]) -> Iterator[Scope]:
    """Yield one scope a file.

    Raises:
        SourceError: a file cannot be read.
    """
    for file in files:
        for data in objects_of(file):
            documents = [_document(entry) for entry in data["entries"]]
            talks = [talk for document in documents if (talk := document.as_conversation())]
            ids = {str(message.id) for talk in talks for message in talk.messages}
            ids |= {document.id for document in documents}
            questions = [_answerable(dataset, _question(*each), ids) for each in enumerate(data["qa"])]
            for question in questions:
                if not question.wanted and not question.unanswerable:
                    dataset.leave_out("questions without evidence: only their answers count")
            yield Scope(file.stem, [documents], questions)


def _answerable(dataset: Dataset, question: Question, ids: AbstractSet[str]) -> Question:
    """Return the question with the evidence that names an entry, a message or a piece of one."""
    named = frozenset(
        each for each in question.evidence if not ids.isdisjoint(accumulate(each.split("#"), "{}#{}".format))
    )
    for _ in question.evidence - named:
        dataset.leave_out("evidence that names no entry or message")
    return replace(question, evidence=named)


def _document(entry: Raw) -> Document:
    name = str(entry["path"])
    if "messages" not in entry:
        fields = {"id": name, "content": entry["content"], "tags": entry.get("tags", ())}
        return TextDocument.model_validate(
            {**fields, "timestamp": entry.get("time"), "metadata": {"source": "eval", "path": name}}
        )
    messages: list[Raw] = entry["messages"]
    people = list(dict.fromkeys(str(message["speaker"]) for message in messages))
    talk = {"source": "eval", "people": people, "user": people[0], "conversation": messages}
    metadata = {"chat": name, "title": name}
    return ConversationDocument.model_validate(
        {"id": name, "conversation": talk, "metadata": metadata, "tags": entry.get("tags", ())}
    )


def _question(number: int, item: Raw) -> Question:
    category = item.get("category", "")
    name = CATEGORIES.get(category, str(category)) if isinstance(category, int) else str(category)
    refused = name == UNANSWERABLE
    return Question(
        id=str(item.get("id", number)),
        text=str(item["question"]),
        category=name or "all",
        evidence=frozenset(_several(item.get("expected_chunk"))),
        quotes=tuple(_several(item.get("expected_text"))),
        answer="" if refused else text_of(item.get("answer")),
        unanswerable=refused,
        tags=tuple(_several(item.get("tags"))),
    )


def _several(value: Any) -> list[str]:  # noqa: ANN401 - as a file has it
    values = cast("list[object]", value) if isinstance(value, list) else [value]
    return [str(each) for each in values if each]
