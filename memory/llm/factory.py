"""Everything that a language model needs, put together: file, desk and batches."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path
from uuid import UUID

from .audit import AuditLog
from .batch import BatchGateway
from .batch_journal import BatchJournal
from .cache import AnswerCache
from .chat import ChatSettings
from .gateway import LLMGateway
from .ledger import Ledger, LedgerSettings, LedgerStore
from .openai_chat import OpenAIChat
from .redaction import RedactionSettings, Redactor
from .store import LLMStore
from .token_estimate import estimated_tokens
from .usefulness import Usefulness


@dataclass(frozen=True, slots=True)
class LLMOptions:
    """The section ``llm``."""

    chat: ChatSettings
    ledger: LedgerSettings = field(default_factory=LedgerSettings)
    redaction: RedactionSettings = field(default_factory=RedactionSettings)
    identity: str = ""
    """All settings in one text: with another one the model counts as another; see `Usefulness`."""


class LLM:
    """One model, made without any contact; for one event loop.

    Args:
        directory: where llm.db is, or will be.
        settings: which model, what it may cost, what it must not see.
        key: gives the key, or None where none is needed; asked when a connection is made.
        count: tokens of a text.

    Raises:
        StoreError: llm.db cannot be opened.
        re.error: a pattern of the settings is no regular expression.
    """

    def __init__(
        self,
        directory: Path,
        settings: LLMOptions,
        key: Callable[[], str | None],
        count: Callable[[str], int] = estimated_tokens,
    ) -> None:
        redactor = Redactor(settings.redaction)
        self.store = LLMStore(directory)
        self.model = OpenAIChat(settings.chat, key)
        self.audit = AuditLog(self.store)
        self.ledger = Ledger(LedgerStore(self.store), settings.ledger)
        self.usefulness = Usefulness(self.store, settings.chat.model, f"{settings.chat!r} {settings.identity}")
        cache = AnswerCache(self.store)
        self.gateway = LLMGateway(
            self.model, ledger=self.ledger, cache=cache, audit=self.audit, redactor=redactor, count=count
        )
        self.batches = BatchGateway(self.gateway, self.model, BatchJournal(self.store))

    async def forget(self, documents: Collection[UUID], answered: Collection[UUID] = ()) -> int:
        """Leave no byte of what was sent or answered for these documents, and of what was ``answered`` for others; returns
        how many entries went.
        """
        return await self.store.forget([each.bytes for each in documents], [each.bytes for each in answered])

    async def aclose(self) -> None:
        """Close the connections and the file."""
        await self.model.aclose()
        self.store.close()
