"""The strategy of source code: cut at definitions, by the layout of the lines, whatever the language.

No grammar is used: a definition is a line of a known shape (``def name``, ``class Name``, ``int name(...)``, ``const name = (...) =>``)
at the outermost indentation, or one that stands directly in a container such as a class. Comments and decorators that
touch it from above belong to it. Lines inside strings define nothing (``code_strings``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from .boundaries import extends
from .code_strings import strings_over_lines
from .section_chunker import SEPARATOR, Section, SectionChunker

LONGEST_LINE = 400
"""The most characters of a line that may be a definition; longer lines are data or generated."""
DEEPEST = 6
"""The deepest nesting of containers that is recognised."""
TAB = 8
"""Columns of indentation for a tabulator."""
MOST_OF_A_NAME = 80

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|$)")
_MODIFIERS = (
    r"(?:(?:export|default|declare|public|private|protected|internal|static|final|abstract|async|override|virtual|inline|"
    r"extern|unsafe|open|sealed|partial|pub(?:\([a-z: ]+\))?|const|constexpr|suspend|data|readonly|fileprivate|mutating|"
    r"local|implicit|lazy|case|inner|companion|crate|native|synchronized|strictfp|typedef)[ \t]+)*"
)
_CONTAINERS = (
    "class|interface|impl|trait|object|module|namespace|protocol|extension|enum(?:[ \\t]+(?:class|struct))?|struct|union|record|"
    "defmodule|mixin|contract|mod"
)
_FUNCTIONS = "def|defp|defmacro|func|function|fn|fun|sub|proc|procedure|macro|macro_rules!|type|actor"
_KEYWORD = re.compile(
    _MODIFIERS + rf"(?:(?P<container>{_CONTAINERS})(?=[ \t<])|(?:{_FUNCTIONS})(?=[ \t*<]))[ \t*]*"
    r"(?:<[^<>]{0,80}>[ \t]*)?(?:\([^()]{0,80}\)[ \t]*)?"  # parameters of types; the receiver of a method in Go
    r"(?P<name>[\w$.:!?'-]{1,200})",
)
_TYPE_IN_C = re.compile(r"(?:[a-z]+[ \t]+)*(?:struct|union|enum)[ \t]+\w+[ \t*]+\w+[ \t]*\(")
_SQL = re.compile(
    r"create[ \t]+(?:or[ \t]+replace[ \t]+)?(?:temp(?:orary)?[ \t]+|unique[ \t]+|materialized[ \t]+)?"
    r"(?:table|view|function|procedure|trigger|index|type)[ \t]+(?:if[ \t]+not[ \t]+exists[ \t]+)?(?P<name>[\w.\"`]+)",
    re.IGNORECASE,
)
_LISP = re.compile(r"\((?:def[a-z-]*|define(?:-[a-z-]+)?)[ \t]+\(?(?P<name>[^\s()]+)")
_ASSIGNED = re.compile(
    r"(?:export[ \t]+)?(?:const|let|var)[ \t]+(?P<name>[\w$]+)[ \t]*(?::[^=]{1,120})?=[ \t]*(?:async[ \t]+)?"
    r"(?:function\b|class\b|\([^()]{0,200}\)[ \t]*(?::[^=]{1,80})?=>|[\w$]+[ \t]*=>|\($)"
)
_IN_R = re.compile(r"(?P<name>[\w.]+)[ \t]*(?:<-|=)[ \t]*function[ \t]*\(")
_HEAD = re.compile(r"[\w$<>\[\],:*&~?@ \t]*")
_NAME_AT_END = re.compile(r"(?P<name>~?[\w$]{1,120}(?:::~?[\w$]{1,120})*)[ \t]*\Z")
_STATEMENTS = frozenset((
    "if", "for", "foreach", "while", "until", "unless", "switch", "match", "return", "else", "elif", "elsif", "catch",
    "except", "with", "when", "do", "try", "and", "or", "not", "in", "is", "case", "goto", "delete", "raise", "throw",
    "new", "await", "yield", "assert", "print", "echo", "import", "from", "using", "require", "include", "package",
    "go", "defer", "use", "let", "var", "const", "val", "end", "begin", "then", "fi", "done", "esac", "super", "this",
    "self", "typeof", "sizeof", "function",
))  # fmt: skip
_WORDS = frozenset(
    (
        "a",
        "an",
        "and",
        "are",
        "as",
        "at",
        "by",
        "for",
        "from",
        "if",
        "in",
        "is",
        "it",
        "of",
        "on",
        "or",
        "that",
        "the",
        "to",
        "with",
    )
)
"""Words that are never the name of a definition."""
_LEADS = ("#", "//", "/*", "*", "--", "@", "[", ";;", "template", "%")
_CLOSES = re.compile(r"[})\]{]|(?:end|else|elif|elsif|except|finally|rescue|ensure|catch|fi|done)\b|\w+:\Z")


class _Line(NamedTuple):
    start: int
    end: int
    column: int
    text: str
    """The line without surrounding blanks."""


class _Definition(NamedTuple):
    name: str
    container: bool


@dataclass(slots=True)
class _Open:
    """A definition whose body is being read."""

    column: int
    name: str
    container: bool


@dataclass(slots=True)
class _Outline:
    """The sections found so far."""

    sections: list[Section] = field(default_factory=list[Section])
    open: list[_Open] = field(default_factory=list[_Open])
    start: int = 0
    path: str = ""

    def begin(self, at: int) -> None:
        """Begin a section at an offset, with the open definitions as its path."""
        path = SEPARATOR.join(each.name for each in self.open)
        if at > self.start:
            self.sections.append(Section(self.start, at, self.path))
            self.start = at
        self.path = path

    def close(self, column: int) -> None:
        """Close all definitions that began at this column or further right."""
        while self.open and self.open[-1].column >= column:
            self.open.pop()


class DefinitionsChunker(SectionChunker):
    """One chunk for each function, method and class head, several for a long one; its section is ``Class > method``."""

    name = "definitions"
    rules = 2

    def sections(self, text: str) -> list[Section]:
        """Return the span of each definition; text between them gets the path of the definitions around it, or none."""
        outline = _Outline()
        lead = -1  # where the comments begin that touch the next line
        quoted = iter([*strings_over_lines(text), (len(text), len(text))])
        opened, ended = next(quoted)
        for line in _lines(text):
            while ended <= line.start < len(text):
                opened, ended = next(quoted)
            if opened < line.start < ended:
                lead = -1  # within a string: nothing begins here, and nothing ends
                continue
            if not line.text:
                lead = -1
                continue
            definition = _definition(line) if _may_begin(outline.open, line.column) else None
            if definition is not None:
                outline.close(line.column)
                outline.open.append(_Open(line.column, definition.name[:MOST_OF_A_NAME], definition.container))
                _begin(outline, text, line.start if lead < 0 else lead)
            elif line.text.startswith(_LEADS):
                lead = line.start if lead < 0 else lead
                continue
            elif outline.open and line.column <= outline.open[-1].column and not _closes(line.text):
                outline.close(line.column)
                _begin(outline, text, line.start if lead < 0 else lead)
            lead = -1
        if outline.start < len(text):
            outline.sections.append(Section(outline.start, len(text), outline.path))
        return outline.sections


def _begin(outline: _Outline, text: str, at: int) -> None:
    if at < len(text) and at and extends(text[at]):
        return  # a combining mark at the beginning of a line belongs to what is before it
    outline.begin(at)


def _may_begin(open_: list[_Open], column: int) -> bool:
    """Return whether a definition may stand at this column: at the outermost level, or directly in containers."""
    around = [each for each in open_ if each.column < column]
    return all(each.container for each in around) and len(around) < DEEPEST and (bool(around) or column == 0)


def _closes(text: str) -> bool:
    """Return whether a line at the column of a definition still belongs to it: its end, its opening brace, a label."""
    return _CLOSES.match(text) is not None


def _lines(text: str) -> Iterator[_Line]:
    for match in _LINE.finditer(text):
        line = match[0]
        stripped = line.strip(" \t\r\n\f\v")
        blanks = line[: len(line) - len(line.lstrip(" \t"))]
        column = len(blanks.expandtabs(TAB)) if len(blanks) <= LONGEST_LINE else LONGEST_LINE
        yield _Line(match.start(), match.end(), column, stripped)


def _definition(line: _Line) -> _Definition | None:
    """Return the definition in a line, or None."""
    text = line.text
    if len(text) > LONGEST_LINE:
        return None
    if (match := _KEYWORD.match(text)) is not None and match["name"] in _WORDS:
        return None  # a sentence, such as ``class of people``
    if match is not None and not _TYPE_IN_C.match(text):
        return _Definition(match["name"].rstrip(":("), match["container"] is not None)
    for shape in (_ASSIGNED, _SQL, _LISP, _IN_R):
        if (match := shape.match(text)) is not None:
            return _Definition(match["name"], container=False)
    return _callable(text)


def _callable(text: str) -> _Definition | None:
    """Return the definition of a function without keyword, such as ``int name(int a) {`` or ``public Name(A a)``, or
    None for a statement.
    """
    head, parenthesis, rest = text.partition("(")
    if not parenthesis or rest.endswith((";", "\\")):
        return None
    match = _NAME_AT_END.search(head) if _HEAD.fullmatch(head) else None
    if match is None:
        return None
    words = re.findall(r"[\w$]+", head)
    if words[0] in _STATEMENTS or words[-1] in _STATEMENTS or words[-1][0].isdigit():
        return None
    with_body = rest.endswith(("{", "=>", "->"))
    with_type = len(words) > 1 and (not rest or rest.endswith((")", ",", "(", "const", "override", "noexcept")))
    return _Definition(match["name"], container=False) if with_body or with_type else None
