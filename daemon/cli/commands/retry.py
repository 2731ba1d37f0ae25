"""`memd retry`: what was given up, stored or read, goes into the queue again, or away."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from ...operations import DEAD_LETTERS, DISCARD, RETRY, STATS
from ..arguments import Verbs, add_verb
from ..connect import with_client
from ..output import print_json
from ..render.progress import ProgressBar
from ..render.prompts import confirmed
from ..render.terminal import counted, joined, line_columns, one_line, print_told, say, words_of

if TYPE_CHECKING:
    from ...client import Client

_EXAMPLES = """\
  memd retry --list                           what was given up, and why
  memd retry                                  try all of it again
  memd retry 17 whatsapp:Bob:2024-01-15       some, by number or by the document's id
  memd retry --discard 17                     remove one for good, after asking

A document is given up after as many attempts as `ingest.attempts` says, so that it does not hold up the others. A part
of a conversation that a language model could not read for facts is tried again after a minute, ten minutes and an
hour, and with every import; it is found by its words meanwhile. With --discard it is taken for read, and says nothing; without an ID only what is not tried again by itself.
"""
_REASONS = {
    "refused": "the model, or a filter before it, refuses to read it",
    "truncated": "the model's answer is cut before its end",
    "too-long": "it is too long for the model",
    "not-taken": "the endpoint does not take it",
    "unreadable": "the model's answer is not in the form that was asked for",
    "failed": "the endpoint fails at it, and answers others",
}
PAGE = 1000
_SHOWN = 50


def add(verbs: Verbs) -> None:
    """Its arguments."""
    parser = add_verb(verbs, "retry", "try again what was given up", _EXAMPLES, (0, 1, 2, 4, 5, 6, 7, 130))
    parser.add_argument(
        "ids",
        nargs="*",
        metavar="ID",
        help="numbers, ids, of which eight characters suffice, or document ids; default: all",
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--list", action="store_true", help="show what was given up")
    what.add_argument("--discard", action="store_true", help="remove it instead")
    parser.add_argument("--dry-run", action="store_true", help="with --discard: show what would go")
    parser.add_argument("--yes", action="store_true", help="with --discard: do not ask")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """List, try again or remove."""
    if arguments.list or arguments.discard:
        letters, windows, more = with_client(arguments, _all, single_request=True, reads=True)
        if arguments.ids:
            letters, windows = _chosen(letters, arguments.ids), _chosen(windows, arguments.ids)
        elif arguments.discard:  # what is tried again by itself is not given up
            windows = [each for each in windows if "again_s" not in each]
        if arguments.discard:
            return _discard(arguments, letters, windows)
        if arguments.json:
            print_json({"dead_letters": letters, "windows": windows} | ({"more_windows": more} if more else {}))
        else:
            _print(letters, windows)
            if more:
                say(f"{more:,} more parts of conversations are not listed")
        return 0 if letters or windows or not arguments.ids else 7
    return with_client(arguments, lambda client: _retry(arguments, client))


def _retry(arguments: argparse.Namespace, client: Client) -> int:
    sent = client.call(RETRY, {"ids": arguments.ids} if arguments.ids else {})
    last: dict[str, Any] = {}
    if sent["run"] is not None:
        with ProgressBar() as bar:
            for update in client.events(sent["run"]):
                last = update
                bar.show(update)
                if update.get("outcome"):
                    break
    outcome = str(last.get("outcome") or "ok")
    left = client.call(DEAD_LETTERS, {"limit": 1})
    if arguments.ids:
        unread = len(_chosen(left["windows"], arguments.ids))
    else:
        unread = len(left["windows"]) + left.get("more_windows", 0)
    if outcome == "ok" and unread:
        outcome = "partial"
    body = sent | {
        "outcome": outcome,
        "failed": int(last.get("failed", 0)),
        "detail": str(last.get("detail", "")),
        "dead_letters": int(client.call(STATS)["dead_letters"]),
        "unread_windows": unread,
    }
    if arguments.json:
        print_json(body)
    elif sent["run"] is None:
        say("nothing was given up")
    else:
        if sent["documents"]:
            stored = counted(int(sent["messages"]) - int(body["failed"]), "message")
            say(f"{stored} of {counted(sent['documents'], 'document')} stored, {body['failed']:,} failed")
        if sent["windows"]:
            parts = counted(max(0, sent["windows"] - unread), "part")
            say(f"{parts} of conversations read for facts, {unread:,} not: memd retry --list says why")
        if body["detail"]:
            say(one_line(body["detail"]))
        if body["dead_letters"]:
            say(f"{counted(int(body['dead_letters']), 'document')} given up: memd retry --list says why")
    return {"ok": 0, "partial": 4, "failed": 4}.get(outcome, 1)


def _chosen(entries: list[dict[str, Any]], ids: list[str]) -> list[dict[str, Any]]:
    """Return those of these entries that ids lead to, by their own id, its beginning, or their document's id.

    Raises:
        NotFoundError: the ids of several begin so.
    """
    from ....schemas.id_prefixes import whole_ids

    chosen = set(whole_ids(ids, ((each["id"], each["document_id"]) for each in entries)))
    return [each for each in entries if {each["id"], each["document_id"]} & chosen]


def _discard(arguments: argparse.Namespace, letters: list[dict[str, Any]], windows: list[dict[str, Any]]) -> int:
    messages = sum(each["messages"] for each in letters)
    if not arguments.json:
        _print(letters, windows)
    if not (letters or windows) or arguments.dry_run:
        if arguments.json:
            counts = {"documents": len(letters), "messages": messages, "windows": len(windows)}
            print_json(counts | {"dry_run": True})
        return 7 if arguments.ids and not (letters or windows) else 0
    questions = [f"Remove {counted(len(letters), 'document')} for good"] if letters else []
    questions += [f"Take {counted(len(windows), 'part')} of conversations for read"] if windows else []
    if not (arguments.yes or confirmed(f"{', and '.join(questions)}?")):
        return 0
    # Those that were shown, and none that came since.
    body = {"ids": [each["id"] for each in (*letters, *windows)]}
    done = with_client(arguments, lambda client: client.call(DISCARD, body), single_request=True)
    if arguments.json:
        print_json(done | {"dry_run": False})
    else:
        if letters:
            say(f"removed {counted(done['messages'], 'message')} of {counted(done['documents'], 'document')}")
        if windows:
            say(f"{counted(done['windows'], 'part')} of conversations taken for read")
    return 0


def _all(client: Client) -> tuple[list[dict[str, Any]], list[dict[str, Any]], int]:
    """(documents that were given up, windows that could not be read, how many more of these there are)."""
    entries: list[dict[str, Any]] = []
    windows: list[dict[str, Any]] = []
    more = 0
    after: str | None = None
    while True:
        page = client.call(DEAD_LETTERS, {"limit": PAGE, "after": after})
        entries += page["dead_letters"]
        windows += page.get("windows", ())
        more += page.get("more_windows", 0)
        after = page.get("next")
        if after is None:
            return entries, windows, more


def _print(letters: list[dict[str, Any]], windows: list[dict[str, Any]]) -> None:
    columns = line_columns(sys.stdout)
    if not letters and not windows:
        print("nothing was given up")
    for each in letters[:_SHOWN]:
        tried = f"{counted(each['messages'], 'message')}, {counted(each['attempts'], 'attempt')}, {_age(each['age_s'])}"
        where = f"{one_line(each['source'], 20)}  {one_line(each['document_id'], 60)}"
        for line in joined([f"{each['id']:>5}", where, f"({tried} ago)"], "  ", " " * 7, columns, first=""):
            print(line)
        for line in joined(words_of(one_line(each["reason"])), " ", " " * 9, columns, first=" " * 7):
            print(line)
    for each in windows[:_SHOWN]:
        again = f"tried again in {_age(each['again_s'])}" if "again_s" in each else "given up"
        tried = f"({counted(each['attempts'], 'attempt')}, {_age(each['age_s'])} ago, {again})"
        where = f"{one_line(each['source'], 20)}  {one_line(each['document_id'], 60)}"
        for line in joined([one_line(each["id"]), where, tried], "  ", " " * 7, columns, first=""):
            print(line)
        reason = f"not read for facts: {_REASONS.get(each['reason'], one_line(each['reason']))}"
        for line in joined(reason.split(), " ", " " * 9, columns, first=" " * 7):
            print(line)
    hidden = sum(max(0, len(listed) - _SHOWN) for listed in (letters, windows))
    if hidden:
        print_told(f"       … and {hidden:,} more; --json lists all")


def _age(seconds: float) -> str:
    for unit, length in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if seconds >= length:
            return counted(int(seconds // length), unit)
    return counted(int(seconds), "second")
