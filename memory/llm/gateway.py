"""The only way to a model: a question is looked up in the cache, checked against the budget, redacted, audited, sent,
parsed and cached, in this order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

from .audit import AuditLog, sent_of
from .cache import AnswerCache, CachedAnswer
from .chat import Completion, Prompt, PromptMessage, Usage
from .json_repair import json_in
from .ledger import Ledger
from .redaction import Redaction, Redactor
from .request import ABOUT_SIZE, Failure, LLMRequest, Reply, UnreadableError
from .token_estimate import estimated_tokens

if TYPE_CHECKING:
    from .openai_chat import OpenAIChat

T = TypeVar("T")
AROUND_TURN = 8
"""Tokens that a model's template adds to a turn."""
LONGEST_REPAIR = 8_000
"""Characters of an unreadable answer that are sent back to the model for repair."""
_REPAIR = (
    "That could not be read: {problem}. Answer once more, with the JSON alone, complete, in exactly the form asked for."
)


def estimated(text: str) -> int:
    """Return the size of a text in tokens of four bytes, by which texts are packed; for budgets see `estimated_tokens`."""
    return len(text.encode(errors="replace")) // 4 + 1


@dataclass(frozen=True, slots=True)
class Estimate:
    """The expected cost of questions, computed before anything is sent."""

    questions: int = 0
    known: int = 0
    """The number of these questions that are already answered and cost nothing."""
    usage: Usage = field(default_factory=Usage)
    nanos: int | None = 0
    """The cost in billionths of the prices' currency; None if the model has no price."""


class LLMGateway:
    """Asks questions of one model.

    Args:
        model: the model that answers.
        ledger: the budget.
        cache: earlier answers.
        audit: the log of sent requests.
        redactor: hides secrets.
        count: counts the tokens of a text, for budget and estimate.
    """

    def __init__(
        self,
        model: OpenAIChat,
        *,
        ledger: Ledger,
        cache: AnswerCache,
        audit: AuditLog,
        redactor: Redactor,
        count: Callable[[str], int] = estimated_tokens,
    ) -> None:
        self.model = model
        self.ledger = ledger
        self.cache = cache
        self.audit = audit
        self.redactor = redactor
        self.count = count

    async def ask(self, question: LLMRequest[T], run: str = "", *, again: bool = False) -> Reply[T]:
        """Return the answer to a question, charged to the budget of ``run``. ``again``: ignore a cached failure.

        Raises:
            BudgetError: it does not fit into the budget; nothing was sent.
            ExtractionError: the model cannot be reached or used.
        """
        if question.kept:
            cached = await self.known(question)
            if cached is not None and not (again and cached.failure):
                return cached
        prompt, redaction = question.prompt(self.redactor)
        answer, failure = None, ""
        for _ in range(2):
            completion = await self._turn(question, prompt, redaction, run)
            answer, failure, problem = _judged(completion)
            value = None
            if not failure:
                try:
                    value = question.read(redaction.restored(answer))
                except UnreadableError as error:
                    failure, problem = "unreadable", str(error)
            if failure != "unreadable":
                break
            prompt = _repair(prompt, completion.text, redaction.hide(problem))
        else:
            value = None
        if question.kept and (not failure or failure in ABOUT_SIZE):
            kept = CachedAnswer(failure=failure) if failure else CachedAnswer(answer)
            await self.cache.put([(question.key(self.model.name, self.redactor), kept, question.documents)])
        return Reply(value, cast("Failure", failure))

    async def known(self, question: LLMRequest[T]) -> Reply[T] | None:
        """Return the cached answer, if there is one; nothing is sent. A failure that may pass is returned once, then
        dropped from the cache.
        """
        key = question.key(self.model.name, self.redactor)
        kept = (await self.cache.get([key])).get(key)
        if kept is None:
            return None
        if kept.failure:
            if kept.failure not in ABOUT_SIZE:  # from a batch, or an earlier memd
                await self.cache.drop(key)
            return Reply(None, cast("Failure", kept.failure), known=True)
        _, redaction = question.prompt(self.redactor)
        try:
            return Reply(question.read(redaction.restored(kept.answer)), known=True)
        except UnreadableError:
            await self.cache.drop(key)  # an answer from a batch is parsed here for the first time
            return None

    async def estimate(self, questions: Sequence[LLMRequest[Any]], answer_tokens: int) -> Estimate:
        """Estimate the cost of these questions, with ``answer_tokens`` for each answer; nothing is sent."""
        keys = [question.key(self.model.name, self.redactor) for question in questions]
        cached = await self.cache.get(keys)
        usage = Usage()
        for key, question in zip(keys, questions, strict=True):
            if key not in cached:
                prompt, _ = question.prompt(self.redactor)
                usage += replace(self.most(prompt), completion_tokens=answer_tokens)
        nanos = self.ledger.cost(self.model.name, usage)
        return Estimate(len(questions), len(set(keys) & set(cached)), usage, nanos)

    async def _turn(self, question: LLMRequest[Any], prompt: Prompt, redaction: Redaction, run: str) -> Completion:
        """Make one call, with its ledger and audit entries."""
        reserved = await self.ledger.reserve(self.model.name, run, await self._counted(prompt))
        try:
            await self.model.ready()  # a prompt that is refused here was not sent, and must not be audited as sent
            await self.audit.write(
                sent_of(
                    prompt,
                    place=self.model.place,
                    model=self.model.name,
                    purpose=question.purpose,
                    run=run,
                    documents=question.documents,
                    hidden=redaction.count,
                )
            )
            completion = await self.model.complete(prompt)
            entry = self.ledger.entry(run, question.source, self.model.name, question.purpose, completion.usage)
            await self.ledger.record(reserved, entry)
        finally:
            self.ledger.release(reserved)
        return completion

    def most(self, prompt: Prompt) -> Usage:
        """Return the most that a prompt may use, by the local token count."""
        sent = sum(self.count(turn.text) + AROUND_TURN for turn in prompt.turns)
        return Usage(1, sent, prompt.max_tokens)

    async def _counted(self, prompt: Prompt) -> Usage:
        """Return the most that a prompt may use; counted by the model's own tokenizer if a budget is set and a local
        endpoint offers it.
        """
        counts = await self.model.token_counts([turn.text for turn in prompt.turns]) if self.ledger.limited else None
        if counts is None:
            return self.most(prompt)
        return Usage(1, sum(counts) + AROUND_TURN * len(counts), prompt.max_tokens)


def _judged(completion: Completion) -> tuple[object, str, str]:
    """Return (JSON of the answer, failure, problem as described to the model)."""
    if completion.ending != "whole":
        return None, completion.ending, ""
    value = json_in(completion.text)
    return (value, "", "") if value is not None else (None, "unreadable", "it is no JSON")


def _repair(prompt: Prompt, answer: str, problem: str) -> Prompt:
    """Return the prompt extended by the unreadable answer and a description of its problem."""
    request = PromptMessage("user", _REPAIR.format(problem=problem))
    return replace(prompt, turns=(*prompt.turns, PromptMessage("assistant", answer[:LONGEST_REPAIR] or "{}"), request))
