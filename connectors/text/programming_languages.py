"""The programming language of a file, by its extension or by the interpreter in its first line."""

from __future__ import annotations

import re

_LANGUAGES = {
    "Bash": "sh bash zsh ksh",
    "C": "c h",
    "C#": "cs",
    "C++": "cc cpp cxx hh hpp hxx ino",
    "Clojure": "clj cljs cljc",
    "D": "d",
    "Dart": "dart",
    "Elixir": "ex exs",
    "Erlang": "erl hrl",
    "F#": "fs fsi",
    "Fish": "fish",
    "Fortran": "f90 f95 f03",
    "Go": "go",
    "Groovy": "groovy gradle",
    "Haskell": "hs",
    "Java": "java",
    "JavaScript": "js mjs cjs jsx",
    "Julia": "jl",
    "Kotlin": "kt kts",
    "Lisp": "lisp el scm rkt",
    "Lua": "lua",
    "Nim": "nim",
    "OCaml": "ml mli",
    "Objective-C": "m mm",
    "PHP": "php",
    "Pascal": "pas",
    "Perl": "pl pm",
    "PowerShell": "ps1 psm1",
    "Protocol Buffers": "proto",
    "Python": "py pyi",
    "R": "r",
    "Ruby": "rb",
    "Rust": "rs",
    "SQL": "sql",
    "Scala": "scala sc",
    "Solidity": "sol",
    "Swift": "swift",
    "TypeScript": "ts tsx mts cts",
    "Zig": "zig",
}
_OF_ENDING = {ending: language for language, endings in _LANGUAGES.items() for ending in endings.split()}
_FIRST_LINE = re.compile(
    r"\s*(?:#!|//|/\*|<\?php\b|#include\b|--\s|@\w+\b|\"{3}|'{3}|['\"]use strict['\"]"
    r"|(?:import|from|package|use|using|require|namespace|class|export|module|describe|defmodule|library|const|let|var|val|def|fn|func|function"
    r"|public|private|static|interface|struct|enum|type|test|it)\b.*[\w(){};:,<>'\"`*]\s*$"
    r"|(?!window\.)[\w.]+\s*(?::=|=)\s*[rbf]{0,2}[\"'`])"
)
"""Matches the first line of a program. What X exports ends like JavaScript, and begins with ``window.``."""
_INTERPRETER = re.compile(r"#!\s*\S*?(?:\benv\s+(?:-S\s+)?)?(?P<name>[A-Za-z]+)[\d.]*(?:\s|$)")
_OF_INTERPRETER = {
    "bash": "Bash", "dash": "Bash", "fish": "Fish", "ksh": "Bash", "lua": "Lua", "node": "JavaScript", "perl": "Perl",
    "php": "PHP", "python": "Python", "ruby": "Ruby", "sh": "Bash", "zsh": "Bash", "Rscript": "R",
}  # fmt: skip


def language_of_name(name: str) -> str:
    """Return the language by the extension of a file name; empty for extensions of no language."""
    stem, _, ending = name.rpartition("/")[2].rpartition(".")
    return _OF_ENDING.get(ending.lower(), "") if stem else ""


def language_of_first_line(text: str) -> str:
    """Return the language of a script by its ``#!`` line; empty if there is none, or an unknown interpreter."""
    first = text[:200].partition("\n")[0]
    match = _INTERPRETER.match(first.rstrip("\r"))
    return _OF_INTERPRETER.get(match["name"], "") if match is not None else ""


def is_program(name: str, head: str) -> bool:
    """Return whether a file is a program, by its ending and its first line: then a chat in it is one of its texts."""
    first = next((line for line in head.split("\n") if line.strip("\ufeff \t\r")), "")
    return bool(language_of_name(name)) and _FIRST_LINE.match(first.lstrip("\ufeff")) is not None
