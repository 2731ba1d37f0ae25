"""The machine that the figures were measured on: a rate without its machine says nothing."""

from __future__ import annotations

import os
import platform
from datetime import datetime
from pathlib import Path

import memd


def description() -> str:
    """Return one line: date, memd, processor, cores, memory, system, Python."""
    parts = [
        f"{datetime.now().astimezone():%Y-%m-%d %H:%M}",
        f"memd {memd.__version__}",
        f"{_processor()}, {_cores()} cores",
        f"{_memory_gb():.0f} GB",
        f"{platform.system()} {platform.release().split('-')[0]}",
        f"Python {platform.python_version()}",
    ]
    return ", ".join(parts)


def load() -> float:
    """Return how many others wanted a core in the last minute."""
    return os.getloadavg()[0]


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _processor() -> str:
    return _field(Path("/proc/cpuinfo"), "model name") or platform.processor() or platform.machine()


def _memory_gb() -> float:
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30


def _field(file: Path, name: str) -> str:
    try:
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    return next((line.partition(":")[2].strip() for line in lines if line.startswith(name)), "")
