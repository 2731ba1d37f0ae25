"""Text for people's eyes: what came from a source is made harmless, wrapped, and coloured only on a terminal.

Rule 1: every string that a source, a store or a daemon gave passes `clean` before it is printed outside JSON.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TextIO

from .charset import clusters, width_of_character

# C0 without tab and newline, DEL, C1, line and paragraph separators, and what overrides the order of writing: with
# these, a message could move the cursor, rename the window or show other words than it holds.
HARMFUL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
_INVISIBLE = frozenset("\r\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff")


def clean(text: object) -> str:
    """The text without what a terminal would obey: an escape is shown as its code, what is invisible left out."""
    return HARMFUL.sub(_shown, str(text))


def place(locator: object, limit: int) -> str:
    """Return the place of a record in one line of at most ``limit`` columns; of a longer path the end, which says most."""
    line = " ".join(clean(locator).split())
    if line == "-" or line.startswith("-:"):
        line = f"standard input{line[1:]}"
    if width_of(line) <= limit:
        return line
    room = limit - _width("…")
    kept: list[str] = []
    for part in reversed(list(clusters(line))):
        room -= width_of(part)
        if room < 0:
            break
        kept.append(part)
    return "…" + "".join(reversed(kept))


def one_line(text: object, limit: int = 0) -> str:
    """The text in one line, cut with an ellipsis after ``limit`` columns (0: never)."""
    line = " ".join(clean(text).split())
    if limit and width_of(line) > limit:
        kept, end = 0, 0
        for part in clusters(line):
            kept += width_of(part)
            if kept > limit - _width("…"):
                return line[:end] + "…"
            end += len(part)
    return line


def wrapped(text: object, indent: str, columns: int) -> Iterator[str]:
    """Lines of at most ``columns`` columns, each with the indent; the text's own line breaks stay."""
    return _wrapped(clean(text), indent, columns)


def wrapped_with_marks(
    text: str, marks: Sequence[tuple[int, int]], indent: str, columns: int, paint: TerminalStyle
) -> list[tuple[str, int]]:
    """The same with parts of the text in bold; each line with the number of marks that begin in it.

    Args:
        text: as it came.
        marks: (start, end) in the text, ascending and apart.
        indent: of each line.
        columns: most of a line.
        paint: how bold is written.
    """
    parts: list[str] = []
    done = 0
    for start, end in marks:
        parts += [clean(text[done:start]), _BEGIN, clean(text[start:end]), _END]
        done = end
    lines: list[tuple[str, int]] = []
    within = False
    for line in _wrapped("".join([*parts, clean(text[done:])]), indent, columns):
        # What is marked may go on in the next line; an indent is never bold.
        marked = line[: len(indent)] + (_BEGIN if within else "") + line[len(indent) :]
        within = marked.rfind(_BEGIN) > marked.rfind(_END)
        marked += _END if within else ""
        bold = re.sub(f"{_BEGIN}([^{_END}]*){_END}", lambda match: paint.bold(match[1]) if match[1] else "", marked)
        lines.append((bold, line.count(_BEGIN)))
    return lines


_BEGIN, _END = "\x02", "\x03"
"""Around what is marked, while lines are cut: `clean` leaves none of them in a text."""


def _wrapped(text: str, indent: str, columns: int) -> Iterator[str]:
    most = max(20, columns - len(indent))
    for paragraph in text.expandtabs(4).split("\n"):
        # A line's own indentation tells what it belongs to, in code and in lists.
        blanks = " " * min(len(paragraph) - len(paragraph.lstrip(" ")), most // 2)
        room = most - len(blanks)
        line, used = "", 0
        for word in re.findall(r"\S+\s*", paragraph):
            for piece in _pieces(word, room):
                if line and used + width_of(piece.rstrip()) > room:
                    yield (indent + blanks + line).rstrip()
                    line, used = "", 0
                line += piece
                used += width_of(piece)
        yield (indent + blanks + line).rstrip()


def width_of(text: str) -> int:
    """Columns on a terminal: most of East Asian writing and emoji take two, marks none."""
    return len(text) if text.isascii() and text.isprintable() else sum(map(_width, text))


def columns_of(stream: TextIO) -> int:
    """The width to write in: the terminal's, at most 120; 100 where there is none."""
    return min(size_of(stream)[0], 120) if stream.isatty() else 100


def line_columns(stream: TextIO) -> int:
    """The width of a line of ours, which only a terminal breaks: programs read whole lines."""
    return columns_of(stream) if stream.isatty() else UNBROKEN


def is_redrawn(stream: TextIO) -> bool:
    """Return whether a written line can be overwritten: on a terminal that is not ``dumb``."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def size_of(stream: TextIO) -> tuple[int, int]:
    """Columns and lines of the terminal behind a stream; ``COLUMNS`` and ``LINES`` win, and 80 and 24 stand in."""
    try:
        real = tuple(os.get_terminal_size(stream.fileno()))
    except (OSError, ValueError):  # no terminal, or a stream of a test
        real = (0, 0)
    columns, lines = (
        _number(os.environ.get(name)) or size for name, size in zip(("COLUMNS", "LINES"), real, strict=True)
    )
    return columns or 80, lines or 24


def joined(parts: Iterable[str], separator: str, indent: str, columns: int, *, first: str | None = None) -> list[str]:
    """Parts in as few lines as they need, each part whole: an id is copied in one piece.

    Args:
        parts: of the line, none empty.
        separator: between them, and at the end of a line that goes on.
        indent: of each line.
        columns: most of a line; a part that is longer stands alone.
        first: the indent of the first line, where it is another.
    """
    lines: list[str] = []
    line, empty = indent if first is None else first, True
    whole = list(parts)
    for number, part in enumerate(whole, 1):
        longer = line + ("" if empty else separator) + part
        ended = longer if number == len(whole) else (longer + separator).rstrip()
        if not empty and width_of(ended) > columns:
            lines.append((line + separator).rstrip())
            longer = indent + part
        line, empty = longer, False
    return [*lines, line]


UNBROKEN = 1_000_000
"""Columns of a line that is not broken."""


class TerminalStyle:
    """Emphasis by escape codes, on a terminal that wants them (``NO_COLOR``, ``TERM=dumb``), else nothing."""

    def __init__(self, stream: TextIO) -> None:
        self.line_columns = line_columns(stream)
        self.on = is_redrawn(stream) and "NO_COLOR" not in os.environ

    def bold(self, text: str) -> str:
        """Return the text in bold, for emphasis."""
        return f"\x1b[1m{text}\x1b[0m" if self.on else text

    def dim(self, text: str) -> str:
        """Return the text dimmed, for details."""
        return f"\x1b[2m{text}\x1b[0m" if self.on else text


def counted(number: int, singular: str, plural: str = "") -> str:
    """``1 message``, ``3,000 messages``."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def lasting(seconds: float) -> str:
    """``45 s``, ``12 min``, ``3 h 05 min``, ``4 days``."""
    whole = int(seconds + 0.5)
    if whole < 90:
        return f"{whole} s"
    minutes = whole // 60
    if minutes < 90:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60:02d} min" if minutes < 48 * 60 else f"{minutes // 1440} days"


def in_bytes(number: float) -> str:
    """``1.5 MB``."""
    for unit in ("B", "kB", "MB", "GB"):
        if number < 1000:
            return f"{number:.0f} {unit}" if unit == "B" or number >= 100 else f"{number:.1f} {unit}"
        number /= 1000
    return f"{number:.1f} TB"


def say(line: str = "") -> None:
    """One line for people, on standard error: standard output is for results. On a terminal it is wrapped between words."""
    sys.stdout.flush()  # in a log of both, what was printed before stands before
    for each in told(line, sys.stderr):
        print(each, file=sys.stderr, flush=True)


def say_command(words: str, command: str) -> None:
    """Words, and a command that stays whole, to be copied: on a line of its own where it does not fit beside them."""
    for line in joined([words, command], " ", "    ", line_columns(sys.stderr), first=""):
        print(line.rstrip(), file=sys.stderr, flush=True)


def told(line: str, stream: TextIO) -> list[str]:
    """A line of ours, wrapped between words on a terminal, whole elsewhere; what goes on stands further in.

    Args:
        line: harmless already.
        stream: where it goes.
    """
    columns = line_columns(stream)
    if width_of(line) <= columns:
        return [line]
    margin = line[: len(line) - len(line.lstrip())]
    return joined(words_of(line), " ", margin + "    ", columns, first=margin)


def words_of(line: str) -> list[str]:
    """Return the parts between which a line may be broken: its words; a number with its unit, and a short command in
    backquotes, as one.
    """
    words: list[str] = []
    for word in line.strip().split(" "):
        last = words[-1] if words else ""
        unit = last[-1:].isdigit() and _UNIT.match(word)
        if unit or (last.count("`") % 2 and len(last) < _LONGEST_COMMAND):
            words[-1] = f"{last} {word}"
        else:
            words.append(word)
    return words


_UNIT = re.compile(r"(?:[kMGT]?B|s|min|h)\b")
_LONGEST_COMMAND = 30
"""Characters of a command before its last word."""


def print_told(line: str) -> None:
    """One line on standard output, on a terminal wrapped between words."""
    for each in told(line, sys.stdout):
        print(each)


def _number(text: str | None) -> int:
    return int(text) if text and text.isascii() and text.isdecimal() else 0


def _shown(match: re.Match[str]) -> str:
    character = match.group()
    if character in _INVISIBLE:
        return ""
    if character in "\u2028\u2029":
        return " "
    return f"\\x{ord(character):02x}" if ord(character) < 256 else "\N{REPLACEMENT CHARACTER}"


def _width(character: str) -> int:
    return 0 if character in _BEGIN + _END else width_of_character(character)


def _pieces(word: str, room: int) -> Iterator[str]:
    """A word longer than a line in pieces; also writing without spaces."""
    if width_of(word.rstrip()) <= room:
        yield word
        return
    piece, used = "", 0
    units = (unit for part in clusters(word) for unit in ((part,) if width_of(part) <= room else part))
    for part in units:
        width = width_of(part)
        if piece and used + width > room:
            yield piece
            piece, used = "", 0
        piece += part
        used += width
    if piece:
        yield piece
