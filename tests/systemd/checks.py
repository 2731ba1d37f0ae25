"""`make systemd`: memd under a real systemd, from the installation to the removal. One line for each check.

Ends with 1 at the first that fails; with 0 and the reason where this machine cannot boot a systemd of its own.
"""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from memd.tests.systemd.machine import ENVIRONMENT, Machine, obstacle, wait_for

CHECKOUT = Path(__file__).resolve().parents[2]
INSIDE = "MEMD_TESTS_NAMESPACE"
MEMD = str(ENVIRONMENT / "bin" / "memd")
OOM_BYTES = 20_000_000
SOCKET = "/run/memd/memd.sock"
CLIENT = {"MEMD_SOCKET": SOCKET}
USER_MANAGER = """
[Service]
Type=notify
User=tester
Environment=XDG_RUNTIME_DIR=/run/user/4242 HOME=/home/tester
ExecStartPre=+/usr/bin/install -d -m 0700 -o tester -g tester /run/user/4242
ExecStart=/lib/systemd/systemd --user
Delegate=yes
KillMode=mixed
"""


class Requests(http.client.HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path: Path) -> None:
        super().__init__("memd", timeout=90)
        self._path = path

    def connect(self) -> None:
        """Connect to the socket."""
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(90)
        self.sock.connect(os.fspath(self._path))


class Load:
    """Stores one document after another in a thread, and knows which were acknowledged."""

    def __init__(self, path: Path, name: str) -> None:
        self.acknowledged: list[str] = []
        self._path = path
        self._name = name
        self._thread = threading.Thread(target=self._work, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        wait_for("documents to be acknowledged", lambda: len(self.acknowledged) > 20)
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.join(120)
        assert not self._thread.is_alive(), "the load did not end with the daemon"

    def _work(self) -> None:
        try:
            connection = Requests(self._path)
            while True:
                name = f"{self._name}-{len(self.acknowledged)}"
                body = json.dumps(
                    {"id": name, "content": f"the word {name.replace('-', '')}", "metadata": {"source": "load"}}
                )
                connection.request("POST", "/v1/documents", body=body)
                answer = connection.getresponse()
                answer.read()
                if answer.status != 202:
                    return
                self.acknowledged.append(name)
        except (OSError, http.client.HTTPException):
            return


class Checks:
    """The story, in order; each part leaves the machine as the next one needs it."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self._acknowledged: list[str] = []

    def all(self) -> list[Callable[[], str]]:
        """Every check: returns what its line tells."""
        return [
            self.boot,
            self.install_system,
            self.query_and_group,
            self.socket_activation,
            self.reload,
            self.watchdog,
            self.out_of_memory,
            self.stop_under_load,
            self.upgrade_in_place,
            self.reboot_after_power_loss,
            self.timer,
            self.uninstall,
            self.user_unit,
        ]

    def boot(self) -> str:
        """Systemd is process 1 of a machine of its own."""
        seconds = self.machine.boot()
        return f"{self.machine.output('systemctl', '--version').splitlines()[0]}, {seconds:.1f} s"

    def install_system(self) -> str:
        """Installed, enabled, ready."""
        self.memd("install-service", "--system", "--yes", "--json")
        for unit in ("memd.service", "memd.socket"):
            assert self.machine.property(unit, "ActiveState") == "active", unit
            assert self.machine.output("systemctl", "is-enabled", unit) == "enabled"
        began = int(self.machine.property("memd.service", "ExecMainStartTimestampMonotonic"))
        ready = int(self.machine.property("memd.service", "ActiveEnterTimestampMonotonic"))
        wait_for("the status line", lambda: self.machine.property("memd.service", "StatusText").startswith("serving"))
        return f"ready {(ready - began) / 1_000_000:.2f} s after its process began"

    def query_and_group(self) -> str:
        """Members of the group are answered, with vectors; others are not."""
        self.machine.run("useradd", "--create-home", "--groups", "memd", "ann")
        self.machine.run("useradd", "--create-home", "--uid", "4242", "tester")
        self.store("first", "Bob moved to Lisbon")
        self.asked("Lisbon", "Bob moved to Lisbon", user="ann")

        def embedded() -> bool:
            answer = json.loads(self.memd("query", "where does Bob live?", "--json"))
            return not answer["degraded"] and "vector" in answer["hits"][0]["scores"]

        wait_for("the vectors, which the hardening must allow", embedded)
        refused = self.machine.run(
            MEMD, "query", "Lisbon", user="tester", variables={**CLIENT, "HOME": "/home/tester"}, check=False
        )
        assert "Bob" not in refused.stdout, refused.stdout
        return "a member of the group is answered, another user learns nothing"

    def socket_activation(self) -> str:
        """A question starts the daemon, and the socket stays."""
        self.machine.write("/etc/memd/config.toml", "[embedding]\nenabled = false\n")
        self.machine.write("/etc/memd/llm.key", "secret\n")
        self.machine.run("chmod", "600", "/etc/memd/llm.key")
        inode = self.machine.path(SOCKET).stat().st_ino
        self.machine.run("systemctl", "stop", "memd.service")
        assert self.machine.property("memd.service", "ActiveState") == "inactive"
        began = time.monotonic()
        self.asked("Lisbon", "Bob moved to Lisbon", user="ann")
        seconds = time.monotonic() - began
        wait_for("the daemon", lambda: self.machine.property("memd.service", "ActiveState") == "active")
        assert self.machine.path(SOCKET).stat().st_ino == inode
        assert self.machine.output("cat", "/run/credentials/memd.service/llm.key") == "secret"
        return f"a question started the daemon and was answered after {seconds:.2f} s"

    def reload(self) -> str:
        """SIGHUP takes over the settings."""
        pid = self.main_pid()
        self.machine.write("/etc/memd/config.toml", '[embedding]\nenabled = false\n[log]\nlevel = "info"\n')
        self.machine.run("systemctl", "reload", "memd.service")
        wait_for("the reload", lambda: self.machine.property("memd.service", "SubState") == "running")
        self.asked("Lisbon", "Bob moved to Lisbon")
        assert self.main_pid() == pid
        return "the same process goes on"

    def watchdog(self) -> str:
        """A process that stands still is replaced; one that works is not."""
        self.drop_in("[Service]\nWatchdogSec=4\n")
        pid = self.main_pid()
        first = self.last_ping()
        wait_for("pings for more than a whole interval", lambda: self.last_ping() - first > 4_000_000)
        assert self.main_pid() == pid, "a daemon that works was ended"
        self.signal_main(signal.SIGSTOP)
        seconds = wait_for("the restart", lambda: self.main_pid() not in (pid, 0) and self.is_active())
        self.asked("Lisbon", "Bob moved to Lisbon")
        self.drop_in("")
        return f"a stopped process was replaced {seconds:.1f} s later (WatchdogSec=4)"

    def last_ping(self) -> int:
        """The moment of the daemon's last ping of the watchdog, in microseconds of the monotonic clock."""
        return int(self.machine.property("memd.service", "WatchdogTimestampMonotonic"))

    def out_of_memory(self) -> str:
        """A daemon that the kernel ends for want of memory is replaced."""
        pid = self.main_pid()
        how = "SIGKILL, as no memory controller of version 1 is here to limit it"
        if self.machine.limit_memory(pid, OOM_BYTES):
            how = f"the kernel's OOM killer, at {OOM_BYTES // 1_000_000} MB more than it had,"
            self.fill_memory()
            assert self.machine.memory_kills() == 1
        else:
            self.signal_main(signal.SIGKILL)
        seconds = wait_for("the restart", lambda: self.main_pid() not in (pid, 0) and self.is_active())
        self.asked("Lisbon", "Bob moved to Lisbon")
        return f"{how} ended it: replaced {seconds:.1f} s later"

    def stop_under_load(self) -> str:
        """The end is an orderly one."""
        with self.load("stopped") as load:
            self.machine.run("systemctl", "stop", "memd.socket", "memd.service")
        assert self.machine.property("memd.service", "Result") == "success"
        assert self.machine.property("memd.service", "ExecMainStatus") == "0"
        self.machine.run("systemctl", "start", "memd.socket", "memd.service")
        return f"exit 0; {self.all_kept(load)} acknowledged documents are there"

    def upgrade_in_place(self) -> str:
        """The same units, another version."""
        (package,) = self.machine.path(ENVIRONMENT).glob("lib/*/site-packages/memd/__init__.py")
        text = package.read_text(encoding="utf-8")
        version = json.loads(self.memd("status", "--json"))["version"]
        package.write_text(text.replace(version, "99.0"), encoding="utf-8")
        done = json.loads(self.memd("install-service", "--system", "--yes", "--json"))
        assert done["write"] == []
        assert len(done["unchanged"]) == 4, done
        assert json.loads(self.memd("status", "--json"))["version"] == "99.0"
        self.asked("Lisbon", "Bob moved to Lisbon")
        return "no file changed, the new version answers from the old data"

    def reboot_after_power_loss(self) -> str:
        """Nothing acknowledged is lost."""
        with self.load("power") as load:
            self.machine.kill()
        seconds = self.machine.boot()
        wait_for("the daemon", self.is_active)
        return f"up after {seconds:.1f} s; {self.all_kept(load)} acknowledged documents are there"

    def timer(self) -> str:
        """Sources are read without a daemon."""
        self.machine.write("/srv/exports/note.md", "# Harbour\n\nThe boat lies at pier nine.\n")
        self.memd("sources", "add", "folder", "/srv/exports", "--name", "exports")
        self.memd("install-service", "--system", "--timer", "--yes", "--json")
        assert self.machine.run("systemctl", "is-active", "memd.service", check=False).stdout.strip() != "active"
        self.machine.write(
            "/etc/systemd/system/memd-sync.timer.d/soon.conf",
            "[Timer]\nOnCalendar=\nOnCalendar=*:*:0/5\nRandomizedDelaySec=0\nAccuracySec=1s\n",
        )
        self.machine.run("systemctl", "daemon-reload")
        self.machine.run("systemctl", "restart", "memd-sync.timer")

        def ran() -> bool:
            return self.machine.property("memd-sync.service", "ExecMainExitTimestampMonotonic") not in ("", "0")

        wait_for("the timer's run", ran)
        self.machine.run("systemctl", "stop", "memd-sync.timer")
        wait_for("its end", lambda: self.machine.property("memd-sync.service", "SubState") in ("dead", "failed"))
        assert self.machine.property("memd-sync.service", "Result") == "success", self.log("memd-sync.service")
        self.memd("install-service", "--system", "--yes", "--json")
        self.asked("pier", "The boat lies at pier nine")
        return "it read a source without a daemon"

    def uninstall(self) -> str:
        """Data and configuration stay."""
        self.memd("uninstall-service", "--system", "--yes", "--json")
        left = [each.name for kind in ("service", "socket", "timer") for each in self.units().glob(f"memd*.{kind}")]
        assert left == []
        assert self.machine.path("/var/lib/memd/store").is_dir()
        assert self.machine.path("/etc/memd/config.toml").is_file()
        return "data and configuration are there"

    def user_unit(self) -> str:
        """The same for one user."""
        self.machine.write("/run/systemd/system/memd-check-user.service", USER_MANAGER)
        self.machine.write("/home/tester/.config/memd/config.toml", "[embedding]\nenabled = false\n")
        self.machine.run("chown", "-R", "tester:tester", "/home/tester")
        self.machine.run("systemctl", "daemon-reload")
        self.machine.run("systemctl", "start", "memd-check-user.service")
        own = {"HOME": "/home/tester", "XDG_RUNTIME_DIR": "/run/user/4242", "USER": "tester"}

        def memd(*words: str) -> str:
            return self.machine.run(MEMD, *words, user="tester", variables=own).stdout

        memd("install-service", "--user", "--yes", "--json")
        state = self.machine.run(
            "systemctl", "--user", "is-active", "memd.service", "memd.socket", user="tester", variables=own
        )
        assert state.stdout.split() == ["active", "active"]
        self.machine.write("/home/tester/note.md", "# Shed\n\nThe key hangs in the shed.\n")
        memd("ingest", "/home/tester/note.md")
        assert "hangs in the shed" in memd("query", "shed", "--json")
        self.machine.run("systemctl", "--user", "stop", "memd.service", user="tester", variables=own)
        assert "hangs in the shed" in memd("query", "shed", "--json")
        assert json.loads(memd("health", "--json"))["status"] in ("ok", "degraded")
        memd("uninstall-service", "--user", "--yes", "--json")
        assert self.machine.path("/home/tester/.local/share/memd/store").is_dir()
        return "installed, activated by its socket, removed; its data is there"

    # --- what the checks share ------------------------------------------------------------------------------------

    def memd(self, *words: str, user: str = "", check: bool = True) -> str:
        """What a command of memd prints, asked at the service's socket."""
        home = {"HOME": f"/home/{user}"} if user else {}
        return self.machine.run(MEMD, *words, user=user, variables={**CLIENT, **home}, check=check).stdout

    def store(self, name: str, text: str) -> None:
        """Store a document."""
        self.machine.write(
            f"/srv/{name}.jsonl", json.dumps({"id": name, "content": text, "metadata": {"source": "tests"}}) + "\n"
        )
        self.memd("ingest", f"/srv/{name}.jsonl")

    def asked(self, question: str, text: str, user: str = "") -> None:
        """Ask, and find a text in the answer."""
        answer = self.memd("query", question, "--json", user=user)
        assert text in answer, answer

    def load(self, name: str) -> Load:
        """Documents that arrive until the daemon ends."""
        return Load(self.machine.path(SOCKET), name)

    def all_kept(self, load: Load) -> int:
        """Every document that was acknowledged is there, once; their number."""
        self.memd("status")

        def exported() -> list[str]:
            # As long as documents wait to be stored, an export says so by its exit code.
            lines = self.memd("export", "--source", "load", check=False).splitlines()
            return [str(json.loads(line)["id"]) for line in lines]

        wait_for("what was acknowledged", lambda: set(load.acknowledged) <= set(exported()))
        found: list[Any] = exported()
        assert len(found) == len(set(found))
        return len(load.acknowledged)

    def fill_memory(self) -> None:
        """Send the daemon more than it may hold, until it ends."""
        text = "word " * 2_900_000
        body = json.dumps({"id": "large", "content": text, "metadata": {"source": "large"}})
        with suppress(OSError, http.client.HTTPException):
            while True:
                connection = Requests(self.machine.path(SOCKET))
                connection.request("POST", "/v1/documents", body=body)
                connection.getresponse().read()

    def units(self) -> Path:
        """Where an administrator's units are."""
        return self.machine.path("/etc/systemd/system")

    def main_pid(self) -> int:
        """The daemon's process in the machine; 0 when there is none."""
        return int(self.machine.property("memd.service", "MainPID") or 0)

    def is_active(self) -> bool:
        """Whether the daemon is ready."""
        return self.machine.property("memd.service", "ActiveState") == "active"

    def signal_main(self, number: signal.Signals) -> None:
        """Send a signal to the daemon."""
        self.machine.run("kill", f"-{number.name.removeprefix('SIG')}", str(self.main_pid()))

    def drop_in(self, text: str) -> None:
        """Change the unit, and start the daemon anew."""
        self.machine.write("/etc/systemd/system/memd.service.d/check.conf", text)
        self.machine.run("systemctl", "daemon-reload")
        self.machine.run("systemctl", "restart", "memd.service")

    def log(self, unit: str) -> str:
        """The last lines of a unit's log."""
        state = self.machine.output("systemctl", "--no-pager", "status", unit, check=False)
        return f"{state}\n{self.machine.output('journalctl', '--no-pager', '-n', '40', check=False)}"


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _in_namespace() -> int:
    with tempfile.TemporaryDirectory(prefix="memd-systemd-") as folder:
        machine = Machine(Path(folder), CHECKOUT)
        try:
            return _tell(Checks(machine))
        finally:
            machine.close()
            subprocess.run(["umount", "--recursive", "--lazy", folder], check=False)


def _tell(checks: Checks) -> int:
    for check in checks.all():
        name = check.__name__.replace("_", " ")
        began = time.monotonic()
        try:
            told = check()
        except Exception as error:  # noqa: BLE001 - whatever it is, the line tells it and the script ends
            _say(f"FAILED  {name}: {type(error).__name__}: {error}")
            if checks.machine.systemd:
                _say(checks.log("memd*"))
                _say(checks.machine.console())
            return 1
        _say(f"ok      {name}: {told} ({time.monotonic() - began:.1f} s)")
    return 0


def main() -> int:
    """Run all checks in a mount namespace of their own."""
    if os.environ.get(INSIDE):
        return _in_namespace()
    if reason := obstacle():
        _say(f"skipped: {reason}")
        return 0
    command = [
        "unshare",
        "--mount",
        "--propagation",
        "private",
        sys.executable,
        "-P",
        "-m",
        "memd.tests.systemd.checks",
    ]
    return subprocess.run(command, env={**os.environ, INSIDE: "1"}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
