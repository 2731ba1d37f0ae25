"""Runs the process that reads one PDF, with limits of memory and time, and ends it with its caller."""

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
    """The largest cost of reading one file."""

    file_bytes: int = 256 * _MIB
    memory_bytes: int = 1024 * _MIB
    page_s: float = 60.0
    """The number of seconds without output after which the process is ended."""
    total_s: float = 900.0
    """The seconds of processor time for the whole file."""
    text_bytes: int = 64 * _MIB
    """The size of all lines together."""


class TooLargeError(Exception):
    """The file is larger than the limit."""


def spooled(stream: BinaryIO, limits: PdfLimits) -> int:
    """Copy the stream to an unnamed file, in memory where the system supports that, and return its descriptor.

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
    """Yield the lines of the process that reads this file; closes the descriptor.

    If the last line is neither ``done`` nor ``error``, a limit or the system ended the process.
    """
    command = [sys.executable, "-P", str(_PROGRAM), str(limits.memory_bytes), str(int(limits.total_s))]
    try:
        process = subprocess.Popen(  # noqa: S603 - our own program, and its arguments contain no input
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
