"""Transcripts of video calls: a conversation that has a start, an end and a platform."""

from __future__ import annotations

from typing import Literal

from .conversation import ConversationDocument
from .message import ConversationMessage
from .model import Text
from .times import Instant, rfc3339


class VideoCallDocument(ConversationDocument):
    """The transcript of a call. Raises ``pydantic.ValidationError`` as a conversation does.

    ``kind`` tells it from a conversation on the wire. What memd keeps of it is ``as_conversation()``.
    """

    kind: Literal["video_call"] = "video_call"
    start: Instant | None = None
    end: Instant | None = None
    platform: Text = ""
    """``zoom``, ``meet``, ``teams``; empty where the transcript does not tell."""

    @property
    def transcript(self) -> tuple[ConversationMessage, ...]:
        """The messages of the call, in the order of the transcript."""
        return self.messages

    def as_conversation(self) -> ConversationDocument | None:
        """The conversation, with start, end and platform in its metadata."""
        metadata = dict(self.metadata)
        times = (("start", self.start), ("end", self.end))
        details = {key: rfc3339(time) for key, time in times if time is not None}
        if self.platform:
            details["platform"] = self.platform
        return ConversationDocument.model_construct(
            id=self.id, conversation=self.conversation, tags=self.tags, metadata={**details, **metadata}
        )

    @property
    def _kind(self) -> dict[str, str]:
        return {"kind": self.kind}
