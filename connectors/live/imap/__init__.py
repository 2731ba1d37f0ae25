"""IMAP4rev1 (RFC 3501) as a client that only reads.

Without I/O: ``frames`` cuts bytes into responses, ``values`` and ``responses`` take a response apart, ``reader`` is both;
``body_structure``, ``uid_set`` and ``mailbox_names`` read single values; ``commands`` writes commands; ``refusals`` turns a
refusal into an error; ``cursor`` is how far an account was read; ``large_mails`` leaves files out; ``mails`` makes documents.
With I/O: ``transport`` (TCP, TLS, compression), ``connection`` (commands, answers, IDLE), ``login``, ``folders``,
``open_folder``, ``fetching`` and ``window`` (what is new), ``account_owner`` (whose account it is), ``connector``.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..account_kind import FOLDER, AccountKind, Flag, Secret
from ..oauth.presets import OAUTH_FLAGS
from .mail_providers import host_and_user


def _locate(where: str, host: str) -> Mapping[str, str]:
    host, user = (host, where) if host else host_and_user(where)
    return {"host": host, "user": user} if host and user else {}


_FLAGS = (
    Flag(
        "--host",
        "host",
        "the server; then USER@HOST is the user alone",
        "HOST",
        help_of_change="the server; the password is asked for anew by `memd sources login`",
        required=True,
    ),
    Flag(
        "--user",
        "user",
        "",
        "USER",
        help_of_change="whom the server knows the account by; then log in anew",
        required=True,
    ),
    Flag("--port", "port", "default: 993, with starttls 143", "PORT", holds="number"),
    Flag("--tls", "tls", "TLS from the first byte (default), or after STARTTLS", choices=("tls", "starttls")),
    Flag("--ca-file", "ca_file", "certificates in PEM to trust instead of the system's", "FILE", holds="file"),
    FOLDER,
    Flag(
        "--password-file",
        "password_file",
        "",
        "FILE",
        holds="file",
        help_of_change="read the password from this file at each login",
    ),
    *OAUTH_FLAGS,
)
_WHERE = "the password of the account; of Gmail, Fastmail, iCloud and the like a password for apps (app password)"
ACCOUNT = AccountKind(
    "imap",
    "mail by IMAP",
    settings=f"{__name__}.settings:ImapSettings",
    connector=f"{__name__}.connector:open_account",
    secrets=(Secret("password", _WHERE),),
    oauth_secrets=("refresh_token", "client_secret", "access_token"),
    flags=_FLAGS,
    locate=_locate,
    example="USER@HOST, or USER with --host HOST",
)
