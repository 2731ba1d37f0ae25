"""Reads PrecisionMemBench: beliefs about a user, and cases that say which of them may come back, and that nothing else may.

The form is that of https://github.com/tenurehq/precisionMemBench: ``beliefs.seed.json`` (beliefs with ``user_id``, ``scope``,
``canonical_name``, ``aliases``, ``content``, ``why_it_matters``, ``pinned``, ``type``) and ``retrieval.cases.json`` beside it (``caseId``,
``category``, ``scope``, ``query``, ``expect``). What its harness does for every system is done here, too: a belief is stored as its
name, aliases, content and reason in one text, and asked within scope and user; pinned beliefs, which the harness lists itself, are
dropped and take their room; a relation brings its participants. Of the expectations those on retrieved beliefs are read; lists of
pinned beliefs and open questions, and the prelude, are the harness's own work and not scored.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ....schemas import TextDocument
from .dataset import Dataset, Question, Raw, Scope, objects_of

BELIEFS, CASES = "beliefs.seed.json", "retrieval.cases.json"
DEFAULT_USER = "test-user"
OPEN_QUESTION, RELATION = "open_question", "relation"


def read_precisionmembench(dataset: Dataset, files: list[Path]) -> Iterator[Scope]:
    """Yield one scope for each file of cases.

    Raises:
        SourceError: a file cannot be read.
    """
    for file in files:
        beliefs = objects_of(file.parent / BELIEFS)
        documents = [_document(belief) for belief in beliefs]
        questions = [question for case in objects_of(file) if (question := _question(dataset, case, beliefs))]
        yield Scope(file.parent.name, [documents], questions)


def _document(belief: Raw) -> TextDocument:
    parts = [belief["canonical_name"], *(belief.get("aliases") or ()), belief["content"], belief.get("why_it_matters")]
    return TextDocument.model_validate(
        {
            "id": str(belief["_id"]),
            "content": " ".join(str(part) for part in parts if part),
            "timestamp": belief.get("created_at"),
            "tags": sorted(_places(belief, str(belief["user_id"]))),
            "metadata": {"source": "beliefs"},
        }
    )


def _places(item: Raw, user: str) -> set[str]:
    """Return the scopes of a belief or case, each with its user."""
    return {f"{user}/{scope}" for scope in item["scope"]}


def _question(dataset: Dataset, case: Raw, beliefs: list[Raw]) -> Question | None:
    """Return the question of a case; None if it has no words, or pinned beliefs take all room."""
    user = str(case.get("userId") or DEFAULT_USER)
    places = _places(case, user)
    there = [belief for belief in beliefs if _places(belief, str(belief["user_id"])) & places]
    pinned = {str(belief["_id"]) for belief in there if _is_pinned(belief)}
    room = case.get("budget", {}).get("maxBeliefs", len(beliefs)) - len(pinned)
    if not str(case["query"]).strip() or room <= 0:
        dataset.leave_out("cases without words, or without room for a belief")
        return None
    expect: Raw = case["expect"].get("relevantBeliefs") or {}
    only = expect.get("shouldOnlyInclude")
    allowed = {str(belief["_id"]) for belief in there if belief["type"] != OPEN_QUESTION} - pinned
    return Question(
        id=str(case["caseId"]),
        text=str(case["query"]),
        category=str(case["category"]),
        evidence=frozenset(set(expect.get("mustInclude") or ()) - pinned if only is None else only),
        alone=only is not None,
        forbidden=frozenset(expect.get("mustExclude") or ()),
        ignored=frozenset(pinned),
        companions={
            str(belief["_id"]): frozenset(belief.get("participants") or ()) & allowed
            for belief in there
            if belief["type"] == RELATION
        },
        tags=tuple(sorted(places)),
    )


def _is_pinned(belief: Raw) -> bool:
    """Return whether the harness lists a belief as a pinned fact."""
    settled = belief.get("superseded_by") or belief.get("resolved_at")
    return bool(belief.get("pinned")) and belief["type"] != OPEN_QUESTION and not settled
