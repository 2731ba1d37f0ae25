"""`memd forget`: plan what goes, show it, ask, and remove it for good."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...operations import FORGET
from ..arguments import SCOPE, UsageError, Verbs, add_scope, add_verb, command_text
from ..connect import operate
from ..output import print_json
from ..render.affected_chats import chat_lines
from ..render.prompts import confirmed
from ..render.quotes import elsewhere_lines, left_lines, quote_lines
from ..render.terminal import counted, joined, line_columns, one_line, say

_EXAMPLES = """\
  memd forget --chat "Book club" --dry-run           what would go
  memd forget --speaker Bob --since 2024-01-01       what Bob wrote since then
  memd forget --person Bob                           all that Bob wrote, and what is known about Bob
  memd forget --person Bob --quotes redact           also where others quote it
  memd forget --document whatsapp:Bob:2024-01-15     one day
  memd forget --source notes --yes                   without asking
  memd forget --user ann --session 7                 what a program sent for this user in this session

What goes: messages, their searchable words and vectors, earlier wordings, names that nothing else mentions, facts that
rest on them alone, what was sent of them to a language model and what it answered, and what waits in the journal.
Importing an export again does not bring it back. Backups that you made stay: `memd backup --keep 1` makes a new one and
drops the older. What other people quoted of it stays, too; the plan counts it. --quotes redact puts [redacted] in its
place, --quotes remove forgets the messages that quote it. Afterwards nobody can find these words there any more.

--speaker takes what was written under a name, and in each chat under the names that this person had there. --person
takes everybody's names whom `memd people NAME` shows, in every chat, and texts of which they are the author; and what is
known *about* them from the words of others is not believed any more, with its history. Those words stay: name their
document to forget them, too. What others write about that person later is read like everything else.
"""

_FIELDS = {
    "document": "documents",
    "source": "sources",
    "chat": "chats",
    "speaker": "speakers",
    "person": "people",
    "message": "messages",
}
"""By the flag, and the kind that a plan tells, the field of the request."""

_LISTED = {
    "chat": "`memd chats` lists them",
    "speaker": "`memd people` lists everybody who wrote",
    "person": "`memd people` lists everybody who wrote",
}
"""The hints, by kind, at the command that lists the names."""


def add(verbs: Verbs) -> None:
    """Its arguments."""
    parser = add_verb(verbs, "forget", "remove what you name, for good", _EXAMPLES, (0, 2, 4, 5, 6, 7, 130))
    group = parser.add_argument_group("what", "several values of one flag mean any of them, several flags mean all")
    group.add_argument(
        "--document",
        action="append",
        default=[],
        metavar="ID",
        help="a document, by id or key; eight characters of the key suffice",
    )
    group.add_argument("--source", action="append", default=[], metavar="NAME", help="whatsapp, …")
    group.add_argument(
        "--chat", action="append", default=[], metavar="NAME", help="a chat, by name or title; of a note, --document"
    )
    group.add_argument("--speaker", action="append", default=[], metavar="NAME", help="what this person wrote")
    group.add_argument(
        "--person",
        action="append",
        default=[],
        metavar="NAME",
        help="all this person wrote, and facts about them; not what others wrote beside them",
    )
    add_scope(group.add_argument)
    group.add_argument(
        "--message",
        action="append",
        default=[],
        metavar="ID",
        help="this message, by its key, of which eight characters suffice, or the id it came with",
    )
    group.add_argument(
        "--since",
        metavar="TIME",
        help='from this day, month or year on: 2024-01-15, 2024-01, 2024, "last week", "3 months ago"',
    )
    group.add_argument("--until", metavar="TIME", help="before the day, month or year begins; named as for --since")
    parser.add_argument(
        "--quotes",
        choices=("keep", "redact", "remove"),
        default="keep",
        help="where others quote it: keep that, redact the words alone, or remove these messages",
    )
    parser.add_argument("--dry-run", action="store_true", help="show the plan and change nothing")
    parser.add_argument("--yes", action="store_true", help="do not ask; names and keys must be whole then")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Plan, show, ask, act."""
    body: dict[str, Any] = {
        "documents": arguments.document,
        "sources": arguments.source,
        "chats": arguments.chat,
        "speakers": arguments.speaker,
        "people": arguments.person,
        "users": arguments.user,
        "agents": arguments.agent,
        "sessions": arguments.session,
        "messages": arguments.message,
        "since": arguments.since,
        "until": arguments.until,
    }
    if not any(body.values()):
        raise UsageError(
            "what is to be forgotten?",
            "name a document, source, chat, speaker, person, message or time: memd forget --help",
        )
    body["quotes"] = arguments.quotes
    whole = arguments.yes and not arguments.dry_run  # nobody looks at the plan: a name stands for itself alone
    plan = operate(arguments, FORGET, body | {"dry_run": True, "whole_names": whole}, reads=True)
    nothing = _is_nothing(plan)
    given = sum(len(body[field]) for kind, field in _FIELDS.items() if kind not in ("document", "message"))
    if (parts := [each for each in plan["taken"] if each.get("part_of")]) and (nothing or given > 1):
        raise _parts_refused(arguments, parts)
    if not arguments.json:
        for each in plan.get("taken", ()):
            say(_taken(each))
        _print_plan(plan, arguments)
        if plan["unpurged"]:
            say(f"something was forgotten before, {_unpurged(plan)}")
    if arguments.dry_run or nothing:
        if arguments.json:
            print_json(plan)
        return 7 if nothing else 0
    if not (arguments.yes or confirmed("Forget this for good?")):
        return 0
    names = {field: [_meant(plan, kind, name) for name in body[field]] for kind, field in _FIELDS.items()}
    done = operate(arguments, FORGET, body | names | {"dry_run": False, "plan": plan["plan"]}, single_request=False)
    if arguments.json:
        print_json({**({"quotes": plan["quotes"]} if "quotes" in plan else {}), **done})
    else:
        _print_done(done, plan.get("quotes"), arguments)
    return 4 if done["unpurged"] else 0


def _print_done(done: Mapping[str, Any], quotes: Mapping[str, Any] | None, arguments: argparse.Namespace) -> None:
    """Say what was removed, and what is known to be left elsewhere."""
    from ..settings import settings_of

    if done["unpurged"]:
        say(f"forgot {_removed(done)}, {_unpurged(done)}")
    elif not (done["messages"] or done["waiting"] or done["facts_about"]):
        pass  # only others quoted that person
    elif done.get("quotes") or not (quotes and quotes["messages"]):
        say(f"forgot {_removed(done)}; no file of the store holds them any more")
    else:
        say(f"forgot {_removed(done)}; their words are left where others quote them")
    for line in (*left_lines(done.get("quotes") or quotes), *elsewhere_lines(settings_of(arguments))):
        say(line)


def _meant(plan: Mapping[str, Any], kind: str, name: str) -> str:
    """The whole name for which a plan took one that was given; the given one where the plan has no other."""
    found = (each.get("name") for each in plan["taken"] if (each["kind"], each["asked"]) == (kind, name))
    return next((whole for whole in found if whole), name)


def _parts_refused(arguments: argparse.Namespace, parts: Sequence[Mapping[str, Any]]) -> Exception:
    """Nothing goes by a part of a name that nobody confirmed: the error, with what may be meant and what to type."""
    from ....schemas.errors import NotFoundError

    told = "; ".join(
        f"there is no {each['kind']} '{one_line(each['asked'], 60)}', it is a part of {_either(each['part_of'])}"
        for each in parts
    )
    whole = {(each["kind"], each["asked"]): each["part_of"] for each in parts}
    quotes = () if arguments.quotes == "keep" else ("--quotes", arguments.quotes)
    commands = [
        _command(arguments, {asked: names[min(number, len(names) - 1)] for asked, names in whole.items()}, *quotes)
        for number in range(max(map(len, whole.values())))
    ]
    return NotFoundError(told, hint=f"--yes takes whole names: {' or '.join(commands)}")


def _either(names: Sequence[str]) -> str:
    return " and of ".join(one_line(name, 60) for name in names)


def _command(arguments: argparse.Namespace, names: Mapping[tuple[str, str], str], *more: str) -> str:
    """This command with other names and with more words; ``--yes`` if names are given."""
    words = ["forget"]
    for flag in _FIELDS:
        for name in getattr(arguments, flag):
            words += [f"--{flag}", names.get((flag, name), name)]
    for flag in (*SCOPE, "message"):
        for name in getattr(arguments, flag):
            words += [f"--{flag}", name]
    for flag in ("since", "until"):
        if (moment := getattr(arguments, flag)) is not None:
            words += [f"--{flag}", moment]
    return command_text(arguments, [*words, *more, *(["--yes"] if names else [])])


def _removed(done: Mapping[str, Any]) -> str:
    """Return the text of what was removed, from the store and from the journal."""
    waiting = f"{counted(done['waiting'], 'message')} on the way" if done["waiting"] else ""
    stored = counted(done["messages"], "message") if done["messages"] or not waiting else ""
    return " and ".join(filter(None, (stored, waiting)))


def _unpurged(done: Mapping[str, Any]) -> str:
    files = " and ".join(done["unpurged"])
    return f"but {files} cannot be overwritten yet: memd tries again by itself, now and at every start"


def _print_plan(plan: dict[str, Any], arguments: argparse.Namespace) -> None:
    if _is_nothing(plan):
        say("nothing that is stored matches")
        if plan["damaged"]:
            say(f"{counted(plan['damaged'], 'document')} on the way cannot be read: memd retry --discard drops them")
        if plan.get("quotes", {}).get("messages"):
            _print_quotes(plan, arguments)
        return
    columns = line_columns(sys.stderr)
    if plan["messages"]:
        say(f"{counted(plan['messages'], 'message')} would go, for good:")
        for line in chat_lines(plan, columns):
            say(line)
    if partly := plan["documents"]["partly"]:
        say(f"other messages of {'this day' if partly == 1 else f'{partly:,} of these days'} stay")
    if plan["waiting"]:
        waiting = f"{counted(plan['waiting'], 'message')} on the way into the store or given up"
        say(f"and {waiting}" if plan["messages"] else f"{waiting} would go, for good")
    if plan["damaged"]:
        say(f"and {counted(plan['damaged'], 'damaged document')} on the way, for nobody can tell what they hold")
    for line in _name_lines(plan, columns):
        say(line)
    if plan["facts_about"]:
        say(f"and {counted(plan['facts_about'], 'fact')} about this person that others told; their messages stay")
    if "quotes" in plan:
        _print_quotes(plan, arguments)


def _print_quotes(plan: Mapping[str, Any], arguments: argparse.Namespace) -> None:
    commands = {each: _command(arguments, {}, "--quotes", each) for each in ("redact", "remove")}
    for line in quote_lines(plan["quotes"], commands, line_columns(sys.stderr), last=bool(plan["messages"])):
        say(line)


def _name_lines(plan: dict[str, Any], columns: int) -> Iterator[str]:
    """Every name that goes: where people are named who have several in the sources, each with its source."""
    identities = plan.get("identities", ())
    if len(plan["names"]) > 1:
        yield f"names of this person: {', '.join(one_line(name, 40) for name in plan['names'])}"
    if len(identities) > 1:
        named = [
            f"{one_line(each['name'], 40)} ({one_line(each['source'], 20)}, {counted(each['messages'], 'message')})"
            for each in identities
        ]
        yield from joined(named, ", ", "    ", columns, first="written as: ")


def _taken(each: Mapping[str, Any]) -> str:
    """Return the name that a part of a name was completed to: forgetting is final, so this is shown before the
    question.
    """
    asked = f"{each['kind']} '{one_line(each['asked'], 60)}'"
    if each.get("name"):
        return f"{asked} is taken for {one_line(each['name'], 60)}"
    near = " or ".join(one_line(name, 60) for name in each.get("nearest", ()))
    listed = f"; {_LISTED[each['kind']]}" if each["kind"] in _LISTED else ""
    return f"there is no {asked}" + (f"; did you mean {near}?" if near else listed)


def _is_nothing(plan: dict[str, Any]) -> bool:
    quotes = plan.get("quotes", {})
    quoting = quotes.get("messages") if quotes.get("treatment") != "keep" else 0
    return not (plan["messages"] or plan["waiting"] or plan["facts_about"] or quoting)
