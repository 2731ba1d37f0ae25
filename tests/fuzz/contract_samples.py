"""What the contract suites of all connectors give to the tests of all formats, found by itself: samples, readers, downloads."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, cast

from memd.connectors.connector import Connector
from memd.tests.contracts.connector import ConnectorContract, Download

TESTS = Path(__file__).parent.parent
Files = Mapping[str, bytes]


@cache
def samples_by_format() -> dict[str, tuple[Connector, list[Files]]]:
    """By the connector's name, the connector and the files of each of its samples."""
    found: dict[str, tuple[Connector, list[Files]]] = {}
    for name, suite in _suites():
        files = list(cast("Mapping[str, Files]", _value(suite, "samples")).values())
        found.setdefault(name, (cast("Connector", _value(suite, "connector")), []))[1].extend(files)
    return found


def readers_by_format() -> dict[str, Sequence[str]]:
    """By format: what reads one record, so that an error inside of it is one of that record."""
    return {name: suite.readers for name, suite in _suites() if suite.readers}


def downloads_by_format() -> dict[str, Download]:
    """An export of each program, as it lies in a folder of downloads."""
    return {name: suite.download for name, suite in _suites() if suite.download}


@cache
def _suites() -> tuple[tuple[str, type[ConnectorContract]], ...]:
    """Every suite with its connector's name."""
    return tuple((cast("Connector", _value(suite, "connector")).name, suite) for suite in _classes())


def _classes() -> Iterator[type[ConnectorContract]]:
    for path in sorted((TESTS / "connectors").rglob("test_*.py")):
        if "ConnectorContract)" not in path.read_text(encoding="utf-8"):
            continue
        parts = path.relative_to(TESTS).with_suffix("").parts
        module = importlib.import_module(".".join(("memd.tests", *parts)))
        for value in vars(module).values():
            if isinstance(value, type) and issubclass(value, ConnectorContract) and value is not ConnectorContract:
                yield value


def _value(suite: type[ConnectorContract], fixture: str) -> Any:
    """What a fixture of a suite gives. They take nothing but the suite; pytest has no public way to call one."""
    given = cast("Any", suite).__dict__[fixture]
    return given._get_wrapped_function()(suite())
