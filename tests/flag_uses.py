"""Which flags of which verbs the tests give: read from their source, for the test that no flag is without a test.

A use is a command line in a test: texts side by side in a list, a tuple or a call, or one text with blanks, in which a
flag stands behind the words of its verb.
"""

from __future__ import annotations

import ast
import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path

from ..daemon.cli.shell.command_tree import Command, Flag

Use = tuple[str, str]
"""A verb with its action, and a spelling of a flag."""
EVERYWHERE = frozenset({"--config", "--data-dir", "--socket", "--log-level", "--json", "--help"})
"""Flags of every verb."""
_ABSENT = "\0"
"""In the place of a word that only the running test knows."""


def own_flags(command: Command) -> Iterator[Flag]:
    """The flags that a verb does not share with all others."""
    return (flag for flag in command.flags if not EVERYWHERE.intersection(flag.names))


def uses_in(paths: Iterable[Path], commands: Iterable[Command]) -> set[Use]:
    """Every use in these files."""
    known = [command for command in commands if command.words]
    found: set[Use] = set()
    for path in paths:
        for words in _lines(ast.parse(path.read_text(encoding="utf-8"))):
            given = [(place, word.partition("=")[0]) for place, word in enumerate(words) if word.startswith("-")]
            if given:
                found |= {
                    (command.path, flag)
                    for command in known
                    for place in _places(words, command.words)
                    for behind, flag in given
                    if behind > place
                }
    return found


def _places(words: list[str], wanted: tuple[str, ...]) -> Iterator[int]:
    for place in range(len(words) - len(wanted) + 1):
        if tuple(words[place : place + len(wanted)]) == wanted:
            yield place


def _lines(tree: ast.AST) -> Iterator[list[str]]:
    """What may be command lines."""
    for node in ast.walk(tree):
        if isinstance(node, ast.List | ast.Tuple):
            yield [word for each in node.elts for word in _words(each)]
        elif isinstance(node, ast.Call):
            yield [word for each in node.args for word in _words(each)]


def _words(node: ast.expr) -> list[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        try:
            return shlex.split(node.value) or [""]
        except ValueError:
            return [node.value]
    if isinstance(node, ast.Starred):
        return _words(node.value)
    return [_ABSENT]
