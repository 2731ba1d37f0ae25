"""The share of facts retired wrongly or kept too long, on labelled statements: with rules alone and with a judge."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping

import orjson

from memd.memory.facts.clusters import Judge
from memd.tests.facts.labelled import Case, cases, counted, failures, mistaken, outcome, scripted

JUDGES: Mapping[str, Callable[[Case], Judge] | None] = {
    "rules alone": None,
    "with a judge": scripted,
    "with a judge wrong once in ten": mistaken,
}


def main() -> None:
    """Print the shares, and with ``--failures`` each case of the tuned half that came out otherwise than labelled."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument(
        "--failures", action="store_true", help="name what came out otherwise; never of the held-out half"
    )
    chosen = parser.parse_args()
    labelled = list(cases())
    found: dict[str, dict[str, dict[str, float]]] = {}
    for name, judge in JUDGES.items():
        outcomes = [outcome(case, judge) for case in labelled]
        found[name] = {
            "all": counted(outcomes),
            "tuned half": counted(each for each in outcomes if not each.case.held_out),
            "held-out half": counted(each for each in outcomes if each.case.held_out),
        }
        if chosen.failures:
            for each in failures([each for each in outcomes if not each.case.held_out]):
                said = " / ".join(statement.content for statement in each.case.statements)
                print(f"{name}: {each.case.name}: {said} {each.statuses}", file=sys.stderr)
    if chosen.json:
        print(orjson.dumps(found, option=orjson.OPT_INDENT_2).decode())
        return
    print(f"{'':32}{'half':16}{'retired wrongly':>16}{'kept too long':>16}{'questions':>11}")
    for name, halves in found.items():
        for half, shares in halves.items():
            numbers = (
                f"{shares['wrong_retirements']:16.1%}{shares['missed_supersessions']:16.1%}{shares['questions']:11.0f}"
            )
            print(f"{name:32}{half:16}{numbers}")


if __name__ == "__main__":
    main()
