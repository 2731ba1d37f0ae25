"""Reads LongMemEval: each question has a history of its own, sessions of a user and an assistant.

The form is that of https://github.com/xiaowu0162/LongMemEval (Wu et al., ICLR 2025): ``question_id`` (which ends in ``_abs``
where the right answer is none), ``question_type``, ``question_date``, ``haystack_sessions`` of turns with ``role``, ``content`` and,
where one holds the answer, ``has_answer``, their ``haystack_session_ids`` and ``haystack_dates``, and ``answer_session_ids``.
Evidence are the turns that have the answer; where none is marked, the sessions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from ....schemas import ConversationDocument
from .dataset import Dataset, Question, Raw, Scope, objects_of, text_of

USER, ASSISTANT = "User", "Assistant"
ABSTENTION = "_abs"
_DATE = re.compile(r"(\d{4})[/-](\d\d?)[/-](\d\d?)(?:\D*?(\d\d?):(\d\d))?")
_BETWEEN = timedelta(seconds=30)


def read_longmemeval(dataset: Dataset, files: list[Path]) -> Iterator[Scope]:
    """Yield a scope for each question.

    Raises:
        SourceError: a file cannot be read.
    """
    for file in files:
        for item in objects_of(file):
            yield _scope(dataset, item)


def _scope(dataset: Dataset, item: Raw) -> Scope:
    name = str(item["question_id"])
    sessions: list[list[Raw]] = item["haystack_sessions"]
    names = [str(each) for each in item.get("haystack_session_ids") or range(len(sessions))]
    dates: list[str] = item.get("haystack_dates") or []
    evidence: set[str] = set()
    documents: list[ConversationDocument] = []
    for place, (session, turns) in enumerate(zip(names, sessions, strict=True)):
        # The same session may stand in a history twice: an id of its own keeps both.
        session_id = session if session not in names[:place] else f"{session}/{place}"
        start = written_date(dates[place] if place < len(dates) else "")
        messages: list[dict[str, Any]] = []
        for number, turn in enumerate(turns):
            if not str(turn["content"]).strip():
                continue
            identifier = f"{session_id}:{number}"
            speaker = USER if turn["role"] == "user" else ASSISTANT
            time = start + number * _BETWEEN
            messages.append({"id": identifier, "speaker": speaker, "content": turn["content"], "time": time})
            if turn.get("has_answer"):
                evidence.add(identifier)
        if messages:
            talk = {"source": "longmemeval", "people": [USER, ASSISTANT], "user": USER, "conversation": messages}
            documents.append(ConversationDocument.model_validate({"id": session_id, "conversation": talk}))
    refused = name.endswith(ABSTENTION)
    if not evidence and not refused:
        evidence = {str(each) for each in item.get("answer_session_ids") or ()}
        dataset.leave_out("questions without a marked turn: their sessions count")
    question = Question(
        id=name,
        text=str(item["question"]),
        category="abstention" if refused else str(item["question_type"]),
        evidence=frozenset() if refused else frozenset(evidence),
        answer="" if refused else text_of(item.get("answer")),
        unanswerable=refused,
        asked_at=written_date(str(item.get("question_date", ""))) if item.get("question_date") else None,
    )
    return Scope(name, [documents], [question])


def written_date(text: str) -> datetime:
    """Return a date such as ``2023/05/30 (Tue) 23:40``, in UTC; the first day of 2023 if there is none."""
    match = _DATE.search(text)
    if match is None:
        return datetime(2023, 1, 1, tzinfo=UTC)
    year, month, day, hour, minute = (int(each or 0) for each in match.groups())
    return datetime(year, month, day, hour, minute, tzinfo=UTC)
