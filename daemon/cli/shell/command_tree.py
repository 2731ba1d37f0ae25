"""The command line as plain data, read from its parser: commands, their flags, what these take."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..arguments import Parser, verbs_of

FILES = frozenset({"FILE", "DIR", "PATH"})
"""Names of values that are files or folders."""


@dataclass(frozen=True, slots=True)
class Flag:
    """An option: its spellings, and what follows it."""

    names: tuple[str, ...]
    help: str
    value: str = ""
    """The name of the value; empty if there is none."""
    choices: tuple[str, ...] = ()

    @property
    def is_file(self) -> bool:
        """Return whether the value is a file or a folder."""
        return self.value in FILES


@dataclass(frozen=True, slots=True)
class Positional:
    """A word at its place."""

    name: str
    help: str
    choices: tuple[str, ...] = ()

    @property
    def is_file(self) -> bool:
        """Return whether it is a file or a folder."""
        return self.name in FILES


@dataclass(frozen=True, slots=True)
class Command:
    """`memd` itself, a verb, or an action of a verb."""

    words: tuple[str, ...]
    """``("sources", "add")``."""
    summary: str
    epilog: str
    flags: tuple[Flag, ...]
    positionals: tuple[Positional, ...]
    commands: tuple[Command, ...] = ()

    @property
    def path(self) -> str:
        """``sources add``."""
        return " ".join(self.words)

    def walk(self) -> Iterator[Command]:
        """This one and all below, each before its own."""
        yield self
        for command in self.commands:
            yield from command.walk()


def command_tree(parser: Parser, words: tuple[str, ...] = ()) -> Command:
    """The command of a parser, with all below it."""
    flags: list[Flag] = []
    positionals: list[Positional] = []
    commands: list[Command] = []
    for action in parser._actions:  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - argparse has no public way
        choices = tuple(map(str, action.choices or ()))
        if verbs := verbs_of(action):
            commands += [command_tree(each, (*words, name)) for name, each in verbs.items()]
        elif action.option_strings:
            value = "" if action.nargs == 0 else str(action.metavar or "VALUE")
            flags.append(Flag(tuple(action.option_strings), _plain(action.help), value, choices))
        else:
            positionals.append(Positional(str(action.metavar or action.dest), _plain(action.help), choices))
    return Command(
        words,
        _plain(parser.description),
        parser.epilog or "",
        tuple(flags),
        tuple(positionals),
        tuple(commands),
    )


def _plain(text: str | None) -> str:
    return " ".join((text or "").replace("%%", "%").split())
