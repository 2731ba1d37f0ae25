"""Connector for transcripts of video calls: one document for each file, a conversation if it names speakers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from ....schemas import UNKNOWN_USER, Notice, Rejected, VideoCallDocument
from ...connector import Member, Preview, ReadOptions, Record, Source
from ...files.file_connector import FileConnector
from ...files.whole_files import encoding_notices, head_text, whole_text
from ...opening.document_paths import path_prefix
from ...record_faults import document_of
from .calls import NAME, call_document, captions_document, user_among
from .parser import Transcript, parse, score


class TranscriptsConnector(FileConnector):
    """Reads transcripts and captions."""

    name = NAME
    certain = 0.95
    once = frozenset({"zone-assumed", "user-unknown", "user-not-seen"})

    def score(self, member: Member) -> float:
        """Return the certainty that a file begins like WebVTT, or with the times of a cue."""
        return score(head_text(member))

    def preview(self, source: Source, options: ReadOptions) -> Preview:
        """Preview the speakers of all transcripts."""
        prefix = path_prefix(source, options)
        counts: Counter[str] = Counter()
        title = ""
        for member in source.members():
            decoded = whole_text(member)
            read = None if isinstance(decoded, Rejected) else parse(decoded.text, prefix + member.name, options.zone)
            if read is not None:
                title = read.title
                counts.update(said.speaker for said in read.said if said.speaker)
        speakers = sorted(counts, key=lambda name: (-counts[name], name))
        alone = len(source.members()) == 1
        return Preview(
            format=self.name, title=title if alone else "", speakers=speakers, user=user_among(speakers, options)
        )

    def records(self, member: Member, path: str, options: ReadOptions) -> Iterator[Record]:
        """Read the file, as a call if it names speakers."""
        return _records(member, path, options)


def _records(member: Member, path: str, options: ReadOptions) -> Iterator[Record]:
    decoded = whole_text(member)
    if isinstance(decoded, Rejected):
        yield decoded
        return
    notices = encoding_notices(member, decoded)
    read = parse(decoded.text, path, options.zone)
    del decoded  # free the memory: the parsed transcript has the text, and its document is still to be built
    if read is None:
        yield Rejected(locator=member.locator, reason="no transcript was found in it")
        return
    yield from notices
    for each in read.unreadable:
        yield Rejected(locator=f"{member.locator}:{each.line}", reason=each.reason)
    if not read.said:
        yield Rejected(locator=member.locator, reason="no words were found in it")
        return
    if read.began is not None and read.began.naive and options.zone_origin == "assumed":
        hint = f"the times have no zone; they are taken for {options.zone}: --zone decides"
        yield Notice(code="zone-assumed", locator=member.locator, hint=hint)
    if any(said.speaker for said in read.said):
        yield from _call(member, read, path, options)
    else:
        yield captions_document(read, path, options)


def _call(member: Member, read: Transcript, path: str, options: ReadOptions) -> Iterator[Record]:
    if read.began is None:
        hint = (
            "nothing tells the day of this call, so its times count from 1970-01-01: write it into the file's name, "
            "such as 2024-01-15 10.00"
        )
        yield Notice(code="date-unknown", locator=member.locator, hint=hint)
    for document in document_of(
        lambda said: call_document(replace(read, said=[*said]), path, options),
        read.said,
        lambda index: f"{member.locator}#/{index}",
    ):
        if not isinstance(document, Rejected):
            yield from _about_user(document, member, options)
        yield document


def _about_user(document: VideoCallDocument, member: Member, options: ReadOptions) -> Iterator[Notice]:
    if document.conversation.user == UNKNOWN_USER and options.me:
        hint = "the name given as the user's own says nothing in this transcript: check --me"
        yield Notice(code="user-not-seen", locator=member.locator, hint=hint)
    elif document.conversation.user == UNKNOWN_USER:
        hint = f"a transcript does not say whose it is; the user is {UNKNOWN_USER}: --me decides"
        yield Notice(code="user-unknown", locator=member.locator, hint=hint)
