"""Of every format: an unexpected error at one record costs that record alone, and errors of the disk and the machine pass."""

from __future__ import annotations

import asyncio
import importlib
import inspect
import sys
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any, NoReturn

import pytest
from pydantic import ValidationError

from memd.connectors.connector import Connector
from memd.connectors.formats.mail.documents import User
from memd.connectors.live.imap.mails import FetchedMail, documents_of
from memd.connectors.live.telegram.documents import read_updates
from memd.connectors.reading.read_path import read_records
from memd.connectors.reading.registry import default_connectors
from memd.connectors.record_faults import Failure, attempt, attempt_all, document_of, or_reason
from memd.schemas import ConversationDocument, DocumentCollectionDocument, Notice, Rejected
from memd.schemas.errors import InvalidError, SourceError
from memd.tests.cases import for_each
from memd.tests.connectors.live.telegram.bot_api import BOT, message
from memd.tests.connectors.mail.reading import mail
from memd.tests.connectors.telegram.exports import OPTIONS
from memd.tests.contracts.connector import Shelf
from memd.tests.fuzz.contract_samples import readers_by_format, samples_by_format

ERRORS = [
    RuntimeError("private"),
    ValidationError.from_exception_data("private", []),
    RecursionError("private"),
    OverflowError("private"),
]
PASSING = [
    OSError("no space left on device"),
    MemoryError(),
    SourceError("gone"),
    InvalidError("wrong"),
    KeyboardInterrupt(),
    asyncio.CancelledError(),
]
OF_SEVERAL = ("chat", "turns_chat", "_call", "captions_document", "activity_of", "_value_records")
"""What reads a record of several messages: a whole chat, a question with its answer."""
READERS = readers_by_format()


@dataclass
class Reading:
    """What a source gave."""

    messages: Counter[str]
    """The contents of messages, and the ids of texts."""
    rejected: list[Rejected]


def reading_of(connector: Connector, shelf: Shelf) -> Reading:
    """Every message, a text being one, and every rejection."""
    found = Reading(Counter(), [])
    for record in connector.read(shelf, OPTIONS):
        if isinstance(record, Rejected):
            found.rejected.append(record)
        elif isinstance(record, ConversationDocument):
            found.messages.update(message.content for message in record.messages)
        elif not isinstance(record, Notice | DocumentCollectionDocument):
            found.messages[record.id] += 1
    return found


def code_of(name: str) -> CodeType:
    """The code of a function of the connectors."""
    module, _, path = name.partition(":")
    found: Any = importlib.import_module(f"memd.connectors.formats.{module}")
    for part in path.split("."):
        found = getattr(found, part)
    code = inspect.unwrap(found).__code__
    assert isinstance(code, CodeType)
    return code


@contextmanager
def calls_of(code: CodeType, error: BaseException | None = None, fails: int = -1) -> Generator[list[int]]:
    """Count the calls of a function; the one of an index raises the error."""
    calls = [0]
    frames: set[FrameType] = set()  # that of a generator is called each time it goes on

    def trace(frame: FrameType, event: str, _argument: Any) -> None:
        if event == "call" and frame.f_code is code and frame not in frames:
            frames.add(frame)
            calls[0] += 1
            if error is not None and calls[0] - 1 == fails:
                raise error

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield calls
    finally:
        sys.settrace(before)


def test_each_format_is_listed() -> None:
    """A new connector says what reads a record of it."""
    assert READERS.keys() == {each.name for each in default_connectors()}


@pytest.mark.slow
@for_each([(name, place) for name, places in READERS.items() for place in places])
def test_an_error_while_a_record_is_read_costs_that_record(name: str, place: str) -> None:
    """All others are there, and the rejection tells the kind of the error and nothing of the record."""
    connector, samples = samples_by_format()[name]
    code, tried = code_of(place), 0
    for files in samples:
        whole = reading_of(connector, Shelf("x", files))
        with calls_of(code) as calls:
            reading_of(connector, Shelf("x", files))
        # Some files are gone through twice: the record counts that is read in the end.
        for fails in range(max(calls[0] - (2 if calls[0] > 2 else 1), 0), calls[0]):
            for error in ERRORS:
                with calls_of(code, error.with_traceback(None), fails):
                    now = reading_of(connector, Shelf("x", files))
                told = [each.reason for each in now.rejected if "memd failed to read it" in each.reason]
                lost = whole.messages - now.messages
                assert not now.messages - whole.messages, (files, fails)
                assert lost.total() <= 1 or place.endswith(OF_SEVERAL), (lost, fails)
                assert len(told) == 1, (now.rejected, fails)
                assert type(error).__name__ in told[0]
                assert "private" not in told[0]
                tried += 1
    assert tried, "no sample has such a record"


def chosen(messages: Any, content: str) -> bool:
    """Whether one of the messages has this content."""
    return any(each["content"] == content for each in messages)


@pytest.mark.slow
@for_each([name for name in READERS if name != "documents"])  # whose documents are read as a whole
def test_a_message_of_which_no_document_can_be_made_is_left_out_alone(name: str) -> None:
    """Its day, thread or chat has all others."""
    connector, samples = samples_by_format()[name]
    make = ConversationDocument.model_validate.__func__
    for files in samples:
        whole = reading_of(connector, Shelf("x", files))
        in_chats = [content for content, count in whole.messages.items() if count == 1]
        for content, error in zip(in_chats[:: max(1, len(in_chats) // 4)], [*ERRORS, *ERRORS], strict=False):
            failed = False

            def fail(model: Any, plain: Any, content: str = content, error: Exception = error) -> Any:
                nonlocal failed
                if chosen(plain["conversation"]["conversation"], content):
                    failed = True
                    raise error.with_traceback(None)
                return make(model, plain)

            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(ConversationDocument, "model_validate", classmethod(fail))
                now = reading_of(connector, Shelf("x", files))
            if failed:  # a text is no conversation
                told = [each.reason for each in now.rejected if type(error).__name__ in each.reason]
                assert len(told) == 1, now.rejected
                assert "private" not in told[0]
                assert whole.messages - now.messages == Counter([content])
                assert not now.messages - whole.messages


@pytest.mark.parametrize("place", ["mail.message:parse_message", "mail.documents:spooled_form"])
def test_of_an_account_of_mail_one_is_rejected(place: str) -> None:
    """The others of its batch are documents, each with its place in the folder."""
    mails = [
        FetchedMail(f"imap:INBOX:{uid}", mail(Message_ID=f"<m{uid}@example.com>", Subject=f"{uid}"), False, (), uid)
        for uid in (1, 2, 3)
    ]
    with calls_of(code_of(place), RuntimeError("private"), 1):
        found = documents_of(mails, User("Ann"), OPTIONS, "imap:INBOX")
    assert [each.locator for each in found.rejected] == ["imap:INBOX:2"]
    assert [document.id for document in found.documents] == ["mail:m1@example.com", "mail:m3@example.com"]
    assert [each.uid for each, _, _ in found.places] == [1, 3]


def test_of_an_account_of_mail_one_of_which_no_document_can_be_made_has_no_place() -> None:
    """Its thread has the others."""
    make = ConversationDocument.model_validate.__func__

    def fail(model: Any, plain: Any) -> Any:
        if chosen(plain["conversation"]["conversation"], "bad\n"):
            raise RuntimeError("private")
        return make(model, plain)

    mails = [
        FetchedMail(f"imap:INBOX:{uid}", mail(text, Message_ID=f"<m{uid}@x>", References="<m0@x>"), False, (), uid)
        for uid, text in ((1, "good\n"), (2, "bad\n"))
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ConversationDocument, "model_validate", classmethod(fail))
        found = documents_of(mails, User("Ann"), OPTIONS, "imap:INBOX")
    assert [each.locator for each in found.rejected] == ["mail:m2@x"]
    assert [len(document.messages) for document in found.documents if isinstance(document, ConversationDocument)] == [1]
    assert [each.uid for each, _, _ in found.places] == [1]


def test_of_an_account_of_telegram_one_is_rejected() -> None:
    """The other updates are documents."""
    updates = [{"update_id": number, "message": message(number, text=f"words {number}")} for number in (1, 2, 3)]
    with calls_of(code_of("telegram.message:MessageReader.read"), RuntimeError("private"), 1):
        found = read_updates(updates, BOT, OPTIONS, "telegram:@keeper_bot")
    assert [each.locator for each in found.rejected] == ["telegram:@keeper_bot: update 2"]
    assert [each.content for document in found.documents for each in document.messages] == ["words 1", "words 3"]


@for_each(PASSING)
def test_an_error_of_an_operation_passes(error: BaseException) -> None:
    """What the disk, the machine or whoever ends the reading says is no fault of a record."""

    def read() -> NoReturn:
        raise error

    def read_all() -> Iterator[int]:
        yield 1
        raise error

    def make(_messages: object) -> NoReturn:
        raise error

    calls: list[Callable[[], object]] = [
        or_reason(read),
        lambda: attempt(read),
        lambda: list(attempt_all(read_all)),
        lambda: list(document_of(make, [{}], str)),
    ]
    for call in calls:
        with pytest.raises(type(error)) as told:
            call()
        assert told.value is error


def test_what_was_read_of_a_record_before_its_error_is_kept() -> None:
    """The failure stands behind it."""

    def read() -> Iterator[int]:
        yield 1
        raise ValueError("private")

    one, failure = attempt_all(read)
    assert one == 1
    assert isinstance(failure, Failure)
    assert failure.startswith("memd failed to read it: ValueError")


def test_messages_that_fail_only_together_are_all_rejected() -> None:
    """None is lost without a word."""

    def make(messages: Sequence[object]) -> str:
        if len(messages) > 1:
            raise ValueError("private")
        return ""

    told = list(document_of(make, [{}, {}], lambda index: f"a#/{index}"))
    assert [each.locator for each in told if isinstance(each, Rejected)] == ["a#/0", "a#/1"]


def test_a_connector_that_fails_beside_its_records_costs_the_rest_of_its_export() -> None:
    """The other exports of the source are read."""
    chat = b"[20/01/22, 10:00:00] Ann: hello\n[20/01/22, 10:01:00] Bo: hi\n"
    log = b"2024-01-15 12:00:00 <ann> hello\n2024-01-15 12:01:00 <bo> hi\n"
    shelf = Shelf("x", {"a/_chat.txt": chat, "b/log.txt": log})
    with calls_of(code_of("whatsapp.scan:scan_chat"), RuntimeError("private"), 0):
        records = list(read_records(shelf, OPTIONS))
    (refused,) = [each for each in records if isinstance(each, Rejected)]
    assert refused.reason.startswith("memd failed to read it: RuntimeError")
    assert refused.reason.endswith("what follows was not read")
    assert [each.id for each in records if isinstance(each, ConversationDocument)] == ["irc:log:2024-01-15"]
