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
from .mail_providers import host_and_user


def _locate(where: str, host: str) -> Mapping[str, str]:
    host, user = (host, where) if host else host_and_user(where)
    return {"host": host, "user": user} if host and user else {}


ACCOUNT = AccountKind(
    "imap",
    "mail by IMAP",
    settings=f"{__name__}.settings:ImapSettings",
    connector=f"{__name__}.connector:open_account",
    secrets=(
        Secret(
            "password",
            "the password of the account; of Gmail, Fastmail, iCloud and the like a password for apps (app password)",
        ),
    ),
    oauth_secrets=("refresh_token", "client_secret", "access_token"),
    flags=(
        Flag(
            "--host",
            "host",
            "the server; then USER@HOST is the user alone",
            "the server; the password is asked for anew by `memd sources login`",
            metavar="HOST",
            required=True,
        ),
        Flag(
            "--user",
            "user",
            help_of_change="whom the server knows the account by; then log in anew",
            metavar="USER",
            required=True,
        ),
        Flag("--port", "port", "default: 993, with starttls 143", metavar="PORT", holds="number"),
        Flag("--tls", "tls", "TLS from the first byte (default), or after STARTTLS", choices=("tls", "starttls")),
        Flag(
            "--ca-file",
            "ca_file",
            "certificates in PEM to trust instead of the system's",
            metavar="FILE",
            holds="file",
        ),
        FOLDER,
    ),
    locate=_locate,
    example="USER@HOST, or USER with --host HOST",
)
