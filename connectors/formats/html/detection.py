"""Detects pages and web archives by their first bytes. Pure except for reading these bytes."""

from __future__ import annotations

import re
from typing import Literal

from ...connector import Member
from ...files.whole_files import head_text

SCORE = 0.5
"""The score of a page. It is low because a page beside a chat in the chat's archive is an attachment, and many programs
export pages of their own.
"""
ARCHIVE_SCORE = 1.0
HEAD = 4096

_PAGE = re.compile(
    r"(?:<\?xml[^>]{0,200}\?>\s{0,20}|<!--.{0,2000}?-->\s{0,20}){0,5}(?:<!doctype\s{1,20}html\b|<html[\s>]|<head[\s>]|<body[\s>])",
    re.IGNORECASE | re.DOTALL,
)
_FRAGMENT = re.compile(r"<(?:p|div|h[1-6]|body|title|meta|table|ul)[\s>]", re.IGNORECASE)
_CONTENTS_OF_TAKEOUT = re.compile(r"/?archive_browser\.html\Z")
_TAKEOUT = re.compile(r"<title>[^<]{0,40}Google", re.IGNORECASE)
_ENDINGS = (".html", ".htm", ".xhtml")
_ARCHIVE = re.compile(
    rb"^(?:Snapshot-Content-Location:|From:[ \t]*<?Saved (?:by|from)|X-MAF:|Content-Type:[ \t]*multipart/related;[^\n]*\r?\n?[^\n]*type=\"text/html\")",
    re.IGNORECASE | re.MULTILINE,
)
_MIME = re.compile(rb"^MIME-Version:", re.IGNORECASE | re.MULTILINE)
_MAIL = re.compile(rb"^(?:Received|Message-ID|Delivered-To|Return-Path|To):", re.IGNORECASE | re.MULTILINE)

PageKind = Literal["page", "archive"]


def kind_of(member: Member) -> PageKind | None:
    """Return the kind of a file; None if it is neither a page nor a web archive.

    Raises:
        SourceError: it cannot be read.
    """
    with member.open() as stream:
        head = stream.read(HEAD)
    top = head.partition(b"\r\n\r\n" if b"\r\n\r\n" in head else b"\n\n")[0]
    if _MIME.search(top) and _ARCHIVE.search(top) and not _MAIL.search(top):
        return "archive"
    text = head_text(member, HEAD).lstrip("\ufeff \t\r\n")
    if _CONTENTS_OF_TAKEOUT.search(member.name) and _TAKEOUT.search(text):
        return None  # the list of the files of a download, which lies beside them
    if _PAGE.match(text):
        return "page"
    named = member.name.lower().endswith(_ENDINGS)
    return "page" if named and text.startswith("<") and _FRAGMENT.search(text) else None


def score(member: Member) -> float:
    """Return the score of a file as a page or a web archive, 0 for any other."""
    kind = kind_of(member)
    return ARCHIVE_SCORE if kind == "archive" else SCORE if kind == "page" else 0.0
