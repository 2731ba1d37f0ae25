"""The benchmarks: they run, and the document that shows their figures can take them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from memd.memory.embedding.bundled import MODELS, NAME, bundled_model
from memd.tests.weaviate_server.node import why_not

BEGIN, END = "<!-- figures: written by bench/run.py -->", "<!-- figures end -->"


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_every_benchmark_runs_in_small(checkout: Path, tmp_path: Path) -> None:
    """The quick run ends well, writes its table where the markers are, and says of each missing peer that it is."""
    document, found = tmp_path / "figures.md", tmp_path / "found.json"
    document.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n", encoding="utf-8")
    command = [sys.executable, str(checkout / "bench" / "run.py"), "--quick"]
    done = subprocess.run(
        [*command, "--markdown", str(document), "--json", str(found)],
        env=os.environ | {"MEMD_BENCH_PEERS": "none", "MEMD_LOCOMO": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    text = document.read_text(encoding="utf-8")
    assert text.startswith(f"before\n{BEGIN}\n")
    assert text.endswith(f"{END}\nafter\n")
    assert "old" not in text.split()
    assert "quick run" in text
    assert text.count("is not installed") == 8
    assert None not in json.loads(found.read_text(encoding="utf-8")).values()


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    "command",
    [
        ["forget.py", "--messages", "600", "--json"],
        ["store.py", "--messages", "300", "--no-vectors", "--json"],
        ["evolution.py", "--json"],
        pytest.param(
            ["chunking.py", "--most", "1", "--texts", "2", "--strategies", "contextual", "sentences", "--json"],
            marks=pytest.mark.long,
        ),
        pytest.param(["growth.py", "200", "--rounds", "1", "--json"], marks=pytest.mark.long),
        pytest.param(["rules.py", "--json"], marks=pytest.mark.long),
        pytest.param(["recall_mem0.py", "--limit", "5", "--json"], marks=pytest.mark.long),
        pytest.param(["fact_labels.py", "--json"], marks=pytest.mark.long),
    ],
    ids=lambda command: command[0],
)
def test_the_benchmarks_that_are_run_by_hand(checkout: Path, command: list[str]) -> None:
    """Each runs in small and prints one JSON object with figures."""
    script, *arguments = command
    done = subprocess.run(
        [sys.executable, str(checkout / "bench" / script), *arguments],
        env=os.environ | {"MEMD_BENCH_PEERS": "none"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("seconds", [3, pytest.param(30, marks=pytest.mark.long)])
def test_the_load_in_small(checkout: Path, seconds: int) -> None:
    """A daemon under questions, documents and readers that never read makes no error, and its memory stays flat."""
    script = [sys.executable, str(checkout / "bench" / "load.py")]
    command = [*script, "--seconds", str(seconds), "--messages", "300", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout)
    assert found["errors"] == {}
    assert found["memory"]["flat"]
    assert found["steady"]["answered"] + found["steady"]["unsent"] == seconds * 20 // 3
    assert found["burst"]["answered"] + found["burst"]["unsent"] == seconds * 100 // 3
    assert found["readers"]["open"] == 200
    assert found["ingested_messages"] > 0


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.skipif(bool(why_not()), reason=why_not())
def test_weaviate_beside_the_embedded_index_in_small(checkout: Path) -> None:
    """Both find nearly the same, every figure is there, and a question takes no more calls than two rounds have."""
    command = [sys.executable, str(checkout / "bench" / "weaviate_index.py"), "--messages", "400", "--questions", "60"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout)
    assert found["messages"] == 400
    assert all(found[name] > 0 for name in ("objects_per_s", "bare_objects_per_s", "server_mb", "disk_mb"))
    assert 0 <= found["memd_share"] < 1
    assert found["overlap"] >= 0.9
    assert (found["recall"], found["missed"]) == (1.0, 0)
    assert found["calls_per_question"] <= 9


@pytest.fixture
def peers(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """bench/peers.py, imported as its neighbours import it."""
    monkeypatch.setattr(sys, "path", [str(checkout / "bench"), *sys.path])
    monkeypatch.delitem(sys.modules, "peers", raising=False)
    return import_module("peers")


@pytest.mark.slow
def test_a_program_that_fails_is_not_taken_for_a_missing_one(peers: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed program that fails ends the script; only one that is not installed is left out."""

    def environment(_: str) -> Path:
        return Path(sys.executable)

    with monkeypatch.context() as patched:
        patched.setattr(peers, "environment", environment)
        with pytest.raises(SystemExit, match="whatstk failed: ModuleNotFoundError"):
            peers.run_peer("whatstk", "export.txt")
    monkeypatch.setenv("MEMD_BENCH_PEERS", "none")
    with pytest.raises(peers.PeerAbsentError):
        peers.run_peer("whatstk", "export.txt")


def test_a_program_that_reads_less_than_memd_has_no_rate(peers: Any) -> None:
    """A message that the app itself wrote may be missing; anything more ends the script."""
    peers.require_as_many("whatstk", 4_999, 5_000)
    with pytest.raises(SystemExit, match="read 4,900 messages, memd 5,000"):
        peers.require_as_many("whatstk", 4_900, 5_000)


def test_answers_must_be_stored_texts(peers: Any) -> None:
    """Fewer hits than asked for, a hit twice, or a text that nobody added end the comparison with mem0."""
    texts = {"Alice: one", "Alice: two", "Bob: three"}
    peers.require_stored("mem0", [["Alice: one", "Bob: three"], ["Alice: two", "Alice: one"]], texts, 2)
    peers.require_stored("mem0", [sorted(texts)], texts, 5)
    for wrong in ([], ["Alice: one"], ["Alice: one", "Alice: one"], ["Alice: one", "Bob: never added"]):
        with pytest.raises(SystemExit, match="mem0 answered"):
            peers.require_stored("mem0", [["Alice: one", "Bob: three"], wrong], texts, 2)


def test_mem0_can_read_the_files_of_the_default_model() -> None:
    """peer_mem0.py embeds with the default model's network and sentence pieces, which lie where it is told."""
    assert MODELS[NAME].tokenizer.endswith(".model")
    assert (bundled_model() / MODELS[NAME].tokenizer).is_file()
    assert (bundled_model() / "model.onnx").is_file()


def test_the_document_has_a_place_for_the_figures(checkout: Path) -> None:
    """docs/benchmarks.md holds both markers once, in order."""
    text = (checkout / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    assert text.count(BEGIN) == text.count(END) == 1
    assert text.index(BEGIN) < text.index(END)


def test_the_document_tells_of_every_benchmark(checkout: Path) -> None:
    """Whoever reads a figure finds how it was measured: docs/benchmarks.md names each script that `make bench` runs."""
    text = (checkout / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    runner = (checkout / "bench" / "run.py").read_text(encoding="utf-8")
    scripts = [path.name for path in (checkout / "bench").glob("*.py") if f'"{path.name}"' in runner]
    assert len(scripts) >= 9
    assert [name for name in scripts if name not in text] == []
