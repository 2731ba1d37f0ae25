"""The extractor that asks a language model, a call for each window, and believes nothing that it cannot check."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from ...schemas.fact import ExtractorInfo as Maker
from ..llm.gateway import Estimate, LLMGateway
from ..llm.privacy import OptOut
from ..llm.request import ABOUT_SIZE, LLMRequest
from .extractor import Extraction, Extractor, versioned_name
from .grounding import summary_is_grounded
from .llm_prompt import MALFORMED, WORDINGS, Answer, Variant, answer_of, citable, shown, texts_of
from .proposal import Proposal
from .refusal import MOST_OF_A_WINDOW, Refusal, refusal_of
from .rejection import Reason
from .statement import Statement
from .verify import verify
from .window import TAIL_LINES, Window

OPTED_OUT = "opted-out"
"""Reason of a window that must not be sent."""
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W\d_]+")
LEAST_WORDS = 3
"""Words of all citable lines together below which a window says nothing that could be a fact."""
TOKENS_PER_LINE = 40
"""Of an answer, for the estimate: facts take about 100 tokens each, and two lines in five give one."""
MOST_HALVINGS = 2
"""A model that never comes to an end is asked seven times about a window, no more."""
_ESCAPED = re.compile(r"\\(\\|n|r|t|x[0-9a-f]{2}|u[0-9a-f]{4})")


@dataclass(frozen=True, slots=True)
class LLMExtractionSettings:
    """How windows are sent, and which never are."""

    variant: Variant = "full"
    answer_tokens: int = 2_000
    """At most, of one answer; a window whose facts need more is asked about in halves."""
    concurrency: int = 4
    """Calls at once."""
    opt_out: OptOut = field(default_factory=OptOut)
    """Of what nothing is sent."""


@dataclass(slots=True)
class _WindowResult:
    """What was extracted from a window, from one part of it after another."""

    statements: dict[object, Statement] = field(default_factory=dict[object, Statement])
    rejected: Counter[str] = field(default_factory=Counter[str])
    refusals: dict[Refusal, None] = field(default_factory=dict[Refusal, None])
    summary: str = ""
    failure: str = ""

    def extraction(self) -> Extraction:
        """Of a window that was not read whole nothing is believed: what is known of its parts is kept by the gateway."""
        if self.failure:
            return Extraction(failure=self.failure)
        return Extraction(tuple(self.statements.values()), self.rejected, self.summary, tuple(self.refusals))


class LLMExtractor:
    """An `Extractor`.

    Args:
        gateway: asks the model.
        settings: how.
        instead: reads on this machine what must not be sent; None: nobody does.
    """

    def __init__(
        self, gateway: LLMGateway, settings: LLMExtractionSettings | None = None, instead: Extractor | None = None
    ) -> None:
        self.gateway = gateway
        self.settings = settings or LLMExtractionSettings()
        self._instead = instead
        self._wording = WORDINGS[self.settings.variant]
        self._maker = Maker(name="llm", model=gateway.model.name, prompt_version=self._wording.version)

    @property
    def name(self) -> str:
        """See `Extractor`."""
        return "llm"

    @property
    def version(self) -> str:
        """The model, the prompt, and what is not sent: whatever changes what is read."""
        kept_back = self.settings.opt_out
        other = versioned_name(self._instead) if self._instead and kept_back else ""
        shown = (sorted(kept_back.sources), kept_back.conversations, other)
        digest = sha256(repr(shown).encode()).hexdigest()[:8]
        return f"{self.gateway.model.name}/{self._wording.version}/{digest}"

    async def extract(self, windows: Sequence[Window], run: str = "") -> list[Extraction]:
        """See `Extractor`. What was answered before an error stays known, so that it is not paid for twice.

        Raises:
            BudgetError: what may be spent is spent.
            ExtractionError: the model cannot be reached or used.
        """
        found: dict[int, Extraction] = {}
        private = [index for index, window in enumerate(windows) if self.is_private(window)]
        if self._instead is not None and private:
            read = await self._instead.extract([windows[index] for index in private], run)
            found.update(zip(private, read, strict=True))
        waiting = [index for index in reversed(range(len(windows))) if index not in found]
        failures: list[Exception] = []

        async def work() -> None:
            # After a failure nothing new is begun, but what is under way is waited for: it is paid for already.
            while waiting and not failures:
                index = waiting.pop()
                try:
                    found[index] = await self._read(windows[index], run)
                except Exception as error:  # noqa: BLE001 - raised again below, when the others have ended
                    failures.append(error)

        async with anyio.create_task_group() as group:
            for _ in range(min(self.settings.concurrency, len(waiting))):
                group.start_soon(work)
        if failures:
            raise failures[0]
        return [found[index] for index in range(len(windows))]

    async def estimate(self, windows: Sequence[Window]) -> Estimate:
        """What reading these would take; nothing is sent. Repairs and halves are not foreseen."""
        asked = [window for window in windows if not self.is_private(window) and worth_asking(window)]
        total = Estimate()
        for window in asked:
            each = await self.gateway.estimate([self.question(window)], 30 + TOKENS_PER_LINE * len(window.lines))
            nanos = None if total.nanos is None or each.nanos is None else total.nanos + each.nanos
            total = Estimate(total.questions + 1, total.known + each.known, total.usage + each.usage, nanos)
        return total

    def is_private(self, window: Window) -> bool:
        """Whether nothing of this window may be sent."""
        return self.settings.opt_out.covers(window.source, window.document_id, window.title, window.chat)

    def question(self, window: Window) -> LLMRequest[Answer]:
        """What is asked about a window."""
        return LLMRequest(
            purpose="extract",
            version=self._wording.version,
            about=window.hash,
            system=self._wording.system,
            texts=texts_of(window),
            compose=lambda hide: shown(window, hide),
            schema=self._wording.schema,
            read=answer_of,
            max_tokens=self.settings.answer_tokens,
            documents=(window.document,),
            source=window.source,
        )

    async def _read(self, window: Window, run: str) -> Extraction:
        if self.is_private(window):
            return Extraction(rejected=Counter({OPTED_OUT: 1}))
        result = _WindowResult()
        await self._read_part(window, window, result, run)
        return result.extraction()

    async def _read_part(self, part: Window, window: Window, result: _WindowResult, run: str, depth: int = 0) -> None:
        """Ask about a part, and about its halves when the whole is too much."""
        if not worth_asking(part):
            return
        whole = len(part.lines) == 1 or depth == MOST_HALVINGS
        # What was too much once is asked about in halves at once; what cannot be halved any more may fare better now.
        reply = await self.gateway.ask(self.question(part), run, again=whole)
        if reply.value is not None:
            # In a thread: the gates read every message with many expressions, and questions are answered meanwhile.
            await anyio.to_thread.run_sync(self._check, reply.value, window, result)
        elif reply.failure in ABOUT_SIZE and not whole:
            for half in halves(part):
                await self._read_part(half, window, result, run, depth + 1)
        else:
            result.failure = result.failure or reply.failure

    def _check(self, answer: Answer, window: Window, result: _WindowResult) -> None:
        if answer.malformed:
            result.rejected[MALFORMED] += answer.malformed
        for proposal in answer.proposals:
            verified = self._verified(proposal, window)
            if isinstance(verified, Reason):
                result.rejected[verified.value] += 1
                if len(result.refusals) < MOST_OF_A_WINDOW:
                    result.refusals[refusal_of(proposal, verified, window)] = None
            else:
                result.statements.setdefault(verified.key, verified)
        result.summary = result.summary or (answer.summary if summary_is_grounded(answer.summary, window) else "")

    def _verified(self, proposal: Proposal, window: Window) -> Statement | Reason:
        result = verify(proposal, window, self._maker)
        if result is Reason.QUOTE_NOT_FOUND and "\\" in proposal.quote:
            # It may have copied the escapes too.
            return verify(replace(proposal, quote=_unescaped(proposal.quote)), window, self._maker)
        return result


def worth_asking(window: Window) -> bool:
    """Whether there are words enough in it that a fact could rest on."""
    return sum(len(_WORD.findall(line.text)) for line in window.lines if citable(line)) >= LEAST_WORDS


def halves(window: Window) -> tuple[Window, Window]:
    """The two halves of a window, with the numbers that its lines have; the second has the end of the first as context."""
    middle = len(window.lines) // 2
    first, second = window.lines[:middle], window.lines[middle:]
    return replace(window, lines=first), replace(window, lines=second, context=first[-TAIL_LINES:])


def _unescaped(text: str) -> str:
    def character(found: re.Match[str]) -> str:
        code = found[1]
        if code in _PLAIN:
            return _PLAIN[code]
        return chr(int(code[1:], 16))

    return _ESCAPED.sub(character, text)


_PLAIN = {"\\": "\\", "n": "\n", "r": "\r", "t": "\t"}

if TYPE_CHECKING:
    _extractor: type[Extractor] = LLMExtractor
