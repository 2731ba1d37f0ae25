"""Executes a plan for the service: files are replaced atomically, commands are child processes with a time limit."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from ...schemas.errors import ConfigError, ProcessingError
from .plan import Command, ServicePlan
from .unit_files import Manager

COMMAND_SECONDS = 300.0
"""The maximum seconds of a command of systemd: a start may open a large store first."""
QUESTION_SECONDS = 30.0


def systemd_version(manager: Manager) -> int:
    """Return the version of the running systemd, asked in the name of this user or of the machine.

    Raises:
        ConfigError: systemd does not run or answer, or the user lacks the rights.
    """
    if shutil.which("systemctl") is None or not Path("/run/systemd/system").is_dir():
        raise ConfigError(
            "systemd does not run here",
            hint="start `memd serve` by what starts services on this machine; docs/operations.md shows a container",
        )
    if manager == "system" and os.geteuid() != 0:
        raise ConfigError("only root installs a system service", hint="run it by sudo, or install it with --user")
    flags = ["--user"] if manager == "user" else []
    code, _ = _run(("systemctl", *flags, "show", "--property=Version"), QUESTION_SECONDS)
    if code:
        raise ConfigError(
            "systemd's manager of this user does not answer" if manager == "user" else "systemd does not answer",
            hint="log in as this user, not by su or sudo, or run: loginctl enable-linger; "
            "then XDG_RUNTIME_DIR must name /run/user/UID",
        )
    _, text = _run(("systemctl", "--version"), QUESTION_SECONDS)
    words = text.split()
    return int(words[1]) if len(words) > 1 and words[1].isdecimal() else 0


def lingers(user: str) -> bool:
    """Return whether this user's services run while the user is not logged in."""
    return Path("/var/lib/systemd/linger", user).exists()


def execute(plan: ServicePlan, tell: Callable[[str], None]) -> None:
    """Execute a plan, reporting each step.

    Raises:
        ConfigError: a file cannot be written or removed.
        ProcessingError: a command failed; the plan can be made and executed again.
    """
    for command in plan.before:
        _do(command, tell)
    for path in plan.removed:
        tell(f"remove {path}")
        _change(lambda path=path: path.unlink(missing_ok=True), path)
    for path, text in plan.written.items():
        tell(f"write {path}")
        _change(lambda path=path, text=text: _replace(path, text), path)
    for command in plan.after:
        _do(command, tell)


def _change(work: Callable[[], None], path: Path) -> None:
    try:
        work()
    except OSError as error:
        raise ConfigError(f"{path} cannot be changed: {error.strerror}", hint="who may write there?") from error


def _replace(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f".{path.name}.new")
    new.write_text(text, encoding="utf-8")
    new.chmod(0o644)
    new.replace(path)


def _do(command: Command, tell: Callable[[str], None]) -> None:
    tell(" ".join(command.words))
    code, output = _run(command.words, COMMAND_SECONDS)
    if code and command.needed:
        said = " ".join(output.split())[:500]
        flag = "--user " if "--user" in command.words else ""
        raise ProcessingError(
            f"`{' '.join(command.words)}` failed with {code}: {said}",
            hint=f"journalctl {flag}-u memd tells why; then run this again",
        )


def _run(words: Sequence[str], seconds: float) -> tuple[int, str]:
    """Run a command; return its exit code and its output. The code is 127 if it does not exist, 124 if it took too
    long.
    """
    try:
        done = subprocess.run(  # noqa: S603 - the words are those of a plan
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=seconds,
            check=False,
            env={**os.environ, "SYSTEMD_PAGER": "", "LC_ALL": "C"},
        )
    except FileNotFoundError:
        return 127, "there is no such command"
    except subprocess.TimeoutExpired:
        return 124, f"no answer for {seconds:.0f} seconds"
    return done.returncode, done.stdout.decode(errors="replace")
