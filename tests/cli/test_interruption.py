"""Ctrl-C on a terminal while vectors are made."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

import pytest

from memd.tests.command import memd_command
from memd.tests.pseudo_terminal import (
    LOOKS,
    PYTHON,
    WIDTHS,
    columns_of,
    environment_of,
    lines_of,
    run_on_terminal,
    text_of,
)

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


def test_ctrl_c_while_vectors_are_made(tmp_path: Path) -> None:
    """The bar is gone, what is safe is told in lines that fit a narrow terminal, and the words answer."""
    columns = min(WIDTHS)
    chat = tmp_path / "WhatsApp Chat with Bob.txt"
    lines = (
        f"{n // 1_440 + 13}/01/2024, {n // 60 % 24:02}:{n % 60:02} - {'Ann' if n % 2 else 'Bob'}: lamp {n} {'of a word ' * 9}\n"
        for n in range(2_000)
    )
    chat.write_text("".join(lines))
    (tmp_path / "config.toml").touch()
    with tempfile.TemporaryDirectory(prefix="memd-", dir="/tmp") as folder:
        home = {
            "MEMD_DATA_DIR": f"{folder}/data",
            "MEMD_SOCKET": f"{folder}/s",
            "MEMD_CONFIG": f"{tmp_path}/config.toml",
        }
        environment = environment_of(home | LOOKS["colour"])
        words = memd_command("ingest", str(chat), "--me", "Ann", "--zone", "UTC")
        code, screen = run_on_terminal(words, environment, columns=columns, keys=[("vectors ", b"\x03")])
        assert code == 130, screen
        shown = text_of(screen)
        assert re.search(r"stopped while vectors were made: [\d,]+ of [\d,]+ are done", shown), shown[-500:]
        assert (
            "2,000 messages stored, and found by their words; the next memd that runs makes the other vectors" in shown
        )
        assert not PYTHON.search(screen)
        assert max(map(columns_of, lines_of(screen))) <= columns
        _, screen = run_on_terminal(
            memd_command("query", '"lamp 1321"'), environment | {"MEMD_EMBEDDING_ENABLED": "false"}, columns=columns
        )
        assert "lamp 1321" in text_of(screen)
