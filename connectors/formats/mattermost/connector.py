"""Reads bulk exports of Mattermost, as files of JSON lines and in archives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, BinaryIO

from ....schemas import Notice, Rejected
from ....schemas.errors import SourceError
from ...chats.accounts import Accounts
from ...chats.exported_chats import ChatExport, ExportConnector, Said, read_members
from ...connector import Member, ReadOptions, Source
from ...opening.member_subset import held_files
from ...record_faults import records_at
from ...text.json_fields import list_of, object_of, words_of
from ...text.json_lines import json_lines
from .answers import AnswerReader, is_answer
from .detection import score_of
from .lists import Lists, members_of
from .post import PostReader

_FILES = 200_000
_POSTS = frozenset({"post", "direct_post"})
_LISTED = frozenset({"version", "scheme", "role", "emoji", "team", "channel", "user", "bot", "direct_channel"})


class MattermostConnector(ExportConnector):
    """Reads bulk exports of Mattermost."""

    name = "mattermost"
    program = "Mattermost"

    def score(self, member: Member) -> float:
        """Return a high score for files that begin with a version line, and for posts with ids."""
        return score_of(member) or 0.85 * is_answer(member)

    def opened(self, source: Source, options: ReadOptions) -> ChatExport | None:
        """Open the export; the lists of people, teams and channels are read first."""
        scores = [(member, score_of(member)) for member in source.members()]
        exports = [member for member, score in scores if score >= 0.5]
        answers = [member for member, score in scores if score < 0.5 and is_answer(member)]
        others = [member for member, score in scores if score < 0.5 and member not in answers]
        if not exports and not answers:
            return None
        lists = Lists()
        for member in exports:
            with suppress(SourceError), member.open() as stream:
                lists.learn(_listed(stream))
        accounts = Accounts(options.me)
        lists.tell(accounts)
        walk = _Walk(source, lists, accounts, options, exports, answers, others)
        return ChatExport(accounts, walk.said, {}, others, walk.counts)


def _listed(stream: BinaryIO) -> Iterator[dict[str, Any]]:
    """Yield the lines other than posts. They precede the posts, except bots, which follow them in some versions."""
    for line in json_lines(stream, unwanted=(b'{"type":"post"', b'{"type":"direct_post"')):
        if line.value is not None:
            yield line.value


def _held_names(source: Source, exports: list[Member]) -> set[str]:
    """Return the paths of all held files, also relative to the folder of each export."""
    folders = {folder for member in exports if (folder := member.name.rpartition("/")[0])}
    names = {file.name for file in held_files(source)[:_FILES]}
    return names.union(*({name.removeprefix(f"{folder}/") for name in names} for folder in folders))


class _Walk:
    """The walk through the posts of all files."""

    def __init__(
        self,
        source: Source,
        lists: Lists,
        accounts: Accounts,
        options: ReadOptions,
        exports: list[Member],
        answers: list[Member],
        others: list[Member],
    ) -> None:
        self._lists = lists
        self._accounts = accounts
        self._exports = exports
        self._answers = answers
        self._alone = len(source.members()) == 1
        self._reader = PostReader(accounts, lists, options.zone, _held_names(source, exports))
        self._answer = AnswerReader(accounts, self._reader, others if answers else [])
        self.counts: Counter[str] = Counter()

    def said(self) -> Iterator[Said | Rejected | Notice]:
        """Yield every post of every file."""
        yield from read_members(self._exports, self._read, alone=self._alone)
        yield from read_members(self._answers, self._answer.read, alone=self._alone)
        self.counts.update(self._reader.counts)

    def _read(self, member: Member, stream: BinaryIO) -> Iterator[Said | Rejected]:
        for line in json_lines(stream):
            place = f"{member.locator}:{line.number}"
            if line.value is None:
                yield Rejected(locator=place, reason=line.reason)
                continue
            kind = words_of(line.value.get("type"))
            if kind in _POSTS:
                yield from records_at(place, self._post, kind, object_of(line.value.get(kind)), place)
            elif kind not in _LISTED:
                yield Rejected(locator=place, reason="a line of a type that is not known")

    def _post(self, kind: str, post: dict[str, Any], place: str) -> Iterator[Said | Rejected]:
        if kind == "post":
            chat, metadata = self._lists.chat(words_of(post.get("team")), words_of(post.get("channel")))
        else:
            chat, metadata = self._lists.private(members_of(post), self._accounts)
        result = self._reader.read(post, chat, None)
        yield Said(chat, metadata, result, place)
        thread = None if isinstance(result, str) else str(result["id"])
        for number, entry in enumerate(list_of(post.get("replies"))):
            yield Said(chat, metadata, self._reader.read(object_of(entry), chat, thread), f"{place}#/replies/{number}")
