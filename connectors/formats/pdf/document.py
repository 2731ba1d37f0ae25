"""Converts the extracted pages and metadata of one PDF to a document. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from ....schemas import TextDocument
from ....schemas.times import TimePrecision, localise, rfc3339
from ...connector import ReadOptions
from ...files.file_connector import stem_of
from ...times.dates_written import zone_at
from .pages import join_pages

NAME = "pdf"
_DATE = re.compile(
    r"\s*(?:D:)?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?\s*(?:(Z)|([+-])(\d\d)'?(?:(\d\d)'?)?)?", re.ASCII
)
_KEYWORDS = re.compile(r"[,;]")
_MOST_TAGS = 50
_NO_TITLE = re.compile(
    r"(?:untitled|microsoft word - .*|.*\.(?:docx?|pptx?|xlsx?|indd|tex|dvi|pdf|qxd|pub))", re.IGNORECASE
)
"""Matches the titles that programs write where the author gave none."""


def pdf_document(
    path: str,
    info: Mapping[str, str],
    pages: Sequence[str],
    options: ReadOptions,
    beside: Sequence[Sequence[str]] = (),
) -> TextDocument | None:
    """Return the document; None if the pages contain no text.

    Args:
        path: with the root's name.
        info: the file's own metadata.
        pages: their texts in order; empty for a page without text.
        options: for the zone.
        beside: the values of forms, the comments and the addresses on each page.
    """
    joined = join_pages(pages, beside)
    if not joined.text.strip():
        return None
    title = " ".join(info.get("title", "").split())
    metadata = {
        "source": NAME,
        "title": title if title and not _NO_TITLE.fullmatch(title) else stem_of(path),
        "path": path,
        "media_type": "text/plain",
        "page_starts": json.dumps(list(joined.starts)),
    }
    if joined.repeated:
        metadata["repeated_lines"] = json.dumps(list(joined.repeated), ensure_ascii=False)
    for key in ("author", "subject"):
        if info.get(key, "").strip():
            metadata[key] = info[key].strip()
    written = None
    for key in ("updated", "created"):
        read = pdf_date(info.get(key, ""), options)
        if read is not None:
            written, precision, naive = read
            metadata |= {key: rfc3339(written), "time_precision": precision}
            if naive:
                metadata["zone_origin"] = options.zone_origin
    tags = [tag.strip() for tag in _KEYWORDS.split(info.get("keywords", ""))]
    return TextDocument(
        id=f"{NAME}:{path}",
        content=joined.text,
        timestamp=written,
        tags=tuple(dict.fromkeys(tag for tag in tags if tag))[:_MOST_TAGS],
        metadata=metadata,
    )


def pdf_date(written: str, options: ReadOptions) -> tuple[datetime, TimePrecision, bool] | None:
    """Read a date in PDF's form, ``D:20240115103000+01'00'``; return it, its precision, and whether it lacks a zone."""
    match = _DATE.match(written)
    if match is None:
        return None
    try:
        naive = datetime(  # noqa: DTZ001 - the zone comes next
            int(match[1]), int(match[2] or 1), int(match[3] or 1), int(match[4] or 0), int(match[5] or 0), int(match[6] or 0)
        )  # fmt: skip
        precision: TimePrecision = "day" if match[4] is None else "minute" if match[6] is None else "second"
        if match[7]:
            time = naive.replace(tzinfo=UTC)
        elif match[8]:
            time = naive.replace(tzinfo=zone_at(*match.groups()[7:]))
        else:
            time = localise(naive, options.zone)
        time.timestamp()
    except (ValueError, OverflowError):
        return None
    return time, precision, not (match[7] or match[8])
