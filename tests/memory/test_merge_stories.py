"""Made-up chats, exported at several times while they are edited, deleted and renamed: what merging makes of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.memory.merge.plan import MergePlan, Stored, plan_conversation
from memd.memory.records import StoredMessage
from memd.schemas import Attachment, ConversationDocument, ConversationMessage

DAY = datetime(2024, 1, 15, tzinfo=UTC)
NEVER = 99


@dataclass(frozen=True)
class Told:
    """What happened to one message: ``edited`` and ``deleted`` are the export from which on it shows."""

    number: int
    speaker: str
    minute: int
    kind: str
    edited: int = NEVER
    deleted: int = NEVER

    def seen(self, export: int, renamed: int) -> ConversationMessage:
        """The message as an export shows it."""
        text, kind = f"words {self.number}", self.kind
        flags: dict[str, bool] = {}
        if kind == "media":
            text = "<Media omitted>"
        elif kind == "system":
            text = f"notice {self.number}"
        elif export >= self.deleted:
            text, kind, flags = "This message was deleted", "deleted", {"deleted": True}
        elif export >= self.edited:
            text, flags = f"better words {self.number}", {"edited": True}
        speaker = "(system)" if kind == "system" else self.speaker
        if speaker == "Bob" and export >= renamed:
            speaker = "Robert"
        return message(speaker, text, self.minute, kind=kind, **flags)


@dataclass(frozen=True)
class Story:
    """A chat, from which export on Bob is called Robert, and where the exports begin."""

    told: tuple[Told, ...]
    renamed: int
    begins: tuple[int, ...] = field(default=(0,))

    def exports(self) -> list[ConversationDocument]:
        """Each later export goes further; the last one goes to the end."""
        sizes = [len(self.told) * (n + 1) // len(self.begins) for n in range(len(self.begins))]
        found: list[ConversationDocument] = []
        for number, (begin, size) in enumerate(zip(self.begins, sizes, strict=True)):
            shown = self.told[min(begin, max(0, size - 1)) : max(1, size)]
            found.append(document([told.seen(number, self.renamed) for told in shown]))
        return found


def message(speaker: str, content: str, minute: int, **more: object) -> ConversationMessage:
    """A message of a source without ids."""
    plain = {"speaker": speaker, "content": content, "time": DAY + timedelta(minutes=minute)}
    return ConversationMessage.model_validate({**plain, "time_precision": "minute", "zone_origin": "assumed", **more})


def document(messages: list[ConversationMessage]) -> ConversationDocument:
    """A day of the chat."""
    people = tuple(dict.fromkeys([*(message.speaker for message in messages), "Ann"]))
    return ConversationDocument.model_validate(
        {
            "id": "whatsapp:Chat:2024-01-15",
            "conversation": {"source": "whatsapp", "people": people, "user": "Ann", "conversation": messages},
            "metadata": {"chat": "Chat", "title": "Chat"},
        }
    )


def merged(stored: Stored | None, incoming: ConversationDocument) -> tuple[Stored, MergePlan]:
    """Apply a plan as a store would; the result is a valid document."""
    plan = plan_conversation(stored, incoming, b"digest")
    assert plan is not None
    rows = {} if stored is None else {row.key: row for row in stored.messages}
    for key, position in plan.moved.items():
        rows[key] = StoredMessage(key, rows[key].document, position, rows[key].message)
    rows |= {row.key: row for row in (*plan.added, *plan.updated)}
    ordered = sorted(rows.values(), key=lambda row: row.position)
    assert [row.position for row in ordered] == list(range(len(ordered)))
    row = plan.document
    ConversationDocument.model_validate(
        {
            "id": row.id,
            "conversation": {
                "source": row.source,
                "people": row.people,
                "user": row.user,
                "conversation": tuple(item.message for item in ordered),
            },
        }
    )
    return Stored(plan.document, ordered), plan


def after(*documents: ConversationDocument) -> Stored:
    """What is stored after these."""
    stored: Stored | None = None
    for one in documents:
        stored, _ = merged(stored, one)
    assert stored is not None
    return stored


def everything(stored: Stored) -> Counter[str]:
    """All words that are kept, in force or as an earlier wording."""
    return Counter(
        words for row in stored.messages for words in (row.message.content, *(e.content for e in row.message.edits))
    )


def stories(*, changes: bool, apart: bool, renames: bool = False) -> st.SearchStrategy[Story]:
    """Chats of up to 14 messages in up to 3 exports; ``apart``: each message in a minute of its own."""

    @st.composite
    def build(draw: st.DrawFn) -> Story:
        count = draw(st.integers(2, 14))
        exports = draw(st.integers(2, 3))
        minute = 0
        told: list[Told] = []
        for number in range(count):
            minute += 1 if apart else draw(st.sampled_from((0, 0, 1, 3)))
            kind = draw(st.sampled_from(("text", "text", "text", "media", "system")))
            event = draw(st.integers(0, 7)) if changes and kind == "text" else 7
            when = draw(st.integers(1, exports - 1)) if event < 2 else NEVER
            speaker = draw(st.sampled_from(("Ann", "Bob")))
            fate = {0: {"edited": when}, 1: {"deleted": when}}.get(event, {})
            told.append(Told(number, speaker, minute, kind, **fate))
        begins = [draw(st.integers(0, count - 1)) for _ in range(exports)]
        renamed = draw(st.integers(1, exports)) if renames else NEVER
        return Story(tuple(told), renamed, tuple(begins))

    return build()


@pytest.mark.slow
@given(stories(changes=False, apart=False), st.randoms(use_true_random=False))
def test_windows_in_any_order_give_one_set_of_keys(story: Story, chance: Random) -> None:
    """Nothing is lost or doubled, wherever in a minute the exports begin, and the order does not matter."""
    exports = story.exports()
    shuffled = list(exports)
    chance.shuffle(shuffled)
    one, other = after(*exports), after(*shuffled)
    # Of files and notices, which have no words that tell them apart, `test_merging` counts more exactly.
    texts = [{row.key for row in stored.messages if row.message.kind == "text"} for stored in (one, other)]
    assert texts[0] == texts[1]
    kept = everything(one)
    assert {kept[row.message.content] for row in one.messages if row.message.kind == "text"} <= {1}
    assert all(words in kept for export in exports for words in _words(export))


def _words(export: ConversationDocument) -> list[str]:
    return [message.content for message in export.messages if message.kind != "media"]


@given(stories(changes=True, apart=True))
def test_edits_and_deletions_keep_one_key_each(story: Story) -> None:
    """With a minute for each message its place is certain: every message once, every wording kept."""
    exports = story.exports()
    stored = after(*exports)
    minutes = [row.message.time for row in stored.messages]
    assert minutes == sorted(set(minutes))
    kept = everything(stored)
    assert all(words in kept for export in exports for words in _words(export))
    last = {message.time: message for message in exports[-1].messages}
    for row in stored.messages:
        newest = last.get(row.message.time)
        if newest is not None:
            assert (row.message.content, row.message.deleted) == (newest.content, newest.deleted)


@given(stories(changes=False, apart=False, renames=True))
def test_a_renamed_contact_doubles_nothing(story: Story) -> None:
    """The author is not part of what a message is."""
    exports = story.exports()
    stored = after(*exports)
    kept = everything(stored)
    assert {kept[row.message.content] for row in stored.messages if row.message.kind == "text"} <= {1}


@given(stories(changes=True, apart=False, renames=True))
def test_no_wording_is_ever_lost(story: Story) -> None:
    """Whatever is taken for whatever: all words of all exports are there, in force or as an earlier wording."""
    exports = story.exports()
    kept = everything(after(*exports))
    assert all(words in kept for export in exports for words in _words(export))


@given(st.one_of(stories(changes=True, apart=True), stories(changes=False, apart=False, renames=True)))
def test_the_last_export_again_changes_nothing(story: Story) -> None:
    """Merging twice is merging once, also where the store has forgotten that it knows these very bytes."""
    exports = story.exports()
    stored = after(*exports)
    _, plan = merged(stored, exports[-1])
    assert (plan.added, plan.updated, plan.moved) == ((), (), {})


class TestPlaces:
    """What is an edit or a deletion, and what are two messages."""

    def test_a_deletion_takes_no_notice_of_the_app(self) -> None:
        """A system line and a deleted message at one place are two."""
        notice = message("(system)", "Ann changed the subject", 0, kind="system")
        gone = message("Bob", "This message was deleted", 0, kind="deleted", deleted=True)
        contents = [row.message.content for row in after(document([gone]), document([notice])).messages]
        assert sorted(contents) == ["Ann changed the subject", "This message was deleted"]

    def test_an_export_that_begins_at_a_deleted_message_finds_the_last_of_its_minute(self) -> None:
        """Everything after its first message would be in the later export, so the last one was deleted."""
        gone = message("Bob", "This message was deleted", 2, kind="deleted", deleted=True)
        old = document([message("Ann", "a", 1), message("Bob", "b", 2), message("Bob", "c", 2)])
        new = document([gone, message("Ann", "d", 3)])
        texts = [(row.message.content, [e.content for e in row.message.edits]) for row in after(old, new).messages]
        assert texts == [("a", []), ("b", []), ("This message was deleted", ["c"]), ("d", [])]

    def test_two_changes_side_by_side_are_told_apart_by_their_order(self) -> None:
        """Both readings cover the place, so first is first and second is second."""
        old = document([message("Ann", "a", 1), message("Bob", "b", 2), message("Bob", "c", 2), message("Ann", "d", 3)])
        new = document([message("Ann", "a", 1), message("Bob", "B", 2), message("Bob", "C", 2), message("Ann", "d", 3)])
        texts = [(row.message.content, [e.content for e in row.message.edits]) for row in after(old, new).messages]
        assert texts == [("a", []), ("B", ["b"]), ("C", ["c"]), ("d", [])]

    def test_a_renamed_contact_may_have_edited(self) -> None:
        """The rename is known from the other messages, so the edit is found by its author."""
        old = document([message("Bob", "a", 1), message("Bob", "at siv", 2)])
        new = document([message("Robert", "a", 1), message("Robert", "at six", 2, edited=True)])
        stored = after(old, new)
        assert [(row.message.speaker, row.message.content) for row in stored.messages] == [
            ("Robert", "a"),
            ("Robert", "at six"),
        ]


class TestOlderExports:
    """An older export after a newer one."""

    def test_a_shorter_export_does_not_bring_old_names_back(self) -> None:
        """It ends before what is stored, so its names are the older ones; what it adds gets the newer."""
        new = document([message("Robert", "bring bread", 2), message("Ann", "c", 3)])
        old = document([message("Bob", "a", 1), message("Bob", "bring bread", 2)])
        stored, plan = merged(after(new), old)
        assert [row.message.speaker for row in stored.messages] == ["Robert", "Robert", "Ann"]
        assert [(rename.old, rename.new) for rename in plan.renames] == [("Bob", "Robert")]
        assert stored.document.people == ("Robert", "Ann")


class TestFiles:
    """Media, cards and captions."""

    def test_a_deleted_file_keeps_its_name(self) -> None:
        """What it was is in the attachments and in the earlier wording."""
        file = message(
            "Bob", "IMG-1.jpg (file attached)\nour cat", 2, kind="media", attachments=(Attachment(name="IMG-1.jpg"),)
        )
        gone = message("Bob", "This message was deleted", 2, kind="deleted", deleted=True)
        around = message("Ann", "a", 1), message("Ann", "z", 3)
        stored = after(document([around[0], file, around[1]]), document([around[0], gone, around[1]]))
        kept = stored.messages[1].message
        assert (kept.deleted, kept.attachments[0].name) == (True, "IMG-1.jpg")
        assert [edit.content for edit in kept.edits] == ["IMG-1.jpg (file attached)\nour cat"]

    def test_an_edited_caption_keeps_the_older_one(self) -> None:
        """A caption is somebody's words."""

        def file(caption: str, **flags: object) -> ConversationDocument:
            attachments = (Attachment(name="IMG-1.jpg"),)
            text = f"IMG-1.jpg (file attached)\n{caption}"
            return document([message("Bob", text, 2, kind="media", attachments=attachments, **flags)])

        kept = after(file("our cta"), file("our cat", edited=True)).messages[0].message
        assert kept.content.endswith("our cat")
        assert [edit.content for edit in kept.edits] == ["IMG-1.jpg (file attached)\nour cta"]

    def test_a_contact_card_is_the_omitted_file_of_the_other_export(self) -> None:
        """An export without its files calls it media."""
        around = message("Ann", "a", 1), message("Ann", "z", 3)
        poor = message("Bob", "<Media omitted>", 2, kind="media")
        rich = message("Bob", "Zoe.vcf (file attached)", 2, kind="contact", attachments=(Attachment(name="Zoe.vcf"),))
        exports = [document([around[0], middle, around[1]]) for middle in (poor, rich)]
        for order in (exports, exports[::-1]):
            assert [row.message.kind for row in after(*order).messages] == ["text", "contact", "text"]

    def test_an_omitted_file_with_a_caption_is_the_attached_one(self) -> None:
        """An export without its files may show the caption below the placeholder as if it were all words."""
        around = message("Ann", "a", 1), message("Ann", "z", 3)
        poor = message("Bob", "<Media omitted>\nour cat", 2)
        attachments = (Attachment(name="IMG-1.jpg"),)
        rich = message("Bob", "IMG-1.jpg (file attached)\nour cat", 2, kind="media", attachments=attachments)
        exports = [document([around[0], middle, around[1]]) for middle in (poor, rich)]
        for order in (exports, exports[::-1]):
            kept = [row.message for row in after(*order).messages]
            assert [(found.kind, found.edits) for found in kept] == [("text", ()), ("media", ()), ("text", ())]
