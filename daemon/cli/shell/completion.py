"""Completion scripts for bash, zsh and fish. Static: completing a word starts no Python."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .command_tree import Command, Flag, Positional

_HEAD = "Made of memd's own help by `memd completion`; not to be edited."


def bash(root: Command) -> str:
    """A script for bash 4.4 and later."""
    lines = [f"# {_HEAD}", "_memd() {", *_indented(_bash_body(root)), "}", "complete -F _memd memd", ""]
    return "\n".join(lines)


def _bash_body(root: Command) -> Iterator[str]:
    commands = [command for command in root.walk() if command.words]
    yield 'local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command="" word words index'
    yield "COMPREPLY=()"
    yield "for ((index = 1; index < COMP_CWORD; index++)); do"
    yield "    word=${COMP_WORDS[index]}"
    yield '    case "$command/$word" in'
    for command in commands:
        *above, last = command.words
        yield f'        "{" ".join(above)}/{last}") command="{command.path}" ;;'
    yield "    esac"
    yield "done"
    yield 'case "$command/$before" in'
    for command in root.walk():
        for flag in command.flags:
            if flag.value:
                yield f"    {'|'.join(_quoted(f'{command.path}/{name}') for name in flag.names)}) {_bash_value(flag)} ;;"
    yield "esac"
    yield 'case "$command" in'
    for command in root.walk():
        yield f'    "{command.path}") words="{" ".join(_words_of(command))}" ;;'
    yield "esac"
    yield 'mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")'
    files = [command.path for command in commands if any(each.is_file for each in command.positionals)]
    yield f'case "$command" in {"|".join(map(_quoted, files))})'
    yield "    if [[ $current != -* ]]; then"
    yield "        compopt -o filenames"
    yield '        mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$current")'
    yield "    fi ;;"
    yield "esac"


def _bash_value(flag: Flag) -> str:
    if flag.choices:
        return f'mapfile -t COMPREPLY < <(compgen -W "{" ".join(flag.choices)}" -- "$current"); return'
    if flag.is_file:
        return 'compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return'
    return "return"


def _words_of(command: Command) -> list[str]:
    """Everything that may come next."""
    below = [each.words[-1] for each in command.commands]
    choices = [choice for each in command.positionals for choice in each.choices]
    return [*below, *choices, *(name for flag in command.flags for name in flag.names)]


def zsh(root: Command) -> str:
    """A function for zsh's completion system."""
    lines = ["#compdef memd", f"# {_HEAD}", ""]
    for command in root.walk():
        lines += [f"{_zsh_name(command)}() {{", *_indented(_zsh_body(command)), "}", ""]
    return "\n".join([*lines, '_memd "$@"', ""])


def _zsh_name(command: Command) -> str:
    return "_".join(["_memd", *command.words]).replace("-", "_")


def _zsh_body(command: Command) -> Iterator[str]:
    if command.commands:
        yield "local context state line"
    yield "_arguments -C \\"
    for flag in command.flags:
        yield f"    {_zsh_flag(flag)} \\"
    if not command.commands:
        for number, each in enumerate(command.positionals, 1):
            last = number == len(command.positionals)
            place = "*" if last else number
            yield f"    {_quoted(f'{place}:{_zsh_plain(each.name)}:{_zsh_action(each)}')} \\"
        yield "    && return"
        return
    yield "    '1:command:->command' '*::argument:->argument' && return"
    yield "case $state in"
    yield "    command)"
    yield "        local -a commands=("
    for below in command.commands:
        yield f"            {_quoted(f'{below.words[-1]}:{_zsh_plain(below.summary)}')}"
    yield "        )"
    yield "        _describe command commands ;;"
    yield "    argument)"
    yield "        case $words[1] in"
    for below in command.commands:
        yield f"            {below.words[-1]}) {_zsh_name(below)} ;;"
    yield "        esac ;;"
    yield "esac"


def _zsh_flag(flag: Flag) -> str:
    told = f"[{_zsh_plain(flag.help)}]" + (f":{_zsh_plain(flag.value)}:{_zsh_action(flag)}" if flag.value else "")
    if len(flag.names) == 1:
        return _quoted(f"*{flag.names[0]}{told}")
    return f"'*'{{{','.join(flag.names)}}}{_quoted(told)}"


def _zsh_action(each: Flag | Positional) -> str:
    if each.choices:
        return f"({' '.join(each.choices)})"
    return "_files" if each.is_file else " "


def _zsh_plain(text: str) -> str:
    """Without what has a meaning in a specification."""
    return "".join("\\" + character if character in "[]:\\" else character for character in text)


def fish(root: Command) -> str:
    """Lines for fish."""
    lines = [f"# {_HEAD}", "complete -c memd -f"]
    for command in root.walk():
        here = f"-n {_quoted(_fish_condition(command))}"
        lines += [
            f"complete -c memd {here} -a {below.words[-1]} -d {_quoted(below.summary)}" for below in command.commands
        ]
        for each in command.positionals:
            if each.choices:
                lines.append(f"complete -c memd {here} -a {_quoted(' '.join(each.choices))}")
            elif each.is_file:
                lines.append(f"complete -c memd {here} -F")
        lines += [f"complete -c memd {here} {_fish_flag(flag)}" for flag in command.flags]
    return "\n".join([*lines, ""])


def _fish_condition(command: Command) -> str:
    if not command.words:
        return "__fish_use_subcommand"
    parts = [f"__fish_seen_subcommand_from {word}" for word in command.words]
    below = " ".join(each.words[-1] for each in command.commands)
    if below:
        parts.append(f"not __fish_seen_subcommand_from {below}")
    return "; and ".join(parts)


def _fish_flag(flag: Flag) -> str:
    names = [f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in flag.names]
    values = f" -x -a {_quoted(' '.join(flag.choices))}" if flag.choices else " -r -F" if flag.is_file else " -x"
    return f"{' '.join(names)}{values if flag.value else ''} -d {_quoted(flag.help)}"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _indented(lines: Iterable[str]) -> Iterator[str]:
    return (f"    {line}" for line in lines)
