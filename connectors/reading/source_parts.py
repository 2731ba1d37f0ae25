"""The parts of a source: which connector reads which members of a folder or archive, archives inside included."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from ...schemas import Notice, Rejected
from ...schemas.errors import SourceError
from ..connector import Connector, Member, ReadOptions, Source
from ..errors import refusal
from ..opening.archive_source import PACKAGES, ArchiveSource, is_package
from ..opening.limits import DEFAULT_LIMITS, Limits
from ..opening.media_names import mime_of
from ..opening.member_subset import HeldFile, MemberSubset, held_files, subset_of
from ..opening.open_source import is_archive, open_inside
from ..opening.package_members import part_names
from ..opening.recognised_member import HEAD_BYTES, RecognisedMember
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
from .reading_log import NOT_RECOGNISED, SkippedFile
from .registry import ARCHIVE, connector_named, default_connectors, format_named

SURE = 0.9
"""The score from which on a file's connector owns the folder: in an archive, files there with a barely sure connector
belong to it.
"""
EMPTY, MEDIA, ATTACHED = ("empty", "picture, sound or film", "text attached to a chat")
"""The reasons why a file beside an export is not read; `NOT_RECOGNISED` is a further one."""
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
    assignment = _MemberAssignment(connectors)
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
            root = _root_of(files) if isinstance(source, MemberSubset) else assignment.reach(connector)
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


class _MemberAssignment:
    """The assignment of the members of one source to connectors."""

    def __init__(self, connectors: tuple[Connector, ...]) -> None:
        self._connectors = connectors
        self.assigned: dict[str, list[Member]] = {connector.name: [] for connector in connectors}
        self.unassigned: list[Member] = []
        self._barely: list[tuple[Connector, Member]] = []
        self._owners: dict[str, list[Connector]] = {}
        """By folder, who is sure of something in it."""
        self._empty: set[int] = set()
        self._attached: dict[int, list[Connector]] = {}
        """The texts that are attached to chats, each with the connectors of these chats."""

    def reason(self, member: Member) -> str:
        """Return the reason why a member that no connector recognises is not read."""
        if id(member) in self._empty:
            return EMPTY
        if id(member) in self._attached:
            return ATTACHED
        return NOT_RECOGNISED if mime_of(member.name) is None else MEDIA

    def add(self, member: Member, claim: tuple[Connector, float] | None, head: bytes) -> None:
        """Note a claim. An archive in which nothing is recognised is a file like any other: documents of offices are
        archives, too.
        """
        if len(head) < HEAD_BYTES and not head.strip():
            self._empty.add(id(member))
        if claim is None:
            self.unassigned.append(member)
        elif claim[1] <= RECOGNISED:
            self._barely.append((claim[0], member))
        else:
            self.assigned[claim[0].name].append(member)
            if claim[1] >= SURE:
                self._owners.setdefault(_folder(member), []).append(claim[0])

    def _whose_files(self, member: Member) -> list[Connector]:
        """Return the connectors of the exports to whose messages a member belongs, because it lies in their `files_in`
        folder.
        """
        parts = member.name.split("/")
        above = [("/".join(parts[:number]), parts[number]) for number in range(len(parts) - 1)]
        return [
            owner
            for folder, name in above
            for owner in self._owners.get(folder, ())
            if format_named(owner.name).files_in == name
        ]

    def beside(self, connector: Connector, files: Sequence[Member]) -> list[Member]:
        """Return the members of no format that may belong to an export of these files: lists, long texts, a database's
        log, pictures. They lie below the common folder of the export; a file attached to a chat belongs to that chat
        alone.
        """
        root = _root_of(files)
        below = [member for member in self.unassigned if member.name.startswith(root)]
        return [member for member in below if connector in self._attached.get(id(member), (connector,))]

    def reach(self, connector: Connector) -> str:
        """Return the highest folder around an export that contains no chat of another format, in the form of
        `_root_of`: some programs write the files of messages into a folder beside that of the messages.
        """
        root = _root_of(self.assigned[connector.name])
        others = {
            f"{_folder(member)}/"
            for name, members in self.assigned.items()
            if name != connector.name and not format_named(name).sent_in_chats
            for member in members
        }
        while root:
            above = root[: root.rfind("/", 0, -1) + 1]
            if any(folder.startswith(above) for folder in others):
                break
            root = above
        return root

    def resolve(self, *, packed: bool) -> None:
        """Decide about members with barely sure connectors: beside a chat in its own archive a text is an attachment;
        in a folder it may be anything but a file of that export.
        """
        for connector, member in self._barely:
            owners = self._owners.get(_folder(member), ())
            before = self._connectors[: self._connectors.index(connector)] if packed else ()
            file = member.name.rpartition("/")[2]
            attached = [owner for owner in owners if owner in before or file in format_named(owner.name).own_files]
            attached += self._whose_files(member)
            (self.unassigned if attached else self.assigned[connector.name]).append(member)
            if attached:
                self._attached[id(member)] = attached
        self._barely.clear()
        self._take_back_files()
        self._take_back_texts()

    def _take_back_files(self) -> None:
        """Remove the files of an export that it names as its own from the other formats that recognised them."""
        files: dict[str, list[Connector]] = {}
        for folder, connectors in self._owners.items():
            for owner in {each.name: each for each in connectors}.values():
                for file in format_named(owner.name).own_files:
                    files.setdefault(folder + "/" + file, []).append(owner)
        if not files:
            return
        for name, members in self.assigned.items():
            for member in list(members):
                place = _folder(member) + "/" + member.name.rpartition("/")[2]
                owners = [owner for owner in files.get(place, ()) if owner.name != name]
                if owners:
                    members.remove(member)
                    self.unassigned.append(member)
                    self._attached[id(member)] = owners

    def _take_back_texts(self) -> None:
        """Remove texts that are parts of messages from other formats: they may quote text that these formats would
        recognise.
        """
        for name, members in self.assigned.items():
            texts = [member for member in members if member.name.endswith(".txt")]
            for member in texts:
                owners = self._whose_files(member)
                if owners and name not in {owner.name for owner in owners}:
                    members.remove(member)
                    self.unassigned.append(member)
                    self._attached[id(member)] = owners


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
    if options.format is None and (program := foreign_program(recognised, head, ranking)) is not None:
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


def _folder(member: Member) -> str:
    return member.name.rpartition("/")[0]


def _root_of(files: Sequence[Member]) -> str:
    """Return the common folder of all these files, with ``/`` at its end; empty if it is the source itself."""
    parts = [member.name.split("/")[:-1] for member in files]
    common = [names[0] for names in takewhile(lambda names: len({*names}) == 1, zip(*parts, strict=False))]
    return "".join(f"{name}/" for name in common)
