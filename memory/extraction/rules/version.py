"""The version of the rules, without the rules: comparing it is all that most starts need, and compiling the table
takes long.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from ...records import RULES

FOLDER = Path(__file__).parent
BESIDE = ("assertions.py", "calendar.py", "dates.py", "corrections.py", "nonliteral_gate.py")
"""Modules of the folder above that decide what the rules read."""


def table_hash(folder: Path = FOLDER) -> str:
    """Return twelve digits that are others when any file of the rules is.

    Raises:
        OSError: the package is without its source.
    """
    digest = sha256()
    files = [*sorted(folder.glob("*.py")), *sorted((folder / "words").glob("*.txt"))]
    for path in [*files, *(folder.parent / name for name in BESIDE)]:
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:12]


VERSION = f"12-{table_hash()}"
NAME = RULES
