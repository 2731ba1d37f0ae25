"""Descriptors that a child forked from this process must not keep: locks, listening sockets and connections would live on in it.

A program that opens a memory may fork afterwards, as `multiprocessing` and web servers do. The memory stays the parent's; the
child is a client of it. Commands that are executed inherit nothing anyway (``O_CLOEXEC``).
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

_OPEN = Path("/proc/self/fd")
_descriptors: set[int] = set()
_folders: Counter[str] = Counter()


@contextmanager
def files_kept_from_children(folder: str) -> Generator[None]:
    """Release the files that are open below a folder in each child that is forked within the block; on Linux. Libraries
    hold locks on files of their own there.
    """
    path = os.path.realpath(folder)
    _folders[path] += 1
    try:
        yield
    finally:
        _folders[path] -= 1


@contextmanager
def kept_from_children(descriptor: int) -> Generator[None]:
    """Release a descriptor in each child that is forked within the block."""
    keep_from_children(descriptor)
    try:
        yield
    finally:
        give_to_children(descriptor)


def keep_from_children(descriptor: int) -> None:
    """Release a descriptor in each child that is forked from now on."""
    _descriptors.add(descriptor)


def give_to_children(descriptor: int) -> None:
    """End `keep_from_children`, before the descriptor is closed."""
    _descriptors.discard(descriptor)


def _release() -> None:
    """Put `/dev/null` in the place of each descriptor: objects of the child that hold its number may close it later."""
    held = _descriptors | set(_below(tuple(folder for folder, count in _folders.items() if count)))
    if held:
        with suppress(OSError):
            null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
            for descriptor in held:
                os.dup2(null, descriptor, inheritable=False)
            os.close(null)
    _descriptors.clear()
    _folders.clear()


def _below(folders: tuple[str, ...]) -> Generator[int]:
    """Yield the descriptors of files below the folders."""
    if folders and _OPEN.is_dir():
        for link in tuple(_OPEN.iterdir()):
            with suppress(OSError):
                if os.fspath(link.readlink()).startswith(tuple(f"{folder}/" for folder in folders)):
                    yield int(link.name)


os.register_at_fork(after_in_child=_release)
