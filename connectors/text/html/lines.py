"""The lines of a text that the elements of a page make: paragraphs, items of lists, cells of tables. Pure."""

from __future__ import annotations

import re

_SPACED = frozenset({"blockquote", "h1", "h2", "h3", "h4", "h5", "h6", "ol", "p", "pre", "table", "ul"})
"""The elements that are separated by an empty line from their neighbours."""
_BLOCKS = _SPACED | {
    "address", "article", "aside", "caption", "div", "dd", "details", "dl", "dt", "fieldset", "figcaption", "figure", "footer",
    "form", "header", "hr", "legend", "li", "main", "nav", "option", "section", "summary", "tr",
}  # fmt: skip
_LISTS = frozenset({"ol", "ul"})
_DEEPEST_LIST = 12
_CELL_ENDS = -1
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_BLANKS = re.compile(r"[ \t\r\n\f]+")


class HTMLLines:
    """Text that grows by elements and words; line ends are added when the next words come."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self.breaks = 0
        self.at_start = True
        self._marked = False
        """The last thing is a mark, whose words may stand in a block of their own: it ends no line."""
        self._line = 0
        """The number of line ends before the last words."""
        self._cells: list[int | None] = []
        """The line in which the words of each open cell begin; None before the first word."""

    def begin_element(self, tag: str, depth: int, *, headings: bool = False) -> tuple[int, int]:
        """Begin an element; return the value for `end_element` at its end, and the number of lists around its words.

        Args:
            tag: the element's name.
            depth: within how many lists it stands.
            headings: whether they get the marks of Markdown.
        """
        ending = 2 if tag in _SPACED else 1 if tag in _BLOCKS else 0
        if tag in _LISTS:
            self._marked = False  # where an item or cell begins with a list, that has lines of its own
            ending, depth = (1 if depth else ending), min(depth + 1, _DEEPEST_LIST)
        self.lines(ending)
        if headings and tag in _HEADINGS:
            self.add(f"{'#' * int(tag[1])} ", verbatim=True)
        elif tag == "li":
            self._begin_item(max(depth, 1))
        elif tag in ("td", "th"):
            self._begin_cell()
            ending = _CELL_ENDS
        return ending, depth

    def end_element(self, ending: int) -> None:
        """End an element: ``ending`` is the value returned at its beginning."""
        if ending == _CELL_ENDS:
            self._end_cell()
        else:
            self.lines(ending)

    def lines(self, count: int) -> None:
        """Put at least ``count`` line ends before the next words."""
        if not self._marked:
            self.breaks = max(self.breaks, count)

    def _begin_item(self, depth: int) -> None:
        """Begin an item of a list."""
        self._marked = False
        self.add(f"{'  ' * (depth - 1)}- ", verbatim=True)
        self._marked = True

    def _begin_cell(self) -> None:
        """Begin a cell, in the line of the cell before it."""
        if not self.breaks:
            self.add(" | ")
        self._marked = True
        self._cells.append(None)

    def _end_cell(self) -> None:
        """End a cell: its words end the line only if they are several lines."""
        self._marked = False
        if self._cells and self._cells.pop() == self._line:
            self.breaks = 0

    def add(self, text: str, *, verbatim: bool = False) -> None:
        """Add words; blanks at the begin of a line say nothing, but in code."""
        if not verbatim:
            if "  " in text or not text.isprintable():  # else no run of blanks is there to be looked for
                text = _BLANKS.sub(" ", text)
            if (self.at_start or self.breaks or self._marked) and not (text := text.lstrip(" ")):
                return
        if not text:
            return
        if not self.at_start:
            self._parts.append("\n" * self.breaks)
            self._line += self.breaks
        self._parts.append(text)
        self.breaks, self.at_start, self._marked = 0, False, False
        at = len(self._cells)
        while at and self._cells[at - 1] is None:
            at -= 1
            self._cells[at] = self._line

    def text(self) -> str:
        """Return the whole text."""
        return "".join(self._parts).rstrip()
