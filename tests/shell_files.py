"""Completion scripts and man page in `daemon/cli/shell`. `python -m memd.tests.shell_files` in the checkout's environment writes them."""

from __future__ import annotations

from pathlib import Path

from memd.daemon.cli.commands.completion import text_of

FOLDER = Path(__file__).parent.parent / "daemon" / "cli" / "shell"
FILES = {"bash": "memd", "zsh": "_memd", "fish": "memd.fish", "man": "memd.1"}


def main() -> None:
    """Write all of them."""
    for kind, name in FILES.items():
        (FOLDER / name).write_text(text_of(kind), encoding="utf-8")


if __name__ == "__main__":
    main()
