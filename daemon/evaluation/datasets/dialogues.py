"""Reads LoCoMo and REALTALK: two people, sessions of turns with ids such as ``D3:12``, questions with cited evidence.

LoCoMo: https://github.com/snap-research/locomo (Maharana et al., ACL 2024). REALTALK: https://github.com/danny911kr/REALTALK
(Lee et al., 2025), whose files have the same sessions with other keys, a time for each message, and ranges of evidence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

from ....schemas import ConversationDocument
from .dataset import Dataset, Question, Raw, Scope, json_of, objects_of, text_of

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
"""LoCoMo's own numbers. They are not the order in which its paper lists the kinds, which tables of others mix up."""
REALTALK_CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "commonsense"}
ADVERSARIAL = 5
BETWEEN_TURNS = timedelta(seconds=30)
"""The time between two turns: LoCoMo dates sessions, not turns."""
_TURN = re.compile(r"D\s?(\d+):(\d+)")
_RANGE = re.compile(r"D\s?(\d+):(\d+)\s*-\s*D\s?(\d+):(\d+)")
_SESSION = re.compile(r"session_(\d+)")
LONGEST_RANGE = 100
Corrections = Mapping[str, Mapping[str, Any]]


def read_locomo(dataset: Dataset, files: list[Path], corrections: Path | None = None) -> Iterator[Scope]:
    """Yield a scope for each conversation of the files.

    Args:
        dataset: counts what is left out.
        files: of one conversation, or a list of them.
        corrections: an object ``{conversation: {question: [turns]}}`` whose evidence takes the place of the cited one.

    Raises:
        SourceError: a file cannot be read.
    """
    table: Corrections = {} if corrections is None else json_of(corrections)
    for file in files:
        for number, data in enumerate(objects_of(file)):
            name = str(data.get("sample_id") or (file.stem if number == 0 else f"{file.stem}-{number}"))
            yield locomo_scope(dataset, name, data, table.get(name, {}))


def locomo_scope(dataset: Dataset, name: str, data: Raw, corrections: Mapping[str, Any] | None = None) -> Scope:
    """Return the scope of one conversation: each session a document, each turn a message."""
    days = locomo_documents(data)
    ids = frozenset(str(message.id) for day in days for message in day.messages)
    questions = list(_questions(dataset, data, ids, CATEGORIES, corrections or {}))
    return Scope(name, [days], questions)


def read_realtalk(dataset: Dataset, files: list[Path]) -> Iterator[Scope]:
    """Yield a scope for each chat of the files.

    Raises:
        SourceError: a file cannot be read.
    """
    for file in files:
        for data in objects_of(file):
            days = _documents("realtalk", tuple(map(str, data["name"].values())), _sessions(data), _realtalk_message)
            ids = frozenset(str(message.id) for day in days for message in day.messages)
            yield Scope(file.stem, [days], list(_questions(dataset, data, ids, REALTALK_CATEGORIES, {})))


def locomo_documents(data: Raw) -> list[ConversationDocument]:
    """Return a document for each session that has turns; some files date sessions that are not there."""
    talk: Raw = data.get("conversation", data)

    def message(session: int, index: int, turn: Raw) -> dict[str, Any]:
        start = session_time(talk[f"session_{session}_date_time"])
        return {
            "id": turn["dia_id"],
            "speaker": turn["speaker"],
            "content": turn_text(turn),
            "time": start + index * BETWEEN_TURNS,
        }

    return _documents("locomo", (talk["speaker_a"], talk["speaker_b"]), _sessions(talk), message)


def turn_text(turn: Raw) -> str:
    """Return the words of a turn; of a shared photo also its caption, which is part of the published turn."""
    caption = turn.get("blip_caption")
    words = str(turn["text"] if "text" in turn else turn["clean_text"])
    return f"{words} [photo: {caption}]".strip() if caption else words


def session_time(text: str) -> datetime:
    """Return a time such as ``1:56 pm on 8 May, 2023``, in UTC."""
    return datetime.strptime(text.replace(",", ""), "%I:%M %p on %d %B %Y").replace(tzinfo=UTC)


def _realtalk_message(_session: int, _index: int, turn: Raw) -> dict[str, Any]:
    time = datetime.strptime(turn["date_time"], "%d.%m.%Y, %H:%M:%S").replace(tzinfo=UTC)
    return {"id": turn["dia_id"], "speaker": turn["speaker"], "content": turn_text(turn), "time": time}


def _sessions(data: Raw) -> Iterator[tuple[int, list[Raw]]]:
    """Yield the number and the turns of each session, in their order."""
    numbers = sorted(int(match[1]) for key in data if (match := _SESSION.fullmatch(key)))
    for number in numbers:
        turns: list[Raw] = data[f"session_{number}"] or []
        if turns:
            yield number, turns


def _documents(
    source: str,
    people: tuple[str, ...],
    sessions: Iterator[tuple[int, list[Raw]]],
    message: Callable[[int, int, Raw], dict[str, Any]],
) -> list[ConversationDocument]:
    return [
        ConversationDocument.model_validate(
            {
                "id": f"session_{number}",
                "conversation": {
                    "source": source,
                    "people": list(dict.fromkeys((*people, *(str(turn["speaker"]) for turn in turns)))),
                    "user": people[0],
                    "conversation": [
                        message(number, index, turn) for index, turn in enumerate(turns) if turn_text(turn).strip()
                    ],
                },
            }
        )
        for number, turns in sessions
    ]


def _questions(
    dataset: Dataset, data: Raw, ids: frozenset[str], categories: Mapping[int, str], corrections: Mapping[str, Any]
) -> Iterator[Question]:
    """Yield the questions; those whose evidence names no turn are counted and left out."""
    for number, item in enumerate(data["qa"]):
        text = str(item["question"])
        evidence = turns_of(corrections.get(text, item.get("evidence"))) & ids
        if not evidence:
            dataset.leave_out("questions without evidence in the chat")
            continue
        kind = int(item["category"])
        yield Question(
            id=str(number),
            text=text,
            category=categories.get(kind, str(kind)),
            evidence=frozenset(evidence),
            answer="" if kind == ADVERSARIAL else text_of(item.get("answer")),
            unanswerable=kind == ADVERSARIAL,
        )


def turns_of(evidence: object) -> set[str]:
    """Return the turns that a list of evidence names; some of its strings bundle several, or are ranges."""
    items = cast("list[object]", evidence) if isinstance(evidence, list) else [evidence or ""]
    text = " ".join(map(str, items))
    turns = {f"D{int(match[1])}:{int(match[2])}" for match in _TURN.finditer(text)}
    for match in _RANGE.finditer(text):
        first, begin, last, end = map(int, match.groups())
        if first == last and end - begin < LONGEST_RANGE:
            turns |= {f"D{first}:{number}" for number in range(begin, end + 1)}
    return turns
