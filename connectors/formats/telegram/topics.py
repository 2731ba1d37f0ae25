"""Topics of a forum: which one a message belongs to, by the chain of answers up to the message that created it."""

from __future__ import annotations

_REMEMBERED = 200_000
"""Messages whose topic is remembered, the latest: answers to older ones have no topic."""


class Topics:
    """The topics of one chat, in the order of the export."""

    def __init__(self) -> None:
        self._titles: dict[int, str] = {}
        self._of: dict[int, int] = {}

    def of(self, number: int, replied: int | None, created: str | None) -> tuple[int | None, str]:
        """The topic's id and title for a message that answers ``replied``; ``created`` is the title of a new topic."""
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
