"""`memd completion`: a script by which a shell completes memd's verbs and flags, or the page of `man memd`."""

from __future__ import annotations

import argparse
import os
import sys

from ..arguments import UsageError, Verbs, add_verb
from ..output import print_json
from ..render.terminal import say, say_command

_EXAMPLES = """\
  memd completion                                  for the shell of $SHELL, and how it is installed
  memd completion bash > ~/.local/share/bash-completion/completions/memd
  memd completion zsh > ~/.zfunc/_memd             with ~/.zfunc in fpath, before compinit
  memd completion fish > ~/.config/fish/completions/memd.fish
  memd completion man > ~/.local/share/man/man1/memd.1
"""
KINDS = ("bash", "zsh", "fish", "man")
INSTALL = {
    "bash": "mkdir -p ~/.local/share/bash-completion/completions"
    " && memd completion bash > ~/.local/share/bash-completion/completions/memd",
    "zsh": "mkdir -p ~/.zfunc && memd completion zsh > ~/.zfunc/_memd",
    "fish": "mkdir -p ~/.config/fish/completions && memd completion fish > ~/.config/fish/completions/memd.fish",
}
"""By shell, the command that installs its script for one user."""


def add(verbs: Verbs) -> None:
    """Its arguments."""
    parser = add_verb(verbs, "completion", "print a completion script or the man page", _EXAMPLES, (0, 2))
    parser.add_argument("kind", nargs="?", choices=KINDS, help="for which shell, or man; default: the one of $SHELL")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print it; on a terminal, for a shell that was not named, only how to install it.

    Raises:
        UsageError: no shell was named, and $SHELL is none of them.
    """
    kind: str = arguments.kind or shell_of(os.environ.get("SHELL", ""))
    if arguments.kind is None and not arguments.json:
        say_command(f"to complete memd in {kind}:", INSTALL[kind])
        if kind == "zsh":
            say("with  fpath+=~/.zfunc  in ~/.zshrc, before its line with compinit")
        say("it works in the next shell that you open")
        if sys.stdout.isatty():
            return 0
    text = text_of(kind)
    if arguments.json:
        print_json({"kind": kind, "text": text})
    else:
        print(text, end="")
    return 0


def shell_of(path: str) -> str:
    """Return the shell at a path, one of `INSTALL`.

    Raises:
        UsageError: it is none of them.
    """
    name = os.path.basename(path)  # noqa: PTH119 - the light path
    if name not in INSTALL:
        which = f"there is no completion for {name!r}" if name else "$SHELL names no shell"
        raise UsageError(which, f"name one: memd completion {'|'.join(KINDS)}")
    return name


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
