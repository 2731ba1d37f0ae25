"""The labelled contradictions and look-alikes: read, resolved with a scripted judge, and counted."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import orjson

from memd.memory.extraction.statement import Cited, Statement
from memd.memory.facts.clusters import ClusterKey, Judge, Resolved, cluster_key
from memd.memory.facts.supersession import resolve_cluster
from memd.schemas.fact import ExtractorInfo
from memd.schemas.keys import uuid5

FILE = Path(__file__).parent / "labelled.jsonl"
START = datetime(2024, 1, 10, 12, tzinfo=UTC)
RULES = ExtractorInfo(name="rules")


def resolve_all(statements: Collection[Statement], judge: Judge | None = None) -> list[Resolved]:
    """The facts of many statements, group by group."""
    groups: defaultdict[ClusterKey, list[Statement]] = defaultdict(list)
    for statement in statements:
        groups[cluster_key(statement, str)].append(statement)
    return [fact for group in sorted(groups, key=str) for fact in resolve_cluster(group, groups[group], judge)]


@dataclass(frozen=True, slots=True)
class Case:
    """Some statements and what should become of them.

    ``expected``: the status of the fact that each statement is evidence of. ``contradicts``: pairs of a statement and an
    earlier one that it ends.
    """

    name: str
    topic: str
    kind: str
    held_out: bool
    statements: tuple[Statement, ...]
    expected: tuple[str, ...]
    contradicts: frozenset[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a case."""

    case: Case
    statuses: tuple[str, ...]
    asked: int

    @property
    def wrong(self) -> bool:
        """Something was retired that should not have been."""
        return any(is_ == "active" != got for is_, got in zip(self.case.expected, self.statuses, strict=True))

    @property
    def missed(self) -> bool:
        """Something was kept that should have been retired."""
        return any(got == "active" != is_ for is_, got in zip(self.case.expected, self.statuses, strict=True))


def statement(row: Mapping[str, Any], index: int, case: str = "") -> Statement:
    """A statement of a fixture: days count from `START`."""
    message = uuid5("labelled", case, str(index))
    return Statement(
        document=uuid5("labelled", case),
        document_id=case or "chat",
        speaker=row["speaker"],
        subject=row["subject"],
        attribute=row["attribute"],
        value=row["value"],
        content=row["content"],
        evidence=(Cited(message, f"m{index}", row["content"]),),
        observed_at=START + timedelta(days=row["day"], minutes=index),
        extractor=RULES,
        negated=row["negated"],
        valid_from=_day(row, "from"),
        valid_to=_day(row, "to"),
    )


def _day(row: Mapping[str, Any], name: str) -> datetime | None:
    return START + timedelta(days=row[name]) if name in row else None


def cases(file: Path = FILE) -> Iterator[Case]:
    """All labelled cases."""
    for line in file.read_bytes().splitlines():
        row = orjson.loads(line)
        said = tuple(statement(each, index, row["name"]) for index, each in enumerate(row["statements"]))
        pairs = frozenset((new, old) for new, old in row["contradicts"])
        yield Case(row["name"], row["topic"], row["kind"], row["held_out"], said, tuple(row["expected"]), pairs)


def scripted(case: Case) -> Judge:
    """Answers from the table of the case, as somebody would who understands the statements."""
    index = {each.key: number for number, each in enumerate(case.statements)}
    return lambda new, old: (index[new.key], index[old.key]) in case.contradicts


def mistaken(case: Case) -> Judge:
    """The same, wrong in one answer of ten: which ones follows from the keys."""
    right = scripted(case)

    def judge(new: Statement, old: Statement) -> bool | None:
        told = right(new, old)
        return not told if (new.key.int ^ old.key.int) % 10 == 0 else told

    return judge


def outcome(case: Case, judge: Callable[[Case], Judge] | None) -> Outcome:
    """What becomes of a case."""
    asked = 0

    def counting(new: Statement, old: Statement) -> bool | None:
        nonlocal asked
        asked += 1
        return judge(case)(new, old) if judge is not None else None

    facts = resolve_all(case.statements, judge=counting)
    status = {each.key: fact.status for fact in facts for each in fact.statements}
    return Outcome(case, tuple(status[each.key] for each in case.statements), asked)


def counted(outcomes: Iterable[Outcome]) -> dict[str, float]:
    """Shares of wrong retirements among look-alikes and of missed ones among contradictions, and the questions asked."""
    found: Counter[str] = Counter()
    for each in outcomes:
        found[each.case.kind] += 1
        found[f"wrong {each.case.kind}"] += each.wrong
        found[f"missed {each.case.kind}"] += each.missed
        found["differs"] += each.statuses != each.case.expected
        found["asked"] += each.asked
    return {
        "contradictions": found["contradiction"],
        "look_alikes": found["look-alike"],
        "wrong_retirements": found["wrong look-alike"] / max(1, found["look-alike"]),
        "missed_supersessions": found["missed contradiction"] / max(1, found["contradiction"]),
        "wrong_in_contradictions": found["wrong contradiction"],
        "history_taken_for_present": found["missed look-alike"],
        "not_as_labelled": found["differs"],
        "questions": found["asked"],
    }


def failures(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Those that did not come out as labelled."""
    return [each for each in outcomes if each.statuses != each.case.expected]
