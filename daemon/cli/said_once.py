"""Advice that stands in the first answer which needs it, once for each memory and user: asked again in each, nobody would
read it.
"""

from __future__ import annotations

import os
from contextlib import suppress
from hashlib import sha256

from ...memory.private_files import make_folders, open_private
from ..config.paths import ResolvedPaths, state_folder

FILE = "said_once"
_LONGEST = 64 * 1024


def first_time(places: ResolvedPaths, advice: str) -> bool:
    """Return whether this advice was not said yet about this memory, and note that it is said now; where that cannot be
    noted, it is said again.
    """
    text = f"{places.data_dir}\0{places.socket}\0{advice}"
    line = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32].encode()
    path = os.path.join(state_folder(), FILE)
    with suppress(OSError):
        make_folders(os.path.dirname(path))
        with os.fdopen(open_private(path, os.O_RDWR | os.O_CREAT | os.O_APPEND), "a+b") as file:
            file.seek(0)
            if line in file.read(_LONGEST).split():
                return False
            file.write(line + b"\n")
    return True
