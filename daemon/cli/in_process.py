"""Being the owner for as long as one command takes, in the very application that `memd serve` runs.

The command asks over the socket that this process serves: one path for every request, whoever owns the memory. Its work
runs in a thread beside the event loop; the loop's cancellation (Ctrl-C) closes the socket, which ends the work.

The application is imported while the model loads, and without the collector: hardly anything of an import is garbage.
"""

from __future__ import annotations

import argparse
import gc
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from typing import TypeVar

import anyio
import anyio.from_thread
import anyio.lowlevel

from ...memory.embedding.embedder import EmbeddingModel
from ...memory.embedding.local import LocalEmbedder
from .. import logs
from ..allocator import share_arenas
from ..client import Client
from ..config.settings import Settings
from ..embedders import embedder_loaded_ahead
from .connect import paths_of
from .render.log_lines import log_formatter
from .settings import resolved, settings_of

T = TypeVar("T")
_TOLD = {"daemon.sources.runner": "error"}
"""The loggers whose records a command reports itself when it has read a source."""


class InProcessDaemon:
    """One command that wants to be the owner, however often it has to try: its model is loaded once."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self._arguments = arguments
        self._embedder: EmbeddingModel | None = None

    def work(self, work: Callable[[Client], T], *, single_request: bool, reading: bool = False) -> T:
        """Own the memory, serve its socket, and do the work over it.

        Args:
            work: see `connect.with_client`.
            single_request: see there.
            reading: own nothing and write nothing into the data directory; see `open_reader`.

        Raises:
            BusyError: another process owns it.
            MemdError: it cannot be opened.
            KeyboardInterrupt: Ctrl-C or SIGTERM ended it, in order.
            Exception: whatever the work raised.
        """
        settings = settings_of(self._arguments)
        # A person at a terminal reads sentences, not JSON: only what is wrong is logged, unless more was asked for.
        modules = settings.log.modules if self._arguments.log_level else {**_TOLD, **settings.log.modules}
        logs.configure(self._arguments.log_level or "warning", modules, formatter=log_formatter(self._arguments))
        with _uncollected():
            if not isinstance(self._embedder, LocalEmbedder):  # another kind was closed by the attempt before
                self._embedder = embedder_loaded_ahead(settings.embedding)
            if isinstance(self._embedder, LocalEmbedder):
                self._embedder.unloads_after_question = single_request
            from ..app import open_app, open_reader
            from ..lifecycle import run

            async def own() -> T:
                owner = (
                    open_reader(settings, self._embedder)
                    if reading
                    else open_app(settings, serve=True, single_request=single_request, embedder=self._embedder)
                )
                async with owner:
                    client = Client(paths_of(self._arguments).serving())
                    try:
                        outcome = await _in_thread(lambda: work(client))
                    finally:
                        client.close()
                if isinstance(outcome, _Raised):
                    raise outcome.error
                return outcome

            return run(own)


@contextmanager
def _uncollected() -> Generator[None]:
    """Nothing is collected while imports go on; `open_app` turns the collector on again, or whatever kept it from that."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


class _Raised:
    """An exception from the work, carried past the application so that it closes in the usual way."""

    def __init__(self, error: BaseException) -> None:
        self.error = error


async def _in_thread(work: Callable[[], T]) -> T | _Raised:
    """Run blocking work in a thread that never holds up the end of the process, unlike those of a pool."""
    done = anyio.Event()
    token = anyio.lowlevel.current_token()
    results: list[T | _Raised] = []

    def body() -> None:
        try:
            results.append(work())
        except BaseException as error:  # noqa: BLE001 - whatever it is belongs to the caller, not to this thread
            results.append(_Raised(error))
        with suppress(anyio.RunFinishedError):  # the caller was cancelled and has gone
            anyio.from_thread.run_sync(done.set, token=token)

    threading.Thread(target=body, name="command", daemon=True).start()
    await done.wait()
    return results[0]


def serve_in_process(arguments: argparse.Namespace) -> int:
    """Own the memory and serve it until told to stop.

    Raises:
        ConfigError: the configuration is wrong, also in what needs more than a look at its types; see `setting_problems`.
    """
    from ..scheduler.settings_check import require_sound

    def sound_settings() -> Settings:
        return require_sound(resolved(arguments)).settings

    settings = sound_settings()
    share_arenas()  # before there are threads
    logs.configure(settings.log.level, settings.log.modules, formatter=log_formatter(arguments, timed=True))
    with _uncollected():
        embedder = embedder_loaded_ahead(settings.embedding)
        from ..lifecycle import serve

        return serve(settings, sound_settings, embedder, until_idle=arguments.until_idle)
