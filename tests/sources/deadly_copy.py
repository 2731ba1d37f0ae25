"""A reader process that ends itself, or waits, in the middle of copying a database, when it is told so by a file beside it."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from memd.connectors.opening import database_copy as database
from memd.connectors.opening.tracked_member import untracked
from memd.daemon.sources import reader_process

if __name__ == "__main__":

    def copy(member: database.Member, path: Path) -> int:
        """A copy that is not completed."""
        member = untracked(member)
        assert isinstance(member, database.FileMember)
        path.write_bytes(Path(member.path).read_bytes()[:5000])
        if Path(member.path).with_name("wait.jpg").exists():
            time.sleep(600)
        os.kill(os.getpid(), signal.SIGKILL)
        return 0

    database._copy_one = copy  # pyright: ignore[reportPrivateUsage]
    reader_process.main()
