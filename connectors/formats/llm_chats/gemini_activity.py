"""Joins records of Google's My Activity to conversations with Gemini, each record a prompt and its answer. Pure.

The records state no conversation: prompts with pauses of at most half an hour between them are one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any

from ....schemas import Rejected
from ...record_faults import Failure, attempt_all, or_reason
from ...text.html.text import plain_text
from ...text.json_fields import entries_of, object_of, text_of, words_of
from ...times.instants import instant_of
from .documents import Chat, Message, Tally, assistant_name

SOURCE = "gemini"
ASSISTANT = "Gemini"
PAUSE = timedelta(minutes=30)
"""The longest pause between two prompts of a conversation; a longer one begins a new conversation."""
LARGE = 5_000
"""The number of records after which a conversation is ended, however short the pauses."""
_TITLE = 80
_PROMPTED = re.compile(
    r"(?:Prompted with:|Eingegebener Prompt:|Prompted|Asked Gemini:|Asked Bard:|Asked|Said|Branched|Answered)[\s\u00a0]+",
    re.IGNORECASE,
)
_DONE = re.compile(
    r"(?:Created|Used|Added|Gave|Selected|Shared|Deleted|Viewed|Visited|Searched|Edited|Pinned|Renamed|Exported|Updated"
    r"|Disabled|Enabled|Removed)[\s\u00a0]"
)
ATTACHED = re.compile(
    r"(?<!\s)\s*+\b(?:Attached (\d{1,3}) files?|(\d{1,3}) Datei(?:en|\(en\))? angehängt)\.\s*+\Z", re.IGNORECASE
)
"""Matches the end of a prompt to which files were attached."""
_ATTACHED_END = re.compile(r"(?:files?|angehängt)\.\Z", re.IGNORECASE)
_LONGEST_END = len("angehängt.")


@dataclass(slots=True)
class Activity:
    """One record: its title, time and answer."""

    title: str
    time: datetime
    answer: str = ""
    files: list[str] = field(default_factory=list[str])
    zone_known: bool = True
    unread: int = 0
    """The number of parts of the answer that are not JSON objects with content."""


def is_gemini(labels: list[str]) -> bool:
    """Return whether a record belongs to Gemini, by the product's names: they are translated, except for the brand."""
    return any("gemini" in label.casefold() or label.casefold().startswith("bard") for label in labels)


@or_reason
def activity_of(record: dict[str, Any], zone: tzinfo) -> Activity | str:
    """Return a record of the JSON form, or the reason why it cannot be read."""
    time = instant_of(record.get("time"), zone)
    if time is None:
        return "a record without a time"
    entries = [object_of(item) for item in entries_of(record.get("safeHtmlItem"))]
    unread = sum(not entry for entry in entries)
    answers = [plain_text(text_of(item.get("html")) or text_of(item.get("htmlValue"))) for item in entries]
    raw_files = [entry for key in ("attachedFiles", "imageFile", "audioFiles") for entry in entries_of(record.get(key))]
    files = list(dict.fromkeys(name for entry in raw_files if (name := _file_name(entry))))
    answer = "\n\n".join(a for a in answers if a.strip())
    return Activity(text_of(record.get("title")), time, answer, files, unread=unread)


@dataclass(slots=True)
class Conversations:
    """Joins activities to conversations in file order, whether the file begins with the newest or the oldest."""

    user: str
    zone_origin: str
    tally: Tally
    _open: list[Activity] = field(default_factory=list[Activity])
    _locator: str = ""

    def add(self, activity: Activity, locator: str) -> Iterator[Chat | Rejected]:
        """Add an activity; yields the conversation that ends before it."""
        if self._open and (abs(self._open[-1].time - activity.time) > PAUSE or len(self._open) >= LARGE):
            yield from self.close()
        if not self._open:
            self._locator = locator
        self._open.append(activity)

    def close(self) -> Iterator[Chat | Rejected]:
        """Yield the conversation that is still open."""
        if not self._open:
            return
        if self._open[0].time > self._open[-1].time:
            self._open.reverse()
        activities = sorted(self._open, key=lambda activity: activity.time)
        self._open = []
        messages: list[Message] = []
        taken: dict[str, int] = {}
        for activity in activities:
            second = _second(activity.time)
            taken[second] = taken.get(second, 0) + 1
            message_id = second if taken[second] == 1 else f"{second}-{taken[second]}"
            for result in attempt_all(self._said, activity, message_id):
                if isinstance(result, Failure):
                    yield Rejected(locator=self._locator, reason=result)
                else:
                    messages.append(result)
        if messages:
            message_id = _second(activities[0].time)
            title = " ".join(messages[0]["content"][: _TITLE * 4].split())[:_TITLE]
            yield Chat(SOURCE, message_id, title, self.user, {}, messages, self._locator)

    def _said(self, activity: Activity, message_id: str) -> Iterator[Message]:
        prompt, kind = self._prompt(activity)
        common = {"time": activity.time, "zone_origin": "explicit" if activity.zone_known else self.zone_origin}
        match = attached(prompt)
        names = activity.files or [f"file {n + 1}" for n in range(int(match[1] or match[2]) if match else 0)]
        if match:
            prompt = prompt[: match.start()]
        files = [{"name": name, "missing": not activity.files} for name in names]
        if not prompt.strip() and files:
            prompt, kind = "[file]", "media"
        if prompt.strip():
            yield {
                **common,
                "speaker": self.user,
                "content": prompt,
                "id": f"{message_id}/prompt",
                "role": "user",
                "kind": kind,
                "attachments": files,
            }
        if activity.answer.strip():
            yield {
                **common,
                "speaker": assistant_name(ASSISTANT, self.user),
                "content": activity.answer,
                "id": f"{message_id}/answer",
                "role": "assistant",
                "reply_to": f"{message_id}/prompt" if prompt.strip() else None,
            }

    def _prompt(self, activity: Activity) -> tuple[str, str]:
        """Return the user's text and its kind: a title without a known verb and without an answer may be an event of
        the app.
        """
        title = activity.title
        if verb := _PROMPTED.match(title):
            return title[verb.end() :], "text"
        if _DONE.match(title):
            self.tally.add("activity-left-out")
            return "", "text"
        return title, "text" if activity.answer.strip() else "unknown"


def attached(prompt: str) -> re.Match[str] | None:
    """Match the note about files at the end of a prompt; the cheap check of the last word comes first, as few prompts
    have one.
    """
    words = prompt.rstrip()
    if not words.endswith(".") or not _ATTACHED_END.search(words, max(0, len(words) - _LONGEST_END)):
        return None
    return ATTACHED.search(prompt)


def _second(time: datetime) -> str:
    """Return the second in UTC: HTML has no finer times, so both forms of an export give a message the same id."""
    return f"{time.astimezone(UTC).replace(tzinfo=None).isoformat(timespec='seconds')}Z"


def _file_name(entry: object) -> str:
    item = object_of(entry)
    return words_of(entry) or next((words_of(item.get(key)) for key in ("name", "fileName", "url") if key in item), "")
