"""Detects notes by the beginning of their text; never takes files written by programs."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ...connector import Member
from ...files.whole_files import head_text
from ...text.markdown import begins_with_heading, looks_like_markdown
from ..jsondocs.sniff import document_score
from ..notion.names import is_notion_page
from .frontmatter import front_matter

HEAD = 64 * 1024
CERTAIN = 1.0
"""The score of a file that begins as only a note does: with front matter or a heading."""
LIKELY = 0.7
TEXT = 0.5
"""The score of any other text; a more specific format scores higher."""

MARKDOWN_ENDINGS = frozenset({"md", "markdown", "mdown", "mkd", "mkdn", "mdwn", "mdx", "qmd", "rmd"})
_TEXT_ENDINGS = frozenset({"", "txt", "text"})
_OTHER_MARKUP = frozenset({"org", "rst", "adoc", "asciidoc"})
_ENDING = re.compile(r"[A-Za-z][A-Za-z0-9_+-]{0,11}", re.ASCII)
_PROGRAMS_FOLDERS = frozenset({"node_modules", "__pycache__"})
_FOREIGN = re.compile(
    r"""\{\s*(?:"|\}|$) | \[\s*(?:[{"]|\]\s*$|\[\s*["{]|\[*-?\d+(?:\.\d+)?\s*,)  # JSON
    | <\?(?:xml|php) | <!doctype\b | <(?:html|svg|head)\b                         # mark-up of machines
    | \#! | BEGIN:V | -----BEGIN[ ] | From[ ](?=\S[^\s@]*+@\S)\S++[ ] | %!PS
    | (?:Received|Return-Path|Message-ID|MIME-Version|Delivered-To):[ ]           # mail
    """,
    re.IGNORECASE | re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Kind:
    """The properties of a file that its name shows. Only the content shows whether it is text at all."""

    ending: str
    """The file extension in lower case without the dot; empty if there is none."""

    @property
    def may_be_note(self) -> bool:
        """Return whether people write notes in files with this extension."""
        return self.ending in _TEXT_ENDINGS or self.ending in MARKDOWN_ENDINGS or self.ending in _OTHER_MARKUP

    def is_markdown(self, text: str) -> bool:
        """Return whether the file is Markdown: by its extension or, if that leaves it open, by its beginning."""
        if self.ending in MARKDOWN_ENDINGS:
            return True
        return self.ending in _TEXT_ENDINGS and (begins_with_heading(text) or front_matter(text).end > 0)


def kind_of(name: str) -> Kind:
    """Return the kind of a file by its name. A dot in a title makes no extension: ``Plan v1.2``, ``Q. and A``."""
    last = name.rpartition("/")[2]
    last = last[:-3] if last.lower().endswith(".gz") else last
    stem, _, ending = last.rpartition(".")
    return Kind(ending.lower() if stem and _ENDING.fullmatch(ending) else "")


def hidden_part(name: str) -> str:
    """Return the hidden folder or file in a path, such as ``.obsidian``; empty if there is none.

    Logseq's backup copies of pages (``logseq/bak``) count as hidden too.
    """
    parts = name.split("/")
    for above, part in zip(["", *parts], parts, strict=False):
        if above == "logseq" and part == "bak":
            return "logseq/bak"  # copies of pages before Logseq changed them
        if (part.startswith(".") and part not in (".", "..")) or part in _PROGRAMS_FOLDERS:
            return part
    return ""


def written_by_program(text: str) -> bool:
    """Return whether a text begins like a program's file: JSON, HTML or XML, mail, scripts."""
    return _FOREIGN.match(text.lstrip()) is not None


def score(member: Member) -> float:
    """Return the confidence that a file is a note. Raises SourceError if it cannot be read."""
    kind = kind_of(member.name)
    if not kind.may_be_note:
        return 0.0
    text = head_text(member, HEAD)
    if not text.strip() or written_by_program(text):
        return 0.0
    if is_notion_page(member.name, text):
        return TEXT
    if front_matter(text).end or (begins_with_heading(text) and kind.is_markdown(text)):
        return CERTAIN
    if document_score(text.encode("utf-8", "replace")) >= TEXT:
        return 0.0
    return LIKELY if kind.ending in MARKDOWN_ENDINGS and looks_like_markdown(text) else TEXT
