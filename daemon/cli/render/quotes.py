"""The quotes of forgotten words in messages of others, and what a forgetting leaves elsewhere, as lines for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .terminal import counted, joined, one_line
from .wall_clock import local_time

if TYPE_CHECKING:
    from ...config.settings import Settings

_SHOWN = 10
"""Places that a plan lists."""
_ID = 8
"""Characters of an id on a screen."""


def quote_lines(
    quotes: Mapping[str, Any], commands: Mapping[str, str], columns: int, *, last: bool = True
) -> Iterator[str]:
    """Yield the lines of a plan about quotes; ``commands`` are those that redact and remove them. ``last``: the words by
    which they are found go with the plan.
    """
    if count := quotes["messages"]:
        others = f"{counted(count, 'message')} of others"
        one = count == 1
        yield {
            "keep": f"{others} {'quotes' if one else 'quote'} this, and {'stays' if one else 'stay'}:",
            "redact": f"[redacted] replaces this in {others}:",
            "remove": f"and {others} that {'quotes' if one else 'quote'} this would go:",
        }[quotes["treatment"]]
        for each in quotes["places"][:_SHOWN]:
            yield from _place_lines(each, columns)
        if (more := count - len(quotes["places"][:_SHOWN])) > 0:
            yield f"  … and {more:,} more"
        if quotes["treatment"] == "keep":
            yield f"to take these words out as well: {commands['redact']}"
            yield f"to remove these messages as well: {commands['remove']}"
            if last:
                yield "after this forgetting memd can no longer find the words there"
    if quotes["mentions"]:
        yield _mentioning(quotes["mentions"])
    if quotes["waiting"]:
        waiting = counted(quotes["waiting"], "document")
        yield f"nobody looked for quotes in {waiting} on the way into the store"
    if not quotes["complete"]:
        yield "there is too much to look for all quotes: there may be more"


def left_lines(quotes: Mapping[str, Any] | None) -> Iterator[str]:
    """Yield what a forgetting left in messages of others, by the quotes of its plan."""
    if quotes is None:
        return
    if count := quotes["messages"]:
        one = count == 1
        others = f"{counted(count, 'message')} of others"
        if quotes["treatment"] == "redact":
            yield f"[redacted] stands for it in {others}"
        elif quotes["treatment"] == "remove":
            yield f"{others} that quoted it {'is' if one else 'are'} forgotten, too"
        else:
            ids = ", ".join(each["id"][:_ID] for each in quotes["places"][:3] if each["kind"] != "text")
            hint = f"; `memd forget --message ID` removes one: {ids}" if ids else ""
            yield f"{others} still {'quotes' if one else 'quote'} it{hint}"
    if quotes["mentions"]:
        yield _mentioning(quotes["mentions"])


def elsewhere_lines(settings: Settings) -> Iterator[str]:
    """Yield the other places that are known to hold what was forgotten: backups with their dates, and a model's provider."""
    if (folder := settings.maintenance.backup_to) is not None and (times := _backups(folder)):
        span = " to ".join(dict.fromkeys((local_time(times[0])[:10], local_time(times[-1])[:10])))
        yield f"{counted(len(times), 'backup')} ({span}) in {one_line(str(folder), 200)} may hold it"
    if settings.llm.model and not settings.llm.local_only:
        yield f"memd cannot delete what was sent to the provider of {one_line(settings.llm.model, 60)}"


def _backups(folder: Any) -> Sequence[str]:  # noqa: ANN401 - a path
    from ....schemas.errors import MemdError
    from ...backup.create import list_backups

    try:
        return [each["time"] for each in list_backups(folder)["snapshots"] if "time" in each]
    except MemdError:
        return []


def _place_lines(place: Mapping[str, Any], columns: int) -> list[str]:
    title = one_line(place["title"], min(60, columns - 4))
    kind = "text" if place["kind"] == "text" else ""
    parts = [title, place["source"], place["author"], local_time(place.get("time"))[:10], kind, place["id"][:_ID]]
    named = [one_line(part, 60) for part in parts if part]
    return joined(named, " · ", "      ", columns, first="  ")


def _mentioning(count: int) -> str:
    others = f"{counted(count, 'message')} of others"
    return f"{others} {'names' if count == 1 else 'name'} this person, and {'stays' if count == 1 else 'stay'}"
