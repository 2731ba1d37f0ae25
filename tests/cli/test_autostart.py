"""When a command starts a daemon, and what it says where it does not."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from memd.daemon.activity import Activity
from memd.daemon.cli import autostart, main
from memd.daemon.cli.autostart import Autostart, advise_once
from memd.daemon.config.paths import ResolvedPaths, locate
from memd.daemon.detached import may_start, mode_of, start_detached


def environment(home: Path, **more: str) -> dict[str, str]:
    """Of a user with this home."""
    return {"HOME": str(home), "XDG_RUNTIME_DIR": str(home / "run")} | more


def mode(home: Path, text: str, **more: str) -> str:
    """The mode by a configuration and variables."""
    environ = environment(home, **more)
    path = home / ".config" / "memd" / "config.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return mode_of(locate(environ=environ), environ)


def test_the_setting_decides(tmp_path: Path) -> None:
    """The environment goes over the configuration; what is no mode starts nothing."""
    assert mode(tmp_path, "") == "ask"
    assert mode(tmp_path, '[server]\nautostart = "yes"') == "yes"
    assert mode(tmp_path, '[server]\nautostart = "yes"', MEMD_SERVER_AUTOSTART="no") == "no"
    assert mode(tmp_path, '[server]\nautostart = "always"') == "no"
    assert mode(tmp_path, "server = 3") == "ask"


def allowed(environ: Mapping[str, str], **paths: str) -> bool:
    """Whether one may be started for these paths."""
    return may_start(locate(environ=environ, **paths), environ)


def test_no_daemon_beside_a_service(tmp_path: Path) -> None:
    """Neither in a unit of systemd, nor where a unit owns this memory, nor at the socket of the machine's service."""
    status = os.fstat(2)
    environ = environment(tmp_path)
    assert allowed(environ)
    assert not allowed(environ | {"JOURNAL_STREAM": f"{status.st_dev}:{status.st_ino}"})
    assert allowed(environ | {"JOURNAL_STREAM": f"{status.st_dev}:{status.st_ino + 1}"})  # inherited by a terminal
    assert not allowed(environ | {"NOTIFY_SOCKET": "@x"})
    assert not allowed(environ, socket="/run/memd/memd.sock")
    unit = tmp_path / ".config" / "systemd" / "user" / "memd.service"
    unit.parent.mkdir(parents=True)
    unit.touch()
    assert not allowed(environ)
    (another := tmp_path / "another.toml").touch()
    assert not allowed(environ, config=str(another))
    assert allowed(environ, data_dir=str(tmp_path / "other"))


def test_each_command_tries_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Verbs that a person asks with; a status starts nothing."""
    monkeypatch.setenv("MEMD_SERVER_AUTOSTART", "yes")
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)

    def start(_places: ResolvedPaths) -> bool:
        return True

    monkeypatch.setattr(autostart, "start", start)
    places = locate(environ=environment(tmp_path))
    one = Autostart("query")
    assert [one.starts(places), one.starts(places)] == [True, False]
    assert not Autostart("status").starts(places)


def test_the_advice_is_given_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On a terminal, to whoever uses the default memory."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    default = locate(environ=environment(tmp_path))
    advise_once(default)  # no terminal
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    advise_once(locate(environ=environment(tmp_path), data_dir=str(tmp_path / "other")))
    assert capsys.readouterr().err == ""
    advise_once(default)
    assert "memd config autostart yes" in capsys.readouterr().err
    advise_once(default)
    assert capsys.readouterr().err == ""


def test_the_setting_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Other lines stay; another word is refused."""
    config = tmp_path / "config.toml"
    config.write_text("# mine\n[query]\nlimit = 3\n")
    monkeypatch.setenv("MEMD_CONFIG", str(config))
    monkeypatch.delenv("MEMD_SERVER_AUTOSTART", raising=False)
    assert main(["config", "autostart", "yes"]) == 0
    assert config.read_text() == '# mine\n[query]\nlimit = 3\n\n[server]\nautostart = "yes"\n'
    assert main(["config", "autostart", "maybe"]) == 2
    assert "yes, no, ask" in capsys.readouterr().err


def test_idleness_counts_from_the_end_of_the_last_request() -> None:
    """Requests in progress, such as a stream of progress, are use."""
    now = [0.0]
    activity = Activity(lambda: now[0])
    now[0] = 5.0
    assert activity.idle_s == 5.0
    with activity.request():
        with activity.request():
            now[0] = 100.0
        now[0] = 200.0
        assert activity.idle_s == 0.0
    now[0] = 207.0
    assert activity.idle_s == 7.0


def test_one_daemon_is_started_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Until it ends, which is seen by the lock that it inherited; each memory has its own."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    inherited: list[int] = []

    class Process:
        def __init__(self, _command: list[str], *, pass_fds: list[int], **_more: Any) -> None:
            inherited.extend(map(os.dup, pass_fds))

    monkeypatch.setattr(subprocess, "Popen", Process)
    places = locate(environ=environment(tmp_path))
    assert start_detached(places) is not None
    assert start_detached(places) is None
    assert start_detached(locate(environ=environment(tmp_path), data_dir=str(tmp_path / "other"))) is not None
    os.close(inherited[0])
    assert start_detached(places) is not None
    for descriptor in inherited[1:]:
        os.close(descriptor)
