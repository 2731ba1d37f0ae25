"""Many commands on one pseudo-terminal in one process: the screen of each command at each width and in each look.

A command meets the daemon or the disk once: its answers are recorded, and replayed on the other terminals.
"""

from __future__ import annotations

import fcntl
import io
import json
import os
import struct
import sys
import termios
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import wraps
from inspect import Signature, signature
from itertools import chain
from typing import Any, NamedTuple

from memd.daemon.cli import main
from memd.daemon.cli.in_process import InProcessDaemon
from memd.daemon.cli.render.charset import adapt_streams
from memd.daemon.client import Client
from memd.tests.cases import check_all
from memd.tests.cli.moments import MOMENTS
from memd.tests.pseudo_terminal import LOOKS, environment_of, run_on_terminal

ROWS = 500


class Terminal(NamedTuple):
    """A kind of terminal."""

    look: str
    """A key of `LOOKS`."""
    columns: int


@dataclass(frozen=True)
class Step:
    """A command line, or a moment that no command line brings about."""

    words: tuple[str, ...] = ()
    """``{terminal}`` stands for a name that each terminal has for itself."""
    typed: str | None = None
    """On standard input; None for the keyboard."""
    moment: str = ""
    """A key of `MOMENTS`, in the place of a command line."""


@dataclass(frozen=True)
class Shown:
    """The output of a command, and its exit code."""

    screen: str
    code: int


Screens = dict[tuple[str, int, str], Shown]
"""By look, columns and name of the step."""


def run_steps(steps: Mapping[str, Step], terminals: Sequence[Terminal], variables: Mapping[str, str]) -> Screens:
    """Run each step on each terminal, with these variables of the environment; nothing is paged."""
    request = json.dumps({"steps": {name: asdict(step) for name, step in steps.items()}, "terminals": terminals})
    command = [sys.executable, "-P", "-m", "memd.tests.cli.terminal_session", request]
    code, written = run_on_terminal(command, environment_of({**variables, "PAGER": ""}), seconds=280)
    assert code == 0, written[-2000:]
    screens: Screens = {}
    for part in written.split("\x1e")[1:]:
        head, _, rest = part.partition("\x1f\n")
        look, columns, name = head.split(" ", 2)
        screen, _, ended = rest.rpartition("\x1d")
        screens[look, int(columns), name] = Shown(screen, int(ended))
    assert len(screens) == len(steps) * len(terminals)
    return screens


def on_each(terminals: Sequence[Terminal]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make one test of a function that checks the screens of one terminal: it checks all, and tells all that fail."""

    def decorate(check: Callable[..., None]) -> Callable[..., None]:
        @wraps(check)
        def test(**fixtures: Any) -> None:
            check_all(terminals, lambda terminal: check(terminal=terminal, **fixtures))

        parameters = [each for each in signature(check).parameters.values() if each.name != "terminal"]
        setattr(test, "__signature__", Signature(parameters))  # noqa: B010 - pytest looks for fixtures there
        return test

    return decorate


class Recorder:
    """Calls functions once for each step and texts among the arguments; then repeats their results, or what they raised."""

    def __init__(self) -> None:
        self.step = ""
        self._results: dict[tuple[str, ...], tuple[object, Exception | None]] = {}
        self._calls: dict[tuple[str, ...], int] = defaultdict(int)

    def begin(self, step: str) -> None:
        """Begin a step on a terminal."""
        self.step = step
        self._calls.clear()

    def record(self, owner: Any, name: str) -> None:
        """Put a recording function in the place of one of a class or a module; an iterator is recorded as a list."""
        function: Callable[..., Any] = getattr(owner, name)

        @wraps(function)
        def recorded(*arguments: Any, **options: Any) -> Any:
            named = [*arguments, *chain.from_iterable(sorted(options.items()))]
            plain = [repr(each) for each in named if isinstance(each, str | bytes | int | float | None)]
            call = (self.step, name, *plain)
            self._calls[call] += 1
            key = (*call, str(self._calls[call]))
            if key not in self._results:
                try:
                    result = function(*arguments, **options)
                    self._results[key] = (list(result) if isinstance(result, Iterator) else result, None)  # pyright: ignore[reportUnknownArgumentType]
                except Exception as error:  # noqa: BLE001 - raised again below, and on each later terminal
                    self._results[key] = (None, error)
            result, error = self._results[key]
            if error is not None:
                raise error
            return result

        setattr(owner, name, recorded)


def show_all(request: Mapping[str, Any]) -> None:
    """Run the steps on standard output, which is a terminal, marked for `run_steps`."""
    from memd.daemon.backup import restore

    recorder = Recorder()
    for owner, name in (
        (Client, "ask"),
        (Client, "_raw_lines"),
        (InProcessDaemon, "work"),
        (restore, "restore_backup"),
    ):
        recorder.record(owner, name)
    steps = {name: Step(**given) for name, given in request["steps"].items()}
    names = {name for variables in LOOKS.values() for name in variables}
    keyboard = sys.stdin
    for look, columns in request["terminals"]:
        for name in names:
            os.environ.pop(name, None)
        os.environ.update(LOOKS[look])
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, columns, 0, 0))
        for name, step in steps.items():
            for stream in (sys.stdout, sys.stderr):
                assert isinstance(stream, io.TextIOWrapper)
                stream.reconfigure(encoding="utf-8", errors="strict")
            sys.stdout.write(f"\x1e{look} {columns} {name}\x1f\n")
            sys.stdout.flush()
            recorder.begin(name)
            if step.typed is not None:
                sys.stdin = io.TextIOWrapper(io.BytesIO(step.typed.encode()))
            code = _show(step, f"{look}-{columns}")
            sys.stdin = keyboard
            sys.stdout.flush()
            sys.stderr.flush()
            sys.stdout.write(f"\x1d{code}\n")
            sys.stdout.flush()


def _show(step: Step, terminal: str) -> int:
    if step.moment:
        adapt_streams()
        MOMENTS[step.moment]()
        return 0
    try:
        return main([word.replace("{terminal}", terminal) for word in step.words])
    except SystemExit as ended:  # as argparse ends behind a help
        return int(ended.code or 0)


if __name__ == "__main__":
    show_all(json.loads(sys.argv[1]))
