"""The whole of `make bench`: every script, one after the other, and one table of all figures at the end.

    python bench/run.py [--quick] [--only NAME ...] [--markdown docs/benchmarks.md] [--json FILE]

MEMD_LOCOMO names a folder of LoCoMo conversations (or a file); without it their recall is not measured. With
``--markdown`` the table replaces what stands between the markers in that file. A script that fails is a row that says
so, and the exit code is 1; a figure that is not met does not change the exit code, because machines differ.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import figures
from figures import Found, Row
from machine import description, load

BENCH = Path(__file__).parent
BEGIN = "<!-- figures: written by bench/run.py -->"
END = "<!-- figures end -->"


@dataclass(frozen=True)
class Step:
    """One script, its arguments for the full and the quick run, and the function that makes rows of its figures."""

    name: str
    title: str
    script: str
    full: Sequence[str]
    quick: Sequence[str]
    rows: Callable[[Found], Iterable[Row]]


def steps() -> list[Step]:
    """Return the steps in the order of the table. LoCoMo only where its data is."""
    locomo = os.environ.get("MEMD_LOCOMO")
    made = [
        Step(
            "parse",
            "Reading",
            "parse_whatsapp.py",
            (),
            ("--messages", "5000", "--large", "20000", "--runs", "1"),
            figures.parse,
        ),
        Step("formats", "Reading", "formats.py", (), ("--megabytes", "1", "--runs", "1"), figures.formats),
        Step("embed", "Ingest", "embed.py", (), ("--texts", "200"), figures.embed),
        Step(
            "ingest",
            "Ingest",
            "ingest.py",
            (),
            ("--messages", "300", "--words", "1000", "--rounds", "1", "--again", "2000"),
            figures.ingest,
        ),
        Step(
            "query",
            "Query and start",
            "query.py",
            ("10000", "100000", "1000000"),
            ("500", "2000", "--rounds", "1", "--process-rounds", "3"),
            figures.query,
        ),
        Step(
            "mem0",
            "Beside mem0",
            "against_mem0.py",
            (),
            ("--messages", "300", "--rounds", "1", "--large", "2000"),
            figures.against_mem0,
        ),
        Step("memory", "Memory", "footprint.py", (), ("--messages", "2000", "--more", "200"), figures.footprint),
        Step(
            "store",
            "The store alone, and how it grows",
            "store.py",
            ("--messages", "10000", "100000", "1000000"),
            ("--messages", "1000", "2000"),
            figures.store,
        ),
        Step(
            "budgets",
            "What earlier designs promised",
            "budgets.py",
            (),
            ("100", "2000", "--times", "4"),
            figures.budgets,
        ),
        Step("recall", "Recall", "recall.py", (), ("--half", "dev"), figures.recall),
    ]
    if locomo:
        made.append(Step("locomo", "Recall", "locomo.py", (locomo,), (locomo, "--conversations", "1"), figures.locomo))
        made.append(
            Step(
                "facts", "Recall", "locomo_facts.py", (locomo,), (locomo, "--conversations", "1"), figures.locomo_facts
            )
        )
    return made


def run(step: Step, *, quick: bool, most: int) -> tuple[list[Row], Found | None]:
    """Return the rows of one script; None when it failed."""
    given = [word for word in (step.quick if quick else step.full) if not word.isdigit() or int(word) <= most]
    command = [sys.executable, str(BENCH / step.script), *given, "--json"]
    begin = time.monotonic()
    print(f"{step.name} (load {load():.1f}) …", end="", file=sys.stderr, flush=True)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    print(f" {time.monotonic() - begin:.0f} s", file=sys.stderr)
    if done.stderr:
        print(done.stderr.rstrip(), file=sys.stderr)
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or ["it said nothing"]
        return [Row(step.script, "", f"failed: {last[0]}", met=False)], None
    found: Found = json.loads(done.stdout.splitlines()[-1])
    return list(step.rows(found)), found


def plain(tables: Sequence[tuple[str, list[Row]]]) -> str:
    """Return the table for a terminal."""
    rows = [row for _, part in tables for row in part]
    figure, asked = max(len(row.figure) for row in rows), max(len(row.asked) for row in rows)
    lines: list[str] = []
    for title, part in tables:
        lines += ["", title]
        lines += [f"  {_met(row):4}{row.figure:{figure}}  {row.asked:{asked}}  {row.measured}" for row in part]
    return "\n".join(lines)


def markdown(tables: Sequence[tuple[str, list[Row]]], machine: str) -> str:
    """Return the table for a document."""
    lines = [f"Measured {machine}.", "", "| figure | asked | measured | met |", "|---|---|---|---|"]
    for title, part in tables:
        lines.append(f"| **{title}** | | | |")
        lines += [f"| {row.figure.strip()} | {row.asked} | {row.measured} | {_met(row)} |" for row in part]
    return "\n".join(lines)


def write_markdown(path: Path, block: str) -> None:
    """Put the block between the markers.

    Raises:
        SystemExit: the file has no markers.
    """
    text = path.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        sys.exit(f"{path} has no lines {BEGIN} and {END}")
    path.write_text(f"{before}{BEGIN}\n\n{block}\n\n{END}{after}", encoding="utf-8")


def _met(row: Row) -> str:
    return {True: "yes", False: "no", None: ""}[row.met]


def main() -> None:
    """Run all, print the table."""
    made = steps()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small sizes: whether it runs, no figures to quote")
    parser.add_argument("--only", nargs="+", choices=[step.name for step in made], help="some of the scripts")
    parser.add_argument("--most", type=int, default=1_000_000, metavar="N", help="leave out larger stores than this")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the table between the markers there")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what each script found")
    options = parser.parse_args()
    machine = description() + (", quick run" if options.quick else "")
    tables: dict[str, list[Row]] = {}
    all_found: dict[str, Found | None] = {}
    for step in made:
        if options.only and step.name not in options.only:
            continue
        rows, all_found[step.name] = run(step, quick=options.quick, most=options.most)
        tables.setdefault(step.title, []).extend(rows)
    print(f"{plain(list(tables.items()))}\n\n{machine}")
    if options.markdown:
        write_markdown(options.markdown, markdown(list(tables.items()), machine))
    if options.json:
        options.json.write_text(json.dumps({"machine": machine, **all_found}, indent=1), encoding="utf-8")
    sys.exit(1 if None in all_found.values() else 0)


if __name__ == "__main__":
    main()
