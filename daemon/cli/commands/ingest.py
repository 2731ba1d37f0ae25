"""`memd ingest`: read exports and keep what they hold, through whoever owns the memory or as its owner."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ...client import OTHER_VERSION_HINT, STOPPED_MESSAGE, DaemonError, DaemonGoneError, DaemonTimeoutError
from ...operations import RECEIPT, STATUS
from ..arguments import UsageError, Verbs, add_reading, add_verb, again, command_text
from ..connect import daemon_of, with_client
from ..output import print_json
from ..receipt_parts import receipt_parts
from ..render.ingest_summary import IngestSummary, print_summary, stopped_lines
from ..render.progress import ProgressBar
from ..render.prompts import ask_who, ask_yes, can_ask
from ..render.read_contents import print_contents
from ..render.read_files import LISTED, files_of, print_files
from ..render.terminal import one_line, say, say_command

if TYPE_CHECKING:
    from ....memory.ingest.batching import DayDigest
    from ...client import Client
    from ...config.settings import Settings
    from .read_paths import SourceReader

_EXAMPLES = """\
  memd ingest ./whatsapp.zip                     an export as the app made it
  memd ingest ./exports --zone Europe/Berlin     a folder of them
  memd ingest chat.txt --me "Ann Smith" --no-wait
  memd ingest --estimate ./exports               what facts by a language model would cost
  other-tool | memd ingest -                     documents as JSON lines
"""


def add(verbs: Verbs) -> None:
    """Its arguments."""
    parser = add_verb(verbs, "ingest", "read exports and keep what they hold", _EXAMPLES, (0, 1, 2, 3, 4, 5, 6, 130))
    parser.add_argument("paths", nargs="+", metavar="PATH", help="files, folders, archives; - is standard input")
    parser.add_argument("--no-wait", action="store_true", help="return when all is kept; vectors are made later")
    parser.add_argument("--estimate", action="store_true", help="only say what reading by a language model would take")
    parser.add_argument("--allow-again", action="store_true", help="let what was forgotten of these come back")
    parser.add_argument("--verbose", action="store_true", help="name every file that was read or left out")
    add_reading(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Read, keep, wait for the vectors, tell what happened."""
    from ..settings import settings_of, show_times_in_named_zone
    from .read_paths import SourceReader, options_of

    settings = settings_of(arguments)
    reading = SourceReader(arguments.paths, options_of(arguments, settings))
    if arguments.estimate:
        from .estimate import run_estimate

        return run_estimate(arguments, reading, settings)
    _determine_user(reading, settings)
    if arguments.zone:
        show_times_in_named_zone(settings, arguments.zone)
    for left in reversed(range(OWNERS if "-" not in reading.paths else 1)):
        job = _IngestCommand(arguments, reading, last=not left)
        try:
            return with_client(arguments, job.run)
        except KeyboardInterrupt:
            job.interrupted()
            raise
        except (_OwnerEndedError, DaemonGoneError):
            if not left:
                raise
        except DaemonError as error:
            if not left or error.code != "BUSY":
                raise
        # Begun again from the start: what the former owner kept is known, and is not kept twice.
        say("the memd that kept this has ended; going on with the next, or without")
        time.sleep(0.2)
    raise AssertionError("the last one returns or raises")


class _OwnerEndedError(Exception):
    """Whoever owns the memory ended while this ran."""


_READING = ("me", "chat", "zone", "date_order", "format")
"""The names of the flags of `add_reading` in the parsed arguments."""
OWNERS = 4
"""The number of owners that one ingest can outlive: another command is the owner only while it runs."""
MANY_VECTORS = 500
"""With so many vectors to go, a terminal is told that questions work meanwhile: a few seconds."""
AT_HAND_BYTES = 64 * 1024 * 1024
"""The maximum bytes of lines kept in memory after the check whether the chats are new: about 200,000 messages."""


class _IngestCommand:
    """One ingest: what it reads, what it has sent, what it heard back."""

    def __init__(self, arguments: argparse.Namespace, reading: SourceReader, *, last: bool = True) -> None:
        self._arguments = arguments
        self._last_owner = last
        self._reading = reading
        self._summary = IngestSummary()
        self._client: Client | None = None
        self._last: dict[str, Any] = {}
        self._kept = 0
        self._all_sent = False
        self._reading_left: dict[str, Any] = {}
        """The progress of reading stored documents, as the owner reports it at the end."""
        self._at_hand: list[tuple[bytes, DayDigest | None]] | None = None
        """All that `_lines` yields, read already."""
        self._receipt_refused = False
        """The daemon is of another version, and does not know all fields of the receipt."""

    def run(self, client: Client) -> int:
        """Everything that needs the owner; returns the exit code."""
        began = time.monotonic()
        self._client = client
        with ProgressBar() as bar:
            if "-" not in self._reading.paths:
                self._refuse_strangers(client, bar)
            run = self._send(client, bar)
            self._all_sent = True
            if run is not None:
                self._send_receipt(client, run)
                self._follow(client, run, bar)
            if not self._arguments.no_wait:
                self._reading_left = _reading_left(client)
        if self._last.get("detail") == STOPPED_MESSAGE and not self._last_owner:
            raise _OwnerEndedError
        receipt = self._reading.log.to_wire()
        files = files_of(receipt)
        body: dict[str, Any] = (
            self._summary.to_wire(self._last, time.monotonic() - began)
            | {
                "reading": self._reading_left,
                "contents": self._reading.log.contents().to_wire(),
                "files": files[:LISTED],
                "files_not_listed": len(files[LISTED:]),
            }
            | ({"receipt_refused": OTHER_VERSION_HINT} if self._receipt_refused else {})
        )
        if self._arguments.json:
            print_json(body)
        else:
            known = [record["locator"] for record in body["rejected_records"]]
            print_files(receipt, all_of_them=self._arguments.verbose, told=known)
            print_summary(body, self._again())
            if body["forgotten"] < body["messages"] or not body["forgotten"]:  # else nothing of it can be asked for
                print_contents(body["contents"], command_text(self._arguments, ["query"]))
            if self._receipt_refused:
                say(f"no receipt was kept of this run, but everything else: {OTHER_VERSION_HINT}")
        return _exit_code(body, self._reading.documents)

    def _again(self) -> str:
        """The command that lets what was forgotten of these paths come back."""
        return again(self._arguments, "ingest", _READING, "--allow-again", *self._arguments.paths)

    def interrupted(self) -> None:
        """Print the summary after Ctrl-C."""
        say()
        by_itself = daemon_of(self._arguments) is not None
        unanswered = self._client is not None and self._client.unanswered
        for line in stopped_lines(
            self._last, self._kept, all_sent=self._all_sent, by_itself=by_itself, unanswered=unanswered
        ):
            say(line)

    def _days(self) -> Iterator[tuple[str, str, str]]:
        """Yield the days of chats as `Client.undecided` takes them; the lines stay at hand as long as they are few enough."""
        size = 0
        self._at_hand = []
        for line, day in self._lines():
            size += len(line)
            if size > AT_HAND_BYTES:
                self._at_hand = None
            if self._at_hand is not None:
                self._at_hand.append((line, day))
            if day is not None:
                yield str(day.key), day.chat, day.digest.hex()

    def _lines(self) -> Iterator[tuple[bytes, DayDigest | None]]:
        """Yield the documents as JSON lines, with the digests of days of chats; what else was read goes into the summary,
        which begins anew.
        """
        from hashlib import sha256

        from ....memory.ingest.batching import day_digest
        from ....schemas import Notice, Rejected, document_to_line
        from ...client import DOCUMENT_TOO_LARGE, REQUEST_CAP, place_line

        self._summary = IngestSummary()
        place = ""
        for record in self._reading.records():
            if isinstance(record, Notice | Rejected):
                self._note(record)
                continue
            line = document_to_line(record)
            if len(line) <= REQUEST_CAP:
                if place != self._reading.log.place:
                    place = self._reading.log.place
                    yield place_line(place), None
                yield line, day_digest(record, sha256(line[:-1]).digest())
            else:
                messages = self._reading.log.exports[-1].refuse(record, DOCUMENT_TOO_LARGE)
                self._reading.documents -= 1
                self._reading.rejected += messages
                self._summary.reject(Rejected(locator=record.id, reason=DOCUMENT_TOO_LARGE), messages)

    def _lines_again(self) -> Iterable[tuple[bytes, DayDigest | None]]:
        return self._lines() if self._at_hand is None else self._at_hand

    def _note(self, record: Any) -> None:  # noqa: ANN401 - a Notice or a Rejected, whose types are imported late
        if hasattr(record, "reason"):
            self._summary.reject(record)
        else:
            self._summary.notice(record)

    def _refuse_strangers(self, client: Client, bar: ProgressBar) -> None:
        """Another chat of the same title must not be mixed into the stored one.

        Raises:
            UsageError: there is such a chat, and nobody to ask, or the answer was no.
        """
        undecided = client.undecided(self._days())
        lines = self._lines_again() if undecided else ()
        found = client.conflicts(line for line, day in lines if day is not None and str(day.key) in undecided)
        if not found:
            return
        bar.clear()
        titles = ", ".join(one_line(title, 60) for title in found)
        told = f"a chat of this name is stored, and shares no message with this one: {titles}"
        if can_ask():
            say(told)
            if ask_yes("Are they the same chat?"):
                return
        raise UsageError(told, "give this one a name of its own: --chat NAME")

    def _send(self, client: Client, bar: ProgressBar) -> str | None:
        run = None
        for answer in client.send_documents(
            (line for line, _ in self._lines_again()),
            {"source": "ingest", "receipt": 1} | ({"again": 1} if self._arguments.allow_again else {}),
            lambda: self._summary.rejected,
        ):
            run = answer.run
            self._kept += answer.accepted + answer.unchanged
            self._last = {"run": run, "stage": "reading", "processed": self._kept}
            bar.show(self._last)
        return run

    def _send_receipt(self, client: Client, run: str) -> None:
        """Tell what was read of which files. An older daemon may not know all fields; the documents are kept before this."""
        try:
            for part in receipt_parts(self._reading.log.to_wire()):
                client.call(RECEIPT, {"run": run, **part}, idempotent=False)
        except DaemonError as error:
            if not error.of_other_version:
                raise
            self._receipt_refused = True

    def _follow(self, client: Client, run: str, bar: ProgressBar) -> None:
        quiet = self._arguments.json or not sys.stderr.isatty()
        for update in client.events(run):
            if not quiet and update.get("stage") == "embedding" and vectors_left(update) >= MANY_VECTORS:
                quiet = True
                bar.clear()
                command = command_text(self._arguments, ["query"])
                say_command("it can be asked already, in another terminal:", f'{command} "where does Bob live?"')
            self._last = update
            bar.show(update)
            if update.get("outcome") or (self._arguments.no_wait and update.get("stage") in ("embedding", "done")):
                return


def vectors_left(update: Mapping[str, Any]) -> int:
    """Return the number of vectors that are to be made after a progress update."""
    return int(update.get("to_embed", 0)) - int(update.get("embedded", 0))


def _reading_left(client: Client) -> dict[str, Any]:
    """Return the number of unread documents, and the reason; empty if the owner has gone meanwhile."""
    try:
        return dict(client.call(STATUS).get("reading") or {})
    except (DaemonError, DaemonGoneError, DaemonTimeoutError):
        return {}


def _determine_user(reading: SourceReader, settings: Settings) -> None:
    """Ask who the user is, once for each source, where the exports do not show it and somebody can answer."""
    if reading.options.me is not None or not can_ask():
        return
    from ..settings import remember_user

    asked: set[str] = set()
    for preview in reading.previews():
        if preview.user is None and preview.speakers and preview.format not in asked:
            asked.add(preview.format)
            name = ask_who(preview.title, preview.speakers)
            if name:
                reading.as_user(preview.format, name)
                remember_user(settings, preview.format, name)


def _exit_code(body: dict[str, Any], documents: int) -> int:
    if body["outcome"] == "failed":
        return 1
    if body["rejected"] or body["failed"]:
        return 4 if documents else 3
    return 4 if body["outcome"] == "partial" or "receipt_refused" in body else 0
