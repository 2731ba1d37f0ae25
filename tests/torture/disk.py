"""No room, at every stage: files that may not grow, and a small file system of its own that is full.

The commands are those that `kills` kills, and so is what must hold afterwards, when there is room again.
"""

from __future__ import annotations

import math
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

from memd.tests import processes
from memd.tests.processes import SEEDS
from memd.tests.torture.home import Broken, Home, kept_when_broken
from memd.tests.torture.kills import SCENARIOS, Kills, Scenario

CODES = (0, 1, 4, 6)
"""How a command may end that found no room: perhaps it needed none."""
SMALL = 64
"""MiB of the small file system."""


class Disk:
    """Rounds in which a command finds no room."""

    def __init__(self, root: Path, seed: int, size: int = 400) -> None:
        self._root = root
        self._seed = seed
        self._kills = Kills(root / "kinds", seed, size)

    def limited(self, number: int, only: str = "") -> str:
        """A command whose files may not become larger than some size: the system answers EFBIG."""
        chance, scenario = self._drawn(number, only)
        largest = max(_largest(scenario.root), 100_000)
        limit = int(math.exp(chance.uniform(math.log(200), math.log(largest * 1.2))))
        told = f"limit {number} of seed {self._seed}: {scenario.name}, files of at most {limit:,} bytes"
        with kept_when_broken(told, self._root / f"limit-{number}") as folder:
            home = scenario.template.clone(folder)
            scenario.strike(home, {"file_size": limit}, None, CODES)
            scenario.afterwards(home, chance)
        return told

    def full(self, number: int, small: Path, only: str = "") -> str:
        """A command on a file system that has next to no room: the system answers ENOSPC."""
        chance, scenario = self._drawn(number, only)
        folder = small / f"full-{number}"
        home = scenario.template.clone(folder)
        needed = sum(path.stat().st_size for path in (scenario.root / "counting").rglob("*") if path.is_file())
        room = int(math.exp(chance.uniform(math.log(2_000), math.log(max(needed * 1.5, 400_000)))))
        told = f"full {number} of seed {self._seed}: {scenario.name}, {room:,} bytes of room"
        filler = small / "filler"
        with kept_when_broken(told, folder):
            scenario.words(home)  # what it brings along comes before
            leave_room(filler, room)
            try:
                scenario.strike(home, {}, None, CODES)
            finally:
                filler.unlink()
            scenario.afterwards(home, chance)
        return told

    def _drawn(self, number: int, only: str) -> tuple[random.Random, Scenario]:
        chance = random.Random(f"{self._seed}/disk/{number}")
        kinds = [kind for kind in SCENARIOS if only in ("", kind.name)]
        return chance, self._kills.scenario(kinds[number % len(kinds)])


def _largest(folder: Path) -> int:
    return max((path.stat().st_size for path in folder.rglob("*") if path.is_file()), default=0)


def leave_room(filler: Path, room: int) -> None:
    """Fill a file system but for so many bytes."""
    free = shutil.disk_usage(filler.parent).free
    with filler.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, max(1, free - room))


def can_unshare() -> bool:
    """Whether this machine lets us have mounts of our own."""
    try:
        return not subprocess.run(["unshare", "-rm", "true"], capture_output=True, check=False).returncode
    except OSError:
        return False


def in_own_mounts(folder: Path, *words: str, seeds: int = 2) -> int:
    """Run the part of torture that mounts, in a private namespace: nobody else sees what it mounts.

    Args:
        folder: where it works.
        words: further words of the command line.
        seeds: the number of seeds of hashes that its commands have, one after the other.
    """
    command = [sys.executable, "-P", "-m", "memd.tests.torture", "--mounts", "--folder", str(folder), *words]
    environment = os.environ | {SEEDS: str(seeds)}
    return processes.run(command, env=environment, check=False).returncode


def mount_small(place: Path) -> None:
    """A small file system; in a namespace of our own only."""
    place.mkdir(parents=True, exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SMALL}m", "memd-torture", str(place)], check=True)


def mount_read_only(home: Home) -> None:
    """What is there may only be read from now on; in a namespace of our own only."""
    for words in (["--bind", str(home.data), str(home.data)], ["-o", "remount,ro,bind", str(home.data)]):
        subprocess.run(["mount", *words], check=True)


def unmount(place: Path) -> None:
    """Undo a mount."""
    if subprocess.run(["umount", str(place)], check=False).returncode:
        raise Broken(f"somebody still uses {place}")
