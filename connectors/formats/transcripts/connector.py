"""Connector for transcripts of video calls: one document for each file, a conversation if it names speakers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from ....schemas import UNKNOWN_USER, Notice, Rejected, VideoCallDocument
from ...connector import Member, Preview, ReadOptions, Record, Source
from ...files.file_connector import FileConnector
from ...files.whole_files import encoding_notices, head_of, head_text, whole_text
from ...opening.document_paths import path_prefix
from ...opening.zip_source import is_zip
from ...record_faults import document_of
from .calls import NAME, call_document, captions_document, user_among
from .parser import Transcript, parse, score, speech, teams
from .speech_json import BEHIND_WHOLE_TEXT, WHOLE_TEXT_FIRST, is_speech
from .teams_document import is_teams
from .word_lines import all_lines, first_lines, word_document

_RECOGNISED = 0.9
"""The score of a document of Teams, and of JSON of speech."""
_WHOLE_TEXT = 4 << 20
"""Bytes of a file in which the text of the whole recording stands before its segments."""


class TranscriptsConnector(FileConnector):
    """Reads transcripts and captions."""

    name = NAME
    version = 4
    certain = 0.95
    once = frozenset({"zone-assumed", "user-unknown", "user-not-seen"})

    def score(self, member: Member) -> float:
        """Return the certainty that a file begins like WebVTT, or with the times of a cue; that JSON is of speech, or that a
        document of Word begins like Teams' transcript.
        """
        head = head_of(member)
        if is_zip(head):
            part = word_document(member)
            return _RECOGNISED if part is not None and is_teams(first_lines(part)) else 0.0
        return _RECOGNISED if _is_speech(member, head) else score(head_text(member))

    def preview(self, source: Source, options: ReadOptions) -> Preview:
        """Preview the speakers of all transcripts."""
        prefix = path_prefix(source, options)
        counts: Counter[str] = Counter()
        title = ""
        for member in source.members():
            read = _transcript(member, prefix + member.name, options)[0]
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


def _is_speech(member: Member, head: bytes) -> bool:
    """Return whether a file that begins so is JSON of speech, also where its first value, the text of the whole recording, is
    longer than a beginning.
    """
    if is_speech(head):
        return True
    if not WHOLE_TEXT_FIRST.match(head):
        return False
    with member.open() as stream:
        match = BEHIND_WHOLE_TEXT.match(stream.read(_WHOLE_TEXT))
    return match is not None and is_speech(b"{" + match[1])


def _transcript(member: Member, path: str, options: ReadOptions) -> tuple[Transcript | None, list[Notice | Rejected]]:
    """Return what a file says, None if it is no transcript, and what is to be told of reading it."""
    part = word_document(member)
    if part is not None:
        lines, broken = all_lines(part)
        outcomes: list[Notice | Rejected] = [broken] if broken else []
        return (teams(lines, path, options.zone) if is_teams(lines) else None), outcomes
    decoded = whole_text(member)
    if isinstance(decoded, Rejected):
        return None, [decoded]
    notices: list[Notice | Rejected] = [*encoding_notices(member, decoded)]
    if not _is_speech(member, head_of(member)):
        return parse(decoded.text, path, options.zone), notices
    try:
        return speech(decoded.text, path, options.zone), notices
    except ValueError as error:
        return None, [Rejected(locator=member.locator, reason=str(error))]


def _records(member: Member, path: str, options: ReadOptions) -> Iterator[Record]:
    read, outcomes = _transcript(member, path, options)
    if read is None:
        yield next(
            (each for each in outcomes if isinstance(each, Rejected)),
            Rejected(locator=member.locator, reason="no transcript was found in it"),
        )
        return
    yield from outcomes
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
