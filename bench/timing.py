"""The taking of times: whole processes in turn, medians, percentiles, and the memory of a process at its peak."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path


def middle(values: Sequence[float]) -> float:
    """Return the median."""
    return statistics.median(values)


def spread(seconds: Sequence[float]) -> dict[str, float]:
    """Return median and 95th percentile, in milliseconds."""
    ordered = sorted(seconds)
    return {"p50_ms": middle(ordered) * 1000, "p95_ms": ordered[min(len(ordered) - 1, len(ordered) * 95 // 100)] * 1000}


def seconds_of(work: Callable[[], object]) -> float:
    """Return the seconds of one call."""
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def in_turn(works: Mapping[str, Callable[[], float]], rounds: int) -> dict[str, list[float]]:
    """Return the results of several measurements, one of each a round, so that other work hits all of them alike."""
    found: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            found[name].append(work())
    return found


def whole_process(
    command: Sequence[str], *, environ: Mapping[str, str] | None = None, folder: Path | None = None
) -> float:
    """Return the seconds from the start to the end of a process that must succeed."""

    def run() -> None:
        done = subprocess.run(command, env=environ, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{command[:4]} failed: {done.stderr[-2000:]}")

    return seconds_of(run)


def memory_mb(process: int, what: str = "VmHWM") -> float:
    """Return a number of /proc: ``VmHWM`` is the resident peak, ``VmRSS`` the present, ``RssAnon`` without files.

    Linux only; 0 elsewhere.
    """
    try:
        lines = Path(f"/proc/{process}/status").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith(f"{what}:")), 0.0)


def written_mb(process: int) -> float:
    """Return the MB that a process has caused to be written to disks; 0 where the system does not tell."""
    try:
        lines = Path(f"/proc/{process}/io").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 2**20 for line in lines if line.startswith("write_bytes:")), 0.0)


def cpu_seconds(process: int) -> float:
    """Return the processor time of a process so far, all its threads; 0 where the system does not tell."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
