"""Lines of text that are made of HTML: blanks as a browser shows them, blank lines between paragraphs, marks of quotes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

SPACE = re.compile(r"[ \t\r\n\f\v]+")


@dataclass(slots=True)
class TextLines:
    """Lines under construction."""

    lines: list[str] = field(default_factory=list[str])
    line: list[str] = field(default_factory=list[str])
    depth: int = 0
    hidden: int = 0
    preformatted: int = 0
    links: dict[str, None] = field(default_factory=dict[str, None])

    def text(self, text: str) -> None:
        """Add words to the line; runs of blanks are one blank, outside of what is preformatted."""
        if self.preformatted:
            first, *rest = text.replace("\r\n", "\n").split("\n")
            self.line.append(first)
            for each in rest:
                self.end(force=True)
                self.line.append(each)
            return
        shown = SPACE.sub(" ", text)
        if shown[:1] == " " and (not self.line or self.line[-1].endswith((" ", "\t"))):
            shown = shown[1:]
        if shown:
            self.line.append(shown)

    def end(self, *, force: bool = False) -> None:
        """End the line; an empty one is written only where it is forced."""
        if not self.line and not force:
            return
        text = "".join(self.line)
        text = text if self.preformatted else text.rstrip(" \t")
        if text.strip() or force:
            prefix = ">" * self.depth
            self.lines.append(f"{prefix} {text}" if prefix and text else prefix + text)
        self.line.clear()

    def blank(self) -> None:
        """A blank line, unless there is one or nothing stands above."""
        self.end()
        if self.lines and self.lines[-1].strip("> "):
            self.lines.append(">" * self.depth)

    def finished(self) -> str:
        """All lines, without blank ones at both ends."""
        self.end()
        while self.lines and not self.lines[-1].strip():
            self.lines.pop()
        start = next((index for index, line in enumerate(self.lines) if line.strip()), 0)
        return "\n".join(self.lines[start:])
