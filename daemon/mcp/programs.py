"""The programs that `memd mcp --install` knows: the file in which each is told its servers, and the change to it. Pure.

What else stands in a file stays as it is, in its order. A file that cannot be read as it should be is left alone.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from ...schemas.errors import ConfigError
from ..config.paths import config_home
from ..config.template import toml_value
from .jsonrpc import Json, object_of

NAME = "memd"
"""The name of the server in every file."""


class Program(NamedTuple):
    """One program."""

    title: str
    path: Callable[[str, Mapping[str, str]], str]
    """Returns its file, by the user's home and the environment."""
    section: str
    """The key or table that holds the servers."""
    kind: bool = False
    """True if an entry names its transport."""


def _under(folder: str, *rest: str) -> Callable[[str, Mapping[str, str]], str]:
    return lambda home, _environ: os.path.join(home, folder, *rest)  # noqa: PTH118 - texts, as in `config.paths`


def _configured(*rest: str) -> Callable[[str, Mapping[str, str]], str]:
    return lambda home, environ: os.path.join(config_home(environ, home), *rest)  # noqa: PTH118


def _moved(variable: str, folder: str, name: str) -> Callable[[str, Mapping[str, str]], str]:
    return lambda home, environ: os.path.join(environ.get(variable) or os.path.join(home, folder), name)  # noqa: PTH118


PROGRAMS: Mapping[str, Program] = {
    "claude-code": Program("Claude Code", _moved("CLAUDE_CONFIG_DIR", "", ".claude.json"), "mcpServers", kind=True),
    "claude-desktop": Program("Claude Desktop", _configured("Claude", "claude_desktop_config.json"), "mcpServers"),
    "cursor": Program("Cursor", _under(".cursor", "mcp.json"), "mcpServers"),
    "vscode": Program("VS Code", _configured("Code", "User", "mcp.json"), "servers", kind=True),
    "codex": Program("Codex", _moved("CODEX_HOME", ".codex", "config.toml"), "mcp_servers"),
}


def changed(program: Program, text: str, command: Sequence[str]) -> str:
    """Return the text of a program's file with memd among its servers.

    Raises:
        ConfigError: the text is not of the form that it should have.
    """
    if program.section == "mcp_servers":
        return _toml_changed(program, text, command)
    try:
        body: Json | None = object_of(json.loads(text or "{}"))
    except ValueError:
        body = None
    servers = None if body is None else object_of(body.get(program.section, {}))
    if body is None or servers is None:
        raise ConfigError(
            f"the file of {program.title} is not the JSON that it should be",
            hint=f"add to {program.section} yourself: {json.dumps({NAME: _entry(program, command)})}",
        )
    body[program.section] = servers | {NAME: _entry(program, command)}
    return json.dumps(body, indent=_indent(text), ensure_ascii=False) + "\n"


def _entry(program: Program, command: Sequence[str]) -> Json:
    kind: Json = {"type": "stdio"} if program.kind else {}
    return kind | {"command": command[0], "args": list(command[1:])}


def _indent(text: str) -> int:
    """Return the number of spaces by which a file is indented."""
    match = re.search(r"^( +)\S", text, re.MULTILINE)
    return len(match[1]) if match else 2


def _toml_changed(program: Program, text: str, command: Sequence[str]) -> str:
    import tomllib

    values = ", ".join(toml_value(each) for each in command[1:])
    table = f"[{program.section}.{NAME}]\ncommand = {toml_value(command[0])}\nargs = [{values}]\n"
    header = re.compile(rf"^\s*\[\s*{program.section}\s*\.\s*\"?{NAME}\"?\s*\]\s*(?:#.*)?$")
    lines = text.splitlines(keepends=True)
    begin = next((number for number, line in enumerate(lines) if header.match(line)), None)
    if begin is None:
        gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
        result = f"{text}{gap}{table}"
    else:
        end = next((n for n in range(begin + 1, len(lines)) if re.match(r"\s*\[", lines[n])), len(lines))
        blank = "\n" if end < len(lines) else ""
        result = "".join(lines[:begin]) + table + blank + "".join(lines[end:])
    try:
        before, after = tomllib.loads(text), tomllib.loads(result)
    except tomllib.TOMLDecodeError:
        before, after = None, {}
    wanted = {"command": command[0], "args": list(command[1:])}
    if before is None or _without(after, program.section, wanted) != _without(before, program.section):
        raise ConfigError(f"the file of {program.title} is not the TOML that it should be", hint=f"add to it: {table}")
    return result


def _without(body: Json, section: str, wanted: Json | None = None) -> Json | None:
    """Return a file without memd's entry; None if that is not the wanted one."""
    servers = object_of(body.get(section, {})) or {}
    if wanted is not None and servers.get(NAME) != wanted:
        return None
    return body | {section: {name: value for name, value in servers.items() if name != NAME}}
