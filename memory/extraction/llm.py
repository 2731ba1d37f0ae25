"""The extractor that asks a language model, with one call for each pack of windows, and checks every proposal."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from math import exp
from typing import TYPE_CHECKING
from uuid import UUID

import anyio
import anyio.to_thread

from ...schemas.fact import ExtractorInfo as Maker
from ..llm.chat import Usage
from ..llm.gateway import Estimate, LLMGateway, estimated
from ..llm.privacy import OptOut
from ..llm.request import ABOUT_SIZE, LLMRequest
from ..llm.usefulness import AnswerCounts
from . import confirmation
from .confirmation import Claim, claims_of
from .extractor import Extraction, Extractor, versioned_name
from .grounding import summary_is_grounded
from .llm_prompt import MALFORMED, WORDINGS, Answer, Variant, answer_of, citable, repeats_example, shown, texts_of
from .packing import Pack, packs_of, single
from .proposal import Proposal
from .refusal import MOST_OF_A_WINDOW, Refusal, refusal_of_statement
from .rejection import UNUSABLE, Reason
from .statement import Statement
from .verify import refused, verify
from .window import TAIL_LINES, Window

OPTED_OUT = "opted-out"
"""The reason recorded for a window that must not be sent."""
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W\d_]+")
LEAST_WORDS = 3
"""The least words in all citable lines of a window that can hold a fact."""
TOKENS_PER_LINE = 40
"""Estimated tokens of the answer for each line: a fact takes about 100 tokens, and two lines in five give one."""
CLAIMS_AT_ONCE = 12
"""Statements that are confirmed in one question."""
WEIGHTY_PER_LINE = 0.1
"""Estimated weighty statements for each line: ten lines give four facts, one of them weighty."""
CLAIM_TOKENS = 110
"""Estimated tokens of a claim with its message and the one before."""
_BABBLE = frozenset({"unreadable", "truncated"})
"""Failures of a window that the model causes, not a filter or endpoint."""
MOST_HALVINGS = 2
"""The most times that a window is halved: a model whose answers never end is asked seven times about it."""
_ESCAPED = re.compile(r"\\(\\|n|r|t|x[0-9a-f]{2}|u[0-9a-f]{4})")


@dataclass(frozen=True, slots=True)
class LLMExtractionSettings:
    """The parameters of questions about windows, and the conversations that are never sent."""

    variant: Variant = "full"
    answer_tokens: int = 2_000
    """The most tokens of one answer; a window whose facts need more is asked about in halves."""
    concurrency: int = 4
    """The number of concurrent calls."""
    opt_out: OptOut = field(default_factory=OptOut)
    """The sources and conversations of which nothing is sent."""
    packed: bool = True
    """True to ask about short windows of a chat at once. False if batches ask about each window ahead."""
    confirmed: bool = False
    """True to confirm weighty statements by showing them to the model again, each with its message alone."""
    kept: bool = True
    """True to cache answers and to use cached ones."""


@dataclass(slots=True)
class _WindowResult:
    """The results for a window, merged from its parts."""

    statements: dict[object, Statement] = field(default_factory=dict[object, Statement])
    rejected: Counter[str] = field(default_factory=Counter[str])
    refusals: dict[Refusal, None] = field(default_factory=dict[Refusal, None])
    summary: str = ""
    usable: bool = False
    """True if a proposal was taken from the lines, whatever the checks decided."""

    def drop(self, key: object, reason: Reason) -> None:
        """Remove a statement."""
        statement = self.statements.pop(key)
        self.rejected[reason.value] += 1
        if len(self.refusals) < MOST_OF_A_WINDOW:
            self.refusals[refusal_of_statement(statement, reason)] = None

    def extraction(self) -> Extraction:
        """Return the extraction of a window that was read completely. An incomplete one gives no statements; the
        gateway caches the answers on its parts.
        """
        return Extraction(tuple(self.statements.values()), self.rejected, self.summary, tuple(self.refusals))


class LLMExtractor:
    """An `Extractor`.

    Args:
        gateway: the gateway to the model.
        settings: the parameters of questions.
        instead: extracts locally from windows that must not be sent, or that the model gives no usable answer about;
            None for no extraction from these.
        usefulness: counts useless answers, and stops a model that gives no others; None for no counting.
    """

    def __init__(
        self,
        gateway: LLMGateway,
        settings: LLMExtractionSettings | None = None,
        instead: Extractor | None = None,
        usefulness: AnswerCounts | None = None,
    ) -> None:
        self.gateway = gateway
        self.settings = settings or LLMExtractionSettings()
        self._instead = instead
        self._usefulness = usefulness
        self._wording = WORDINGS[self.settings.variant]
        self._maker = Maker(name="llm", model=gateway.model.name, prompt_version=self._wording.version)

    @property
    def name(self) -> str:
        """See `Extractor`."""
        return "llm"

    @property
    def version(self) -> str:
        """The version of model, prompt and privacy settings: everything that changes the extraction."""
        kept_back = self.settings.opt_out
        other = versioned_name(self._instead) if self._instead and kept_back else ""
        shown = (sorted(kept_back.sources), kept_back.conversations, other)
        shown += (confirmation.VERSION,) if self.settings.confirmed else ()
        digest = sha256(repr(shown).encode()).hexdigest()[:8]
        return f"{self.gateway.model.name}/{self._wording.version}/{digest}"

    async def extract(self, windows: Sequence[Window], run: str = "") -> list[Extraction]:
        """See `Extractor`. Answers received before an error stay cached, so that they are not paid for twice.

        Raises:
            BudgetError: the budget is used up.
            ExtractionError: the model cannot be reached or used, or is stopped because its answers are useless.
        """
        extractions: dict[int, Extraction] = {}
        private = [index for index, window in enumerate(windows) if self.is_private(window)]
        if self._instead is None:
            extractions.update((index, Extraction(rejected=Counter({OPTED_OUT: 1}))) for index in private)
        elif private:
            read = await self._instead.extract([windows[index] for index in private], run)
            extractions.update(zip(private, read, strict=True))
        open_windows = [
            index for index in range(len(windows)) if index not in extractions and worth_asking(windows[index])
        ]
        extractions.update(
            (index, Extraction())
            for index in range(len(windows))
            if index not in extractions and index not in open_windows
        )
        waiting = self._packs([windows[index] for index in open_windows])[::-1]
        failures: list[Exception] = []

        async def work() -> None:
            # After a failure no new call is started, but running calls are awaited: they are already paid for.
            while waiting and not failures:
                pack = waiting.pop()
                try:
                    read = await self._read(pack, run)
                    extractions.update(
                        (open_windows[place], each) for place, each in zip(pack.places, read, strict=True)
                    )
                except Exception as error:  # noqa: BLE001 - raised again below, when the others have ended
                    failures.append(error)

        async with anyio.create_task_group() as group:
            for _ in range(min(self.settings.concurrency, len(waiting))):
                group.start_soon(work)
        if failures:
            raise failures[0]
        return [extractions[index] for index in range(len(windows))]

    async def estimate(self, windows: Sequence[Window]) -> Estimate:
        """Estimate the cost of extraction from these windows; nothing is sent. Repairs and halves are not included."""
        open_windows = [window for window in windows if not self.is_private(window) and worth_asking(window)]
        total = Estimate()
        claims: list[float] = []
        for pack in self._packs(open_windows):
            each = await self.gateway.estimate(
                [self.question(pack.whole)], 30 + TOKENS_PER_LINE * len(pack.whole.lines)
            )
            nanos = None if total.nanos is None or each.nanos is None else total.nanos + each.nanos
            total = Estimate(total.questions + 1, total.known + each.known, total.usage + each.usage, nanos)
            if each.usage.calls:
                claims.append(len(pack.whole.lines) * WEIGHTY_PER_LINE)
        return self._with_confirming(total, claims) if self.settings.confirmed else total

    def _with_confirming(self, total: Estimate, claims: Sequence[float]) -> Estimate:
        """Return the estimate with the calls for confirmation. ``claims``: the expected weighty statements of each
        pack.
        """
        calls, number = round(sum(1 - exp(-each) for each in claims)), round(sum(claims))
        sent = calls * self.gateway.count(confirmation.SYSTEM) + number * CLAIM_TOKENS
        usage = Usage(calls, sent, calls * 16 + number * confirmation.ANSWER_TOKENS)
        cost = self.gateway.ledger.cost(self.gateway.model.name, usage)
        nanos = None if total.nanos is None or cost is None else total.nanos + cost
        return replace(total, usage=total.usage + usage, nanos=nanos)

    def is_private(self, window: Window) -> bool:
        """Return whether nothing of this window may be sent."""
        return self.settings.opt_out.covers(window.source, window.document_id, window.title, window.chat)

    def _packs(self, windows: Sequence[Window]) -> list[Pack]:
        if self.settings.packed:
            return packs_of(windows, estimated)
        return [single(window, place) for place, window in enumerate(windows)]

    def question(self, window: Window, documents: tuple[UUID, ...] = ()) -> LLMRequest[Answer]:
        """Return the question about a window, or about lines of these documents."""
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
            documents=documents or (window.document,),
            source=window.source,
            kept=self.settings.kept,
        )

    async def _read(self, pack: Pack, run: str) -> list[Extraction]:
        """Return the extraction of each part of a pack."""
        self.require_useful()
        results = [_WindowResult() for _ in pack.parts]
        failure = await self._read_lines(pack.whole, pack, results, run)
        if not failure:
            if self.settings.confirmed:
                await self._confirm(pack, results, run)
            if await self._is_usable(results):
                return [result.extraction() for result in results]
            return await self._read_instead(pack, results, run)
        if len(pack.parts) == 1:
            if failure in _BABBLE and self._usefulness is not None:
                await self._usefulness.note_useless()
            return [Extraction(failure=failure)]
        # A single line may cause the failure, so the other windows are asked about separately.
        return [each for part in pack.parts for each in await self._read(single(part), run)]

    def require_useful(self) -> None:
        """Refuse to ask a model whose answers are useless; see `Usefulness`.

        Raises:
            ExtractionError: the model is stopped.
        """
        if self._usefulness is not None:
            self._usefulness.require()

    async def _is_usable(self, results: Sequence[_WindowResult]) -> bool:
        """Return whether an answer is of use, and count it. An answer without any proposal is of use."""
        usable = any(result.usable for result in results)
        proposed = any(result.rejected or result.statements for result in results)
        if self._usefulness is not None:
            if usable:
                await self._usefulness.note_useful()
            elif proposed:
                await self._usefulness.note_useless()
            else:
                self._usefulness.note_empty()
        return usable or not proposed

    async def _read_instead(self, pack: Pack, results: Sequence[_WindowResult], run: str) -> list[Extraction]:
        """Extract from a pack with the substitute after an unusable answer, and keep the refusals of that answer."""
        if self._instead is None:
            return [result.extraction() for result in results]
        read = await self._instead.extract(pack.parts, run)
        return [
            replace(each, rejected=each.rejected + result.rejected, refusals=(*each.refusals, *result.refusals))
            for each, result in zip(read, results, strict=True)
        ]

    async def _read_lines(
        self, lines: Window, pack: Pack, results: Sequence[_WindowResult], run: str, depth: int = 0
    ) -> str:
        """Ask about lines of a pack, and about its halves if they are too much; return the reason why some could not be
        read.
        """
        if not worth_asking(lines):
            return ""
        whole = len(lines.lines) == 1 or depth == MOST_HALVINGS
        # Lines that were once too much are halved at once; those that cannot be halved are asked about again.
        reply = await self.gateway.ask(self.question(lines, pack.documents), run, again=whole)
        if reply.value is not None:
            # In a thread: the gates apply many expressions to every message, and other queries must not wait.
            await anyio.to_thread.run_sync(self._check, reply.value, pack, results)
            return ""
        if reply.failure in ABOUT_SIZE and not whole:
            failures = [await self._read_lines(half, pack, results, run, depth + 1) for half in halves(lines)]
            return next(filter(None, failures), "")
        return reply.failure

    async def _confirm(self, pack: Pack, results: Sequence[_WindowResult], run: str) -> None:
        """Drop the weighty statements of a pack that their messages do not support."""
        claims = [
            (index, claim)
            for index, (part, result) in enumerate(zip(pack.parts, results, strict=True))
            for claim in claims_of(part, list(result.statements.values()))
            if not self._holds_secrets(claim)
        ]
        for start in range(0, len(claims), CLAIMS_AT_ONCE):
            await self._confirm_some(claims[start : start + CLAIMS_AT_ONCE], results, run)

    def _holds_secrets(self, claim: Claim) -> bool:
        """Return whether the lines of a claim contain a secret. The claim may word it otherwise, so that redaction
        would miss it.
        """
        texts = confirmation.texts_of([claim])
        redaction = self.gateway.redactor.begin(texts)
        for text in texts:
            redaction.hide(text)
        return redaction.count > 0

    async def _confirm_some(
        self, claims: Sequence[tuple[int, Claim]], results: Sequence[_WindowResult], run: str
    ) -> None:
        """Ask about some claims, and about halves of them if there is no answer; a single claim without an answer is
        kept.
        """
        single = len(claims) == 1
        reply = await self.gateway.ask(self._confirmation([claim for _, claim in claims]), run, again=single)
        if reply.value is not None:
            for number, (index, claim) in enumerate(claims, start=1):
                if not reply.value.get(number, True):
                    results[index].drop(claim.statement.key, Reason.NOT_CONFIRMED)
        elif not single:
            middle = len(claims) // 2
            await self._confirm_some(claims[:middle], results, run)
            await self._confirm_some(claims[middle:], results, run)

    def _confirmation(self, claims: Sequence[Claim]) -> LLMRequest[dict[int, bool]]:
        return LLMRequest(
            purpose="confirm",
            version=confirmation.VERSION,
            about=confirmation.about(claims),
            system=confirmation.SYSTEM,
            texts=confirmation.texts_of(claims),
            compose=lambda hide: confirmation.shown(claims, hide),
            schema=confirmation.SCHEMA,
            read=confirmation.verdicts_of,
            max_tokens=256 + confirmation.ANSWER_TOKENS * len(claims),
            documents=tuple(dict.fromkeys(claim.statement.document for claim in claims)),
            kept=self.settings.kept,
        )

    def _check(self, answer: Answer, pack: Pack, results: Sequence[_WindowResult]) -> None:
        if answer.malformed:
            results[0].rejected[MALFORMED] += answer.malformed
        for proposed in answer.proposals:
            index, proposal = pack.part_of(proposed)
            part, result = pack.parts[index], results[index]
            proposal, verified = self._verified(proposal, part)
            if isinstance(verified, Reason):
                result.rejected[verified.value] += 1
                result.usable |= verified not in UNUSABLE and not repeats_example(proposal, part)
                if len(result.refusals) < MOST_OF_A_WINDOW:
                    result.refusals[refused(proposal, verified, part, self._maker)] = None
            else:
                result.statements.setdefault(verified.key, verified)
                result.usable = True
        # A summary of a pack would be attached to days that it does not describe.
        if len(pack.parts) == 1 and not results[0].summary and summary_is_grounded(answer.summary, pack.parts[0]):
            results[0].summary = answer.summary

    def _verified(self, proposal: Proposal, window: Window) -> tuple[Proposal, Statement | Reason]:
        """Return the proposal as it was checked, and the result."""
        result = verify(proposal, window, self._maker)
        if result is Reason.QUOTE_NOT_FOUND and "\\" in proposal.quote:
            # The model may have copied the escapes, too.
            proposal = replace(proposal, quote=_unescaped(proposal.quote))
            result = verify(proposal, window, self._maker)
        return proposal, result


def worth_asking(window: Window) -> bool:
    """Return whether a window has enough words to hold a fact."""
    return sum(len(_WORD.findall(line.text)) for line in window.lines if citable(line)) >= LEAST_WORDS


def halves(window: Window) -> tuple[Window, Window]:
    """Return the two halves of a window, with unchanged line numbers; the second has the end of the first as context."""
    middle = len(window.lines) // 2
    first, second = window.lines[:middle], window.lines[middle:]
    return replace(window, lines=first), replace(window, lines=second, context=first[-TAIL_LINES:])


def _unescaped(text: str) -> str:
    def character(match: re.Match[str]) -> str:
        code = match[1]
        if code in _PLAIN:
            return _PLAIN[code]
        return chr(int(code[1:], 16))

    return _ESCAPED.sub(character, text)


_PLAIN = {"\\": "\\", "n": "\n", "r": "\r", "t": "\t"}

if TYPE_CHECKING:
    _extractor: type[Extractor] = LLMExtractor
