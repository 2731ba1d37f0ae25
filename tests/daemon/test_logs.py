"""Logs: one JSON object a line, with the run's id, by module; never a word that a person wrote."""

from __future__ import annotations

import io
import json
import logging
from pathlib import Path
from typing import Any

import anyio
import pytest

from memd.daemon import logs
from memd.daemon.app import open_app
from memd.daemon.config.settings import Settings
from memd.schemas import Query
from memd.tests.daemon.house import house, note, talk

WORD = "zebrawood"


@pytest.fixture
def stream() -> io.StringIO:
    """Where the logs of a test go."""
    return io.StringIO()


def lines(stream: io.StringIO) -> list[dict[str, Any]]:
    """What was logged."""
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_a_line_is_one_json_object(stream: io.StringIO) -> None:
    """Time, level, logger, message, and what the call gave."""
    logs.configure(stream=stream)
    logging.getLogger("memd.daemon.x").info("stored %d", 3, extra={"count": 3, "where": Path("/x")})
    (line,) = lines(stream)
    assert line.pop("time").endswith("+00:00")
    assert line == {"level": "info", "logger": "memd.daemon.x", "message": "stored 3", "count": 3, "where": "/x"}


def test_the_correlation_id_goes_along(stream: io.StringIO) -> None:
    """Into whatever is called, also in tasks that are started inside; not beyond."""
    logs.configure(stream=stream)
    log = logging.getLogger("memd.daemon.x")

    async def task() -> None:
        log.info("inside")

    async def story() -> None:
        with logs.correlated("run-1"):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(task)
        log.info("outside")

    anyio.run(story)
    assert [line.get("correlation_id") for line in lines(stream)] == ["run-1", None]


def test_levels_by_module(stream: io.StringIO) -> None:
    """INFO by default, DEBUG where it was asked for, other packages' warnings only; the last call counts."""
    logs.configure("info", {"memory.store": "debug"}, stream)
    for name in ("memd.daemon", "memd.memory.store.database", "somebody.else"):
        logging.getLogger(name).debug("debug")
        logging.getLogger(name).info("info")
    assert [(line["logger"], line["message"]) for line in lines(stream)] == [
        ("memd.daemon", "info"),
        ("memd.memory.store.database", "debug"),
        ("memd.memory.store.database", "info"),
    ]
    logs.configure("error", stream=stream)
    logging.getLogger("memd.memory.index.tantivy_index").info("no more")
    assert len(lines(stream)) == 3


def test_an_exception_is_told_by_its_place(stream: io.StringIO) -> None:
    """Not by its message, which may quote somebody."""
    logs.configure(stream=stream)
    try:
        raise ValueError(WORD)
    except ValueError:
        logging.getLogger("memd.x").exception("failed")
    (line,) = lines(stream)
    assert line["error"] == "ValueError"
    assert "test_logs.py:" in line["where"]
    assert WORD not in stream.getvalue()


def test_a_stage_tells_its_start_its_time_and_its_counts(stream: io.StringIO) -> None:
    """Its beginning at DEBUG; what raised is told by its type."""
    logs.configure("debug", stream=stream)
    log = logging.getLogger("memd.x")
    with logs.stage(log, "store", source="tests") as counts:
        counts["messages"] = 3
    with pytest.raises(ValueError, match="x"), logs.stage(log, "store"):
        raise ValueError("x")
    begins, ends, _, failed = lines(stream)
    assert (begins["level"], begins["stage"]) == ("debug", "store")
    assert (ends["messages"], ends["outcome"], ends["source"]) == (3, "ok", "tests")
    assert ends["took_ms"] >= 0
    assert (failed["outcome"], failed["error"]) == ("failed", "ValueError")


@pytest.mark.anyio
@pytest.mark.slow
async def test_private_text_is_never_logged(tmp_path: Path, stream: io.StringIO) -> None:
    """Ingested, failed, asked and shown at DEBUG: no word of a document, no name, no question is in the logs."""
    logs.configure("debug", stream=stream)
    async with house(tmp_path / "a", embed=False) as parts:
        parts.memory.refusing = True
        run = await parts.ingest(talk("secret", 5, words=WORD), note("poison", WORD), note("refused", WORD))
        with anyio.fail_after(30):
            while parts.memory.writes < 3:
                await anyio.sleep(0.01)
            parts.memory.refusing = False
            await parts.pipeline.runs.wait(run, "vectors")
    settings = Settings.model_validate({"data_dir": tmp_path / "b", "embedding": {"enabled": False}})
    async with open_app(settings, serve=False) as service:
        run = await service.pipeline.begin("tests")
        await service.pipeline.accept(run, [talk("secret", 5, words=WORD)])
        await service.pipeline.finish(run)
        with anyio.fail_after(30):
            await service.pipeline.runs.wait(run, "vectors")
        assert (await service.query(Query(text=WORD))).hits
        await service.show("talk:secret")
    told = stream.getvalue()
    assert any(line.get("correlation_id") == run and line.get("stage") == "storing" for line in lines(stream))
    for word in (WORD, "Bob", "Ann"):
        assert word not in told
