"""The process: real signals, a real service manager's socket, exit codes, errors bare."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

import anyio
import pytest

from memd.daemon.lifecycle import notify, run, single_error
from memd.schemas.errors import BusyError
from memd.tests import processes

WORK = """
import sys, anyio
from memd.daemon.lifecycle import run
async def main():
    try:
        print("working", flush=True)
        await anyio.sleep_forever()
    finally:
        with anyio.CancelScope(shield=True):
            await anyio.sleep(float(sys.argv[1]))
        print("ended", flush=True)
try:
    run(main)
except KeyboardInterrupt:
    sys.exit(77)
"""


class Manager:
    """The service manager's side of sd_notify."""

    def __init__(self, path: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(path))
        self._socket.settimeout(90)

    def told(self) -> dict[str, str]:
        """The next datagram."""
        lines = self._socket.recv(4096).decode().splitlines()
        return {name: value for name, _, value in (line.partition("=") for line in lines)}

    def until(self, name: str, seconds: float = 90) -> dict[str, str]:
        """The next datagram with this key; a datagram may be so many seconds away."""
        self._socket.settimeout(seconds)
        while name not in (told := self.told()):
            pass
        return told

    def drain(self) -> None:
        """Leave out what was told until now."""
        self._socket.setblocking(False)
        with suppress(BlockingIOError):
            while True:
                self._socket.recv(4096)

    def close(self) -> None:
        """Listen no more."""
        self._socket.close()


@contextmanager
def served(folder: Path, **variables: str) -> Generator[tuple[subprocess.Popen[bytes], Manager]]:
    """`memd serve` under a service manager, not yet ready."""
    manager = Manager(folder / "notify")
    config = folder / "config.toml"
    config.write_text('[embedding]\nenabled = false\n[log]\nlevel = "info"\n')
    process = processes.Popen(
        [sys.executable, "-P", "-m", "memd.daemon.cli", "serve", "--config", str(config)],
        env={
            **os.environ,
            "MEMD_DATA_DIR": str(folder / "d"),
            "MEMD_SOCKET": str(folder / "s"),
            "NOTIFY_SOCKET": str(folder / "notify"),
            **variables,
        },
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
    )
    try:
        yield process, manager
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate(timeout=90)
        manager.close()


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_daemon_ends_in_order(tmp_path: Path, number: signal.Signals) -> None:
    """READY, then STOPPING and exit code 0; the socket is gone; every line of its log is JSON."""
    with served(tmp_path) as (process, manager):
        assert manager.until("READY")["READY"] == "1"
        assert (tmp_path / "s").exists()
        process.send_signal(number)
        assert manager.until("STOPPING")["STOPPING"] == "1"
        _, err = process.communicate(timeout=90)
        assert process.returncode == 0, err.decode()
        assert not (tmp_path / "s").exists()
        told = [json.loads(line)["message"] for line in err.splitlines()]
        assert "serving" in told


@pytest.mark.slow
def test_a_signal_while_it_starts_is_not_lost(tmp_path: Path) -> None:
    """It ends, and never says that it is ready after that; the exit code is 0."""
    with served(tmp_path) as (process, _manager):
        lock = tmp_path / "d" / "owner.lock"
        while not lock.exists():  # from here on the event loop runs
            assert process.poll() is None
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=90)
        assert process.returncode == 0


@pytest.mark.slow
def test_the_watchdog_is_fed_and_levels_are_read_again(tmp_path: Path) -> None:
    """As often as was asked for; SIGHUP takes over the levels, a wrong configuration changes nothing."""
    with served(tmp_path, WATCHDOG_USEC="100000") as (process, manager):
        manager.until("READY")
        for _ in range(3):
            manager.until("WATCHDOG")
        config = tmp_path / "config.toml"
        config.write_text('[log]\nlevel = "loud"\n')
        process.send_signal(signal.SIGHUP)
        manager.until("RELOADING")
        manager.until("READY")
        config.write_text('[log]\nlevel = "debug"\n')
        process.send_signal(signal.SIGHUP)
        manager.until("RELOADING")
        manager.until("READY")
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=90)
        assert process.returncode == 0
        levels = [json.loads(line)["level"] for line in err.splitlines()]
        assert "warning" in levels
        assert "debug" in levels


@pytest.mark.slow
def test_a_second_owner_ends_busy(tmp_path: Path) -> None:
    """Exit code 5, and a sentence that names the first."""
    with served(tmp_path) as (first, manager):
        manager.until("READY")
        second = processes.run(
            [sys.executable, "-P", "-m", "memd.daemon.cli", "serve"],
            env={**os.environ, "MEMD_DATA_DIR": str(tmp_path / "d"), "MEMD_SOCKET": str(tmp_path / "other")},
            capture_output=True,
            timeout=60,
            check=False,
        )
        assert second.returncode == 5, second.stderr.decode()
        assert str(first.pid).encode() in second.stderr


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_cancels_the_work_in_order(number: signal.Signals) -> None:
    """What it holds is let go of, then it is an interruption."""
    with processes.Popen([sys.executable, "-P", "-c", WORK, "0.05"], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"working\n"
        process.send_signal(number)
        assert process.stdout.readline() == b"ended\n"
        assert process.wait(30) == 77


@pytest.mark.slow
def test_a_second_ctrl_c_does_not_wait() -> None:
    """An end that takes an hour is cut off, with the shell's exit code for an interruption."""
    with processes.Popen([sys.executable, "-P", "-c", WORK, "3600"], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"working\n"
        while process.poll() is None:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(0.2)
            except subprocess.TimeoutExpired:
                continue
        assert process.returncode == 130


def test_what_was_raised_comes_out_bare() -> None:
    """Through task groups: the one error, or the one that memd foresaw; several others stay a group."""

    async def failing(*errors: Exception) -> None:
        async def fail(error: Exception) -> None:
            raise error

        async with anyio.create_task_group() as tasks:
            for error in errors:
                tasks.start_soon(fail, error)

    with pytest.raises(ValueError, match="one"):
        run(lambda: failing(ValueError("one")))
    with pytest.raises(BusyError), single_error():
        raise ExceptionGroup("", [ValueError("two"), ExceptionGroup("", [BusyError("busy")])])
    with pytest.raises(ExceptionGroup), single_error():
        raise ExceptionGroup("", [ValueError("two"), KeyError("three")])
    assert run(_answer) == 42


async def _answer() -> int:
    await anyio.lowlevel.checkpoint()
    return 42


def test_nobody_to_notify_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No manager, one that has gone, an abstract socket of nobody."""
    for address in ("", str(tmp_path / "gone"), "@memd-tests-nobody", "nonsense"):
        monkeypatch.setenv("NOTIFY_SOCKET", address)
        notify("READY=1")
