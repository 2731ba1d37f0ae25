"""Becoming the owner for one command: tried again while another holds the lock, loaded once, the collector as before."""

from __future__ import annotations

import argparse
import fcntl
import gc
from pathlib import Path
from typing import NoReturn

import pytest

from memd.daemon.cli import connect, in_process
from memd.daemon.client import Client
from memd.daemon.config.paths import LOCK
from memd.memory.embedding.bundled import BundledEmbedder
from memd.schemas.errors import BusyError


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
    arguments = argparse.Namespace(
        config=None, data_dir=str(tmp_path / "d"), socket=str(tmp_path / "s"), log_level=None
    )
    with (tmp_path / "d" / LOCK).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(BusyError):
            connect.with_client(arguments, never, single_request=True)
    assert len(made) == 1
    assert gc.isenabled()
