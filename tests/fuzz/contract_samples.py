"""The exports that the fuzz tests change: the samples of every connector's contract suite, found by themselves."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, cast

from memd.connectors import Connector
from memd.connectors.formats.pdf.connector import PdfConnector
from memd.tests.connectors.office_files import pdf
from memd.tests.contracts.connector import ConnectorContract

TESTS = Path(__file__).parent.parent
Files = Mapping[str, bytes]


@cache
def samples_by_format() -> dict[str, tuple[Connector, list[Files]]]:
    """By the connector's name, the connector and the files of each of its samples."""
    # Each file is read by a process of its own, so the suite, which reads thousands, is not for it.
    found: dict[str, tuple[Connector, list[Files]]] = {"pdf": (PdfConnector(), [{"a.pdf": pdf(["one", "two"])}])}
    for suite in _suites():
        connector = cast("Connector", _value(suite, "connector"))
        files = list(cast("Mapping[str, Files]", _value(suite, "samples")).values())
        found.setdefault(connector.name, (connector, []))[1].extend(files)
    return found


def _suites() -> Iterator[type[ConnectorContract]]:
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
