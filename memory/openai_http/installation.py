"""Builds the command that adds the package `openai` to this installation of memd. Standard library only."""

from __future__ import annotations

import shlex
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

PACKAGE = "memd-daemon"
REQUIREMENT = "openai>=2.0"
"""The requirement of the extra ``llm`` in pyproject.toml."""


def install_command(prefix: Path | None = None) -> str:
    """Return the command for the program that made this environment: pipx, uv, or pip.

    Args:
        prefix: the folder of the environment; this process's own by default.
    """
    folder = Path(sys.prefix) if prefix is None else prefix
    if (folder / "pipx_metadata.json").exists():  # pipx names an environment by its package
        return shlex.join(["pipx", "inject", folder.name, REQUIREMENT])
    if (folder / "uv-receipt.toml").exists():
        return shlex.join(["uv", "tool", "install", "--with", REQUIREMENT, PACKAGE])
    wanted = f"{PACKAGE}[llm]" if _is_installed() else REQUIREMENT
    if _was_made_by_uv(folder):  # such an environment has no pip
        return shlex.join(["uv", "pip", "install", "--python", str(folder), wanted])
    return shlex.join([sys.executable or "python3", "-m", "pip", "install", wanted])


def _is_installed() -> bool:
    """Return whether memd is installed, rather than a checkout on the path."""
    try:
        distribution(PACKAGE)
    except PackageNotFoundError:
        return False
    return True


def _was_made_by_uv(folder: Path) -> bool:
    try:
        lines = (folder / "pyvenv.cfg").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return False
    return any(line.partition("=")[0].strip() == "uv" for line in lines)
