"""Which server has the mail of an address: providers that many people use, as they document it. The standard library alone."""

from __future__ import annotations

from collections.abc import Mapping

_HOSTS: Mapping[str, tuple[str, ...]] = {
    "imap.gmail.com": ("gmail.com", "googlemail.com"),
    "imap.fastmail.com": ("fastmail.com", "fastmail.fm"),
    "imap.mail.me.com": ("icloud.com", "me.com", "mac.com"),
    "imap.mail.yahoo.com": ("yahoo.com", "yahoo.de", "yahoo.fr", "yahoo.co.uk", "ymail.com"),
    "imap.aol.com": ("aol.com",),
    "imap.gmx.net": ("gmx.de", "gmx.net", "gmx.at", "gmx.ch"),
    "imap.gmx.com": ("gmx.com",),
    "imap.web.de": ("web.de",),
    "secureimap.t-online.de": ("t-online.de",),
    "posteo.de": ("posteo.de", "posteo.net"),
    "imap.mailbox.org": ("mailbox.org",),
    "imap.zoho.com": ("zoho.com",),
    "imap.yandex.com": ("yandex.com", "yandex.ru"),
    "imap.mail.ru": ("mail.ru",),
    "imap.163.com": ("163.com",),
    "imap.qq.com": ("qq.com",),
    "outlook.office365.com": ("outlook.com", "hotmail.com", "live.com", "msn.com"),
}
_OF_DOMAIN = {domain: host for host, domains in _HOSTS.items() for domain in domains}


def host_and_user(address: str) -> tuple[str, str]:
    """The server of an address and whom it knows the account by. Of a known provider that is the whole address; else what
    stands behind the last ``@`` is the server, and what stands before it the user.

    Either is empty where the address does not tell it.
    """
    user, _, domain = address.rpartition("@")
    known = _OF_DOMAIN.get(domain.lower())
    return (known, address) if known else (domain, user)
