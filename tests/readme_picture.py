"""The picture at the top of README.md, drawn from the first commands of its transcript, which `test_transcripts` runs.

`python -m memd.tests.readme_picture` in the checkout's environment writes it anew.
"""

from __future__ import annotations

import unicodedata
from html import escape
from pathlib import Path

from memd.tests.test_transcripts import blocks_of

PICTURE = "docs/first-answer.svg"
COMMANDS = 2
"""An import, and a question with its answer."""
COLUMNS = 104
WIDTH, HEIGHT, SIZE, MARGIN = 8.4, 20, 14, 24
"""Of a column, a line, the letters, and the margin, in pixels."""
PROMPT, TEXT, CITED, BACKGROUND = "#7ee787", "#c9d1d9", "#ffffff", "#0d1117"


def picture(readme: Path) -> str:
    """Return the SVG of a terminal with the first commands that show what they print."""
    shown = [pair for block in blocks_of(readme) for pair in block.commands if pair[1] is not None][:COMMANDS]
    lines: list[tuple[str, str]] = []
    for command, printed in shown:
        lines.append((f"$ {command}", PROMPT))
        lines += [(line, CITED if line.startswith("    “") else TEXT) for line in printed or ()]
    while not lines[-1][0]:
        lines.pop()
    drawn = "".join(_line(number, text, colour) for number, (text, colour) in enumerate(lines))
    width, height = COLUMNS * WIDTH + 2 * MARGIN, len(lines) * HEIGHT + 2 * MARGIN
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}"'
        f' role="img" aria-label="An import, a question, and the answer with the message that it rests on">\n'
        f'<rect width="100%" height="100%" rx="8" fill="{BACKGROUND}"/>\n'
        f'<g font-family="ui-monospace, Menlo, Consolas, monospace" font-size="{SIZE}" style="white-space: pre">\n{drawn}</g>\n</svg>\n'
    )


def _line(number: int, text: str, colour: str) -> str:
    whole = _cut(text)
    return f'<text x="{MARGIN}" y="{MARGIN + (number + 0.75) * HEIGHT:g}" fill="{colour}">{escape(whole)}</text>\n'


def _cut(text: str) -> str:
    """Return the text, of at most `COLUMNS` columns; East Asian letters and most emoji take two."""
    columns = 0
    for place, letter in enumerate(text):
        columns += 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        if columns > COLUMNS:
            return f"{text[: place - 1]}…"
    return text


if __name__ == "__main__":
    root = Path(__file__).parent.parent
    (root / PICTURE).write_text(picture(root / "README.md"), encoding="utf-8")
