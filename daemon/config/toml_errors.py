"""Describes TOML errors of a configuration by place and reason, in plain words: ``12:8: a value is missing, or is not
written as TOML has it``.
"""

from __future__ import annotations

import re

_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
_NOT_TOML = "this is not written as TOML has it"
_WORDINGS = (
    ("Invalid value", 'a value is missing, or is not written as TOML has it; a text stands in quotes, "like this"'),
    ("Expected '=' after a key", "a key is followed by = and a value"),
    ("Expected ']]'", "the name of a table in an array ends with ]]"),
    ("Expected ']'", "the name of a table ends with ]"),
    ("Expected newline", "one setting stands on one line; behind its value there is something else"),
    ("Expected", "a quotation mark is missing at the end of a text"),
    ("Unterminated string", "quotation marks are missing at the end of a text"),
    ("Unescaped", r"a \ in a text is written \\, or the text stands in 'single quotes'"),
    ("Escaped character", r"behind \u or \U stands no character"),
    ("Invalid hex value", r"behind \u stand four digits, behind \U eight"),
    ("Illegal character", "a text ends on the line it begins on, and holds no control characters"),
    ("Found invalid character", "a text ends on the line it begins on, and holds no control characters"),
    ("Cannot overwrite", "this is set already"),
    ("Cannot declare", "this table is there already"),
    ("Cannot mutate", "this table is written in {} elsewhere, and cannot be added to"),
    ("Cannot redefine", "this table is there already"),
    ("Duplicate inline table key", "this is set already"),
    ("Unclosed array", "a list ends with ], and has commas between its values"),
    ("Unclosed inline table", "a table in {} ends on the line it begins on, and has commas between its values"),
    ("Invalid date", "there is no such day or time"),
    ("Invalid initial character", "a name is letters, digits, _ and -, or stands in quotes"),
    ("Invalid statement", "a line is `name = value`, `[table]`, or begins with #"),
    ("Exceeds the limit", "a number has too many digits"),
)
"""The beginnings of the standard library's messages, and memd's text for each; the first match counts."""


def toml_problem(data: bytes, error: ValueError | RecursionError) -> str:
    """Return ``line:column: problem``, without any text of the file.

    Args:
        data: of the file.
        error: the exception from decoding it, or from parsing it as TOML.
    """
    if isinstance(error, UnicodeDecodeError):
        line, column = _place(data[: error.start].decode("utf-8-sig", "replace"))
        return f"{line}:{column}: the file must be in UTF-8, and these bytes are not"
    text = data.decode("utf-8-sig")
    if isinstance(error, RecursionError):
        return f"{_deepest(text)}: nested too deep"
    message = str(error)
    match = _PLACE.search(message)
    if match is None:
        place = f"{_longest_digits(text)}"
    elif match[1]:
        place = f"{match[1]}:{match[2]}"
    else:
        place = "{}:{}".format(*_place(text.rstrip()))
    return f"{place}: {next((ours for begin, ours in _WORDINGS if message.startswith(begin)), _NOT_TOML)}"


def _place(before: str) -> tuple[int, int]:
    """Return the line and column, from 1, after this text."""
    return before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1


def _deepest(text: str) -> str:
    """Return the line with the most brackets, as the probable place of too deep nesting."""
    lines = text.split("\n")
    number = max(range(len(lines)), key=lambda index: lines[index].count("[") + lines[index].count("{"))
    return f"{number + 1}:1"


def _longest_digits(text: str) -> str:
    """Return the place of the longest number: the parser names none when a number is too long."""
    longest = max(re.finditer(r"\d+", text), key=lambda match: len(match[0]), default=None)
    return "{}:{}".format(*_place(text[: longest.start() if longest else 0]))
