"""`memd restore`: a new data directory from a backup, verified block by block."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..arguments import Verbs, add_verb
from ..connect import paths_of
from ..output import print_json
from ..render.progress import ProgressBar
from ..render.terminal import one_line, say
from .backup import saved

_EXAMPLES = """\
  memd restore /mnt/disk/memd --data-dir ~/memd-restored     the newest snapshot
  memd restore /mnt/disk/memd --snapshot 000007-20261121T030000Z --data-dir ~/memd-of-then

Nothing is ever overwritten: the data directory must not hold a memory yet. The indexes for search are made anew by the
first memd that runs on it.
"""


def add(verbs: Verbs) -> None:
    """Its arguments."""
    parser = add_verb(verbs, "restore", "make a data directory from a backup", _EXAMPLES, (0, 2, 5, 6, 7, 130))
    parser.add_argument("folder", metavar="DIR", help="the folder that `memd backup` wrote")
    parser.add_argument("--snapshot", metavar="NAME", help="which one; default: the newest")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Restore, and say what comes next."""
    from ...backup.restore import restore_backup

    folder = Path(arguments.folder).expanduser().absolute()
    data_dir = Path(paths_of(arguments).data_dir)
    with ProgressBar(quiet=arguments.json) as bar:
        done = restore_backup(folder, arguments.snapshot, data_dir, bar.show_step)
    if arguments.json:
        print_json(done)
        return 0
    say(f"restored {saved(done)} of snapshot {one_line(done['snapshot'])} into {one_line(done['data_dir'])}")
    say(f"look it over: memd doctor --data-dir {one_line(done['data_dir'])}")
    return 0
