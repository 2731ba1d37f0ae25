"""The extractor that asks a language model, a call for each pack of windows, and believes nothing that it cannot check."""

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
"""Reason of a window that must not be sent."""
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W\d_]+")
LEAST_WORDS = 3
"""Words of all citable lines together below which a window says nothing that could be a fact."""
TOKENS_PER_LINE = 40
"""Of an answer, for the estimate: facts take about 100 tokens each, and two lines in five give one."""
CLAIMS_AT_ONCE = 12
"""Statements of one question whether their messages make them."""
WEIGHTY_PER_LINE = 0.1
"""For the estimate: of four facts that ten lines give, one is weighty."""
CLAIM_TOKENS = 110
"""For the estimate: a claim with its message and the one before."""
_BABBLE = frozenset({"unreadable", "truncated"})
"""Failures of a window that are the model's, and no filter's or endpoint's."""
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
    packed: bool = True
    """Whether short windows of a chat are asked about at once. Not where somebody else asks ahead about each."""
    confirmed: bool = False
    """Whether weighty statements are shown to the model again, each with its message alone."""
    kept: bool = True
    """Whether answers are kept, and taken from those that are kept."""


@dataclass(slots=True)
class _WindowResult:
    """What was extracted from a window, from one part of it after another."""

    statements: dict[object, Statement] = field(default_factory=dict[object, Statement])
    rejected: Counter[str] = field(default_factory=Counter[str])
    refusals: dict[Refusal, None] = field(default_factory=dict[Refusal, None])
    summary: str = ""
    usable: bool = False
    """Whether a proposal was read off the lines, whatever the checks said of it."""

    def drop(self, key: object, reason: Reason) -> None:
        """Take a statement back."""
        statement = self.statements.pop(key)
        self.rejected[reason.value] += 1
        if len(self.refusals) < MOST_OF_A_WINDOW:
            self.refusals[refusal_of_statement(statement, reason)] = None

    def extraction(self) -> Extraction:
        """Of a window that was read whole: of another nothing is believed, what is known of its parts is kept by the gateway."""
        return Extraction(tuple(self.statements.values()), self.rejected, self.summary, tuple(self.refusals))


class LLMExtractor:
    """An `Extractor`.

    Args:
        gateway: asks the model.
        settings: how.
        instead: reads on this machine what must not be sent, and what the model gives no usable answer about; None:
            nobody does.
        usefulness: counts useless answers, and stops a model that gives nothing else; None: nobody counts.
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
        """The model, the prompt, and what is not sent: whatever changes what is read."""
        kept_back = self.settings.opt_out
        other = versioned_name(self._instead) if self._instead and kept_back else ""
        shown = (sorted(kept_back.sources), kept_back.conversations, other)
        shown += (confirmation.VERSION,) if self.settings.confirmed else ()
        digest = sha256(repr(shown).encode()).hexdigest()[:8]
        return f"{self.gateway.model.name}/{self._wording.version}/{digest}"

    async def extract(self, windows: Sequence[Window], run: str = "") -> list[Extraction]:
        """See `Extractor`. What was answered before an error stays known, so that it is not paid for twice.

        Raises:
            BudgetError: what may be spent is spent.
            ExtractionError: the model cannot be reached or used, or is asked no more because its answers are useless.
        """
        found: dict[int, Extraction] = {}
        private = [index for index, window in enumerate(windows) if self.is_private(window)]
        if self._instead is None:
            found.update((index, Extraction(rejected=Counter({OPTED_OUT: 1}))) for index in private)
        elif private:
            read = await self._instead.extract([windows[index] for index in private], run)
            found.update(zip(private, read, strict=True))
        asked = [index for index in range(len(windows)) if index not in found and worth_asking(windows[index])]
        found.update(
            (index, Extraction()) for index in range(len(windows)) if index not in found and index not in asked
        )
        waiting = self._packs([windows[index] for index in asked])[::-1]
        failures: list[Exception] = []

        async def work() -> None:
            # After a failure nothing new is begun, but what is under way is waited for: it is paid for already.
            while waiting and not failures:
                pack = waiting.pop()
                try:
                    read = await self._read(pack, run)
                    found.update((asked[place], each) for place, each in zip(pack.places, read, strict=True))
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
        claims: list[float] = []
        for pack in self._packs(asked):
            each = await self.gateway.estimate(
                [self.question(pack.whole)], 30 + TOKENS_PER_LINE * len(pack.whole.lines)
            )
            nanos = None if total.nanos is None or each.nanos is None else total.nanos + each.nanos
            total = Estimate(total.questions + 1, total.known + each.known, total.usage + each.usage, nanos)
            if each.usage.calls:
                claims.append(len(pack.whole.lines) * WEIGHTY_PER_LINE)
        return self._with_confirming(total, claims) if self.settings.confirmed else total

    def _with_confirming(self, total: Estimate, claims: Sequence[float]) -> Estimate:
        """``claims``: expected weighty statements of each pack."""
        calls, number = round(sum(1 - exp(-each) for each in claims)), round(sum(claims))
        sent = calls * self.gateway.count(confirmation.SYSTEM) + number * CLAIM_TOKENS
        usage = Usage(calls, sent, calls * 16 + number * confirmation.ANSWER_TOKENS)
        cost = self.gateway.ledger.cost(self.gateway.model.name, usage)
        nanos = None if total.nanos is None or cost is None else total.nanos + cost
        return replace(total, usage=total.usage + usage, nanos=nanos)

    def is_private(self, window: Window) -> bool:
        """Whether nothing of this window may be sent."""
        return self.settings.opt_out.covers(window.source, window.document_id, window.title, window.chat)

    def _packs(self, windows: Sequence[Window]) -> list[Pack]:
        if self.settings.packed:
            return packs_of(windows, estimated)
        return [single(window, place) for place, window in enumerate(windows)]

    def question(self, window: Window, documents: tuple[UUID, ...] = ()) -> LLMRequest[Answer]:
        """What is asked about a window, or about lines of these documents."""
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
        """What each part of a pack states."""
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
        # One line may be what it fails at: the other windows are read all the same.
        return [each for part in pack.parts for each in await self._read(single(part), run)]

    def require_useful(self) -> None:
        """Refuse to ask a model whose answers are useless; see `Usefulness`.

        Raises:
            ExtractionError: it is asked no more.
        """
        if self._usefulness is not None:
            self._usefulness.require()

    async def _is_usable(self, results: Sequence[_WindowResult]) -> bool:
        """Whether an answer is of use, which is counted. One without any proposal is."""
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
        """What the model gave no usable answer about, as read without it, with what was refused of the answer."""
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
        """Ask about lines of a pack, and about its halves when they are too much; returns why some were not read."""
        if not worth_asking(lines):
            return ""
        whole = len(lines.lines) == 1 or depth == MOST_HALVINGS
        # What was too much once is asked about in halves at once; what cannot be halved any more may fare better now.
        reply = await self.gateway.ask(self.question(lines, pack.documents), run, again=whole)
        if reply.value is not None:
            # In a thread: the gates read every message with many expressions, and questions are answered meanwhile.
            await anyio.to_thread.run_sync(self._check, reply.value, pack, results)
            return ""
        if reply.failure in ABOUT_SIZE and not whole:
            failures = [await self._read_lines(half, pack, results, run, depth + 1) for half in halves(lines)]
            return next(filter(None, failures), "")
        return reply.failure

    async def _confirm(self, pack: Pack, results: Sequence[_WindowResult], run: str) -> None:
        """Drop the weighty statements of a pack that their messages do not make."""
        claims = [
            (index, claim)
            for index, (part, result) in enumerate(zip(pack.parts, results, strict=True))
            for claim in claims_of(part, list(result.statements.values()))
            if not self._holds_secrets(claim)
        ]
        for start in range(0, len(claims), CLAIMS_AT_ONCE):
            await self._confirm_some(claims[start : start + CLAIMS_AT_ONCE], results, run)

    def _holds_secrets(self, claim: Claim) -> bool:
        """Whether anything in its lines is hidden from the model. The claim may say it in other words, which nobody would hide."""
        texts = confirmation.texts_of([claim])
        redaction = self.gateway.redactor.begin(texts)
        for text in texts:
            redaction.hide(text)
        return redaction.count > 0

    async def _confirm_some(
        self, claims: Sequence[tuple[int, Claim]], results: Sequence[_WindowResult], run: str
    ) -> None:
        """Ask about some claims, and by halves where there is no answer; a single one without any stands as it was checked."""
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
        # Of several days it would stand at days of which it tells nothing.
        if len(pack.parts) == 1 and not results[0].summary and summary_is_grounded(answer.summary, pack.parts[0]):
            results[0].summary = answer.summary

    def _verified(self, proposal: Proposal, window: Window) -> tuple[Proposal, Statement | Reason]:
        """The proposal as it was checked, and what came of it."""
        result = verify(proposal, window, self._maker)
        if result is Reason.QUOTE_NOT_FOUND and "\\" in proposal.quote:
            # It may have copied the escapes too.
            proposal = replace(proposal, quote=_unescaped(proposal.quote))
            result = verify(proposal, window, self._maker)
        return proposal, result


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
