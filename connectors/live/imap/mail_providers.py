"""The IMAP servers of widely used mail providers, by the domain of an address. Imports the standard library alone."""

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
    """Return the server of an address, and the user name there. For a known provider the user name is the whole
    address; else the server is the part after the last ``@``, and the user name the part before it.

    Either is empty if the address lacks it.
    """
    user, _, domain = address.rpartition("@")
    host = _OF_DOMAIN.get(domain.lower())
    return (host, address) if host else (domain, user)
