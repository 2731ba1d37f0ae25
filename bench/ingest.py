"""Ingest by the real command against the bare embedder on the same texts; then the same export again, unchanged."""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import orjson
from chats import messages, write_export

from memd.memory.embedding.bundled import BundledEmbedder


async def bare(texts: list[str]) -> float:
    """Seconds that the embedder alone takes, sorted and batched as it likes best; loading not counted."""
    embedder = BundledEmbedder()
    await embedder.embed_documents(["warm up"])
    start = time.perf_counter()
    await embedder.embed_documents(texts)
    return time.perf_counter() - start


def ingest(export: Path, home: Path, *flags: str) -> tuple[float, dict[str, object]]:
    """Seconds of the whole process, and its summary."""
    environment = {
        **os.environ,
        "MEMD_DATA_DIR": str(home / "data"),
        "MEMD_SOCKET": str(home / "s"),
        "MEMD_CONFIG": str(home / "config.toml"),
    }
    (home / "config.toml").touch()
    command = [sys.executable, "-P", "-m", "memd.daemon.cli", "ingest", str(export), "--zone", "UTC", "--json", *flags]
    start = time.perf_counter()
    done = subprocess.run(command, env=environment, cwd=home, capture_output=True, check=True)
    return time.perf_counter() - start, orjson.loads(done.stdout)


def main() -> None:
    """Print the table, or one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=3000)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    count: int = options.messages
    texts = [f"{speaker}: {words}" for _, speaker, words in messages(count)]
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        export = write_export(home / "WhatsApp Chat with Bench.txt", count)
        first, _ = ingest(export, home)
        again, summary = ingest(export, home)
        words_home = home / "w"
        words_home.mkdir()
        words, _ = ingest(export, words_home, "--no-wait")
        startup, _ = ingest(write_export(home / "WhatsApp Chat with Nobody.txt", 1), words_home, "--no-wait")
    alone = asyncio.run(bare(texts))
    figures = {
        "messages": count,
        "bare_embedder_per_s": count / alone,
        "ingest_per_s": count / first,
        "ingest_to_bare": alone / first,
        "words_only_per_s": count / max(words - startup, 1e-9),
        "words_to_vectors": first / max(words - startup, 1e-9),
        "again_to_first": again / first,
        "again_unchanged": summary.get("unchanged"),
    }
    if options.json:
        sys.stdout.write(orjson.dumps(figures).decode() + "\n")
        return
    for name, value in figures.items():
        sys.stdout.write(f"{name:24}{value:>12.3f}\n" if isinstance(value, float) else f"{name:24}{value:>12}\n")


if __name__ == "__main__":
    main()
