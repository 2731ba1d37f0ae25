"""The command `memd`: finds the verb, runs it, turns what went wrong into a sentence and an exit code.

Rule 1: importing this, and every verb's file, imports no pydantic, no numpy and no event loop; a verb's `run` imports
what it needs. `memd query` beside a running daemon needs none of them.
"""

from __future__ import annotations

import errno
import os
import select
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module

from ..client import DaemonError
from ..config.home_zone import home_zone
from ..exit_codes import INTERRUPTED
from .arguments import Parser, UsageError, exit_codes_text, global_options
from .commands import version
from .connect import paths_of
from .errors import in_flags, innermost, report
from .render.charset import adapt_streams
from .render.wall_clock import show_times_in

COMMANDS = (
    "parse ingest query show documents ask llm audit facts history people graph chats serve sources sync runs status "
    "health install_service stats watch forget backup restore export retry doctor migrate reindex schema config "
    "mcp completion demo evaluate help_verb version"
)
"""The modules of `commands`, one for each verb, in the order of the help."""
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})

_EPILOG = f"""\
first steps:
  memd ingest ./whatsapp.zip          read an export, keep it, make it searchable
  memd query "where does Bob live?"   ask; every answer cites its messages
  memd serve                          keep answering over a Unix socket

exit codes:
{exit_codes_text()}

`memd VERB --help` has examples for each verb.
"""


@cache
def build_parser() -> Parser:
    """The whole command line. Made once: parsing changes nothing in it."""
    parser = Parser(
        prog="memd",
        description="Turn the conversations, mail and notes you already have into a memory that can be asked.",
        epilog=_EPILOG,
        parents=[global_options(top=True)],
    )
    parser.add_argument("-V", "--version", action="store_true", help="print the version and exit")
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", title="verbs", parser_class=Parser)
    for name in COMMANDS.split():
        import_module(f".commands.{name}", __package__).add(verbs)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line (default: the process's own); returns the exit code."""
    _open_standard_streams()
    words = list(sys.argv[1:] if argv is None else argv)
    as_json = "--json" in words
    adapt_streams()
    try:
        code = _run(words)
        sys.stdout.flush()
    except BrokenPipeError as error:
        if not _reader_gone():
            return report(error, as_json=as_json)
        # Whoever read our output has seen enough (`| head`); what is left of the buffer must not complain at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001 - the outermost handler: every error becomes a sentence and an exit code
        return report(_of_output(error), as_json=as_json)
    return code


def _open_standard_streams() -> None:
    """Put the null device in the place of a standard stream that was closed (``>&-``).

    The next file that is opened, such as a database, would get its number, and whatever a library prints there.
    """
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest number that is free, which is this one
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115


def _reader_gone() -> bool:
    """Return whether a standard stream has lost its reader. Another pipe or socket that broke is an ordinary error."""
    poll = select.poll()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            poll.register(stream.fileno(), 0)  # an error is told of all the same
    return any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll(0))


def _of_output(error: Exception) -> Exception:
    """An error of a full disk in words: whatever writes into the data directory tells its own, so it was the output."""
    inner = innermost(error)
    if not isinstance(inner, OSError) or inner.errno not in _NO_ROOM:
        return error
    # What is left of the buffer must not complain at exit.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    from ...schemas.errors import StoreError

    return StoreError(f"the output cannot be written: {inner.strerror}", hint="is there room where it goes?")


def _run(words: Sequence[str]) -> int:
    parser = build_parser()
    arguments, unknown = parser.parse_known_args(words)
    if unknown:
        parser.verb_parser(arguments).refuse_unknown(unknown)
    if arguments.version:
        return version.run(arguments)
    if arguments.verb is None:
        parser.print_help(sys.stderr)
        raise UsageError("which verb?", "try: memd --help")
    show_times_in(lambda: home_zone(paths_of(arguments)))
    try:
        code: int = arguments.run(arguments)
    except DaemonError as error:
        # A program that reads JSON knows the fields of the API, a person the flags.
        raise (
            error if arguments.json or error.code != "VAL" else in_flags(error, parser.verb_parser(arguments))
        ) from None
    return code
