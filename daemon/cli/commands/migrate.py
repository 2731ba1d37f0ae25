"""`memd migrate`: fill another index from the store, and compare it."""

from __future__ import annotations

import argparse

from ....memory.index.engines import ENGINES
from ...exit_codes import PARTLY
from ...operations import MIGRATE
from ..arguments import Verbs, add_verb
from ..connect import operate
from ..output import print_json
from ..render.terminal import one_line, say

_EXAMPLES = """\
  memd migrate --index weaviate                  fill the Weaviate server of [weaviate], and compare it with the store
  memd migrate --index weaviate --remove-other   after the settings name it: remove the files of the index before

Nothing is embedded, and no model is asked. Questions are answered by the index in use meanwhile, what is ingested is
stored, and `memd forget` gets its turn within a minute. Interrupted at any time, it goes on where it was.
storage.index in the settings says which index is in use.
"""


def add(verbs: Verbs) -> None:
    """Its arguments."""
    parser = add_verb(verbs, "migrate", "fill another index from the store", _EXAMPLES, (0, 2, 4, 5, 6, 130))
    parser.add_argument("--index", required=True, choices=ENGINES, help="which index is filled")
    parser.add_argument("--remove-other", action="store_true", help="remove the other index, which is not in use")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Do it through the owner, or as the owner."""
    body = {"index": arguments.index, "remove_other": arguments.remove_other}
    result = operate(arguments, MIGRATE, body)
    code = 0 if result["complete"] else PARTLY
    if arguments.json:
        print_json(result)
        return code
    for each in result["findings"]:
        say(one_line(each["detail"]))
    if not result["complete"]:
        say("next: memd migrate again; `memd doctor` tells more")
    elif result["removed"]:
        say("the other index is removed")
    elif result["in_use"]:
        say("this index is in use; --remove-other removes the other")
    else:
        say(f'next: index = "{result["index"]}" in [storage] of the settings, then start memd again if it runs')
    return code
