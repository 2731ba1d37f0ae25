"""Topics of a forum: a message's topic follows from its chain of replies, up to the message that created the topic."""

from __future__ import annotations

_REMEMBERED = 200_000
"""The maximum number of recent messages whose topic is remembered; replies to older ones have no topic."""


class Topics:
    """The topics of one chat, in the order of the export."""

    def __init__(self) -> None:
        self._titles: dict[int, str] = {}
        self._of: dict[int, int] = {}

    def of(self, number: int, replied: int | None, created: str | None) -> tuple[int | None, str]:
        """Return the topic's id and title of a message that replies to ``replied``; ``created`` is the title of a new
        topic.
        """
        if created is not None:
            self._titles[number] = created
            return number, created
        if not self._titles or replied is None:
            return None, ""
        topic = replied if replied in self._titles else self._of.get(replied)
        if topic is None:
            return None, ""
        self._of[number] = topic
        if len(self._of) > _REMEMBERED:
            del self._of[next(iter(self._of))]
        return topic, self._titles[topic]
