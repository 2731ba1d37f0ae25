"""Attachments of a message, and placeholders for messages that have nothing else. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Any

from .values import JSONObject, number_of, object_of, objects_of, text_of

_ID_IN_PATH = re.compile(r"(?<![A-Za-z0-9])(F[A-Z0-9]{5,})(?![A-Za-z0-9])")
_WITHOUT_BYTES = frozenset({"tombstone", "hidden_by_limit", "external"})
_SPECIAL = {"slack_audio": "[voice message]", "slack_video": "[video]"}
_BY_MODE = {"quip": "[canvas]", "canvas": "[canvas]", "list": "[list]", "email": "[email]", "snippet": "[snippet]"}
_TITLED = frozenset({"quip", "canvas", "list", "email"})
"""The modes of files that people know by their titles: their names are made by Slack."""
_BY_TYPE = {"image": "[photo]", "video": "[video]", "audio": "[audio]"}


def files_of(record: JSONObject) -> list[JSONObject]:
    """Return the files of a message, also the single ``file`` of old exports."""
    files = objects_of(record, "files")
    old = object_of(record, "file")
    return [*files, old] if old and not files else files


def attachment_of(file: JSONObject, present: Collection[str]) -> dict[str, Any]:
    """Convert a file to an attachment. Its addresses are left out: those of exports carry tokens.

    ``present``: the ids of files that lie in the export; Slack's own exports hold none.
    """
    keys = ("title", "name", "id") if text_of(file, "mode") in _TITLED else ("name", "title", "id")
    name = next(filter(None, (text_of(file, key) for key in keys)), "file")
    kept: dict[str, Any] = {"name": name}
    if mime := text_of(file, "mimetype"):
        kept["mime"] = mime
    if size := number_of(file, "size"):
        kept["size"] = size
    if text_of(file, "mode") in _WITHOUT_BYTES or text_of(file, "id") not in present:
        kept["missing"] = True
    return kept


def transcript_of(file: JSONObject) -> str:
    """Return the words that Slack heard in a voice message or a clip; of a long one the beginning, which is all that it writes."""
    return text_of(object_of(object_of(file, "transcription"), "preview"), "content")


def placeholder(files: Iterable[JSONObject]) -> str:
    """Return placeholders (``[photo]``, ``[voice message]``, …) for files without a text."""
    return " ".join(dict.fromkeys(_kind(file) for file in files))


def _kind(file: JSONObject) -> str:
    if text_of(file, "mode") == "tombstone":
        return "[deleted file]"
    special = _SPECIAL.get(text_of(file, "subtype")) or _BY_MODE.get(text_of(file, "mode"))
    return special or _BY_TYPE.get(text_of(file, "mimetype").partition("/")[0], "[file]")


def ids_in(paths: Iterable[str]) -> frozenset[str]:
    """Return the ids of the files in an export: slackdump names the files, or their folders, by id."""
    return frozenset(file_id for path in paths for file_id in _ID_IN_PATH.findall(path))
