"""Links of people beside their names: mail addresses, phone numbers and account ids from sources, in normal form.

A document carries them in its metadata under `IDENTITIES`: a JSON object from a name, as it stands in the document's
people, to a sorted list of `mailto:ADDRESS`, `tel:NUMBER` and `id:ACCOUNT`. Pure.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, cast

IDENTITIES = "identities"
"""The key of a document's metadata."""
PEOPLE_DECISIONS = "memd-people"
"""The key under which a complete export carries the decisions on people."""
MOST_LINKS = 64
"""The most links of one person in one document; further ones are dropped."""
_ADDRESS = re.compile(r"[^\s@<>()\[\],;:\"]{1,64}@[^\s@<>()\[\],;:\"]{1,190}\.[^\s@<>()\[\],;:\".]{2,63}")
_BETWEEN_DIGITS = re.compile(r"[\s\-./()\u00a0\u2010-\u2015\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_NUMBER = re.compile(r"\+[1-9][0-9]{6,14}|0[0-9]{6,14}")
_TRUNK_ZERO = "(0)"


def mail_link(text: str) -> str | None:
    """Return ``mailto:`` with a mail address in lower case; None for any other text."""
    address = text.strip().removeprefix("mailto:").casefold()
    return f"mailto:{address}" if _ADDRESS.fullmatch(address) else None


def phone_link(text: str) -> str | None:
    """Return ``tel:`` with the digits of a phone number; None for any other text.

    `+49 (0) 171 234-5678`, `0049 171 2345678` and `+491712345678` are one number. A number without country code begins
    with 0 and equals only itself.
    """
    bare = _BETWEEN_DIGITS.sub("", text.strip().removeprefix("tel:").replace(_TRUNK_ZERO, ""))
    if bare.startswith("00"):
        bare = f"+{bare[2:]}"
    return f"tel:{bare}" if _NUMBER.fullmatch(bare) else None


def account_link(identifier: str) -> str | None:
    """Return ``id:`` with a source's own id of an account; None for a blank one."""
    bare = identifier.strip()
    return f"id:{bare}" if bare else None


def links_in_name(name: str) -> list[str]:
    """Return the link that a name itself is: a phone number, as apps show for people without a contact, or a mail
    address.
    """
    return [link for link in (mail_link(name), phone_link(name)) if link is not None]


def identities_text(links: Mapping[str, Iterable[str | None]], people: Iterable[str]) -> str | None:
    """Return the metadata text with the links of these ``people``; None if there are none.

    Args:
        links: by name; None among them is ignored, so that the functions above can be called in place.
        people: of the document; links of anyone else are dropped.
    """
    links_by_name = {name: sorted({link for link in links.get(name, ()) if link})[:MOST_LINKS] for name in people}
    kept = {name: person_links for name, person_links in sorted(links_by_name.items()) if person_links}
    return json.dumps(kept, ensure_ascii=False, separators=(",", ":")) if kept else None


def identity_metadata(people: Iterable[str], links: Callable[[str], Iterable[str | None]] | None) -> dict[str, str]:
    """Return the entry of a document's metadata on its ``people``; empty if ``links``, called for each name, returns
    nothing.
    """
    if links is None:
        return {}
    names = list(people)
    text = identities_text({name: links(name) for name in names}, names)
    return {} if text is None else {IDENTITIES: text}


def united_identities(*readings: Mapping[str, str], names: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the united entry on people from several readings of a document; empty if none has any.

    Args:
        readings: the metadata of the readings.
        names: newer names of people who were renamed.
    """
    links: defaultdict[str, list[str]] = defaultdict(list)
    for metadata in readings:
        for name, person_links in identities_of(metadata).items():
            links[(names or {}).get(name, name)] += person_links
    return identity_metadata(links, lambda name: links[name])


def identities_without(metadata: Mapping[str, str], gone: Collection[str]) -> dict[str, str]:
    """Return a document's metadata without the links of removed people."""
    links = identities_of(metadata)
    if links.keys().isdisjoint(gone):
        return dict(metadata)
    rest = {name: value for name, value in metadata.items() if name != IDENTITIES}
    return rest | identity_metadata(links.keys() - set(gone), lambda name: links[name])


def identities_of(metadata: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the links by name from a document's metadata; malformed entries are dropped."""
    text = metadata.get(IDENTITIES)
    if text is None:
        return {}
    try:
        body: object = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(body, dict):
        return {}
    links_by_name: dict[str, list[str]] = {}
    for name, links in cast("dict[str, Any]", body).items():
        if name and isinstance(links, list):
            texts = [link for link in cast("list[object]", links) if isinstance(link, str)]
            person_links = sorted({link for link in texts if link.startswith(("mailto:", "tel:", "id:"))})
            if person_links:
                links_by_name[name] = person_links[:MOST_LINKS]
    return links_by_name
