"""A real GreenMail on loopback, a server that can little: no CONDSTORE, no SPECIAL-USE, no LIST-STATUS. It needs a Java."""

from __future__ import annotations

import imaplib
import shutil
import ssl
import subprocess
import time
from functools import cache
from pathlib import Path
from typing import Self

from memd.connectors.live.imap.transport import Server
from memd.tests.connectors.live.imap.dovecot import CHECKOUT, PASSWORD, free_port
from memd.tests.connectors.live.imap.scripted_server import certificate

PACKAGE = CHECKOUT / ".greenmail" / "greenmail-standalone.jar"


@cache
def why_not() -> str:
    """Why these tests cannot run here; empty where they can. Nothing requires them: not every machine reaches its package."""
    if not PACKAGE.exists():
        return "NOT TESTED against GreenMail: `make servers` fetches it where Maven is"
    if missing := [name for name in ("java", "openssl") if shutil.which(name) is None]:
        return f"NOT TESTED against GreenMail: no {', '.join(missing)} here"
    return ""


class GreenMail:
    """A server with one account. Use as a context manager.

    Args:
        root: an empty folder.
        user: of the account.
    """

    def __init__(self, root: Path, user: str) -> None:
        self.root = root
        self.tls_port = free_port()
        self.ca_file, _ = certificate(root, "127.0.0.1")
        self._user = user
        self._process: subprocess.Popen[bytes] | None = None
        words = ["openssl", "pkcs12", "-export", "-in", str(self.ca_file), "-inkey", str(root / "127.0.0.1.key")]
        made = [*words, "-out", str(root / "key.p12"), "-passout", "pass:changeit"]
        subprocess.run(made, check=True, capture_output=True)

    def __enter__(self) -> Self:
        options = {
            "imaps.hostname": "127.0.0.1",
            "imaps.port": str(self.tls_port),
            "users": f"{self._user}:{PASSWORD}",
            "startup.timeout": "60000",
            "tls.keystore.file": str(self.root / "key.p12"),
            "tls.keystore.password": "changeit",
        }
        words = [f"-Dgreenmail.{name}={value}" for name, value in options.items()]
        self._log = (self.root / "greenmail.log").open("wb")
        command = ["java", "-Xmx256m", *words, "-jar", str(PACKAGE)]
        self._process = subprocess.Popen(command, stdout=self._log, stderr=subprocess.STDOUT, start_new_session=True)
        ends = time.monotonic() + 120
        while time.monotonic() < ends and self._process.poll() is None:
            if self._is_ready():
                return self
            time.sleep(0.1)
        self.__exit__()
        raise RuntimeError((self.root / "greenmail.log").read_text()[-2000:])

    def _is_ready(self) -> bool:
        """Whether somebody can log in: it listens before its account exists."""
        context = ssl.create_default_context(cafile=self.ca_file)
        try:
            client = imaplib.IMAP4_SSL("127.0.0.1", self.tls_port, ssl_context=context, timeout=10)
        except (OSError, imaplib.IMAP4.abort):
            return False
        try:
            client.login(self._user, PASSWORD)
        except imaplib.IMAP4.error:
            return False
        finally:
            client.logout()
        return True

    def __exit__(self, *_: object) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            self._process.wait(20)
        self._log.close()

    @property
    def server(self) -> Server:
        """With TLS from the first byte."""
        return Server("127.0.0.1", self.tls_port, ca_file=self.ca_file)
