"""`memd backup`: save everything that cannot be made anew, while memd goes on; list and verify what was saved."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...operations import BACKUP, valid
from ..arguments import UsageError, Verbs, add_verb, whole_number
from ..connect import operate
from ..output import print_json
from ..render.progress import ProgressBar
from ..render.terminal import (
    counted,
    in_bytes,
    line_columns,
    one_line,
    print_told,
    say,
    width_of,
)
from ..render.wall_clock import local_time

_EXAMPLES = """\
  memd backup /mnt/disk/memd               a snapshot; the next one writes only what changed
  memd backup /mnt/disk/memd --keep 7      and drop all but the newest seven
  memd backup /mnt/disk/memd --list        what is there
  memd backup /mnt/disk/memd --verify      read all of it again and compare the hashes

It may run at any time, also while an ingest does. What was forgotten stays in older snapshots: --keep 1 drops them.
`memd restore` makes a data directory from a snapshot.
"""


def add(verbs: Verbs) -> None:
    """Its arguments."""
    parser = add_verb(verbs, "backup", "save everything into a folder", _EXAMPLES, (0, 2, 5, 6, 130))
    parser.add_argument("folder", metavar="DIR", help="a folder of its own, made where it is missing")
    parser.add_argument("--keep", type=whole_number, metavar="N", help="drop all but the newest N snapshots")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--list", action="store_true", help="list the snapshots")
    what.add_argument("--verify", action="store_true", help="read everything again and compare the hashes")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Save, list or verify."""
    folder = Path(arguments.folder).expanduser().absolute()
    if arguments.keep is not None and (arguments.keep < 1 or arguments.list or arguments.verify):
        raise UsageError("--keep takes 1 or more, and goes with a new snapshot", "try: memd backup --help")
    if arguments.list:
        return _list(folder, as_json=arguments.json)
    if arguments.verify:
        return _verify(folder, as_json=arguments.json)
    if valid(str(folder)) != str(folder):
        raise UsageError("the folder's name is not valid Unicode", "give the folder another name")
    body: dict[str, Any] = {"directory": str(folder)} | ({} if arguments.keep is None else {"keep": arguments.keep})
    done = operate(arguments, BACKUP, body)
    if arguments.json:
        print_json(done)
        return 0
    say(f"saved {saved(done)} as snapshot {one_line(done['snapshot'])}")
    say(
        f"{in_bytes(done['bytes_new'])} of {in_bytes(done['bytes'])} were new and took {in_bytes(done['bytes_written'])};"
        f" {counted(done['snapshots'], 'snapshot')} in {in_bytes(done['bytes_stored'])}"
    )
    if done["pruned"]:
        say(f"dropped {counted(len(done['pruned']), 'older snapshot')}, which freed {in_bytes(done['bytes_freed'])}")
    return 0


def saved(counts: Mapping[str, Any]) -> str:
    """Return the contents of a snapshot: documents, and messages if some of these are chats."""
    documents = counted(counts["documents"], "document")
    return f"{counted(counts['messages'], 'message')} in {documents}" if counts["messages"] else documents


def _list(folder: Path, *, as_json: bool) -> int:
    from ...backup.create import list_backups

    found = list_backups(folder)
    if as_json:
        print_json(found)
        return 0
    for line in found["snapshots"]:
        if problem := line.get("damaged") or line.get("unreadable"):
            print_told(f"{one_line(line['snapshot'])}  {one_line(problem)}")
            continue
        size = f"{saved(line):>32}  {in_bytes(line['bytes']):>8}"
        told = f"{line['snapshot']}  {local_time(line['time'])}  {size}  memd {one_line(line['memd'])}"
        if width_of(told) <= line_columns(sys.stdout):
            print(told)
        else:
            print(f"{line['snapshot']}  {local_time(line['time'])}")
            print_told(f"    {saved(line)}, {in_bytes(line['bytes'])}, memd {one_line(line['memd'])}")
    if not found["snapshots"]:
        print("no snapshot yet")
    return 0


def _verify(folder: Path, *, as_json: bool) -> int:
    from ...backup.create import verify_backups

    with ProgressBar(quiet=as_json) as bar:
        found = verify_backups(folder, bar.show_step)
    if as_json:
        print_json(found)
    else:
        for name, problem in (*found["damaged"].items(), *found["unreadable"].items()):
            print_told(f"{one_line(name)}  {one_line(problem)}")
        whole = found["snapshots"] - len(found["damaged"]) - len(found["unreadable"])
        unread = f", {len(found['unreadable'])} not read" if found["unreadable"] else ""
        say(f"{counted(whole, 'snapshot')} whole, {len(found['damaged'])} damaged{unread}")
        if found["damaged"]:
            say(
                "hint: the next `memd backup` into this folder writes the damaged parts anew that the memory still has; "
                "a snapshot that stays damaged is lost: later ones do not need it, and --keep N drops it in its turn"
            )
        if found["unreadable"]:
            say("hint: what could not be read may be whole: check the disk or the connection to it, and verify again")
    return 6 if found["damaged"] or found["unreadable"] else 0
