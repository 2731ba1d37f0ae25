"""The result of an evaluation as tables for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .terminal import clean, counted, print_told, width_of

_COLUMNS: Mapping[str, str] = {
    "recall@1": "R@1",
    "recall@5": "R@5",
    "recall@10": "R@10",
    "recall@25": "R@25",
    "recall@50": "R@50",
    "hit@10": "hit@10",
    "mrr": "MRR",
    "ndcg@10": "nDCG@10",
    "said_weak": "weak",
}
_PRECISION: Mapping[str, str] = {"passed": "passed", "precision": "precision"}
_ANSWERS: Mapping[str, str] = {
    "exact_match": "EM",
    "f1": "F1",
    "f1_locomo": "F1 LoCoMo",
    "f1_set": "F1 set",
    "rouge_1": "ROUGE-1",
    "rouge_2": "ROUGE-2",
    "rouge_l": "ROUGE-L",
    "bleu_1": "BLEU-1",
    "bleu_4": "BLEU-4",
    "meteor": "METEOR",
    "bertscore": "BERTScore",
    "sbert": "SBERT",
    "abstained": "abstained",
}
_NAMES = ("variant", "ranking", "name", "group")


def print_result(result: Mapping[str, Any], *, diagnose: bool) -> None:
    """Print the tables of a result: rankings, what must not come back, answers, differences, causes."""
    dataset: Mapping[str, Any] = result["dataset"]
    print_told(
        f"{clean(dataset['name'])} ({dataset['format']}), sha256 {dataset['sha256'][:12]}, memd {result['memd']}"
    )
    for reason, count in dataset["left_out"].items():
        print_told(f"{count:,} {reason}")
    rows: Sequence[Mapping[str, Any]] = result["rows"]
    if not rows:
        print_told("no questions were asked")
        return
    _print_table(rows, _COLUMNS, "with_evidence")
    _print_table(rows, _PRECISION)
    _print_table(rows, _ANSWERS)
    sources = dict.fromkeys(each["answers"] for each in result["variants"] if each["answers"])
    if sources:
        words = {"first hit": "the text of the first hit: a baseline, no model answers", "model": "the model's"}
        print_told(f"answers: {'; '.join(words[source] for source in sources)}")
    _print_differences(result["differences"])
    if diagnose:
        _print_diagnosis(result["diagnosis"])


def _print_table(rows: Sequence[Mapping[str, Any]], columns: Mapping[str, str], count: str = "questions") -> None:
    """Print the columns that any row has, in percent."""
    some = [row for row in rows if any(name in row["figures"] for name in columns)]
    shown = [name for name in columns if any(name in row["figures"] for row in some)]
    if not shown:
        return
    labels = [name for name in _NAMES if any(row[name] for row in some)]
    head = ["" if label == "name" else label for label in labels]
    lines = [[*head, "n", *(columns[name] for name in shown)]]
    for row in some:
        figures: Mapping[str, float] = row["figures"]
        values = [f"{100 * figures[name]:.1f}" if name in figures else "" for name in shown]
        lines.append([*(clean(row[label]) for label in labels), f"{row[count]:,}", *values])
    print()
    _print_lines(lines, len(labels))
    if "passed" in shown:
        for row in some:
            if row["active_passes"] and row["name"] == "all":
                right, total = row["active_passes"]
                print_told(f"{clean(row['ranking'])}: {right} of {total} active passes, those with evidence to return")


def _print_differences(differences: Sequence[Mapping[str, Any]]) -> None:
    if not differences:
        return
    base = clean(differences[0]["base"])
    lines = [[f"against {base}", "", "n", "points", "95 % of resamples"]]
    for each in differences:
        span = f"{100 * each['low']:+.1f} … {100 * each['high']:+.1f}"
        name = clean(each["contender"])
        lines.append([name, each["figure"], f"{each['questions']:,}", f"{100 * each['mean']:+.1f}", span])
    print()
    _print_lines(lines, 2)


def _print_diagnosis(diagnosis: Mapping[str, Mapping[str, Mapping[str, int]]]) -> None:
    for variant, by_category in diagnosis.items():
        if by_category:
            causes = list(next(iter(by_category.values())))
            lines = [[clean(variant), *causes]]
            lines += [
                [clean(name), *(f"{counts[cause]:,}" for cause in causes)] for name, counts in by_category.items()
            ]
            print()
            _print_lines(lines, 1)
            wrong = sum(by_category["all"][cause] for cause in causes[1:])
            missed = by_category["all"]["retrieval miss"]
            print_told(f"of {counted(wrong, 'wrong answer')}, {missed:,} had no evidence among the hits")


def _print_lines(lines: Sequence[Sequence[str]], left: int) -> None:
    """Print columns; the first ones aligned to the left, the others to the right."""
    widths = [max(width_of(line[column]) for line in lines) for column in range(len(lines[0]))]
    for line in lines:
        cells = [
            cell + " " * (widths[column] - width_of(cell))
            if column < left
            else " " * (widths[column] - width_of(cell)) + cell
            for column, cell in enumerate(line)
        ]
        print("  ".join(cells).rstrip())
