"""The search for interpreters that `make setup` and CI rely on."""

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.fixture
def interpreters(tmp_path: Path) -> dict[str, str]:
    """An environment whose PATH holds a shim that fails, a file that is no program, and then this interpreter."""
    shims = tmp_path / "shims"
    shims.mkdir()
    for name in ("python3", "python3.14"):
        (shims / name).write_text("#!/bin/sh\necho 'version not installed' >&2\nexit 127\n")
        (shims / name).chmod(0o755)
    (shims / "python3.13").write_text("no program")
    real = tmp_path / "with space"
    real.mkdir()
    base = Path(sys.base_prefix) / "bin" / f"python3.{sys.version_info.minor}"
    (real / "python3").symlink_to(base)
    return {"PATH": os.pathsep.join([str(shims), str(real), "/usr/bin", "/bin"]), "HOME": str(tmp_path)}


def found(checkout: Path, environment: dict[str, str], *arguments: str) -> list[str]:
    """What the script prints."""
    command = [str(checkout / ".ci" / "pythons"), *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.splitlines()


@pytest.mark.slow
def test_what_is_found_runs(checkout: Path, interpreters: dict[str, str]) -> None:
    """A shim that fails is passed over; the oldest and the newest are real, and suitable."""
    oldest, newest = found(checkout, interpreters)
    assert [oldest] == found(checkout, interpreters, "oldest")
    assert [newest] == found(checkout, interpreters, "newest")
    versions: list[tuple[int, ...]] = []
    for path in (oldest, newest):
        code = "import sys, venv, sqlite3; print(*sys.version_info[:3])"
        done = subprocess.run([path, "-c", code], capture_output=True, text=True, check=True)
        versions.append(tuple(map(int, done.stdout.split())))
    assert (3, 11) <= versions[0] <= tuple(sys.version_info[:3]) <= versions[1]
