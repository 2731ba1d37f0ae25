"""`memd export`: what is stored as documents in JSON lines, which `memd ingest -` makes the same memory of."""

from __future__ import annotations

import argparse
import os
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from ..arguments import UsageError, Verbs, add_filters, add_verb, filters_of
from ..connect import with_client
from ..output import print_json, print_line
from ..render.terminal import counted, in_bytes, one_line, say

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping

    from ...client import Client

_PURPOSE = "exporting"
_EXAMPLES = """\
  memd export -o all.jsonl                              everything, into a private file
  memd export --source whatsapp --since 2024-01-01      whole documents that hold something of then
  memd export --document whatsapp:Bob:2024-01-15        one
  memd export | memd ingest - --data-dir ~/another      the same memory once more

The lines are the documents that `memd parse` prints and `memd ingest` reads, by source and id. `memd-key`, `memd-renamed`
and `memd-people` in their metadata say what their store knows beside them, so that another gives the same answers; who is
one person (`memd people merge`) is in an export of everything alone.
"""


def add(verbs: Verbs) -> None:
    """Its arguments."""
    parser = add_verb(verbs, "export", "print what is stored as documents", _EXAMPLES, (0, 2, 4, 5, 6, 7, 130))
    parser.add_argument("-o", "--output", metavar="FILE", help="write a private file instead of standard output")
    parser.add_argument("--force", action="store_true", help="replace FILE when it exists")
    parser.add_argument("--document", action="append", default=[], metavar="ID", help="a document, or a message in it")
    add_filters(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Stream the documents."""
    parameters: dict[str, Any] = {"documents": arguments.document, **filters_of(arguments)}
    if arguments.output is None or arguments.output == "-":
        _, waiting = with_client(
            arguments, lambda client: _stream(client, parameters, print_line), single_request=True, reads=True
        )
        return _told_waiting(waiting)
    target = Path(arguments.output).expanduser()
    if target.exists() and not target.is_file():
        # Putting a file in its place would replace /dev/null itself for everybody.
        raise UsageError(f"{target} is no file", "to write into a pipe or a device: memd export > FILE")
    if target.exists() and not arguments.force:
        raise UsageError(f"{target} exists", "choose another name, or replace it with --force")
    count, waiting, size = _write(arguments, parameters, target)
    if arguments.json:
        print_json({"file": str(target.absolute()), "documents": count, "bytes": size, "waiting": waiting})
    else:
        say(f"{counted(count, 'document')} in {one_line(target)} ({in_bytes(size)})")
    return _told_waiting(waiting)


def _told_waiting(waiting: int) -> int:
    """The exit code; an export that may lack something that was acknowledged is not whole."""
    if not waiting:
        return 0
    are = "waits" if waiting == 1 else "wait"
    say(f"memd: {counted(waiting, 'document')} {are} to be stored and may be missing here")
    say("hint: `memd status` tells when nothing waits any more; then export again")
    return 4


def _stream(client: Client, parameters: dict[str, Any], write: Callable[[bytes], object]) -> tuple[int, int]:
    """Write every line; returns how many there are, and how many documents wait to be stored."""
    results: list[Mapping[str, Any]] = []
    count = 0
    for line in client.documents(parameters, results.append):
        write(line)
        count += 1
    return count, sum(int(each.get("waiting", 0)) for each in results)


def _write(arguments: argparse.Namespace, parameters: dict[str, Any], target: Path) -> tuple[int, int, int]:
    """Write into a private folder beside it and put it in place when it is whole."""
    from ...temporary_folders import private_folder, remove_stale_folders

    if not target.parent.is_dir():
        raise UsageError(f"there is no folder {target.parent}", "make it, or choose another file")
    with ExitStack() as stack:
        with _writing(target):
            remove_stale_folders(target, _PURPOSE)
            folder = stack.enter_context(private_folder(target, _PURPOSE))
            descriptor = os.open(folder / "lines", os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600)
            file = os.fdopen(descriptor, "wb")
            stack.callback(_close, file)

        def write(line: bytes) -> None:
            with _writing(target):
                file.write(line)

        count, waiting = with_client(
            arguments, lambda client: _stream(client, parameters, write), single_request=True, reads=True
        )
        with _writing(target):
            file.flush()
            os.fsync(file.fileno())
            size = file.tell()
            (folder / "lines").replace(target)
    return count, waiting, size


def _close(file: BinaryIO) -> None:
    """Closing writes what is left in the buffer; why that cannot be written was told already."""
    with suppress(OSError):
        file.close()


@contextmanager
def _writing(target: Path) -> Generator[None]:
    """Raise errors of the file as a failed operation, not as a wrong command line."""
    try:
        yield
    except OSError as error:
        from ....schemas.errors import StoreError

        hint = "choose a file in a folder that you may write to, with room for it"
        raise StoreError(f"{target} cannot be written: {error.strerror}", hint=hint) from error
