"""Messages about problems, by the command and on the desktop that the section ``notify`` of the settings names.

The command gets a JSON object on standard input, ``{"event", "message", "problems", "data_dir", "version"}``, and its
sentence in the variable ``MEMD_MESSAGE``. No shell sees it unless the settings name one.
"""

from __future__ import annotations

import logging
import os
import shlex
import shutil
import subprocess
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta

import anyio
import orjson
from anyio import CancelScope

from ... import __version__
from ...memory.supervision import Worker
from ..config.settings import NotifySettings
from ..scheduler.clock import Clock
from .problems import Problem, sentence

LOOK_SECONDS = 300.0
"""The seconds between two looks at the state of sources, maintenance and model."""
AGAIN = timedelta(days=1)
"""A problem that lasts is told again after this."""
_DESKTOP = "notify-send"
_KILL = 9
"""SIGKILL of POSIX, for processes of others; what signals mean for memd is decided in `lifecycle` alone."""

log = logging.getLogger(__name__)


class Notifier:
    """Sends a message when a problem is new, and once a day while it lasts.

    Args:
        settings: what to run, and for which events.
        problems: returns the present problems.
        clock: the time now.
        data_dir: told to the command, which may serve several memories.
    """

    def __init__(
        self, settings: NotifySettings, problems: Callable[[], Awaitable[list[Problem]]], clock: Clock, data_dir: str
    ) -> None:
        self._settings = settings
        self._problems = problems
        self._clock = clock
        self._data_dir = data_dir
        self._sent: dict[Problem, datetime] = {}
        self._failing: set[str] = set()
        """The programs whose last message failed, which was logged."""

    @property
    def is_on(self) -> bool:
        """Return whether the settings ask for messages."""
        return bool(self._settings.on) and (bool(self._settings.command) or self._settings.desktop)

    async def run(self, worker: Worker) -> None:
        """Look now and then, until cancelled."""
        while self.is_on:
            await anyio.sleep(LOOK_SECONDS)
            await self.look()
            worker.progressed()

    async def look(self) -> None:
        """Send what is new; a message tells all present problems of its event."""
        if not self.is_on:
            return
        now, problems = self._clock(), await self._problems()
        self._sent = {each: at for each, at in self._sent.items() if each in problems}
        for event in self._settings.on:
            present = [each for each in problems if each.event == event]
            if any(each not in self._sent or now - self._sent[each] >= AGAIN for each in present):
                await self._send(event, present)
                self._sent |= dict.fromkeys(present, now)

    async def _send(self, event: str, problems: Sequence[Problem]) -> None:
        message = sentence(problems)
        body = {
            "event": event,
            "message": message,
            "problems": [each.to_wire() for each in problems],
            "data_dir": self._data_dir,
            "version": __version__,
        }
        if self._settings.command:
            words = shlex.split(self._settings.command)
            await self._run(words, orjson.dumps(body) + b"\n", {"MEMD_EVENT": event, "MEMD_MESSAGE": message})
        if self._settings.desktop and (program := shutil.which(_DESKTOP)) is not None:
            await self._run([program, "--app-name=memd", "--", "memd", message.removeprefix("memd: ")], b"", {})

    async def _run(self, words: Sequence[str], body: bytes, variables: Mapping[str, str]) -> None:
        """Run a program; a failure is logged the first time in a row."""
        trouble = await run_program(words, body, variables, self._settings.timeout_s)
        if trouble and words[0] not in self._failing:
            log.error("a message could not be sent: %s", trouble, extra={"program": words[0]})
        (self._failing.add if trouble else self._failing.discard)(words[0])


async def run_program(words: Sequence[str], body: bytes, variables: Mapping[str, str], seconds: float) -> str:
    """Run a program with ``body`` on its standard input and these variables beside memd's own; its output is discarded,
    and whatever it started is killed when ``seconds`` have passed. Return what went wrong, or nothing.
    """
    try:
        process = await anyio.open_process(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env={**os.environ, **variables},
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        return f"it cannot be started: {getattr(error, 'strerror', None) or error}"
    try:
        with anyio.move_on_after(seconds):
            assert process.stdin is not None
            with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):  # it need not read
                await process.stdin.send(body)
            await process.stdin.aclose()
            code = await process.wait()
            return "" if code == 0 else f"it ended with {code}"
        return f"it took longer than {seconds:g} s"
    finally:
        with CancelScope(shield=True):
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, _KILL)
            await process.aclose()
