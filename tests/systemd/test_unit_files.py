"""The unit files: what systemd thinks of them, and how they are made to fit an installation."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from memd.daemon.cli import main
from memd.daemon.service_units import execution
from memd.daemon.service_units.execution import execute
from memd.daemon.service_units.plan import Command, ServicePlan, plan_install, plan_uninstall, unit_folder
from memd.daemon.service_units.unit_files import (
    TEMPLATES,
    UNITS,
    Installation,
    Manager,
    account_files,
    hidden_folders,
    this_installation,
    unit_text,
)
from memd.schemas.errors import ConfigError, ProcessingError

EXPOSURE = 1.5
NAMES = [name for names in UNITS.values() for name in names]
MANAGERS: tuple[Manager, ...] = ("user", "system")
PACKAGED = Installation(("/usr/bin/memd",), (Path("/usr"),))
needs_analyze = pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd-analyze")


def written(folder: Path, manager: Manager, installation: Installation, version: int = 252) -> Path:
    """Every unit of a manager in a folder."""
    for name in NAMES:
        (folder / name).write_text(unit_text(manager, name, installation, version), encoding="utf-8")
    return folder


@needs_analyze
@pytest.mark.slow
@pytest.mark.parametrize("manager", MANAGERS)
def test_systemd_finds_no_fault(tmp_path: Path, manager: Manager) -> None:
    """`systemd-analyze verify` says nothing about any unit, as packaged and as installed."""
    executable = tmp_path / "an environment%" / "memd"
    executable.parent.mkdir()
    executable.write_text("#!/bin/sh\n")
    executable.chmod(0o755)
    chosen = (("MEMD_DATA_DIR", "/data of $ann/100%"),)
    folder = written(tmp_path, manager, Installation((str(executable),), (executable.parent,), chosen))
    done = subprocess.run(
        ["systemd-analyze", f"--{manager}", "verify", "--recursive-errors=no", *(str(folder / name) for name in NAMES)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "XDG_RUNTIME_DIR": str(tmp_path), "SYSTEMD_LOG_LEVEL": "warning"},
    )
    ours = [line for line in done.stderr.splitlines() if "memd" in line]
    assert not ours, "\n".join(ours)


@needs_analyze
@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in NAMES if name.endswith(".service")])
@pytest.mark.parametrize("folder", ["/usr", "/home/ann/.local/pipx/venvs/memd"])
def test_a_system_service_is_hardened(tmp_path: Path, name: str, folder: str) -> None:
    """Its exposure is low, also where memd lies in a home directory."""
    written(tmp_path, "system", Installation((f"{folder}/bin/memd",), (Path(folder),)))
    done = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--no-pager", str(tmp_path / name)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    found = re.search(r"Overall exposure level for \S+: ([0-9.]+)", done.stdout)
    assert found, done.stdout + done.stderr
    assert float(found[1]) <= EXPOSURE, done.stdout


@pytest.mark.parametrize(
    "path", sorted(TEMPLATES.glob("*/*.service")), ids=lambda path: f"{path.parent.name}-{path.name}"
)
def test_each_hardening_line_has_its_reason(path: Path) -> None:
    """A comment stands above each group of lines of what a service may do."""
    text = path.read_text(encoding="utf-8").partition("# --- What it may do")[2].partition("[Install]")[0]
    groups = re.findall(r"(?:^#.*\n)+(?:^[A-Z].*\n)+", text.partition("\n")[2], re.MULTILINE)
    covered = sum(group.count("=") for group in groups)
    settings = re.findall(r"^[A-Z]\w+=", text, re.MULTILINE)
    assert len(settings) >= 9
    assert covered >= len(settings)
    assert not re.search(r"\n\n[A-Z]\w+=", text)


@pytest.mark.parametrize("manager", MANAGERS)
def test_a_unit_runs_the_very_memd_that_installs_it(manager: Manager) -> None:
    """By an absolute path, with what systemd would replace doubled, and the chosen paths beside it."""
    odd = Installation(("/opt/my $venv/100%/memd",), (Path("/opt"),), (("MEMD_DATA_DIR", "/data of $ann/100%"),))
    text = unit_text(manager, "memd.service", odd, 252)
    assert 'ExecStart="/opt/my $$venv/100%%/memd" serve\n' in text
    assert 'Environment="MEMD_DATA_DIR=/data of $ann/100%%"\n' in text
    own = this_installation()
    assert Path(own.command[0]).is_absolute()
    assert f"ExecStart={own.command[0]}" in unit_text(manager, "memd.service", own, 252).replace("%%", "%")


def test_a_memd_below_a_home_stays_readable() -> None:
    """Homes are empty for the service but for the folders of its interpreter, each named once."""
    inside = (Path("/home/ann/venv"), Path("/home/ann/venv/lib"), Path("/root/.pyenv/3"), Path("/usr/lib/python3"))
    installation = Installation(("/home/ann/venv/bin/memd",), inside)
    assert hidden_folders(installation) == ["/home/ann/venv", "/root/.pyenv/3"]
    text = unit_text("system", "memd.service", installation, 252)
    assert "ProtectHome=tmpfs\nBindReadOnlyPaths=/home/ann/venv\nBindReadOnlyPaths=/root/.pyenv/3\n" in text
    assert "ProtectHome=yes\n" in unit_text("system", "memd.service", PACKAGED, 252)


@pytest.mark.parametrize(("version", "kind"), [(252, "notify"), (253, "notify-reload"), (257, "notify-reload")])
def test_the_type_follows_the_version_of_systemd(version: int, kind: str) -> None:
    """Older ones take notify-reload for simple; newer ones send SIGHUP themselves."""
    text = unit_text("system", "memd.service", PACKAGED, version)
    assert f"\nType={kind}\n" in text
    assert ("\nExecReload=" in text) is (version < 253)


def test_installing_again_writes_only_what_differs(tmp_path: Path) -> None:
    """The files that are right stay, the daemon starts anew; systemd reads units again only when one changed."""
    first = plan_install("user", "daemon", tmp_path, PACKAGED, 252)
    assert {path.name for path in first.written} == {"memd.service", "memd.socket"}
    for path, text in first.written.items():
        path.write_text(text)
    again = plan_install("user", "daemon", tmp_path, PACKAGED, 252)
    assert not again.written
    words = [" ".join(each.words) for each in again.after]
    assert "systemctl --user daemon-reload" not in words
    assert words[-1] == "systemctl --user restart memd.service"
    moved = plan_install("user", "daemon", tmp_path, Installation(("/opt/memd",), ()), 252)
    assert [path.name for path in moved.written] == ["memd.service"]
    assert "systemctl --user daemon-reload" in [" ".join(each.words) for each in moved.after]


def test_a_timer_takes_the_place_of_the_daemon(tmp_path: Path) -> None:
    """The units of the other way are stopped and removed; a unit that somebody else wrote is not."""
    for path, text in plan_install("user", "daemon", tmp_path, PACKAGED, 252).written.items():
        path.write_text(text)
    (tmp_path / "memd.socket").write_text("[Socket]\n")
    plan = plan_install("user", "timer", tmp_path, PACKAGED, 252)
    assert plan.removed == (tmp_path / "memd.service",)
    assert plan.before[0].words == ("systemctl", "--user", "disable", "--now", "memd.service")


def test_removing_takes_only_what_was_installed(tmp_path: Path) -> None:
    """Nothing where there is nothing; of units those with our first line."""
    assert plan_uninstall("user", tmp_path) == ServicePlan((), (), {}, ())
    for path, text in plan_install("user", "daemon", tmp_path, PACKAGED, 252).written.items():
        path.write_text(text)
    plan = plan_uninstall("user", tmp_path)
    assert [path.name for path in plan.removed] == ["memd.service", "memd.socket"]
    assert plan.before[0].words[-2:] == ("memd.socket", "memd.service")


def test_a_plan_is_done_in_its_order(tmp_path: Path) -> None:
    """Files whole, commands that may fail, then the one that may not; the error tells what it printed."""
    told: list[str] = []
    old = tmp_path / "old"
    old.touch()
    plan = ServicePlan(
        (Command(("false",), needed=False),),
        (old,),
        {tmp_path / "units" / "new": "text\n"},
        (Command(("true",)), Command(("sh", "-c", "echo broken; exit 3"))),
    )
    with pytest.raises(ProcessingError, match="failed with 3: broken"):
        execute(plan, told.append)
    assert not old.exists()
    assert (tmp_path / "units" / "new").read_text() == "text\n"
    assert [line.split()[0] for line in told] == ["false", "remove", "write", "true", "sh"]
    blocked = ServicePlan((), (), {old / "file": "text"}, ())
    old.touch()
    with pytest.raises(ConfigError, match="cannot be changed"):
        execute(blocked, told.append)


def test_a_command_of_systemd_has_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that hangs, or is not there, is an error."""
    monkeypatch.setattr(execution, "COMMAND_SECONDS", 0.2)
    with pytest.raises(ProcessingError, match="failed with 124"):
        execute(ServicePlan((), (), {}, (Command(("sleep", "600")),)), lambda _: None)
    with pytest.raises(ProcessingError, match="failed with 127"):
        execute(ServicePlan((), (), {}, (Command(("memd-tests-no-such-command",)),)), lambda _: None)


def test_where_users_keep_units(tmp_path: Path) -> None:
    """Below the configuration of this user; a relative path in the variable is ignored."""
    assert unit_folder("user", {}, tmp_path) == tmp_path / ".config" / "systemd" / "user"
    assert unit_folder("user", {"XDG_CONFIG_HOME": "/x"}, tmp_path) == Path("/x/systemd/user")
    assert unit_folder("user", {"XDG_CONFIG_HOME": "x"}, tmp_path) == tmp_path / ".config" / "systemd" / "user"
    assert unit_folder("system", {}, tmp_path) == Path("/etc/systemd/system")


def test_the_account_belongs_to_the_system_service_alone() -> None:
    """Files for systemd-sysusers and systemd-tmpfiles, with the mark of an installation."""
    assert [str(path) for path in account_files()] == ["/etc/sysusers.d/memd.conf", "/etc/tmpfiles.d/memd.conf"]
    assert all(text.startswith("# Written by") for text in account_files().values())


@pytest.mark.parametrize("verb", ["install-service", "uninstall-service"])
def test_without_systemd_it_says_what_to_do(
    verb: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 2 and a next step; a plan that is only shown needs none."""
    monkeypatch.setenv("PATH", "/nonexistent")
    assert main([verb, "--user", "--yes"]) == 2
    told = capsys.readouterr().err
    assert "systemd does not run here" in told
    assert "memd serve" in told
    assert main([verb, "--user", "--dry-run"]) == 0
    out, told = capsys.readouterr()
    assert "this is only the plan" in told
    assert ("memd.service" in out) == (verb == "install-service")


@pytest.mark.parametrize("manager", MANAGERS)
def test_a_service_is_installed_and_removed_as_it_was_told(
    manager: Manager, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whose it is, whether it is a timer, and whether it is asked for before."""
    carried_out: list[ServicePlan] = []

    def version(_: Manager) -> int:
        return 252

    def carry_out(plan: ServicePlan, _: object) -> None:
        carried_out.append(plan)

    def folder(*_: object) -> Path:
        return tmp_path

    monkeypatch.setattr(execution, "systemd_version", version)
    monkeypatch.setattr(execution, "execute", carry_out)
    monkeypatch.setattr("memd.daemon.service_units.plan.unit_folder", folder)
    monkeypatch.setenv("MEMD_SOCKET", "")
    # Of somebody for whom the other one is the default, so that the flag decides.
    monkeypatch.setattr("os.geteuid", lambda: 1000 if manager == "system" else 0)

    def done(*words: str) -> tuple[str, bool]:
        assert main([*words, "--json"]) == 0
        body = json.loads(capsys.readouterr().out)
        return body["manager"], body["done"]

    whose = f"--{manager}"
    assert done("install-service", whose, "--yes") == (manager, True)
    assert done("install-service", whose, "--timer", "--yes") == (manager, True)
    assert done("install-service", whose, "--dry-run") == (manager, False)
    assert [any(path.suffix == ".timer" for path in plan.written) for plan in carried_out] == [False, True]
    for path, text in carried_out.pop().written.items():
        if path.parent == tmp_path:
            path.write_text(text)
    assert done("uninstall-service", whose, "--dry-run") == (manager, False)
    if manager == "user":
        assert done("uninstall-service", "--user", "--yes") == (manager, True)
    else:
        assert done("uninstall-service", "--system", "--yes") == (manager, True)
    assert len(carried_out) == 2
    assert {path.suffix for path in carried_out[1].removed} >= {".timer"}
    assert main(["uninstall-service", whose]) == 2
    assert "--yes" in capsys.readouterr().err


def test_paths_that_a_service_cannot_have_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Clients would look elsewhere than the daemon listens; the message names what to leave out."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setenv("MEMD_SOCKET", str(tmp_path / "mine"))
    assert main(["install-service", "--user", "--dry-run"]) == 2
    assert "MEMD_SOCKET" in capsys.readouterr().err
    assert main(["install-service", "--system", "--data-dir", str(tmp_path), "--dry-run"]) == 2
    assert "/var/lib/memd" in capsys.readouterr().err
