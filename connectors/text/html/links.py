"""Addresses that the links of a page lead to and that its words do not say. Pure."""

from __future__ import annotations

import json
import re

from selectolax.lexbor import LexborNode

from .tree import html_tree

_NUMBERS = ("tel:", "sms:")
_OTHER_SCHEMES = ("mailto:", *_NUMBERS)
_BETWEEN_DIGITS = re.compile(r"[\s()/.\u2013-]+")
_NUMBER = re.compile(r"\+?\d{5,20}", re.ASCII)
_MOST = 500
"""The largest number of addresses kept of one message or note."""


def addresses_behind(html: str) -> list[str]:
    """Return the addresses of the links, each once, in order; none for a page that is too costly to parse."""
    tree = html_tree(html) if "href" in html.casefold() else None
    root = tree.body if tree is not None else None
    return addresses_in(root) if root is not None else []


def addresses_in(root: LexborNode) -> list[str]:
    """Return the addresses of the links in a part of a page."""
    addresses: dict[str, None] = {}
    for link in root.css("a[href]"):
        address = (link.attributes.get("href") or "").strip()
        address = f"https:{address}" if address.startswith("//") else address
        if _leads_outside(address) and address not in addresses and _differs(address, link.text().strip()):
            addresses[address] = None
    return list(addresses)[:_MOST]


def leads_elsewhere(address: str, words: str) -> bool:
    """Return whether an address points outside the page and differs from the link's text."""
    return _leads_outside(address) and _differs(address, words)


def as_metadata(addresses: list[str]) -> dict[str, str]:
    """Return the metadata entry for addresses; empty without any."""
    return {"links": json.dumps(addresses, ensure_ascii=False)} if addresses else {}


def _differs(address: str, words: str) -> bool:
    if address.startswith("http") and words.rpartition("//")[2].rstrip("/") not in address:
        return True  # as nearly all are, without a closer look
    return _bare(address) != _bare(words)


def _leads_outside(address: str) -> bool:
    return "://" in address or address.startswith(_OTHER_SCHEMES)


def _bare(address: str) -> str:
    if address.startswith(_NUMBERS):
        return _BETWEEN_DIGITS.sub("", address.partition(":")[2])
    for scheme in ("https://", "http://", "mailto:"):
        address = address.removeprefix(scheme)
    digits = _BETWEEN_DIGITS.sub("", address)
    return digits if _NUMBER.fullmatch(digits) else address.rstrip("/")
