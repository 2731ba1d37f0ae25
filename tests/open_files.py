"""Which files this process holds open."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

_DESCRIPTORS = Path("/proc/self/fd")


def files_open_below(folder: Path) -> list[str]:
    """What the descriptors of this process lead to beneath a folder, deleted files included.

    A words index that was closed may look at one of its files once more, in a thread of its own: wait for an empty list
    where one was open.
    """
    found: list[str] = []
    for number in os.listdir(_DESCRIPTORS) if _DESCRIPTORS.exists() else ():  # Linux alone has it
        with suppress(FileNotFoundError):  # closed meanwhile by another thread
            found.append(os.readlink(_DESCRIPTORS / number))
    return sorted(path for path in found if path.startswith(f"{folder}/"))
