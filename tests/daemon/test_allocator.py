"""Threads of the daemon share heaps instead of having one each."""

from __future__ import annotations

import platform
import subprocess
import sys
from pathlib import Path

import pytest

_HEAPS = """
import ctypes, sys, threading
from memd.daemon.allocator import share_arenas
if sys.argv[1] == "shared":
    share_arenas()
libc = ctypes.CDLL(None)
libc.malloc.restype, libc.malloc.argtypes, libc.fopen.restype = ctypes.c_void_p, [ctypes.c_size_t], ctypes.c_void_p
together = threading.Barrier(8)

def work():
    together.wait()
    libc.malloc(2_000)
    together.wait()

threads = [threading.Thread(target=work) for _ in range(8)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
file = ctypes.c_void_p(libc.fopen(sys.argv[2].encode(), b"w"))
libc.malloc_info(0, file)
libc.fclose(file)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the C library is not glibc")
def test_threads_share_heaps(tmp_path: Path) -> None:
    """Eight threads that allocate at once have two heaps; without the call, more."""

    def heaps(how: str) -> int:
        told = tmp_path / how
        subprocess.run([sys.executable, "-P", "-c", _HEAPS, how, str(told)], check=True, timeout=60)
        return told.read_text(encoding="ascii").count("<heap ")

    assert heaps("shared") <= 2 < heaps("own")
