"""Completion scripts for bash, zsh and fish. Static: completing a word starts no Python."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from .command_tree import Command, Flag, Positional

_HEAD = "Made of memd's own help by `memd completion`; not to be edited."


def completion_tree(root: Command) -> Command:
    """The commands as they are completed: below `help` stand all others, without what they take."""
    named = tuple(_named(each, ("help",)) for each in root.commands if each.words != ("help",))
    below = [replace(each, commands=named) if each.words == ("help",) else each for each in root.commands]
    return replace(root, commands=tuple(below))


def _named(command: Command, above: tuple[str, ...]) -> Command:
    words = (*above, command.words[-1])
    return Command(words, command.summary, "", (), (), tuple(_named(each, words) for each in command.commands))


def bash(root: Command) -> str:
    """A script for bash 4.4 and later."""
    lines = [f"# {_HEAD}", "_memd() {", *_indented(_bash_body(completion_tree(root))), "}", "complete -F _memd memd"]
    return "\n".join([*lines, ""])


def _bash_body(root: Command) -> Iterator[str]:
    commands = [command for command in root.walk() if command.words]
    yield 'local command="" flag="" prefix="" current words word index'
    yield "local -a typed=()"
    yield "COMPREPLY=()"
    yield "# Bash cuts words at each =, unless somebody took it out of COMP_WORDBREAKS."
    yield "for ((index = 1; index <= COMP_CWORD; index++)); do"
    yield "    word=${COMP_WORDS[index]}"
    yield "    if ((${#typed[@]})) && [[ ${typed[-1]} == --*([!=]) && $word == = || ${typed[-1]} == --*([!=])= ]]; then"
    yield "        typed[-1]+=$word"
    yield "    else"
    yield '        typed+=("$word")'
    yield "    fi"
    yield "done"
    yield "current=${typed[-1]}"
    yield 'for word in "${typed[@]:0:${#typed[@]}-1}"; do'
    yield "    if [[ $flag ]]; then"
    yield '        flag=""'
    yield "        continue"
    yield "    fi"
    yield '    case "$command/$word" in'
    for command in root.walk():
        if names := _taking(command):
            yield f"        {'|'.join(_quoted(f'{command.path}/{name}') for name in names)}) flag=$word ;;"
    for command in commands:
        *above, last = command.words
        yield f'        "{" ".join(above)}/{last}") command="{command.path}" ;;'
    yield "    esac"
    yield "done"
    yield "if [[ ! $flag && $current == --*=* ]]; then"
    yield "    flag=${current%%=*}"
    yield '    [[ $COMP_WORDBREAKS == *=* ]] || prefix="$flag="'
    yield "    current=${current#*=}"
    yield "fi"
    yield 'case "$command/$flag" in'
    for command in root.walk():
        for flag in command.flags:
            if flag.value:
                yield f"    {'|'.join(_quoted(f'{command.path}/{name}') for name in flag.names)}) {_bash_value(flag)} ;;"
    yield "    */-*) return ;;"
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


def _taking(command: Command) -> list[str]:
    """The spellings of flags behind which a value stands."""
    return [name for flag in command.flags if flag.value for name in flag.names]


def _bash_value(flag: Flag) -> str:
    if flag.choices:
        return f'mapfile -t COMPREPLY < <(compgen -P "$prefix" -W "{" ".join(flag.choices)}" -- "$current"); return'
    if flag.is_file:
        return 'compopt -o filenames; mapfile -t COMPREPLY < <(compgen -P "$prefix" -f -- "$current"); return'
    return "return"


def _words_of(command: Command) -> list[str]:
    """Everything that may come next."""
    below = [each.words[-1] for each in command.commands]
    choices = [choice for each in command.positionals for choice in each.choices]
    return [*below, *choices, *(name for flag in command.flags for name in flag.names)]


def zsh(root: Command) -> str:
    """A function for zsh's completion system."""
    lines = ["#compdef memd", f"# {_HEAD}", ""]
    for command in completion_tree(root).walk():
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
    """With = or + behind a name a value stands in the same word or in the next one."""
    text = f"[{_zsh_plain(flag.help)}]" + (f":{_zsh_plain(flag.value)}:{_zsh_action(flag)}" if flag.value else "")
    names = [name + (("=" if name.startswith("--") else "+") if flag.value else "") for name in flag.names]
    if len(names) == 1:
        return _quoted(f"*{names[0]}{text}")
    return f"'*'{{{','.join(names)}}}{_quoted(text)}"


def _zsh_action(each: Flag | Positional) -> str:
    if each.choices:
        return f"({' '.join(each.choices)})"
    return "_files" if each.is_file else " "


def _zsh_plain(text: str) -> str:
    """Without what has a meaning in a specification."""
    return "".join("\\" + character if character in "[]:\\" else character for character in text)


def fish(root: Command) -> str:
    """Lines for fish."""
    tree = completion_tree(root)
    lines = [f"# {_HEAD}", *_fish_path(tree), "complete -c memd -f"]
    for command in tree.walk():
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


def _fish_path(root: Command) -> Iterator[str]:
    """A function that tells whether the words before the cursor are those of a command: values of flags are no verbs."""
    yield "function __memd_is"
    yield "    set -l command ''"
    yield "    set -l value 0"
    yield "    for word in (commandline -opc)[2..-1]"
    yield "        if test $value = 1"
    yield "            set value 0"
    yield "            continue"
    yield "        end"
    yield '        switch "$command/$word"'
    for command in root.walk():
        if names := _taking(command):
            yield f"            case {' '.join(_quoted(f'{command.path}/{name}') for name in names)}"
            yield "                set value 1"
    for command in root.walk():
        if command.words:
            *above, last = command.words
            yield "            case " + _quoted(f"{' '.join(above)}/{last}")
            yield f"                set command {_quoted(command.path)}"
    yield "        end"
    yield "    end"
    yield '    test "$command" = "$argv[1]"'
    yield "end"


def _fish_condition(command: Command) -> str:
    return f'__memd_is "{command.path}"'


def _fish_flag(flag: Flag) -> str:
    names = [f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in flag.names]
    values = f" -x -a {_quoted(' '.join(flag.choices))}" if flag.choices else " -r -F" if flag.is_file else " -x"
    return f"{' '.join(names)}{values if flag.value else ''} -d {_quoted(flag.help)}"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _indented(lines: Iterable[str]) -> Iterator[str]:
    return (f"    {line}" for line in lines)
