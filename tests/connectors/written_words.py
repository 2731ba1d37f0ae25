"""The words in files of exports, found without the parsers of memd: what stands in values, cells, elements and lines."""

from __future__ import annotations

import csv
import gzip
import html
import io
import json
import re
import sqlite3
import tempfile
import zipfile
from collections.abc import Iterator
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any, cast

WORD = re.compile(r"[^\W\d_]{3,}")
"""Matches a word; shorter ones stand in many places by chance."""
_LONGEST = 40
"""The letters of the longest word; what has more is a file in base64."""
_KINDS = re.compile(
    r"(?:^|\.)(?:[a-z]+_)?(?:@?type|kind|role|roles|status|id|uuid|parent|children|recipient|content_type|ContentType|membership|msgtype"
    r"|messagetype|MessageType|user_type|UserIdentityType|event_type|Importance|sender_type|reaction_type|mime_?type|fallback_content_type)$"
)
"""Matches keys whose values tell the nature of a record and no words: enumerations and numbers of other records."""
_SCRIPT = re.compile(r"<(script|style|head)\b.*?</\1>", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")
_ATTRIBUTE = re.compile(r'\s(?:body|text|address|contact_name|sender|alias|href)="([^"]*)"')
_CALENDAR_VALUE = re.compile(r"^(?:SUMMARY|DESCRIPTION|LOCATION|COMMENT|CONTACT)[^:\n]*:(.*)$", re.MULTILINE)


def words_in(name: str, data: bytes) -> set[str]:
    """Return the words of a file in small letters."""
    words = {word.casefold() for text in _texts(name, data) for word in WORD.findall(text)}
    return {word for word in words if len(word) <= _LONGEST}


def _texts(name: str, data: bytes) -> Iterator[str]:
    if data.startswith(b"SQLite format 3"):
        yield from _of_database(data)
    elif data.startswith(b"PK\x03\x04"):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for part in archive.namelist():
                if not part.endswith(("mimetype", ".rels", ".opf")) and "META-INF" not in part and "[" not in part:
                    yield from _texts(part, archive.read(part))
    elif data.startswith(b"\x1f\x8b"):
        yield from _texts(name, gzip.decompress(data))
    elif not data.startswith((b"%PDF", b"\xff\xd8")):
        yield from _of_text(name, _decoded(data))


def _decoded(data: bytes) -> str:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def _of_text(name: str, text: str) -> Iterator[str]:
    plain = re.sub(r"\A\s*window\.[\w.]+ = ", "", text).lstrip()
    if plain[:1] in ("[", "{") and (values := _json_values(plain)) is not None:
        for value in values:
            yield from _leaves(value, "")
    elif plain[:1] == "<" or "<body" in plain[:4096]:
        yield from _ATTRIBUTE.findall(html.unescape(plain))
        yield html.unescape(_TAG.sub(" ", _SCRIPT.sub(" ", plain)))
    elif plain.startswith("BEGIN:VCALENDAR"):
        yield from _CALENDAR_VALUE.findall(re.sub(r"\r?\n[ \t]", "", plain).replace("\\n", " "))
    elif name.endswith(".csv"):
        for row in list(csv.reader(io.StringIO(plain)))[1:]:
            yield from row
    elif re.match(r"(?:From |[A-Z][\w-]+: ).*\n(?:[A-Z>][\w-]+:|From|[ \t])", plain):
        for each in re.split(r"^From .*\n", plain, flags=re.MULTILINE):
            yield from _of_mail(message_from_bytes(each.encode(), policy=policy.default))
    else:
        yield plain


def _json_values(text: str) -> list[Any] | None:
    for split in ((text,), text.splitlines()):
        try:
            return [json.loads(each) for each in split if each.strip()]
        except ValueError:
            continue
    return None


def _leaves(value: object, path: str) -> Iterator[str]:
    if isinstance(value, dict):
        for key, each in cast("dict[str, object]", value).items():
            yield from _leaves(each, f"{path}.{key}")
    elif isinstance(value, list):
        for each in cast("list[object]", value):
            yield from _leaves(each, path)
    elif isinstance(value, str) and value[:1] == "{" and (inner := _json_values(value)) is not None:
        yield from _leaves(inner, path)
    elif isinstance(value, str) and not _KINDS.search(path):
        yield value


def _of_database(data: bytes) -> Iterator[str]:
    with tempfile.NamedTemporaryFile(suffix=".db") as file:
        file.write(data)
        file.flush()
        connection = sqlite3.connect(file.name)
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
        for (table,) in tables.fetchall():
            for row in connection.execute(f'SELECT * FROM "{table}"'):
                yield from (value for value in row if isinstance(value, str))
        connection.close()


def _of_mail(message: EmailMessage) -> Iterator[str]:
    yield from (str(message[name]) for name in ("Subject", "From", "To", "Cc") if message[name])
    for part in message.walk():
        if part.get_content_maintype() == "text" and isinstance(content := part.get_content(), str):
            calendar = part.get_content_subtype() == "calendar"
            yield from (
                _CALENDAR_VALUE.findall(content)
                if calendar
                else [html.unescape(_TAG.sub(" ", _SCRIPT.sub(" ", content)))]
            )
