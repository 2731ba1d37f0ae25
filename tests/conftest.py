"""What every test shares: the event loop, hypothesis without a clock, the checkout's folder, and the distributions built from it."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# No test measures time, so neither does hypothesis: a busy machine makes an example slow, not wrong.
settings.register_profile("memd", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("memd")

CHECKOUT = Path(__file__).resolve().parent.parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest test of all begins first, so that nobody waits for it alone at the end."""
    items.sort(key=lambda item: item.name != "test_whole_commands_do_from_the_wheel_what_they_do_here")


@pytest.fixture
def anyio_backend() -> str:
    """The event loop for tests marked `anyio`: asyncio, which the daemon itself uses."""
    return "asyncio"


@pytest.fixture(scope="session")
def checkout() -> Path:
    """The folder that is the package."""
    return CHECKOUT


@pytest.fixture(scope="session")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The "sdist", the "wheel" of the checkout and the "wheel from sdist", built without network.

    Built from a copy, because setuptools would take what an earlier build left in `build/` into the wheel.
    """
    folder = tmp_path_factory.mktemp("build")
    source = folder / "memd-source"
    unwanted = shutil.ignore_patterns(".*", "build", "dist", "*.egg-info", "__pycache__")
    shutil.copytree(CHECKOUT, source, ignore=unwanted)
    wheel = _build(source, folder / "wheel", "--wheel")
    both = _build(source, folder / "both")  # python -m build makes the sdist and the wheel from that sdist
    return {
        "sdist": next(both.glob("*.tar.gz")),
        "wheel": next(wheel.glob("*.whl")),
        "wheel from sdist": next(both.glob("*.whl")),
    }


def _build(source: Path, out: Path, *flags: str) -> Path:
    """Run the build in `source` with the build backend already installed; returns `out`."""
    command = [sys.executable, "-P", "-m", "build", "--no-isolation", *flags, "--outdir", str(out), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return out
