"""A real Dovecot 2.3 on loopback, out of unpacked Debian packages: nothing is installed, and no privilege is needed.

`make servers` fetches the packages. Debian's binaries have their paths compiled in, so they run in a user namespace of their
own, in which the packages are laid over /usr.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Self

from memd.connectors.live.imap.login import Credentials
from memd.connectors.live.imap.transport import Server
from memd.tests.connectors.live.imap.scripted_server import certificate

CHECKOUT = Path(__file__).resolve().parents[4]
PACKAGES = CHECKOUT / ".dovecot"
PASSWORD = "geheim"
_SHELL = 'mount -t overlay memd -o "lowerdir=$0/usr:/usr" /usr && exec setpriv --ambient-caps=-all --inh-caps=-all "$@"'
INSIDE = ["unshare", "--user", "--map-user=65534", "--map-group=65534", "--mount", "--keep-caps", "sh", "-c", _SHELL]

CONFIGURATION = """
protocols = imap
listen = 127.0.0.1
base_dir = {root}/run
state_dir = {root}/run/state
instance_name = memd-test
default_internal_user = nobody
default_internal_group = nogroup
default_login_user = nobody
first_valid_uid = 65534
last_valid_uid = 65534
first_valid_gid = 65534
log_path = {root}/dovecot.log
ssl = yes
ssl_cert = <{root}/127.0.0.1.pem
ssl_key = <{root}/127.0.0.1.key
auth_mechanisms = {mechanisms}
auth_failure_delay = 0
mail_location = maildir:{root}/mail/%u
mail_max_userip_connections = 100
mailbox_list_index = yes
mail_plugins = zlib
protocol imap {{
  mail_plugins = zlib imap_zlib
}}
{oauth}
passdb {{
  driver = static
  args = password=geheim
}}
userdb {{
  driver = static
  args = uid=65534 gid=65534 home={root}/mail/%u
}}
namespace inbox {{
  inbox = yes
  separator = /
  mailbox Sent {{
    auto = create
    special_use = \\Sent
  }}
  mailbox Trash {{
    auto = create
    special_use = \\Trash
  }}
  mailbox Spam {{
    auto = create
    special_use = \\Junk
  }}
}}
service anvil {{
  chroot =
}}
service imap-login {{
  chroot =
  inet_listener imap {{
    port = {port}
  }}
  inet_listener imaps {{
    port = {tls_port}
    ssl = yes
  }}
}}
service auth-worker {{
  user = nobody
}}
service stats {{
  chroot =
}}
"""


_OAUTH = """
passdb {{
  driver = oauth2
  mechanisms = xoauth2 oauthbearer
  args = {file}
}}
"""
_INTROSPECTION = """
introspection_mode = post
introspection_url = {url}
username_attribute = username
active_attribute = active
active_value = yes
"""


def why_not() -> str:
    """Why these tests cannot run here; empty where they can.

    Raises:
        RuntimeError: they cannot, and ``MEMD_SERVERS=required`` says that they must.
    """
    return required(_why_not())


def required(reason: str) -> str:
    """The same reason, as `why_not` gives it."""
    if reason and os.environ.get("MEMD_SERVERS") == "required":
        raise RuntimeError(reason)
    return reason


@cache
def _why_not() -> str:
    if not (PACKAGES / "usr/sbin/dovecot").exists():
        return "NOT TESTED against a real IMAP server: `make servers` fetches one"
    if missing := [name for name in ("unshare", "setpriv", "openssl") if shutil.which(name) is None]:
        return f"NOT TESTED against a real IMAP server: no {', '.join(missing)} here"
    tried = subprocess.run([*INSIDE, str(PACKAGES), "true"], capture_output=True, check=False)
    if tried.returncode:
        return "NOT TESTED against a real IMAP server: this machine permits no user namespace with an overlay"
    return ""


def free_port() -> int:
    """A port of loopback that nobody listens at."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


class Dovecot:
    """A server on which every name is an account. Use as a context manager.

    Args:
        root: an empty folder, of which everything is kept.
        compress: whether it offers COMPRESS.
        introspection_url: where it asks about tokens (RFC 7662); then it takes tokens alone.
        token_mechanisms: by which it takes them.
    """

    def __init__(
        self,
        root: Path,
        *,
        compress: bool = True,
        introspection_url: str = "",
        token_mechanisms: str = "xoauth2 oauthbearer",
    ) -> None:
        self.root = root
        self.port, self.tls_port = free_port(), free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self.ca_file, _ = certificate(root, "127.0.0.1")
        for name in ("run", "mail"):
            (root / name).mkdir()
        self.configuration = root / "dovecot.conf"
        told = CONFIGURATION if compress else CONFIGURATION.replace("zlib imap_zlib", "zlib")
        mechanisms, oauth = "plain login", ""
        if introspection_url:
            (root / "oauth.conf").write_text(_INTROSPECTION.format(url=introspection_url))
            mechanisms, oauth = token_mechanisms, _OAUTH.format(file=root / "oauth.conf")
        self.configuration.write_text(
            told.format(root=root, port=self.port, tls_port=self.tls_port, mechanisms=mechanisms, oauth=oauth)
        )

    def __enter__(self) -> Self:
        command = [*INSIDE, str(PACKAGES), "/usr/sbin/dovecot", "-F", "-c", str(self.configuration)]
        self._process = subprocess.Popen(command, start_new_session=True)
        ends = time.monotonic() + 20
        while time.monotonic() < ends and self._process.poll() is None:
            try:
                with socket.create_connection(("127.0.0.1", self.port), 1) as stream:
                    if stream.recv(100).startswith(b"* OK"):
                        return self
            except OSError:
                time.sleep(0.01)
        self.__exit__()
        log = self.root / "dovecot.log"
        raise RuntimeError(log.read_text()[-2000:] if log.exists() else "Dovecot does not start")

    def __exit__(self, *_: object) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            self._process.wait(10)

    @property
    def server(self) -> Server:
        """With TLS from the first byte."""
        return Server("127.0.0.1", self.tls_port, ca_file=self.ca_file)

    @property
    def starttls(self) -> Server:
        """With TLS after STARTTLS."""
        return Server("127.0.0.1", self.port, "starttls", self.ca_file)

    def doveadm(self, *words: str, stdin: bytes = b"") -> str:
        """Run the server's own tool; what it says."""
        command = [*INSIDE, str(PACKAGES), "/usr/bin/doveadm", "-c", str(self.configuration), *words]
        done = subprocess.run(command, input=stdin, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode()

    def drop_connections(self, *, some: bool = True) -> None:
        """Kill every process that serves a connection, at once; with ``some``, there must be one."""
        assert self._process is not None
        told = ["ps", "--ppid", str(self._process.pid), "-o", "pid=,args="]
        lines = subprocess.run(told, capture_output=True, text=True, check=True).stdout.splitlines()
        pids = [int(pid) for pid, name in (line.split(None, 1) for line in lines) if name.endswith("/imap")]
        assert pids or not some
        for pid in pids:
            with suppress(ProcessLookupError):  # it ended by itself since
                os.kill(pid, signal.SIGKILL)


@dataclass(frozen=True)
class Account:
    """One account of a server."""

    dovecot: Dovecot
    user: str

    @property
    def credentials(self) -> Credentials:
        """Its user and password."""
        return Credentials(self.user, password=PASSWORD)

    def doveadm(self, verb: str, *words: str, stdin: bytes = b"") -> str:
        """Run the server's own tool on the account; what it says."""
        verbs = verb.split()
        return self.dovecot.doveadm(*verbs, "-u", self.user, *words, stdin=stdin)

    def deliver(self, mail: bytes, folder: str = "INBOX") -> None:
        """Put a mail into a folder, which must exist."""
        self.doveadm("save", "-m", folder, stdin=mail)
