"""The programs that memd is measured against, each in an environment of its own that this makes from hashed pins.

    python bench/peers.py

The environments live in `.bench/peers`, which git ignores, and are made again when the pins or the Python change. Where
one cannot be made (no network, no wheel for this Python), the comparison is skipped with a word. MEMD_BENCH_PEERS=none
leaves all of them out.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

PEERS = ("whatstk", "chat-miner", "mail-parser", "mem0")
FOLDER = Path(__file__).parent.parent / ".bench" / "peers"
PINS = Path(__file__).parent.parent / "requirements"
INSTALL_SECONDS = 600


class PeerAbsentError(Exception):
    """A peer is not installed. An installed one that fails ends the script instead: its figure is not just missing."""


def environment(peer: str) -> Path | None:
    """Return the interpreter that has a peer, made when needed; None, with a word on stderr, when it cannot be had."""
    if os.environ.get("MEMD_BENCH_PEERS") == "none":
        return None
    pins = PINS / f"bench-{peer}.txt"
    home = FOLDER / peer
    python = home / "bin" / "python"
    stamp = home / ".made-from"
    wanted = hashlib.sha256(pins.read_bytes() + repr((sys.version_info[:2], str(home))).encode()).hexdigest()
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == wanted:
        return python
    print(f"making an environment for {peer}", file=sys.stderr)
    pip = [str(python), "-m", "pip", "--disable-pip-version-check", "--no-input", "--retries", "1", "--timeout", "20"]
    try:
        _run([sys.executable, "-m", "venv", "--clear", str(home)])
        _run([*pip, "install", "-q", "--require-hashes", "--only-binary", ":all:", "-r", str(pins)])
    except (OSError, subprocess.SubprocessError) as error:
        print(f"{peer} cannot be installed, so nothing is measured against it: {_last_line(error)}", file=sys.stderr)
        return None
    stamp.write_text(wanted, encoding="utf-8")
    return python


def run_peer(peer: str, *arguments: str, environ: dict[str, str] | None = None, timeout: float = 900) -> dict[str, Any]:
    """Return the JSON object that ``peer_<name>.py`` prints.

    Raises:
        PeerAbsentError: it is not installed.
        SystemExit: it failed; the message has its last line.
    """
    python = environment(peer)
    if python is None:
        raise PeerAbsentError(f"{peer} is not installed")
    script = Path(__file__).parent / f"peer_{peer.replace('-', '_')}.py"
    try:
        done = _run([str(python), str(script), *arguments], timeout=timeout, environ=environ)
    except subprocess.SubprocessError as error:
        sys.exit(f"{peer} failed: {_last_line(error)}")
    found: dict[str, Any] = json.loads(done.splitlines()[-1])
    return found


def require_as_many(peer: str, messages: float, own: float) -> None:
    """Fail where a peer reads another number of messages than memd: its rate would be that of other work.

    One in a thousand may be missing: whatstk and chat-miner leave out what an app itself writes into a chat.
    """
    if abs(messages - own) > max(1, own / 1000):
        sys.exit(f"{peer} read {messages:,.0f} messages, memd {own:,.0f}")


def require_stored(who: str, answers: Sequence[Sequence[str]], texts: set[str], limit: int) -> None:
    """Fail unless each answer has ``limit`` different hits (all texts, where there are fewer), and each hit is one of ``texts``."""
    for hits in answers:
        stored = len(texts.intersection(hits))
        if not len(hits) == stored == min(limit, len(texts)):
            sys.exit(f"{who} answered with {len(hits)} hits, of which {stored} are different texts that were added")


def clean_environment(more: dict[str, str] | None = None) -> dict[str, str]:
    """Return this process's environment without the variables that lead a peer's Python to other packages."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    return kept | (more or {})


def _run(command: list[str], *, timeout: float = INSTALL_SECONDS, environ: dict[str, str] | None = None) -> str:
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, timeout=timeout, env=clean_environment(environ)
    )
    return done.stdout


def _last_line(error: Exception) -> str:
    told = getattr(error, "stderr", None) or str(error)
    text = told.decode(errors="replace") if isinstance(told, bytes) else str(told)
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else type(error).__name__


def main() -> None:
    """Make all of them, and say which are there."""
    for peer in PEERS:
        python = environment(peer)
        print(f"{peer:12}{python or 'not installed'}")


if __name__ == "__main__":
    main()
