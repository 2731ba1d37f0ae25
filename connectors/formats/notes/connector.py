"""Reads notes: a folder, an archive or a file of Markdown and plain text; one document per file.

See docs/documents.md for the contents of the documents. The content is the whole file unchanged, front matter included.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from ....schemas import Notice, Rejected
from ....schemas.errors import SourceError
from ...connector import Member, ReadOptions, Record, Source
from ...errors import refusal
from ...files.file_connector import DocumentConnector
from ...opening.document_paths import is_file, path_prefix
from ...opening.limits import MESSAGE_CAP
from ...opening.open_source import STDIN
from ...record_faults import records_at
from ...text.charset import Decoded, decode
from .detection import CERTAIN, hidden_part, kind_of, score
from .parser import NAME, parse_note

_SNIFFED = 50
"""The number of files that are sniffed; a folder of notes is recognised long before."""
_TOLD = 20
"""The largest number of files named for one reason; the others are only counted."""


class NotesConnector(DocumentConnector):
    """Reads notes."""

    name = NAME
    version = 4

    def score(self, member: Member) -> float:
        """Return 1 for front matter or a heading at the beginning, 0.7 for Markdown, 0.5 for any other text of people."""
        return score(member)

    def sniff(self, source: Source) -> float:
        """Return the highest score of a visible file that can be read."""
        best = 0.0
        for member in _visible(source)[:_SNIFFED]:
            try:
                best = max(best, self.score(member))
            except SourceError:
                continue
            if best >= CERTAIN:
                break
        return best

    def read(self, source: Source, options: ReadOptions) -> Iterator[Record]:
        """Yield every note in the order of the source, then the notices about omitted files."""
        members = source.members()
        tally = _Tally(source.locator)
        above = path_prefix(source, options)
        seen: set[str] = set()
        for member in members:
            if not is_file(source) and (hidden := hidden_part(member.name)):
                tally.hidden[hidden] += 1
                continue
            path = above + member.name
            if path in seen:
                yield Rejected(locator=member.locator, reason="another note has the same name")
                continue
            try:
                for record in records_at(member.locator, _read, member, path, options, tally, alone=len(members) == 1):
                    seen.add(path)
                    yield record
            except SourceError as error:
                if len(members) == 1:
                    raise
                yield refusal(member.locator, error)
        yield from tally.notices()


def _read(member: Member, path: str, options: ReadOptions, tally: _Tally, *, alone: bool) -> Iterator[Record]:
    kind = kind_of(member.name)
    if not (kind.may_be_note or alone):
        tally.left_out[kind.ending] += 1
        return
    if (member.size or 0) > MESSAGE_CAP:
        yield _too_large(member)
        return
    with member.open() as stream:
        data = stream.read(MESSAGE_CAP + 1)
    if len(data) > MESSAGE_CAP:
        yield _too_large(member)
        return
    decoded = decode(data)
    if decoded is None:
        if alone:
            yield Rejected(locator=member.locator, reason="not a text")
        else:
            tally.left_out[kind.ending] += 1
        return
    if not decoded.text.strip():
        tally.blank += 1
        return
    if member.locator == STDIN and options.format is None:
        # Otherwise anything from a pipe would be a text: an error message, half of another format.
        yield Rejected(
            locator=member.locator, reason="neither documents nor a chat; --format notes keeps it as one note"
        )
        return
    if member.locator == STDIN:
        # Only its text identifies it; with a given name a later text is a new version of the same note.
        path = f"{options.chat}/stdin" if options.chat else f"stdin-{hashlib.sha256(data).hexdigest()[:12]}"
    read = parse_note(path, kind, decoded, options)
    if read.zone_assumed and not tally.zone_told:
        tally.zone_told = True
        hint = f"dates have no zone; they are taken for {options.zone}: --zone decides"
        yield Notice(code="zone-assumed", locator=member.locator, hint=hint)
    yield read.document
    yield from _encoding_notices(member, decoded, tally)
    if read.broken_front_matter:
        hint = "what stands between the marks of front matter cannot be read; it was kept as text"
        yield from tally.once("front-matter-unreadable", member, hint)
    for key in read.unreadable_dates:
        hint = f"the front matter's {key!r} is no date that can be read in one way; it was kept as text"
        yield from tally.once("date-unreadable", member, hint)


def _encoding_notices(member: Member, decoded: Decoded, tally: _Tally) -> Iterator[Notice]:
    if decoded.assumed:
        hint = f"nothing in the file tells its encoding; it was read as {decoded.encoding}"
        yield from tally.once("encoding-assumed", member, hint)
    if decoded.replaced:
        hint = f"bytes that are no text in {decoded.encoding} became U+FFFD"
        yield from tally.once("undecodable-bytes", member, hint)


def _too_large(member: Member) -> Rejected:
    return Rejected(locator=member.locator, reason=f"more than {MESSAGE_CAP} bytes in one note")


def _visible(source: Source) -> list[Member]:
    if is_file(source):
        return list(source.members())
    return [member for member in source.members() if not hidden_part(member.name)]


@dataclass(slots=True)
class _Tally:
    """Counts the things that are reported once for the whole source."""

    locator: str
    zone_told: bool = False
    blank: int = 0
    hidden: Counter[str] = field(default_factory=Counter[str])
    left_out: Counter[str] = field(default_factory=Counter[str])
    told: Counter[str] = field(default_factory=Counter[str])

    def once(self, code: str, member: Member, hint: str) -> Iterator[Notice]:
        """Yield a notice about one file, unless `_TOLD` notices of this code were already yielded."""
        self.told[code] += 1
        if self.told[code] <= _TOLD:
            yield Notice(code=code, locator=member.locator, hint=hint)

    def notices(self) -> Iterator[Notice]:
        """Yield notices about everything counted."""
        for code, count in sorted(self.told.items()):
            if count > _TOLD:
                hint = f"the same for {count - _TOLD} more file(s)"
                yield Notice(code=code, locator=self.locator, hint=hint)
        if self.hidden:
            names = ", ".join(sorted(self.hidden)[:_TOLD])
            hint = f"{self.hidden.total()} file(s) that are hidden were passed over: {names}"
            yield Notice(code="hidden-files", locator=self.locator, hint=hint)
        if self.left_out:
            counted = sorted(self.left_out.items(), key=lambda item: (-item[1], item[0]))[:_TOLD]
            kinds = ", ".join(f"{count} {f'.{ending}' if ending else 'without an ending'}" for ending, count in counted)
            hint = f"{self.left_out.total()} file(s) beside the notes are no text and were left out: {kinds}"
            yield Notice(code="files-left-out", locator=self.locator, hint=hint)
        if self.blank:
            hint = f"{self.blank} file(s) without any text were left out"
            yield Notice(code="blank-files", locator=self.locator, hint=hint)
