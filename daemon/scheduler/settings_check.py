"""What is wrong with settings beyond their types: schedules that nobody can keep, folders that two sources read, and sources of
unknown kinds.

`memd config` tells it, `memd serve` does not start with it, and a reload is refused for it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from ...schemas.errors import ConfigError
from ..config.account_kinds import ACCOUNT_KINDS
from ..config.resolution import ResolvedSettings
from .clock import system_clock
from .schedule import parse_schedule

KINDS = ("folder", *ACCOUNT_KINDS)
"""Kinds of sources that may be declared. A program that adds a kind (`open_app`) adds its name here, too."""


def setting_problems(found: ResolvedSettings) -> Iterator[str]:
    """A line for each: where it was set, the setting's name, what is wrong."""
    yield from _schedule_problems(found)
    yield from folder_problems(found)
    yield from _kind_problems(found)


def require_sound(found: ResolvedSettings) -> ResolvedSettings:
    """The same settings.

    Raises:
        ConfigError: something is wrong with them; it names all of it.
    """
    if problems := tuple(setting_problems(found)):
        raise _refusal(problems)
    return found


def require_own_folders(found: ResolvedSettings) -> None:
    """For a command that reads sources and keeps no schedule.

    Raises:
        ConfigError: two of the declared sources read one folder.
    """
    if problems := tuple(folder_problems(found)):
        raise _refusal(problems)


def folder_problems(found: ResolvedSettings) -> Iterator[str]:
    """A line for each declared source that reads the folder of one before it, by whatever links."""
    readers: dict[str, str] = {}
    for number, source in enumerate(found.settings.sources):
        if source.path is None:
            continue
        # Which takes a link that leads to itself, as `Path.resolve` does not everywhere.
        first = readers.setdefault(os.path.realpath(source.path), source.name)
        if first != source.name:
            name = f"sources.{number}.path"
            told = f"the source {first!r} reads this folder already; remove one of the two, or name a folder inside"
            yield f"{_origin(found, name)}: {name}: {told}"


def _kind_problems(found: ResolvedSettings) -> Iterator[str]:
    for number, source in enumerate(found.settings.sources):
        if source.kind not in KINDS:
            name = f"sources.{number}.kind"
            yield f"{_origin(found, name)}: {name}: there is no kind {source.kind!r}; kinds: {', '.join(KINDS)}"


def _schedule_problems(found: ResolvedSettings) -> Iterator[str]:
    zone, now = found.settings.zone_in_force()[0], system_clock()
    for name, text in _schedules(found):
        try:
            parse_schedule(text, zone, now)
        except ConfigError as error:
            more = "" if ": " in error.message else f"; it is {error.hint}"  # unless what is wrong is told already
            yield f"{_origin(found, name)}: {name}: {error.message}{more}"


def _schedules(found: ResolvedSettings) -> Iterator[tuple[str, str]]:
    maintenance = found.settings.maintenance
    for name in ("backup_schedule", "doctor_schedule", "prune_schedule"):
        if text := getattr(maintenance, name):  # an empty one is none
            yield f"maintenance.{name}", text
    for number, source in enumerate(found.settings.sources):
        yield f"sources.{number}.schedule", source.schedule


def _origin(found: ResolvedSettings, name: str) -> str:
    whole = name.rpartition(".")[0]
    return found.origins.get(name) or found.origins.get(whole) or found.origins.get("sources", "default")


def _refusal(problems: tuple[str, ...]) -> ConfigError:
    return ConfigError("; ".join(problems), hint="`memd config` shows what is set", problems=problems)
