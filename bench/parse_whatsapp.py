"""The rate at which a WhatsApp export becomes validated documents, and the memory, beside whatstk and chat-miner.

    python bench/parse_whatsapp.py --messages 200000 --large 2000000 --json

Each run is a process of its own, one after the other and in turn, so that peak memory (``ru_maxrss``) is its own too.
Imports are not part of the rate, but of the memory. Rates and peaks are medians.
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

from peers import PeerAbsentError, require_as_many, run_peer
from timing import middle

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
PEERS = ("whatstk", "chat-miner")
Run = dict[str, float]

MEMD = """
import json, resource, sys, time
from zoneinfo import ZoneInfo
from memd.connectors.connector import ReadOptions
from memd.connectors.opening.open_source import open_source
from memd.connectors.formats.whatsapp.connector import WhatsAppConnector
options = ReadOptions(zone=ZoneInfo("Europe/Berlin"), zone_origin="option")
start, cpu = time.perf_counter(), time.process_time()
count = 0
for record in WhatsAppConnector().read(open_source(sys.argv[1]), options):
    document = getattr(record, "conversation", None)
    if document is not None:
        count += len(document.conversation)
seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
print(json.dumps({"messages": count, "seconds": seconds, "cpu_s": cpu,
                  "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))
"""


def write_export(path: Path, count: int) -> None:
    """Write an Android export of a group, about 480 messages a day; the same for every run."""
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


def own(path: Path) -> Run:
    """Run memd's reader once."""
    command = [sys.executable, "-P", "-c", MEMD, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    found: Run = json.loads(done.stdout.splitlines()[-1])
    return found


def together(runs: list[Run]) -> Run:
    """Return the middle of several runs."""
    seconds = middle([run["seconds"] for run in runs])
    messages = runs[0]["messages"]
    cpu, peak = (middle([run[name] for run in runs]) for name in ("cpu_s", "peak_mb"))
    return {"messages": messages, "seconds": seconds, "per_s": messages / seconds, "cpu_s": cpu, "peak_mb": peak}


def measure(count: int, large: int, rounds: int) -> dict[str, Run]:
    """Measure memd, its peers, and memd on a larger export, by name."""
    runs: dict[str, list[Run]] = {"memd": [], "memd_large": []}
    missing: set[str] = set()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "WhatsApp Chat with Friends.txt"
        write_export(path, count)
        for _ in range(rounds):  # in turn, so that whatever else the machine does hits all alike
            runs["memd"].append(own(path))
            for peer in PEERS:
                if peer in missing:
                    continue
                try:
                    runs.setdefault(peer, []).append(run_peer(peer, str(path)))
                except PeerAbsentError as error:
                    print(error, file=sys.stderr)
                    missing.add(peer)
        if large:
            write_export(path, large)
            runs["memd_large"].append(own(path))
    for peer in PEERS:
        for run in runs.get(peer, ()):
            require_as_many(peer, run["messages"], runs["memd"][0]["messages"])
    return {name: together(found) for name, found in runs.items() if found}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=200_000)
    parser.add_argument("--large", type=int, default=2_000_000, help="to see whether memory grows; 0 leaves it out")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    results = measure(options.messages, options.large, options.runs)
    if options.json:
        print(json.dumps(results))
        return
    print(f"{'':12} {'messages':>10} {'seconds':>8} {'per second':>11} {'peak MB':>8}")
    for name, run in results.items():
        print(f"{name:12} {run['messages']:10,.0f} {run['seconds']:8.2f} {run['per_s']:11,.0f} {run['peak_mb']:8.0f}")


if __name__ == "__main__":
    main()
