"""Addresses that the links of a page lead to and that its words do not say. Pure."""

from __future__ import annotations

import json

from selectolax.lexbor import LexborNode

from .tree import html_tree

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
        if ("://" in address or address.startswith("mailto:")) and address not in addresses:
            words = link.text().strip()
            if leads_elsewhere(address, words):
                addresses[address] = None
    return list(addresses)[:_MOST]


def leads_elsewhere(address: str, words: str) -> bool:
    """Return whether an address points outside the page and differs from the link's text."""
    return ("://" in address or address.startswith("mailto:")) and _bare(address) != _bare(words)


def as_metadata(addresses: list[str]) -> dict[str, str]:
    """Return the metadata entry for addresses; empty without any."""
    return {"links": json.dumps(addresses, ensure_ascii=False)} if addresses else {}


def _bare(address: str) -> str:
    for scheme in ("https://", "http://", "mailto:"):
        address = address.removeprefix(scheme)
    return address.rstrip("/")
