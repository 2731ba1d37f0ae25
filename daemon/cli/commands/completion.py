"""`memd completion`: a script by which a shell completes memd's verbs and flags, or the page of `man memd`."""

from __future__ import annotations

import argparse

from ..arguments import Verbs, add_verb
from ..output import print_json

_EXAMPLES = """\
  memd completion bash > ~/.local/share/bash-completion/completions/memd
  memd completion zsh > ~/.zfunc/_memd             with ~/.zfunc in fpath, before compinit
  memd completion fish > ~/.config/fish/completions/memd.fish
  memd completion man > ~/.local/share/man/man1/memd.1
"""
KINDS = ("bash", "zsh", "fish", "man")


def add(verbs: Verbs) -> None:
    """Its arguments."""
    parser = add_verb(verbs, "completion", "print a completion script or the man page", _EXAMPLES, (0, 2))
    parser.add_argument("kind", choices=KINDS, help="for which shell, or man")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print it."""
    text = text_of(arguments.kind)
    if arguments.json:
        print_json({"kind": arguments.kind, "text": text})
    else:
        print(text, end="")
    return 0


def text_of(kind: str) -> str:
    """One of `KINDS`."""
    from .... import __version__
    from ..dispatch import build_parser  # which imports this file
    from ..shell.command_tree import command_tree
    from ..shell.completion import bash, fish, zsh
    from ..shell.man_page import man_page

    tree = command_tree(build_parser())
    if kind == "man":
        return man_page(tree, __version__)
    return {"bash": bash, "zsh": zsh, "fish": fish}[kind](tree)
