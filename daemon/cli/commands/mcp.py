"""`memd mcp`: serve the memory to an agent over standard input and output.

Rule 1: an agent waits for the first list of tools, so this file and what it imports stay lighter than other verbs.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...config.paths import ResolvedPaths, locate
from ..arguments import Parser, UsageError, Verbs, absolute, add_verb, global_options

if TYPE_CHECKING:
    from ...mcp.memory import Memory

PROGRAMS = ("claude-code", "claude-desktop", "cursor", "vscode", "codex")
"""The programs of `mcp.programs`, which is imported when one is asked for."""
_EXAMPLES = """\
  memd mcp --install claude-code      show the change to its configuration, ask, write it
  memd mcp                            what an agent is configured to run
  memd mcp --recall "the boat"        what a hook prints at the start of a session
"""


def add(verbs: Verbs) -> None:
    """Its arguments."""
    parser = add_verb(verbs, "mcp", "serve the memory to an agent (Model Context Protocol)", _EXAMPLES, (0, 2, 6))
    parser.add_argument(
        "--install", choices=PROGRAMS, help="instead of serving, configure this program to run memd; it is shown first"
    )
    parser.add_argument("--yes", action="store_true", help="with --install: do not ask")
    parser.add_argument(
        "--recall", metavar="QUESTION", help="instead of serving, print what answers this, marked as a quotation"
    )
    parser.add_argument("--no-start", action="store_true", help="do not start a daemon where none runs")
    parser.add_argument(
        "--allow-forget", action="store_true", help="add the tool that forgets; the person confirms each plan"
    )
    parser.set_defaults(run=run)


def run_alone(words: Sequence[str]) -> int | None:
    """Run a command line of this verb without importing the others; None for one that is not to be run like that."""
    parser = Parser(prog="memd", parents=[global_options(top=True)])
    add(parser.add_subparsers(dest="verb", parser_class=Parser))
    try:
        arguments, unknown = parser.parse_known_args(words)
    except UsageError:
        return None
    if unknown:
        return None
    try:
        return run(arguments)
    except Exception as error:  # noqa: BLE001 - as in `dispatch`: every error becomes a sentence and an exit code
        from ..errors import report

        return report(error, as_json=arguments.json)


def run(arguments: argparse.Namespace) -> int:
    """Serve until the input ends; or install, or recall."""

    def places() -> ResolvedPaths:
        return locate(config=arguments.config, data_dir=arguments.data_dir, socket=arguments.socket)

    places()  # a configuration that cannot be read is told now
    choices = (("--config", arguments.config), ("--data-dir", arguments.data_dir), ("--socket", arguments.socket))
    flags = [word for flag, value in choices if value for word in (flag, absolute(str(value)))]
    if arguments.install:
        from .mcp_install import install

        return install(arguments, flags)
    from ...mcp.memory import LocalDaemon, Memory

    memory = Memory(LocalDaemon(places, allowed=not arguments.no_start))
    if arguments.recall is not None:
        return _recall(arguments.recall, memory)
    from ...mcp.memd_server import memd_server
    from ...mcp.stdio import serve_stdio

    serve_stdio(memd_server(memory, forgets=arguments.allow_forget))
    return 0


def _recall(question: str, memory: Memory) -> int:
    """Print what `search` finds; nothing where there is nothing."""
    from ...mcp.reading import search
    from ...mcp.results import ToolError

    try:
        result = search({"question": question, "limit": 5}, memory)
    except ToolError as error:
        from ...client import DaemonError

        envelope = {"code": error.code, "message": error.message, "hint": error.hint}
        raise DaemonError(envelope | {"correlation_id": error.correlation}) from None
    if result["structuredContent"]["hits"] or result["structuredContent"]["facts"]:
        print(result["content"][0]["text"])
    return 0
