"""A small trial of a language model before it is set: one short made-up conversation with one plain fact."""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

from ..memory.extraction.extractor import Extraction
from ..memory.extraction.window import Line, Window
from ..memory.llm.chat import Usage
from ..memory.llm.usefulness import AnswerTally
from .config.settings import LLMSettings

_PLACE = "Lisbon"
_SAID = (
    ("Nora", "Hello Max, long time no see! How are you?"),
    ("Max", "Fine, thanks. Where do you live these days?"),
    ("Nora", f"I live in {_PLACE} now, near the river. The coffee is good here."),
    ("Max", "That sounds lovely, I will visit you one day."),
)
_NOON = datetime(2024, 3, 4, 12, 0, tzinfo=UTC)
_FAILURES = {
    "unreadable": "its answer is not the JSON that was asked for",
    "truncated": "its answer does not come to an end",
    "refused": "it refuses to answer",
    "too-long": "the prompt is too long for it: give it a longer context (4,096 tokens at least)",
    "not-taken": "the server does not take the prompt",
    "failed": "the server fails at the prompt",
}


@dataclass(frozen=True, slots=True)
class ProbeReport:
    """The result of a trial."""

    problem: str
    """The reason why the model cannot be used; empty when it found the fact."""
    sentence: str
    """The fact in the model's words."""
    seconds: float
    usage: Usage


async def probe(settings: LLMSettings) -> ProbeReport:
    """Ask the model of the settings for the fact. Nothing is stored.

    Raises:
        ConfigError: the settings are wrong, or the key cannot be had.
        ExtractionError: the model cannot be reached or used.
    """
    from .llm import open_llm, trial_extractor_of

    with tempfile.TemporaryDirectory(prefix="memd-") as folder:
        llm = open_llm(Path(folder), settings)
        try:
            extractor = trial_extractor_of(llm, settings, AnswerTally())
            began = time.perf_counter()
            (extraction,) = await extractor.extract([_window()])
            seconds = time.perf_counter() - began
            spent = sum((each.usage for each in await llm.ledger.totals("model")), Usage())
        finally:
            await llm.aclose()
    right = [each.content for each in extraction.statements if each.subject == "Nora" and _PLACE in each.value]
    return ProbeReport("" if right else _problem(extraction), next(iter(right), ""), seconds, spent)


def _problem(extraction: Extraction) -> str:
    if extraction.failure:
        return _FAILURES.get(extraction.failure, extraction.failure)
    if extraction.rejected:
        return f"what it proposes does not stand in the conversation ({', '.join(sorted(extraction.rejected))})"
    return f"it did not find that Nora lives in {_PLACE}"


def _window() -> Window:
    lines = tuple(
        Line(number, UUID(int=number), f"m{number}", speaker, text, _NOON + timedelta(minutes=number))
        for number, (speaker, text) in enumerate(_SAID, start=1)
    )
    return Window(UUID(int=0), "probe", "chat", "", "Max", ("Nora", "Max"), lines)
