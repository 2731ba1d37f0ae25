"""The parts of a source: which connector reads which members of a folder or archive, archives inside included."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ...schemas import Notice, Rejected
from ...schemas.errors import SourceError
from ..connector import Connector, Member, ReadOptions, Source
from ..errors import refusal
from ..opening.archive_source import PACKAGES, ArchiveSource, is_package
from ..opening.limits import DEFAULT_LIMITS, Limits
from ..opening.member_subset import HeldFile, MemberSubset, held_files, subset_of
from ..opening.open_source import is_archive, open_inside
from ..opening.package_members import part_names
from ..opening.recognised_member import RecognisedMember
from ..opening.zip_source import is_zip
from ..text.charset import wide_encoding
from .detection import (
    RECOGNISED,
    choose,
    foreign_program,
    is_file,
    most_certain,
    rank,
    score_of,
    unrecognised,
)
from .export_pieces import whole_of
from .known_programs import known_program
from .member_assignment import MemberAssignment, root_of
from .reading_log import SkippedFile
from .registry import ARCHIVE, connector_named, default_connectors, format_named

_BINARY = 4
_DATABASE = b"SQLite format 3\0"
_COLLECTION = re.compile(rb"[\s\S]{4}[\x02\x07]_id\x00")
"""A dump of MongoDB: the length of a document, and its first field."""
_CONTROLS = re.compile(rb"[\x01-\x08\x0e-\x1a\x1c-\x1f]")
_WIDE_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)


@dataclass(frozen=True, slots=True)
class Part:
    """A connector and the source that it is to read."""

    connector: Connector
    source: Source
    files: tuple[Member, ...] = ()
    """The members that are recognised; the others lie beside them."""


Found = Part | Notice | Rejected | SkippedFile
"""The outcome for members of a source."""


def parts(
    source: Source,
    options: ReadOptions,
    *,
    limits: Limits = DEFAULT_LIMITS,
    connectors: Sequence[Connector] | None = None,
) -> list[Found]:
    """Return the parts of a source to read, and the members that are not read. Archives inside come after the files
    beside them.

    Raises:
        InvalidError: there is no format of the given name.
        SourceError: nothing is recognised.
    """
    candidates = default_connectors() if connectors is None else tuple(connectors)
    if options.format is not None:
        candidates = (connector_named(options.format, candidates),)
    entries = list(
        _parts(
            source,
            options,
            limits,
            candidates,
            int(isinstance(source, ArchiveSource)),
            _MemoryBudget(limits.nested_bytes),
        )
    )
    if not any(isinstance(part, Part) for part in entries):
        for refused in (*entries, *source.notices()):
            if isinstance(refused, Rejected):
                raise SourceError(f"{refused.locator}: {refused.reason}")
        raise unrecognised(source)
    return entries


def claimant(member: Member, options: ReadOptions, connectors: Sequence[Connector] | None = None) -> str:
    """Return the name of a file's format, as `parts` decides for a member of a folder: `ARCHIVE` for an archive, empty
    if no format or more than one recognises it.
    """
    candidates = default_connectors() if connectors is None else tuple(connectors)
    if options.format is not None:
        candidates = (connector_named(options.format, candidates),)
    try:
        with RecognisedMember(member) as beginning:
            head = beginning.head()
            if is_archive(head):
                return ARCHIVE
            claim = _connector_of(beginning, head, options, candidates)
    except SourceError:
        return ""  # whoever reads it tells why
    return "" if claim is None else claim[0].name


@dataclass(slots=True)
class _MemoryBudget:
    """The memory left for archives inside archives, in bytes."""

    left: int


def _parts(
    source: Source,
    options: ReadOptions,
    limits: Limits,
    connectors: tuple[Connector, ...],
    depth: int,
    budget: _MemoryBudget,
) -> Iterator[Found]:
    """Yield the parts of a source; ``depth`` counts the archives around the members."""
    members = source.members()
    if is_file(source):
        yield Part(choose(source, options, connectors), source, tuple(members))
        return
    inner: list[Found] = []
    pictures: dict[str, list[HeldFile]] = {}
    reported: set[str] = set()
    assignment = MemberAssignment(connectors)
    before: tuple[Connector, float] | None = None
    foreign: dict[int, str] = {}
    for member in members:
        try:
            with RecognisedMember(member) as recognised:
                head = recognised.head()
                archive = None
                if is_archive(head) and (
                    archive := _archive_in(member, replace(limits, nested_bytes=budget.left), depth)
                ):
                    inner_parts = list(_parts(archive, options, limits, connectors, depth + 1, budget))
                    if any(isinstance(part, Part) for part in inner_parts):
                        budget.left = max(0, budget.left - archive.held)
                        inner += [*archive.notices(), *inner_parts]
                        continue
                    if whole := whole_of(archive.name):
                        pictures.setdefault(whole, []).extend(archive.members())
                    unread = _unread(archive, inner_parts)
                    yield from unread
                    reported.update(member.locator for _ in unread)
                claim = None if archive is not None else _connector_of(recognised, head, options, connectors, before)
            if claim is None and (program := known_program(head)) is not None:
                foreign[id(member)] = f"this is {program.name}; {program.way_out}"
            before = claim or before
            assignment.add(member, claim, head)
        except SourceError as error:
            yield refusal(member.locator, error)
    assignment.resolve(packed=depth > 0)
    if options.format is not None and not assignment.assigned[options.format] and not inner:
        assignment.assigned[options.format], assignment.unassigned = (
            assignment.unassigned,
            [],
        )  # the user knows better than sniffing
    for connector in connectors:
        if files := assignment.assigned[connector.name]:
            beside = () if format_named(connector.name).takes_any_file else assignment.beside(connector, files)
            chosen = {id(member) for member in (*files, *beside)}
            subset = tuple(member for member in members if id(member) in chosen)
            # A subset does not know which other chats the folders around it hold.
            root = root_of(files) if isinstance(source, MemberSubset) else assignment.reach(connector)
            yield Part(connector, subset_of(source, subset, root), tuple(files))
    yield from _together(inner, source, pictures)
    left = [member for member in assignment.unassigned if member.locator not in reported]
    if inner or any(assignment.assigned.values()):
        yield from (
            SkippedFile(member.locator, foreign.get(id(member)) or assignment.reason(member), member.size)
            for member in left
        )


def _together(inner: Sequence[Found], source: Source, pictures: Mapping[str, Sequence[HeldFile]]) -> Iterator[Found]:
    """Yield the outcomes for the archives inside a source, with the pieces of one export joined.

    Args:
        inner: the outcomes.
        source: around the archives.
        pictures: the files of archives in which nothing is recognised, by the names of the exports.
    """
    pieces: dict[tuple[str, str], list[Part]] = {}
    for entry in inner:
        if isinstance(entry, Part) and (whole := _whole_of(entry)):
            pieces.setdefault(whole, []).append(entry)
    for entry in inner:
        same = pieces.get(_whole_of(entry) or ("", ""), []) if isinstance(entry, Part) else []
        more = pictures.get((_whole_of(entry) or ("", ""))[1], ()) if isinstance(entry, Part) else ()
        if not isinstance(entry, Part) or (len(same) < 2 and not more):
            yield entry
        elif entry is same[0]:
            members = tuple(member for part in same for member in part.source.members())
            files = tuple(member for part in same for member in part.files)
            held = (*(file for part in same for file in held_files(part.source)), *more)
            yield Part(entry.connector, MemberSubset(source.name, source.locator, members, held), files)


def _whole_of(part: Part) -> tuple[str, str] | None:
    """Return the format and the name of the export of which a part is a piece."""
    whole = whole_of(part.source.name)
    return (part.connector.name, whole) if whole and format_named(part.connector.name).pieces else None


def _archive_in(member: Member, limits: Limits, depth: int) -> ArchiveSource | None:
    """Return the archive in a member; None for an office document or a book, which is a file like any other.

    Raises:
        SourceError: it is damaged, too large or nested too deep.
    """
    try:
        archive = open_inside(member, limits, depth)
    except SourceError:
        if depth >= limits.depth and part_names(member) & PACKAGES:
            return None  # how deep archives may lie in each other does not concern it
        raise
    return None if archive is not None and is_package(archive) else archive


def _unread(archive: ArchiveSource, entries: Sequence[Found]) -> list[Rejected]:
    """Return the rejections in an archive, other than for lack of a format: one that is encrypted, damaged or too deep
    may be the chat itself, not an attachment.
    """
    return [each for each in (*archive.notices(), *entries) if isinstance(each, Rejected)]


def _connector_of(
    recognised: RecognisedMember,
    head: bytes,
    options: ReadOptions,
    connectors: tuple[Connector, ...],
    before: tuple[Connector, float] | None = None,
) -> tuple[Connector, float] | None:
    """Return the connector that reads a member, and its score; None if there is none.

    Args:
        recognised: the member.
        head: its beginning.
        options: may name the format.
        connectors: those that are asked.
        before: who reads the last one of the members before it; of an unmistakable one nobody else is asked.

    Raises:
        SourceError: two are equally sure, or nobody is because its beginning cannot be read or is that of a program whose
            files memd knows not to read.
    """
    # Documents also have zero bytes.
    document = head.lstrip(b"\xef\xbb\xbf\0 \t\r\n").startswith(b"%PDF-") or is_zip(head)
    zeros = not document and _has_zeros(head)
    data = head.startswith(_DATABASE) or _COLLECTION.match(head)
    if zeros and not data and not _is_damaged_text(head):
        return None  # a picture or a sound: thousands lie beside a chat
    alone = MemberSubset(recognised.name, recognised.locator, (recognised,))
    if before is not None and (least := format_named(before[0].name).unmistakable) <= 1:
        score = score_of(before[0], alone)
        if score >= least:
            return before[0], score
    ranking = rank(alone, connectors)
    packed = is_zip(head)  # documents of offices lie beside chats by the dozen: they are left out, not rejected
    if options.format is None and not packed and (program := foreign_program(recognised, head, ranking)) is not None:
        raise SourceError(f"{recognised.locator}: this is {program.name}", hint=program.way_out)
    if ranking.best is None or ranking.best[1] < RECOGNISED:
        recognised.require_whole()
        return None
    if zeros and ranking.best[1] <= RECOGNISED:
        return None
    if options.format is not None:
        return ranking.best
    return most_certain(alone, ranking, ranking.best), ranking.best[1]


def _has_zeros(head: bytes) -> bool:
    return head.count(b"\0") >= _BINARY and not head.startswith(_WIDE_MARKS) and not wide_encoding(head)


def _is_damaged_text(head: bytes) -> bool:
    """Return whether there is only text besides the zero bytes, which a damaged disk leaves in a chat: other formats
    with zero bytes have control characters, too.
    """
    left = head.replace(b"\0", b"")
    return len(left) * 2 > len(head) and not _CONTROLS.search(left)
