"""The settings as this command's flags make them: full, validated, and therefore not for the light path."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from ...schemas.errors import StoreError
from ..config.home_zone import NAMED_ZONE, is_utc, named_zone, remember_zone
from ..config.paths import REMEMBERED, make_private
from ..config.resolution import ResolvedSettings, resolve_settings
from ..config.settings import Settings
from ..config.timezones import system_zone, zone_named
from ..config.user_names import remember
from .render.terminal import say

if TYPE_CHECKING:
    import argparse


def resolved(arguments: argparse.Namespace, *, partial: bool = False) -> ResolvedSettings:
    """Flags over environment over configuration over defaults, each with its origin; see `resolve_settings`.

    Raises:
        ConfigError: settings are wrong; it names all of them.
    """
    return resolve_settings(
        partial=partial,
        flags={
            "config": arguments.config,
            "data_dir": arguments.data_dir,
            "socket": arguments.socket,
            "log.level": arguments.log_level,
            "server.owner_wait_s": getattr(arguments, "owner_wait", None),
            "server.http": getattr(arguments, "http", None),
        },
    )


def settings_of(arguments: argparse.Namespace) -> Settings:
    """The settings alone; raises as ``resolved``."""
    return resolved(arguments).settings


def remember_user(settings: Settings, source: str, name: str) -> None:
    """Keep an answer for the next time.

    Raises:
        StoreError: it cannot be written.
    """
    make_private(str(settings.data_dir))
    try:
        remember(settings.data_dir, {source: name})
    except OSError as error:
        path = settings.data_dir / REMEMBERED
        raise StoreError(
            f"{path} cannot be written: {error.strerror}", hint="is there room? or say who you are with --me NAME"
        ) from error


def remember_zone_of(settings: Settings, name: str) -> None:
    """Keep the zone of the user.

    Raises:
        ConfigError: there is no such zone.
        StoreError: it cannot be written.
    """
    zone_named(name)
    make_private(str(settings.data_dir))
    try:
        remember_zone(settings.data_dir, name)
    except OSError as error:
        path = settings.data_dir / NAMED_ZONE
        raise StoreError(f"{path} cannot be written: {error.strerror}", hint="is there room?") from error


def show_times_in_named_zone(settings: Settings, name: str) -> None:
    """Keep a zone that a flag named for the times of every command, where no setting names one and the machine is in UTC;
    where it cannot be kept, nothing is lost but that.
    """
    if settings.zone is not None or named_zone(settings.data_dir) or is_utc(name) or not is_utc(str(system_zone())):
        return
    with suppress(StoreError):
        remember_zone_of(settings, name)
        say(f"times are shown in {name} from now on; `memd config zone ZONE` names another")
