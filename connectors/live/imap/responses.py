"""The responses of a server, taken apart. No I/O.

What cannot be read of one response is a value, `Unreadable`: a server that garbles one mail's structure sends the others well.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal as OneOf

from .errors import ProtocolError
from .frames import Frame, Literal, ReaderLimits
from .uid_set import LARGEST_UID, UidSet
from .values import Value, bytes_of, list_of, number_of, parse_values, word_of


@dataclass(frozen=True, slots=True)
class Code:
    """The machine-readable code of a status: ``[UIDVALIDITY 42]``."""

    name: str
    """The name in capitals."""
    arguments: str = ""

    @property
    def number(self) -> int | None:
        """Return the arguments as a number; None if they are none."""
        return int(self.arguments) if re.fullmatch(r"\d{1,20}", self.arguments, re.ASCII) else None


@dataclass(frozen=True, slots=True)
class Status:
    """The outcome of a command, or an unsolicited message of the server."""

    tag: str
    """The tag of the command; empty for unsolicited messages."""
    kind: OneOf["OK", "NO", "BAD", "BYE", "PREAUTH"]
    code: Code | None
    text: str
    """The text for people. It may name the account."""


@dataclass(frozen=True, slots=True)
class Continuation:
    """The server waits for the rest of a command."""

    text: bytes


@dataclass(frozen=True, slots=True)
class Capabilities:
    """The capabilities of the server, in capitals."""

    names: frozenset[str]
    enabled: bool = False
    """True if these are extensions that were just enabled (ENABLED)."""


@dataclass(frozen=True, slots=True)
class Count:
    """A number that the server sends unasked: EXISTS, RECENT, or EXPUNGE with the sequence number of the removed mail."""

    kind: str
    number: int


@dataclass(frozen=True, slots=True)
class Fetch:
    """The requested data of one mail, or its changed data."""

    number: int
    """The sequence number of the mail in the folder."""
    items: dict[str, Value]
    """By name in capitals, as ``BODY[HEADER.FIELDS (DATE)]``."""
    uid: int | None = None
    """Return the UID, if the server sent it."""
    size: int | None = None
    """Return the size in bytes, if the server sent it."""

    @property
    def flags(self) -> frozenset[str] | None:
        r"""Return the flags, such as ``\Seen`` or a keyword, if the server sent them."""
        if "FLAGS" not in self.items:
            return None
        return frozenset((bytes_of(each) or b"NIL").decode("utf-8", "replace") for each in list_of(self.items["FLAGS"]))

    @property
    def modseq(self) -> int | None:
        """Return the number of the last change (CONDSTORE), if the server sent it."""
        values = list_of(self.items.get("MODSEQ"))
        return number_of(values[0]) if values else None

    def section(self, name: str) -> bytes | Literal | None:
        """Return the content of a section, such as ``BODY[1.2]``; None if the server sent nothing or NIL."""
        value = self.items.get(name.upper())
        return value if isinstance(value, Literal) else bytes_of(value)


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder of LIST or LSUB."""

    name: bytes
    """The name of the folder in commands."""
    attributes: frozenset[str]
    r"""The attributes in lower case: ``\noselect``, ``\sent``."""
    delimiter: str
    """The delimiter between the parts of the name; empty if folders contain none."""

    @property
    def can_be_opened(self) -> bool:
        r"""Return whether the folder holds mails, and not only folders. Dovecot marks others ``\NonExistent`` if LIST
        has RETURN options.
        """
        return not self.attributes & {"\\noselect", "\\nonexistent"}


@dataclass(frozen=True, slots=True)
class FolderStatus:
    """The numbers that STATUS gives for a folder: MESSAGES, UIDNEXT, UIDVALIDITY, HIGHESTMODSEQ, by name."""

    name: bytes
    numbers: dict[str, int]


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The matches of a search, from SEARCH or ESEARCH."""

    found: UidSet
    """The UIDs, if they were requested; otherwise sequence numbers."""
    tag: str = ""
    """The tag of the command that asked; empty if the server does not give it."""
    numbers: dict[str, int] | None = None
    """The values of MIN, MAX, COUNT and MODSEQ that were requested."""


@dataclass(frozen=True, slots=True)
class Vanished:
    """Mails that are gone from the folder (QRESYNC)."""

    uids: UidSet
    earlier: bool
    """True if the mails were removed before the folder was opened."""


@dataclass(frozen=True, slots=True)
class Other:
    """A response that memd does not use."""

    name: str
    values: tuple[Value, ...] = ()


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A response that breaks the grammar."""

    name: str
    reason: str
    uid: int | None = None
    """The UID of the mail that the response describes, if it can be read."""


Response = (
    Status
    | Continuation
    | Capabilities
    | Count
    | Fetch
    | Folder
    | FolderStatus
    | SearchResult
    | Vanished
    | Other
    | Unreadable
)

_STATUS = re.compile(rb"([^ ]+) (OK|NO|BAD|BYE|PREAUTH)(?: (.*))?\Z", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(rb"[\x21-\x7e]{1,100}\Z")
_CODE = re.compile(rb'\[([^ \]]+)(?: ((?:"[^"\\]*(?:\\.[^"\\]*)*"|[^\]"])*))?\] ?', re.DOTALL)
_UNTAGGED = re.compile(rb"\* (?:(\d{1,10}) )?([^ ]+) ?")
_UID = re.compile(rb"[ (]UID (\d{1,10})(?=[ )]|\Z)", re.IGNORECASE)
_SEARCHED = re.compile(rb"\d+")
_SEARCH = re.compile(rb"[\d ]*(?:\(MODSEQ (\d{1,20})\) ?)?\Z", re.IGNORECASE)


def parse_response(frame: Frame, limits: ReaderLimits) -> Response:
    """Take a response apart.

    Raises:
        ProtocolError: nothing says what kind of response it is.
    """
    first = frame[0]
    assert isinstance(first, bytes)
    if first[:1] == b"+":
        return Continuation(first[1:].removeprefix(b" "))
    if (status := _STATUS.match(first)) is not None and _TAG.match(status[1]):
        return _status(status)
    untagged = _UNTAGGED.match(first)
    if untagged is None:
        raise ProtocolError("the server sends a line that is no response")
    name = untagged[2].upper().decode("ascii", "replace")
    rest = (first[untagged.end() :], *frame[1:])
    try:
        if name == "SEARCH":
            return _search(rest)
        values = parse_values(rest, limits)
        if untagged[1] is not None:
            return _numbered(name, int(untagged[1]), values)
        parse = _PARSERS.get(name)
        return Other(name, tuple(values)) if parse is None else parse(name, values)
    except ProtocolError as error:
        return Unreadable(name, error.message, _uid_in(rest))


def _status(match: re.Match[bytes]) -> Status:
    text = match[3] or b""
    code = _CODE.match(text)
    return Status(
        tag="" if match[1] == b"*" else match[1].decode("ascii"),
        kind=match[2].upper().decode("ascii"),  # pyright: ignore[reportArgumentType]
        code=None if code is None else Code(_text(code[1]).upper(), _text(code[2] or b"").strip()),
        text=_text(text[code.end() :] if code else text),
    )


def _text(text: bytes) -> str:
    return text.decode("utf-8", "replace")


def _uid_in(rest: tuple[bytes | Literal, ...]) -> int | None:
    for piece in rest:
        if isinstance(piece, bytes) and (match := _UID.search(piece)) is not None:
            return int(match[1])
    return None


def _numbered(name: str, number: int, values: list[Value]) -> Response:
    if name == "FETCH":
        fields = list_of(values[0] if values else None)
        if len(values) != 1 or len(fields) % 2:
            raise ProtocolError("a FETCH response is not a list of names and values")
        items = {word_of(name): value for name, value in zip(fields[::2], fields[1::2], strict=True)}
        uid = number_of(items["UID"]) if "UID" in items else None
        if uid is not None and not 1 <= uid <= LARGEST_UID:
            raise ProtocolError("a FETCH response has a UID that cannot be one")
        size = number_of(items["RFC822.SIZE"]) if "RFC822.SIZE" in items else None
        return Fetch(number, items, uid, size)
    return Count(name, number)


def _search(rest: tuple[bytes | Literal, ...]) -> SearchResult:
    text = rest[0]
    assert isinstance(text, bytes)
    match = _SEARCH.match(text)
    if match is None or len(rest) > 1:
        raise ProtocolError("a SEARCH response has something else than numbers")
    end = len(text) if match[1] is None else text.index(b"(")
    uids = UidSet.of(_uid(each[0]) for each in _SEARCHED.finditer(text, 0, end))
    return SearchResult(uids, numbers=None if match[1] is None else {"MODSEQ": int(match[1])})


def _uid(digits: bytes) -> int:
    if len(digits) > 10 or not 1 <= int(digits) <= LARGEST_UID:
        raise ProtocolError("a response has a UID that cannot be one")
    return int(digits)


def _esearch(_: str, values: list[Value]) -> SearchResult:
    tag = ""
    if values and isinstance(values[0], list):
        correlator = list_of(values[0])
        tag = _text(bytes_of(correlator[1]) or b"") if len(correlator) > 1 else ""
        values = values[1:]
    if values and word_of(values[0]) == "UID":
        values = values[1:]
    uids, numbers = UidSet(), dict[str, int]()
    for name, value in zip(values[::2], values[1::2], strict=False):
        if (key := word_of(name)) == "ALL":
            uids = UidSet.parse(_text(bytes_of(value) or b""))
        else:
            numbers[key] = number_of(value)
    return SearchResult(uids, tag, numbers)


def _vanished(_: str, values: list[Value]) -> Vanished:
    earlier = bool(values) and isinstance(values[0], list)
    uids = values[1:] if earlier else values
    if len(uids) != 1:
        raise ProtocolError("a VANISHED response has no UIDs")
    return Vanished(UidSet.parse(_text(bytes_of(uids[0]) or b"")), earlier)


def _folder(_: str, values: list[Value]) -> Folder:
    if len(values) < 3:
        raise ProtocolError("a LIST response has no name")
    attributes = frozenset((bytes_of(each) or b"").decode("utf-8", "replace").lower() for each in list_of(values[0]))
    return Folder(_name(values[2]), attributes, _text(bytes_of(values[1]) or b""))


def _folder_status(_: str, values: list[Value]) -> FolderStatus:
    if len(values) < 2:
        raise ProtocolError("a STATUS response has no values")
    fields = list_of(values[1])
    numbers: dict[str, int] = {}
    for name, value in zip(fields[::2], fields[1::2], strict=False):
        if not isinstance(value, list):  # an id is a list of one
            numbers[word_of(name)] = number_of(value)
    return FolderStatus(_name(values[0]), numbers)


def _name(value: Value) -> bytes:
    """Return a folder's name. An unquoted NIL is a folder of that name."""
    return b"NIL" if value is None else bytes_of(value) or b""


def _capabilities(name: str, values: list[Value]) -> Capabilities:
    return Capabilities(frozenset(map(word_of, values)), enabled=name == "ENABLED")


_PARSERS: dict[str, Callable[[str, list[Value]], Response]] = {
    "CAPABILITY": _capabilities,
    "ENABLED": _capabilities,
    "LIST": _folder,
    "LSUB": _folder,
    "STATUS": _folder_status,
    "ESEARCH": _esearch,
    "VANISHED": _vanished,
}
