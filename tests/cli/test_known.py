"""Which facts `memd query` shows above the hits, under which heading, in how many lines."""

from __future__ import annotations

import io
from typing import Any

import pytest

from memd.daemon.cli import main
from memd.daemon.cli.commands import query
from memd.daemon.cli.render.facts import fact_lines, grouped_fact_lines
from memd.daemon.cli.render.terminal import width_of

FACT: dict[str, Any] = {
    "id": "8f6d5c1a-0000-5000-8000-000000000001",
    "content": "Bob lives in Porto.",
    "subject": "Bob",
    "attribute": "home",
    "value": "Porto",
    "speaker": "Bob",
    "observed_at": "2024-01-15T12:00:00Z",
    "evidence": [
        {"document_id": "d", "message_id": "m", "quote": "I live in Porto, right behind the old harbour and the market"}
    ],
}


@pytest.mark.parametrize(
    ("weak", "flags", "shown"),
    [(False, [], True), (True, [], False), (True, ["--superseded"], True), (True, ["--as-of", "2024-02-01"], True)],
)
def test_nothing_is_known_where_nothing_matches_well(
    weak: bool, flags: list[str], shown: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A fact shown first would look like the answer, unless facts were asked for."""
    answer: dict[str, Any] = {"query": "x", "took_ms": 1.0, "weak": weak, "degraded": [], "hits": [], "facts": [FACT]}

    def answered(*_: object) -> dict[str, Any]:
        return answer

    def not_empty(*_: object) -> bool:
        return False

    monkeypatch.setattr(query, "request", answered)
    monkeypatch.setattr(query, "_is_empty", not_empty)
    assert main(["query", "where does Bob live?", *flags]) in (0, 1)
    assert ("Bob lives in Porto." in capsys.readouterr().out) == shown


def test_what_was_said_once_stands_apart_from_what_is_known() -> None:
    """A fact of a model, or of two days, is known; one that rules read once is what somebody said."""
    once = FACT | {"content": "Ann lives in Rome.", "subject": "Ann"}
    lines = list(grouped_fact_lines([once, FACT | {"confirmed": True}], of="as of 2024-02-01"))
    assert [line for line in lines if line[0] != " "] == [
        "known as of 2024-02-01:",
        "Bob lives in Porto.",
        "said as of 2024-02-01:",
        "Ann lives in Rome.",
    ]
    assert next(grouped_fact_lines([once])) == "said:"


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_a_fact_takes_two_lines(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sentence, then the quote with who said it and when; what does not fit is cut after a word."""
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("NO_COLOR", "1")
    terminal = io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    fact = FACT | {"valid_from": "2019-05-01T00:00:00Z"}
    sentence, quote = fact_lines(fact, stream=terminal)
    assert sentence == "Bob lives in Porto. (since 2019-05-01)"
    assert quote.endswith("” — Bob, 2024-01-15")
    assert len(quote) <= columns
    words = quote.partition("“")[2].partition("”")[0]
    whole = FACT["evidence"][0]["quote"]
    assert words == whole or (words.endswith("…") and f"{whole} ".startswith(f"{words[:-1]} "))
    with_id = list(fact_lines(fact, ids=True, stream=terminal))
    assert len(with_id) == 2
    assert with_id[1].endswith(" — Bob, 2024-01-15 · 8f6d5c1a")


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("columns", [60, 80, 120])
@pytest.mark.parametrize("ids", [False, True])
@pytest.mark.parametrize(
    "speaker", ["Bob", "Maximilian of the very long family name, the third", "\U0001f600" * 60, ""]
)
@pytest.mark.parametrize("quote", ["I live in Porto", "word " * 1_000, "x" * 5_000, "\u732b" * 80, "a\x1b[31m\u202eb"])
def test_a_fact_takes_two_lines_of_a_narrow_terminal(
    columns: int, ids: bool, speaker: str, quote: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever was said on two days, and by whom: no line is broken by the terminal."""
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("TERM", "dumb")
    more = {"speaker": speaker, "evidence": [{"quote": quote}], "content": "Bob lives\nin Porto."}
    lines = list(fact_lines(FACT | more | {"first_observed_at": "2024-01-14T12:00:00Z"}, ids=ids, stream=_Terminal()))
    assert len(lines) == 2
    assert max(map(width_of, lines)) <= columns
    assert ("8f6d5c1a" in lines[1]) == ids
    assert "2024-01-15" in lines[1]


def test_a_sentence_without_a_subject_names_it() -> None:
    """A name that stands inside another word is not named."""
    told = FACT | {"content": "likes planning", "subject": "Ann"}
    assert next(fact_lines(told)) == "Ann: likes planning"
    assert next(fact_lines(told | {"content": "Ann's plan"})) == "Ann's plan"
