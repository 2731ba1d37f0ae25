"""Gives this process mounts of its own, as `unshare -rm` gives them to a new one: a forked process has imported memd."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

CLONE_NEWNS, CLONE_NEWUSER = 0x00020000, 0x10000000
"""<linux/sched.h>: namespaces of mounts and of users."""
MS_REC, MS_PRIVATE = 0x4000, 0x40000
"""<linux/mount.h>: what is mounted from now on is seen by nobody else."""


def enter_own_mounts() -> None:
    """Become root of a new namespace of users, with private mounts. This process must have one thread.

    Raises:
        OSError: the system does not allow it.
    """
    user, group = os.getuid(), os.getgid()
    library = ctypes.CDLL(None, use_errno=True)
    _check(library.unshare(CLONE_NEWUSER | CLONE_NEWNS))
    Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
    Path("/proc/self/uid_map").write_text(f"0 {user} 1", encoding="ascii")
    Path("/proc/self/gid_map").write_text(f"0 {group} 1", encoding="ascii")
    _check(library.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None))


def _check(result: int) -> None:
    if result:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
