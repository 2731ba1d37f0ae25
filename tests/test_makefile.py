"""The Makefile: when it makes the environment of a checkout anew, and that a dry run runs nothing."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow


@pytest.fixture
def folder(tmp_path: Path, checkout: Path) -> Path:
    """A folder with the Makefile and an environment that is up to date; its path has a blank."""
    folder = tmp_path / "a checkout"
    (folder / ".venv/bin").mkdir(parents=True)
    (folder / "requirements").mkdir()
    for name in ("runtime", "build", "dev"):
        (folder / f"requirements/{name}.txt").touch()
    (folder / "pyproject.toml").touch()
    shutil.copy(checkout / "Makefile", folder)
    interpreter(folder / ".venv/bin/python", "3.13")
    make(folder, "--touch", "setup")
    return folder


def interpreter(path: Path, version: str) -> None:
    """Write a program that prints this version, whatever it is asked."""
    path.write_text(f"#!/bin/sh\necho {version}\n")
    path.chmod(0o755)


def make(folder: Path, *words: str) -> str:
    """Run make; returns its output. Nothing comes from a make that runs the tests."""
    command = ["make", "-C", str(folder), *words]
    environment = {"PATH": os.environ["PATH"]}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout


def test_an_environment_of_another_python_is_made_anew(folder: Path) -> None:
    """Its packages are installed again, too. Without PYTHON, the environment stays as it is."""
    python = folder / "python3"
    for version, made in (("3.13", False), ("3.12", True)):
        interpreter(python, version)
        planned = make(folder, "--dry-run", "setup", f"PYTHON={python}")
        assert ("-m venv --clear" in planned, "-r requirements/dev.txt" in planned) == (made, made)
    assert "-m venv" not in make(folder, "--dry-run", "setup")


def test_an_environment_whose_python_is_gone_is_made_anew(folder: Path) -> None:
    """After an upgrade of the system, for example."""
    (folder / ".venv/bin/python").unlink()
    assert "-m venv --clear" in make(folder, "--dry-run", "setup")


def test_a_dry_run_runs_nothing(folder: Path) -> None:
    """It prints the commands of `make test`."""
    assert "-m pytest" in make(folder, "--dry-run", "test")
    assert not (folder / ".venv/lint.log").exists()
