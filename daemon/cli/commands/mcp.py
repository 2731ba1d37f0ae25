"""`memd mcp`: serve the memory to an agent over standard input and output.

Rule 1: an agent waits for the first list of tools, so this file and what it imports stay lighter than other verbs.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from ...config.paths import ResolvedPaths, locate
from ..arguments import Parser, UsageError, Verbs, absolute, add_verb, global_options

_EXAMPLES = """\
  memd mcp                            what an agent is configured to run
  claude mcp add memd -- memd mcp
"""


def add(verbs: Verbs) -> None:
    """Its arguments."""
    parser = add_verb(verbs, "mcp", "serve the memory to an agent (Model Context Protocol)", _EXAMPLES, (0, 2))
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
    """Serve until the input ends."""
    from ...mcp.memd_server import memd_server
    from ...mcp.memory import LocalDaemon, Memory
    from ...mcp.stdio import serve_stdio

    def places() -> ResolvedPaths:
        return locate(config=arguments.config, data_dir=arguments.data_dir, socket=arguments.socket)

    places()  # a configuration that cannot be read is told now
    flags = [
        word
        for flag, value in (
            ("--config", arguments.config),
            ("--data-dir", arguments.data_dir),
            ("--socket", arguments.socket),
        )
        if value
        for word in (flag, absolute(str(value)))
    ]
    serve_stdio(
        memd_server(Memory(LocalDaemon(places, flags, allowed=not arguments.no_start)), forgets=arguments.allow_forget)
    )
    return 0
