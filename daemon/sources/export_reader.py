"""Reads exports in a process of its own, and returns the results as blocks."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import anyio.abc
import orjson
from anyio.streams.buffered import BufferedByteReceiveStream

from ...connectors.errors import UnrecognisedError
from ...connectors.text.json_parsing import parse_json
from ...schemas import Document, Notice, Rejected, document_from_wire
from ...schemas.errors import SourceError, StoreError
from .reader_folders import reader_folder

SILENT_SECONDS = 600.0
"""The time after which a process that writes nothing is killed. Before the first document of a large export the process
reads all of it once: 5 GB took four minutes.
"""
END_SECONDS = 10.0
_HEADER_BYTES = 64
_BLOCK_BYTES = 64 * 1024 * 1024
_ENVIRONMENT = frozenset(
    {
        "HOME",
        "LANG",
        "LANGUAGE",
        "LD_LIBRARY_PATH",
        "PATH",
        "PYTHONHOME",
        "PYTHONPATH",
        "TZ",
        "TZDIR",
        "VIRTUAL_ENV",
    }
)
_MODULE = "memd.daemon.sources.reader_process"


@dataclass(frozen=True, slots=True)
class ReadBlock:
    """A result from one group of files; blocks arrive in the order of the groups."""

    group: int
    documents: tuple[Document, ...] = ()
    size: int = 0
    """The size in bytes of the documents as JSON."""
    rejected: Rejected | None = None
    notices: tuple[dict[str, Any], ...] = ()
    """The notices of the group for the user, in the form of `Notices.to_wire`."""
    receipt: dict[str, Any] | None = None
    """The files that were read and their counts, in the form of `ReadingLog.to_wire`."""
    failure: SourceError | None = None
    """The reason why nothing (more) of the group can be read."""
    ends: bool = False
    """True if this is the last block of the group."""
    format: str = ""
    """The format of the group's only file, if it was requested; as `claimant` returns it."""


async def recognise_files(
    root: Path, paths: Sequence[str], options: Mapping[str, Any], data_dir: Path
) -> dict[str, str]:
    """Return the format of each file, as `claimant` returns it; empty if a file kills the process that inspects it.
    Another process then inspects the remaining files; reading the file reports the reason.

    Raises:
        StoreError: no process can be started.
    """
    formats = dict.fromkeys(paths, "")
    async with aclosing(read_exports(root, [[path] for path in paths], options, data_dir, recognise=True)) as blocks:
        async for block in blocks:
            if block.format:
                formats[paths[block.group]] = block.format
    return formats


async def read_exports(
    root: Path,
    groups: Sequence[Sequence[str]],
    options: Mapping[str, Any],
    data_dir: Path,
    *,
    recognise: bool = False,
) -> AsyncGenerator[ReadBlock, None]:
    """Read files of a folder, group by group. A group that kills the reading process gets a `ReaderEndedError` as its
    failure, and another process reads the remaining groups.

    Args:
        root: the folder.
        groups: paths in it that are read together.
        options: of `reader_process.options_of`.
        data_dir: where each process gets a private folder, which is removed after its end, however it ended.
        recognise: only tell of the one file of each group what it is.

    Raises:
        StoreError: no process can be started.
    """
    begin = 0
    while begin < len(groups):
        order = {"root": str(root), "groups": groups[begin:], "options": dict(options), "recognise": recognise}
        async with aclosing(_read_from(order, begin, data_dir)) as blocks:
            async for block in blocks:
                begin = block.group + block.ends
                yield block


async def _read_from(order: Mapping[str, Any], number: int, data_dir: Path) -> AsyncGenerator[ReadBlock, None]:
    """Read with one process until it ends; ``number`` is the number of the first group."""
    last = number + len(order["groups"])
    async with _copies_folder(data_dir) as folder, _process(order, folder) as process:
        assert process.stdout is not None
        stream = BufferedByteReceiveStream(process.stdout)
        while number < last:
            try:
                kind, body = await _frame(stream, process)
            except ReaderEndedError as error:
                yield ReadBlock(number, failure=error, ends=True)
                return
            if kind == b"G":
                yield ReadBlock(number, ends=True)
                number += 1
            elif kind == b"E":
                details = orjson.loads(body)
                error = UnrecognisedError if details["unrecognised"] else SourceError
                yield ReadBlock(number, failure=error(details["reason"], hint=details["hint"]))
            elif kind == b"K":
                yield ReadBlock(number, format=body.decode())
            elif kind == b"N":
                yield ReadBlock(number, notices=tuple(orjson.loads(body)))
            elif kind == b"F":
                yield ReadBlock(number, receipt=orjson.loads(body))
            elif kind == b"R":
                yield ReadBlock(number, rejected=Rejected.model_validate(orjson.loads(body)))
            else:
                documents = await anyio.to_thread.run_sync(_documents, body)
                yield ReadBlock(number, tuple(documents), len(body))


class ReaderEndedError(SourceError):
    """The reading process ended early; the file being read may be the cause."""


async def _frame(stream: BufferedByteReceiveStream, process: anyio.abc.Process) -> tuple[bytes, bytes]:
    try:
        with anyio.fail_after(SILENT_SECONDS):
            kind, size = (await stream.receive_until(b"\n", _HEADER_BYTES)).split()
            if int(size) > _BLOCK_BYTES:
                raise ReaderEndedError("reading went wrong")
            return kind, await stream.receive_exactly(int(size))
    except TimeoutError:
        raise ReaderEndedError(f"reading stood still for {SILENT_SECONDS:.0f} seconds") from None
    except (anyio.EndOfStream, anyio.IncompleteRead, anyio.DelimiterNotFound, ValueError):
        code = None
        with anyio.move_on_after(END_SECONDS):
            code = await process.wait()
        how = f"by signal {-code}" if code is not None and code < 0 else f"with code {code}"
        raise ReaderEndedError(f"the process that reads it ended {how}") from None


@asynccontextmanager
async def _copies_folder(data_dir: Path) -> AsyncGenerator[Path]:
    """Make a private folder for the reader's temporary copies.

    Raises:
        StoreError: there is no place for it.
    """
    made = reader_folder(data_dir)
    try:
        folder = await anyio.to_thread.run_sync(made.__enter__)
    except OSError as error:
        raise StoreError(f"no folder for readers can be made: {error.strerror}", hint="is the disk full?") from error
    try:
        yield folder
    finally:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(made.__exit__, None, None, None)


@asynccontextmanager
async def _process(order: Mapping[str, Any], folder: Path) -> AsyncGenerator[anyio.abc.Process]:
    # -P: the folder that memd was started in must not lend it modules.
    command = [sys.executable, "-P", "-m", _MODULE]
    try:
        process = await anyio.open_process(
            command, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, env=_environment(folder), cwd="/"
        )
    except OSError as error:
        raise StoreError(f"no process can be started: {error.strerror}", hint="is the memory full?") from error
    async with process:
        try:
            assert process.stdin is not None
            options = {**order["options"], "temporary": str(folder)}
            with suppress(
                anyio.BrokenResourceError, anyio.ClosedResourceError
            ):  # it has ended: the read below reports how
                await process.stdin.send(orjson.dumps({**order, "options": options}) + b"\n")
            yield process
        finally:
            # Kill is safe: the process holds nothing that could be lost.
            if process.returncode is None:
                process.kill()


def _environment(folder: Path) -> dict[str, str]:
    """Return the environment of the process: only what the interpreter and the time zone need. Code that parses
    untrusted files can reach no keys, and writes its temporary files into its own folder.
    """
    kept = {name: value for name, value in os.environ.items() if name in _ENVIRONMENT or name.startswith("LC_")}
    return kept | {"TMPDIR": str(folder), "SQLITE_TMPDIR": str(folder)}


def _documents(body: bytes) -> list[Document]:
    documents: list[Document] = []
    for number, line in enumerate(body.rstrip(b"\n").split(b"\n")):
        records = document_from_wire(parse_json(line).value, f"line {number}")
        documents += [record for record in records if not isinstance(record, Notice | Rejected)]
    return documents
