"""`memd ask`: an answer in words, by the language model of the settings, each sentence with the messages it rests on."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from ...operations import ASK
from ..arguments import (
    Verbs,
    add_filters,
    add_ignore,
    add_verb,
    add_without,
    filters_of,
    parts_of,
    question,
    whole_number,
)
from ..connect import operate, paths_of
from ..last_answer import remember_hits
from ..output import print_json
from ..render.hits import print_answer
from ..render.terminal import columns_of, counted, say, wrapped

_EXAMPLES = """\
  memd ask "where does Bob live, and since when?"
  memd ask "what did we plan for the summer?" --since 2024-01-01 --json

It needs a language model: [llm] model and base_url in the settings. What is sent can be seen with memd audit.
"""


def add(verbs: Verbs) -> None:
    """Its arguments."""
    parser = add_verb(verbs, "ask", "an answer in words, with the messages it rests on", _EXAMPLES, (0, 2, 5, 6, 7))
    parser.add_argument("text", metavar="TEXT", help="the question")
    parser.add_argument(
        "-k", "--limit", type=whole_number, default=20, metavar="N", help="from how many hits; default 20"
    )
    add_filters(parser)
    add_ignore(parser)
    add_without(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Ask; 7 when it is not in memory."""
    body: dict[str, Any] = {"text": question(arguments.text), "limit": arguments.limit, **filters_of(arguments)}
    body |= {"ignore": arguments.ignore} if arguments.ignore else {}
    body |= parts_of(arguments)
    result = operate(arguments, ASK, body)
    if arguments.json:
        print_json(result)
        return 0 if result["found"] else 7
    numbers = {str(hit["id"]): number for number, hit in enumerate(result["hits"], 1)}
    if not result["found"]:
        print("not in memory")
    for sentence in result["answer"]:
        cited = ", ".join(str(numbers[each]) for each in sentence["ids"] if each in numbers)
        for line in wrapped(f"{sentence['text']} [{cited}]", "", columns_of(sys.stdout)):
            print(line)
    if result["dropped"]:
        say(f"{counted(result['dropped'], 'sentence')} left out: the messages that are cited do not say so")
    if result["withheld"]:
        say(f"{counted(result['withheld'], 'hit')} kept back: nothing of them is ever sent")
    used = {each for sentence in result["answer"] for each in sentence["ids"]}
    hits = [hit for hit in result["hits"] if str(hit["id"]) in used or not result["found"]]
    remember_hits(paths_of(arguments), print_answer({**result, "query": result["question"], "hits": hits}))
    return 0 if result["found"] else 7
