"""`memd llm`: find a language model on this machine and set it, or try the one that is set on stored messages."""

from __future__ import annotations

import argparse
import sys

from ...exit_codes import DONE, OF_CODE
from ...operations import TRY_MODEL
from ..arguments import Parser, UsageError, Verbs, add_verb, command_text, global_options, whole_number
from ..connect import operate
from ..output import print_json
from ..render.model_trial import trial_lines
from ..render.terminal import line_columns, say, say_command
from .llm_setup import SUGGESTED, run_setup

_EXAMPLES = f"""\
  memd llm setup                                   look for Ollama, llama.cpp, LM Studio and vLLM here
  memd llm setup --model {SUGGESTED} --yes             without questions
  memd llm setup --url http://127.0.0.1:9000/v1    another server; of another machine only where you name it
  memd llm test                                    show the model ten stored messages, and what comes of each
  memd llm test -n 3 --json

`setup` contacts this machine alone unless --url names another. It sends a conversation made up for it, and no message of
yours. `test` sends stored messages to the model of the settings, and stores nothing.
"""


def add(verbs: Verbs) -> None:
    """Its arguments."""
    parser = add_verb(verbs, "llm", "find a language model on this machine, or try it", _EXAMPLES, (0, 2, 5, 6, 7))
    actions = parser.add_subparsers(dest="action", metavar="ACTION", title="actions", parser_class=Parser)
    parser.set_defaults(run=_run_without_action)
    setup = _add_action(actions, "setup", "look for a model on this machine, try it, and write it into the settings")
    setup.add_argument("--url", metavar="URL", help="of an OpenAI-compatible server, mostly ending with /v1")
    setup.add_argument("--model", metavar="NAME", help="the model, instead of being asked")
    setup.add_argument("--yes", action="store_true", help="write the settings without asking")
    setup.add_argument("--dry-run", action="store_true", help="try the model, and write nothing")
    setup.set_defaults(run=run_setup)
    test = _add_action(actions, "test", "show the model stored messages, and what it makes of them; stores nothing")
    test.add_argument("-n", "--limit", type=whole_number, default=10, metavar="N", help="how many; default 10")
    test.set_defaults(run=run_test)


def _add_action(actions: Verbs, name: str, summary: str) -> Parser:
    parser: Parser = actions.add_parser(
        name, help=summary, description=f"{summary[:1].upper()}{summary[1:]}.", parents=[global_options()]
    )
    return parser


def _run_without_action(_: argparse.Namespace) -> int:
    raise UsageError("memd llm needs an action", "memd llm setup, or memd llm test")


def run_test(arguments: argparse.Namespace) -> int:
    """Try the model of the settings; 6 when it is of no use, 7 when no message is stored."""
    body = operate(arguments, TRY_MODEL, {"limit": arguments.limit}, reads=True)
    if arguments.json:
        print_json(body)
    else:
        for line in trial_lines(body, line_columns(sys.stdout)):
            print(line)
    if not body["messages"]:
        say("no stored message has enough words to hold a fact; memd ingest PATH stores an export")
        return OF_CODE["NOT_FOUND"]
    if body["usable"] or not body["useless"]:
        return DONE
    say_command("next: another model:", command_text(arguments, ["llm", "setup"]))
    return OF_CODE["LLM"]
