"""A pytest plugin that measures the processor time of each test with its child processes: by file, by cause, against a budget.

A child counts where it is waited for: a server that a module shares is counted in the teardown of the module's last
test. What belongs to no test is the run itself: starting the workers, importing and collecting.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Generator
from functools import wraps
from typing import Any

import pytest

TOTAL = "total"
CHILDREN = "child processes"
FIXTURES = "setup and teardown"
EMBEDDING = "embedding"
PROCESSES = "processes started"
DATABASES = "databases opened"
RUN = "(starting, importing, collecting)"

Figures = dict[str, float]
"""Seconds of processor time of `TOTAL`, and its parts `CHILDREN`, `FIXTURES` and `EMBEDDING`; numbers of the others."""


class Meter:
    """What this process has used since it began; the figures of a test are the difference of two readings."""

    def __init__(self) -> None:
        self._figures: Figures = defaultdict(float)
        self._lock = threading.Lock()
        sys.addaudithook(self._audit)

    def reading(self) -> Figures:
        """The figures so far."""
        times = os.times()
        children = times.children_user + times.children_system
        return {**self._figures, TOTAL: times.user + times.system + children, CHILDREN: children}

    def add(self, name: str, amount: float) -> None:
        """Add to a figure, from any thread."""
        with self._lock:
            self._figures[name] += amount

    def measure_embedding(self) -> None:
        """Count the time of the threads that run a local model, from now on."""
        from memd.memory.embedding.local import LocalEmbedder

        run: Callable[..., Any] = getattr(LocalEmbedder, "_run")  # noqa: B009 - where every text passes, documents and questions

        @wraps(run)
        def measured(*arguments: Any) -> Any:
            start = time.thread_time()
            try:
                return run(*arguments)
            finally:
                self.add(EMBEDDING, time.thread_time() - start)

        setattr(LocalEmbedder, "_run", measured)  # noqa: B010 - the same

    def _audit(self, event: str, _arguments: tuple[Any, ...]) -> None:
        if event in {"subprocess.Popen", "os.fork"}:
            self.add(PROCESSES, 1)
        elif event == "sqlite3.connect":
            self.add(DATABASES, 1)


class ProcessorTime:
    """The plugin: measures tests where they run, adds up their reports where the run is controlled."""

    def __init__(self, config: pytest.Config) -> None:
        self._meter = Meter()
        self._files: dict[str, Figures] = defaultdict(lambda: defaultdict(float))
        self._table = int(config.getoption("processor_table") or 0)
        self._budget = float(config.getoption("processor_budget") or 0)
        self._controls = not hasattr(config, "workerinput")
        self._used = 0.0

    def pytest_collection_finish(self) -> None:
        """Measure embedding where a collected test uses it."""
        if "memd.memory.embedding.local" in sys.modules:
            self._meter.measure_embedding()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Put the figures of a phase on its report."""
        report = yield
        figures = self._phase_end(call.when)
        report.processor_time = figures  # pyright: ignore[reportAttributeAccessIssue] - xdist carries attributes
        return report

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self) -> Generator[None, object, object]:
        """Begin a test."""
        self._begun = self._meter.reading()
        return (yield)

    def _phase_end(self, phase: str) -> Figures:
        """Figures since the last phase ended."""
        before, self._begun = self._begun, self._meter.reading()
        figures = {name: value - before.get(name, 0) for name, value in self._begun.items()}
        if phase != "call":
            figures[FIXTURES] = figures[TOTAL]
        return figures

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add the figures of a phase to those of its file."""
        if self._controls:
            for name, value in getattr(report, "processor_time", {}).items():
                self._files[report.nodeid.partition("::")[0]][name] += value

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Compare with the budget, after the workers have ended."""
        if not self._controls:
            return
        self._used = self._meter.reading()[TOTAL]
        tests = sum(figures[TOTAL] for figures in self._files.values())
        self._files[RUN][TOTAL] = max(0.0, self._used - tests)
        if self._over_budget and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the dearest files and the sum of all."""
        total: Figures = defaultdict(float)
        for figures in self._files.values():
            for name, value in figures.items():
                total[name] += value
        if self._table:
            columns = (TOTAL, CHILDREN, FIXTURES, EMBEDDING, PROCESSES, DATABASES)
            terminalreporter.section("processor seconds by file")
            terminalreporter.write_line(" ".join(f"{name:>18}" for name in columns))
            dearest = sorted(self._files.items(), key=lambda row: -row[1][TOTAL])[: self._table]
            for name, figures in [*dearest, ("all", total)]:
                terminalreporter.write_line(" ".join(f"{figures[column]:18.1f}" for column in columns) + f"  {name}")
        budget = f" of {self._budget:g}" if self._budget else ""
        terminalreporter.write_line(f"processor minutes: {self._used / 60:.1f}{budget}")
        if self._over_budget:
            terminalreporter.write_line(
                f"The tests used more processor time than their budget of {self._budget:g} minutes. "
                "Make them cheaper, or raise BUDGET in the Makefile on purpose.",
                red=True,
            )

    @property
    def _over_budget(self) -> bool:
        return bool(self._budget) and self._used > self._budget * 60


def add_options(parser: pytest.Parser) -> None:
    """Add the options of the plugin to pytest's."""
    group = parser.getgroup("processor time")
    group.addoption(
        "--processor-table",
        type=int,
        default=0,
        metavar="N",
        help="print the processor time, with child processes, of the N dearest files",
    )
    group.addoption(
        "--processor-budget",
        type=float,
        default=0,
        metavar="MINUTES",
        help="fail when the run uses more processor time than this",
    )
