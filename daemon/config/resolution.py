"""Reads the configuration: one TOML file, the environment over it, flags over that; the origin of every value is kept."""

from __future__ import annotations

import difflib
import os
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from pydantic import ValidationError

from ...schemas.errors import ConfigError
from .line_numbers import line_numbers
from .paths import ResolvedPaths, locate
from .problems import shown, value_problems
from .settings import Section, Settings

PREFIX = "MEMD_"


@dataclass(frozen=True, slots=True)
class ResolvedSettings:
    """The settings, and the origin of each value that was set: ``file:line``, ``env NAME`` or ``flag --name``."""

    settings: Settings
    origins: Mapping[str, str]
    problems: tuple[str, ...] = ()
    """The problems of values that were ignored."""

    def lines(self) -> Iterator[tuple[str, Any, str]]:
        """Yield every setting: dotted name, value in plain JSON types, origin (``default`` if it was not set)."""
        plain = self.settings.model_dump(mode="json", exclude={"socket_chosen"})
        for name, value in plain.items():
            if isinstance(value, dict) and name in _SECTIONS:
                for key, inner in cast("dict[str, Any]", value).items():
                    yield f"{name}.{key}", inner, self.origins.get(f"{name}.{key}", "default")
            else:
                yield name, value, self.origins.get(name, "default")


def resolve_settings(
    flags: Mapping[str, object] | None = None, environ: Mapping[str, str] | None = None, *, partial: bool = False
) -> ResolvedSettings:
    """Read the configuration.

    Args:
        flags: by dotted name, ``{"data_dir": "/srv/memd", "log.level": "debug"}``; None and missing are not set.
        environ: the process's own by default; ``MEMD_DATA_DIR``, ``MEMD_LOG_LEVEL``, ``MEMD_<SECTION>_<KEY>``.
        partial: ignore invalid values instead of raising; an invalid file as a whole still raises.

    Raises:
        ConfigError: all problems at once: unknown keys (with a suggestion) and values of a wrong type.
    """
    variables = os.environ if environ is None else environ
    flag_values = {name: value for name, value in (flags or {}).items() if value is not None}
    paths = {name: str(flag_values[name]) for name in _PLACES if name in flag_values}
    places = locate(**paths, environ=variables)
    origins: dict[str, str] = {}
    values: dict[str, Any] = {}
    problems = list(_from_file(places, values, origins))
    _from_environment(variables, values, origins)
    settable = set(_names())
    for name, value in flag_values.items():
        if name in _PLACES:
            continue
        if name not in settable:
            problems.append(_unknown(name, settable))
        else:
            _put(values, name, value)
            origins[name] = f"flag {_FLAGS.get(name) or '--' + name.replace('.', '-').replace('_', '-')}"
    for name in _PLACES:
        values[name] = getattr(places, name)
        origins[name] = _origin_of(places, name, origins.get(name))
    values["socket_chosen"] = places.origins["socket"] != "default"
    try:
        settings = Settings.model_validate(values)
    except ValidationError as error:
        problems += value_problems(error, origins, _SECTIONS, Settings)
        settings = _without(values, error, origins) if partial else None
    if settings is not None and (partial or not problems):
        return ResolvedSettings(settings, origins, tuple(problems))
    raise ConfigError("; ".join(problems), hint="`memd config` shows what is set", problems=tuple(problems))


def _without(values: dict[str, Any], error: ValidationError, origins: dict[str, str]) -> Settings | None:
    """Return the settings without the invalid values; an error that concerns several values drops their section."""
    for _ in range(len(origins) + 1):
        for detail in error.errors(include_url=False, include_input=False):
            name, *rest = [str(part) for part in detail["loc"]] or [""]
            inner = values.get(name) if name in _SECTIONS else None
            if rest and isinstance(inner, dict):
                cast("dict[str, Any]", inner).pop(rest[0], None)
                origins.pop(f"{name}.{rest[0]}", None)
            else:
                values.pop(name, None)
                for origin in [each for each in origins if each == name or each.startswith(f"{name}.")]:
                    del origins[origin]
        try:
            return Settings.model_validate(values)
        except ValidationError as left:
            error = left
    return None


_PLACES = ("config", "data_dir", "socket")
_FLAGS = {"server.owner_wait_s": "--wait", "server.http": "--http"}
"""The flags whose names differ from those of their settings."""
_HIDDEN = ("config", "socket_chosen")
_SECTIONS: dict[str, type[Section]] = {
    name: field.annotation
    for name, field in Settings.model_fields.items()
    if isinstance(field.annotation, type) and issubclass(field.annotation, Section)
}


def _names() -> Iterator[str]:
    """Yield the dotted name of everything that a file may set."""
    for name in Settings.model_fields:
        if name in _SECTIONS:
            yield from (f"{name}.{key}" for key in _SECTIONS[name].model_fields)
        elif name not in _HIDDEN:
            yield name


def _from_file(places: ResolvedPaths, values: dict[str, Any], origins: dict[str, str]) -> Iterator[str]:
    """Copy the settings of the file to ``values``; yield problems."""
    if not places.table:
        return
    lines = line_numbers(places.text)
    settings = set(_names())
    for name, line in lines.items():  # lines of tables, for errors of a whole table or inside a value
        if name in _SECTIONS or name.startswith(("sources.", "me.", "log.modules.")):
            origins[name] = f"{places.config}:{line}"
    for name, value in _flat(places.table):
        line = lines.get(name) or lines.get(name.partition(".")[0])  # the line of its table, if that is written in { }
        where = f"{places.config}:{line}" if line else places.config
        if name in _SECTIONS:
            yield f"{where}: {name}: must be a table, under a line [{name}], not {shown(value)}"
            continue
        if name in settings:
            _put(values, name, value)
            origins[name] = where
            continue
        yield f"{where}: {_unknown(name, settings)}"


def _unknown(name: str, settings: Collection[str]) -> str:
    near = difflib.get_close_matches(name, settings, 1, 0.6)
    if not near:
        near = [each for each in settings if each.rpartition(".")[2] == name.rpartition(".")[2]][:1]
    return f"unknown setting '{name}'" + (f", did you mean '{near[0]}'?" if near else "")


def _flat(table: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in table.items():
        if isinstance(value, dict) and name != "me" and (name in _SECTIONS or name not in Settings.model_fields):
            for key, inner in cast("dict[str, Any]", value).items():
                yield f"{name}.{key}", inner
        else:
            yield name, value


def _from_environment(environ: Mapping[str, str], values: dict[str, Any], origins: dict[str, str]) -> None:
    for name in _names():
        variable = PREFIX + name.replace(".", "_").upper()
        # An empty variable counts as unset: a unit file or a shell cannot unset an inherited one.
        if name not in _PLACES and environ.get(variable):
            _put(values, name, environ[variable])
            origins[name] = f"env {variable}"


def _put(values: dict[str, Any], name: str, value: object) -> None:
    section, _, key = name.rpartition(".")
    home = values.setdefault(section, {}) if section else values
    home[key] = value


def _origin_of(places: ResolvedPaths, name: str, in_file: str | None) -> str:
    origin = places.origins[name]
    if origin.startswith("--"):
        return f"flag {origin}"
    if origin.startswith(PREFIX):
        return f"env {origin}"
    return origin if origin == "default" else in_file or origin
