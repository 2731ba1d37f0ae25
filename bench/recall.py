"""Recall on the labelled chats of tests/retrieval, by language: words alone, vectors alone, and the default ranking.

Each language has a memory of its own; ``all in one`` asks the same questions of one that holds all five. Rows named
``cross xx`` are questions in the other languages about the chats of ``xx``. The questions that weights were set by
(``dev``) and the others (``held-out``) have rows of their own; ``--half`` asks one of the halves alone. The same figures, and
more: ``memd eval --dataset tests/retrieval/chats --by memory``.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import orjson

from memd.daemon.evaluation.datasets.dataset import Scope
from memd.daemon.evaluation.datasets.labelled_chats import CROSS, HALVES, read_labelled_chats
from memd.daemon.evaluation.datasets.opening import open_dataset
from memd.daemon.evaluation.rankings import DEFAULT, openers
from memd.daemon.evaluation.runner import Outcome, Plan, Variant, run
from memd.daemon.evaluation.summary import Row, Rows, table
from memd.daemon.evaluation.variants import settings_of
from memd.tests.retrieval.labelled import FOLDER, LANGUAGES

DEPTHS = (1, 5, 10)
RANKINGS = ("words alone", "vectors alone", DEFAULT)


def measured(half: str = "both") -> list[Outcome]:
    """Ask all languages, each alone and all in one."""
    dataset = replace(open_dataset(FOLDER), scopes=lambda: _scopes(half))
    outcomes: list[Outcome] = []
    plan = Plan([Variant("", settings_of({}, {}))], openers(RANKINGS))
    asyncio.run(run(dataset, plan, outcomes.append))
    return outcomes


def _scopes(half: str) -> Iterator[Scope]:
    for scope in read_labelled_chats(FOLDER, LANGUAGES):
        yield replace(
            scope, questions=[each for each in scope.questions if half == "both" or each.group.endswith(half)]
        )


def name_of(row: Row) -> str:
    """Return the name of a row: the language, after ``cross`` where questions are in others."""
    return f"{CROSS} {row.name}" if row.group.startswith(CROSS) and row.name != CROSS else row.name


def main() -> None:
    """Print the table, or one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", choices=["both", *HALVES], default="both")
    parser.add_argument("--kinds", action="store_true", help="a row for each kind of question instead of each language")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    by: Rows = "category" if options.kinds else "memory"
    rows = list(table(measured(options.half), by))
    if options.json:
        print(orjson.dumps({"rows": [_to_wire(row) for row in rows]}).decode())
        return
    print(f"{'ranking':15}{'questions':18}{'half':10}{'n':>5}" + "".join(f"{'R@' + str(d):>8}" for d in DEPTHS))
    for row in rows:
        wire = _to_wire(row)
        values = "".join(f"{100 * value:8.1f}" for value in wire["recall"].values())
        print(f"{row.ranking:15}{wire['language']:18}{wire['half']:10}{row.questions:>5}{values}")


def _to_wire(row: Row) -> dict[str, Any]:
    return {
        "ranking": row.ranking,
        "language": name_of(row),
        "half": row.group.removeprefix(CROSS).strip(),
        "questions": row.questions,
        "recall": {str(depth): row.figures[f"recall@{depth}"] for depth in DEPTHS},
    }


if __name__ == "__main__":
    main()
