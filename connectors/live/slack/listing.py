"""The lists of people and conversations of a workspace, requested over several readings if Slack demands long pauses."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence

from ...formats.slack.values import objects_of
from ..contract import Pause
from .directory import KINDS, Directory
from .questions import Questions, next_cursor
from .web_api import Login, PartError

_PAGE = 999
"""The number of entries per request: the most that Slack gives
(https://docs.slack.dev/reference/methods/conversations.list).
"""
_MOST_PAGES = 2_000
_LISTS = (
    ("users.list", "members", "names of people", ""),
    *(("conversations.list", "channels", title, kind) for kind, title in KINDS.items()),
)


class Listing:
    """Fills a directory from the lists of a workspace. After an interruption it continues from the same place.

    Args:
        login: whose token it is.
        chosen: titles or ids of conversations that alone are read.
        begun: when, in seconds since 1970.
    """

    def __init__(self, login: Login, chosen: Sequence[str], begun: float) -> None:
        self.login = login
        self.begun = begun
        self._chosen = chosen
        self._restart()

    def _restart(self) -> None:
        self.directory = Directory(self.login.user, self._chosen)
        self._left = list(_LISTS)
        self._cursor = ""
        self._pages = 0

    async def fill(self, questions: Questions) -> AsyncGenerator[Pause, None]:
        """Read the remaining lists; yield the pauses before the next request. Refused lists are recorded in the
        directory.

        Raises:
            AuthorizationError: the token is not valid (any more).
            UnavailableError: Slack cannot be reached, or answers nonsense.
        """
        is_resumed = bool(self._cursor)
        while self._left:
            method, key, title, kind = self._left[0]
            try:
                answer = await questions.ask(method, limit=_PAGE, cursor=self._cursor, types=kind)
            except PartError as error:
                if is_resumed and error.code == "invalid_cursor":  # too old by now
                    is_resumed = False
                    self._restart()
                    continue
                self.directory.refused.append((title, error.reason))
                self._next_list()
                continue
            if isinstance(answer, Pause):
                yield answer
                continue
            is_resumed = False
            (self.directory.add_conversations if kind else self.directory.add_people)(objects_of(answer, key))
            self._cursor = next_cursor(answer)
            self._pages += 1
            if not self._cursor or self._pages >= _MOST_PAGES:
                self._next_list()
        self.directory.settle()

    def _next_list(self) -> None:
        del self._left[0]
        self._cursor, self._pages = "", 0
