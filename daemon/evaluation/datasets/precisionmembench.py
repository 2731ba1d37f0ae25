"""Reads PrecisionMemBench: beliefs about a user, and cases that say which of them may come back, and that nothing else may.

The form is that of https://github.com/tenurehq/precisionMemBench: ``beliefs.seed.json`` (beliefs with ``user_id``, ``scope``,
``canonical_name``, ``aliases``, ``content``, ``why_it_matters``, ``pinned``, ``type``) and ``retrieval.cases.json`` beside it (``caseId``,
``category``, ``scope``, ``query``, ``expect``). Its adapters store a belief as its name, aliases, content and reason in one text, ask
within scope and user, and drop pinned beliefs, which the harness lists itself; so does this reader. Of the expectations those on
retrieved beliefs are read. Lists of pinned beliefs and questions, and the prelude, are the harness's own work and not scored.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ....schemas import TextDocument
from .dataset import Dataset, Question, Raw, Scope, objects_of

BELIEFS, CASES = "beliefs.seed.json", "retrieval.cases.json"
DEFAULT_USER = "test-user"
OPEN_QUESTION = "open_question"


def read_precisionmembench(dataset: Dataset, files: list[Path]) -> Iterator[Scope]:
    """Yield one scope for each file of cases.

    Raises:
        SourceError: a file cannot be read.
    """
    for file in files:
        beliefs = objects_of(file.parent / BELIEFS)
        documents = [_document(belief) for belief in beliefs]
        pinned = {str(belief["_id"]) for belief in beliefs if belief.get("pinned")}
        questions = [_question(case, pinned) for case in objects_of(file) if _is_asked(dataset, case)]
        yield Scope(file.parent.name, [documents], questions)


def _document(belief: Raw) -> TextDocument:
    parts = [belief["canonical_name"], *(belief.get("aliases") or ()), belief["content"], belief.get("why_it_matters")]
    user = str(belief["user_id"])
    return TextDocument.model_validate(
        {
            "id": str(belief["_id"]),
            "content": " ".join(str(part) for part in parts if part),
            "timestamp": belief.get("created_at"),
            "tags": [f"{user}/{scope}" for scope in belief["scope"]],
            "metadata": {"source": "beliefs"},
        }
    )


def _is_asked(dataset: Dataset, case: Raw) -> bool:
    """Return whether there is anything to retrieve or to keep out; without words there is no question to ask."""
    if not str(case["query"]).strip() or case.get("budget", {}).get("maxBeliefs", 1) == 0:
        dataset.leave_out("cases without words, or without room for a belief")
        return False
    return True


def _question(case: Raw, pinned: set[str]) -> Question:
    expect: Raw = case["expect"].get("relevantBeliefs") or {}
    only = expect.get("shouldOnlyInclude")
    wanted = set(expect.get("mustInclude") or ()) - pinned if only is None else set(only)
    user = str(case.get("userId") or DEFAULT_USER)
    return Question(
        id=str(case["caseId"]),
        text=str(case["query"]),
        category=str(case["category"]),
        evidence=frozenset(wanted),
        alone=only is not None,
        forbidden=frozenset(expect.get("mustExclude") or ()),
        ignored=frozenset(pinned),
        tags=tuple(f"{user}/{scope}" for scope in case["scope"]),
    )
