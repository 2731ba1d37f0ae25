"""`memd install-service` and `memd uninstall-service`: run memd by systemd, or no longer; the plan is shown first."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..arguments import UsageError, Verbs, add_verb
from ..connect import paths_of
from ..output import print_json
from ..render.prompts import confirmed
from ..render.terminal import one_line, say

if TYPE_CHECKING:
    from ...service_units.plan import ServicePlan
    from ...service_units.unit_files import Manager

_INSTALL_EXAMPLES = """\
  memd install-service                   of this user; of the machine, when root asks
  memd install-service --dry-run         only show what would be done
  memd install-service --timer           no daemon: read the sources every night
  sudo memd install-service --system     under an account of its own, in /var/lib/memd

Running it again after an upgrade writes what differs and starts the daemon anew.
"""
_UNINSTALL_EXAMPLES = """\
  memd uninstall-service
  sudo memd uninstall-service --system --dry-run

Data and configuration stay; `memd config` tells where they are.
"""
_CODES = (0, 1, 2, 4)


def add(verbs: Verbs) -> None:
    """Their arguments."""
    install = add_verb(verbs, "install-service", "let systemd run memd", _INSTALL_EXAMPLES, _CODES)
    install.add_argument("--timer", action="store_true", help="a timer that reads the sources at night, and no daemon")
    uninstall = add_verb(verbs, "uninstall-service", "let systemd run memd no longer", _UNINSTALL_EXAMPLES, _CODES)
    for parser in (install, uninstall):
        whose = parser.add_mutually_exclusive_group()
        whose.add_argument("--user", action="store_true", help="a service of this user; the default but for root")
        whose.add_argument("--system", action="store_true", help="a service of the machine; the default for root")
        parser.add_argument("--dry-run", action="store_true", help="only show the plan")
        parser.add_argument("--yes", action="store_true", help="do not ask")
    install.set_defaults(run=run_install)
    uninstall.set_defaults(run=run_uninstall)


def run_install(arguments: argparse.Namespace) -> int:
    """Show what would be written and started, then do it."""
    from ...service_units.execution import lingers
    from ...service_units.plan import plan_install, unit_folder
    from ...service_units.unit_files import this_installation

    manager = _manager_of(arguments)
    installation = this_installation(_chosen_paths(arguments, manager))
    version = _version(arguments, manager)
    folder = unit_folder(manager, os.environ, Path.home())
    plan = plan_install(manager, "timer" if arguments.timer else "daemon", folder, installation, version)
    body: dict[str, Any] = {"manager": manager, **plan.to_wire()}
    if not _carried_out(arguments, plan, body, "Install it?"):
        return 0
    if not arguments.json:
        flag = "--user " if manager == "user" else ""
        name = "memd-sync.timer" if arguments.timer else "memd"
        say(f"installed; systemctl {flag}status {name} shows it, journalctl {flag}-u memd its log")
        if manager == "user" and not lingers(_user_name()):
            say("it ends with your last session; to let it run on: loginctl enable-linger")
        if manager == "system" and not arguments.timer:
            say("let people ask: usermod -aG memd NAME, and for them: export MEMD_SOCKET=/run/memd/memd.sock")
    return 0


def run_uninstall(arguments: argparse.Namespace) -> int:
    """Show what would be stopped and removed, then do it."""
    from ...service_units.plan import plan_uninstall, unit_folder

    manager = _manager_of(arguments)
    _version(arguments, manager)
    plan = plan_uninstall(manager, unit_folder(manager, os.environ, Path.home()))
    kept = ["/etc/memd", "/var/lib/memd"]
    if manager == "user":
        places = paths_of(arguments)
        kept = [places.config, places.data_dir]
    body: dict[str, Any] = {"manager": manager, **plan.to_wire(), "kept": kept}
    if not plan.removed:
        if arguments.json:
            print_json(body | {"done": False})
        else:
            say("no service is installed")
        return 0
    if _carried_out(arguments, plan, body, "Remove it?") and not arguments.json:
        say(f"removed; kept: {', '.join(map(one_line, kept))}")
    return 0


def _version(arguments: argparse.Namespace, manager: Manager) -> int:
    """The version of systemd; 0 for a plan that is only shown, where none can be asked."""
    from ....schemas.errors import ConfigError
    from ...service_units.execution import systemd_version

    try:
        return systemd_version(manager)
    except ConfigError as error:
        if not arguments.dry_run:
            raise
        say(f"{error.message}; this is only the plan")
        return 0


def _manager_of(arguments: argparse.Namespace) -> Manager:
    if arguments.user or arguments.system:
        return "system" if arguments.system else "user"
    return "system" if os.geteuid() == 0 else "user"


def _chosen_paths(arguments: argparse.Namespace, manager: Manager) -> list[tuple[str, str]]:
    """The paths that a flag or the environment chose for this command: a user's service gets the same."""
    if manager == "system":
        if arguments.data_dir or arguments.config or arguments.socket:
            raise UsageError(
                "a system service lies in /etc/memd, /var/lib/memd and /run/memd",
                "leave the flag out, and change the paths by: systemctl edit memd",
            )
        return []
    places = paths_of(arguments)
    at = os.path.join(os.environ.get("XDG_RUNTIME_DIR", ""), "memd", "memd.sock")  # noqa: PTH118 - compared as text
    if places.origins["socket"] != "default" and places.socket != at:
        raise UsageError(
            "a service of a user listens at memd/memd.sock in XDG_RUNTIME_DIR",
            f"leave the socket out, which {places.origins['socket']} names",
        )
    chosen = (
        ("MEMD_CONFIG", "config", places.config),
        ("MEMD_DATA_DIR", "data_dir", places.data_dir),
    )
    return [(variable, path) for variable, name, path in chosen if places.origins[name] in (variable, _flag(name))]


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _carried_out(arguments: argparse.Namespace, plan: ServicePlan, body: dict[str, Any], question: str) -> bool:
    """Show the plan, ask, do it; False when it was not done."""
    from ...service_units.execution import execute

    if not arguments.json:
        _show(plan)
    if arguments.dry_run or not (arguments.yes or confirmed(question)):
        if arguments.json:
            print_json(body | {"done": False})
        elif arguments.dry_run:
            say("nothing was changed")
        return False
    execute(plan, (lambda _step: None) if arguments.json else (lambda step: say(f"  {one_line(step)}")))
    if arguments.json:
        print_json(body | {"done": True})
    return True


def _show(plan: ServicePlan) -> None:
    print("plan:")
    for path in plan.unchanged:
        print(f"  keep    {one_line(str(path))}")
    for command in plan.before:
        print(f"  run     {one_line(' '.join(command.words))}")
    for path in plan.removed:
        print(f"  remove  {one_line(str(path))}")
    for path in plan.written:
        print(f"  write   {one_line(str(path))}")
    for command in plan.after:
        print(f"  run     {one_line(' '.join(command.words))}")


def _user_name() -> str:
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return ""
