"""Makes the language model of the settings, and its extractor, judge and batches. Imported only if a model is set."""

from __future__ import annotations

from collections.abc import Collection
from datetime import tzinfo
from pathlib import Path
from uuid import UUID

from ..memory.extraction.extractor import Extractor
from ..memory.extraction.llm import LLMExtractionSettings, LLMExtractor
from ..memory.extraction.rules.engine import RulesExtractor
from ..memory.facts.batch_extraction import BatchExtraction
from ..memory.facts.llm_judge import LLMJudge
from ..memory.facts.service import FactService
from ..memory.llm.chat import ChatSettings
from ..memory.llm.factory import LLM
from ..memory.llm.factory import LLMOptions as Parts
from ..memory.llm.ledger import LedgerSettings, Limit, Price
from ..memory.llm.privacy import OptOut
from ..memory.llm.redaction import RedactionSettings
from ..memory.llm.usefulness import AnswerCounts
from ..schemas.errors import ConfigError
from .config.credentials import credential, key_source
from .config.settings import LLMSettings

NO_PRICE = "set llm.price_prompt and llm.price_completion, for a million tokens; 0 where it costs nothing"


def open_llm(directory: Path, settings: LLMSettings, zone: tzinfo | None = None) -> LLM:
    """Return the model, without connecting to it.

    Args:
        directory: the folder of its file.
        settings: of the model and its budget.
        zone: in which a day of the budget begins; None for the machine's own.

    Raises:
        ConfigError: a budget has no price.
        StoreError: its file cannot be opened.
    """
    prices: dict[str, Price] = {}
    if settings.price_prompt is not None and settings.price_completion is not None:
        prices[settings.model] = Price(settings.price_prompt, settings.price_completion)
    elif settings.money_per_run is not None or settings.money_per_day is not None:
        raise ConfigError(f"the budget is in money, and the model {settings.model} has no price", hint=NO_PRICE)
    parts = Parts(
        chat=ChatSettings(
            model=settings.model,
            base_url=settings.base_url,
            structure=settings.structure,
            timeout_s=settings.timeout_s,
            local_only=settings.local_only,
            key_source=key_source("llm", settings.api_key_file, settings.api_key_env),
        ),
        ledger=LedgerSettings(
            prices=prices,
            per_run=Limit(settings.calls_per_run, settings.tokens_per_run, settings.money_per_run),
            per_day=Limit(settings.calls_per_day, settings.tokens_per_day, settings.money_per_day),
            zone=zone,
        ),
        redaction=redaction_of(settings),
        identity=settings.model_dump_json(),
    )
    return LLM(directory, parts, lambda: credential(settings.api_key_file, settings.api_key_env))


def redaction_of(settings: LLMSettings) -> RedactionSettings:
    """Return what is hidden before anything is sent."""
    return RedactionSettings(
        enabled=settings.redact,
        emails=settings.redact_emails,
        phones=settings.redact_phones,
        patterns=settings.redact_patterns,
    )


def opt_out_of(settings: LLMSettings) -> OptOut:
    """Return the sources and conversations of which nothing is ever sent."""
    return OptOut(frozenset(settings.keep_sources), settings.keep_conversations)


def extractor_of(llm: LLM, settings: LLMSettings) -> Extractor:
    """Return the extractor that uses the model, and rules for texts that must not be sent."""
    return llm_extractor_of(llm, settings)


def llm_extractor_of(llm: LLM, settings: LLMSettings) -> LLMExtractor:
    """Return the same extractor by its own type, which can also estimate its calls."""
    extraction_settings = LLMExtractionSettings(
        settings.variant,
        settings.answer_tokens,
        settings.concurrency,
        opt_out_of(settings),
        packed=not settings.batch,
        confirmed=settings.confirm and settings.variant == "full",
    )
    return LLMExtractor(llm.gateway, extraction_settings, RulesExtractor(), llm.usefulness)


def rules_of() -> Extractor:
    """Return the extractor without a model."""
    return RulesExtractor()


def trial_extractor_of(llm: LLM, settings: LLMSettings, counts: AnswerCounts) -> LLMExtractor:
    """Return an extractor that uses the model alone, each window by itself; it neither stores answers nor reuses stored
    ones.
    """
    extraction_settings = LLMExtractionSettings(
        settings.variant, settings.answer_tokens, settings.concurrency, opt_out_of(settings), packed=False, kept=False
    )
    return LLMExtractor(llm.gateway, extraction_settings, usefulness=counts)


def batches_of(llm: LLM, settings: LLMSettings, fact_service: FactService) -> BatchExtraction:
    """Return the extraction that asks in advance, by batches."""
    return BatchExtraction(fact_service, llm_extractor_of(llm, settings), llm.batches, settings.batch_poll_s)


def judge_of(llm: LLM, settings: LLMSettings, fact_service: FactService) -> LLMJudge:
    """Return the judge of facts that rules cannot compare."""

    async def private(documents: Collection[UUID]) -> Collection[UUID]:
        return await private_of(settings, fact_service, documents)

    return LLMJudge(llm.gateway, private if opt_out_of(settings) else None)


async def private_of(settings: LLMSettings, fact_service: FactService, documents: Collection[UUID]) -> set[UUID]:
    """Return those of these documents of which nothing may be sent."""
    kept = opt_out_of(settings)
    return (
        {key for key, row in (await fact_service.documents(documents)).items() if kept.covers_row(row)}
        if kept
        else set()
    )
