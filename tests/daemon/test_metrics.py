"""The metrics over the socket, read by Prometheus' own parser: every family is there, has sound names, and moves."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import pytest
from prometheus_client.parser import text_string_to_metric_families

from memd.daemon.app import open_app
from memd.daemon.config.paths import STORE
from memd.daemon.pipeline.measurements import BOUNDS, MESSAGE_RESULTS, STAGES, DurationHistogram
from memd.daemon.service.metrics import Measured
from memd.daemon.service.service import Service
from memd.memory.indexing.indexed_store import open_store
from memd.schemas import Query, StoreReport
from memd.schemas.errors import StoreError
from memd.tests.daemon.house import Letters, note, talk
from memd.tests.daemon.test_service import ingest, words_only

pytestmark = pytest.mark.anyio

KINDS = {
    "memd_buffered_messages": "gauge",
    "memd_build_info": "gauge",
    "memd_collector_success": "gauge",
    "memd_dead_letters": "gauge",
    "memd_degraded": "gauge",
    "memd_embedded_texts": "counter",
    "memd_embedder_failures": "counter",
    "memd_embedder_loaded": "gauge",
    "memd_embedding_cache": "counter",
    "memd_index_lag_changes": "gauge",
    "memd_index_rebuilds": "counter",
    "memd_ingested_messages": "counter",
    "memd_job_last_end_timestamp_seconds": "gauge",
    "memd_job_last_success": "gauge",
    "memd_job_next_run_timestamp_seconds": "gauge",
    "memd_jobs_running": "gauge",
    "memd_jobs_waiting": "gauge",
    "memd_journal_size_bytes": "gauge",
    "memd_query_cache": "counter",
    "memd_query_cache_answers": "gauge",
    "memd_query_duration_seconds": "histogram",
    "memd_query_searches": "counter",
    "memd_queue_documents": "gauge",
    "memd_queue_messages": "gauge",
    "memd_queue_oldest_age_seconds": "gauge",
    "memd_runs": "counter",
    "memd_runs_active": "gauge",
    "memd_source_failing": "gauge",
    "memd_source_lag_seconds": "gauge",
    "memd_source_overdue": "gauge",
    "memd_source_paused": "gauge",
    "memd_source_stopped": "gauge",
    "memd_source_silent": "gauge",
    "memd_model_silent": "gauge",
    "memd_source_incomplete": "gauge",
    "memd_source_interrupted": "gauge",
    "memd_source_unreadable_files": "gauge",
    "memd_stage_duration_seconds": "histogram",
    "memd_store_size_bytes": "gauge",
    "memd_stored_chunks": "gauge",
    "memd_stored_documents": "gauge",
    "memd_stored_facts": "gauge",
    "memd_stored_messages": "gauge",
    "memd_unread_documents": "gauge",
    "memd_vectors": "gauge",
    "memd_workers_failing": "gauge",
}


class ReadyLetters(Letters):
    """An embedder as the application wants it."""

    loaded = True

    async def load(self) -> None:
        """Nothing to load."""

    async def aclose(self) -> None:
        """Nothing to close."""

    def token_offsets(self, text: str) -> list[tuple[int, int]]:
        """Words."""
        return [match.span() for match in re.finditer(r"\S+", text)]

    def count_many(self, texts: Iterable[str]) -> list[int]:
        """Words."""
        return [len(self.token_offsets(text)) for text in texts]


def scrape(path: Path) -> tuple[str, str]:
    """The head and the body of the answer, as a scraper without a library of ours gets them."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(60)
        connection.connect(str(path))
        connection.sendall(b"GET /v1/metrics HTTP/1.1\r\nHost: memd\r\nConnection: close\r\n\r\n")
        answer = b""
        while piece := connection.recv(65536):
            answer += piece
    head, _, body = answer.partition(b"\r\n\r\n")
    return head.decode().lower(), body.decode()


def samples(body: str) -> dict[tuple[str, str], float]:
    """Values by sample and label; buckets by their bound alone."""
    found: dict[tuple[str, str], float] = {}
    for family in text_string_to_metric_families(body):
        for sample in family.samples:
            labels: Mapping[str, str] = sample.labels
            found[sample.name, ",".join(value for name, value in labels.items() if name != "le")] = sample.value
    return found


async def values(service: Service) -> dict[tuple[str, str], float]:
    """Now, without a socket."""
    return samples((await service.metrics.text()).decode())


async def test_every_family_is_there_and_well_named(tmp_path: Path) -> None:
    """Of the kind that its name promises, explained, and beside those of the process; in Prometheus' media type."""
    settings = words_only(tmp_path / "d", socket=tmp_path / "s")
    async with open_app(settings):
        head, body = await anyio.to_thread.run_sync(scrape, settings.socket)
    assert "200 ok" in head
    assert "content-type: text/plain; version=0.0.4" in head
    families = {family.name: family for family in text_string_to_metric_families(body)}
    assert {name: family.type for name, family in families.items() if name.startswith("memd_")} == KINDS
    assert {"process_start_time_seconds", "process_resident_memory_bytes"} <= set(families)
    for name, family in families.items():
        assert re.fullmatch(r"[a-z][a-z_]*[a-z]", name)
        assert family.documentation
        assert not name.endswith("_total")
        if family.type == "counter":
            assert all(sample.name == f"{name}_total" for sample in family.samples)
    labels = {name for family in families.values() for sample in family.samples for name in sample.labels}
    assert labels <= {"collector", "index", "le", "outcome", "part", "result", "stage", "state", "version"}


def test_the_page_for_operators_has_every_family(checkout: Path) -> None:
    """By the name that Prometheus shows."""
    page = (checkout / "docs" / "operations.md").read_text(encoding="utf-8")
    shown = {f"{name}_total" if kind == "counter" else name for name, kind in KINDS.items()}
    assert shown == set(re.findall(r"`(memd_[a-z_]+)`", page))


async def test_they_move_with_what_is_done(tmp_path: Path) -> None:
    """Documents, messages, runs, stages, queries, vectors: each by what was done."""
    settings = words_only(tmp_path / "d", embedding={"enabled": True})
    embedder: Any = ReadyLetters()
    async with open_app(settings, serve=False, embedder=embedder) as service:
        before = await values(service)
        assert before["memd_stored_messages", ""] == 0
        await ingest(service, talk("a", 5), note("n", "I live in Berlin."))
        await ingest(service, talk("a", 5))
        await service.query(Query(text="message 3"))
        with anyio.fail_after(90):
            while (now := await values(service))["memd_unread_documents", ""]:
                await anyio.sleep(0.05)
    expected = {
        ("memd_stored_documents", ""): 2,
        ("memd_stored_messages", ""): 5,
        ("memd_ingested_messages_total", "added"): 6,
        ("memd_ingested_messages_total", "unchanged"): 5,
        ("memd_runs_total", "ok"): 2,
        ("memd_runs_active", ""): 0,
        ("memd_query_duration_seconds_count", ""): 1,
        ("memd_vectors", "pending"): 0,
        ("memd_embedder_loaded", ""): 1,
        ("memd_embedder_failures_total", ""): 0,
        ("memd_queue_messages", ""): 0,
        ("memd_dead_letters", ""): 0,
        ("memd_workers_failing", ""): 0,
        ("memd_collector_success", "store"): 1,
        ("memd_collector_success", "journal"): 1,
    }
    assert {key: now[key] for key in expected} == expected
    assert now["memd_vectors", "done"] >= 6
    assert now["memd_embedded_texts_total", ""] == embedder.texts
    assert now["memd_store_size_bytes", "database"] > 0
    assert now["memd_journal_size_bytes", ""] > 0
    for stage in STAGES:
        assert now["memd_stage_duration_seconds_count", stage] > before["memd_stage_duration_seconds_count", stage]
        assert now["memd_stage_duration_seconds_sum", stage] > 0
    assert all(
        value >= before.get(key, 0) for key, value in now.items() if key[0].endswith(("_total", "_count", "_sum"))
    )


async def test_they_tell_what_fails(tmp_path: Path) -> None:
    """An embedder that fails is counted and degrades; an index that was made anew is counted."""
    settings = words_only(tmp_path / "d", embedding={"enabled": True}, facts={"extractor": "off"})
    embedder: Any = ReadyLetters()
    embedder.broken = True
    async with open_app(settings, serve=False, embedder=embedder) as service:
        assert (await ingest(service, talk("a", 3))).outcome == "partial"
        now = await values(service)
        assert now["memd_embedder_failures_total", ""] >= 1
        assert now["memd_degraded", "vector"] == 1
        assert now["memd_degraded", "generation"] == 0
        assert now["memd_runs_total", "partial"] == 1
        assert now["memd_vectors", "pending"] == 3
        assert now["memd_index_rebuilds_total", "words"] == 0
    async with open_store(settings.data_dir / STORE) as store:
        await store.repair()
        assert (store.words.rebuilds, store.vectors.rebuilds) == (1, 1)


async def test_a_part_that_cannot_be_asked_leaves_the_others(tmp_path: Path) -> None:
    """Its metrics are missing, and one says so; other parts of the daemon may add theirs."""

    async def works() -> list[Measured]:
        await anyio.lowlevel.checkpoint()
        return [Measured("memd_source_failing", "Whether a source fails.", {'a "quoted"\nname': 1.0}, "source")]

    async def fails() -> list[Measured]:
        await anyio.lowlevel.checkpoint()
        raise StoreError("the disk is gone")

    async with open_app(words_only(tmp_path / "d"), serve=False) as service:
        service.metrics.add("sources", works)
        service.metrics.add("store", fails)
        now = await values(service)
    assert now["memd_source_failing", 'a "quoted"\nname'] == 1
    assert (now["memd_collector_success", "sources"], now["memd_collector_success", "store"]) == (1, 0)
    assert ("memd_stored_documents", "") not in now
    assert ("memd_queue_messages", "") in now


async def test_no_private_text_is_told(tmp_path: Path) -> None:
    """Neither what was stored nor the names in it."""
    async with open_app(words_only(tmp_path / "d"), serve=False) as service:
        await ingest(service, talk("secretchat", 3))
        told = (await service.metrics.text()).decode()
    assert not re.search("Ann|Bob|secretchat|topic", told)


def test_buckets_hold_what_does_not_exceed_them() -> None:
    """A duration on a bound is in its bucket; the last takes all."""
    durations = DurationHistogram()
    for seconds in (0.0, 0.001, 0.0011, 60.0, 1e9):
        durations.add(seconds)
    cumulative = durations.cumulative()
    assert len(cumulative) == len(BOUNDS) + 1
    assert (cumulative[0], cumulative[1], cumulative[-2], cumulative[-1]) == (2, 3, 4, 5)


def test_each_count_of_messages_is_one_of_a_report() -> None:
    """Names of the results are those of `StoreReport`."""
    assert set(MESSAGE_RESULTS) <= set(StoreReport.model_fields)
