"""The settings as this command's flags make them: full, validated, and therefore not for the light path."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, cast

from ...memory.private_files import create_anew
from ..config import Resolved, Settings, resolve
from ..paths import REMEMBERED, make_private

if TYPE_CHECKING:
    import argparse
    from pathlib import Path


def resolved(arguments: argparse.Namespace) -> Resolved:
    """Flags over environment over configuration over defaults, each with its origin.

    Raises:
        ConfigError: settings are wrong; it names all of them.
    """
    return resolve(
        {
            "config": arguments.config,
            "data_dir": arguments.data_dir,
            "socket": arguments.socket,
            "log.level": arguments.log_level,
        }
    )


def settings_of(arguments: argparse.Namespace) -> Settings:
    """The settings alone; raises as ``resolved``."""
    return resolved(arguments).settings


def user_of(settings: Settings, source: str) -> str | None:
    """The user's own name in a source: configured, else remembered."""
    return settings.name_in(source) or _remembered(settings.data_dir / REMEMBERED).get(source)


def remember_user(settings: Settings, source: str, name: str) -> None:
    """Keep an answer for the next time."""
    make_private(str(settings.data_dir))
    path = settings.data_dir / REMEMBERED
    known = _remembered(path) | {source: name}
    fresh = path.with_suffix(".new")
    with os.fdopen(create_anew(fresh), "w", encoding="utf-8") as file:
        json.dump(known, file, ensure_ascii=False)
    fresh.replace(path)


def _remembered(path: Path) -> dict[str, str]:
    try:
        body: object = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}  # nobody was asked yet; what cannot be read is asked for again
    plain = cast("dict[str, Any]", body) if isinstance(body, dict) else {}
    return {key: value for key, value in plain.items() if isinstance(value, str)}
