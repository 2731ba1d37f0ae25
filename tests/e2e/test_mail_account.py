"""An account of mail by the real commands, on a real Dovecot: added, read, refused, repaired, killed; no password anywhere."""

from __future__ import annotations

import json
import mailbox
import signal
import subprocess
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from memd.daemon.config.paths import TOKENS
from memd.tests.byte_scan import traces
from memd.tests.connectors.live.imap.dovecot import PASSWORD, Account, Dovecot, why_not
from memd.tests.connectors.live.imap.scripted_server import certificate
from memd.tests.connectors.live.imap.test_dovecot_account import mail

if TYPE_CHECKING:
    from memd.tests.e2e.conftest import Memd

_WHY_NOT = why_not()
pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(_WHY_NOT), reason=_WHY_NOT)]
USER = "ann"


@pytest.fixture
def account(tmp_path_factory: pytest.TempPathFactory) -> Generator[Account]:
    """An empty account on a server of its own."""
    with Dovecot(tmp_path_factory.mktemp("d")) as found:  # short, for the server's sockets
        yield Account(found, USER)


@pytest.fixture(autouse=True)
def _no_facts(memd: Memd) -> None:
    memd.environment["MEMD_FACTS_EXTRACTOR"] = "off"


def serve(memd: Memd) -> subprocess.Popen[bytes]:
    """A daemon that answers."""
    daemon = memd.start("serve")
    memd.until_served(daemon, 90)
    return daemon


def add(memd: Memd, account: Account, *more: str, password: str = PASSWORD) -> Any:
    """Add the account; how the command ended."""
    server = account.dovecot.server
    words = ["sources", "add", "imap", f"{USER}@{server.host}", "--port", str(server.port), "--name", "mail"]
    return memd(*words, "--ca-file", str(server.ca_file), *more, stdin=f"{password}\n".encode())


def test_an_account_becomes_a_source(memd: Memd, account: Account) -> None:
    """Looked at first, added when that was confirmed, read by `memd sync`, removed with its password."""
    for number, folder in enumerate(["INBOX", "INBOX", "Sent", "Spam"]):
        account.deliver(mail(number), folder)
    looked = add(memd, account, "--dry-run")
    told = looked.stdout.decode()
    assert (looked.returncode, "2 folders with 3 messages" in told, "not read: Spam (junk)" in told) == (0, True, True)
    assert memd.json("sources")["sources"] == []
    assert add(memd, account).returncode == 2  # nobody is there to confirm it
    refused = add(memd, account, "--yes", password="wrong")
    assert (refused.returncode, b"refused the login" in refused.stderr) == (3, True)
    assert memd.json("sources")["sources"] == []
    added = add(memd, account, "--yes", "--json")
    assert added.returncode == 0, added.stderr
    assert json.loads(added.stdout)["source"]["settings"]["user"] == USER
    assert (memd.data / TOKENS / "mail.json").stat().st_mode & 0o777 == 0o600
    done = memd("sync", "mail")
    assert (done.returncode, done.stdout) == (0, b"mail  ok: 3 added\n")
    assert memd("sync", "mail").stdout == b"mail  ok\n"
    assert memd.json("query", "text 2")["hits"][0]["source"] == "mail"
    assert memd("sources", "remove", "mail").returncode == 0
    assert list((memd.data / TOKENS).iterdir()) == []


def test_what_may_be_said_of_a_new_account(memd: Memd, account: Account, tmp_path: Path) -> None:
    """Its server, security, certificates, folders and where its password comes from; nothing is added by a dry run."""
    server = account.dovecot.server
    account.doveadm("mailbox create", "Work")
    account.deliver(mail(1))
    account.deliver(mail(2), "Work")
    secret = tmp_path / "password"
    secret.write_text(f"{PASSWORD}\n")
    secret.chmod(0o600)
    where = {
        "host": server.host,
        "port": server.port,
        "tls": "tls",
        "ca_file": str(server.ca_file),
        "folders": ["Work"],
    }
    looked = memd.json(
        "sources", "add", "imap", USER, "--name", "mail", "--host", server.host, "--port", str(server.port), "--tls", "tls",
        "--ca-file", str(server.ca_file), "--folder", "Work", "--password-file", str(secret), "--dry-run",
    )  # fmt: skip
    assert looked["added"] is False
    assert looked["settings"] == {"name": "mail", "kind": "imap", "user": USER, **where}
    assert {each["name"]: bool(each["left_out"]) for each in looked["account"]["parts"]}.items() >= {
        ("INBOX", True),
        ("Work", False),
    }
    assert memd.json("sources")["sources"] == []
    added = add(memd, account, "--folder", "Work", "--yes")
    assert (added.returncode, b"`memd sources remove mail` ends it" in added.stdout + added.stderr) == (0, True)
    nobody = memd("sources", "add", "imap", "")
    assert (nobody.returncode, b"it is not said which account" in nobody.stderr) == (2, True)
    assert memd("sync", "mail").stdout == b"mail  ok: 1 added\n"
    login = memd("sources", "login", "mail", "--password-file", str(secret))
    assert (login.returncode, b"the login works" in login.stdout + login.stderr) == (0, True)


def test_a_password_that_changed(memd: Memd, account: Account, tmp_path: Path) -> None:
    """The source stops and says what to do; after the login it goes on. No password stands in any file but its own, in no
    answer and in no log.
    """
    account.deliver(mail(1))
    assert add(memd, account, "--yes").returncode == 0
    assert memd("sources", "set", "mail", "--no-watch").returncode == 0  # the runs are those of this test
    daemon = serve(memd)
    assert memd("sync", "mail", "--wait").returncode == 0
    wrong = f"wrong-{PASSWORD}"
    stored = memd("sources", "login", "mail", "--no-check", stdin=f"{wrong}\n".encode())
    assert stored.returncode == 0
    account.deliver(mail(2))
    assert memd("sync", "mail", "--wait").returncode == 3
    (source,) = memd.json("sources")["sources"]
    assert (source["flags"], source["next"], source["paused"]) == (["stopped"], None, True)
    assert "`memd sources login mail`" in source["trouble"]
    assert memd("health", "--strict").returncode == 6
    refused = memd("sources", "login", "mail", stdin=f"{wrong}\n".encode())
    assert refused.returncode == 3
    login = memd("sources", "login", "mail", stdin=f"{PASSWORD}\n".encode())
    assert (login.returncode, b"INBOX" in login.stdout) == (0, True)
    (source,) = memd.json("sources")["sources"]
    assert (source["flags"], source["next"] is not None) == (["failing"], True)
    assert memd("sync", "mail", "--wait").stdout == b"mail  ok: 1 added\n"
    answers = json.dumps(
        [memd.json(*words) for words in (("status",), ("sources", "show", "mail"), ("runs",), ("config",))]
    )
    memd("backup", str(tmp_path / "backup"))
    daemon.send_signal(signal.SIGTERM)
    log = b"".join(daemon.communicate(timeout=60)).decode()
    assert PASSWORD not in answers + log
    assert b"wrong-" not in refused.stderr + refused.stdout
    assert traces(memd.data, PASSWORD) == {PASSWORD: ["tokens/mail.json"]}
    assert traces(tmp_path / "backup", PASSWORD) == {}


def test_an_untrusted_certificate(memd: Memd, account: Account) -> None:
    """Nothing is sent, and ca_file is named."""
    server = account.dovecot.server
    words = ["sources", "add", "imap", f"{USER}@{server.host}", "--port", str(server.port), "--yes"]
    refused = memd(*words, stdin=b"x\n")
    assert (refused.returncode, b"not trusted" in refused.stderr, b"ca_file" in refused.stderr) == (3, True, True)


def test_a_certificate_that_is_not_trusted_any_more(memd: Memd, account: Account, tmp_path: Path) -> None:
    """A daemon stops the source, sends nothing and does not try again; with the right file, `memd sources set` and `memd sync`
    make it go on by itself.
    """
    account.deliver(mail(1))
    assert add(memd, account, "--yes").returncode == 0
    (other := tmp_path / "other").mkdir()
    strange, _ = certificate(other, "127.0.0.1")
    assert memd("sources", "set", "mail", "--no-watch").returncode == 0  # the runs are those of this test
    daemon = serve(memd)
    assert memd("sync", "mail", "--wait").returncode == 0
    assert memd("sources", "set", "mail", "--ca-file", str(strange)).returncode == 0
    assert memd("sync", "mail", "--wait").returncode == 3
    (source,) = memd.json("sources")["sources"]
    assert (source["flags"], source["next"], "not trusted" in source["trouble"]) == (["stopped"], None, True)
    account.deliver(mail(2))
    right = account.dovecot.server.ca_file
    assert memd("sources", "set", "mail", "--ca-file", str(right)).returncode == 0
    assert memd("sync", "mail", "--wait").stdout == b"mail  ok: 1 added\n"
    (source,) = memd.json("sources")["sources"]
    assert (source["flags"], source["next"] is not None) == ([], True)
    daemon.send_signal(signal.SIGTERM)
    daemon.communicate(timeout=60)


def test_a_password_file_that_changed(memd: Memd, account: Account, tmp_path: Path) -> None:
    """Is read at each login: with a wrong password the source stops, and `memd sync` goes on with the right one."""
    secret = tmp_path / "password"
    secret.write_text(f"{PASSWORD}\n")
    secret.chmod(0o600)
    account.deliver(mail(1))
    assert add(memd, account, "--yes").returncode == 0
    assert memd("sources", "set", "mail", "--no-watch", "--password-file", str(secret)).returncode == 0
    daemon = serve(memd)
    assert memd("sync", "mail", "--wait").stdout == b"mail  ok: 1 added\n"
    secret.write_text("wrong\n")
    account.deliver(mail(2))
    assert memd("sync", "mail", "--wait").returncode == 3
    (source,) = memd.json("sources")["sources"]
    assert (source["flags"], f"correct {secret}" in source["trouble"]) == (["stopped"], True)
    secret.write_text(f"{PASSWORD}\n")
    assert memd("sync", "mail", "--wait").stdout == b"mail  ok: 1 added\n"
    (source,) = memd.json("sources")["sources"]
    assert (source["flags"], source["next"] is not None) == ([], True)
    daemon.send_signal(signal.SIGTERM)
    daemon.communicate(timeout=60)


def test_what_may_be_changed_of_an_account(memd: Memd, account: Account, tmp_path: Path) -> None:
    """Everything but its name and kind; a default again with --reset. With another server or user nothing is sent."""
    assert add(memd, account, "--yes").returncode == 0
    assert memd(
        "sources", "set", "mail", "--host", "mail.example.org", "--user", "bob", "--port", "1993", "--tls", "starttls",
        "--folder", "Work", "--me", "Ann", "--zone", "Europe/Berlin", "--token-file", str(tmp_path),
    ).returncode == 2  # an account of mail has no token  # fmt: skip
    assert memd("sources", "set", "mail", "--api-url", "https://example.org").returncode == 2
    words = ["--host", "mail.example.org", "--user", "bob", "--port", "1993", "--tls", "starttls", "--folder", "Work"]
    changed = memd.json("sources", "set", "mail", *words, "--me", "Ann", "--zone", "Europe/Berlin")["settings"]
    wanted = {"host": "mail.example.org", "user": "bob", "port": 1993, "tls": "starttls", "folders": ["Work"]}
    assert wanted.items() <= changed.items()
    resets = ["port", "tls", "ca-file", "folder", "password-file"]
    left = memd.json("sources", "set", "mail", *(word for name in resets for word in ("--reset", name)))["settings"]
    assert left.keys() == {"name", "kind", "host", "user", "me", "zone"}
    refused = memd("sync", "mail")
    assert (refused.returncode, b"there is no password for the account" in refused.stdout) == (3, True)
    secret = str(tmp_path / "secret")
    changed = memd.json(
        "sources", "set", "mail", "--oauth", "custom", "--client-id", "x", "--scope", "mail", "--token-url",
        "https://a.example/t", "--device-url", "https://a.example/d", "--authorize-url", "https://a.example/a",
        "--client-secret-file", secret,
    )["settings"]  # fmt: skip
    assert {name: changed[name] for name in changed if "oauth" in name or "secret" in name} == {
        "oauth": "custom",
        "oauth_client_id": "x",
        "oauth_scope": "mail",
        "oauth_token_url": "https://a.example/t",
        "oauth_device_url": "https://a.example/d",
        "oauth_authorize_url": "https://a.example/a",
        "client_secret_file": secret,
    }
    left = memd.json("sources", "set", "mail", "--reset", "oauth")["settings"]
    assert left.keys() == {"name", "kind", "host", "user", "me", "zone"}


def test_an_export_of_the_same_mailbox(memd: Memd, account: Account, tmp_path: Path) -> None:
    """Is the same memory, whichever is read first: the second adds nothing."""
    answer = b"In-Reply-To: <m1@example.org>\r\nReferences: <m1@example.org>\r\n"
    mails = [mail(1), mail(2, answer), mail(3), mail(4, answer)]
    box = mailbox.mbox(tmp_path / "export.mbox")
    for each in mails:
        box.add(each)
        account.deliver(each)
    box.close()
    assert add(memd, account, "--yes").returncode == 0
    assert memd("sync", "mail").stdout == b"mail  ok: 4 added\n"
    documents = {each["id"] for each in memd.json("documents")["documents"]}
    read = memd("ingest", str(tmp_path / "export.mbox"))
    assert b"0 added" in read.stdout + read.stderr
    assert {each["id"] for each in memd.json("documents")["documents"]} == documents


def test_kill_the_daemon_and_the_server(memd: Memd, account: Account) -> None:
    """In the middle of reading, again and again: in the end every mail is there once."""
    account.doveadm("mailbox create", "Work")
    wanted = 40
    for number in range(wanted):
        account.deliver(mail(number, b"X-Padding: " + b"x" * 900 + b"\r\n"), "Work" if number % 2 else "INBOX")
    assert add(memd, account, "--yes").returncode == 0
    for round_number in range(4):
        daemon = serve(memd)
        memd("sync", "mail")
        if round_number % 2:
            account.dovecot.drop_connections(some=False)
        daemon.send_signal(signal.SIGKILL)
        daemon.wait(60)
    assert memd("sync", "mail").returncode == 0
    assert memd.json("stats")["messages"] == wanted
    exported = [json.loads(line)["conversation"]["conversation"] for line in memd("export").stdout.splitlines()]
    texts = [each["content"] for messages in exported for each in messages]
    assert sorted(texts) == sorted(f"text {number}\n" for number in range(wanted))
