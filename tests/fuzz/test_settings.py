"""Configurations, questions, filters, times and small files of ours with anything in them: an error in words, or an answer."""

from __future__ import annotations

import contextlib
import json
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from memd.connectors.formats.notes.dates import read_date
from memd.daemon.config.paths import Owner, read_owner
from memd.daemon.config.resolution import resolve_settings
from memd.daemon.service.document_lines import read_lines
from memd.daemon.service.requests import FilterRequest, ListingRequest, QueryRequest, from_parameters, parse, time_in
from memd.schemas import Query
from memd.schemas.errors import ConfigError, InvalidError
from memd.schemas.times import rfc3339
from memd.tests.fuzz.mutation import anything, examples, mutated

BERLIN = ZoneInfo("Europe/Berlin")
CONFIG = b"""
data_dir = "/tmp/x"
socket = "s"
timezone = "Europe/Berlin"
me = {whatsapp = "Ann"}
[log]
level = "info"
modules = {journal = "debug"}
[embedding]
model = "x"
[query]
limit = 5
[server]
group = "users"
[ingest]
"""
TIMES = [
    b"2024-01-15",
    b"2024-01-15T12:00:00Z",
    b"2024-01-15 12:00:00.123456+05:30",
    b"20240115T120000",
    b"2024-W03-1",
    b"0001-01-01",
    b"9999-12-31T23:59:59-12:00",
]
KEYS = [
    "text",
    "limit",
    "speakers",
    "people",
    "sources",
    "since",
    "until",
    "tags",
    "kinds",
    "sort",
    "explain",
    "context",
    "arms",
    "x",
]


def settings_from(data: bytes, environ: dict[str, str]) -> None:
    """Read a configuration; only one kind of error may come."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "config.toml"
        path.write_bytes(data)
        with contextlib.suppress(ConfigError):
            found = resolve_settings({"config": str(path)}, {"HOME": folder, **environ})
            assert json.dumps([line[1] for line in found.lines()])


@examples(50)
@given(mutated([CONFIG]))
def test_configurations(data: bytes) -> None:
    """TOML that was changed at random."""
    settings_from(data, {})


@examples(50)
@given(
    st.dictionaries(
        st.sampled_from(
            [
                "MEMD_DATA_DIR",
                "MEMD_SOCKET",
                "MEMD_TIMEZONE",
                "MEMD_LOG_LEVEL",
                "MEMD_QUERY_LIMIT",
                "MEMD_X",
                "XDG_DATA_HOME",
            ]
        ),
        st.text(st.characters(exclude_characters="\x00"), max_size=20)
        | st.sampled_from(["/" * 5000, "../..", "~nobody/x", "\udcff"]),
    )
)
def test_environments(environ: dict[str, str]) -> None:
    """Any text in any variable."""
    settings_from(b"", environ)


def test_nesting_in_small_files() -> None:
    """TOML and JSON nested beyond what any stack holds are wrong, not a crash."""
    settings_from(b"a = " + b"[" * 100_000, {})
    settings_from(b"a" + b".a" * 3_000 + b" = 1", {})
    with tempfile.TemporaryDirectory() as folder:
        lock = Path(folder) / "owner.lock"
        lock.write_bytes(b"[" * 4096)
        assert read_owner(str(lock)) == Owner()


@examples(50)
@given(mutated([b'{"pid": 5, "socket": "/x"}']))
def test_lock_files(data: bytes) -> None:
    """The text in the lock file only tells; whatever it says, it is read."""
    with tempfile.TemporaryDirectory() as folder:
        lock = Path(folder) / "owner.lock"
        lock.write_bytes(data)
        owner = read_owner(str(lock))
        assert all(isinstance(each, str) for each in (owner.kind, owner.state, owner.socket))


@examples(100)
@given(
    st.dictionaries(
        st.sampled_from(KEYS),
        anything(st.sampled_from([t.decode() for t in TIMES] + ["score", "time", "text", 1, 100])),
        max_size=6,
    )
)
def test_questions(body: dict[str, Any]) -> None:
    """Any value under any key of a question."""
    with contextlib.suppress(InvalidError):
        assert isinstance(parse(QueryRequest, body, BERLIN), Query)


@examples(100)
@given(
    st.lists(
        st.tuples(
            st.sampled_from([*FilterRequest.model_fields, *KEYS]),
            st.text(max_size=12) | st.sampled_from([t.decode() for t in TIMES]),
        ),
        max_size=5,
    )
)
def test_filters(parameters: list[tuple[str, str]]) -> None:
    """Any text under any parameter of a listing."""
    with contextlib.suppress(InvalidError):
        assert parse(FilterRequest, from_parameters(FilterRequest, parameters), BERLIN).as_query()


@examples(100)
@given(
    st.text(max_size=12)
    | st.integers().map(str)
    | st.integers(0, 40).map(lambda n: "0" * n + "1" * n)
    | st.just("1" * 5000)
)
def test_numbers(text: str) -> None:
    """Only what is in bounds comes through."""
    with contextlib.suppress(InvalidError):
        assert 1 <= parse(ListingRequest, {"limit": text}, BERLIN).limit <= 1000


@examples(100)
@given(mutated(TIMES), st.sampled_from([UTC, BERLIN, ZoneInfo("Pacific/Kiritimati"), ZoneInfo("America/St_Johns")]))
def test_times(data: bytes, zone: Any) -> None:
    """A time with a zone comes out, which can be written and read again, or the one error."""
    text = data.decode("utf-8", "surrogateescape")
    with contextlib.suppress(ValueError, OverflowError):
        found = time_in(text, zone)
        assert datetime.fromisoformat(rfc3339(found)) == found
    assert read_date(text, zone) is None or read_date(text, zone)


@examples(60)
@given(
    mutated([b'{"id": "n:1", "content": "x"}\n{"id": "n:2", "content": "y", "timestamp": "2024-01-15T12:00:00Z"}\n'])
)
def test_bodies_of_documents(data: bytes) -> None:
    """What the API takes as JSON lines."""
    read = read_lines(data)
    assert len(read.documents) + len(read.rejected) <= data.count(b"\n") + 1


def test_numbers_that_json_cannot_carry_are_refused_by_the_api_too() -> None:
    """Nothing is altered in silence: not by a connector, and not where documents are sent."""
    for number in ("123456789012345678901234567890", "1e400"):
        read = read_lines(f'{{"id": "a", "content": "b", "n": {number}}}'.encode())
        assert (len(read.documents), len(read.rejected)) == (0, 1)
    assert len(read_lines(b'{"id": "a", "content": "bad \xff bytes"}').notices.to_wire()) == 1
