"""Answers in words, and their figures: by the language model of the settings, or the text of the first hit.

The model sees the question and what was found, as for `memd ask`; the answer of the data set is in no prompt.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ...memory.embedding.bundled import BundledEmbedder
from ...memory.embedding.embedder import Embedder
from ...memory.memory import EvolvingMemory
from ..config.settings import Settings
from .datasets.dataset import Question
from .metrics_semantic import SemanticMetrics
from .metrics_text import squad_tokens, text_figures, token_f1
from .rankings import Ranked

if TYPE_CHECKING:
    from ...memory.llm.factory import LLM

SHOWN_HITS = 20
"""The hits that the model is shown: the default of `memd ask`."""
RIGHT = 0.5
"""The least token F1 of an answer that counts as right in the diagnosis; one that holds all words of the gold does as well."""
Source = Literal["model", "first hit"]
RUN = "eval"


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer in words."""

    text: str
    found: bool
    """False if it says that it is not in memory."""
    source: Source


class Answerer:
    """Answers questions and scores the answers.

    Args:
        embedder: the local model, for figures by meaning.
    """

    def __init__(self, embedder: Embedder | None = None) -> None:
        self._semantic = SemanticMetrics(embedder or BundledEmbedder())

    async def answer(
        self, question: Question, ranked: Ranked, memory: EvolvingMemory, settings: Settings, llm: LLM | None
    ) -> Answer:
        """Return the answer of a model from a ranking; without one the first hit, a baseline without any understanding.

        Raises:
            BudgetError: what may be spent is spent.
            ExtractionError: the model cannot be reached or used.
        """
        if llm is None:
            text = "" if ranked.weak or not ranked.hits else ranked.hits[0].text
            return Answer(text, bool(text), "first hit")
        from ...memory.retrieval import answer
        from ..service.cited_lines import lines_of

        assert ranked.result is not None
        result = ranked.result.model_copy(update={"hits": ranked.result.hits[:SHOWN_HITS]})
        lines = await lines_of(settings.llm, memory, result)
        reply = await answer.ask(llm.gateway, question.text, lines, RUN)
        return Answer(" ".join(sentence.text for sentence in reply.sentences), reply.found, "model")

    async def figures(self, question: Question, answer: Answer) -> dict[str, float]:
        """Return the figures of an answer; of a question that has none, whether the answer says so (``abstained``)."""
        if question.unanswerable:
            return {"abstained": float(not answer.found)}
        if not question.answer:
            return {}
        figures = text_figures(answer.text, question.answer, question.category)
        return figures | await self._semantic.figures(answer.text, question.answer)


def is_right(question: Question, answer: Answer) -> bool:
    """Return whether an answer counts as right in the diagnosis; see `RIGHT`."""
    if question.unanswerable:
        return not answer.found
    gold = set(squad_tokens(question.answer))
    return (bool(gold) and gold <= set(squad_tokens(answer.text))) or token_f1(answer.text, question.answer) >= RIGHT
