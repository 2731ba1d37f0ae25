"""`memd eval`: measures how much of the evidence of questions is found, on data sets and memories of its own."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from ..arguments import UsageError, Verbs, absolute, add_verb, whole_number
from ..output import print_json
from ..render.terminal import say

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from ...evaluation.datasets.dataset import Dataset
    from ...evaluation.runner import Plan

_EXAMPLES = """\
  memd eval                                       the small data set that ships with memd
  memd eval --dataset locomo10.json --out ./run   LoCoMo, with a file of all questions and hits
  memd eval --dataset notes.json --compare embedding.enabled=true,false
  memd eval --dataset chats/ --compare ranking=bm25,default --limit 200
  memd eval --diagnose                            answers: by the model of the settings, else the first hit

The memories are made in temporary folders; yours is not touched. With --answers and a model in the settings, questions and
hits of the data set are sent to it.
"""
_FORMS = ("auto", "memd", "locomo", "realtalk", "longmemeval", "beam", "precisionmembench", "chats")
_STRATEGIES = "chunking.texts+chunking.markdown"


def add(verbs: Verbs) -> None:
    """Its arguments."""
    summary = "measure recall and answers on a data set, in memories of its own"
    parser = add_verb(verbs, "eval", summary, _EXAMPLES, (0, 2, 3, 6, 130))
    parser.add_argument("--dataset", metavar="PATH", type=absolute, help="a file or folder; default: memd's own")
    parser.add_argument("--format", choices=_FORMS, default="auto", metavar="FORM", help=", ".join(_FORMS))
    parser.add_argument("--limit", metavar="N", type=whole_number, help="only the first N questions")
    parser.add_argument(
        "--compare",
        action="append",
        default=[],
        metavar="KEY=VALUE,…",
        help="a setting with several values, or ranking=grep,bm25,words,vectors,default,context,precise; repeatable",
    )
    parser.add_argument("--compare-strategies", metavar="A,B,…", help=f"the same as --compare {_STRATEGIES}=A,B,…")
    parser.add_argument("--with-evolution", action="store_true", help="with facts, as facts.extractor=auto")
    parser.add_argument("--without-evolution", action="store_true", help="without facts, which is the default")
    parser.add_argument("--answers", action="store_true", help="also score answers in words")
    parser.add_argument("--diagnose", action="store_true", help="tell misses of retrieval from errors of answers")
    parser.add_argument("--by", choices=("category", "memory"), default="category", help="the rows of the table")
    parser.add_argument("--corrections", metavar="FILE", type=absolute, help="other evidence for LoCoMo's questions")
    parser.add_argument("--out", metavar="FOLDER", type=absolute, help="write questions.jsonl and result.json there")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Measure and print; what an interrupted run has is kept in the folder of --out.

    Raises:
        UsageError: a limit below 1.
        KeyboardInterrupt: a signal ended it.
    """
    if arguments.limit is not None and arguments.limit < 1:
        raise UsageError("--limit must be at least 1")
    from ... import logs
    from ...evaluation.comparison import settings_to_compare
    from ...evaluation.datasets.opening import open_dataset
    from ...evaluation.rankings import DEFAULT, NAMES, USUAL, openers
    from ...evaluation.runner import Plan
    from ..render.evaluation import print_result
    from ..render.log_lines import log_formatter

    logs.configure(arguments.log_level or "error", formatter=log_formatter(arguments))
    dataset = open_dataset(_path(arguments.dataset), arguments.format, _path(arguments.corrections))
    overrides, rankings = settings_to_compare(_comparisons(arguments))
    usual = NAMES if dataset.form == "precisionmembench" else USUAL
    plan = Plan((), openers(rankings or ([DEFAULT] if len(overrides) > 1 else usual)), arguments.limit)
    result = _measured(arguments, dataset, plan, overrides)
    if arguments.json:
        print_json(result)
    else:
        print_result(result, diagnose=arguments.diagnose)
    return 0


def _measured(
    arguments: argparse.Namespace, dataset: Dataset, plan: Plan, overrides: Sequence[Mapping[str, str]]
) -> dict[str, Any]:
    """Return the result of a plan with these variants; the files are written also if a signal or an error ends it."""
    from ... import lifecycle
    from ...evaluation.answers import Answerer
    from ...evaluation.datasets.opening import digest_of
    from ...evaluation.results import ResultFolder, Run, result_of
    from ...evaluation.runner import Outcome
    from ...evaluation.runner import run as run_plan
    from ...evaluation.variants import open_variants
    from ..render.progress import ProgressBar

    outcomes: list[Outcome] = []
    description = Run(dataset, plan, sys.argv, datetime.now(UTC), digest_of(dataset))
    with ResultFolder(_path(arguments.out)) as folder, ProgressBar(quiet=arguments.json) as bar:

        def record(outcome: Outcome) -> None:
            outcomes.append(outcome)
            folder.write(outcome)

        async def measure() -> None:
            nonlocal description
            answers = arguments.answers or arguments.diagnose
            places = {name: getattr(arguments, name) for name in ("config", "data_dir", "socket")}
            async with open_variants(places, overrides, answers=answers) as variants:
                whole = replace(plan, variants=variants, answerer=Answerer() if answers else None)
                description = replace(description, plan=whole)
                await run_plan(dataset, whole, record, bar.show_step)

        complete = False
        try:
            lifecycle.run(measure)
            complete = True
        finally:
            result = result_of(description, outcomes, rows=arguments.by, complete=complete)
            folder.finish(result)
            if not complete and arguments.out and outcomes:
                say(f"stopped after {len(outcomes):,} answers; they are in {arguments.out}")
    return result


def _path(name: str | None) -> Path | None:
    from pathlib import Path

    return None if name is None else Path(name)


def _comparisons(arguments: argparse.Namespace) -> list[str]:
    """Return all comparisons as ``KEY=VALUE,VALUE``."""
    comparisons: list[str] = [*arguments.compare]
    if arguments.compare_strategies:
        comparisons.append(f"{_STRATEGIES}={arguments.compare_strategies}")
    if arguments.with_evolution:
        comparisons.append("facts.extractor=" + ("off,auto" if arguments.without_evolution else "auto"))
    return comparisons
