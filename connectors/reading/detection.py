"""Format detection: every connector scores a source, and the surest one reads it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...schemas.errors import SourceError
from ..connector import Connector, Member, ReadOptions, Source
from ..errors import UnrecognisedError
from ..opening.recognised_member import HEAD_BYTES, RecognisedMember
from ..text.programming_languages import is_program, language_of_name
from .known_programs import PAGE_BYTES, KnownProgram, known_program
from .registry import connector_named, default_connectors, format_named

RECOGNISED = 0.5
"""The least score of a connector that would read a source. A connector with a lower score yields to all that reach it.
"""
_FIRST_BYTES = 4096
"""Enough for the first line of a program."""
_DATABASE = b"SQLite format 3\0"
_TABLE_BYTES = 256 * 1024
CLOSE = 0.05
"""Two connectors whose scores are nearer to each other than this are both named, and the user decides."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """The scores of all connectors for one source, the highest first."""

    scores: tuple[tuple[Connector, float], ...]

    @property
    def best(self) -> tuple[Connector, float] | None:
        """Return the connector with the highest score, if there are connectors at all."""
        return self.scores[0] if self.scores else None

    @property
    def runner_up(self) -> tuple[Connector, float] | None:
        """Return the second connector, if its score is high enough to matter."""
        second = self.scores[1] if len(self.scores) > 1 else None
        return second if second and second[1] >= RECOGNISED else None


def rank(source: Source, connectors: Sequence[Connector]) -> Ranking:
    """Ask every connector; of a program only those that read programs. One that cannot open the source is not sure at all."""
    if _is_program(source):
        programs = [connector for connector in connectors if format_named(connector.name).of_programs]
        connectors = programs or connectors
    return Ranking(tuple(sorted(((c, score_of(c, source)) for c in connectors), key=lambda pair: -pair[1])))


def _is_program(source: Source) -> bool:
    members = source.members()
    if len(members) != 1 or not language_of_name(members[0].name):
        return False
    try:
        with members[0].open() as stream:
            head = stream.read(_FIRST_BYTES)
    except SourceError:
        return False
    return is_program(members[0].name, head.decode("utf-8", "replace"))


def choose(source: Source, options: ReadOptions, connectors: Sequence[Connector] | None = None) -> Connector:
    """Return the connector for a source: ``options.format``, otherwise the one with the highest score.

    Raises:
        InvalidError: there is no format of that name.
        SourceError: none recognises it, two do equally well, or it is a file of a program whose files memd knows not to read.
    """
    candidates = default_connectors() if connectors is None else connectors
    if options.format is not None:
        return connector_named(options.format, candidates)
    ranking = rank(source, candidates)
    if is_file(source):
        _refuse_foreign(source, ranking)
    if ranking.best is None or ranking.best[1] < RECOGNISED:
        raise unrecognised(source)
    return most_certain(source, ranking, ranking.best)


def _refuse_foreign(source: Source, ranking: Ranking) -> None:
    """Raise the error for a file of a program that memd knows and does not read, by its name."""
    (member,) = source.members()
    try:
        with RecognisedMember(member) as beginning:
            program = foreign_program(member, beginning.head(), ranking)
    except SourceError:
        return  # whoever reads it tells why
    if program is not None:
        nobody = ranking.best is None or ranking.best[1] < RECOGNISED
        error = UnrecognisedError if nobody else SourceError
        raise error(f"{source.locator}: this is {program.name}", hint=program.way_out)


def foreign_program(member: Member, head: bytes, ranking: Ranking) -> KnownProgram | None:
    """Return the program whose file a member is, of those that memd knows and does not read; None if a format is sure of it
    that does not take any text.

    Args:
        member: the file.
        head: its beginning; more of a page, and of a database, is read from the file.
        ranking: the scores of the formats.

    Raises:
        SourceError: the member cannot be read.
    """
    best = ranking.best
    if best is not None and best[1] >= RECOGNISED and not format_named(best[0].name).takes_anything:
        return None
    if head.startswith(_DATABASE):
        most = _TABLE_BYTES  # tables of a database stand on further pages
    elif head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        most = PAGE_BYTES
    else:
        return known_program(head)
    with member.open() as stream:
        return known_program(stream.read(most))


def most_certain(source: Source, ranking: Ranking, first: tuple[Connector, float]) -> Connector:
    """Return the ``first`` of a ranking, unless the second has nearly the same score.

    Raises:
        SourceError: it is.
    """
    best, score = first
    second = ranking.runner_up
    if second is not None and second[1] > RECOGNISED and score - second[1] < CLOSE:
        raise SourceError(
            f"{source.locator}: looks like {best.name} ({score:.2f}) and like {second[0].name} ({second[1]:.2f})",
            hint=f"say which: --format {best.name} or --format {second[0].name}",
        )
    return best


def unrecognised(source: Source) -> SourceError:
    """Return the error for a source in which nothing is recognised, with a hint about the next step."""
    members = source.members()
    if not members:
        return SourceError(f"{source.locator}: there is no file in it", hint="is it the right one?")
    heads = [_whole_if_small(member) for member in members]
    if not any(head is None or head.strip() for head in heads):
        if source.locator == "-":
            return SourceError("standard input is empty", hint="does the command before it print anything?")
        empty = "it is empty" if is_file(source) else "every file in it is empty"
        return SourceError(f"{source.locator}: {empty}", hint="export or copy it again")
    if is_file(source) and source.name.lower().endswith(".zip"):  # one that begins like an archive was opened as one
        reason = "it has the name of a zip archive and does not begin like one"
        return SourceError(f"{source.locator}: {reason}", hint="copy or download it again")
    if len(members) == 1:
        try:
            RecognisedMember(members[0]).require_whole()
        except SourceError as error:
            return error
    hint = "`memd sources --formats` lists what is read; --format names one"
    return UnrecognisedError(f"{source.locator}: no format recognised", hint=hint)


def _whole_if_small(member: Member) -> bytes | None:
    """Return the bytes of a small member; None for larger and unreadable ones."""
    if (member.size or 0) > HEAD_BYTES:
        return None
    try:
        with member.open() as stream:
            head = stream.read(HEAD_BYTES + 1)
    except SourceError:
        return None
    return head if len(head) <= HEAD_BYTES else None


def is_file(source: Source) -> bool:
    """Return whether a source is one file, not a folder or an archive."""
    members = source.members()
    return len(members) == 1 and members[0].locator == source.locator


def score_of(connector: Connector, source: Source) -> float:
    """Return the score of a connector for a source; 0 if the connector cannot open it."""
    try:
        return connector.sniff(source)
    except SourceError:
        return 0.0
