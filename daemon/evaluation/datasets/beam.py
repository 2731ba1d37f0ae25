"""Reads BEAM: long chats with an assistant, and probing questions of ten kinds.

The form is that of https://github.com/mohammadtavakoli78/BEAM: a folder a chat, with ``chat.json`` (a list of batches, each
with ``turns``, lists of messages with ``id``, ``role``, ``content`` and sometimes ``time_anchor``; of the largest chats a list of plans
around them) and ``probing_questions/probing_questions.json`` (by kind, each question with ``source_chat_ids``: a list of ids, or lists by
their part in the question). The answer stands under one of several keys. ``abstention`` has no evidence and no answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

from ....schemas import ConversationDocument
from .dataset import Dataset, Question, Raw, Scope, json_of, text_of
from .longmemeval import ASSISTANT, USER

QUESTIONS = "probing_questions.json"
CHATS = ("chat.json", "chat_trunecated.json")  # spelled so in the published folders
_ANSWERS = ("answer", "ideal_answer", "ideal_summary", "expected_compliance")
_ANCHOR = re.compile(r"([A-Za-z]+)-(\d{1,2})-(\d{4})")
_MARK = re.compile(r"\s*->->\s*[\d,.\s]+$")
_BETWEEN = timedelta(minutes=1)


def read_beam(dataset: Dataset, files: list[Path]) -> Iterator[Scope]:
    """Yield a scope for each file of probing questions, with the chat that lies beside it or one folder above.

    Raises:
        SourceError: a file cannot be read.
    """
    for file in files:
        folder = file.parent.parent if file.parent.name == "probing_questions" else file.parent
        chat = next((folder / name for name in CHATS if (folder / name).is_file()), None)
        if chat is None:
            dataset.leave_out("folders without a chat")
            continue
        documents = list(_documents(json_of(chat)))
        ids = {str(message.id) for document in documents for message in document.messages}
        yield Scope(folder.name, [documents], list(_questions(dataset, json_of(file), ids)))


def _batches(content: object) -> Iterator[Raw]:
    """Yield the batches of a chat, however deep they lie."""
    if isinstance(content, Mapping):
        batch = cast("Raw", content)
        if "turns" in batch:
            yield batch
        else:
            for value in batch.values():
                yield from _batches(value)
    elif isinstance(content, list):
        for value in cast("list[object]", content):
            yield from _batches(value)


def _documents(content: object) -> Iterator[ConversationDocument]:
    """Yield a document for each batch; a message without a time anchor is a minute later than the one before."""
    time = datetime(2024, 1, 1, tzinfo=UTC)
    for number, batch in enumerate(_batches(content)):
        messages: list[dict[str, Any]] = []
        turns: list[list[Raw]] = batch["turns"]
        for turn in (message for group in turns for message in group):
            anchor = _anchor(str(turn.get("time_anchor") or ""))
            time = anchor if anchor is not None and anchor > time else time + _BETWEEN
            text = _MARK.sub("", str(turn["content"]))  # the generator's own mark of a question
            if text.strip():
                speaker = USER if turn["role"] == "user" else ASSISTANT
                messages.append({"id": str(turn["id"]), "speaker": speaker, "content": text, "time": time})
        if messages:
            talk = {"source": "beam", "people": [USER, ASSISTANT], "user": USER, "conversation": messages}
            yield ConversationDocument.model_validate({"id": f"batch_{number}", "conversation": talk})


def _anchor(text: str) -> datetime | None:
    match = _ANCHOR.search(text)
    if match is None:
        return None
    try:
        return datetime.strptime("-".join(match.groups()), "%B-%d-%Y").replace(tzinfo=UTC)
    except ValueError:
        return None


def _questions(dataset: Dataset, by_kind: Mapping[str, list[Raw]], ids: set[str]) -> Iterator[Question]:
    for kind, items in by_kind.items():
        for number, item in enumerate(items):
            refused = kind == "abstention"
            evidence = frozenset(_numbers(item.get("source_chat_ids")) & ids)
            if not evidence and not refused:
                dataset.leave_out("questions without evidence in the chat: only their answers count")
            answer = next((text_of(item[key]) for key in _ANSWERS if item.get(key)), "")
            yield Question(
                id=f"{kind}-{number}",
                text=str(item["question"]),
                category=kind,
                evidence=evidence,
                answer="" if refused else answer,
                unanswerable=refused,
            )


def _numbers(value: object) -> set[str]:
    """Return all ids in a list, or in lists by name."""
    if isinstance(value, Mapping):
        value = list(cast("Mapping[str, object]", value).values())
    if isinstance(value, list):
        return {number for each in cast("list[object]", value) for number in _numbers(each)}
    return set() if value is None else {str(value)}
