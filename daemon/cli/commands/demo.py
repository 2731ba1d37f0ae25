"""`memd demo`: the sample chats in a memory of their own, questions to it, and a fact that changed; nothing of it stays."""

from __future__ import annotations

import argparse
import os
import re
import tempfile
from collections.abc import Generator, Sequence
from contextlib import chdir, contextmanager
from pathlib import Path

from ...client import Client
from ...operations import FACTS
from ..arguments import Verbs, add_verb
from ..connect import with_client
from ..render.terminal import say

_EXAMPLES = """\
  memd demo
"""
PACKAGE = Path(__file__).parents[3]
"""The folder of memd, in which `SAMPLES` lies."""
SAMPLES = "examples/whatsapp"
QUESTIONS = (
    ("query", "where is Priya moving to?", "-k", "2"),
    ("query", "Wann fährt der Zug am Freitag?", "-k", "2"),
    ("query", "who is allergic, and to what?", "-k", "3"),
    ("facts", "--subject", "Priya Raman", "--status", "all"),
)
_HOME_OF_PRIYA = {"subject": "Priya Raman", "attribute": "home"}
_PLAIN = re.compile(r"[\w./-]+", re.ASCII)


def add(verbs: Verbs) -> None:
    """Its arguments."""
    summary = "read two sample chats into a memory of their own and ask it; yours is not touched"
    parser = add_verb(verbs, "demo", summary, _EXAMPLES, (0, 1, 6, 130))
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Show each command and what it answers; the first one that fails ends it.

    Raises:
        SourceError: the samples are missing.
    """
    if not (PACKAGE / SAMPLES).is_dir():
        from ....schemas.errors import SourceError

        raise SourceError(f"the sample chats are missing: {PACKAGE / SAMPLES}", hint="install memd anew")
    with _own_memory(), chdir(PACKAGE):
        paths = argparse.Namespace(**vars(arguments) | {"config": None, "data_dir": None, "socket": None})
        code = with_client(paths, lambda client: _story(client, as_json=bool(arguments.json)))
    if not code:
        say()
        say("that was a memory of its own, now gone; for your own:  memd ingest ./whatsapp.zip")
    return code


def _story(client: Client, *, as_json: bool) -> int:
    for words in (("ingest", SAMPLES, "--zone", "Europe/Berlin"), *QUESTIONS):
        if code := _show(words, as_json=as_json):
            return code
    # The id that the next commands need, as a person would copy it from the lines above.
    home = str(client.call(FACTS, _HOME_OF_PRIYA)["facts"][0]["id"])[:8]
    for words in (("history", home), ("undo", home), ("facts", "--attribute", "home"), ("undo", home)):
        if code := _show(words, as_json=as_json):
            return code
    return 0


def _show(words: Sequence[str], *, as_json: bool) -> int:
    """Run one command of memd, below its own line; returns its exit code."""
    from ..dispatch import main  # which imports this file

    if as_json:
        return main([*words, "--json"])
    shell_words = (word if _PLAIN.fullmatch(word) else f'"{word}"' for word in words)
    print(f"\n$ memd {' '.join(shell_words)}", flush=True)
    return main(words)


@contextmanager
def _own_memory() -> Generator[None]:
    """Let memd's paths lead into a private temporary folder, which is removed at the end; its name is short, for the socket."""
    with tempfile.TemporaryDirectory(prefix="memd-demo-", dir=_short_temporary_folder()) as folder:
        config = Path(folder) / "config.toml"
        config.touch()
        paths = {
            "MEMD_CONFIG": str(config),
            "MEMD_DATA_DIR": str(Path(folder) / "data"),
            "MEMD_SOCKET": str(Path(folder) / "memd.sock"),
            "XDG_STATE_HOME": str(Path(folder) / "state"),
        }
        before = dict(os.environ)
        # Without the user's own settings: a model that they name would be asked.
        for name in [name for name in before if name.startswith("MEMD_")]:
            del os.environ[name]
        os.environ.update(paths)
        try:
            yield
        finally:
            os.environ.clear()
            os.environ.update(before)


def _short_temporary_folder() -> str | None:
    """A folder whose sockets have short names; None: the system's."""
    return "/tmp" if os.access("/tmp", os.W_OK) else None  # noqa: S108 - the folder made in it is private
