"""mem0 beside the rankings of memd, on any data set that `memd eval` reads: evidence recall in one run.

    python bench/recall_mem0.py tests/retrieval/chats --limit 60

mem0 runs as in bench/against_mem0.py, with the same texts and the same model, and keeps every text as it is. It knows no
filters by chat, so questions of one chat are asked of all. Where it is not installed, its row is missing.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import orjson
from against_mem0 import peer
from locomo import lines_of, rows_to_wire
from peers import environment

from memd.daemon.evaluation.baselines import units_of
from memd.daemon.evaluation.datasets.dataset import Question, Scope
from memd.daemon.evaluation.datasets.opening import open_dataset
from memd.daemon.evaluation.rankings import DEFAULT, Found, Opener, Ranked, Ranker, openers
from memd.daemon.evaluation.runner import Outcome, Plan, Variant, run
from memd.daemon.evaluation.summary import table
from memd.daemon.evaluation.variants import settings_of
from memd.memory.memory import EvolvingMemory

RANKINGS = ("grep", "bm25", "vectors alone", DEFAULT)


async def open_mem0(memory: EvolvingMemory, scope: Scope) -> Ranker:
    """Let mem0 add the texts of a scope and answer all of its questions; return a ranker that looks them up."""
    ids: dict[str, set[str]] = defaultdict(set)
    for unit in await units_of(scope, memory):
        ids[unit.searched] |= unit.ids
    questions = list(dict.fromkeys(question.text for question in scope.questions))

    def measure() -> list[list[str]]:
        with TemporaryDirectory(prefix="memd-bench-") as folder:
            peer("add", Path(folder), list(ids))
            return peer("ask", Path(folder), questions, limit=50)["hits"]

    answers = dict(zip(questions, await asyncio.to_thread(measure), strict=True))

    async def rank(question: Question, limit: int) -> Ranked:
        return Ranked([Found(frozenset(ids[text]), text, "") for text in answers[question.text][:limit]])

    return rank


def main() -> None:
    """Print the table, or one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path, nargs="?", help="of the data set; default: memd's own")
    parser.add_argument("--limit", type=int, help="only the first N questions")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rankings: dict[str, Opener] = openers(RANKINGS)
    if environment("mem0") is None:
        print("mem0 is not installed: its row is missing", file=sys.stderr)
    else:
        rankings["mem0"] = open_mem0
    # A question without evidence has no recall, and mem0 says nothing else about it.
    dataset = open_dataset(options.path)
    scopes = (replace(each, questions=[q for q in each.questions if q.wanted]) for each in dataset.scopes())
    outcomes: list[Outcome] = []
    plan = Plan([Variant("", settings_of({}, {}))], rankings, options.limit)
    asyncio.run(run(replace(dataset, scopes=lambda: scopes), plan, outcomes.append))
    rows = list(table(outcomes, "memory"))
    print(orjson.dumps({"rows": rows_to_wire(rows)}).decode() if options.json else "\n".join(lines_of(rows)))


if __name__ == "__main__":
    main()
