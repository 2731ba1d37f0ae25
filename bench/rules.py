"""Precision and recall of the rules, on the labelled lines of tests/extraction/lines.jsonl.

    python bench/rules.py [--json] [--half seen|unseen] [--errors]

The patterns were written looking at every second line only (``seen``); the others tell how they do on new ones. A
statement is right when attribute, value, subject, negation and both dates are as labelled, and nothing is where the label
has nothing.
"""

from __future__ import annotations

import argparse
import json
import uuid
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from memd.memory.extraction.rules.engine import RulesExtractor
from memd.memory.extraction.rules.version import VERSION
from memd.memory.extraction.statement import Statement
from memd.memory.extraction.window import Line, Window
from memd.memory.facts.value_similarity import normalized_value

LINES = Path(__file__).resolve().parent.parent / "tests" / "extraction" / "lines.jsonl"
SPEAKER = "Dana Reyes"
SAID = datetime.fromisoformat("2024-07-10T14:30:00+02:00")
"""The time when every line was said, a Wednesday."""

Told = tuple[str, str, str, bool, str, str]
"""A statement, comparable: attribute, value's terms, subject, negated, first day, day of the end."""


@dataclass
class Score:
    """Counts of right statements, of all that were made, and of all that are labelled."""

    right: int = 0
    made: int = 0
    labelled: int = 0
    errors: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    @property
    def precision(self) -> float:
        """Return the share of the statements made that are right; 1 when none was made."""
        return self.right / self.made if self.made else 1.0

    @property
    def recall(self) -> float:
        """Return the share of the labelled statements that were made."""
        return self.right / self.labelled if self.labelled else 1.0


def window_of(text: str) -> Window:
    """Return a window of that one message."""
    key = uuid.uuid5(uuid.NAMESPACE_OID, text)
    line = Line(1, key, "m1", SPEAKER, text, SAID)
    return Window(key, "bench:1", "bench", "", SPEAKER, (SPEAKER,), (line,))


def expected(labels: list[dict[str, Any]]) -> set[Told]:
    """Return the labels of a line, comparable."""
    return {
        (
            label["attribute"],
            normalized_value(label["value"]),
            f"{SPEAKER}'s {label['subject']}" if "subject" in label else SPEAKER,
            label.get("negated", False),
            label.get("from", ""),
            f"{SAID:%Y-%m-%d}" if label.get("to") == "said" else label.get("to", ""),
        )
        for label in labels
    }


def told(statement: Statement) -> Told:
    """Return a statement, comparable."""
    begin, end = statement.valid_from, statement.valid_to
    return (
        statement.attribute,
        normalized_value(statement.value),
        statement.subject,
        statement.negated,
        f"{begin:%Y-%m-%d}" if begin else "",
        f"{end:%Y-%m-%d}" if end else "",
    )


def measure(half: str = "") -> tuple[Score, dict[str, Score]]:
    """Return the scores, all together, and by attribute and language (``lang:de``)."""
    rows = [json.loads(row) for row in LINES.read_text(encoding="utf-8").splitlines()]
    chosen = {"": rows, "seen": rows[::2], "unseen": rows[1::2]}[half]
    extractor = RulesExtractor()
    whole, parts = Score(), Counter[str]()
    by: dict[str, Score] = {}
    for row in chosen:
        want = expected(row["expect"])
        got = {told(statement) for statement in extractor.read(window_of(row["text"])).statements}
        language = by.setdefault(f"lang:{row['lang']}", Score())
        for score in (whole, language):
            score.right += len(want & got)
            score.made += len(got)
            score.labelled += len(want)
        for attribute in {each[0] for each in want | got}:
            score = by.setdefault(attribute, Score())
            score.right += sum(each[0] == attribute for each in want & got)
            score.made += sum(each[0] == attribute for each in got)
            score.labelled += sum(each[0] == attribute for each in want)
        parts["lines"] += 1
        if want != got:
            whole.errors.append({"text": row["text"], "missing": sorted(want - got), "wrong": sorted(got - want)})
    return whole, dict(sorted(by.items()))


def _figures(score: Score) -> dict[str, Any]:
    return {
        "precision": round(score.precision, 4),
        "recall": round(score.recall, 4),
        "right": score.right,
        "made": score.made,
        "labelled": score.labelled,
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--half", choices=["seen", "unseen"], default="")
    parser.add_argument("--errors", action="store_true", help="the lines that came out otherwise than labelled")
    options = parser.parse_args()
    whole, by = measure(options.half)
    halves = {half: _figures(measure(half)[0]) for half in ("seen", "unseen")}
    if options.json:
        figures = {
            "version": VERSION,
            "all": _figures(whole),
            **halves,
            "by": {name: _figures(by[name]) for name in by},
        }
        print(json.dumps(figures, indent=1))
    else:
        rows = {"all": _figures(whole), **halves, **{name: _figures(score) for name, score in by.items()}}
        for name, row in rows.items():
            print(
                f"{name:16} precision {row['precision']:.3f} ({row['right']}/{row['made']})  recall {row['recall']:.3f} ({row['labelled']})"
            )
    if options.errors:
        for error in whole.errors:
            print(json.dumps(error, ensure_ascii=False))


if __name__ == "__main__":
    main()
