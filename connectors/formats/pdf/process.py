"""A process that reads one PDF, and what it answers. It has limits of memory and time and ends with whoever asks."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

import orjson

_MIB = 1024 * 1024
_CHUNK = 256 * 1024
_PROGRAM = Path(__file__).with_name("extraction.py")


@dataclass(frozen=True, slots=True)
class PdfLimits:
    """What reading one file may cost."""

    file_bytes: int = 256 * _MIB
    memory_bytes: int = 1024 * _MIB
    page_s: float = 60.0
    """Seconds without an answer after which the process is ended."""
    total_s: float = 900.0
    """Seconds of the processor for the whole file."""
    text_bytes: int = 64 * _MIB
    """Of all answers together."""


class TooLargeError(Exception):
    """The file has more bytes than are read."""


def spooled(stream: BinaryIO, limits: PdfLimits) -> int:
    """The descriptor of a file without a name that holds the stream, in memory where the system can do that.

    Raises:
        SourceError: the stream raises it.
        TooLargeError: it has too many bytes.
    """
    if sys.platform == "linux":
        descriptor = os.memfd_create("pdf")
    else:
        with tempfile.TemporaryFile() as file:
            descriptor = os.dup(file.fileno())
    try:
        size = 0
        while chunk := stream.read(_CHUNK):
            size += len(chunk)
            if size > limits.file_bytes:
                raise TooLargeError
            view = memoryview(chunk)
            while view:
                view = view[os.write(descriptor, view) :]
        os.lseek(descriptor, 0, os.SEEK_SET)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def answers(descriptor: int, limits: PdfLimits) -> Iterator[dict[str, Any]]:
    """The lines of the process that reads this file; closes the descriptor. Without ``done`` or ``error`` as the last
    one it was ended: by a limit, or by the system.
    """
    command = [sys.executable, "-P", str(_PROGRAM), str(limits.memory_bytes), str(int(limits.total_s))]
    try:
        process = subprocess.Popen(  # noqa: S603 - our own program, and no word of it comes from outside
            command, stdin=descriptor, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, close_fds=True
        )
    finally:
        os.close(descriptor)
    try:
        yield from _lines(cast("BinaryIO", process.stdout), limits)
    finally:
        with suppress(OSError):
            process.kill()
        cast("BinaryIO", process.stdout).close()
        process.wait()


def _lines(stream: BinaryIO, limits: PdfLimits) -> Iterator[dict[str, Any]]:
    waiting = bytearray()
    total = 0
    while True:
        end = waiting.find(b"\n")
        if end >= 0:
            line = bytes(waiting[:end])
            del waiting[: end + 1]
            yield cast("dict[str, Any]", orjson.loads(line))
            continue
        deadline = time.monotonic() + limits.page_s
        if not select.select([stream], [], [], max(0.0, deadline - time.monotonic()))[0]:
            return
        data = os.read(stream.fileno(), _CHUNK)
        total += len(data)
        if not data or total > limits.text_bytes:
            return
        waiting += data
