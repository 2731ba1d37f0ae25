"""The page of `man memd`, in the macros of man(7)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..help_layout import EXAMPLE
from .command_tree import Command, Flag, Positional

_FILES = (
    ("$XDG_CONFIG_HOME/memd/config.toml", "the settings; memd config --init writes a file to begin with"),
    ("$XDG_DATA_HOME/memd", "everything that is kept"),
    ("$XDG_STATE_HOME/memd/last_answer", "the ids of the last answer, for memd show 2"),
    ("$XDG_RUNTIME_DIR/memd/memd.sock", "where the daemon listens"),
)


_SPECIAL = {"\\": "\\e", "-": "\\-", "`": "\\(ga", "'": "\\(aq", "^": "\\(ha", "~": "\\(ti"}


def man_page(root: Command, version: str) -> str:
    """The page as roff; the same for the same command line."""
    shared = {flag.names for flag in root.flags}
    lines = [
        ".\\\" Made of memd's own help by `memd completion man`; not to be edited.",
        f'.TH MEMD 1 "" "memd {_escaped(version)}"',
        ".ad l",  # an example that is stretched to both margins cannot be copied
        ".nh",
        ".SH NAME",
        f"memd \\- {_escaped(root.summary[:1].lower() + root.summary[1:].rstrip('.'))}",
        ".SH SYNOPSIS",
        ".B memd",
        ".I VERB",
        "[arguments] [flags]",
        ".SH FLAGS OF EVERY VERB",
        *_entries(root.flags),
        ".SH VERBS",
    ]
    for command in root.walk():
        if command.words:
            flags = tuple(flag for flag in command.flags if flag.names not in shared and "--help" not in flag.names)
            lines += [f".SS memd {_escaped(command.path)}", *_text(command.summary), *_entries(command.positionals)]
            lines += [*_entries(flags), *_sample(command.epilog)]
    lines += [".SH EXIT STATUS", *_sample(root.epilog, "exit codes:"), ".SH FILES"]
    for path, text in _FILES:
        lines += [".TP", f".I {_escaped(path)}", *_text(text)]
    return "\n".join([*lines, ".SH SEE ALSO", *_text("memd help VERB prints what stands here of a verb."), ""])


def _entries(entries: tuple[Flag | Positional, ...]) -> Iterator[str]:
    for each in entries:
        yield ".TP"
        if isinstance(each, Flag):
            names = ", ".join(f"\\fB{_escaped(name)}\\fR" for name in each.names)
            yield names + (f" \\fI{_escaped(each.value)}\\fR" if each.value else "")
        else:
            yield f"\\fI{_escaped(each.name)}\\fR"
        chosen = f" ({', '.join(each.choices)})" if each.choices else ""
        yield from _text(each.help + chosen)


def _sample(epilog: str, heading: str = "examples:") -> Iterator[str]:
    """The lines of an epilog under a heading: commands as they are, what they do below them, wrapped as other text."""
    match = re.search(f"(?m)^{re.escape(heading)}\n((?:  .*\n?)+)", epilog)
    if match is None:
        return
    lines = re.split(r"\n| · ", match[1].rstrip("\n"))
    if heading == "exit codes:":
        yield from (".PP", ".nf", *map(_line, lines), ".fi")
        return
    for line in lines:
        if example := EXAMPLE.fullmatch(line):
            yield from (".TP 4", _line(example[1].strip()), _line(example[2]))
        else:
            yield from (".HP 4", _line(line.strip()))


def _text(text: str) -> Iterator[str]:
    if text:
        yield _line(text)


def _line(text: str) -> str:
    """A line that roff takes for text, whatever it begins with."""
    return f"\\&{_escaped(text)}" if text.startswith((".", "'")) else _escaped(text)


def _escaped(text: str) -> str:
    """Characters that roff would change, and those that an old one cannot read."""
    return "".join(_SPECIAL.get(each, each) if each.isascii() else f"\\[u{ord(each):04X}]" for each in text)
