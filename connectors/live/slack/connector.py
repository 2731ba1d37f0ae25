"""A Slack workspace as a source that is pulled, with the token of one of its members.

Nothing is changed there, and nothing is marked as read. What an app of one's own may read is told in ``manifest.yaml``.
"""

from __future__ import annotations

import re
import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import anyio

from ...connector import ReadOptions
from ...errors import RateLimitError
from ...formats.slack.values import text_of
from ..contract import AccountPart, AccountView, Batch, LiveAccount, WatchedConnector
from .cursor import Position
from .directory import Directory
from .documents import NAME
from .listing import Listing
from .questions import PAGE, Questions
from .reading import Reading
from .socket_mode import Event, EventSocket
from .web_api import Login, SlackServer, open_api

if TYPE_CHECKING:
    from .settings import SlackSettings

MANIFEST = Path(__file__).with_name("manifest.yaml")
"""The permissions that the user's own Slack app needs: https://docs.slack.dev/reference/app-manifest."""
FRESH_S = 3_000.0
"""The age in seconds up to which lists of people and conversations are used for events without another request."""
LOOK_WAIT_S = 120.0
"""The limit in seconds on all pauses of one look together."""
_SCOPE = re.compile(r"^ +- ([a-z]+:[a-z.]+)", re.MULTILINE)


def open_account(source: SlackSettings, secrets: Mapping[str, str], options: ReadOptions) -> SlackAccount:
    """Return a connector for the workspace of a source."""
    server = SlackServer(source.api_url) if source.api_url else SlackServer()
    read_options, app_token = options.of_connector("slack"), secrets.get("app_token", "")
    return SlackAccount(server, secrets.get("token", ""), read_options, app_token=app_token, chosen=source.folders)


class SlackAccount:
    """Reads the part of a workspace that one person sees.

    Args:
        server: where the Web API is.
        token: of the person (``xoxp-``).
        options: the zone.
        app_token: of the app (``xapp-``), for what it is told by itself; empty: it is told nothing.
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
        app_token: str = "",
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
        self._socket = EventSocket(server, app_token) if app_token else None
        self._listing: Listing | None = None
        """The lists, read as far as Slack has permitted so far."""
        self._known: _Known | None = None
        self._unknown: dict[str, float] = {}
        """People and conversations of events that no list named, with the time: they are not looked for again so soon."""

    async def look(self) -> AccountView:
        """Return the owner of the token, its permissions and the conversations.

        Raises:
            As `pull`.
        """
        if self._socket is not None:
            await self._socket.check()
        async with open_api(self._server, self._token) as api:
            login = await api.login()
            listing, left = Listing(login, self._chosen, self._now()), LOOK_WAIT_S
            async with aclosing(listing.fill(Questions(api, Position(), self._now, self._page))) as pauses:
                async for pause in pauses:
                    left -= pause.seconds
                    if left < 0:
                        raise RateLimitError(pause.why, retry_after_s=pause.seconds)
                    await anyio.sleep(pause.seconds)
            directory = listing.directory
        parts = tuple(AccountPart(each.channel.title, left_out=each.left_out) for each in directory.conversations)
        at_once = [] if self._socket is None else ["the token of the app is valid: memd is told at once what happens"]
        return AccountView(parts, (*_told_of(login, directory), *at_once, *_refused(directory)))

    async def changes(self) -> AsyncGenerator[None, None]:
        """Yield a value when Slack is connected, and whenever it sent something that a pull of this object would give.
        Without an app token nothing is sent, and this ends.

        Raises:
            AuthorizationError: the token of the app is not valid (any more).
            UnavailableError: Slack cannot be reached, or answers nonsense.
        """
        if self._socket is not None:
            async with aclosing(self._socket.told()) as events:
                async for _ in events:
                    yield

    def retire(self) -> None:
        """Another object reads the workspace from now on: `changes` ends with an UnavailableError. For any thread."""
        if self._socket is not None:
            self._socket.end()

    def pull(self, cursor: str | None) -> AsyncGenerator[Batch, None]:
        """Yield the new messages of each conversation, replies in old threads, older messages, and one conversation
        once more.

        Raises:
            AuthorizationError: the token is not valid (any more), or, behind all batches, that of the app.
            ConfigError: the packages for Slack are not installed.
            RateLimitError: Slack wants to be asked later, before anything was read.
            UnavailableError: it cannot be reached, or answers nonsense.
            UntrustedCertificateError: its certificate is not trusted.
        """
        return self._pulled(cursor, None)

    def pull_told(self, cursor: str | None) -> AsyncGenerator[Batch, None]:
        """Yield the events that wait, if the lists of people and conversations are known; otherwise as `pull`.

        Raises:
            As `pull`.
        """
        return self._pulled(cursor, None if cursor is None else self._known_of_events())

    async def _pulled(self, cursor: str | None, lists: _Known | None) -> AsyncGenerator[Batch, None]:
        async with open_api(self._server, self._token) as api:
            events = () if self._socket is None else self._socket.waiting
            login = await api.login() if lists is None else lists.login
            position = Position.of_text(cursor).of_login(login.team, login.user)
            questions = Questions(api, position, self._now, self._page)
            if lists is None:
                listing = self._listing_of(login)
                async with aclosing(listing.fill(questions)) as pauses:
                    async for pause in pauses:
                        yield Batch(pause=pause)
                directory, self._listing = listing.directory, None
            else:
                directory = lists.directory
            reading = Reading(questions, directory, position, self._options, self._now, self._socket)
            async with aclosing(reading.batches() if lists is None else reading.heard()) as batches:
                async for batch in batches:
                    yield batch
            if self._socket is not None:  # what could be read is read by now
                await self._socket.check_again()
            if lists is None:
                self._known = _Known(login, directory, self._now())
                self._unknown |= {each: self._now() for event in events for each in self._known.unnamed(event)}

    def _listing_of(self, login: Login) -> Listing:
        """Return the lists as far as an earlier reading came, or new ones."""
        listing = self._listing
        if listing is None or listing.login != login or self._now() - listing.begun > FRESH_S:
            listing = self._listing = Listing(login, self._chosen, self._now())
        return listing

    def _known_of_events(self) -> _Known | None:
        """Return the lists from an earlier reading if only events are to be read and the lists name all people and
        conversations in them, or it was found recently that they are in no list.
        """
        lists, socket = self._known, self._socket
        if lists is None or socket is None or self._now() - lists.read_at > FRESH_S:
            return None
        events = socket.waiting
        self._unknown = {each: at for each, at in self._unknown.items() if self._now() - at <= FRESH_S}
        unnamed = {each for event in events for each in lists.unnamed(event)}
        return lists if events and unnamed <= self._unknown.keys() else None


@dataclass(frozen=True, slots=True)
class _Known:
    """A workspace as it was when it was read as a whole."""

    login: Login
    directory: Directory
    read_at: float

    def unnamed(self, event: Event) -> list[str]:
        """Return the ids of an event's person and conversation that are in no list."""
        user = text_of(event.event, "user")
        is_listed = any(each.channel.id == event.channel for each in self.directory.conversations)
        ids = [] if is_listed else [event.channel]
        return ids if not user or self.directory.people.knows(user) else [*ids, user]


def _told_of(login: Login, directory: Directory) -> list[str]:
    """Return notes on the owner of the token and its permissions, compared with those that memd needs."""
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
    """Return notes on the kinds and conversations that cannot be seen, with the reasons."""
    notes = [f"{title} cannot be listed: {reason}" for title, reason in directory.refused]
    return notes + [f"the workspace shows no conversation {name!r}" for name in directory.missing()]


if TYPE_CHECKING:
    _: type[LiveAccount] = SlackAccount
    _watched: type[WatchedConnector] = SlackAccount
