"""Parses the headers of a mail: raw fields, decoded texts, addresses, ids, dates. Never raises, whatever the bytes."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.utils import getaddresses
from functools import lru_cache

from .charsets import decode_text
from .likeness import likeness

LONGEST = 64 * 1024
"""The number of characters of a field that are read."""
MOST_ADDRESSES = 200
"""The largest number of addresses kept of one field."""
MOST_IDS = 64
"""The largest number of ids kept of one field: the first, and the last ones."""
_BLOCK = re.compile(rb"(?:(?:[!-9;-~]+[ \t]*:|>?From )[^\n]*+(?:\n[ \t]++[^\n]*+)*(?:\n|\Z))*")
_FIELD = re.compile(rb"^([!-9;-~]+)[ \t]*:([^\n]*+(?:\n[ \t]++[^\n]*+)*)", re.MULTILINE)
_WHOLE_FIELD = re.compile(rb"([!-9;-~]+):([^\n]*+(?:\n[ \t]++[^\n]*+)*)\n")
_NEEDED = frozenset({"date", "from", "message-id", "mime-version", "received"})
_MOST_BROKEN = 5
"""The largest number of lines among the headers of a mail that are no headers."""
_FOLD = re.compile(r"\r?\n(?=[ \t])")
_WORD = re.compile(r"=\?([^?\s]{1,60})\?([bBqQ])\?(.{0,4000}?)\?=", re.DOTALL)
_SIMPLE_ADDRESS = re.compile(
    r'\s*(?:"([^"\\]*)"|([^"<>,;:()\\]*+))\s*<\s*([^<>@\s,;:"()]+(?:@[^<>@\s,;:"]+)?)\s*>\s*\Z'
)
_BARE_ADDRESS = re.compile(r"\s*([^<>@\s,;:\"()]+@[^<>@\s,;:\"()]+)\s*\Z")
_NO_ADDRESS = re.compile(r"\s*(?=\S)([^<>@,;:\"()\\]+)\Z")
"""Matches a recipient's name without an address, or an account of the same machine."""
_ENCODED_WHOLE = re.compile(r"\s*(?:=\?[^?\s]{1,60}\?[bBqQ]\?[^?]*\?=\s*)+\Z")
"""Matches a field that is encoded as a whole, its address too."""
_LOOSE_ADDRESS = re.compile(
    r'\s*(?:"([^"\\]*)"|([^"<>@,;:()\\\[\]]*[^"<>@,;:()\\\[\]\s]))\s*(?:<{1,2}|[\[(]|(?<=\s))\s*(?:(?:mailto|smtp):)?'
    r"([^<>@\s,;:\"()\[\]]+@[^<>@\s,;:\"()\[\]]+)\s*(?:>{0,2}|[\])])\s*\Z",
    re.IGNORECASE,
)
"""Matches a name with its address as programs write it wrongly: ``Ida [mailto:ida@example.org]``, ``Ida <<ida@example.org>>``,
``Ida (ida@example.org)``.
"""
_SCHEME = re.compile(r"<\s*(?:(?:mailto|smtp):|@[^<>:]{1,500}:)", re.IGNORECASE)
"""Matches what may stand before an address: its scheme, or the way that old mail took (``<@relay.example:ida@example.org>``)."""
_QUOTED_LOCAL = re.compile(r'\s*(?:"([^"\\]*)"|([^"<>@,;:()\\]*?))\s*<\s*("[^"<>\\]{1,64}"@[^<>@\s,;:\"()]+)\s*>\s*\Z')
"""Matches an address whose first part is quoted, with its name."""
_SURNAME = re.compile(r"\s*[A-Z\u00c0-\u024f]\S*\s*\Z")
"""Matches a family name that stands before a comma without quotes: ``Korn, Ida <ida@example.org>``."""
_BETWEEN_COMMAS = re.compile(r'(?:"[^"\\]*+"|[^",;]++)+')
_SEVERAL = re.compile(r'(?:"[^"\\]*+"|[^"])*')
_ANY_ADDRESS = re.compile(r"[^<>@\s,;:\"()\[\]]{1,128}@[^<>@\s,;:\"()\[\]]{1,255}")
_ID = re.compile(r"<([^<>\s]{1,998})>")
_LOOKED_AT = 16 * 1024
_BEFORE = re.compile(rb"(?:\xef\xbb\xbf)?[ \t\r\n]*")
_COMMENTED = re.compile(r'\\\s*.|[()"]', re.DOTALL)
"""Matches what begins or ends comments and quoted words, and what is escaped in them."""
_IN_BRACKETS = re.compile(r"<[^<>]*+>")


@dataclass(frozen=True, slots=True)
class Address:
    """A person in a header: the name and the address in lower case, of which one may be empty; an account of the same
    machine (``root``) is an address without ``@``.
    """

    name: str
    address: str


@dataclass(frozen=True, slots=True)
class Headers:
    """The fields of one block in order, by lower-case name."""

    fields: dict[str, list[bytes]] = field(default_factory=dict[str, list[bytes]])
    end: int = 0
    """The offset of the body."""

    def raw(self, name: str) -> str:
        """Return the first field of a name, unfolded, not decoded; empty if there is none."""
        values = self.fields.get(name)
        return unfolded(values[0]) if values else ""

    def text(self, name: str) -> str:
        """Return the first field of a name, decoded; empty if there is none."""
        values = self.fields.get(name)
        return decoded(unfolded(values[0])).strip() if values else ""

    def addresses(self, name: str) -> tuple[Address, ...]:
        """Return the addresses in all fields of a name."""
        return tuple(each for value in self.fields.get(name, ()) for each in addresses(unfolded(value)))

    def ids(self, name: str) -> tuple[str, ...]:
        """Return the message ids in the fields of a name, without brackets."""
        values = self.fields.get(name)
        return message_ids(" ".join(unfolded(value) for value in values)) if values else ()

    def in_charset(self, charset: str) -> Headers:
        """Return the fields with their bytes that are neither ASCII nor UTF-8 read in this encoding."""
        return Headers(
            {name: [_as_utf8(value, charset) for value in values] for name, values in self.fields.items()}, self.end
        )


def _as_utf8(value: bytes, charset: str) -> bytes:
    if value.isascii():
        return value
    try:
        value.decode()
    except UnicodeDecodeError:
        return decode_text(value, charset).encode("utf-8", "replace")
    return value


def beginning(data: bytes) -> int:
    """Return the offset of the first header, after a byte order mark and blanks; 0 if no headers follow these."""
    match = _BEFORE.match(data)
    place = match.end() if match else 0
    return place if place and likeness(data[place : place + _LOOKED_AT]) else 0


def with_line_feeds(data: bytes) -> bytes:
    """Turn the line ends of an old Mac's mail, carriage returns alone, into line feeds; offsets stay the same."""
    return data if b"\n" in data else data.replace(b"\r", b"\n")


def parse_headers(data: bytes, start: int = 0, stop: int | None = None) -> Headers:
    """Parse the header block at ``start``; the body begins at the first line that is no header, or at ``stop``."""
    stop = len(data) if stop is None else stop
    # Nearly every block has only fields up to a blank line: then one search finds all of them.
    last, blank = blank_line(data, start, stop)
    regular = regular_fields(data[start:last]) if blank else None
    if regular is not None:
        return Headers(regular, last + blank)
    pattern_match = _BLOCK.match(data, start, stop)
    end = pattern_match.end() if pattern_match else start
    fields = dict[str, list[bytes]]()
    last = _add_fields(fields, data, start, end)
    for _ in range(_MOST_BROKEN):
        behind = _behind_broken_line(data, end, stop, fields)
        if behind is None:
            break
        if last:  # most of these lines go on with the field before them, and lack the blank of a folded line
            last[-1] += b" " + data[end : behind[0]].strip()
        last, end = _add_fields(fields, data, *behind), behind[1]
    for line_end in (b"\r\n", b"\n"):
        if data.startswith(line_end, end, stop):
            end += len(line_end)
            break
    return Headers(fields, end)


def _add_fields(fields: dict[str, list[bytes]], data: bytes, start: int, end: int) -> list[bytes]:
    """Add the fields of a block; return the values of the last one's name."""
    last: list[bytes] = []
    for match in _FIELD.finditer(data, start, end):
        last = fields.setdefault(_field_name(match[1]), [])
        last.append(match[2])
    return last


def _behind_broken_line(data: bytes, end: int, stop: int, fields: Mapping[str, list[bytes]]) -> tuple[int, int] | None:
    """Return the start and end of the headers behind a line that is none; None if the body begins with that line. Headers are
    what has a field that every mail has and that has not come yet, up to a blank line.
    """
    line_end = data.find(b"\n", end, stop) + 1
    before = data.rfind(b"\n", 0, max(end - 1, 0)) + 1  # a line of blanks ends headers, too, though it looks folded
    if not _NEEDED & fields.keys() or not line_end or not (data[before:end].strip() and data[end:line_end].strip()):
        return None
    block = _BLOCK.match(data, line_end, stop)
    if block is None or not data.startswith((b"\n", b"\r\n"), block.end(), stop):
        return None
    names = {_field_name(match[1]) for match in _FIELD.finditer(data, *block.span())}
    return block.span() if names & (_NEEDED - fields.keys()) else None


def blank_line(data: bytes, start: int, stop: int) -> tuple[int, int]:
    """Return the offset and size of the first blank line; `stop` and 0 if there is none.

    Only a blank line with the same line ending as the first line counts.
    """
    first = data.find(b"\n", start, stop)
    ending = b"\r\n" if first > start and data[first - 1] == 0x0D else b"\n"
    position = data.find(b"\n" + ending, first, stop) if first >= 0 else -1
    return (position + 1, len(ending)) if position >= 0 else (stop, 0)


def regular_fields(block: bytes) -> dict[str, list[bytes]] | None:
    """Return the fields of a block that has nothing else; None for other blocks."""
    result: list[tuple[bytes, bytes]] = _WHOLE_FIELD.findall(block)
    fields: dict[str, list[bytes]] = {}
    size = 0
    for name, value in result:
        size += len(name) + len(value) + 2
        field_name = _field_name(name)
        if field_name in fields:
            fields[field_name].append(value)
        else:
            fields[field_name] = [value]
    return fields if size == len(block) else None


@lru_cache(maxsize=4096)
def _field_name(name: bytes) -> str:
    return name.decode("ascii").lower()


def unfolded(value: bytes) -> str:
    """Return a field on one line; non-ASCII bytes are decoded as UTF-8 or by a guess."""
    cut = value[:LONGEST]
    text = cut.decode("ascii") if cut.isascii() else decode_text(cut)
    return _FOLD.sub("", text).strip() if "\n" in text else text.strip()


def decoded(text: str) -> str:
    """Return a field's text with its encoded words decoded; broken ones stay as they are."""
    if "=?" not in text:
        return text
    parts: list[str] = []
    pending, charset = b"", ""
    place = 0
    for word in _WORD.finditer(text):
        between = text[place : word.start()]
        name = word[1].partition("*")[0].lower()
        data = _word_bytes(word[2], word[3])
        if data is None:
            continue
        if place and not between.strip():
            between = ""
        if between or name != charset:
            if pending:
                parts.append(decode_text(pending, charset))
            pending = b""
            parts.append(between)
        pending, charset = pending + data, name
        place = word.end()
    if pending:
        parts.append(decode_text(pending, charset))
    parts.append(text[place:])
    return "".join(parts)


def _word_bytes(encoding: str, text: str) -> bytes | None:
    try:
        if encoding in "qQ":
            return binascii.a2b_qp(text.encode("latin-1", "replace"), header=True)
        data = base64_bytes(text.encode("ascii"))
        return data if data or not text.strip() else None
    except (binascii.Error, UnicodeError, ValueError):
        return None


def base64_bytes(data: bytes) -> bytes:
    """Decode base64 with missing padding and foreign characters as far as possible."""
    try:
        return binascii.a2b_base64(data)
    except (binascii.Error, ValueError):
        clean = re.sub(rb"[^A-Za-z0-9+/]", b"", data)
        clean = clean[: len(clean) - 1] if len(clean) % 4 == 1 else clean
        return base64.b64decode(clean + b"=" * (-len(clean) % 4))


@lru_cache(maxsize=8192)
def addresses(value: str) -> tuple[Address, ...]:
    """Return the addresses in a field, of groups their members; people without an address by their names."""
    alone = _simple(value)
    if alone is not None:
        return (alone,)
    value = _SCHEME.sub("<", value) if ":" in value else value
    if not value.strip():
        return ()
    several = _entries(value) if ":" not in value and _SEVERAL.fullmatch(value) else ()
    if several:
        return tuple(several[:MOST_ADDRESSES])
    by_library = _by_library(value)
    if (
        not by_library and "(" in value
    ):  # comments in comments, or escaped brackets, are more than the library understands
        plain = without_comments(value)
        tight = _IN_BRACKETS.sub(lambda bracketed: "".join(bracketed[0].split()), plain)
        by_library = _by_library(tight)
    if not by_library:
        by_library = [("", each) for each in _ANY_ADDRESS.findall(value)]
    return tuple(Address(_name(name), address.lower()) for name, address in by_library[:MOST_ADDRESSES])


def _entries(value: str) -> list[Address]:
    """Return the people of a list without groups and comments; empty if one of them is in another form."""
    result: list[Address] = []
    surname = ""
    for entry in _BETWEEN_COMMAS.findall(value):
        person = _simple(entry)
        if person is not None:
            if surname and person.name:
                result[-1:] = [Address(f"{surname}, {person.name}", person.address)]
            else:
                result.append(person)
            surname = ""
        elif (named := _NO_ADDRESS.match(entry)) is not None:
            name = _name(named[1])
            surname = name if _SURNAME.match(name) else ""
            result.append(Address(name, "") if surname or " " in name else Address("", name.lower()))
        elif entry.strip():
            return []
    return result


def _simple(value: str) -> Address | None:
    """Parse ``Name <address>`` or a bare address, which nearly all fields are; return None for other forms."""
    simple = _SIMPLE_ADDRESS.match(value)
    if simple is None and ("@" in value or "=?" in value):
        simple = _LOOSE_ADDRESS.match(value) or _QUOTED_LOCAL.match(value)
        if simple is None and _ENCODED_WHOLE.match(value):
            simple = _SIMPLE_ADDRESS.match(decoded(value))
    if simple is not None:
        name, address = _name(simple[1] or simple[2] or ""), simple[3].lower()
        return Address("" if name.lower() == address else name, address)
    bare = _BARE_ADDRESS.match(value)
    return None if bare is None else Address("", bare[1].lower())


def _by_library(value: str) -> list[tuple[str, str]]:
    try:
        pairs = getaddresses([value])
    except (ValueError, IndexError, TypeError, AttributeError, RecursionError):
        return []
    local = ":" not in value  # what is not followed by one may be an account of the same machine
    return [
        (name, address)
        for name, address in pairs
        if ("@" in address or (local and address)) and not re.search(r"[\s<>]", address)
    ]


def without_comments(value: str) -> str:
    """Return a field with a blank in place of each comment in brackets, with the comments in it; one that is not closed
    stays.
    """
    parts: list[str] = []
    place = depth = opened = 0
    quoted = False
    for mark in _COMMENTED.finditer(value):
        if mark[0] == '"' and not depth:
            quoted = not quoted
        elif mark[0] == "(" and not quoted:
            opened = opened if depth else mark.start()
            depth += 1
        elif mark[0] == ")" and depth:
            depth -= 1
            if not depth:
                parts += value[place:opened], " "
                place = mark.end()
    return "".join([*parts, value[place:]])


def _name(text: str) -> str:
    name = decoded(text)
    if '"' in name:
        name = name.strip().strip('"')
    if name != text and "\\" in name:  # what is not in encoded words has lost its escapes before
        name = name.replace('\\"', '"').replace("\\\\", "\\")
    name = " ".join(name.split())
    return name[1:-1].strip() if len(name) > 2 and name[0] == name[-1] == "'" else name


def message_ids(value: str) -> tuple[str, ...]:
    """Return the ids in brackets; without brackets, the field's only word. Comments and phrases are skipped."""
    result: list[str] = _ID.findall(value)
    if len(result) == 1:
        return (result[0],)
    result = list(dict.fromkeys(result))
    if not result:
        bare = value.strip().strip("<>").strip()
        return (bare,) if bare and not re.search(r"\s", bare) and len(bare) < 999 else ()
    return tuple(result if len(result) <= MOST_IDS else [result[0], *result[1 - MOST_IDS :]])
