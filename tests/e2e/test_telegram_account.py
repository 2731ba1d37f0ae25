"""A bot of Telegram by the real commands, on a Bot API of our own: added, read, stopped, killed; its token in one file alone."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from memd.daemon.config.paths import TOKENS
from memd.tests.byte_scan import traces
from memd.tests.connectors.live.telegram.bot_api import START, TOKEN, BotApi, message

if TYPE_CHECKING:
    from memd.tests.e2e.conftest import Memd

pytestmark = pytest.mark.slow


@pytest.fixture
def api() -> Iterator[BotApi]:
    """A server without updates."""
    with BotApi() as running:
        yield running


@pytest.fixture(autouse=True)
def _no_facts(memd: Memd) -> None:
    memd.environment["MEMD_FACTS_EXTRACTOR"] = "off"


def add(memd: Memd, api: BotApi, *more: str, token: str = TOKEN) -> subprocess.CompletedProcess[bytes]:
    """Add the bot; how the command ended."""
    return memd("sources", "add", "telegram", "bot", "--api-url", api.url, *more, stdin=f"{token}\n".encode())


def shown(memd: Memd) -> Any:
    """The source."""
    return memd.json("sources", "show", "bot")


def test_a_bot_becomes_a_source(memd: Memd, api: BotApi) -> None:
    """Looked at first, added when that was confirmed, read every five minutes, and what it was told is found."""
    looked = add(memd, api, "--dry-run")
    told = looked.stdout.decode()
    assert (looked.returncode, "@keeper_bot" in told, "/setprivacy" in told) == (0, True, True)
    assert memd.json("sources")["sources"] == []
    refused = add(memd, api, "--yes", token="1:wrong")
    assert (refused.returncode, b"does not accept the token" in refused.stderr) == (3, True)
    assert add(memd, api, "--yes").returncode == 0
    assert shown(memd)["settings"]["schedule"] == "5m"
    api.say(1, "the zeppelin landed")
    api.say(2, "in the quarry")
    assert memd("sync", "bot").stdout.startswith(b"bot  ok: 2 added")
    assert api.updates == []
    (hit,) = memd.json("query", "zeppelin", "-k", "1")["hits"]
    assert (hit["speaker"], hit["source"]) == ("Bob Reed", "telegram")
    api.push(edited_message=message(2, text="in the old quarry", edit_date=START + 900))
    assert memd("sync", "bot").returncode == 0
    assert memd.json("query", "quarry", "-k", "1")["hits"][0]["text"] == "in the old quarry"
    assert memd.json("stats")["messages"] == 2


def test_what_stops_it_is_told(memd: Memd, api: BotApi, tmp_path: Path) -> None:
    """Another program that reads the bot, a token that was revoked: no further try, and what to do. The token is nowhere else."""
    line = f"{TOKEN}\n".encode()  # the runs are those of this test
    added = memd("sources", "add", "telegram", "bot", "--api-url", api.url, "--yes", "--no-watch", stdin=line)
    assert (added.returncode, shown(memd)["watch"]) == (0, False)
    daemon = memd.start("serve")
    memd.until_served(daemon, 90)
    api.faults.append("conflict")
    assert memd("sync", "bot", "--wait").returncode == 3
    assert (shown(memd)["flags"], "another program reads this bot" in shown(memd)["trouble"]) == (["stopped"], True)
    assert memd("sources", "resume", "bot").returncode == 0
    assert memd("sync", "bot", "--wait").returncode == 0
    api.token = "another"
    assert memd("sync", "bot", "--wait").returncode == 3
    assert "`memd sources login bot`" in shown(memd)["trouble"]
    api.token = TOKEN
    login = memd("sources", "login", "bot", stdin=line)
    assert (login.returncode, b"@keeper_bot" in login.stdout) == (0, True)
    api.say(1, "back")
    assert memd("sync", "bot", "--wait").stdout.startswith(b"bot  ok: 1 added")
    answers = json.dumps(
        [memd.json(*words) for words in (("status",), ("sources", "show", "bot"), ("runs",), ("config",))]
    )
    memd("backup", str(tmp_path / "backup"))
    daemon.send_signal(signal.SIGTERM)
    log = b"".join(daemon.communicate(timeout=60)).decode()
    secret = TOKEN.partition(":")[2]
    assert secret not in answers + log
    for folder in (memd.data, tmp_path / "backup"):
        assert {each for files in traces(folder, secret).values() for each in files} <= {f"{TOKENS}/bot.json"}


def test_kill_the_daemon(memd: Memd, api: BotApi) -> None:
    """In the middle of reading, again and again: in the end every message is there once."""
    wanted = 450
    assert add(memd, api, "--yes").returncode == 0
    for number in range(wanted):
        api.say(number + 1, f"text {number}")
    for _ in range(4):
        daemon = memd.start("serve")
        memd.until_served(daemon, 90)
        memd("sync", "bot")
        daemon.send_signal(signal.SIGKILL)
        daemon.wait(60)
    assert memd("sync", "bot").returncode == 0
    assert memd.json("stats")["messages"] == wanted
    assert api.updates == []
