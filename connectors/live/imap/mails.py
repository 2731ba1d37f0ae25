"""From fetched mails to documents, by the parser of exports of mail. No I/O but the spool's own file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from ....schemas import Document, Notice, Rejected
from ...connector import ReadOptions
from ...formats.mail.content import MailError
from ...formats.mail.documents import ThreadDocuments, User, spooled_form
from ...formats.mail.message import parse_message
from ...formats.mail.spool import ThreadSpool
from ...formats.mail.tally import about_left_out, notices_of, properties_of
from ...record_faults import Failure, attempt
from .errors import ProtocolError
from .frames import Literal
from .large_mails import LargeMail, put_together
from .responses import Fetch
from .values import bytes_of, list_of

FLAGGED = "Flagged"
"""The label of a mail with this mark."""
_SYSTEM_LABELS = {"\\inbox": "Inbox", "\\sent": "Sent", "\\important": "Important", "\\starred": "Starred"}


@dataclass(frozen=True, slots=True)
class FetchedMail:
    """A mail as the server sent it."""

    locator: str
    data: bytes
    cut: bool
    """True if the end of the mail is missing."""
    labels: tuple[str, ...]
    """Folders, labels, and ``Flagged``."""
    uid: int = 0
    """The UID in its folder."""
    thread: str = ""
    """Gmail's thread."""
    left_out: str = ""
    """The reason why the mail is not read: ``deleted``, ``drafts``; empty if it is read."""
    files: Mapping[int, int] = field(default_factory=dict[int, int])
    """The sizes of files whose content was not fetched, by the offset in the data at which each would begin."""


def fetched_mail(fetch: Fetch, locator: str, folder: str, large: LargeMail | None = None) -> FetchedMail:
    """Return the mail of a FETCH response.

    Args:
        fetch: what the server sent.
        locator: of the mail, for people.
        folder: it lies in.
        large: what was asked for where that is not all of it.

    Raises:
        ProtocolError: its values are not what they must be, or the server gives NIL for it.
    """
    data, cut, files = _whole(fetch) if large is None else _without_files(fetch, large)
    labels, left_out = labels_of(fetch, folder)
    return FetchedMail(
        locator=locator,
        data=data,
        cut=cut,
        labels=labels,
        uid=fetch.uid or 0,
        thread=(bytes_of(fetch.items.get("X-GM-THRID")) or b"").decode("ascii", "replace"),
        left_out=left_out,
        files=files,
    )


def labels_of(fetch: Fetch, folder: str) -> tuple[tuple[str, ...], str]:
    """Return the labels of a mail by the flags and labels of a FETCH response, and the reason why it is not read: empty
    if it is.

    Raises:
        ProtocolError: its values are not what they must be.
    """
    flags = {each.lower() for each in fetch.flags or ()}
    labels = [folder]
    if "X-GM-LABELS" in fetch.items:
        texts = [(bytes_of(each) or b"").decode("utf-8", "replace") for each in list_of(fetch.items["X-GM-LABELS"])]
        labels = [_SYSTEM_LABELS.get(each.lower(), each.removeprefix("\\")) for each in texts if each]
        if "\\draft" in map(str.lower, texts):
            flags.add("\\draft")
    if "\\flagged" in flags:
        labels.append(FLAGGED)
    left_out = "deleted" if "\\deleted" in flags else "drafts" if "\\draft" in flags else ""
    return tuple(dict.fromkeys(labels)), left_out


def _whole(fetch: Fetch) -> tuple[bytes, bool, dict[int, int]]:
    body = fetch.section("BODY[]")
    if body is None:
        raise ProtocolError("the server gives nothing of this mail")
    return (body.data, body.cut, {}) if isinstance(body, Literal) else (body, False, {})


def _without_files(fetch: Fetch, large: LargeMail) -> tuple[bytes, bool, dict[int, int]]:
    data, files = put_together(fetch, large)
    return data, False, files


@dataclass(slots=True)
class MailDocuments:
    """The documents, rejections and notices made of one batch of mails."""

    documents: list[Document] = field(default_factory=list[Document])
    rejected: list[Rejected] = field(default_factory=list[Rejected])
    notices: list[Notice] = field(default_factory=list[Notice])
    places: list[tuple[FetchedMail, str, str]] = field(default_factory=list[tuple[FetchedMail, str, str]])
    """The mails that were read, each with the id of its document and the id of its message."""


def header_digest(header: bytes) -> str:
    """Return a digest that identifies the header of a mail, regardless of the number of line ends after it."""
    end = header.find(b"\r\n\r\n")
    return sha256(header[: None if end < 0 else end].rstrip(b"\r\n")).hexdigest()[:16]


def documents_of(mails: Sequence[FetchedMail], user: User, options: ReadOptions, locator: str) -> MailDocuments:
    """Return the threads of mails that were fetched together as documents; a later batch adds to a thread under the
    same id.

    Args:
        mails: of one folder.
        user: whose account it is.
        options: the zone of dates without one.
        locator: where notices about several mails stand.
    """
    result = MailDocuments()
    counted: Counter[str] = Counter()
    left_out: Counter[str] = Counter()
    read: list[tuple[FetchedMail, str]] = []
    with ThreadSpool() as spool:
        for mail in mails:
            if mail.left_out:
                left_out[mail.left_out] += 1
                continue
            key = attempt(_spool, mail, spool, options, counted)
            if isinstance(key, Failure):
                key = Rejected(locator=mail.locator, reason=key)
            if isinstance(key, Rejected):
                result.rejected.append(key)
            else:
                read.append((mail, key))
        documents = ThreadDocuments(user)
        document_of: dict[str, str] = {}
        for thread in spool.threads():
            for document in documents.documents(thread):
                if isinstance(document, Rejected):
                    result.rejected.append(document)
                    continue
                result.documents.append(document)
                messages = document.conversation.conversation
                document_of |= {each.id: document.id for each in messages if each.id is not None}
    result.places = [(mail, document_of[key], key) for mail, key in read if key in document_of]
    result.notices += about_left_out(left_out, "mark", locator)
    result.notices += notices_of(counted, str(options.zone), locator)
    return result


def _spool(fetched: FetchedMail, spool: ThreadSpool, options: ReadOptions, counted: Counter[str]) -> str | Rejected:
    """Return the key of a mail, or the reason why it is not read."""
    # The export of Gmail has the thread in the same field.
    thread = f"X-GM-THRID: {fetched.thread}\r\n".encode() if fetched.thread else b""
    files = {len(thread) + start: size for start, size in fetched.files.items()}
    try:
        mail = parse_message(thread + fetched.data, cut=fetched.cut, left_out=files)
    except MailError as error:
        return Rejected(locator=fetched.locator, reason=str(error))
    if mail.time is None:
        return Rejected(locator=fetched.locator, reason="no date that can be read")
    counted.update(properties_of(mail, cut=fetched.cut))
    header, plain = spooled_form(mail, options)
    return spool.add(header, plain, fetched.labels)
