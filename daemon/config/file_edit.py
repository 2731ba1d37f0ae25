"""Changes single settings in the text of the configuration; all other lines, especially comments, stay as they are."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from io import StringIO
from pathlib import Path
from typing import Any

from ...memory.private_files import create_anew, make_folders, sync_folder
from ...schemas.errors import ConfigError, StoreError
from .template import toml_value


def with_settings(text: str, section: str, values: Mapping[str, str | None]) -> str:
    """Return the text with these values under ``[section]``; None removes a setting, by commenting it out.

    Raises:
        ConfigError: the text is no TOML, or is written so that a line cannot be changed without the others.
    """
    try:
        before = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise ConfigError("the settings are no TOML", hint="`memd config` says where") from None
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = StringIO(text, newline="\n").readlines()  # TOML has no other line end
    for name, value in reversed(list(values.items())):  # each new line is inserted right below the header
        lines = _changed(lines, section, name, None if value is None else f"{name} = {toml_value(value)}", newline)
    changed = "".join(lines)
    if not _has_exactly(changed, before, section, values):
        wanted = "; ".join(f"{name} = {toml_value(value)}" for name, value in values.items() if value is not None)
        raise ConfigError(
            f"the section {section} of the settings is written so that memd cannot change it",
            hint=f"write under [{section}] yourself: {wanted}",
        )
    return changed


def _changed(lines: list[str], section: str, name: str, wanted: str | None, newline: str) -> list[str]:
    header = re.compile(rf"\s*\[\s*{re.escape(section)}\s*\]\s*(?:#.*)?$")
    setting = re.compile(rf"(\s*){re.escape(name)}(\s*=)")
    begin = next((at for at, line in enumerate(lines) if header.match(line)), None)
    if begin is None:
        if wanted is None:
            return lines
        end = [newline] if lines and not lines[-1].endswith("\n") else []
        gap = [newline] if lines else []
        return [*lines, *end, *gap, f"[{section}]{newline}", f"{wanted}{newline}"]
    end_at = next((at for at in range(begin + 1, len(lines)) if re.match(r"\s*\[", lines[at])), len(lines))
    for at in range(begin + 1, end_at):
        if match := setting.match(lines[at]):
            tail = _comment_behind(lines[at])
            new = f"# {lines[at]}" if wanted is None else f"{match[1]}{wanted}{tail}{newline}"
            return [*lines[:at], new, *lines[at + 1 :]]
    if wanted is None:
        return lines
    commented = re.compile(rf"\s*#\s*{re.escape(name)}\s*=")
    at = next((at for at in range(begin + 1, end_at) if commented.match(lines[at])), begin)
    if not lines[at].endswith("\n"):
        lines = [*lines[:at], lines[at] + newline, *lines[at + 1 :]]
    return [*lines[: at + 1], f"{wanted}{newline}", *lines[at + 1 :]]


def _comment_behind(line: str) -> str:
    """Return the comment at the end of a line ``name = "value"  # comment``, with the blanks before it."""
    match = re.match(r"""\s*[\w-]+\s*=\s*(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s#"']+)(\s*#.*?)\s*$""", line)
    return match[1] if match else ""


def _has_exactly(text: str, before: Mapping[str, Any], section: str, values: Mapping[str, str | None]) -> bool:
    """Return whether the text sets exactly what it set before, and these values."""
    try:
        after = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False
    wanted = dict(before)
    table = dict(wanted.get(section, {}))
    for name, value in values.items():
        table.pop(name, None)
        if value is not None:
            table[name] = value
    if table or section in wanted:
        wanted[section] = table
    return after == wanted


def write_settings(path: Path, text: str, hint: str = "choose another with --config") -> None:
    """Replace a configuration atomically, keeping its mode and a symbolic link to it. A new file is private.

    Args:
        path: the file.
        text: its new content.
        hint: what helps where it cannot be written.

    Raises:
        StoreError: it cannot be written; what was there stays.
    """
    try:
        target = path.resolve()
        make_folders(target.parent)
        temporary = target.with_name(f".{target.name}.new")
        with os.fdopen(create_anew(temporary), "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            if target.exists():
                os.fchmod(file.fileno(), target.stat().st_mode & 0o777)
            os.fsync(file.fileno())
        temporary.replace(target)
        sync_folder(target.parent)
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}", hint=hint) from error
