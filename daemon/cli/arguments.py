"""The arguments that several verbs share: the global flags, filters, reading options, and help that keeps its layout."""

from __future__ import annotations

import argparse
import math
import os
import re
import shlex
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, NoReturn, cast

from ..exit_codes import MEANINGS
from .help_layout import HelpLayout

_DIGITS = 20
"""The maximum number of digits of a number on the command line."""
_SENTENCE_WORDS = 3
Verbs = Any  # argparse keeps the type of what add_subparsers returns to itself


class UsageError(Exception):
    """The command line makes no sense; with what to do instead."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class Parser(argparse.ArgumentParser):
    """argparse that keeps the layout of examples and raises instead of exiting."""

    _sentence = False
    """True if a sentence of several words stands in the place of a verb."""

    def __init__(self, **options: Any) -> None:  # noqa: ANN401 - whatever argparse takes
        options.setdefault("formatter_class", HelpLayout)
        super().__init__(allow_abbrev=False, **options)

    def error(self, message: str) -> NoReturn:
        """Leave how an error looks to one place.

        Raises:
            UsageError: always.
        """
        raise UsageError(message, f"try: {self.prog} --help")

    def refuse_unknown(self, words: Sequence[str]) -> NoReturn:
        """Refuse arguments that nothing takes, with the flag that was meant where one is near.

        Raises:
            UsageError: always.
        """
        flags = [each for each in words if each.startswith("-")]
        near = get_close_matches(flags[0].partition("=")[0], self._option_string_actions, 1) if flags else []
        meant = f"did you mean {near[0]}? " if near else ""
        raise UsageError(f"unrecognized arguments: {' '.join(words)}", f"{meant}try: {self.prog} --help")

    def flag_names(self) -> dict[str, str]:
        """By the long spellings of the flags of this verb, all spellings, as argparse tells them: ``-k/--limit``."""
        actions = self._option_string_actions.items()
        return {name: "/".join(action.option_strings) for name, action in actions if name.startswith("--")}

    def verb_parser(self, arguments: argparse.Namespace) -> Parser:
        """The parser of the verb that was given; this one where none was."""
        for action in self._actions:
            parser = verbs_of(action).get(str(getattr(arguments, action.dest, "")))
            if parser is not None:
                return parser.verb_parser(arguments)
        return self

    def _check_value(self, action: argparse.Action, value: object) -> None:
        """Refuse a verb that there is not, with the nearest one; any other choice as argparse does."""
        verbs = verbs_of(action)
        if verbs and value not in verbs:
            near = get_close_matches(str(value).lower(), verbs, 1, 0.75 if self._sentence else 0.6)
            meant = f"did you mean `{self.prog} {near[0]}`? " if near else ""
            kind = str(action.metavar).lower()
            # Whoever types a sentence wants an answer.
            ask = f"to ask: {self.prog} query TEXT; " if self._sentence and "query" in verbs else ""
            raise UsageError(f"there is no {kind} {value!r}", f"{meant}{ask}`{self.prog} --help` lists each {kind}")
        if action.choices is not None and value not in action.choices:  # argparse words it as it lists Python's values
            name = "/".join(action.option_strings) or str(action.metavar or action.dest)
            choices = ", ".join(map(str, action.choices))
            raise UsageError(f"argument {name}: '{value}' is none of: {choices}", f"try: {self.prog} --help")

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:  # noqa: ANN401 - as argparse says
        self._sentence = len(" ".join(arg_strings).split()) >= _SENTENCE_WORDS
        return super()._get_values(action, arg_strings)


def verbs_of(action: argparse.Action) -> Mapping[str, Parser]:
    """The parsers of verbs, where this is what they were added to: argparse has no public type for it."""
    choices: object = action.choices if action.nargs == argparse.PARSER else None
    return cast("Mapping[str, Parser]", choices) if isinstance(choices, Mapping) else {}


def global_options(*, top: bool = False) -> argparse.ArgumentParser:
    """The flags that every verb takes, before or after its name; the one after wins."""
    parser = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    group = parser.add_argument_group("everywhere")
    group.add_argument("--config", metavar="FILE", help="settings; default $XDG_CONFIG_HOME/memd/config.toml")
    group.add_argument("--data-dir", metavar="DIR", help="what is kept; default $XDG_DATA_HOME/memd")
    group.add_argument("--socket", metavar="PATH", help="where the daemon listens; default in $XDG_RUNTIME_DIR")
    group.add_argument("--log-level", metavar="LEVEL", help="debug, info, warning or error")
    group.add_argument("--json", action="store_true", help="one JSON object, or JSON lines, on standard output")
    if top:
        parser.set_defaults(config=None, data_dir=None, socket=None, log_level=None, json=False)
    return parser


def command_text(arguments: argparse.Namespace, words: Sequence[str]) -> str:
    """A command to type: these words for memd, with those flags of `global_options` that lead to the same memory."""
    flags = [
        (f"--{name.replace('_', '-')}", getattr(arguments, name, None)) for name in ("config", "data_dir", "socket")
    ]
    given = [word for flag, value in flags if value for word in (flag, str(value))]
    return shlex.join(["memd", *given, *words])


def again(arguments: argparse.Namespace, verb: str, names: Sequence[str], *more: str) -> str:
    """The same command with more words: a verb with those of its flags that were given, by their names here."""
    words = [verb]
    for name in names:
        given: object = getattr(arguments, name)
        values = cast("list[object]", given) if isinstance(given, list) else [given]
        for value in values:
            words += [] if value is None else [f"--{name.replace('_', '-')}", str(value)]
    return command_text(arguments, [*words, *more])


_TELLING = ("So", "Sc")
"""Categories of signs that are asked for beside letters and digits: emoji, currencies. Punctuation asks for nothing."""


def seconds(text: str) -> float:
    """A number of seconds, of which JSON knows neither infinity nor NaN.

    Raises:
        argparse.ArgumentTypeError: it is none.
    """
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds")
    return value


def absolute(path: str) -> str:
    """Return a path of the command line for the daemon, which has another folder."""
    return os.path.abspath(os.path.expanduser(path))  # noqa: PTH100, PTH111 - the light path


def whole_number(text: str) -> int:
    """A whole number, in plain digits.

    Raises:
        argparse.ArgumentTypeError: it is none.
    """
    if len(text) > _DIGITS or not re.fullmatch(r"\s*[+-]?[0-9]+\s*", text):
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number")
    return int(text)


def question(text: str) -> str:
    """A question as it was asked.

    Raises:
        UsageError: there is no word in it, which is told before a store or a model is opened for it.
    """
    if not any(unicodedata.category(letter) in _TELLING or letter.isalnum() for letter in text):
        raise UsageError("the question is empty", "`memd documents` lists what is stored, with the same filters")
    return text


def exit_codes_text(codes: Iterable[int] = MEANINGS) -> str:
    """These exit codes and what they mean, for a help text."""
    return "  " + " · ".join(f"{code} {MEANINGS[code]}" for code in codes)


def add_verb(verbs: Verbs, name: str, summary: str, examples: str, codes: Iterable[int]) -> Parser:
    """A verb's parser, with its examples and exit codes below its help."""
    epilog = f"examples:\n{examples.rstrip()}\n\nexit codes:\n{exit_codes_text(codes)}"
    parser: Parser = verbs.add_parser(
        name,
        help=summary,
        description=f"{summary[:1].upper()}{summary[1:]}.",
        epilog=epilog,
        parents=[global_options()],
    )
    return parser


def add_reading(parser: argparse.ArgumentParser) -> None:
    """Add the flags for facts about an export that only a person knows."""
    group = parser.add_argument_group("reading")
    group.add_argument("--me", metavar="NAME", help="your own name in the export")
    group.add_argument("--chat", metavar="NAME", help="the chat's name, instead of the one found")
    group.add_argument(
        "--zone", metavar="ZONE", help="of times without one, Europe/Berlin; default: settings, then system"
    )
    group.add_argument(
        "--date-order", choices=("dmy", "mdy", "ymd"), help="of dates that can be read in two ways, 3/4/24"
    )
    group.add_argument("--format", metavar="NAME", help="do not guess the format: whatsapp, documents, …")


FILTERS = ("speaker", "person", "source", "chat", "since", "until", "tag", "kind", "user", "agent", "session")
"""The names of the filters of `add_filters` in the parsed arguments."""


def add_ids(parser: argparse.ArgumentParser) -> None:
    """Ids, which few readers need."""
    parser.add_argument(
        "--ids",
        action="store_true",
        help="show ids: of hits, for `memd show`; of facts, for `memd history` and `memd undo`",
    )


def add_ignore(parser: argparse.ArgumentParser) -> None:
    """The parts of a question that are not looked for."""
    parser.add_argument(
        "--ignore",
        action="append",
        choices=("person", "me", "chat", "time", "order", "kind", "phrase"),
        metavar="PART",
        help="take a part of the question as ordinary words: person, me, chat, time, order, kind or phrase; repeatable",
    )


_INCLUDED = {"messages": "include_messages", "chunks": "include_chunks", "facts": "include_knowledge"}


def add_without(parser: argparse.ArgumentParser) -> None:
    """The parts that an answer need not have."""
    parser.add_argument(
        "--without",
        action="append",
        choices=tuple(_INCLUDED),
        default=[],
        metavar="PART",
        help="leave a part out of the answer: messages, chunks (pieces of texts) or facts; repeatable",
    )


def parts_of(arguments: argparse.Namespace) -> dict[str, Any]:
    """The parts that `add_without` leaves out, as the API names them."""
    return {_INCLUDED[part]: False for part in arguments.without}


def add_filters(parser: argparse.ArgumentParser) -> None:
    """Add the flags that filter an answer; a repeated flag means any of its values."""
    group = parser.add_argument_group("filters", "several values of one flag mean any of them, several flags mean all")
    group.add_argument(
        "--speaker",
        action="append",
        default=[],
        metavar="NAME",
        help="who said it; here and below, a part that means one name will do",
    )
    group.add_argument(
        "--person",
        action="append",
        default=[],
        metavar="NAME",
        help="a chat, mail or text in which this person is, whoever said it",
    )
    group.add_argument("--source", action="append", default=[], metavar="NAME", help="whatsapp, …")
    group.add_argument("--chat", action="append", default=[], metavar="NAME", help="in this chat, by title or id")
    group.add_argument(
        "--since",
        metavar="TIME",
        help='from this day, month or year on: 2024-01-15, 2024-01, 2024, "last week", "3 months ago"',
    )
    group.add_argument("--until", metavar="TIME", help="before the day, month or year begins; named as for --since")
    group.add_argument("--tag", action="append", default=[], metavar="TAG", help="with this tag")
    group.add_argument(
        "--kind",
        action="append",
        default=[],
        metavar="KIND",
        help="text, system, call, poll, media, location, contact, event, deleted, unknown",
    )
    add_scope(group.add_argument)


SCOPE = ("user", "agent", "session")
"""The names of the flags of `add_scope`."""


def add_scope(add: Callable[..., object]) -> None:
    """Add the flags for the scope of messages that programs sent, by the ``add_argument`` of a group."""
    for name, whose in zip(SCOPE, ("of this user", "of this agent", "of this session"), strict=True):
        add(f"--{name}", action="append", default=[], metavar="NAME", help=f"{whose} of a program, by the whole name")


def filters_of(arguments: argparse.Namespace) -> dict[str, Any]:
    """The filters as the API names them; only those that were given. An empty time was given: a variable was not set."""
    filters: dict[str, Any] = {
        "speakers": arguments.speaker,
        "people": arguments.person,
        "sources": arguments.source,
        "chats": arguments.chat,
        "since": arguments.since,
        "until": arguments.until,
        "tags": arguments.tag,
        "kinds": arguments.kind,
        "users": arguments.user,
        "agents": arguments.agent,
        "sessions": arguments.session,
    }
    return {name: value for name, value in filters.items() if value is not None and value != []}
