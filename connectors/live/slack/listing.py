"""Asking for the lists of people and conversations of a workspace."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from ...slack.values import objects_of
from ..contract import Pause
from .directory import KINDS, Directory
from .questions import Questions, next_cursor
from .web_api import PartError

_PAGE = 200
"""Entries at once, as Slack recommends (https://docs.slack.dev/apis/web-api/pagination)."""
_MOST_PAGES = 2_000
_PEOPLE = "names of people"


async def fill(directory: Directory, questions: Questions) -> AsyncGenerator[Pause, None]:
    """Read the lists into a directory; yields how long to wait before the next question. What is refused is noted there.

    Raises:
        AuthorizationError: the token is not valid (any more).
        UnavailableError: Slack cannot be reached, or answers nonsense.
    """
    lists = [("users.list", "members", _PEOPLE, "")]
    lists += [("conversations.list", "channels", title, kind) for kind, title in KINDS.items()]
    for method, key, title, kind in lists:
        cursor = ""
        try:
            for _ in range(_MOST_PAGES):
                answer = await questions.ask(method, limit=_PAGE, cursor=cursor, types=kind)
                while isinstance(answer, Pause):
                    yield answer
                    answer = await questions.ask(method, limit=_PAGE, cursor=cursor, types=kind)
                (directory.add_conversations if kind else directory.add_people)(objects_of(answer, key))
                cursor = next_cursor(answer)
                if not cursor:
                    break
        except PartError as error:
            directory.refused.append((title, error.reason))
    directory.settle()
