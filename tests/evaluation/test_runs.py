"""Runs: `memd eval` from the data set to the files, by words alone where nothing else is asked."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from memd.daemon.cli import main
from memd.daemon.evaluation.baselines import Grep, Unit
from memd.daemon.evaluation.comparison import interval, settings_to_compare
from memd.daemon.evaluation.datasets.dataset import Question
from memd.schemas.errors import ConfigError
from memd.tests.evaluation.forms import BELIEFS, CASES, CHAT, ENTRIES, write
from memd.tests.openai_server.chat import prompt_of
from memd.tests.openai_server.server import CHAT as CHAT_PATH
from memd.tests.openai_server.server import Server


@pytest.fixture(autouse=True)
def by_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No model is loaded, and every path is in a temporary folder."""
    monkeypatch.setenv("MEMD_EMBEDDING_ENABLED", "false")
    for name in ("MEMD_DATA_DIR", "MEMD_CONFIG", "MEMD_SOCKET"):
        monkeypatch.setenv(name, str(tmp_path / "own" / name))
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "MEMD_CONFIG").touch()


def evaluated(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    """The result of a command line."""
    assert main([*words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def row_of(result: Mapping[str, Any], ranking: str, name: str = "all", variant: str = "") -> dict[str, Any]:
    """The row of a ranking."""
    rows = [row for row in result["rows"] if (row["ranking"], row["name"], row["variant"]) == (ranking, name, variant)]
    (row,) = rows
    return row


@pytest.mark.slow
def test_a_run_says_what_was_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The result names data, settings and command; a line for each question has its hits; the user's memory is not made."""
    file = write(tmp_path / "own.json", ENTRIES)
    out = tmp_path / "out"
    result = evaluated(capsys, "eval", "--dataset", str(file), "--out", str(out))
    assert json.loads((out / "result.json").read_bytes()) == result
    lines = [json.loads(line) for line in (out / "questions.jsonl").read_bytes().splitlines()]
    assert len(lines) == 4 * 6
    assert result["complete"]
    assert result["dataset"]["format"] == "memd"
    assert result["variants"][0]["settings"] == {"embedding.enabled": False, "facts.extractor": "off"}
    for ranking in ("grep", "bm25", "words alone", "default", "with context"):
        row = row_of(result, ranking)
        assert row["figures"]["recall@1"] == 1, ranking
        assert (row["questions"], row["with_evidence"]) == (4, 3)
    hits = {line["question"]: line["hits"] for line in lines if line["ranking"] == "default"}
    assert hits["When does the ferry leave?"][0] == "m1"
    assert not (tmp_path / "own" / "MEMD_DATA_DIR").exists()


@pytest.mark.slow
def test_the_same_run_gives_the_same_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """To the last digit, intervals too."""
    file = str(write(tmp_path / "conv.json", CHAT))
    first, second = (evaluated(capsys, "eval", "--dataset", file) for _ in range(2))
    assert (first["rows"], first["differences"]) == (second["rows"], second["differences"])
    assert first["dataset"]["left_out"] == {"questions without evidence in the chat": 2}


@pytest.mark.slow
def test_a_hit_counts_with_its_context(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Evidence beside a hit is found by the ranking with context alone."""
    qa = [{"question": "kiln?", "answer": "", "evidence": ["D1:2"], "category": 4}]
    file = write(tmp_path / "conv.json", {**CHAT, "qa": qa})
    result = evaluated(capsys, "eval", "--dataset", str(file), "--compare", "ranking=words,context")
    assert row_of(result, "words alone")["figures"]["recall@1"] == 0
    assert row_of(result, "with context")["figures"]["recall@1"] == 1
    (difference,) = [each for each in result["differences"] if each["figure"] == "recall@10"]
    assert (difference["base"], difference["contender"], difference["questions"]) == ("words alone", "with context", 1)


@pytest.mark.slow
def test_settings_are_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each variant has its rows and its settings; differences are to the first, question by question."""
    file = write(tmp_path / "own.json", ENTRIES)
    result = evaluated(
        capsys, "eval", "--dataset", str(file), "--with-evolution", "--without-evolution", "--limit", "2"
    )
    names = ["facts.extractor=off", "facts.extractor=auto"]
    assert [variant["name"] for variant in result["variants"]] == names
    assert all(row_of(result, "default", variant=name)["questions"] == 2 for name in names)
    assert {each["contender"] for each in result["differences"]} == {names[1]}
    assert all(each["low"] <= each["mean"] <= each["high"] for each in result["differences"])


@pytest.mark.parametrize(
    "words",
    [
        ("--compare", "no.such_setting=1,2"),
        ("--compare", "embedding.enabled=perhaps"),
        ("--compare", "ranking=best"),
        ("--compare", "embedding.enabled"),
        ("--limit", "0"),
    ],
)
def test_a_wrong_comparison_is_refused(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    """With what is wrong about it, before anything is measured."""
    assert main(["eval", *words]) == 2
    assert capsys.readouterr().err.startswith("memd: ")


@pytest.mark.slow
def test_rows_are_of_memories(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With corrected evidence, in the form that was named: each conversation has a row, and the answers figures."""
    other = {**CHAT, "sample_id": "conv-2"}
    file = str(write(tmp_path / "conv.json", [CHAT, other]))
    corrections = str(write(tmp_path / "new.json", {"conv-2": {"Where is the kiln?": ["D2:1"]}}))
    words = (
        "eval",
        "--dataset",
        file,
        "--format",
        "locomo",
        "--corrections",
        corrections,
        "--by",
        "memory",
        "--answers",
    )
    result = evaluated(capsys, *words, "--compare", "ranking=default")
    first, second = (row_of(result, "default", name)["figures"]["recall@1"] for name in ("conv-1", "conv-2"))
    assert first > second
    assert row_of(result, "default")["figures"]["f1_locomo"] > 0


@pytest.mark.slow
def test_strategies_of_chunks_are_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """For texts and for Markdown at once."""
    file = str(write(tmp_path / "own.json", ENTRIES))
    result = evaluated(capsys, "eval", "--dataset", file, "--compare-strategies", "headers,sentences")
    strategies = [variant["settings"] for variant in result["variants"]]
    assert [each.get("chunking.texts") for each in strategies] == ["headers", "sentences"]
    assert [each.get("chunking.markdown", "headers") for each in strategies] == ["headers", "sentences"]


def test_several_comparisons_are_combined() -> None:
    """Each value of one with each of the other; too many are refused."""
    variants, rankings = settings_to_compare(["a.b=1,2", "c.d=x,y", "ranking=grep,vectors"])
    assert len(variants) == 4
    assert {"a.b": "2", "c.d": "x"} in variants
    assert rankings == ["grep", "vectors alone"]
    with pytest.raises(ConfigError):
        settings_to_compare(["a.b=" + ",".join(map(str, range(17)))])


def test_an_interval_holds_the_mean() -> None:
    """It is narrow where all agree, wide where few questions differ, and always the same."""
    assert interval([0.5] * 10) == (0.5, 0.5)
    low, high = interval([0.0, 1.0] * 20)
    assert 0.3 < low < 0.5 < high < 0.7
    assert interval([0.0, 1.0] * 20) == (low, high)


@pytest.mark.slow
def test_an_interrupted_run_keeps_what_it_has(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C ends it in order: the lines so far and a result that says that it is not complete; no folder stays."""
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    monkeypatch.setattr("tempfile.tempdir", None)
    (tmp_path / "temporary").mkdir()

    def interrupting(_: Grep, question: Question, __: int) -> list[Unit]:
        if question.id == "1":
            os.kill(os.getpid(), signal.SIGINT)
        return []

    monkeypatch.setattr(Grep, "rank", interrupting)
    out = tmp_path / "out"
    assert main(["eval", "--dataset", str(write(tmp_path / "own.json", ENTRIES)), "--out", str(out)]) == 130
    result = json.loads((out / "result.json").read_bytes())
    lines = (out / "questions.jsonl").read_bytes().splitlines()
    assert not result["complete"]
    assert 6 <= len(lines) < 24
    assert result["rows"]
    assert list((tmp_path / "temporary").iterdir()) == []
    capsys.readouterr()


@pytest.mark.slow
def test_a_run_that_measured_nothing_keeps_the_former_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A wrong word on the command line costs no results; the first line of the next run replaces all of them."""
    file, out = str(write(tmp_path / "own.json", ENTRIES)), tmp_path / "out"
    evaluated(capsys, "eval", "--dataset", file, "--out", str(out), "--compare", "ranking=grep,bm25")
    former = {path.name: path.read_bytes() for path in out.iterdir()}
    assert main(["eval", "--dataset", file, "--out", str(out), "--compare", "embeding.model=a,b"]) == 2
    assert {path.name: path.read_bytes() for path in out.iterdir()} == former
    evaluated(capsys, "eval", "--dataset", file, "--out", str(out), "--compare", "ranking=grep")
    assert len((out / "questions.jsonl").read_bytes().splitlines()) == len(ENTRIES["qa"])


@pytest.mark.slow
def test_what_must_not_come_back_is_scored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Within its scope, without pinned beliefs; a person reads how many active passes there are."""
    write(tmp_path / "set" / "beliefs.seed.json", BELIEFS)
    write(tmp_path / "set" / "retrieval.cases.json", CASES)
    words = ("eval", "--dataset", str(tmp_path / "set"), "--compare", "ranking=grep")
    row = row_of(evaluated(capsys, *words), "grep")
    assert row["active_passes"] == [2, 2]
    assert (row["figures"]["passed"], row["figures"]["precision"]) == (1, pytest.approx(2 / 3))
    assert main(words) == 0
    assert "2 of 2 active passes" in capsys.readouterr().out


@pytest.mark.slow
def test_the_first_hit_is_a_baseline_of_answers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without a model its text is the answer, and says so; wrong answers are told apart."""
    file = write(tmp_path / "own.json", ENTRIES)
    result = evaluated(capsys, "eval", "--dataset", str(file), "--diagnose", "--compare", "ranking=default")
    assert result["variants"][0]["answers"] == "first hit"
    assert sum(result["diagnosis"][""]["all"].values()) == 4
    assert main(["eval", "--dataset", str(file), "--diagnose"]) == 0
    assert "no model answers" in capsys.readouterr().out


@pytest.mark.slow
def test_a_model_answers(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """It is shown hits and question, never the answer of the data set; abstention is right where nothing is there, a miss
    is one of retrieval, and a wrong answer beside its evidence an error of the answer.
    """

    def script(request: Mapping[str, Any]) -> dict[str, Any]:
        prompt = prompt_of(request)
        if "Where is the kiln?" in prompt:
            line = next(each for each in prompt.splitlines() if "kiln arrived" in each)
            number = int("".join(letter for letter in line.partition("|")[0] if letter.isdigit()))
            return {"found": True, "sentences": [{"text": "The kiln arrived in Malmö.", "lines": [number]}]}
        return {"found": False, "sentences": []}

    monkeypatch.delenv("MEMD_EMBEDDING_ENABLED")
    monkeypatch.setenv("MEMD_LLM_MODEL", "tiny")
    qa = [
        {"question": "Where is the kiln?", "answer": "in Malmö", "evidence": ["D1:1"], "category": 4},
        {"question": "How many boats?", "answer": "eleven-gold", "evidence": ["D1:2"], "category": 1},
        {"question": "Whose cat is it?", "adversarial_answer": "secret-gold", "evidence": ["D1:3"], "category": 5},
    ]
    file = write(tmp_path / "conv.json", {**CHAT, "qa": qa})
    with Server(script=script) as server:
        monkeypatch.setenv("MEMD_LLM_BASE_URL", server.base_url)
        result = evaluated(capsys, "eval", "--dataset", str(file), "--diagnose", "--compare", "ranking=default")
        bodies = [json.dumps(request.body) for request in server.requests if request.path == CHAT_PATH]
    assert len(bodies) == 3
    assert not any("gold" in body for body in bodies)
    assert result["variants"][0]["answers"] == "model"
    assert row_of(result, "default", "adversarial")["figures"]["abstained"] == 1
    assert row_of(result, "default", "single-hop")["figures"]["f1"] > 0.5
    assert result["diagnosis"][""]["all"] == {"right": 2, "retrieval miss": 0, "answer error": 1}
