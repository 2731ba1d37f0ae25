"""The pages of Google Voice: one conversation, or one call, in the classes of hCard and hAtom. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import unquote

from selectolax.lexbor import LexborHTMLParser, LexborNode

from ...record_faults import Failure, attempt
from ...text.html.text import nodes_text

_TEXTS = re.compile(rb"<div class=\"hChatLog hfeed\"[\s>]")
_CALL = re.compile(rb"<div class=\"haudio\"[\s>]")
_OF_CALL = (b'class="contributor vcard"', b'class="published"', b"tel:")
_CONTACT = re.compile(r'<a class="tel" href="tel:([^"<>]{0,100})"><span class="fn">([^<>]{0,200})</span>')
_NAME = re.compile(r"(.*) - [^-/]{0,40} ?- \d{4}-\d\d-\d\dT\d\d_\d\d_\d\dZ(?:[^/]{0,20})\.html?\Z", re.DOTALL)
_TITLE = re.compile(r"(?:Me to|SMS with)\s+", re.IGNORECASE)
_DURATION = re.compile(r"PT(?:(\d{1,4})H)?(?:(\d{1,4})M)?(?:(\d{1,6})(?:\.\d+)?S)?", re.ASCII)
_CLOCK = re.compile(r"(?:(\d{1,3}):)?(\d{1,2}):(\d\d)", re.ASCII)
_FILES = "img[src], audio[src], video[src], a.vcard[href], a.video[href], a.audio[href], a[rel=enclosure][href]"
_MESSAGES, _WORDS = "div.message:not(div.message div.message)", "q:not(q q)"
"""The outermost elements: of those in each other, the outer one contains the words of all."""
RECEIVED, PLACED, MISSED, VOICEMAIL, RECORDED = "received", "placed", "missed", "voicemail", "recorded"
_KINDS = (RECEIVED, PLACED, MISSED, VOICEMAIL, RECORDED)
_USUAL = frozenset({*_KINDS, "sms", "inbox", "unread", "all", ""})
"""Labels that tell nothing beside the kind of a page."""


@dataclass(frozen=True, slots=True)
class Caller:
    """A person on a page."""

    number: str
    name: str
    own: bool = False
    """True if the page says that it is whose account it is."""


@dataclass(frozen=True, slots=True)
class PageFile:
    """A file of a message."""

    name: str
    kind: str
    """``image``, ``audio``, ``video`` or ``contact``; empty if the page does not say."""


@dataclass(slots=True)
class PageRecord:
    """A text, or a call."""

    time: str
    """As in the page: ISO 8601 with an offset."""
    caller: Caller
    text: str
    files: list[PageFile] = field(default_factory=list[PageFile])
    seconds: int = 0


@dataclass(slots=True)
class VoicePage:
    """The content of a page."""

    kind: str
    """Empty for texts, else one of a call."""
    records: list[PageRecord | Failure]
    people: list[Caller]
    """The others of a group; empty for a conversation of two."""
    title: str
    labels: list[str]


def is_page(head: bytes) -> bool:
    """Return whether a file begins as a page of Google Voice."""
    if not head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        return False
    return _TEXTS.search(head) is not None or (
        _CALL.search(head) is not None and all(each in head for each in _OF_CALL)
    )


def contacts_in(text: str) -> Iterator[tuple[str, str]]:
    """Yield the numbers and names of others in the beginning of a page."""
    for match in _CONTACT.finditer(text):
        yield match[1], match[2]


def name_in_path(path: str) -> str:
    """Return the name or number by which a file is named; empty if it has none."""
    match = _NAME.fullmatch(path.rpartition("/")[2])
    return match[1].strip() if match else ""


def page_of(tree: LexborHTMLParser) -> VoicePage | None:
    """Return the content of a page; None if it is another program's."""
    labels = [(a.attributes.get("href") or "").rpartition("#")[2].casefold() for a in tree.css('.tags a[rel="tag"]')]
    notes = [label for label in dict.fromkeys(labels) if label not in _USUAL]
    title = tree.css_first("title")
    name = _TITLE.sub("", " ".join(title.text().split())) if title is not None else ""
    if (texts := tree.css_first("div.hChatLog")) is not None:
        people = [_caller(each) for each in tree.css(".participants .vcard")]
        return VoicePage("", [attempt(_text, each) for each in texts.css(_MESSAGES)], people, name, notes)
    if (call := tree.css_first("div.haudio")) is not None:
        kind = next((label for label in labels if label in _KINDS), "call")
        return VoicePage(kind, [attempt(_call, call)], [], name, notes)
    return None


def _text(node: LexborNode) -> PageRecord:
    words = node.css(_WORDS)
    sender = node.css_first(".sender")
    return PageRecord(
        _time(node, "abbr.dt"), _caller(sender or node), nodes_text(words).strip("\n") if words else "", _files(node)
    )


def _call(node: LexborNode) -> PageRecord:
    words = node.css("span.full-text")
    duration = node.css_first("abbr.duration")
    return PageRecord(
        _time(node, "abbr.published"),
        _caller(node.css_first(".contributor") or node),
        nodes_text(words).strip() if words else "",
        _files(node),
        0 if duration is None else _seconds(duration.attributes.get("title") or "", duration.text()),
    )


def _time(node: LexborNode, selector: str) -> str:
    element = node.css_first(selector)
    return "" if element is None else (element.attributes.get("title") or "").strip()


def _caller(node: LexborNode) -> Caller:
    """Return the person in a card: the name of the account's owner is an abbreviation of nothing."""
    link, name = node.css_first("a.tel"), node.css_first(".fn")
    number = "" if link is None else unquote((link.attributes.get("href") or "").removeprefix("tel:")).strip()
    shown = "" if name is None else (name.attributes.get("title") or "").strip() or " ".join(name.text().split())
    is_owner = name is not None and name.tag == "abbr" and not (name.attributes.get("title") or "").strip()
    return Caller(number, shown, is_owner)


def _files(node: LexborNode) -> list[PageFile]:
    """Return the files of a message, each once: a recording has a link inside its player."""
    files: dict[str, PageFile] = {}
    for each in node.css(_FILES):
        path = unquote(each.attributes.get("src") or each.attributes.get("href") or "")
        classes = (each.attributes.get("class") or "").split()
        kind = {"img": "image", "audio": "audio", "video": "video"}.get(each.tag or "", "")
        kind = kind or ("contact" if "vcard" in classes else "video" if "video" in classes else "")
        if name := path.rpartition("/")[2]:
            files.setdefault(name, PageFile(name, kind))
    return list(files.values())


def _seconds(written: str, shown: str) -> int:
    match = _DURATION.fullmatch(written) or _CLOCK.search(shown)
    return (
        sum(int(part or 0) * weight for part, weight in zip(match.groups(), (3600, 60, 1), strict=True)) if match else 0
    )
