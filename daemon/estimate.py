"""Estimates the cost of extracting facts from documents by the language model, before anything is stored or sent."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from math import exp
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..memory.extraction.window import Window, windows_of
from ..memory.facts.llm_judge import judging_usage
from ..memory.facts.service import DOCUMENTS_AT_ONCE
from ..memory.ingest.batching import concrete_document, digest_of, size_of
from ..memory.llm.chat import Usage
from ..memory.merge.plan import plan_conversation, plan_text
from ..schemas import ConversationDocument, Document
from .config.settings import Settings

if TYPE_CHECKING:
    from ..memory.extraction.llm import LLMExtractor

ASSUMED = (
    "as if nothing of it were stored; four bytes a token; answers of 30 tokens and 40 for each line; two facts in five lines, and"
    " of a hundred facts one or two that the model has to tell from earlier ones, and of four one that it is shown again; without"
    " repairs and questions asked in halves"
)
"""The assumptions behind the numbers, for the user."""
FACTS_PER_LINE = 0.4
PAIRS_PER_FACT = 2 / 145
"""The share in the labelled life stories (``tests/extraction/labels/stories.txt``)."""


@dataclass(slots=True)
class Estimation:
    """The totals, added up document by document."""

    model: str
    """The model; empty if the rules extract, and nothing is sent."""
    documents: int = 0
    messages: int = 0
    windows: int = 0
    private: int = 0
    """The number of windows that may not be sent."""
    small: int = 0
    """The number of windows with too few words to send."""
    known: int = 0
    """The number of questions with a stored answer."""
    calls: int = 0
    """The number of calls, those of the judge included."""
    judging: float = 0.0
    """The expected number of the judge's calls, which compare facts; each is for the documents read in one step."""
    pairs: float = 0.0
    """The expected number of pairs of facts that it compares."""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    nanos: int | None = field(default=0)

    def to_wire(self) -> dict[str, Any]:
        """Return the JSON object; money is null if no price is set."""
        from ..memory.llm.ledger import BATCH_SHARE, NANO

        money = None if self.nanos is None else self.nanos / NANO
        return {
            "model": self.model,
            "documents": self.documents,
            "messages": self.messages,
            "windows": self.windows,
            "private": self.private,
            "small": self.small,
            "known": self.known,
            "calls": self.calls,
            "judging_calls": round(self.judging),
            "calls_per_message": round(self.calls / self.messages, 4) if self.messages else 0.0,
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "money": money,
            "money_by_batch": None if money is None else money * BATCH_SHARE,
            "assumed": ASSUMED if self.model else "",
        }


async def estimate(settings: Settings, documents: Iterable[Document]) -> Estimation:
    """Estimate the calls to the model for these documents; stored answers are counted as known.

    Raises:
        ConfigError: the settings of the model or the embedder cannot be used.
        StoreError: the file of answers cannot be opened.
    """
    from .embedders import embedder_for

    embedder = embedder_for(settings.embedding)

    def count(text: str) -> int:
        return embedder.count_many([text])[0]

    try:
        if not settings.llm.model or settings.facts.extractor in ("rules", "off"):
            return await _added_up(Estimation(""), documents, count, None)
        from .llm import llm_extractor_of, open_llm

        empty = Path(tempfile.mkdtemp(prefix="memd-"))  # an estimate creates no files in the data directory
        llm = open_llm(settings.data_dir if (settings.data_dir / "llm.db").exists() else empty, settings.llm)
        try:
            return await _added_up(
                Estimation(settings.llm.model), documents, count, llm_extractor_of(llm, settings.llm)
            )
        finally:
            await llm.aclose()
            shutil.rmtree(empty, ignore_errors=True)
    finally:
        await embedder.aclose()


async def _added_up(
    total: Estimation, documents: Iterable[Document], count: Callable[[str], int], extractor: LLMExtractor | None
) -> Estimation:
    group: list[Document] = []
    for document in documents:
        group.append(document)
        if len(group) == DOCUMENTS_AT_ONCE:  # the step of the real reading: the judge's calls are per step
            await _add_group(total, group, count, extractor)
            group = []
    await _add_group(total, group, count, extractor)
    if extractor is not None:
        usage = judging_usage(round(total.judging), round(total.pairs), extractor.gateway.count)
        _add(total, usage, extractor.gateway.ledger.cost(total.model, usage))
    return total


async def _add_group(
    total: Estimation, documents: Sequence[Document], count: Callable[[str], int], extractor: LLMExtractor | None
) -> None:
    windows = [window for document in documents for window in _windows(document, count)]
    total.documents += len(documents)
    total.messages += sum(map(size_of, documents))
    total.windows += len(windows)
    if extractor is None:
        return
    from ..memory.extraction.llm import worth_asking

    allowed = [window for window in windows if not extractor.is_private(window)]
    sent = [window for window in allowed if worth_asking(window)]
    total.private += len(windows) - len(allowed)
    total.small += len(allowed) - len(sent)
    each = await extractor.estimate(sent)
    total.known += each.known
    _add(total, each.usage, each.nanos)
    if each.usage.calls:
        pairs = sum(len(window.lines) for window in sent) * FACTS_PER_LINE * PAIRS_PER_FACT
        total.pairs += pairs
        total.judging += 1 - exp(-pairs)  # the probability that there is at least one pair


def _add(total: Estimation, usage: Usage, nanos: int | None) -> None:
    total.calls += usage.calls
    total.prompt_tokens += usage.prompt_tokens
    total.completion_tokens += usage.completion_tokens
    total.nanos = None if total.nanos is None or nanos is None else total.nanos + nanos


def _windows(document: Document, count: Callable[[str], int]) -> list[Window]:
    incoming = concrete_document(document)
    digest = digest_of(document)
    if isinstance(incoming, ConversationDocument):
        plan = plan_conversation(None, incoming, digest)
    else:
        plan = plan_text(None, incoming, digest)
    return [] if plan is None else windows_of(plan.document, plan.added, count)
