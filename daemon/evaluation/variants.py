"""The variants of a run: the user's settings, with what each sets otherwise, and the models that they need."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import anyio.to_thread

from ..config.resolution import resolve_settings
from ..config.settings import Settings
from .runner import Variant

ALONE: Mapping[str, str] = {"storage.index": "embedded", "facts.extractor": "off"}
"""Set unless a variant says otherwise: figures of messages alone, and no tenant on a server."""


def settings_of(flags: Mapping[str, object], overrides: Mapping[str, str]) -> Settings:
    """Return the settings of a variant.

    Args:
        flags: places, as `resolve_settings` takes them.
        overrides: by dotted name.

    Raises:
        ConfigError: there is no such setting, or it cannot have that value.
    """
    return resolve_settings({**flags, **ALONE, **overrides}).settings


@asynccontextmanager
async def open_variants(
    flags: Mapping[str, object], overrides: Sequence[Mapping[str, str]], *, answers: bool
) -> AsyncGenerator[list[Variant]]:
    """Return the variants, with their language models where facts or answers ask for one and one is set.

    Requests and their cache are kept in a temporary folder: the user's records know nothing of a measurement.

    Raises:
        ConfigError: as `settings_of`, or the model cannot be used.
    """
    async with AsyncExitStack() as stack:
        variants: list[Variant] = []
        for number, values in enumerate(overrides):
            settings = settings_of(flags, values)
            llm = None
            if settings.llm.model and (answers or settings.facts.extractor in ("auto", "llm")):
                from ..llm import open_llm

                folder = Path(stack.enter_context(TemporaryDirectory(prefix=f"memd-eval-{number}-")))
                zone = settings.zone_in_force()[0]
                llm = await anyio.to_thread.run_sync(open_llm, folder, settings.llm, zone)
                stack.push_async_callback(llm.aclose)
            name = ", ".join(f"{key}={value}" for key, value in values.items()) if len(overrides) > 1 else ""
            variants.append(Variant(name, settings, values, llm))
        yield variants
