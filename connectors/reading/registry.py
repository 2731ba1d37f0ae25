"""The formats that memd reads: those in the folder `formats`, and those that other packages add."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from pkgutil import iter_modules, resolve_name
from typing import cast

from ...schemas.errors import InvalidError
from .. import formats as folder
from ..connector import Connector, Format

ENTRY_POINTS = "memd.connectors"
"""The group of entry points under which a package names a `Format` of its own."""
ARCHIVE = "archive"
"""The format name of a file that is an archive: its members may be of any format."""


@cache
def formats() -> tuple[Format, ...]:
    """Return every format, by rank; of two with the same name, memd's own."""
    by_name = {each.name: each for each in (*_added(), *_included())}
    return tuple(sorted(by_name.values(), key=lambda each: (each.rank, each.name)))


def _included() -> Iterator[Format]:
    for module in iter_modules(folder.__path__):
        yield from cast("Sequence[Format]", import_module(f"{folder.__name__}.{module.name}").FORMATS)


def _added() -> Iterator[Format]:
    for entry in entry_points(group=ENTRY_POINTS):
        yield cast("Format", entry.load())


@cache
def _by_name() -> Mapping[str, Format]:
    return {each.name: each for each in formats()}


def format_named(name: str) -> Format:
    """Return the format with this name; for an unregistered name, a format whose files are reported one by one."""
    return _by_name().get(name) or Format(name)


_resolved = cache(resolve_name)
"""Return the object that a name leads to; looking it up again takes a tenth of the recognition of a small file."""


def default_connectors() -> tuple[Connector, ...]:
    """Return a connector of every format, by rank."""
    return tuple(cast("Connector", _resolved(each.connector)()) for each in formats())


def connector_named(name: str, connectors: Sequence[Connector]) -> Connector:
    """Return the connector of a format.

    Raises:
        InvalidError: there is none.
    """
    for connector in connectors:
        if connector.name == name:
            return connector
    raise _unknown(name, connectors)


def require_format(name: str) -> None:
    """Check the name of a format.

    Raises:
        InvalidError: no format has it.
    """
    if name not in _by_name():
        raise _unknown(name, formats())


def _unknown(name: str, choices: Sequence[Connector | Format]) -> InvalidError:
    return InvalidError(f"no format is called {name!r}", hint=f"formats: {', '.join(each.name for each in choices)}")
