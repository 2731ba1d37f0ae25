"""Questions to Slack at the pace that it permits: answers, or how long to wait before the same is asked again."""

from __future__ import annotations

from collections.abc import Callable

from ...errors import RateLimitError
from ...formats.slack.values import JSONObject, object_of, objects_of, text_of
from ..contract import Pause
from .cursor import Position
from .web_api import WebApi

PAGE = 999
"""The number of messages per request: the most that Slack gives
(https://docs.slack.dev/reference/methods/conversations.history).
"""
THROTTLED_PAGE = 15
"""Messages that an app gets at once, once a minute, which was made for others and is not in Slack's marketplace."""
THROTTLED_S = 60.0
RATE_LIMIT_S = 30.0
"""The seconds to wait if Slack does not say how long."""
THROTTLED_WHY = "Slack lets this app read 15 messages a minute"
_SLOW = frozenset({"conversations.history", "conversations.replies"})


class Questions:
    """Asks, and knows when it may not.

    Args:
        api: is asked.
        position: remembers the pace over restarts.
        now: seconds since 1970.
        page: messages at once.
    """

    def __init__(self, api: WebApi, position: Position, now: Callable[[], float], page: int = PAGE) -> None:
        self._api = api
        self._position = position
        self._now = now
        self._page = page

    @property
    def is_throttled(self) -> bool:
        """Return whether Slack limits this app to one request a minute."""
        return bool(self._position.throttled)

    async def ask(self, method: str, **arguments: str | int) -> JSONObject | Pause:
        """Return the answer of a method, or the pause before it may be called again.

        Raises:
            As `WebApi.ask`, but for limits.
        """
        wait = self._position.throttled.get(method, 0.0) - self._now()
        if wait > 0:
            return Pause(min(wait, THROTTLED_S), THROTTLED_WHY, usual=True)
        try:
            answer = await self._api.ask(method, **{name: each for name, each in arguments.items() if each != ""})
        except RateLimitError as error:
            seconds = RATE_LIMIT_S if error.retry_after_s is None else error.retry_after_s
            if self.is_throttled and method in _SLOW:
                return Pause(seconds, THROTTLED_WHY, usual=True)
            return Pause(seconds, error.message)
        if method in self._position.throttled:
            self._position.throttled[method] = self._now() + THROTTLED_S
        return answer

    async def messages(self, method: str, channel: str, **arguments: str | int) -> JSONObject | Pause:
        """Return a page of messages. A page that is as small as those for throttled apps, and not the last, shows the
        rate limit.
        """
        answer = await self.ask(method, channel=channel, limit=self._page, **arguments)
        if isinstance(answer, Pause) or self._page <= THROTTLED_PAGE:
            return answer
        count = len(messages_of(answer))
        if count > THROTTLED_PAGE + 1:  # an answer with replies has the first message beside them
            self._position.throttled.clear()
        elif has_more(answer) and count and not self.is_throttled:
            self._position.throttled.update(dict.fromkeys(_SLOW, self._now() + THROTTLED_S))
        return answer


def messages_of(answer: JSONObject) -> list[JSONObject]:
    """Return the messages of a page."""
    return objects_of(answer, "messages")


def next_cursor(answer: JSONObject) -> str:
    """Return Slack's cursor of the next page; empty if there is none."""
    return text_of(object_of(answer, "response_metadata"), "next_cursor")


def has_more(answer: JSONObject) -> bool:
    """Return whether there is another page."""
    return answer.get("has_more") is True or bool(next_cursor(answer))
