"""Schedules of the settings that cannot be read or are never due: told by `memd config`, before somebody waits for them."""

from __future__ import annotations

from collections.abc import Iterator

from ...schemas.errors import ConfigError
from ..config.resolution import ResolvedSettings
from .clock import system_clock
from .schedule import parse_schedule


def schedule_problems(found: ResolvedSettings) -> Iterator[str]:
    """A line for each: where it was set, the setting's name, what is wrong."""
    zone, now = found.settings.zone_in_force()[0], system_clock()
    for name, text in _schedules(found):
        try:
            parse_schedule(text, zone, now)
        except ConfigError as error:
            where = found.origins.get(name) or found.origins.get("sources", "default")
            more = "" if ": " in error.message else f"; it is {error.hint}"  # unless what is wrong is told already
            yield f"{where}: {name}: {error.message}{more}"


def _schedules(found: ResolvedSettings) -> Iterator[tuple[str, str]]:
    maintenance = found.settings.maintenance
    for name in ("backup_schedule", "doctor_schedule", "prune_schedule"):
        if text := getattr(maintenance, name):  # an empty one is none
            yield f"maintenance.{name}", text
    for number, source in enumerate(found.settings.sources):
        yield f"sources.{number}.schedule", source.schedule
