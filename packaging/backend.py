"""The build backend: setuptools, which also puts completion scripts and the man page, made of the command line's parser, into the wheel."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from setuptools import build_meta
from setuptools.build_meta import (
    build_sdist,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]
Settings = dict[str, str | list[str] | None] | None
CHECKOUT = Path(__file__).resolve().parent.parent
FILES = {"bash": "memd", "zsh": "_memd", "fish": "memd.fish", "man": "memd.1"}
"""By kind; pyproject.toml says where each goes."""


def build_wheel(wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None) -> str:
    """Build the wheel with the shell files."""
    write_shell_files(CHECKOUT / "build" / "shell")
    return build_meta.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_editable(
    wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None
) -> str:
    """Build the wheel of an editable installation, with the shell files as they are now."""
    write_shell_files(CHECKOUT / "build" / "shell")
    return build_meta.build_editable(wheel_directory, config_settings, metadata_directory)


def write_shell_files(folder: Path) -> None:
    """Write the files into a folder. Nothing beyond the standard library is imported for it: a build has no dependencies."""
    if "memd" not in sys.modules:  # the checkout is the package
        spec = spec_from_file_location("memd", CHECKOUT / "__init__.py", submodule_search_locations=[str(CHECKOUT)])
        assert spec is not None
        assert spec.loader is not None
        sys.modules["memd"] = package = module_from_spec(spec)
        spec.loader.exec_module(package)
    from memd.daemon.cli.commands.completion import text_of

    folder.mkdir(parents=True, exist_ok=True)
    for kind, name in FILES.items():
        (folder / name).write_text(text_of(kind), encoding="utf-8")
