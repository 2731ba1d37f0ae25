"""Which connector reads what: every format is asked how sure it is, and a folder or archive may hold several."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ..schemas import Notice, Rejected
from ..schemas.errors import InvalidError, SourceError
from .charset import wide_encoding
from .connector import Connector, Member, Preview, ReadOptions, Record, Source
from .errors import refusal
from .jsondocs.connector import DocumentsConnector
from .limits import DEFAULT_LIMITS, Limits
from .notes import NotesConnector
from .open_source import open_inside, open_source
from .whatsapp import WhatsAppConnector
from .zip_source import ZipSource, is_package, is_zip

RECOGNISED = 0.5
"""The least score of a connector that would read a source. Who gives no more gives way to everybody who does."""
SURE = 0.9
"""From here on what lies beside it in the same archive belongs to it, where nobody is more than barely sure."""
CLOSE = 0.05
"""Two connectors whose scores are nearer to each other than this are both named, and the user decides."""

_LOOK = 4096
_SNIFFED = 64 * 1024
"""The most that any connector reads to recognise a file."""
_BINARY = 4
_CONTROLS = re.compile(rb"[\x01-\x08\x0e-\x1a\x1c-\x1f]")
_WIDE_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)


def default_connectors() -> tuple[Connector, ...]:
    """Every format that memd reads. The first that recognises something also gets what nobody recognises, and the
    earlier of two that are barely sure reads it.
    """
    return (WhatsAppConnector(), NotesConnector(), DocumentsConnector())


@dataclass(frozen=True, slots=True)
class Ranking:
    """How sure each connector is about one source, the surest first."""

    scores: tuple[tuple[Connector, float], ...]

    @property
    def best(self) -> tuple[Connector, float] | None:
        """The surest, if there are connectors at all."""
        return self.scores[0] if self.scores else None

    @property
    def runner_up(self) -> tuple[Connector, float] | None:
        """The second, if it is sure enough to matter."""
        second = self.scores[1] if len(self.scores) > 1 else None
        return second if second and second[1] >= RECOGNISED else None


@dataclass(frozen=True, slots=True)
class Selection:
    """Some members of a source, as a source of their own."""

    name: str
    locator: str
    _members: tuple[Member, ...]

    def members(self) -> Sequence[Member]:
        """The selected ones."""
        return self._members

    def notices(self) -> Sequence[Notice | Rejected]:
        """None: they belong to the whole, and were told."""
        return ()


@dataclass(frozen=True, slots=True)
class Part:
    """A connector and what it is to read."""

    connector: Connector
    source: Source


def rank(source: Source, connectors: Sequence[Connector]) -> Ranking:
    """Ask every connector. One that cannot open the source is not sure at all."""
    return Ranking(tuple(sorted(((c, _score(c, source)) for c in connectors), key=lambda pair: -pair[1])))


def choose(source: Source, options: ReadOptions, connectors: Sequence[Connector] | None = None) -> Connector:
    """The connector for a source: ``options.format``, else the surest.

    Raises:
        InvalidError: there is no format of that name.
        SourceError: none recognises it, or two do equally well.
    """
    known = default_connectors() if connectors is None else connectors
    if options.format is not None:
        return _named(options.format, known)
    ranking = rank(source, known)
    if ranking.best is None or ranking.best[1] < RECOGNISED:
        raise _unrecognised(source, known)
    return _surest(source, ranking, ranking.best)


def _surest(source: Source, ranking: Ranking, surest: tuple[Connector, float]) -> Connector:
    best, score = surest
    second = ranking.runner_up
    if second is not None and second[1] > RECOGNISED and score - second[1] < CLOSE:
        raise SourceError(
            f"{source.locator}: looks like {best.name} ({score:.2f}) and like {second[0].name} ({second[1]:.2f})",
            hint=f"say which: --format {best.name} or --format {second[0].name}",
        )
    return best


def read_path(
    path: str | Path,
    options: ReadOptions,
    *,
    limits: Limits = DEFAULT_LIMITS,
    connectors: Sequence[Connector] | None = None,
) -> Iterator[Record]:
    """Everything that a file, folder, archive or ``-`` holds, in whatever formats.

    What fails beside something that can be read is a ``Rejected``.

    Raises:
        InvalidError: the options do not fit what is there.
        SourceError: nothing in it can be read.
    """
    source = open_source(path, limits)
    yield from read_source(source, options, limits=limits, connectors=connectors)


def read_source(
    source: Source,
    options: ReadOptions,
    *,
    limits: Limits = DEFAULT_LIMITS,
    connectors: Sequence[Connector] | None = None,
) -> Iterator[Record]:
    """``read_path`` for a source that is open already."""
    found = parts(source, options, limits=limits, connectors=connectors)
    yield from source.notices()
    for part in found:
        if not isinstance(part, Part):
            yield part
            continue
        try:
            yield from part.connector.read(part.source, options)
        except SourceError as error:
            if len(found) == 1:
                raise
            yield refusal(part.source.locator, error)


def surveys(
    path: str | Path,
    options: ReadOptions,
    *,
    limits: Limits = DEFAULT_LIMITS,
    connectors: Sequence[Connector] | None = None,
) -> Iterator[Preview]:
    """A first look at each thing that ``read_path`` would read. What cannot be read is left to ``read_path`` to tell.

    Raises:
        InvalidError: the options do not fit what is there.
        SourceError: nothing in it can be read.
    """
    source = open_source(path, limits)
    yield from survey_source(source, options, limits=limits, connectors=connectors)


def survey_source(
    source: Source,
    options: ReadOptions,
    *,
    limits: Limits = DEFAULT_LIMITS,
    connectors: Sequence[Connector] | None = None,
) -> Iterator[Preview]:
    """``surveys`` for a source that is open already; standard input can only be opened once."""
    found = parts(source, options, limits=limits, connectors=connectors)
    for part in found:
        if isinstance(part, Part):
            try:
                yield part.connector.survey(part.source, options)
            except SourceError:
                if len(found) == 1:
                    raise


def parts(
    source: Source,
    options: ReadOptions,
    *,
    limits: Limits = DEFAULT_LIMITS,
    connectors: Sequence[Connector] | None = None,
) -> list[Part | Notice | Rejected]:
    """What is to be read by whom. Archives inside come after the files beside them.

    Raises:
        InvalidError: there is no format of the given name.
        SourceError: nothing is recognised.
    """
    known = default_connectors() if connectors is None else tuple(connectors)
    if options.format is not None:
        known = (_named(options.format, known),)
    found = list(_parts(source, options, limits, known, int(isinstance(source, ZipSource)), _Room(limits.nested_bytes)))
    if not any(isinstance(part, Part) for part in found):
        for refused in (*found, *source.notices()):
            if isinstance(refused, Rejected):
                raise SourceError(f"{refused.locator}: {refused.reason}")
        raise _unrecognised(source, known)
    return found


@dataclass(slots=True)
class _Room:
    """How much memory is left for archives inside archives."""

    left: int


def _parts(
    source: Source,
    options: ReadOptions,
    limits: Limits,
    connectors: tuple[Connector, ...],
    depth: int,
    room: _Room,
) -> Iterator[Part | Notice | Rejected]:
    """``depth`` counts the archives around the members."""
    members = source.members()
    if _is_file(source):
        yield Part(choose(source, options, connectors), source)
        return
    if isinstance(source, ZipSource) and is_package(source) and options.format is None:
        return
    inner: list[Part | Notice | Rejected] = []
    told: set[str] = set()
    claims = _Claims(connectors)
    for member in members:
        try:
            with member.open() as stream:
                head = stream.read(_LOOK)
            archive = None
            if is_zip(head) and (archive := open_inside(member, replace(limits, nested_bytes=room.left), depth)):
                found = list(_parts(archive, options, limits, connectors, depth + 1, room))
                if any(isinstance(part, Part) for part in found):
                    room.left = max(0, room.left - archive.held)
                    inner += [*archive.notices(), *found]
                    continue
                unread = _unread(archive, found)
                yield from unread
                told.update(member.locator for _ in unread)
            claims.add(member, None if archive is not None else _claim(member, head, options, connectors))
        except SourceError as error:
            yield refusal(member.locator, error)
    claims.settle(packed=depth > 0)
    if options.format is not None and not claims.claimed[options.format] and not inner:
        claims.claimed[options.format], claims.unclaimed = claims.unclaimed, []  # the user knows better than sniffing
    unclaimed = claims.unclaimed
    for connector in connectors:
        if claims.claimed[connector.name]:
            chosen = {id(member) for member in (*claims.claimed[connector.name], *unclaimed)}
            unclaimed = []
            yield Part(connector, Selection(source.name, source.locator, tuple(m for m in members if id(m) in chosen)))
    yield from inner
    for member in (each for each in unclaimed if inner and each.locator not in told):
        yield Rejected(locator=member.locator, reason="no format recognised")


def _unread(archive: ZipSource, found: Sequence[Part | Notice | Rejected]) -> list[Rejected]:
    """Why nothing in an archive is read, where that is not for want of a format: one that is encrypted, damaged or too
    deep may be the chat itself, not an attachment.
    """
    if is_package(archive):
        return []
    return [each for each in (*archive.notices(), *found) if isinstance(each, Rejected)]


class _Claims:
    """Who reads which of the members of one source."""

    def __init__(self, connectors: tuple[Connector, ...]) -> None:
        self._connectors = connectors
        self.claimed: dict[str, list[Member]] = {connector.name: [] for connector in connectors}
        self.unclaimed: list[Member] = []
        self._barely: list[tuple[Connector, Member]] = []
        self._owners: dict[str, list[Connector]] = {}
        """By folder, who is sure of something in it."""

    def add(self, member: Member, claim: tuple[Connector, float] | None) -> None:
        """Note a claim. An archive in which nothing is recognised is a file like any other: documents of offices are
        archives, too.
        """
        if claim is None:
            self.unclaimed.append(member)
        elif claim[1] <= RECOGNISED:
            self._barely.append((claim[0], member))
        else:
            self.claimed[claim[0].name].append(member)
            if claim[1] >= SURE:
                self._owners.setdefault(_folder(member), []).append(claim[0])

    def settle(self, *, packed: bool) -> None:
        """Decide about what somebody is barely sure of: beside a chat in its own archive a text is an attachment; in a
        folder it may be anything.
        """
        for connector, member in self._barely:
            before = self._connectors[: self._connectors.index(connector)] if packed else ()
            attached = any(owner in before for owner in self._owners.get(_folder(member), ()))
            (self.unclaimed if attached else self.claimed[connector.name]).append(member)
        self._barely.clear()


def _claim(
    member: Member, head: bytes, options: ReadOptions, connectors: tuple[Connector, ...]
) -> tuple[Connector, float] | None:
    """Who reads a member, and how sure that is.

    Raises:
        SourceError: two are equally sure, or nobody is because its beginning cannot be read.
    """
    zeros = head.count(b"\0") >= _BINARY and not head.startswith(_WIDE_MARKS) and not wide_encoding(head)
    if zeros and not _is_damaged_text(head):
        return None  # a picture or a sound: thousands of them lie beside a chat
    alone = Selection(member.name.rpartition("/")[2], member.locator, (member,))
    ranking = rank(alone, connectors)
    if ranking.best is None or ranking.best[1] < RECOGNISED:
        _look_into(member)
        return None
    if zeros and ranking.best[1] <= RECOGNISED:
        return None
    if options.format is not None:
        return ranking.best
    return _surest(alone, ranking, ranking.best), ranking.best[1]


def _is_damaged_text(head: bytes) -> bool:
    """Whether there is nothing but text beside the zero bytes, which a damaged disk leaves in a chat: other formats with
    zero bytes have control characters, too.
    """
    left = head.replace(b"\0", b"")
    return len(left) * 2 > len(head) and not _CONTROLS.search(left)


def _is_file(source: Source) -> bool:
    members = source.members()
    return len(members) == 1 and members[0].locator == source.locator


def _head_of_small(member: Member) -> bytes | None:
    """All of a member that is small; None for others, and for what cannot be read."""
    if (member.size or 0) > _LOOK:
        return None
    try:
        with member.open() as stream:
            head = stream.read(_LOOK + 1)
    except SourceError:
        return None
    return head if len(head) <= _LOOK else None


def _look_into(member: Member) -> None:
    """Read as much as any connector looks at: what is damaged there is nobody's, but not for want of a format.

    Raises:
        SourceError: it cannot be read.
    """
    with member.open() as stream:
        stream.read(_SNIFFED)


def _folder(member: Member) -> str:
    return member.name.rpartition("/")[0]


def _score(connector: Connector, source: Source) -> float:
    try:
        return connector.sniff(source)
    except SourceError:
        return 0.0


def _named(name: str, connectors: Sequence[Connector]) -> Connector:
    for connector in connectors:
        if connector.name == name:
            return connector
    names = ", ".join(connector.name for connector in connectors)
    raise InvalidError(f"no format is called {name!r}", hint=f"formats: {names}")


def _unrecognised(source: Source, connectors: Sequence[Connector]) -> SourceError:
    members = source.members()
    if not members:
        return SourceError(f"{source.locator}: there is no file in it", hint="is it the right one?")
    heads = [_head_of_small(member) for member in members]
    if not any(head is None or head.strip() for head in heads):
        empty = "it is empty" if _is_file(source) else "every file in it is empty"
        return SourceError(f"{source.locator}: {empty}", hint="export or copy it again")
    if _is_file(source) and source.name.lower().endswith(".zip"):  # one that begins like an archive was opened as one
        reason = "it has the name of a zip archive and does not begin like one"
        return SourceError(f"{source.locator}: {reason}", hint="copy or download it again")
    if len(members) == 1:
        try:
            _look_into(members[0])
        except SourceError as error:
            return error
    names = ", ".join(connector.name for connector in connectors)
    return SourceError(f"{source.locator}: no format recognised", hint=f"formats: {names}; --format names one")
