"""A workspace of Slack as a source that is pulled, with the token of one of its people.

Nothing is changed there, and nothing is marked as read. What an app of one's own may read is told in ``manifest.yaml``.
"""

from __future__ import annotations

import re
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING

from ...connector import ReadOptions
from ...errors import RateLimitError
from ..contract import AccountPart, AccountView, Batch, LiveAccount
from .cursor import Position
from .directory import Directory
from .documents import NAME
from .listing import fill
from .questions import PAGE, Questions
from .reading import Reading
from .web_api import Login, SlackServer, open_api

MANIFEST = Path(__file__).with_name("manifest.yaml")
"""What an app of one's own may read: https://docs.slack.dev/reference/app-manifest."""
_SCOPE = re.compile(r"^ +- ([a-z]+:[a-z.]+)", re.MULTILINE)


class SlackAccount:
    """Reads what a person sees of a workspace.

    Args:
        server: where the Web API is.
        token: of the person (``xoxp-``).
        options: the zone.
        chosen: titles or ids of conversations that alone are read; none: all that the person is a member of.
        page: messages that are asked for at once.
        now: seconds since 1970.
    """

    name = NAME

    def __init__(
        self,
        server: SlackServer,
        token: str,
        options: ReadOptions,
        *,
        chosen: Sequence[str] = (),
        page: int = PAGE,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._server = server
        self._token = token
        self._options = options
        self._chosen = chosen
        self._page = page
        self._now = now

    async def look(self) -> AccountView:
        """Whose token it is, what it permits, and which conversations there are.

        Raises:
            As `pull`.
        """
        async with open_api(self._server, self._token) as api:
            login = await api.login()
            directory = Directory(login.user, self._chosen)
            questions = Questions(api, Position(), self._now, self._page)
            async with aclosing(fill(directory, questions)) as pauses:
                async for pause in pauses:
                    raise RateLimitError(pause.why, retry_after_s=pause.seconds)
        parts = tuple(AccountPart(each.channel.title, left_out=each.left_out) for each in directory.conversations)
        return AccountView(parts, (*_told_of(login, directory), *_refused(directory)))

    async def pull(self, cursor: str | None) -> AsyncGenerator[Batch, None]:
        """What is new in each conversation, replies in old threads, older messages, and one conversation once more.

        Raises:
            AuthorizationError: the token is not valid (any more).
            ConfigError: the packages for Slack are not installed.
            RateLimitError: Slack wants to be asked later, before anything was read.
            UnavailableError: it cannot be reached, or answers nonsense.
            UntrustedCertificateError: its certificate is not trusted.
        """
        async with open_api(self._server, self._token) as api:
            login = await api.login()
            position = Position.of_text(cursor).of_login(login.team, login.user)
            questions = Questions(api, position, self._now, self._page)
            directory = Directory(login.user, self._chosen)
            async with aclosing(fill(directory, questions)) as pauses:
                async for pause in pauses:
                    yield Batch(pause=pause)
            reading = Reading(questions, directory, position, self._options, self._now)
            async with aclosing(reading.batches()) as batches:
                async for batch in batches:
                    yield batch


def _told_of(login: Login, directory: Directory) -> list[str]:
    """Whose token it is, and what it permits beside what memd asks for."""
    where = login.team_name or login.team
    address = f" ({login.address})" if login.address else ""
    wanted = _SCOPE.findall(MANIFEST.read_text(encoding="utf-8"))
    notes = [f"the token is that of {directory.user_name} in {where}{address}; nothing is changed there"]
    if login.scopes:
        notes.append(f"it permits: {', '.join(login.scopes)}")
        lacking = [scope for scope in wanted if scope not in login.scopes]
        if lacking:
            notes.append(f"it does not permit: {', '.join(lacking)}")
    return notes


def _refused(directory: Directory) -> list[str]:
    """What cannot be seen, and why."""
    found = [f"{title} cannot be listed: {reason}" for title, reason in directory.refused]
    return found + [f"the workspace shows no conversation {name!r}" for name in directory.missing()]


if TYPE_CHECKING:
    _: type[LiveAccount] = SlackAccount
