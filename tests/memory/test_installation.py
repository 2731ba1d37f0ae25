"""The command that adds a package is that of the program which made the environment."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import pytest

from memd.memory.openai_http import installation
from memd.memory.openai_http.installation import PACKAGE, REQUIREMENT, install_command


def test_the_command_is_that_of_the_installer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the file that each of them leaves in the environment."""
    folder = tmp_path / "memd-daemon"
    folder.mkdir()
    pip = f"{sys.executable} -m pip install"
    monkeypatch.setattr(installation, "_is_installed", lambda: True)
    assert install_command(folder) == f"{pip} 'memd-daemon[llm]'"
    (folder / "pyvenv.cfg").write_text("home = /usr/bin\nuv = 0.9.0\n")
    assert install_command(folder) == f"uv pip install --python {folder} 'memd-daemon[llm]'"
    (folder / "uv-receipt.toml").write_text("")
    assert install_command(folder) == "uv tool install --with 'openai>=2.0' memd-daemon"
    (folder / "pipx_metadata.json").write_text("{}")
    assert install_command(folder) == "pipx inject memd-daemon 'openai>=2.0'"
    monkeypatch.setattr(installation, "_is_installed", lambda: False)
    assert install_command(tmp_path) == f"{pip} 'openai>=2.0'"


def test_names_are_those_of_the_project(checkout: Path) -> None:
    """Of the package, and of its extra."""
    project = tomllib.loads((checkout / "pyproject.toml").read_text())["project"]
    assert project["name"] == PACKAGE
    assert project["optional-dependencies"]["llm"] == [REQUIREMENT]
