"""One reading of a workspace: new messages, replies in old threads, older messages, and one conversation once more."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from contextlib import aclosing

import anyio.to_thread

from ....schemas import Notice
from ...connector import ReadOptions
from ...errors import UnavailableError
from ...formats.slack.values import JSONObject, microseconds_of, object_of, text_of
from ..contract import Batch, Pause
from .cursor import NOTHING, Audit, ChannelPosition, Position, Round
from .directory import Conversation, Directory
from .documents import place_of, read_messages, threads_of
from .questions import THROTTLED_S, THROTTLED_WHY, Questions, has_more, messages_of, next_cursor
from .search import Sweep
from .socket_mode import Event, EventSocket
from .web_api import PartError

ROUND_S = 3_600.0
"""The seconds for which an interrupted reading is continued; after that, new messages come first again."""
SHARE_OF_NEWS = 4.0
"""The inverse of the largest share of requests for new messages, if Slack permits one request a minute."""
AUDIT_AFTER_S = 86_400
"""The least number of seconds between two complete readings of a conversation."""
MARGIN_S = 86_400
"""The seconds before the previous audit that are checked again, since clocks differ."""
GATHERED = 1_000
"""The number of messages of threads that are given out together."""
_LAST = "9999999999.999999"
_AGAIN = "Slack's server gives messages again that were read"
_GONE = frozenset({"thread_not_found", "message_not_found"})


class Reading:
    """Reads a workspace from a position on.

    Args:
        questions: asks Slack.
        directory: people and conversations.
        position: how far it was read; changes with each batch.
        options: the zone.
        now: seconds since 1970.
        socket: receives what happens.
    """

    def __init__(
        self,
        questions: Questions,
        directory: Directory,
        position: Position,
        options: ReadOptions,
        now: Callable[[], float],
        socket: EventSocket | None = None,
    ) -> None:
        self._questions = questions
        self._directory = directory
        self._position = position
        self._options = options
        self._now = now
        self._socket = socket
        self._readable = {each.channel.id: each for each in directory.conversations if not each.left_out}
        self._notices: list[Notice] = []
        self._answer: JSONObject | None = None
        self._is_gone = False
        self._saved = position.to_text(is_interrupted=True)
        self._told_throttled = False

    async def batches(self) -> AsyncGenerator[Batch, None]:
        """Yield everything that is to be read now.

        Raises:
            AuthorizationError: the token is not valid (any more).
            UnavailableError: Slack cannot be reached, or answers nonsense.
        """
        self._notices += self._not_listed()
        longest = max(ROUND_S, SHARE_OF_NEWS * THROTTLED_S * len(self._readable))
        if self._position.round is None or self._now() - self._position.round.begun > longest:
            self._position.round = Round(begun=int(self._now()))
        for step in (self.heard, self._news, self._sweep, self._threads, self._older, self._audit):
            async with aclosing(step()) as batches:
                async for batch in batches:
                    yield batch
        self._position.round = None
        if self._notices or self._position.to_text() != self._saved:
            yield self._batch()

    async def heard(self) -> AsyncGenerator[Batch, None]:
        """Yield the messages that Slack sent by itself. They are acknowledged when the next batch is requested, since
        they are stored by then.
        """
        while self._socket is not None and (events := self._socket.waiting):
            by_channel: dict[str, list[Event]] = {}
            for event in events:
                by_channel.setdefault(event.channel, []).append(event)
            for identifier, channel_events in by_channel.items():
                if (conversation := self._readable.get(identifier)) is not None:
                    records = [each.event for each in channel_events if text_of(each.event, "type") == "message"]
                    for each in channel_events:  # a reaction names its message by its stamp alone
                        if root := text_of(object_of(each.event, "item"), "ts"):
                            self._due(conversation, root)
                    yield await self.messages(conversation, records)
                await self._socket.acknowledge(channel_events)
        async with aclosing(self._threads()) as batches:
            async for batch in batches:
                yield batch

    async def messages(self, conversation: Conversation, records: Sequence[JSONObject]) -> Batch:
        """Return the batch of some messages, with the position as it is now."""
        team, options = self._position.team, self._options
        made = await anyio.to_thread.run_sync(
            read_messages, self._directory, team, conversation.channel, records, options
        )
        self._notices += made.notices
        batch = self._batch()
        return Batch(tuple(made.documents), batch.notices, tuple(made.rejected), batch.cursor)

    # --- what is new ---

    async def _news(self) -> AsyncGenerator[Batch, None]:
        """Yield the messages since the last reading; for a conversation that was never read, its newest messages."""
        assert self._position.round is not None
        looked_at = self._position.round.looked_at
        for conversation in list(self._readable.values()):
            async with aclosing(self._gap(conversation)) as batches:
                async for batch in batches:
                    yield batch
            if conversation.channel.id in looked_at:
                continue
            async with aclosing(self._newest(conversation, looked_at)) as batches:
                async for batch in batches:
                    yield batch

    async def _newest(self, conversation: Conversation, looked_at: list[str]) -> AsyncGenerator[Batch, None]:
        position = self._position.channels.get(conversation.channel.id)
        async for pause in self._history(conversation, oldest="" if position is None else position.newest):
            yield pause
        page = self._answer
        looked_at.append(conversation.channel.id)
        if page is None or (position is not None and position.gap_before):
            return
        records = messages_of(page)
        first, last = _first_and_last(records)
        if position is None:
            position = self._position.channels[conversation.channel.id] = ChannelPosition()
            self._position.audited[conversation.channel.id] = int(self._now())
            if has_more(page):
                position.backfill_before, position.backfill_cursor = first or _LAST, next_cursor(page)
        elif has_more(page) and first:
            position.gap_after, position.gap_before = position.newest, first
        position.newest = last or position.newest
        async with aclosing(self._page(conversation, records)) as batches:
            async for batch in batches:
                yield batch

    async def _gap(self, conversation: Conversation) -> AsyncGenerator[Batch, None]:
        """Yield the messages between the newest ones and those that were known before."""
        position = self._position.channels.get(conversation.channel.id)
        while position is not None and position.gap_before:
            async for pause in self._history(conversation, oldest=position.gap_after, latest=position.gap_before):
                yield pause
            if self._answer is None:
                return
            records, more = messages_of(self._answer), has_more(self._answer)
            first = _before(records, position.gap_before)
            position.gap_before = first if more else ""
            position.gap_after = position.gap_after if position.gap_before else ""
            async with aclosing(self._page(conversation, records)) as batches:
                async for batch in batches:
                    yield batch

    async def _older(self) -> AsyncGenerator[Batch, None]:
        """Yield the rest of each conversation, from its newest message to the oldest."""
        for conversation in self._readable.values():
            position = self._position.channels.get(conversation.channel.id)
            while position is not None and position.backfill_before:
                place = (
                    {"cursor": position.backfill_cursor}
                    if position.backfill_cursor
                    else {"latest": position.backfill_before}
                )
                async for pause in self._history(conversation, **place):
                    yield pause
                page = self._answer
                if page is None:
                    if not (position.backfill_cursor and self._is_readable(conversation)):
                        break
                    position.backfill_cursor = ""  # Slack does not know it any more
                    continue
                records = messages_of(page)
                first = _before(records, position.backfill_before)
                position.backfill_before = first if has_more(page) else ""
                position.backfill_cursor = next_cursor(page) if "cursor" in place else ""
                async with aclosing(self._page(conversation, records)) as batches:
                    async for batch in batches:
                        yield batch

    async def _page(self, conversation: Conversation, records: Sequence[JSONObject]) -> AsyncGenerator[Batch, None]:
        """Yield a page of messages, and the threads that begin or continue in it."""
        for root in threads_of(records):
            self._due(conversation, root)
        if records:
            yield await self.messages(conversation, records)
        async with aclosing(self._threads()) as batches:
            async for batch in batches:
                yield batch

    # --- threads ---

    def _due(self, conversation: Conversation, root: str, after: str = "") -> None:
        """Mark a thread as due, after a timestamp or as a whole."""
        key = f"{conversation.channel.id}:{root}"
        before = self._position.threads_due.get(key)
        if before is None or (microseconds_of(after) or 0) < (microseconds_of(before) or 0):
            self._position.threads_due[key] = after

    async def _threads(self) -> AsyncGenerator[Batch, None]:
        """Yield the threads that are due, several in one batch."""
        by_channel: dict[str, list[str]] = {}
        for key in self._position.threads_due:
            by_channel.setdefault(key.partition(":")[0], []).append(key)
        for identifier, keys in by_channel.items():
            if (conversation := self._readable.get(identifier)) is not None:
                async with aclosing(self._threads_of(conversation, keys)) as batches:
                    async for batch in batches:
                        yield batch

    async def _threads_of(self, conversation: Conversation, keys: Sequence[str]) -> AsyncGenerator[Batch, None]:
        gathered: list[JSONObject] = []
        for key in keys:
            cursor, after = "", self._position.threads_due[key]
            while True:
                root = key.partition(":")[2]
                async for pause in self._asked(
                    conversation, "conversations.replies", ts=root, oldest=after, cursor=cursor
                ):
                    if gathered:  # what was read is kept before anybody waits
                        yield await self.messages(conversation, gathered)
                        gathered = []
                    yield pause
                page = self._answer
                if page is None and not self._is_gone:  # refused for now: the thread stays due
                    if not (cursor and self._is_readable(conversation)):
                        break
                    cursor, after = "", self._position.threads_due[key]  # Slack does not know the cursor any more
                    continue
                records = [] if page is None else messages_of(page)
                gathered += records
                last = _first_and_last(records)[1]
                if page is None or not has_more(page) or not last:
                    del self._position.threads_due[key]
                    break
                self._position.threads_due[key] = _behind(last, self._position.threads_due[key])
                cursor = next_cursor(page)
                after = after if cursor else last
            if len(gathered) >= GATHERED:
                yield await self.messages(conversation, gathered)
                gathered = []
        if gathered:
            yield await self.messages(conversation, gathered)

    async def _sweep(self) -> AsyncGenerator[Batch, None]:
        """Find the threads with replies since the last look, however old the threads are."""
        assert self._position.round is not None
        if self._position.round.swept:
            return
        sweep = Sweep(self._position.swept_through, self._now())
        try:
            while (question := sweep.question()) is not None:
                answer = await self._questions.ask("search.messages", **question)
                if isinstance(answer, Pause):
                    yield self._pausing(answer)
                else:
                    sweep.take(answer)
        except PartError as error:
            hint = f"{error.reason}; replies in old threads are found when their conversation is read once more"
            self._notices.append(Notice(code="not-read", locator="slack: search", hint=hint))
            return
        for channel, root, after in sweep.found:
            if channel in self._readable:
                self._due(self._readable[channel], root, after)
        self._position.swept_through = sweep.reached
        self._position.round.swept = True

    # --- once more ---

    async def _audit(self) -> AsyncGenerator[Batch, None]:
        """Read the conversation whose last complete reading is oldest once more: for edits, and for replies that no
        search found.
        """
        audit = self._position.audit or self._next_audit()
        if audit is None or (conversation := self._readable.get(audit.channel)) is None:
            self._position.audit = None
            return
        self._position.audit = audit
        since = self._position.audited.get(audit.channel, 0) - MARGIN_S
        while True:
            async for pause in self._history(conversation, latest=audit.before):
                yield pause
            if (page := self._answer) is None:
                self._position.audit = None
                return
            records = messages_of(page)
            for root, latest in threads_of(records).items():
                if not latest or latest > since * 1_000_000:
                    self._due(conversation, root, f"{max(0, since)}.000000" if latest else "")
            audit.before = _before(records, audit.before or _LAST)
            is_last = not has_more(page)
            if is_last:
                self._position.audit = None
                self._position.audited[audit.channel] = audit.begun
            async with aclosing(self._page_again(conversation, records)) as batches:
                async for batch in batches:
                    yield batch
            if is_last:
                return

    async def _page_again(
        self, conversation: Conversation, records: Sequence[JSONObject]
    ) -> AsyncGenerator[Batch, None]:
        if records:
            yield await self.messages(conversation, records)
        async with aclosing(self._threads()) as batches:
            async for batch in batches:
                yield batch

    def _next_audit(self) -> Audit | None:
        before = self._now() - AUDIT_AFTER_S
        whole = [
            (self._position.audited.get(identifier, 0), identifier)
            for identifier, each in self._position.channels.items()
            if identifier in self._readable and each.is_whole and each.newest != NOTHING
        ]
        when, identifier = min(whole, default=(before + 1, ""))
        return Audit(channel=identifier, begun=int(self._now())) if when <= before else None

    # --- asking ---

    def _history(self, conversation: Conversation, **arguments: str) -> AsyncGenerator[Batch, None]:
        return self._asked(conversation, "conversations.history", **arguments)

    async def _asked(self, conversation: Conversation, method: str, **arguments: str) -> AsyncGenerator[Batch, None]:
        """Request a page of messages; yield the pauses. The answer is in ``_answer``: None if it was refused, with
        ``_is_gone`` if Slack has no such thread.
        """
        self._answer, self._is_gone = None, False
        if not self._is_readable(conversation):
            return
        while True:
            try:
                answer = await self._questions.messages(method, conversation.channel.id, **arguments)
            except PartError as error:
                self._is_gone = error.code in _GONE
                self._note_refusal(conversation, error)
                return
            if not isinstance(answer, Pause):
                break
            yield self._pausing(answer)
        self._answer = answer
        if self._questions.is_throttled and not self._told_throttled:
            self._told_throttled = True
            hint = f"{THROTTLED_WHY}: it goes on at that pace; an app that you make in your own workspace has no such limit"
            self._notices.append(Notice(code="throttled", locator="slack", hint=hint))

    def _is_readable(self, conversation: Conversation) -> bool:
        return conversation.channel.id in self._readable

    def _note_refusal(self, conversation: Conversation, error: PartError) -> None:
        if error.code in _GONE or error.code == "invalid_cursor":
            return
        self._readable.pop(conversation.channel.id, None)
        self._notices.append(Notice(code="not-read", locator=place_of(conversation.channel), hint=error.reason))

    def _not_listed(self) -> Iterable[Notice]:
        for title, reason in self._directory.refused:
            yield Notice(code="not-read", locator=f"slack: {title}", hint=reason)
        for name in self._directory.missing():
            yield Notice(code="not-read", locator=f"slack: {name}", hint="the workspace shows no such conversation")

    def _pausing(self, pause: Pause) -> Batch:
        batch = self._batch(is_interrupted=True)
        return Batch(notices=batch.notices, cursor=batch.cursor, pause=pause)

    def _batch(self, *, is_interrupted: bool = False) -> Batch:
        """Return a batch without documents: the pending notices, and the position."""
        notices, self._notices = tuple(self._notices), []
        # At one request a minute, no request is repeated after an interruption, either.
        self._saved = self._position.to_text(is_interrupted=is_interrupted or self._questions.is_throttled)
        return Batch(notices=notices, cursor=self._saved)


def _first_and_last(records: Sequence[JSONObject]) -> tuple[str, str]:
    """Return the timestamps of the earliest and the latest message; empty if there is none."""
    stamps = [(micros, text_of(each, "ts")) for each in records if (micros := microseconds_of(text_of(each, "ts")))]
    return (min(stamps)[1], max(stamps)[1]) if stamps else ("", "")


def _behind(last: str, before: str) -> str:
    """Return the timestamp up to which a thread was read.

    Raises:
        UnavailableError: it does not lie behind what was read before: the same would be read for ever.
    """
    if (microseconds_of(last) or 0) <= (microseconds_of(before) or 0):
        raise UnavailableError(_AGAIN)
    return last


def _before(records: Sequence[JSONObject], before: str) -> str:
    """Return the timestamp of the earliest message of a page.

    Raises:
        UnavailableError: it does not lie before the messages that were known: the same would be read for ever.
    """
    first = _first_and_last(records)[0]
    if not first:
        return ""
    if (microseconds_of(first) or 0) >= (microseconds_of(before) or 0):
        raise UnavailableError(_AGAIN)
    return first
