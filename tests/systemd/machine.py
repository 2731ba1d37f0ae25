"""A machine of its own with a real systemd as process 1: namespaces, an overlay of / on a private tmpfs, nothing of the host.

The host's /run, /tmp, /var, units and control groups are neither read nor changed: what is written goes into the overlay,
and systemd gets a control group of its own, which is removed at the end. Only root can make one.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

SYSTEMD = Path("/lib/systemd/systemd")
BOUND_SECONDS = 120.0
POLL_SECONDS = 0.3
"""Between two looks, each of which starts a process in the machine."""
LIBRARIES = Path("/opt/memd-libraries")
ENVIRONMENT = Path("/opt/memd")
MASKED = (
    "systemd-udevd.service",
    "systemd-networkd.service",
    "systemd-resolved.service",
    "systemd-timesyncd.service",
    "systemd-logind.service",
    "systemd-update-utmp.service",
    "systemd-binfmt.service",
    "systemd-random-seed.service",
    "getty.target",
    "sys-kernel-debug.mount",
    "sys-kernel-tracing.mount",
    "sys-fs-fuse-connections.mount",
    "dev-hugepages.mount",
)
"""Units that make no sense without devices and a network, or that mount what belongs to the host's kernel."""

_BOOT = r"""
set -e
R=$1
mount -t proc proc $R/proc
mount --bind $R/proc/sys $R/proc/sys; mount -o remount,bind,ro $R/proc/sys
mount -t sysfs -o ro sysfs $R/sys
mount -t cgroup2 cgroup2 $R/sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs $R/dev
for n in null zero full random urandom tty; do touch $R/dev/$n; mount --bind /dev/$n $R/dev/$n; done
ln -s /proc/self/fd $R/dev/fd; ln -s pts/ptmx $R/dev/ptmx
for n in 0:stdin 1:stdout 2:stderr; do ln -s /proc/self/fd/${n%:*} $R/dev/${n#*:}; done
mkdir -p $R/dev/shm; mount -t tmpfs -o mode=1777 tmpfs $R/dev/shm
touch $R/dev/console
mount -t tmpfs -o mode=755 tmpfs $R/run
mount -t tmpfs -o mode=1777 tmpfs $R/tmp
cd $R; mkdir -p .old; pivot_root . .old; umount -l /.old
mount --make-rshared /  # in a container systemd leaves this to whoever made it; credentials come by it
exec env -i container=memd PATH=/usr/sbin:/usr/bin:/sbin:/bin SYSTEMD_LOG_TARGET=journal SYSTEMD_SHOW_STATUS=0 \
    /lib/systemd/systemd </dev/null
"""


def obstacle() -> str | None:
    """Why this machine cannot boot a systemd of its own; None when it can."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return "not root"
    if not SYSTEMD.exists():
        return f"there is no {SYSTEMD}"
    for tool in ("unshare", "nsenter", "mount", "pivot_root", "setpriv"):
        if shutil.which(tool) is None:
            return f"there is no {tool}"
    if _unified() is None:
        return "no cgroup2 file system is mounted"
    flags = ["--mount", "--pid", "--fork", "--uts", "--ipc", "--net", "--cgroup"]
    script = "mount -t tmpfs tmpfs /mnt && mkdir /mnt/a /mnt/b /mnt/c && "
    script += "mount -t overlay overlay -o lowerdir=/,upperdir=/mnt/a,workdir=/mnt/b /mnt/c"
    tried = subprocess.run(
        ["unshare", *flags, "sh", "-c", script], capture_output=True, text=True, timeout=60, check=False
    )
    return f"namespaces or overlays are not allowed: {tried.stderr.strip()}" if tried.returncode else None


def _unified() -> Path | None:
    for line in Path("/proc/self/mounts").read_text(encoding="utf-8").splitlines():
        _, place, kind, *_ = line.split()
        if kind == "cgroup2":
            return Path(place)
    return None


def wait_for(what: str, answer: Callable[[], bool], seconds: float = BOUND_SECONDS) -> float:
    """Wait until something is so; returns the seconds it took.

    Raises:
        AssertionError: it did not become so.
    """
    began = time.monotonic()
    while not answer():
        assert time.monotonic() - began < seconds, f"{what}: not within {seconds:.0f} s"
        time.sleep(POLL_SECONDS)
    return time.monotonic() - began


class Machine:
    """Lives in the mount namespace of this process, which must be a private one. ``folder``: empty, for the tmpfs."""

    def __init__(self, folder: Path, checkout: Path) -> None:
        self.root = folder / "root"
        self._process: subprocess.Popen[bytes] | None = None
        self.systemd = 0
        self._log = folder / "console"
        self._limited: Path | None = None
        unified = _unified()
        assert unified is not None
        self._group = unified / f"memd-tests-{os.getpid()}"
        _mount("-t", "tmpfs", "-o", "mode=755", "tmpfs", str(folder))
        for name in ("root", "upper", "work"):
            (folder / name).mkdir()
        layers = f"lowerdir=/,upperdir={folder}/upper,workdir={folder}/work"
        _mount("-t", "overlay", "overlay", "-o", layers, str(self.root))
        self._install(checkout)
        self._configure()

    def path(self, inside: str | Path) -> Path:
        """A path of the machine as this process sees it; below /run and /tmp only while it runs."""
        if self.systemd and str(inside).startswith(("/run/", "/tmp/")):
            return Path(f"/proc/{self.systemd}/root{inside}")
        return Path(f"{self.root}{inside}")

    def write(self, inside: str, text: str) -> None:
        """Write a file of the machine."""
        path = self.path(inside)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def boot(self) -> float:
        """Start systemd; returns the seconds until every unit of the start is up."""
        began = time.monotonic()
        self._group.mkdir(exist_ok=True)
        flags = ["--mount", "--pid", "--fork", "--uts", "--ipc", "--net", "--cgroup", "--propagation", "private"]
        # The shell enters the group before it makes the namespace, whose root is then that group.
        enter = f"echo $$ > {self._group}/cgroup.procs && exec unshare {' '.join(flags)} --kill-child=SIGKILL bash -s {self.root}"
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(["bash", "-c", enter], stdin=subprocess.PIPE, stdout=log, stderr=log)
        assert self._process.stdin is not None
        self._process.stdin.write(_BOOT.encode())
        self._process.stdin.close()
        children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children")
        wait_for("systemd's process", lambda: bool(children.read_text().split()))
        self.systemd = int(children.read_text().split()[0])
        wait_for("systemd", lambda: Path(f"/proc/{self.systemd}/comm").read_text().strip() == "systemd")

        def started() -> bool:
            return self.output("systemctl", "is-system-running", check=False) in ("running", "degraded")

        wait_for("the start of systemd", started)
        return time.monotonic() - began

    def kill(self) -> None:
        """The end of a machine that loses its power: SIGKILL for process 1, and with it for all others."""
        if self._process is None:
            return
        if self.systemd:
            os.kill(self.systemd, signal.SIGKILL)
        self._process.wait(BOUND_SECONDS)
        self._process, self.systemd = None, 0

    def close(self) -> None:
        """Stop it, and remove its control group."""
        self.kill()
        for folder in sorted(self._group.rglob("*/"), key=lambda path: -len(path.parts)):
            if folder.is_dir():
                folder.rmdir()
        for group in (self._group, self._limited):
            if group is not None and group.exists():
                group.rmdir()

    def run(
        self, *words: str, user: str = "", variables: Mapping[str, str] | None = None, check: bool = True
    ) -> subprocess.CompletedProcess[str]:
        """Run a command in the machine, as root or as a user.

        Raises:
            AssertionError: it failed.
        """
        become = ["setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups", "--"] if user else []
        environment = {
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
            "LC_ALL": "C.UTF-8",
            "HOME": "/root",
            **(variables or {}),
        }
        assignments = [f"{name}={value}" for name, value in environment.items()]
        enter = ["nsenter", "-t", str(self.systemd), "-m", "-p", "-u", "-i", "-n", "-C"]
        command = [*enter, *become, "env", "-i", *assignments, *words]
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=BOUND_SECONDS, check=False, stdin=subprocess.DEVNULL
        )
        assert not check or done.returncode == 0, f"{' '.join(words)}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done

    def output(self, *words: str, check: bool = True) -> str:
        """What a command of root prints, without blanks around it."""
        return self.run(*words, check=check).stdout.strip()

    def property(self, unit: str, name: str) -> str:
        """A property of a unit."""
        return self.output("systemctl", "show", "--value", "-p", name, unit)

    def limit_memory(self, pid: int, size: int) -> bool:
        """Let the kernel end a process of the machine when it takes so many bytes more; False where it cannot be limited.

        What a process has already stays in the account of the control group that it comes from.
        """
        memory = Path("/sys/fs/cgroup/memory")
        if not (memory / "memory.limit_in_bytes").exists():
            return False
        self._limited = memory / self._group.name
        self._limited.mkdir(exist_ok=True)
        (self._limited / "memory.limit_in_bytes").write_text(str(size))
        (self._limited / "cgroup.procs").write_text(str(self._outside(pid)))
        return True

    def memory_kills(self) -> int:
        """How many processes the kernel ended for that limit."""
        assert self._limited is not None
        return int((self._limited / "memory.oom_control").read_text().split()[-1])

    def _outside(self, pid: int) -> int:
        """The number that a process of the machine has here."""
        for status in Path("/proc").glob("[0-9]*/status"):
            with suppress(OSError):
                numbers = re.search(r"^NSpid:\s+(\d+)\s+(\d+)$", status.read_text(), re.MULTILINE)
                if numbers and int(numbers[2]) == pid and self._is_inside(status.parent):
                    return int(numbers[1])
        raise AssertionError(f"no process {pid}")

    def _is_inside(self, process: Path) -> bool:
        return (process / "ns/pid").readlink() == Path(f"/proc/{self.systemd}/ns/pid").readlink()

    def console(self) -> str:
        """The last lines that systemd wrote."""
        return "\n".join(self._log.read_text(errors="replace").splitlines()[-30:])

    def _install(self, checkout: Path) -> None:
        """An environment in /opt with memd as a wheel would put it there, and the libraries of this interpreter's."""
        version = f"python{sys.version_info.major}.{sys.version_info.minor}"
        packages = self.path(ENVIRONMENT / "lib" / version / "site-packages")
        interpreter = Path(sys.executable).resolve()
        subprocess.run(
            ["chroot", str(self.root), str(interpreter), "-m", "venv", "--without-pip", str(ENVIRONMENT)], check=True
        )
        memd = packages / "memd"
        for name in ("schemas", "connectors", "memory", "daemon", "systemd"):
            shutil.copytree(checkout / name, memd / name)
        shutil.copy(checkout / "__init__.py", memd)
        libraries = next(Path(each) for each in sys.path if each.endswith("site-packages"))
        self.path(LIBRARIES).mkdir()
        _mount("--bind", str(libraries), str(self.path(LIBRARIES)))
        (packages / "libraries.pth").write_text(f"{LIBRARIES}\n")
        command = self.path(ENVIRONMENT / "bin" / "memd")
        command.write_text(
            f"#!{ENVIRONMENT}/bin/python\nimport sys\nfrom memd.daemon.cli import main\nsys.exit(main())\n"
        )
        command.chmod(0o755)
        self.path("/root").chmod(0o755)  # where the interpreter is root's, other users of the machine must reach it

    def _configure(self) -> None:
        target = "[Unit]\nRequires=basic.target\nAfter=basic.target\nAllowIsolate=yes\nWants=multi-user.target\n"
        units = self.path("/etc/systemd/system")
        # Nothing that this host starts by itself starts there.
        for folder in (*units.glob("*.wants"), *units.glob("*.requires")):
            shutil.rmtree(folder)
        units.joinpath("memd-check.target").write_text(target)
        for name, leads_to in (("default.target", "memd-check.target"), *((each, "/dev/null") for each in MASKED)):
            units.joinpath(name).unlink(missing_ok=True)
            units.joinpath(name).symlink_to(leads_to)


def _mount(*words: str) -> None:
    subprocess.run(["mount", *words], check=True, timeout=BOUND_SECONDS)
