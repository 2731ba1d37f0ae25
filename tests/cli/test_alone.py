"""Becoming the owner for one command: tried again while another holds the lock, loaded once, the collector as before."""

from __future__ import annotations

import argparse
import fcntl
import gc
import os
import socket
import sys
import threading
import time
from pathlib import Path
from typing import NoReturn

import pytest

from memd.daemon.cli import connect, in_process
from memd.daemon.client import Client
from memd.daemon.config.paths import LOCK
from memd.memory.embedding.bundled import BundledEmbedder
from memd.schemas.errors import BusyError


def arguments_in(folder: Path) -> argparse.Namespace:
    """Of a command over a memory in this folder."""
    return argparse.Namespace(config=None, data_dir=str(folder / "d"), socket=str(folder / "s"), log_level=None)


@pytest.mark.slow
def test_a_starting_daemon_is_waited_for_by_its_socket(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is loaded meanwhile; on a terminal a line says once whom the command waits for."""

    def ahead(settings: object) -> NoReturn:
        pytest.fail(f"it should not become the owner: {settings}")

    monkeypatch.setattr(in_process, "embedder_loaded_ahead", ahead)
    monkeypatch.setattr(connect, "WAIT_SECONDS", 0.0)
    monkeypatch.setattr(connect, "OWNER_WAIT_SECONDS", 120.0)
    monkeypatch.setattr(connect, "NOTICE_SECONDS", 0.0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("MEMD_CONFIG", os.devnull)
    (tmp_path / "d").mkdir(mode=0o700)
    with (tmp_path / "d" / LOCK).open("w") as lock, socket.socket(socket.AF_UNIX) as listener:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.write('{"pid": 7, "kind": "daemon", "state": "starting"}')
        lock.flush()

        def serve() -> None:
            time.sleep(0.5)
            listener.bind(str(tmp_path / "s"))
            listener.listen()

        serving = threading.Thread(target=serve)
        serving.start()
        assert connect.with_client(arguments_in(tmp_path), lambda _: "asked") == "asked"
        serving.join()
    assert capsys.readouterr().err == "waiting for process 7, which is starting\n"


@pytest.mark.slow
def test_whoever_waits_for_the_lock_loads_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An owner that does not serve yet is waited for without a model for each look."""
    made: list[BundledEmbedder] = []

    def ahead(settings: object) -> BundledEmbedder:  # noqa: ARG001
        made.append(BundledEmbedder())
        return made[-1]

    def never(client: Client) -> NoReturn:
        pytest.fail(f"there are two owners: {client}")

    monkeypatch.setattr(in_process, "embedder_loaded_ahead", ahead)
    monkeypatch.setattr(connect, "WAIT_SECONDS", 0.5)
    monkeypatch.setenv("MEMD_CONFIG", str(tmp_path / "config.toml"))
    (tmp_path / "config.toml").touch()
    (tmp_path / "d").mkdir(mode=0o700)
    with (tmp_path / "d" / LOCK).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(BusyError):
            connect.with_client(arguments_in(tmp_path), never, single_request=True)
    assert len(made) == 1
    assert gc.isenabled()


@pytest.mark.slow
def test_only_an_owner_for_one_request_lets_go_of_its_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A question's model goes before the vectors are searched; who embeds a whole import keeps it."""
    monkeypatch.setenv("MEMD_CONFIG", os.devnull)
    embedder = BundledEmbedder()

    def ahead(settings: object) -> BundledEmbedder:
        del settings
        return embedder

    monkeypatch.setattr(in_process, "embedder_loaded_ahead", ahead)
    for single in (True, False):
        in_process.InProcessDaemon(arguments_in(tmp_path)).work(lambda client: client.close(), single_request=single)
        assert embedder.unloads_after_question == single
