"""The truth of facts, on conversations and life stories labelled by hand, and the lies of a model that are stored.

    python bench/fact_labels.py [--json] [--errors] [--show] [--only conversations|stories|lies]

Of the held-out files only totals are printed, so that nobody tunes rules to them; ``--show`` prints their cases too, and
whoever uses it to change a rule has to write new ones.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from memd.tests.extraction.fact_scores import FactScore, Report, measure
from memd.tests.extraction.labelled_conversations import DEVELOPMENT, HELD_OUT, conversations
from memd.tests.extraction.life_stories import HELD_OUT_STORIES, STORIES, failed, stories
from memd.tests.extraction.lying_model import proposed, read_all

Figures = dict[str, Any]
Cases = list[str]


def _shares(score: FactScore) -> Figures:
    return {
        "precision": round(score.precision, 4),
        "recall": round(score.recall, 4),
        "right": score.right,
        "wrong": score.wrong,
        "labelled": score.labelled,
    }


def totals(report: Report) -> Figures:
    """Return the figures that may be told of any set."""
    return {
        **_shares(report.whole),
        "wrong attributions": report.misattributed,
        "messages": report.messages,
        "messages with a fact": report.stating,
        "of these answered": report.answered,
        "statements per 100 messages": round(100 * report.made / max(1, report.messages), 2),
    }


def of_conversations(files: tuple[Path, ...], *, whole: bool) -> tuple[Figures, Cases]:
    """Return precision, recall and wrong attributions; with ``whole`` also by language, attribute and trap."""
    report = measure(conversations(files))
    found = totals(report)
    if whole:
        found["by"] = {name: _shares(score) for name, score in sorted(report.parts.items())}
        found["wrong by kind of message"] = dict(report.wrong_by_kind.most_common())
    return found, report.cases


def of_stories(file: Path) -> tuple[Figures, Cases]:
    """Return how many questions are answered right, forwards and backwards."""
    counts, cases = Counter[str](), Cases()
    for story in stories(file):
        said = story.statements()
        wrong = failed(story, said)
        counts["stories"] += 1
        counts["questions"] += len(story.questions)
        counts["right"] += len(story.questions) - len(wrong)
        counts["other in another order"] += failed(story, said[::-1]) != wrong
        cases += [f"wrong    {story.name}: {question.text}" for question in wrong]
    share = counts["right"] / max(1, counts["questions"])
    return {**counts, "other in another order": counts["other in another order"], "share": round(share, 4)}, cases


async def of_lies() -> tuple[Figures, Cases]:
    """Return how many lies are stored, how many true proposals are kept, and by which reasons proposals are refused."""
    counts, cases = Counter[str](), Cases()
    refused: dict[str, Counter[str]] = {"lies refused by": Counter(), "true ones refused by": Counter()}
    for each, extraction in await read_all(proposed()):
        kind = ("true " if each.true else "false ") + ("summaries" if each.fact is None else "facts")
        right = each.right(extraction)
        counts[kind] += 1
        counts[f"{kind} {'kept' if each.true else 'stored'}"] += right == each.true
        refused["true ones refused by" if each.true else "lies refused by"].update(extraction.rejected)
        if not right:
            cases.append(f"{'refused' if each.true else 'stored':8} {each.name}: {each.shown}")
    return {**dict(sorted(counts.items())), **{name: dict(each) for name, each in refused.items()}}, cases


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument("--errors", action="store_true", help="what came out otherwise than labelled, to stderr")
    parser.add_argument("--show", action="store_true", help="with --errors: of the held-out files too")
    parser.add_argument("--only", choices=["conversations", "stories", "lies"], default="")
    chosen = parser.parse_args()
    found: dict[str, tuple[Figures, Cases]] = {}
    if chosen.only in ("", "conversations"):
        found["conversations"] = of_conversations(DEVELOPMENT, whole=True)
        found["conversations, held out"] = of_conversations(HELD_OUT, whole=False)
    if chosen.only in ("", "stories"):
        found["stories"] = of_stories(STORIES)
        found["stories, held out"] = of_stories(HELD_OUT_STORIES)
    if chosen.only in ("", "lies"):
        found["a lying model"] = asyncio.run(of_lies())
    if chosen.errors:
        for name, (_, cases) in found.items():
            if chosen.show or "held out" not in name:
                sys.stderr.writelines(f"{name}: {case}\n" for case in cases)
    if chosen.json:
        print(json.dumps({name: figures for name, (figures, _) in found.items()}, indent=1, ensure_ascii=False))
        return
    for name, (figures, _) in found.items():
        print("\n".join([f"{name}:", *_table(figures)]))


def _table(figures: Figures, indent: str = "  ") -> Iterator[str]:
    """Yield a line a figure, those of parts further in."""
    for key, value in figures.items():
        if not isinstance(value, dict):
            yield f"{indent}{key:32}{value}"
            continue
        parts = cast("Figures", value)
        if "precision" in parts:
            made = parts["right"] + parts["wrong"]
            precision = f"precision {parts['precision']:.3f} ({parts['right']}/{made})"
            yield f"{indent}{key:32}{precision:28}recall {parts['recall']:.3f} ({parts['labelled']})"
        else:
            yield f"{indent}{key}:"
            yield from _table(parts, f"{indent}  ")


if __name__ == "__main__":
    main()
