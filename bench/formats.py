"""The rate at which each program's export becomes validated documents, and the memory, beside peers if there are any.

    python bench/formats.py --megabytes 50 --json

Each run is a process of its own, one after the other and in turn, so that peak memory (``ru_maxrss``) is its own too. The
rate is that of reading alone: imports are not part of it, nor is what memd stores. WhatsApp is in parse_whatsapp.py.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from exports import FORMATS, write
from peers import PeerAbsentError, require_as_many, run_peer
from timing import middle

Run = dict[str, float]

MEMD = """
import json, resource, sys, time
from datetime import UTC
from memd.connectors.connector import ReadOptions
from memd.connectors.reading.read_path import read_records
from memd.connectors.reading.registry import default_connectors
default_connectors()  # imports every format
start, cpu = time.perf_counter(), time.process_time()
count = 0
for record in read_records(sys.argv[1], ReadOptions(zone=UTC, zone_origin="option")):
    document = getattr(record, "conversation", None)
    if document is not None:
        count += len(document.conversation)
seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
print(json.dumps({"messages": count, "seconds": seconds, "cpu_s": cpu,
                  "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))
"""
MAILBOX = """
import json, mailbox, resource, sys, time
from email import policy
from email.parser import BytesParser
start, cpu = time.perf_counter(), time.process_time()
count = 0
parser = BytesParser(policy=policy.default)
for mail in mailbox.mbox(sys.argv[1], factory=parser.parse, create=False):
    body = mail.get_body(("plain", "html"))
    count += bool(mail["subject"]) and body is not None and bool(body.get_content())
seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
print(json.dumps({"messages": count, "seconds": seconds, "cpu_s": cpu,
                  "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))
"""


def _script(code: str, path: Path) -> Run:
    """Run a script once in this interpreter."""
    done = subprocess.run([sys.executable, "-P", "-c", code, str(path)], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    found: Run = json.loads(done.stdout.splitlines()[-1])
    return found


def _chat_miner(parser: str) -> Callable[[Path], Run]:
    return lambda path: run_peer("chat-miner", str(path), parser)


MAIL_PEERS: dict[str, Callable[[Path], Run]] = {
    "mailbox": lambda path: _script(MAILBOX, path),
    "mail-parser": lambda path: run_peer("mail-parser", str(path)),
}
PEERS: dict[str, dict[str, Callable[[Path], Run]]] = {
    "telegram": {"chat-miner": _chat_miner("TelegramJsonParser")},
    "messenger": {"chat-miner": _chat_miner("FacebookMessengerParser")},
    "signal_chat": {"chat-miner": _chat_miner("SignalParser")},
    "mail": MAIL_PEERS,
    "mailbox": MAIL_PEERS,
}


def size_of(path: Path) -> int:
    """Return the bytes of a file, or of all files in a folder."""
    return path.stat().st_size if path.is_file() else sum(each.stat().st_size for each in path.rglob("*.json"))


def measure(name: str, megabytes: int, rounds: int) -> dict[str, Run]:
    """Measure memd and its peers on one export."""
    runs: dict[str, list[Run]] = {"memd": []}
    missing: set[str] = set()
    with tempfile.TemporaryDirectory() as folder:
        path = write(name, Path(folder), megabytes * 1_000_000)
        size = size_of(path) / 1_000_000
        for _ in range(rounds):  # in turn, so that whatever else the machine does hits all alike
            runs["memd"].append(_script(MEMD, path))
            for peer, run in PEERS.get(name, {}).items():
                if peer in missing:
                    continue
                try:
                    runs.setdefault(peer, []).append(run(path))
                except PeerAbsentError as error:
                    print(error, file=sys.stderr)
                    missing.add(peer)
    for peer in PEERS.get(name, {}):
        for run in runs.get(peer, ()):
            require_as_many(peer, run["messages"], runs["memd"][0]["messages"])
    return {who: _together(found, size) for who, found in runs.items() if found}


def _together(runs: list[Run], size: float) -> Run:
    seconds, cpu, peak = (middle([run[name] for run in runs]) for name in ("seconds", "cpu_s", "peak_mb"))
    messages = runs[0]["messages"]
    rates = {"mb_per_s": size / seconds, "mb_per_cpu_s": size / cpu, "per_s": messages / seconds}
    return {"messages": messages, "seconds": seconds, "cpu_s": cpu, "peak_mb": peak, **rates}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    # Not by `choices`: with them Python 3.11 takes no list that is empty.
    parser.add_argument("formats", nargs="*", help=f"all, or some of: {', '.join(FORMATS)}")
    parser.add_argument("--megabytes", type=int, default=50)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if unknown := [name for name in options.formats if name not in FORMATS]:
        parser.error(f"no format is called {unknown[0]!r}; there are {', '.join(FORMATS)}")
    results = {name: measure(name, options.megabytes, options.runs) for name in options.formats or FORMATS}
    if options.json:
        print(json.dumps(results))
        return
    print(f"{'':12} {'':12} {'MB/s':>7} {'MB/CPU s':>9} {'messages/s':>11} {'peak MB':>8}")
    for name, found in results.items():
        for who, run in found.items():
            rates = f"{run['mb_per_s']:7.1f} {run['mb_per_cpu_s']:9.1f} {run['per_s']:11,.0f} {run['peak_mb']:8.0f}"
            print(f"{name:12} {who:12} {rates}")


if __name__ == "__main__":
    main()
