"""Assembles the parts of a language model: the database, the gateway and the batches."""

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
    """The configuration section ``llm``."""

    chat: ChatSettings
    ledger: LedgerSettings = field(default_factory=LedgerSettings)
    redaction: RedactionSettings = field(default_factory=RedactionSettings)
    identity: str = ""
    """All settings as one text; a different text counts as a different model, see `Usefulness`."""


class LLM:
    """One model, made without any contact; for one event loop.

    Args:
        directory: the folder of llm.db.
        settings: the model, its budget and its redaction.
        key: returns the API key, or None if none is needed; called when a connection is made.
        count: counts the tokens of a text.

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
        self.ledger = Ledger(LedgerStore(self.store, settings.ledger.zone), settings.ledger)
        self.usefulness = Usefulness(self.store, settings.chat.model, f"{settings.chat!r} {settings.identity}")
        cache = AnswerCache(self.store)
        self.gateway = LLMGateway(
            self.model, ledger=self.ledger, cache=cache, audit=self.audit, redactor=redactor, count=count
        )
        self.batches = BatchGateway(self.gateway, self.model, BatchJournal(self.store))

    async def forget(self, documents: Collection[UUID], answered: Collection[UUID] = ()) -> int:
        """Erase the requests and answers of these documents, and the answers alone of those in ``answered``; return the
        number of deleted entries.
        """
        return await self.store.forget([each.bytes for each in documents], [each.bytes for each in answered])

    async def aclose(self) -> None:
        """Close the connections and the database."""
        await self.model.aclose()
        self.store.close()
