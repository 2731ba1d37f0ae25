"""The names of Notion's exports: pages, databases and folders have the page's id of 32 hexadecimal digits behind the title. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

_NAME = re.compile(
    r"(?:(?P<title>.*) )?(?P<id>[0-9a-f]{32})(?P<all>_all)?\.(?P<ending>md|html|csv)", re.IGNORECASE | re.DOTALL
)
_FOLDER = re.compile(r"(?:(.*) )?[0-9a-f]{32}", re.DOTALL)
LINK = re.compile(
    r"\((?P<target>(?:[^()\s<>]*?(?:%20|/))?(?P<id>[0-9a-f]{32})(?:_all)?\.(?:md|html|csv))\)", re.IGNORECASE | re.ASCII
)
"""A link of Markdown to a file of the export, in its brackets."""


@dataclass(frozen=True, slots=True)
class NotionName:
    """The parts of a file name in a Notion export."""

    title: str
    """The title, cut by Notion at some fifty characters, and without the characters that file systems do not allow."""
    page: str
    """The id."""
    ending: str
    """``md``, ``html`` or ``csv``."""
    every_row: bool
    """True for ``…_all.csv``: the whole database, while the file beside it has one view."""


def notion_name(path: str) -> NotionName | None:
    """Return the parts of the name at the end of a path in an export; None for a name that Notion does not give."""
    match = _NAME.fullmatch(path.rpartition("/")[2])
    if match is None:
        return None
    return NotionName(match["title"] or "", match["id"].lower(), match["ending"].lower(), match["all"] is not None)


def without_id(folder: str) -> str:
    """Return the title in the name of one folder."""
    match = _FOLDER.fullmatch(folder)
    return folder if match is None else match[1] or folder


def is_notion_page(name: str, head: str) -> bool:
    """Return whether a text under this name is a page of a Markdown export: a heading, with an id in the name or links
    to pages with ids.
    """
    parts = notion_name(name)
    if not head.lstrip("\ufeff").startswith("# "):
        return False
    return (parts is not None and parts.ending == "md") or LINK.search(head) is not None
