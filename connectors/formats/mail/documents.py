"""Converts spooled mails to thread documents: names of speakers, the user, and the fields of messages."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any, cast

from ....schemas import SYSTEM_SPEAKER, UNKNOWN_USER, EmailThreadDocument, Rejected
from ....schemas.identity_links import identity_metadata, mail_link
from ....schemas.times import localise, utc_microseconds
from ...connector import ReadOptions
from ...record_faults import document_of
from .headers import Address
from .message import MailMessage, answered_ids
from .segments import MailSegment, wire_segments
from .spool import Header, Spooled
from .subjects import topic_of, without_prefixes

SOURCE = "mail"
LARGE_THREAD = 5_000
"""The number of mails after which a thread is split into parts with the same id."""
LARGE_TEXT = 16 << 20
"""The number of characters after which a thread is split, too."""
MOST_PEOPLE = 200
"""The largest number of people listed in a thread besides the authors."""
_LONGEST_LIST = 4000
"""The largest length of the recipients kept with a message, in characters."""
_PRIORITIES = frozenset({"importance", "priority", "x-priority"})
_EXCHANGE_THREAD = 22
_BRACKETS = re.compile(r"\([^()]*\)")
"""Matches what programs put behind a name: ``Ida Korn (Jira)``."""
"""The number of leading bytes of a Thread-Index that all mails of a thread share."""


def spooled_form(mail: MailMessage, options: ReadOptions) -> tuple[Header, dict[str, Any]]:
    """Return the header for threading of a mail with a time, and the rest as plain data."""
    time = cast("datetime", mail.time)
    if not mail.zoned:
        time = localise(time.replace(tzinfo=None), options.zone)
    sender = mail.sender or Address("", "")
    linked = answered_ids(mail)
    return thread_header(mail, time), _data(mail, time, sender, linked, options)


def thread_header(mail: MailMessage, time: datetime) -> Header:
    """Return the header for threading of a mail with this time."""
    linked = answered_ids(mail)
    subject, is_reply = topic_of(mail.subject)
    sender = mail.sender or Address("", "")
    return Header(
        key=mail.key,
        time=utc_microseconds(time),
        address=sender.address or sender.name,
        name=sender.name,
        linked=[linked[0], *linked[-3:]] if len(linked) > 4 else linked,
        strong=_given_threads(mail, subject),
        subject=subject[:500],
        is_reply=is_reply,
        people=[each.address for each in (*mail.to, *mail.cc)[:50] if each.address],
    )


def _given_threads(mail: MailMessage, subject: str) -> list[str]:
    """Return the threads that the source names: Gmail's, and Exchange's combined with the subject."""
    result: list[str] = []
    if gmail := mail.headers.raw("x-gm-thrid").strip():
        result.append(f"gmail:{gmail}")
    index = mail.headers.raw("thread-index").strip()
    if index and subject:
        try:
            start = base64.b64decode(index[:64] + "=" * (-len(index[:64]) % 4))[:_EXCHANGE_THREAD]
        except (binascii.Error, ValueError):
            return result
        if len(start) == _EXCHANGE_THREAD:
            result.append(f"exchange:{start.hex()}:{subject}")
    return result


def _data(
    mail: MailMessage, time: datetime, sender: Address, linked: Sequence[str], options: ReadOptions
) -> dict[str, Any]:
    kind, content = _content(mail)
    segments = mail.body_segments if content == mail.body else ()
    data: dict[str, Any] = {
        "content": content,
        "time": time.isoformat(),
        "zone_origin": "explicit" if mail.zoned else options.zone_origin,
        "name": sender.name,
        "address": sender.address,
        "subject": mail.subject,
        "linked": [linked[0], linked[-1]] if linked else [],
        "people": [(each.name, each.address) for each in (*mail.to, *mail.cc)[:MOST_PEOPLE]],
        "mail_kind": mail.kind,
        "kind": kind,
        "metadata": _metadata(mail, sender),
    }
    if shown := wire_segments(segments):
        data["segments"] = shown
    if mail.attachments:
        data["attachments"] = [each.to_wire() for each in mail.attachments]
    if author := _only_forwards(segments, mail.body):
        data["forwarded_from"] = author
    if priority := _priority(mail):
        data["priority"] = priority
    return data


def _content(mail: MailMessage) -> tuple[str, str]:
    """Return the kind and the text; for a mail without text its subject or a placeholder."""
    if mail.body.strip():
        return ("event" if mail.invitation else "text"), mail.body
    if mail.encrypted:
        return "unknown", "[encrypted]"
    if mail.invitation:
        return "event", mail.subject or "[event]"
    if mail.attachments:
        kinds = {(each.mime or "").partition("/")[0] for each in mail.attachments}
        names = {"image": "[photo]", "video": "[video]", "audio": "[audio]"}
        return "media", names.get(kinds.pop(), "[file]") if len(kinds) == 1 else "[files]"
    if mail.subject:
        return "text", mail.subject
    return "unknown", "[empty]"


def _metadata(mail: MailMessage, sender: Address) -> dict[str, str]:
    metadata = {"from": sender.address}
    for name, people in (("to", mail.to), ("cc", mail.cc)):
        metadata[name] = ", ".join(
            f"{each.name} <{each.address}>" if each.name and each.address else each.name or each.address
            for each in people
        )
    metadata["mail_kind"] = "" if mail.kind == "personal" else mail.kind
    metadata["list"] = mail.headers.text("list-id")
    metadata["hidden_characters"] = str(mail.hidden) if mail.hidden else ""
    return {name: text[:_LONGEST_LIST] for name, text in metadata.items() if text}


def _only_forwards(segments: Sequence[MailSegment], body: str) -> str:
    """Return the author of the forwarded mail if the mail contains nothing else; else an empty string."""
    forward = next((each for each in segments if each.kind == "forward"), None)
    if forward is None or any(each.kind == "text" and body[each.start : each.end].strip() for each in segments):
        return ""
    return forward.author


def _priority(mail: MailMessage) -> str:
    if _PRIORITIES.isdisjoint(mail.headers.fields):
        return ""
    importance = mail.headers.raw("importance").strip().lower() or mail.headers.raw("priority").strip().lower()
    if importance in ("high", "urgent") or mail.headers.raw("x-priority").strip()[:1] in ("1", "2"):
        return "high"
    return (
        "low" if importance in ("low", "non-urgent") or mail.headers.raw("x-priority").strip()[:1] in ("4", "5") else ""
    )


@dataclass(frozen=True, slots=True)
class User:
    """The owner of the mailbox: one name for several addresses."""

    name: str = UNKNOWN_USER
    addresses: frozenset[str] = frozenset()


@dataclass(slots=True)
class ThreadDocuments:
    """Builds the documents of threads, one thread after the other."""

    user: User
    _speakers: dict[str, str] = field(default_factory=dict[str, str])
    _taken: dict[str, str] = field(default_factory=dict[str, str])
    _above: dict[str, str] = field(default_factory=dict[str, str])
    _followed: set[str] = field(default_factory=set[str])
    _shared: set[str] = field(default_factory=set[str])

    def documents(self, mails: Iterator[Spooled]) -> Iterator[EmailThreadDocument | Rejected]:
        """Yield the document of one thread; for one that is too large for memory, parts with the same id."""
        self._speakers, self._taken, self._above, self._followed, self._shared = {}, {}, {}, set(), set()
        for address in self.user.addresses:
            self._speakers[address] = self.user.name
        self._taken[self.user.name] = ""
        part: list[Spooled] = []
        size = 0
        root = subject = ""
        for mail in mails:
            if not root:
                root = _root(mail.data)
                subject = without_prefixes(mail.data["subject"])[0]
            part.append(mail)
            size += len(mail.data["content"])
            if len(part) >= LARGE_THREAD or size >= LARGE_TEXT:
                yield from self._made(root, subject, part)
                part, size = [], 0
        if part:
            yield from self._made(root, subject, part)

    def _made(self, root: str, subject: str, mails: list[Spooled]) -> Iterator[EmailThreadDocument | Rejected]:
        def place(index: int) -> str:
            return f"{SOURCE}:{mails[index].data['id']}"

        return document_of(partial(self._document, root, subject), mails, place)

    def _document(self, root: str, subject: str, mails: Sequence[Spooled]) -> EmailThreadDocument:
        names: dict[str, str] = {}
        for mail in mails:
            for name, address in ((mail.data["name"], mail.data["address"]), *mail.data["people"]):
                if name and address:
                    names.setdefault(address, name)
        self._note_shared(mails)
        messages = [self._message(mail.data, names) for mail in mails]
        people = dict.fromkeys(message["speaker"] for message in messages)
        people[self.user.name] = None
        others = dict.fromkeys(
            (address, "" if address else name) for mail in mails for name, address in mail.data["people"]
        )
        for address, name in list(others)[:MOST_PEOPLE]:
            people[self._speaker(name, address, names)] = None
        addresses = dict.fromkeys([*(mail.data["address"] for mail in mails), *(address for address, _ in others)])
        links: dict[str, list[str | None]] = {}
        for address in addresses:
            links.setdefault(self._speakers.get(address, ""), []).append(mail_link(address))
        return EmailThreadDocument.model_validate(
            {
                "id": f"{SOURCE}:{root}",
                "subject": subject,
                "conversation": {
                    "source": SOURCE,
                    "people": list(people),
                    "user": self.user.name,
                    "conversation": messages,
                },
                "tags": list(_united(mail.labels for mail in mails)),
                "metadata": {
                    "chat": f"{SOURCE}:{root}",
                    **({"title": subject} if subject else {}),
                    **identity_metadata(people, lambda name: links.get(name, ())),
                },
            }
        )

    def _note_shared(self, mails: Sequence[Spooled]) -> None:
        """Note the addresses under which programs and lists send what several people wrote, whose names share no word."""
        first: dict[str, set[str]] = {}
        for data in (mail.data for mail in mails if mail.data["mail_kind"] != "personal" and mail.data["name"]):
            words = {*_BRACKETS.sub(" ", data["name"]).casefold().split()}
            mine = data["address"] in self.user.addresses
            if not mine and first.setdefault(data["address"], words).isdisjoint(words):
                self._shared.add(data["address"])

    def _message(self, data: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
        speaker = self._speaker(data["name"], data["address"], names)
        message: dict[str, Any] = {
            "speaker": speaker,
            "content": data["content"],
            "time": datetime.fromisoformat(data["time"]),
            "id": data["id"],
            "kind": data["kind"],
            "zone_origin": data["zone_origin"],
            "metadata": data["metadata"],
        }
        mine = speaker == self.user.name
        if data["mail_kind"] == "automatic" or (data["mail_kind"] == "bulk" and not mine):
            message["role"] = "system"  # a bulk or automatic mail is no statement of a person about themselves
        for name in ("attachments", "forwarded_from", "priority"):
            if name in data:
                message[name] = data[name]
        if "segments" in data:
            keys = ("kind", "start", "end", "depth")
            message["segments"] = [dict(zip(keys, segment, strict=True)) for segment in data["segments"]]
        if data["linked"] and (answered := self._answered(data["id"], data["linked"][-1])):
            message["reply_to"] = answered
        return message

    def _answered(self, key: str, answered: str) -> str:
        """Return the answered mail, or an empty string if that one answers this mail, directly or not."""
        # A chain can lead back to a mail only if an earlier mail, by time, answers it.
        above: str | None = answered if key in self._followed or key == answered else None
        for _ in range(len(self._above) + 1):
            if above is None:
                break
            if above == key:
                return ""
            above = self._above.get(above)
        self._above[key] = answered
        self._followed.add(answered)
        return answered

    def _speaker(self, name: str, address: str, names: dict[str, str]) -> str:
        """Return the name of an address in this thread; the second person of a name gets the address appended."""
        shared = address in self._shared
        who = f"{address} {name}" if shared else address or name
        if not who:
            return SYSTEM_SPEAKER
        settled_name = self._speakers.get(who)
        if settled_name is not None:
            return settled_name
        shown = (name if shared else names.get(address, "") or name).strip() or address
        if shown in (SYSTEM_SPEAKER, UNKNOWN_USER) or self._taken.get(shown, who) != who:
            shown = f"{shown} ({address})" if address else f"{shown} (?)"
        self._speakers[who] = shown
        self._taken[shown] = who
        return shown


def _root(first: dict[str, Any]) -> str:
    """Return the id of a thread: that of the mail that began it, which may be missing."""
    return str(first["linked"][0]) if first["linked"] else str(first["id"])


def _united(labels: Iterable[Sequence[str]]) -> dict[str, None]:
    return dict.fromkeys(label for each in labels for label in each)
