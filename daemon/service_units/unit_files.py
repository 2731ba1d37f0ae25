"""Adapts the unit files of the package to one installation. Pure, except for reading the package's own files."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Manager = Literal["user", "system"]
Mode = Literal["daemon", "timer"]

TEMPLATES = Path(__file__).resolve().parents[2] / "systemd"
PACKAGED_COMMAND = "/usr/bin/memd"
"""The command in the files of the package; replaced by the command of this installation."""
MARK = (
    "# Written by `memd install-service`; changes are lost at the next one. Change it by: systemctl {flag}edit {name}\n"
)
UNITS: Mapping[Mode, tuple[str, ...]] = {
    "daemon": ("memd.service", "memd.socket"),
    "timer": ("memd-sync.service", "memd-sync.timer"),
}
NOTIFY_RELOAD_SINCE = 253
"""The version of systemd that introduced ``Type=notify-reload``."""
HIDDEN = ("/home", "/root", "/run/user", "/tmp", "/var/tmp")  # noqa: S108 - names, nothing is written there
"""The folders that ``ProtectHome=`` and ``PrivateTmp=`` hide from a system service."""


@dataclass(frozen=True, slots=True)
class Installation:
    """The facts about an installation of memd that a unit needs."""

    command: tuple[str, ...]
    """The command, absolute: the entry point, or the interpreter with its arguments."""
    folders: tuple[Path, ...]
    """All folders that the interpreter reads: environments, itself, the package."""
    environment: tuple[tuple[str, str], ...] = ()
    """The variables with paths that the user chose at the installation."""


def this_installation(environment: Sequence[tuple[str, str]] = ()) -> Installation:
    """Return the running installation: in an environment of its own, of pipx, of uv, or of the machine."""
    entry = Path(sys.executable).parent / "memd"
    command = (
        (str(entry),)
        if entry.is_file() and os.access(entry, os.X_OK)
        else (sys.executable, "-P", "-m", "memd.daemon.cli")
    )
    interpreter = Path(sys.executable).resolve()
    folders = [Path(sys.prefix), Path(sys.base_prefix), interpreter.parent.parent, TEMPLATES.parent]
    folders += [Path(each) for each in sys.path if Path(each).is_absolute() and Path(each).exists()]
    return Installation(command, tuple(folders), tuple(environment))


def unit_text(manager: Manager, name: str, installation: Installation, version: int) -> str:
    """Return the text of one unit file for this installation and this version of systemd."""
    text = (TEMPLATES / manager / name).read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    if name.endswith(".service"):
        lines = [line for each in lines for line in _fitted(each, manager, installation, version)]
    return MARK.format(flag="--user " if manager == "user" else "", name=name) + "".join(lines)


def account_files() -> dict[Path, str]:
    """Return the files for systemd-sysusers and systemd-tmpfiles, with the account and the directories of the system
    service.
    """
    mark = "# Written by `memd install-service`; changes are lost at the next one.\n"
    return {
        Path("/etc") / folder / "memd.conf": mark + (TEMPLATES / folder / "memd.conf").read_text(encoding="utf-8")
        for folder in ("sysusers.d", "tmpfiles.d")
    }


def hidden_folders(installation: Installation) -> list[str]:
    """Return the folders of an installation that a hardened system service would not see; subfolders of others are
    omitted.
    """
    hidden = sorted({str(each) for each in installation.folders if any(each.is_relative_to(top) for top in HIDDEN)})
    return [each for each in hidden if not any(Path(each).is_relative_to(top) for top in hidden if top != each)]


def _fitted(line: str, manager: Manager, installation: Installation, version: int) -> list[str]:
    """Return a line of a service unit as zero or more adapted lines."""
    if line.startswith("ExecStart="):
        command = " ".join(_quoted(each).replace("$", "$$") for each in installation.command)
        chosen = [f"Environment={_quoted(f'{name}={value}')}\n" for name, value in installation.environment]
        return [line.replace(PACKAGED_COMMAND, command, 1), *chosen]
    if line.startswith("ProtectHome=") and manager == "system" and (folders := hidden_folders(installation)):
        # Each home directory becomes an empty file system, in which only the interpreter's folders are visible.
        return ["ProtectHome=tmpfs\n", *(f"BindReadOnlyPaths={_quoted(each)}\n" for each in folders)]
    if version >= NOTIFY_RELOAD_SINCE and line == "Type=notify\n":
        return ["Type=notify-reload\n"]
    if version >= NOTIFY_RELOAD_SINCE and line.startswith("ExecReload="):
        return []
    return [line]


def _quoted(word: str) -> str:
    """Quote a word for systemd: specifiers are doubled, quotes are added where needed."""
    doubled = word.replace("%", "%%")
    if not any(each in doubled for each in " \t\"'\\;"):
        return doubled
    escaped = doubled.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
