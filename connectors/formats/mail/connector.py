"""Reads mailboxes (mbox, Maildir, .eml, .emlx; Gmail's and Thunderbird's) as one document per thread.

One pass stores all mails in a temporary database; the threads are read from it after the last mail.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ....schemas import Notice, Rejected
from ....schemas.errors import SourceError
from ...connector import Connector, Member, Preview, ReadOptions, Record, Source
from ...errors import refusal
from ...opening import notice_places
from ...opening.tracked_member import count_left_out, count_read
from ...record_faults import attempt, or_reason
from .containers import HEAD, Container, Place, container_of, place_of, raw_messages
from .content import MailError
from .documents import SOURCE, ThreadDocuments, User, spooled_form
from .folders import is_sent, left_out
from .headers import parse_headers
from .mbox import RawMail
from .message import MailMessage, parse_message
from .owner import OwnerEvidence, named_user, parts_of
from .spool import ThreadSpool
from .tally import about_left_out, notices_of, properties_of

_SNIFFED = 50
"""The number of files that are sniffed; a folder of mail is recognised long before."""
_SURE = 0.9
_PREVIEWED_BYTES = 64 << 20
_PREVIEWED_MAILS = 5_000
_MOST_SPEAKERS = 1_000
_BATCH = 64
"""The number of mails that are parsed before the next step.

Small mails take a seventh less time this way, because the processor's caches hold the code and data of one step only.
"""
_BATCH_BYTES = 256 * 1024
_OF_THE_FOLDER = "DON'T DELETE THIS MESSAGE -- FOLDER INTERNAL DATA"
"""The subject of the first mail that servers and Pine write into a folder, which holds its state."""
COPY = "copy of a mail that was read before"
_EXPUNGED = 0x0008
"""Thunderbird's mark of mails that were deleted and are still in the file."""


class MailConnector:
    """Reads mail."""

    version = 4
    """The version of the output, which receipts record."""

    @property
    def name(self) -> str:
        """``mail``."""
        return SOURCE

    def sniff(self, source: Source) -> float:
        """Return 1 for an mbox, 0.95 for headers that only mail has, 0.6 for a sender and little more."""
        best = 0.0
        for member in source.members()[:_SNIFFED]:
            try:
                best = max(best, _likeness(member))
            except SourceError:
                continue
            if best >= _SURE:
                break
        return best

    def preview(self, source: Source, options: ReadOptions) -> Preview:
        """Return the authors and the owner of the mailbox, from the first mails."""
        evidence = OwnerEvidence()
        speakers: Counter[str] = Counter()
        names: dict[str, str] = {}
        size = 0
        for seen, (member, place, mail) in enumerate(_previewed(source), start=1):
            size += mail.size
            headers = parse_headers(mail.data)
            sender = next((each for each in headers.addresses("from") if each.address), None)
            if sender is not None and (len(speakers) < _MOST_SPEAKERS or sender.address in speakers):
                speakers[sender.address] += 1
                names.setdefault(sender.address, sender.name)
            labels = _labels(headers.text("x-gmail-labels"))
            sent = any(is_sent(each) for each in (*labels, place.folder, member.name))
            evidence.add(headers, sender.address if sender else "", headers.addresses("to"), sent=sent)
            if seen >= _PREVIEWED_MAILS or size >= _PREVIEWED_BYTES:
                break
        owners = evidence.addresses()
        named = next(filter(None, map(names.get, owners)), "") or evidence.name_of(owners)
        user = options.me or named or next(iter(owners), None)
        shown = [names.get(address) or address for address, _ in speakers.most_common()]
        return Preview(format=self.name, title=source.name, speakers=list(dict.fromkeys(shown)), user=user)

    def read(self, source: Source, options: ReadOptions) -> Iterator[Record]:
        """Yield rejections as they occur, then the threads by the time of their first mail, then notices."""
        with ThreadSpool() as spool:
            me = frozenset(part.casefold() for part in parts_of(options.me or ""))
            reading = _Reading(source, options, spool, OwnerEvidence(me=me))
            yield from reading.mails()
            user, notices = reading.user()
            documents = ThreadDocuments(user)
            for mails in spool.threads():
                yield from documents.documents(mails)
            yield from notices
            yield from reading.notices()


def _likeness(member: Member) -> float:
    with member.open() as stream:
        result = container_of(stream.read(HEAD))
    return result[1] if result else 0.0


def _labels(text: str) -> list[str]:
    return [each.strip(' "') for each in text.split(",") if each.strip()]


def _previewed(source: Source) -> Iterator[tuple[Member, Place, RawMail]]:
    members = source.members()
    for member in members:
        try:
            with member.open() as stream:
                result = container_of(stream.read(HEAD))
            if result is None and len(members) > 1:
                continue
            place = place_of(member.name, container=result[0] if result else "eml")
            with member.open() as stream:
                for mail in raw_messages(stream):
                    yield member, place, mail
        except SourceError:
            if len(members) == 1:
                raise


def _batches(mails: Iterator[RawMail]) -> Iterator[list[RawMail]]:
    """Yield mails in small batches; the mails before an error of the source are yielded before the error is raised."""
    batch: list[RawMail] = []
    size = 0
    try:
        for mail in mails:
            batch.append(mail)
            size += len(mail.data)
            if len(batch) >= _BATCH or size >= _BATCH_BYTES:
                yield batch
                batch, size = [], 0
    except SourceError:
        yield batch
        raise
    yield batch


@or_reason
def _parsed(raw: RawMail) -> MailMessage | str:
    try:
        return parse_message(raw.data, envelope=raw.envelope, cut=raw.cut)
    except MailError as error:
        return str(error)


@dataclass(slots=True)
class _Reading:
    """One reading of a source into the spool, with the counts for its notices."""

    source: Source
    options: ReadOptions
    spool: ThreadSpool
    evidence: OwnerEvidence
    mailboxes: list[Member] = field(default_factory=list[Member])
    left_out: Counter[str] = field(default_factory=Counter[str])
    other_files: int = 0
    counts: Counter[str] = field(default_factory=Counter[str])

    def mails(self) -> Iterator[Rejected]:
        """Put every mail into the spool; yield those that cannot be read."""
        members = self.source.members()
        alone = len(members) == 1
        for member in members:
            try:
                # standard input can be opened only twice, and only while little of it was read: use the same stream
                yield from self._member(member, alone=alone)
            except SourceError as error:
                if alone:
                    raise
                yield refusal(member.locator, error)

    def _member(self, member: Member, *, alone: bool) -> Iterator[Rejected]:
        with member.open() as stream:
            result = container_of(stream.read(HEAD))
        if result is None and not alone:
            self.other_files += 1
            return
        self.mailboxes.append(member)
        container: Container = result[0] if result else "eml"
        place = place_of(member.name, container=container)
        in_file = member.locator == self.source.locator
        try:
            with member.open() as stream:
                for batch in _batches(raw_messages(stream)):
                    for raw, mail in zip(batch, list(map(_parsed, batch)), strict=True):
                        locator = f"{member.locator}:{raw.offset}" if container == "mbox" else member.locator
                        reason = attempt(self._mail, member, raw, mail, place, tagged=not in_file)
                        if reason:
                            yield Rejected(locator=locator, reason=reason)
        except SourceError as error:
            if alone and not self.spool.count:
                raise
            yield refusal(member.locator, error)

    def _mail(self, member: Member, raw: RawMail, mail: MailMessage | str, place: Place, *, tagged: bool) -> str:
        """Put a mail into the spool unless a rule omits it; return why it cannot be read, else an empty string."""
        if isinstance(mail, str):
            return mail
        if mail.time is None:
            return "no date that can be read"
        flags = [name for flag, name in (("F", "Flagged"), ("D", "Drafts")) if flag in place.flags]
        labels = (*(mail.labels or ((place.folder,) if tagged and place.folder else ())), *flags)
        reason = self._why_not(mail.headers.raw("x-mozilla-status"), (*labels, place.folder), place.flags)
        reason = reason or ("internal" if mail.subject == _OF_THE_FOLDER else "")
        if reason:
            self.left_out[reason] += 1
            count_left_out(member, reason)
            return ""
        self.counts.update(properties_of(mail, cut=raw.cut))
        sent = any(is_sent(each) for each in (*labels, place.folder))
        self.evidence.add(mail.headers, mail.sender.address if mail.sender else "", mail.to, sent=sent)
        header, data = spooled_form(mail, self.options)
        before = self.spool.count
        self.spool.add(header, data, labels)
        if self.spool.count > before:
            count_read(member, 1)
        else:
            count_left_out(member, COPY)
        return ""

    @staticmethod
    def _why_not(mozilla: str, folders: tuple[str, ...], flags: str) -> str:
        if "T" in flags:
            return "trash"
        try:
            if int(mozilla.strip() or "0", 16) & _EXPUNGED:
                return "deleted"
        except ValueError:
            return left_out(folders)
        return left_out(folders)

    @property
    def place(self) -> str:
        """The locator of a notice about all mails."""
        return notice_places.place_of(self.source, self.mailboxes)

    def user(self) -> tuple[User, list[Notice]]:
        """Return the owner of the mailbox, and the notices about the owner."""
        if self.options.me:
            user, seen = named_user(
                self.options.me,
                lambda name: [*self.spool.addresses_of(name), *self.evidence.addresses_of(name)],
                lambda names: self.spool.name_of(names) or self.evidence.name_of(names),
            )
            if seen:
                return user, []
            hint = "the name or address given by --me neither wrote nor received anything here"
            return user, [Notice(code="user-not-seen", locator=self.place, hint=hint)]
        owners = self.evidence.addresses()
        if owners:
            name = self.spool.name_of(owners) or self.evidence.name_of(owners) or owners[0]
            return User(name, frozenset(owners)), []
        hint = "nothing shows whose mail this is; --me names the user, by name or address"
        return User(), [Notice(code="user-unknown", locator=self.place, hint=hint)]

    def notices(self) -> Iterator[Notice]:
        """Yield notices about everything counted."""
        where = self.place
        yield from about_left_out(self.left_out, "folder or mark", where)
        if self.other_files:
            hint = f"{self.other_files} file(s) beside the mail are none and were left out"
            yield Notice(code="files-left-out", locator=where, hint=hint)
        yield from notices_of(self.counts, f"{self.options.zone}: --zone decides", where)
        if self.options.chat:
            hint = "--chat names one chat; mail has a thread for each subject, so it was not used"
            yield Notice(code="chat-ignored", locator=where, hint=hint)


if TYPE_CHECKING:
    _: type[Connector] = MailConnector
