"""Checks of settings beyond their types: invalid schedules, folders that two sources read, and unknown kinds and
formats of sources.

`memd config` reports the problems, `memd serve` does not start with them, and a reload is refused.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from ...connectors.live.account_registry import ACCOUNT_KINDS
from ...connectors.reading.registry import require_format
from ...schemas.errors import ConfigError, InvalidError
from ..config.resolution import ResolvedSettings
from ..config.source_settings import FolderSettings
from .clock import system_clock
from .schedule import parse_schedule

KINDS = ("folder", *ACCOUNT_KINDS)
"""The kinds of sources that may be declared. A program that adds a kind (`open_app`) adds its name here, too."""


def setting_problems(resolved: ResolvedSettings) -> Iterator[str]:
    """Yield a line per problem: the origin of the setting, its name, the problem."""
    yield from _schedule_problems(resolved)
    yield from folder_problems(resolved)
    yield from _kind_problems(resolved)
    yield from _format_problems(resolved)


def require_sound(resolved: ResolvedSettings) -> ResolvedSettings:
    """Return the settings unchanged.

    Raises:
        ConfigError: they have problems; it names all of them.
    """
    if problems := tuple(setting_problems(resolved)):
        raise _refusal(problems)
    return resolved


def require_own_folders(resolved: ResolvedSettings) -> None:
    """Check the folders of the sources, for a command that reads sources and keeps no schedule.

    Raises:
        ConfigError: two of the declared sources read one folder.
    """
    if problems := tuple(folder_problems(resolved)):
        raise _refusal(problems)


def folder_problems(resolved: ResolvedSettings) -> Iterator[str]:
    """Yield a line for each declared source that reads the folder of an earlier one, by whatever links."""
    readers: dict[str, str] = {}
    for number, source in enumerate(resolved.settings.sources):
        if source.path is None:
            continue
        # `realpath` accepts a link to itself, unlike `Path.resolve` on some systems.
        first = readers.setdefault(os.path.realpath(source.path), source.name)
        if first != source.name:
            name = f"sources.{number}.path"
            problem = f"the source {first!r} reads this folder already; remove one of the two, or name a folder inside"
            yield f"{_origin(resolved, name)}: {name}: {problem}"


def _kind_problems(resolved: ResolvedSettings) -> Iterator[str]:
    for number, source in enumerate(resolved.settings.sources):
        if source.kind not in KINDS:
            name = f"sources.{number}.kind"
            yield f"{_origin(resolved, name)}: {name}: there is no kind {source.kind!r}; kinds: {', '.join(KINDS)}"


def _format_problems(resolved: ResolvedSettings) -> Iterator[str]:
    for number, source in enumerate(resolved.settings.sources):
        if isinstance(source, FolderSettings) and source.format is not None:
            try:
                require_format(source.format)
            except InvalidError as error:
                name = f"sources.{number}.format"
                yield f"{_origin(resolved, name)}: {name}: {error.message}; {error.hint}"


def _schedule_problems(resolved: ResolvedSettings) -> Iterator[str]:
    zone, now = resolved.settings.zone_in_force()[0], system_clock()
    for name, text in _schedules(resolved):
        try:
            parse_schedule(text, zone, now)
        except ConfigError as error:
            more = (
                "" if ": " in error.message else f"; it is {error.hint}"
            )  # unless the message already says what is wrong
            yield f"{_origin(resolved, name)}: {name}: {error.message}{more}"


def _schedules(resolved: ResolvedSettings) -> Iterator[tuple[str, str]]:
    maintenance = resolved.settings.maintenance
    for name in ("backup_schedule", "doctor_schedule", "prune_schedule"):
        if text := getattr(maintenance, name):  # an empty text means no schedule
            yield f"maintenance.{name}", text
    for number, source in enumerate(resolved.settings.sources):
        yield f"sources.{number}.schedule", source.schedule


def _origin(resolved: ResolvedSettings, name: str) -> str:
    whole = name.rpartition(".")[0]
    return resolved.origins.get(name) or resolved.origins.get(whole) or resolved.origins.get("sources", "default")


def _refusal(problems: tuple[str, ...]) -> ConfigError:
    return ConfigError("; ".join(problems), hint="`memd config` shows what is set", problems=problems)
