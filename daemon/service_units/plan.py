"""Plans the installation or removal of the service: the files to change, the commands to run. Nothing is done here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..config.paths import config_home
from .unit_files import UNITS, Installation, Manager, Mode, account_files, unit_text

MARKED = "# Written by `memd install-service`"
SYSTEM_UNITS = Path("/etc/systemd/system")


@dataclass(frozen=True, slots=True)
class Command:
    """One command of a plan."""

    words: tuple[str, ...]
    needed: bool = True
    """True if the plan fails with it; a stop may fail, since the service need not run."""


@dataclass(frozen=True, slots=True)
class ServicePlan:
    """The steps of a change, in this order: ``before``, files removed, files written, ``after``."""

    before: tuple[Command, ...]
    removed: tuple[Path, ...]
    written: Mapping[Path, str]
    after: tuple[Command, ...]
    unchanged: tuple[Path, ...] = ()

    def to_wire(self) -> dict[str, object]:
        """Return the form for ``--json``."""
        return {
            "write": [str(each) for each in self.written],
            "remove": [str(each) for each in self.removed],
            "unchanged": [str(each) for each in self.unchanged],
            "commands": [" ".join(each.words) for each in (*self.before, *self.after)],
        }


def unit_folder(manager: Manager, environ: Mapping[str, str], home: Path) -> Path:
    """Return the folder in which an administrator, or a user, keeps units."""
    if manager == "system":
        return SYSTEM_UNITS
    return Path(config_home(environ, str(home))) / "systemd" / "user"


def plan_install(manager: Manager, mode: Mode, folder: Path, installation: Installation, version: int) -> ServicePlan:
    """Plan to write the files that differ, remove the other mode's units, and restart. ``version``: of systemd."""
    wanted = {folder / name: unit_text(manager, name, installation, version) for name in UNITS[mode]}
    accounts = account_files() if manager == "system" else {}
    written = {path: text for path, text in {**accounts, **wanted}.items() if _read(path) != text}
    obsolete = [name for other in UNITS if other != mode for name in UNITS[other]]
    removed = [folder / name for name in obsolete if _is_ours(folder / name)]
    before = _stop(manager, [path.name for path in removed])
    after: list[Command] = []
    if manager == "system":
        # Also when the files are unchanged: a directory may have been removed.
        after += [
            Command(("systemd-sysusers", "/etc/sysusers.d/memd.conf")),
            Command(("systemd-tmpfiles", "--create", "/etc/tmpfiles.d/memd.conf")),
        ]
    if removed or any(path in written for path in wanted):
        after.append(_systemctl(manager, "daemon-reload"))
    after += _start(manager, mode, socket_changed=folder / "memd.socket" in written)
    unchanged = tuple(path for path in (*accounts, *wanted) if path not in written)
    return ServicePlan(tuple(before), tuple(removed), written, tuple(after), unchanged)


def plan_uninstall(manager: Manager, folder: Path) -> ServicePlan:
    """Plan to stop and remove every unit that an installation wrote. The account, data and configuration stay."""
    units = [folder / name for names in UNITS.values() for name in names if _is_ours(folder / name)]
    accounts = [path for path in account_files() if _is_ours(path)] if manager == "system" else []
    if not units and not accounts:
        return ServicePlan((), (), {}, ())
    before = _stop(manager, [path.name for path in units])
    after = (
        _systemctl(manager, "daemon-reload"),
        Command((*_systemctl(manager, "reset-failed").words, *(path.name for path in units)), needed=False),
    )
    return ServicePlan(tuple(before), (*units, *accounts), {}, after)


def _start(manager: Manager, mode: Mode, *, socket_changed: bool) -> list[Command]:
    if mode == "timer":
        return [
            _systemctl(manager, "enable", "memd-sync.timer"),
            _systemctl(manager, "restart", "memd-sync.timer"),
        ]
    commands = [_systemctl(manager, "enable", "memd.service", "memd.socket")]
    if socket_changed:  # systemd makes no socket for a service that is running
        stop = _systemctl(manager, "stop", "memd.socket", "memd.service")
        commands.append(Command(stop.words, needed=False))
    return [
        *commands,
        _systemctl(manager, "start", "memd.socket"),
        _systemctl(manager, "restart", "memd.service"),
    ]


def _stop(manager: Manager, names: Sequence[str]) -> list[Command]:
    # Sockets and timers first: they would start their service again.
    ordered = sorted(names, key=lambda name: name.endswith(".service"))
    return [Command(_systemctl(manager, "disable", "--now", *ordered).words, needed=False)] if ordered else []


def _systemctl(manager: Manager, *words: str) -> Command:
    return Command(("systemctl", *(["--user"] if manager == "user" else []), *words))


def _is_ours(path: Path) -> bool:
    text = _read(path)
    return text is not None and text.startswith(MARKED)


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None
