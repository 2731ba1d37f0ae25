"""A workspace of Slack by the real commands, on a server of our own: added, read, stopped, killed; its token in one file alone."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from memd.daemon.config.paths import TOKENS
from memd.tests.byte_scan import traces
from memd.tests.connectors.live.slack.workspace import APP_TOKEN, TOKEN, Workspace
from memd.tests.connectors.slack.exports import START, channel, message, reply

if TYPE_CHECKING:
    from memd.tests.e2e.conftest import Memd

pytestmark = pytest.mark.slow


@pytest.fixture
def workspace() -> Iterator[Workspace]:
    """A workspace without messages."""
    with Workspace() as running:
        yield running


@pytest.fixture(autouse=True)
def _no_facts(memd: Memd) -> None:
    memd.environment["MEMD_FACTS_EXTRACTOR"] = "off"


def add(memd: Memd, workspace: Workspace, *more: str, token: str = TOKEN) -> subprocess.CompletedProcess[bytes]:
    """Add the workspace; how the command ended."""
    return memd("sources", "add", "slack", "acme", "--api-url", workspace.url, *more, stdin=f"{token}\n".encode())


def shown(memd: Memd) -> Any:
    """The source."""
    return memd.json("sources", "show", "acme")


def found(memd: Memd, word: str) -> Any:
    """The first message with a word, as soon as it is there."""
    for _ in range(120):
        if hits := memd.json("query", word, "-k", "1")["hits"]:
            return hits[0]
        time.sleep(0.5)
    raise AssertionError(f"nothing holds {word}")


def test_the_manifest_is_printed(memd: Memd) -> None:
    """What Slack makes an app from: nothing but what reads."""
    told = memd("sources", "add", "slack", "--manifest")
    lines = told.stdout.decode().splitlines()
    assert (told.returncode, lines[0]) == (0, "display_information:")
    scopes = [line.split()[1] for line in lines if line.startswith("      - ") and ":" in line.split()[1]]
    assert "channels:history" in scopes
    assert all(scope.split(":")[1].split(".")[0] in ("history", "read") for scope in scopes)


def test_a_workspace_becomes_a_source(memd: Memd, workspace: Workspace) -> None:
    """Looked at first, added when that was confirmed, and what was said is found."""
    workspace.channels.append(channel("C0ELSE", "elsewhere", is_channel=True, is_member=False))
    looked = add(memd, workspace, "--dry-run")
    told = looked.stdout.decode()
    assert (looked.returncode, "1 conversation:\n  #general\n" in told) == (0, True)
    assert "not read: #elsewhere (not a member)" in told
    assert "the token is that of Ann in Acme" in told
    assert memd.json("sources")["sources"] == []
    refused = add(memd, workspace, "--yes", token="xoxp-wrong")
    assert (refused.returncode, b"does not accept the token" in refused.stderr) == (3, True)
    assert add(memd, workspace, "--yes").returncode == 0
    assert shown(memd)["settings"]["schedule"] == "1h"
    workspace.add(message(0, "U0BO", "the zeppelin landed"), reply(60, "U0CY", "in the quarry", 0))
    assert memd("sync", "acme").stdout.startswith(b"acme  ok: 2 added")
    (hit,) = memd.json("query", "quarry", "-k", "1")["hits"]
    assert (hit["speaker"], hit["source"], hit["chat"]) == ("cy!", "slack", "#general")
    now = time.time() - START
    workspace.add(reply(now, "U0ANN", "with a parachute", 0), message(180, "U0BO", "bye"))
    assert memd("sync", "acme").returncode == 0
    assert memd.json("query", "parachute", "-k", "1")["hits"][0]["speaker"] == "Ann"
    assert memd.json("stats")["messages"] == 4


def test_what_stops_it_is_told(memd: Memd, workspace: Workspace, tmp_path: Path) -> None:
    """A token that was revoked: no further try, and what to do. It is in one file alone."""
    workspace.add(message(0, "U0BO", "the zeppelin landed"))
    app_token = tmp_path / "app-token"
    app_token.write_text(f"{APP_TOKEN}\n")
    line = f"{TOKEN}\n".encode()
    refused = add(memd, workspace, "--yes", "--app-token-file", str(tmp_path / "absent"))
    assert (refused.returncode, b"cannot be read" in refused.stderr) == (2, True)
    where = ("--api-url", workspace.url)
    added = memd("sources", "add", "slack", "acme", *where, "--app-token-file", str(app_token), "--yes", stdin=line)
    assert (added.returncode, b"memd is told at once what happens" in added.stdout) == (0, True)
    daemon = memd.start("serve")
    memd.until_served(daemon, 90)
    assert memd("sync", "acme", "--wait").returncode == 0
    workspace.tell(**message(30, "U0BO", "over the quarry"), channel="C0GEN", channel_type="channel")
    assert found(memd, "quarry")["speaker"] == "Bo Example"
    workspace.refused["auth.test"] = {"ok": False, "error": "token_revoked"}
    assert memd("sync", "acme", "--wait").returncode == 3
    assert shown(memd)["flags"] == ["stopped"]
    assert all(each in shown(memd)["trouble"] for each in ("token_revoked", "`memd sources login acme`"))
    workspace.refused.clear()
    login = memd("sources", "login", "acme", "--app-token-file", str(app_token), stdin=line)
    assert (login.returncode, b"the token is that of Ann in Acme" in login.stdout) == (0, True)
    assert b"memd is told at once what happens" in login.stdout
    app_token.unlink()
    workspace.add(message(60, "U0BO", "with a parachute"))
    assert memd("sync", "acme", "--wait").returncode == 0
    assert found(memd, "parachute")["speaker"] == "Bo Example"
    answers = json.dumps(
        [memd.json(*words) for words in (("status",), ("sources", "show", "acme"), ("runs",), ("config",))]
    )
    memd("backup", str(tmp_path / "backup"))
    daemon.send_signal(signal.SIGTERM)
    log = b"".join(daemon.communicate(timeout=60)).decode()
    assert all(token not in answers + log for token in (TOKEN, APP_TOKEN))
    for folder in (memd.data, tmp_path / "backup"):
        told = traces(folder, TOKEN, APP_TOKEN)
        assert {each for files in told.values() for each in files} <= {f"{TOKENS}/acme.json"}


def test_kill_the_daemon(memd: Memd, workspace: Workspace) -> None:
    """In the middle of reading, again and again: in the end every message is there once."""
    wanted = 60
    workspace.add(*(message(60 * number, "U0BO", f"text {number}") for number in range(wanted - 20)))
    workspace.add(*(reply(6000 + number, "U0CY", f"reply {number}", 60 * number) for number in range(20)))
    assert add(memd, workspace, "--yes").returncode == 0
    for _ in range(3):
        daemon = memd.start("serve")
        memd.until_served(daemon, 90)
        memd("sync", "acme")
        daemon.send_signal(signal.SIGKILL)
        daemon.wait(60)
    assert memd("sync", "acme").returncode == 0
    assert memd.json("stats")["messages"] == wanted
