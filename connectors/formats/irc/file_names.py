"""Parses the path of a log: the channel, the network, the day. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from unicodedata import normalize

from ...times.dates_written import existing_day

_DATE = re.compile(r"(?<!\d)(?P<year>(?:19|20)\d\d)(?P<by>[-_.]?)(?P<month>[01]\d)(?P=by)(?P<day>[0-3]\d)(?!\d)")
_FOLDERS = re.compile(r"/(?P<year>(?:19|20)\d\d)/(?P<month>[01]\d)/(?P<day>[0-3]\d)/(?:[^/]+/)?$")
"""Matches the folders of an archive with one folder for each day: ``2013/01/12/#boats.txt``."""
_ENDINGS = (".gz", ".log", ".txt", ".weechatlog", ".irclog")
_WEECHAT = re.compile(r"irc\.(?P<network>[^.#&]+)\.(?P<name>.+)")
_LOG_FOLDERS = frozenset({"log", "logs", "irclogs", "xchatlogs", "scrollback", "moddata"})
_COPY = re.compile(r" ?\(\d{1,3}\)$")


@dataclass(frozen=True, slots=True)
class LogName:
    """The channel or other party of a log, its network if stated, and the day in its name."""

    title: str
    network: str = ""
    day: date | None = None

    @property
    def key(self) -> str:
        """The key of the chat, with the network, because channels of one name exist on many networks."""
        return f"{self.network}/{self.title}" if self.network else self.title


def log_name(path: str) -> LogName:
    """Parse a path: ``libera/#boats/2024-01-15.log``, ``irc.libera.#boats.weechatlog`` or ``#boats_20240115.log``."""
    path = normalize("NFC", path.replace("!", "/"))
    *folders, base = [part for part in path.split("/") if part] or ["chat"]
    stem = base
    while (ending := next((each for each in _ENDINGS if stem.lower().endswith(each)), "")) and len(stem) > len(ending):
        stem = stem[: -len(ending)]
    stem = _COPY.sub("", stem)
    day = None
    if match := _DATE.search(stem):
        day = _day(match)
        if day is not None:
            stem = (stem[: match.start()].rstrip("-_. ") + stem[match.end() :]).strip("-_. ")
    if day is None and (above := _FOLDERS.search("/" + "/".join(folders) + "/")):
        day = _day(above)
    network = ""
    if match := _WEECHAT.fullmatch(stem):
        network, stem = match["network"], match["name"]
    if not stem:
        stem = folders.pop() if folders else "chat"
    if not network and len(folders) > 1 and folders[-2].casefold() in _LOG_FOLDERS:
        network = folders[-1]
    return LogName(stem, network, day)


def _day(match: re.Match[str]) -> date | None:
    return existing_day(int(match["year"]), int(match["month"]), int(match["day"]))
