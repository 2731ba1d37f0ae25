"""A real Cyrus 3.6 on loopback, out of unpacked Debian packages, as `dovecot` is: nothing is installed, no privilege is needed."""

from __future__ import annotations

import imaplib
import os
import shutil
import signal
import socket
import subprocess
import time
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Self

from memd.connectors.live.imap.transport import Server
from memd.tests.connectors.live.imap.dovecot import CHECKOUT, PASSWORD, free_port, required
from memd.tests.connectors.live.imap.scripted_server import certificate

PACKAGES = CHECKOUT / ".cyrus"
_SHELL = (
    'mount -t overlay memd -o "lowerdir=$0/usr:/usr" /usr && mount -t overlay etc -o "lowerdir=$1:/etc" /etc'
    ' && shift && exec setpriv --ambient-caps=-all --inh-caps=-all "$@"'
)
_INSIDE = ["unshare", "--user", "--map-user=65534", "--map-group=65534", "--mount", "--keep-caps", "sh", "-c", _SHELL]

_SERVICES = """
START {{
  recover cmd="ctl_cyrusdb -C {root}/imapd.conf -r"
}}
SERVICES {{
  imap cmd="imapd -C {root}/imapd.conf" listen="127.0.0.1:{port}" prefork=0 maxchild=50
  imaps cmd="imapd -s -C {root}/imapd.conf" listen="127.0.0.1:{tls_port}" prefork=0 maxchild=50
}}
EVENTS {{
  checkpoint cmd="ctl_cyrusdb -C {root}/imapd.conf -c" period=60
}}
DAEMON {{
  idled cmd="idled -C {root}/imapd.conf"
}}
"""
_CONFIGURATION = """
configdirectory: {root}/conf
partition-default: {root}/spool
defaultpartition: default
cyrus_user: nobody
cyrus_group: nogroup
admins: admin
sasl_pwcheck_method: auxprop
sasl_auxprop_plugin: sasldb
sasl_sasldb_path: {root}/sasldb2
sasl_mech_list: PLAIN LOGIN
allowplaintext: yes
servername: localhost
unixhierarchysep: yes
altnamespace: yes
virtdomains: off
autocreate_quota: -1
autocreate_inbox_folders: Sent|Trash|Archive
autocreate_post: yes
specialusealways: yes
conversations: yes
master_bind_errors_fatal: yes
tls_server_cert: {root}/127.0.0.1.pem
tls_server_key: {root}/127.0.0.1.key
idlesocket: {root}/conf/socket/idle
lmtpsocket: {root}/conf/socket/lmtp
notifysocket: {root}/conf/socket/notify
proc_path: {root}/conf/proc
mboxname_lockpath: {root}/conf/lock
syslog_prefix: cyr
"""


def why_not() -> str:
    """As `dovecot.why_not`."""
    return required(_why_not())


@cache
def _why_not() -> str:
    if not (PACKAGES / "usr/lib/cyrus/bin/master").exists():
        return "NOT TESTED against Cyrus: `make servers` fetches it"
    if missing := [name for name in ("unshare", "setpriv", "openssl") if shutil.which(name) is None]:
        return f"NOT TESTED against Cyrus: no {', '.join(missing)} here"
    tried = subprocess.run([*_INSIDE, str(PACKAGES), str(PACKAGES / "etc"), "true"], capture_output=True, check=False)
    return (
        "NOT TESTED against Cyrus: this machine permits no user namespace with an overlay" if tried.returncode else ""
    )


class Cyrus:
    """A server with the accounts that are asked for. Use as a context manager.

    Args:
        root: an empty folder with a short path, for sockets.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.port, self.tls_port = free_port(), free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self.ca_file, _ = certificate(root, "127.0.0.1")
        for name in ("conf/socket", "conf/db", "conf/proc", "conf/lock", "conf/log", "conf/msg", "spool", "etc"):
            (root / name).mkdir(parents=True)
        places = {"root": root, "port": self.port, "tls_port": self.tls_port}
        (root / "cyrus.conf").write_text(_SERVICES.format(**places))
        for path in (root / "imapd.conf", root / "etc/imapd.conf"):
            path.write_text(_CONFIGURATION.format(**places))

    def __enter__(self) -> Self:
        self._add_user("admin")
        words = ["-C", f"{self.root}/imapd.conf", "-M", f"{self.root}/cyrus.conf", "-p", f"{self.root}/pid", "-D"]
        command = self._inside("/usr/sbin/cyrmaster", *words, "-L", f"{self.root}/log")
        self._process = subprocess.Popen(
            command, start_new_session=True, env={**os.environ, "CYRUS_VERBOSE": "0"}, stderr=subprocess.DEVNULL
        )
        ends = time.monotonic() + 60
        while time.monotonic() < ends and self._process.poll() is None:
            try:
                with socket.create_connection(("127.0.0.1", self.port), 5) as stream:
                    if stream.recv(100).startswith(b"* OK"):
                        return self
            except OSError:
                time.sleep(0.05)
        self.__exit__()
        log = self.root / "log"
        raise RuntimeError(log.read_text()[-2000:] if log.exists() else "Cyrus does not start")

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGTERM)
            self._process.wait(20)

    def add_account(self, user: str) -> None:
        """A new account, with its inbox and a folder for what is sent."""
        self._add_user(user)
        admin = imaplib.IMAP4("127.0.0.1", self.port, timeout=30)
        try:
            admin.login("admin", PASSWORD)
            for folder in (f"user/{user}", f"user/{user}/Sent"):
                assert admin.create(folder)[0] == "OK"
        finally:
            admin.logout()

    @property
    def server(self) -> Server:
        """With TLS from the first byte."""
        return Server("127.0.0.1", self.tls_port, ca_file=self.ca_file)

    def _add_user(self, user: str) -> None:
        words = ["/usr/sbin/saslpasswd2", "-p", "-c", "-f", f"{self.root}/sasldb2", "-u", "localhost", user]
        subprocess.run(self._inside(*words), input=PASSWORD.encode(), capture_output=True, check=True)

    def _inside(self, *words: str) -> list[str]:
        return [*_INSIDE, str(PACKAGES), str(self.root / "etc"), *words]
