"""The programs of docs/python.md are run as they stand there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from memd.tests.openai_server.server import Server

pytestmark = pytest.mark.slow
BLOCK = re.compile(r"^```\w+\n# (?P<name>\S+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
MAILBOX = """\
From ann@example.org Mon Jan 15 12:00:00 2024
From: Ann <ann@example.org>
To: Bob <bob@example.org>
Date: Mon, 15 Jan 2024 12:00:00 +0000
Subject: Friday
Message-ID: <1@example.org>

The train leaves at 7:40 from platform nine.

"""


@pytest.fixture
def programs(checkout: Path, tmp_path: Path) -> Path:
    """The folder with all files of the page."""
    page = (checkout / "docs" / "python.md").read_text(encoding="utf-8")
    blocks = {match["name"]: match["text"] for match in BLOCK.finditer(page)}
    assert set(blocks) == {"first.py", "chat_bot.py", "mail_notebook.py", "pyproject.toml", "memd_recipes.py"}
    for name, text in blocks.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def run(folder: Path, *arguments: str, text: str = "", **environment: str) -> str:
    """Run Python in a folder, and return what it prints."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        input=text,
        env=_environment(folder, environment),
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def _environment(folder: Path, more: Mapping[str, str]) -> dict[str, str]:
    (folder / "config.toml").touch()
    paths = os.pathsep.join([str(folder / "installed"), os.environ.get("PYTHONPATH", "")])
    quiet = {"MEMD_CONFIG": str(folder / "config.toml"), "MEMD_EMBEDDING_ENABLED": "false", "PYTHONPATH": paths}
    return {**os.environ, **quiet, **more}


def test_the_first_program_finds_what_it_added(programs: Path) -> None:
    """It waits until the message can be found."""
    assert run(programs, "first.py").splitlines() == ["user | My cat is called Pixel."]


def test_the_chat_bot_remembers(programs: Path) -> None:
    """What was said in the first round is before the model in the second."""
    with Server(script=lambda _: "It leaves at 7:40.") as server:
        environment = {
            "OPENAI_BASE_URL": server.base_url,
            "OPENAI_API_KEY": "none",
            "BOT_MODEL": "any",
            "BOT_MEMORY": str(programs / "memory"),
        }
        for line in ("The train to Lisbon leaves at 7:40\n", "when does the train to Lisbon leave?\n"):
            assert run(programs, "chat_bot.py", text=line, **environment) == "It leaves at 7:40.\n"
        first, second = (request.body["messages"][0]["content"] for request in server.requests)
    assert "7:40" not in first
    assert "user: The train to Lisbon leaves at 7:40" in second


def test_the_notebook_asks_the_mailbox(programs: Path) -> None:
    """The first run keeps the mail, the second finds it kept."""
    (programs / "All mail.mbox").write_text(MAILBOX, encoding="utf-8")
    environment = {"MAIL_MEMORY": str(programs / "memory"), "MAILBOX": str(programs / "All mail.mbox")}
    printed = run(programs, "mail_notebook.py", **environment).splitlines()
    assert printed[0] == "1 mails are new; 0 cannot be read"
    assert printed[1].startswith("2024-01 Ann")
    assert any("The train leaves at 7:40" in line for line in printed[2:])
    assert run(programs, "mail_notebook.py", **environment).startswith("0 mails are new")


def test_the_connector_is_found_by_its_entry_point(programs: Path) -> None:
    """Once its package is installed, the command reads its files; a file that only looks so is told."""
    package = programs / "installed" / "memd_recipes-1.0.dist-info"
    package.mkdir(parents=True)
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: memd-recipes\nVersion: 1.0\n", encoding="utf-8")
    entry = re.search(r'"memd\.connectors"\]\n(.*)', (programs / "pyproject.toml").read_text(encoding="utf-8"))
    assert entry is not None
    (package / "entry_points.txt").write_text("[memd.connectors]\n" + entry[1].replace('"', ""), encoding="utf-8")
    (programs / "memd_recipes.py").rename(programs / "installed" / "memd_recipes.py")
    kitchen = programs / "kitchen"
    kitchen.mkdir()
    (kitchen / "waffles.recipe").write_text("Waffles\n-----\nFour eggs, a cup of flour\n", encoding="utf-8")
    printed = run(programs, "-m", "memd", "parse", str(kitchen))
    assert '"title":"Waffles"' in printed
    assert "Four eggs" in printed
