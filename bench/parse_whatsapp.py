"""How fast a WhatsApp export becomes validated documents, and in how much memory, beside whatstk on the same file.

Each run is a process of its own, one after the other, so that peak memory (``ru_maxrss``) is its own too. Imports are
not part of the rate, but of the memory.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
from datetime import datetime, timedelta
from pathlib import Path

WORDS = [
    "so",
    "when",
    "are",
    "we",
    "meeting",
    "tomorrow",
    "I",
    "thought",
    "about",
    "the",
    "garden",
    "and",
    "what",
    "you",
    "said",
    "last",
    "week",
    "it",
    "was",
    "a",
    "really",
    "good",
    "idea",
    "can",
    "you",
    "bring",
    "the",
    "keys",
    "please",
    "the",
    "train",
    "leaves",
    "at",
    "nine",
    "ça",
    "va",
    "très",
    "bien",
    "😀",
    "Grüße",
    "aus",
    "Köln",
    "maybe",
    "later",
    "this",
    "evening",
]
AUTHORS = ("Ana Torres", "Bo - Li", "+49 171 1234567", "Chiara 🌻", "Dmitri")
OTHER_BODIES = (
    "<Media omitted>",
    "https://example.org/a/page?with=query",
    "This message was deleted",
    "ok",
    "two\nlines",
)

MEMD = """
import json, resource, sys, time
from zoneinfo import ZoneInfo
from memd.connectors.connector import ReadOptions
from memd.connectors.source import open_source
from memd.connectors.whatsapp import WhatsAppConnector
options = ReadOptions(zone=ZoneInfo("Europe/Berlin"), zone_origin="option")
start = time.perf_counter()
count = 0
for record in WhatsAppConnector().read(open_source(sys.argv[1]), options):
    document = getattr(record, "conversation", None)
    if document is not None:
        count += len(document.conversation)
seconds = time.perf_counter() - start
print(json.dumps({"messages": count, "seconds": seconds,
                  "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))
"""

WHATSTK = """
import json, resource, sys, time
from whatstk import WhatsAppChat
start = time.perf_counter()
chat = WhatsAppChat.from_source(filepath=sys.argv[1])
seconds = time.perf_counter() - start
print(json.dumps({"messages": len(chat.df), "seconds": seconds,
                  "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))
"""


def write_export(path: Path, count: int) -> None:
    """An Android export of a group, about 100 messages a day; the same for every run."""
    chance = random.Random(7)
    when = datetime(2015, 1, 1, 8)  # noqa: DTZ001 - the app writes wall clocks
    with path.open("w", encoding="utf-8") as file:
        file.write(f"{when:%d/%m/%y, %H:%M} - Messages and calls are end-to-end encrypted.\n")
        for _ in range(count - 1):
            when += timedelta(minutes=chance.expovariate(1 / 3))
            body = " ".join(chance.choices(WORDS, k=chance.randrange(2, 20)))
            if chance.random() < 0.06:
                body = chance.choice(OTHER_BODIES)
            file.write(f"{when:%d/%m/%y, %H:%M} - {chance.choice(AUTHORS)}: {body}\n")


def measure(python: str, code: str, path: Path) -> dict[str, float]:
    """One run in a process of its own."""
    done = subprocess.run([python, "-c", code, str(path)], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    found = json.loads(done.stdout.splitlines()[-1])
    found["rate"] = found["messages"] / found["seconds"]
    return found


def best(runs: list[dict[str, float]]) -> dict[str, float]:
    """The fastest of several runs, with the largest peak of them."""
    fastest = max(runs, key=lambda run: run["rate"])
    return {**fastest, "peak_mb": max(run["peak_mb"] for run in runs)}


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--messages", type=int, default=200_000)
    options.add_argument("--large", action="store_true", help="also 2M messages, to see whether memory grows")
    options.add_argument("--whatstk-python", help="an interpreter that has whatstk")
    options.add_argument("--runs", type=int, default=3)
    options.add_argument("--json", action="store_true")
    given = options.parse_args()
    results: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "WhatsApp Chat with Friends.txt"
        write_export(path, given.messages)
        own_runs: list[dict[str, float]] = []
        other_runs: list[dict[str, float]] = []
        for _ in range(given.runs):  # in turns, so that whatever else the machine does hits both alike
            own_runs.append(measure(sys.executable, MEMD, path))
            if given.whatstk_python:
                other_runs.append(measure(given.whatstk_python, WHATSTK, path))
        results[f"memd {given.messages:,}"] = own = best(own_runs)
        if other_runs:
            results[f"whatstk {given.messages:,}"] = other = best(other_runs)
            results["ratio"] = {key: own[key] / other[key] for key in ("rate", "peak_mb")}
        if given.large:
            write_export(path, given.messages * 10)
            results[f"memd {given.messages * 10:,}"] = measure(sys.executable, MEMD, path)
    if given.json:
        print(json.dumps(results))
        return
    print(f"{'':20} {'messages':>10} {'seconds':>8} {'per second':>11} {'peak MB':>8}")
    for name, run in results.items():
        if name == "ratio":
            print(f"{'memd / whatstk':20} {'':10} {'':8} {run['rate']:10.2f}x {run['peak_mb']:7.2f}x")
            continue
        print(f"{name:20} {run['messages']:10,.0f} {run['seconds']:8.2f} {run['rate']:11,.0f} {run['peak_mb']:8.0f}")


if __name__ == "__main__":
    main()
