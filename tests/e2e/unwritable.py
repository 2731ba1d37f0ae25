"""Asks a memory beside which nothing can be written: on a full file system, or one that is read-only.

`python -P -m memd.tests.e2e.unwritable PLACE full|read-only DATA` mounts a small file system at PLACE, which nobody else sees,
copies a data directory there, and prints as JSON what each command answered before and after, and what it changed.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from memd.daemon.cli import main
from memd.tests.own_mounts import enter_own_mounts
from memd.tests.torture.disk import leave_room

EXPORT = "WhatsApp Chat with Rowing.txt"
CHAT = (
    "15/01/2024, 12:30 - Ann: the boat is blue\n"
    "15/01/2024, 12:31 - Bob: I live in Rome\n"
    "02/03/2024, 12:31 - Bob: the boat has two oars\n"
)
LATER = "09/04/2024, 09:00 - Ann: the boat was sold\n"
COMMANDS = (
    ("status",),
    ("stats",),
    ("stats", "--chat", "row"),
    ("query", "who has a boat?"),
    ("documents",),
    ("chats",),
    ("people",),
    ("facts",),
    ("show", "whatsapp:Rowing:2024-01-15"),
    ("export",),
    ("runs",),
    ("sources",),
)


def asked() -> list[dict[str, Any]]:
    """The answers of all commands."""
    answers: list[dict[str, Any]] = []
    for words in COMMANDS:
        os.environ["MEMD_EMBEDDING_ENABLED"] = str(words[0] == "query").lower()  # the others need no model
        answers.append(answered(*words))
    return answers


def answered(*words: str) -> dict[str, Any]:
    """Exit code, standard output and standard error of a command."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.TextIOWrapper(io.BytesIO(), "utf-8")
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main([*words, "--json"])
    return {"words": words, "code": code, "out": _text_of(out), "err": _text_of(err)}


def _text_of(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()


def contents(folder: Path) -> dict[str, str]:
    """The checksum of every file."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def run(place: Path, how: str, data: Path) -> dict[str, Any]:
    """Ask the memory when it can be written, unless its owner left logs; take away all room, and ask it again."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "memd-test", str(place)], check=True)
    shutil.copytree(data, place / "data")
    os.environ |= {"MEMD_DATA_DIR": str(place / "data"), "MEMD_SOCKET": str(place.with_name(f"{place.name}-s"))}
    os.environ |= {"MEMD_CONFIG": os.devnull, "TZ": "UTC"}
    export = place / EXPORT
    export.write_text(CHAT)
    logs = [name for name in contents(place / "data") if name.endswith("-wal")]
    before = [] if logs else asked()  # a command would end the logs
    if how == "full":
        leave_room(place / "filler", 0)
    else:
        subprocess.run(["mount", "-o", "remount,ro", str(place)], check=True)
    files = contents(place / "data")
    after = asked()
    refused, repaired, checked = (
        answered("ingest", str(export), "--no-wait"),
        answered("doctor", "--repair"),
        answered("doctor"),
    )
    return {
        "before": before,
        "after": after,
        "codes": [each["code"] for each in (refused, repaired, checked)],
        "findings": json.loads(checked["out"])["findings"],
        "logs": logs,
        "changed": sorted(dict(files.items() ^ contents(place / "data").items())),
    }


if __name__ == "__main__":
    enter_own_mounts()
    sys.stdout.write(json.dumps(run(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]))))
