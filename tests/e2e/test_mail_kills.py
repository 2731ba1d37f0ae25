"""An account of mail while memd, its server, or what lies between is killed at any instant: nothing is lost, and nothing is doubled."""

from __future__ import annotations

import json
import select
import signal
import socket
import struct
import subprocess
import threading
import time
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Self

import pytest

from memd.tests.connectors.live.imap.dovecot import PASSWORD, Account, Dovecot, why_not
from memd.tests.connectors.live.imap.test_dovecot_account import mail

if TYPE_CHECKING:
    from memd.tests.e2e.conftest import Memd

_WHY_NOT = why_not()
pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(_WHY_NOT), reason=_WHY_NOT)]
FOLDERS: tuple[str, ...] = ("INBOX", "Sent", "Work", "Work/2024", "Lists")
RESET = struct.pack("ii", 1, 0)
"""Of SO_LINGER: to close is to break off."""


class Relay:
    """Stands between memd and the server, and can be killed. Use as a context manager."""

    def __init__(self, to: int) -> None:
        self._to = to
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._lock = threading.Lock()
        self.accepted = threading.Event()

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()
        self.kill()

    def kill(self) -> None:
        """Break off every connection, in the middle of whatever it carries."""
        with self._lock:
            pairs, self._pairs = self._pairs, []
        for each in [end for pair in pairs for end in pair]:
            with suppress(OSError):
                each.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
                each.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        with suppress(OSError):  # the listener was closed
            while True:
                pair = (self._listener.accept()[0], socket.create_connection(("127.0.0.1", self._to)))
                with self._lock:
                    self._pairs.append(pair)
                threading.Thread(target=self._carry, args=pair, daemon=True).start()
                self.accepted.set()

    @staticmethod
    def _carry(client: socket.socket, server: socket.socket) -> None:
        other = {client: server, server: client}
        with suppress(OSError), client, server:
            while True:
                for ready in select.select([client, server], [], [])[0]:
                    if not (data := ready.recv(4096)):
                        return
                    other[ready].sendall(data)


@pytest.fixture
def account(tmp_path_factory: pytest.TempPathFactory) -> Generator[Account]:
    """An account with folders, on a server of its own."""
    with Dovecot(tmp_path_factory.mktemp("d")) as found:  # short, for the server's sockets
        account = Account(found, "ann")
        for folder in FOLDERS[2:]:
            account.doveadm("mailbox create", folder)
        yield account


class Mailbox:
    """What somebody does with an account: mails come, some of them answers, some into two folders; they are marked, moved and deleted."""

    def __init__(self, account: Account, chance: Random) -> None:
        self._account = account
        self._chance = chance
        self._references: list[list[int]] = []
        """By the number of a mail, what it answers, from the first mail of its thread on."""
        self._renamed = 0
        self.folders: list[str] = list(FOLDERS)

    @property
    def count(self) -> int:
        """Mails that ever came."""
        return len(self._references)

    def deliver(self, count: int) -> None:
        """New mails."""
        for _ in range(count):
            number, references = self.count, list[int]()
            if number and self._chance.random() < 0.4:
                answered = self._chance.randrange(number)
                references = [*self._references[answered], answered]
            self._references.append(references)
            chain = b" ".join(b"<m%d@example.org>" % each for each in references)
            more = b"References: %s\r\n" % chain if references else b""
            data = mail(number, more + b"X-Padding: " + b"x" * self._chance.randrange(4000) + b"\r\n")
            # The first mail of a thread is the oldest: that is what the thread is named after.
            data = data.replace(b"15 Jan 2024 12:", b"15 Jan %d 12:" % (2000 + number // 60), 1)
            for folder in self._chance.sample(self.folders, self._chance.choice((1, 1, 2))):
                self._account.deliver(data, folder)

    def change(self) -> None:
        """One mail is marked, moved or deleted, or a folder is renamed."""
        folder, other = self._chance.sample(self.folders, 2)
        uids = self._account.doveadm("fetch", "uid", "mailbox", folder, "all").replace("uid:", "").split()
        kind = self._chance.random()
        if (
            kind < 0.15
            and folder not in FOLDERS[:2]
            and not any(each.startswith(f"{folder}/") for each in self.folders)
        ):
            self._renamed += 1
            name = f"Name {self._renamed}"
            self._account.doveadm("mailbox rename", folder, name)
            self.folders[self.folders.index(folder)] = name
        elif uids:
            one = self._chance.choice(uids)
            if kind < 0.3:
                flag = self._chance.choice(("\\Flagged", "\\Seen", "\\Draft", "\\Deleted"))
                verb = self._chance.choice(("add", "remove"))
                self._account.doveadm(f"flags {verb}", flag, "mailbox", folder, "uid", one)
            elif kind < 0.7:
                self._account.doveadm("move", other, "mailbox", folder, "uid", one)
            else:
                self._account.doveadm("expunge", "mailbox", folder, "uid", one)


def add(memd: Memd, account: Account, port: int) -> None:
    """Let the account be a source of this memory."""
    memd.environment["MEMD_FACTS_EXTRACTOR"] = "off"
    words = [
        "sources",
        "add",
        "imap",
        "ann@127.0.0.1",
        "--port",
        str(port),
        "--name",
        "mail",
        "--me",
        "Ann, ann@example.org",
    ]
    done = memd(
        *words, "--ca-file", str(account.dovecot.server.ca_file), "--yes", stdin=f"{PASSWORD}\n".encode(), seconds=300
    )
    assert done.returncode == 0, done.stderr.decode()


def kept(memd: Memd) -> dict[str, Any]:
    """What is in the memory, by the ids of documents; what has no order in an order."""
    found: dict[str, Any] = {}
    for line in memd("export", seconds=300).stdout.splitlines():
        document = json.loads(line)
        assert document["id"] not in found
        document["tags"] = sorted(document.get("tags", []))
        document["conversation"]["people"].sort()
        found[document["id"]] = document
    return found


def one_round(memd: Memd, account: Account, relay: Relay, chance: Random) -> str:
    """Read, and kill something at any instant of it; what was killed."""
    victim = chance.choice(("memd", "server", "relay"))
    relay.accepted.clear()
    reading = memd.start("sync", "mail")
    connected = chance.random() < 0.8
    while connected and not relay.accepted.wait(0.01) and reading.poll() is None:
        continue
    time.sleep(chance.uniform(0, 0.6 if connected else 2.0))
    if victim == "memd":
        reading.send_signal(signal.SIGKILL)
    elif victim == "server":
        account.dovecot.drop_connections(some=False)
    else:
        relay.kill()
    try:
        reading.communicate(timeout=300)
    except subprocess.TimeoutExpired:
        pytest.fail(f"reading does not end after {victim} was killed")
    return victim


@pytest.mark.parametrize("rounds", [4, pytest.param(200, marks=pytest.mark.long)])
def test_the_memory_is_that_of_a_fresh_reading(memd: Memd, account: Account, tmp_path: Path, rounds: int) -> None:
    """Whatever was killed, and whenever, while mails came, went, and were put into other folders. What a fresh reading does not
    find any more is there still; every thread has the folders as tags in which something of it lies.
    """
    chance = Random(rounds)
    mailbox = Mailbox(account, chance)
    mailbox.deliver(40)
    with Relay(account.dovecot.tls_port) as relay:
        add(memd, account, relay.port)
        assert memd("sync", "mail", seconds=300).returncode == 0  # what is deleted before it was read was never there
        for _ in range(rounds):
            mailbox.change()
            one_round(memd, account, relay, chance)
            mailbox.deliver(chance.randrange(4))
            done = memd("sync", "mail", seconds=300) if chance.random() < 0.2 else None
            assert done is None or done.returncode == 0, done.stdout.decode()
        done = memd("sync", "mail", seconds=300)
        assert done.returncode == 0, done.stdout.decode()
        (tmp_path / "f").mkdir()
        fresh = type(memd)(tmp_path / "f")
        add(fresh, account, relay.port)
        assert fresh("sync", "mail", seconds=300).returncode == 0
    found, left = kept(memd), kept(fresh)
    assert {key: each["tags"] for key, each in found.items() if each["tags"]} == {
        key: each["tags"] for key, each in left.items()
    }
    for key, document in left.items():
        there = {each["id"]: each for each in document["conversation"]["conversation"]}
        messages = [each for each in found[key]["conversation"]["conversation"] if each["id"] in there]
        assert messages == list(there.values())
        gone = len(messages) < len(found[key]["conversation"]["conversation"])
        assert gone or found[key] == document
    texts = [each["content"] for document in found.values() for each in document["conversation"]["conversation"]]
    assert len(texts) == len(set(texts))
    assert set(texts) >= {
        each["content"] for document in left.values() for each in document["conversation"]["conversation"]
    }
