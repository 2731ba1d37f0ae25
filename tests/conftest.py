"""What every test shares: the event loop, hypothesis without a clock, the checkout's folder, and the distributions built from it."""

import fcntl
import gc
import logging
import os
import re
import signal
import sys
import tempfile
from collections.abc import Iterator, Sequence
from itertools import chain, groupby
from pathlib import Path

import pytest

from memd.daemon import logs
from memd.tests import processor_time
from memd.tests.distributions import build_distributions
from memd.tests.effort import load_profiles

load_profiles()

CHECKOUT = Path(__file__).resolve().parent.parent


SLOW_FOLDERS = ("e2e", "fuzz", "hostile", "torture")
"""Folders of tests/ in which every test is slow: they start memd processes, or read very much."""

WAITING = re.compile(r"weaviate|/(e2e|torture|hostile|systemd|live)/|test_(wheel|bench|transcripts|packaging)\b")
"""Matches the paths of files whose tests wait for processes."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options that measure processor time, and the one that chooses a sample."""
    processor_time.add_options(parser)
    help_text = "run the first test of each file that is not slow, and tests/test_smoke.py: about a tenth"
    parser.addoption("--sample", action="store_true", help=help_text)


def pytest_configure(config: pytest.Config) -> None:
    """Measure processor time, and let the processes that tests start be interrupted.

    A shell starts what runs in its background with SIGINT ignored. What is imported and collected stays to the end, so
    the garbage collector need not look at it, neither now nor while the tests run.
    """
    gc.disable()
    config.pluginmanager.register(processor_time.ProcessorTime(config))
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    """Let the garbage collector work again, on what the tests make."""
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the tests of slow folders and long tests as slow, choose the sample, and put tests that wait first."""
    in_slow_folder = {
        path: path.relative_to(CHECKOUT / "tests").parts[0] in SLOW_FOLDERS for path in {item.path for item in items}
    }
    for item in items:
        if in_slow_folder[item.path] or item.get_closest_marker("long"):
            item.add_marker("slow")
    if config.getoption("sample"):
        first: dict[Path, pytest.Item] = {}
        for item in items:
            if not item.get_closest_marker("slow"):
                first.setdefault(item.path, item)
        items[:] = [each for each in items if each.path.name == "test_smoke.py" or each is first.get(each.path)]
    items[:] = _in_shares(items, int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")))


def _in_shares(items: Sequence[pytest.Item], workers: int) -> list[pytest.Item]:
    """Order the tests so that the processors are busy from the beginning of a run to its end.

    Each worker first gets one share of the list, and those that have finished take tests from the ends of the others'.
    So all shares but one begin with the files whose tests wait, while one worker computes.
    """
    files = [list(group) for _, group in groupby(items, key=lambda item: item.path)]
    waiting = [group for group in files if WAITING.search(str(group[0].path))]
    others = [item for group in files if not WAITING.search(str(group[0].path)) for item in group]
    shares: list[list[pytest.Item]] = [[] for _ in range(workers)]
    for group in waiting:
        min(shares[: max(1, workers - 1)], key=len).extend(group)
    for number, share in enumerate(shares):
        size = len(items) * (number + 1) // workers - len(items) * number // workers
        taken = max(0, size - len(share))
        share.extend(others[:taken])
        del others[:taken]
    return [*chain.from_iterable(shares), *others]


@pytest.fixture(scope="session", autouse=True)
def own_state_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What commands remember between two calls is not that of whoever runs the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture
def anyio_backend() -> str:
    """The event loop for tests marked `anyio`: asyncio, which the daemon itself uses."""
    return "asyncio"


@pytest.fixture(autouse=True)
def times_of_the_machine() -> Iterator[None]:
    """A command that runs in the test's process shows times in its configured zone: no later test sees it."""
    yield
    if (wall_clock := sys.modules.get("memd.daemon.cli.render.wall_clock")) is not None:
        wall_clock.show_times_in(lambda: None)


@pytest.fixture(autouse=True)
def logging_as_before() -> Iterator[None]:
    """A command that runs in the test's process sets levels and adds a handler: no later test sees them."""
    top = logging.getLogger()
    level = top.level
    yield
    for handler in [each for each in top.handlers if isinstance(each.formatter, logs.JsonFormatter)]:
        top.removeHandler(handler)
    changed = [(top, level)] if top.level != level else []
    for name, logger in list(logging.root.manager.loggerDict.items()):
        own = name == logs.ROOT or name.startswith(f"{logs.ROOT}.")
        if own and isinstance(logger, logging.Logger) and logger.level != logging.NOTSET:
            changed.append((logger, logging.NOTSET))
    for logger, former in changed:  # `setLevel` empties the caches of all loggers
        logger.setLevel(former)


@pytest.fixture(scope="session")
def checkout() -> Path:
    """The folder that is the package."""
    return CHECKOUT


@pytest.fixture(scope="session")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The "wheel" of the checkout, and the "sdist" and the "wheel from sdist" with a stand-in for the weights.

    The first worker that needs them builds them for all.
    """
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    built = folder / "built"
    with (folder / "build.lock").open("w") as lock, tempfile.TemporaryDirectory(dir=folder) as temporary:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not built.exists():
            # Renamed last, so that the other workers take no part of a build that failed.
            build_distributions(CHECKOUT, Path(temporary)).rename(built)
    return {
        "sdist": next(built.glob("both/*.tar.gz")),
        "wheel": next(built.glob("wheel/*.whl")),
        "wheel from sdist": next(built.glob("both/*.whl")),
    }
