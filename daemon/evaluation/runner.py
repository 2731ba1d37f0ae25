"""Runs an evaluation: each scope in a fresh memory of each variant, each question by each ranking."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

import anyio.to_thread

from ...memory.embedding.embedder import EmbeddingModel
from ...memory.index.ports import Indexes
from ...memory.memory import EvolvingMemory
from ..config.settings import Settings
from ..embedders import embedder_for
from ..operation_progress import OperationProgress, ReportProgress
from .answers import Answer, Answerer
from .datasets.dataset import Dataset, Question, Scope
from .memories import filled_memory
from .metrics_retrieval import figures_of, judged
from .rankings import DEFAULT, Opener, Ranked

if TYPE_CHECKING:
    from ...memory.llm.factory import LLM


@dataclass(frozen=True, slots=True)
class Variant:
    """Settings under a name; the empty name is the only one of a run."""

    name: str
    settings: Settings
    overrides: Mapping[str, str] = field(default_factory=dict[str, str])
    """Settings of this variant alone, by dotted name."""
    llm: LLM | None = None
    """The model that reads facts and answers, if the settings have one and it is used."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One question to one memory by one ranking."""

    variant: str
    ranking: str
    scope: str
    question: Question
    gains: tuple[int, ...]
    """The number of pieces of evidence that each hit adds."""
    figures: Mapping[str, float]
    ids: tuple[str, ...]
    """The ids of the first hits, for the file of questions."""
    took_ms: float
    weak: bool | None
    answer: Answer | None = None
    active: bool | None = None
    """True if the question has evidence that must come back alone (PrecisionMemBench)."""
    repeated: bool = False
    """True if its scope repeats the questions of others."""

    def to_wire(self) -> dict[str, Any]:
        """Return the line of the file of questions."""
        question = self.question
        line: dict[str, Any] = {
            "variant": self.variant,
            "ranking": self.ranking,
            "scope": self.scope,
            "id": question.id,
            "question": question.text,
            "category": question.category,
            "group": question.group,
            "evidence": sorted(question.evidence),
            "quotes": list(question.quotes),
            "hits": list(self.ids),
            "gains": list(self.gains),
            "figures": dict(self.figures),
            "took_ms": round(self.took_ms, 2),
            "weak": self.weak,
        }
        if self.answer is not None:
            line |= {"gold": question.answer, "answer": self.answer.text, "found": self.answer.found}
        return line


@dataclass(frozen=True, slots=True)
class Plan:
    """The work of a run."""

    variants: Sequence[Variant]
    rankings: Mapping[str, Opener]
    limit: int | None = None
    """The most questions."""
    answerer: Answerer | None = None
    """Answers the questions of the default ranking; None: only rankings are measured."""
    indexes: Callable[[Scope], Indexes] | None = None
    """Search indexes of a scope instead of those of the settings."""


class Clock:
    """The time that a question refers to: its own, or now."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.asked_at: datetime | None = None

    def now(self) -> datetime:
        """Return the time, in the zone of the question or of the settings."""
        return self.asked_at or datetime.now(self._settings.zone_in_force()[0])


async def run(
    dataset: Dataset, plan: Plan, record: Callable[[Outcome], None], report: ReportProgress | None = None
) -> None:
    """Ask all questions; ``record`` gets each outcome at once, so that an interrupted run keeps what it has.

    Raises:
        MemdError: the data set cannot be read, or a memory cannot be filled or asked.
    """
    async with AsyncExitStack() as stack:
        embedders: dict[str, EmbeddingModel] = {}
        for scope in _scopes(dataset, plan.limit):
            for variant in plan.variants:
                key = variant.settings.embedding.model_dump_json()
                if key not in embedders:
                    embedders[key] = await anyio.to_thread.run_sync(embedder_for, variant.settings.embedding)
                    stack.push_async_callback(embedders[key].aclose)
                await _run_scope(scope, dataset.hits, variant, plan, embedders[key], record, report)


def _scopes(dataset: Dataset, limit: int | None) -> Iterator[Scope]:
    """Yield the scopes that have questions among the first ``limit``."""
    left = limit
    for scope in dataset.scopes():
        questions = scope.questions if left is None else scope.questions[:left]
        if questions:
            yield replace(scope, questions=questions)
        if left is not None:
            left -= len(questions)
            if left <= 0:
                return


async def _run_scope(
    scope: Scope,
    hits: int,
    variant: Variant,
    plan: Plan,
    embedder: EmbeddingModel,
    record: Callable[[Outcome], None],
    report: ReportProgress | None,
) -> None:
    clock = Clock(variant.settings)
    indexes = None if plan.indexes is None else plan.indexes(scope)
    name = f"{scope.name} {variant.name}".strip()
    if report is not None:
        report(OperationProgress(f"storing {name}"))
    filled = filled_memory(variant.settings, embedder, scope, clock.now, llm=variant.llm, indexes=indexes)
    async with filled as memory:
        rankers = {ranking: await opener(memory, scope) for ranking, opener in plan.rankings.items()}
        for number, question in enumerate(scope.questions, 1):
            clock.asked_at = question.asked_at
            for ranking, rank in rankers.items():
                ranked = (await rank(question, hits)).without(question.ignored)
                outcome = outcome_of(variant.name, ranking, scope, question, ranked, hits)
                if plan.answerer is not None and ranking == DEFAULT:
                    outcome = await _answered(outcome, ranked, memory, variant, plan.answerer)
                record(outcome)
            if report is not None:
                report(OperationProgress(f"asking {name}", number, len(scope.questions)))


def outcome_of(variant: str, ranking: str, scope: Scope, question: Question, ranked: Ranked, hits: int) -> Outcome:
    """Return the outcome of a ranking, with the figures that its question allows."""
    gains = gains_of(question, ranked)
    figures = figures_of(gains, question.wanted, hits) if question.wanted else {}
    active = None
    if question.alone or question.forbidden:
        back = {hit.document for hit in ranked.shown}
        back |= {each for document in back for each in question.companions.get(document, ())}
        judgement = judged(back, question.evidence, question.forbidden, alone=question.alone)
        active = judgement.active
        figures["passed"] = float(judgement.passed)
        if judgement.precision is not None:
            figures["precision"] = judgement.precision
    elif question.unanswerable and ranked.weak is not None:
        figures["said_weak"] = float(ranked.weak)
    ids = tuple(min(hit.ids - {hit.document}, default=hit.document) for hit in ranked.hits)
    return Outcome(
        variant=variant,
        ranking=ranking,
        scope=scope.name,
        question=question,
        gains=gains,
        figures=figures,
        ids=ids,
        took_ms=ranked.took_ms,
        weak=ranked.weak,
        active=active,
        repeated=scope.repeats,
    )


def gains_of(question: Question, ranked: Ranked) -> tuple[int, ...]:
    """Return of each hit how many pieces of evidence it holds that no hit before it held."""
    evidence, quotes = set(question.evidence), {_plain(quote) for quote in question.quotes}
    gains: list[int] = []
    for hit in ranked.hits:
        ids = evidence & hit.ids
        text = _plain(hit.text) if quotes else ""
        words = {quote for quote in quotes if quote in text}
        evidence -= ids
        quotes -= words
        gains.append(len(ids) + len(words))
    return tuple(gains)


def _plain(text: str) -> str:
    return " ".join(text.split()).lower()


async def _answered(
    outcome: Outcome, ranked: Ranked, memory: EvolvingMemory, variant: Variant, answerer: Answerer
) -> Outcome:
    answer = await answerer.answer(outcome.question, ranked, memory, variant.settings, variant.llm)
    figures = await answerer.figures(outcome.question, answer)
    return replace(outcome, answer=answer, figures={**outcome.figures, **figures})
