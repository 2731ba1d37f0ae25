"""Merging exports: what is the same message, what is an edit, and that nothing is lost or doubled in any order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from memd.memory.merge.plan import MergePlan, Stored, plan_conversation, plan_text, shares_nothing
from memd.memory.merge.revisions import combine
from memd.memory.records import StoredMessage
from memd.schemas import UNTERMINATED, Attachment, ConversationDocument, ConversationMessage, TextDocument

DAY = datetime(2024, 1, 15, tzinfo=UTC)


def said(speaker: str, content: str, minute: int = 0, **more: object) -> ConversationMessage:
    """A message of a source without ids, at a minute of the day."""
    return ConversationMessage.model_validate(
        {
            "speaker": speaker,
            "content": content,
            "time": DAY + timedelta(minutes=minute),
            "time_precision": "minute",
            "zone_origin": "assumed",
            **more,
        }
    )


def day(*messages: ConversationMessage, user: str = "Ann") -> ConversationDocument:
    """A day of the chat."""
    people = dict.fromkeys([*(message.speaker for message in messages), user])
    return ConversationDocument.model_validate(
        {
            "id": "whatsapp:Chat:2024-01-15",
            "conversation": {"source": "whatsapp", "people": tuple(people), "user": user, "conversation": messages},
            "metadata": {"chat": "Chat", "title": "Chat"},
        }
    )


def merged(stored: Stored | None, document: ConversationDocument) -> tuple[Stored, MergePlan]:
    """Apply a plan as a store would."""
    plan = plan_conversation(stored, document, document.to_json()[:32])
    assert plan is not None
    before: Sequence[StoredMessage] = [] if stored is None else stored.messages
    rows = {row.key: row for row in before}
    for key, position in plan.moved.items():
        rows[key] = StoredMessage(key, rows[key].document, position, rows[key].message)
    rows |= {row.key: row for row in (*plan.added, *plan.updated)}
    return Stored(plan.document, sorted(rows.values(), key=lambda row: row.position)), plan


def after(*documents: ConversationDocument) -> Stored:
    """What is stored after these."""
    stored: Stored | None = None
    for document in documents:
        stored, _ = merged(stored, document)
    assert stored is not None
    return stored


def contents(stored: Stored) -> list[str]:
    """The texts in their order."""
    return [row.message.content for row in stored.messages]


class TestUnion:
    """Overlapping exports."""

    def test_the_same_day_again_changes_nothing(self) -> None:
        """A second merge of equal input adds, updates and moves nothing."""
        one = day(said("Ann", "hi"), said("Bob", "ok"), said("Bob", "ok"))
        _, plan = merged(after(one), one)
        assert (plan.added, plan.updated, plan.moved, plan.unchanged) == ((), (), {}, 3)

    def test_two_equal_messages_in_a_minute_stay_two(self) -> None:
        """A multiset, not a set; and a third is added when a later export has three."""
        two = day(said("Bob", "ok"), said("Bob", "ok"))
        three = day(said("Bob", "ok"), said("Bob", "ok"), said("Bob", "ok"))
        assert contents(after(two, two)) == ["ok", "ok"]
        assert contents(after(two, three)) == ["ok", "ok", "ok"]
        assert contents(after(three, two)) == ["ok", "ok", "ok"]

    def test_an_export_that_begins_in_the_middle_of_the_day_loses_nothing(self) -> None:
        """What only the older one has stays, in its place."""
        older = day(said("Ann", "a", 1), said("Bob", "b", 2), said("Ann", "c", 3))
        newer = day(said("Ann", "c", 3), said("Bob", "d", 4))
        assert contents(after(older, newer)) == ["a", "b", "c", "d"]
        assert contents(after(newer, older)) == ["a", "b", "c", "d"]

    def test_different_messages_at_the_rim_of_two_exports_are_not_taken_for_an_edit(self) -> None:
        """One export ends and another begins within the same minute: both messages stay."""
        assert contents(after(day(said("Ann", "a")), day(said("Ann", "b")))) == ["a", "b"]

    @given(
        st.lists(
            st.tuples(st.sampled_from(["Ann", "Bob"]), st.sampled_from(["ok", "hi", "no", "why"]), st.integers(0, 3)),
            min_size=1,
            max_size=24,
        ),
        st.lists(st.tuples(st.integers(0, 24), st.integers(1, 24)), min_size=1, max_size=4),
    )
    def test_windows_of_one_chat_merge_into_their_union_in_any_order(
        self, turns: list[tuple[str, str, int]], cuts: list[tuple[int, int]]
    ) -> None:
        """Of any windows of a true chat, every minute holds as many of each message as the window with the most, and not
        more than all windows together; where a window ends within a minute, one message may pass for another's edit.
        """
        truth = [said(*turn) for turn in sorted(turns, key=lambda turn: turn[2])]
        windows = [truth[start : start + size] for start, size in cuts if truth[start : start + size]]

        def tally(messages: Sequence[ConversationMessage]) -> Counter[tuple[str, str]]:
            return Counter((message.time.isoformat(), message.content) for message in messages)

        least: Counter[tuple[str, str]] = Counter()
        most: Counter[tuple[str, str]] = Counter()
        for window in windows:
            least |= tally(window)
            most += tally(window)
        for ordered in (windows, windows[::-1]) if windows else ():
            found = [row.message for row in after(*(day(*window) for window in ordered)).messages]
            earlier = Counter((each.time.isoformat(), edit.content) for each in found for edit in each.edits)
            assert least <= tally(found) + earlier
            assert tally(found) <= most


class TestEdits:
    """Other wordings of one message."""

    def test_an_edited_message_keeps_its_key_and_its_older_wording(self) -> None:
        """The newer wording is shown, the older one is in `edits`; the older export again changes nothing."""
        old = day(said("Ann", "a", 1), said("Bob", "at siv", 2), said("Ann", "c", 3))
        new = day(said("Ann", "a", 1), said("Bob", "at six", 2, edited=True), said("Ann", "c", 3))
        before, stored = after(old), after(old, new)
        assert [row.key for row in before.messages] == [row.key for row in stored.messages]
        message = stored.messages[1].message
        assert (message.content, message.edited, [e.content for e in message.edits]) == ("at six", True, ["at siv"])
        _, plan = merged(stored, old)
        assert (plan.added, plan.updated) == ((), ())

    def test_the_older_wording_after_the_newer_goes_into_edits(self) -> None:
        """The order of two exports does not decide which wording is the newer: the flag does."""
        old, new = day(said("Bob", "at siv")), day(said("Bob", "at six", edited=True))
        message = after(new, old).messages[0].message
        assert (message.content, [edit.content for edit in message.edits]) == ("at six", ["at siv"])

    def test_a_deleted_message_keeps_what_it_said(self) -> None:
        """The placeholder is shown, the words stay in `edits`."""
        gone = said("Bob", "This message was deleted", 2, kind="deleted", deleted=True)
        stored = after(day(said("Ann", "a", 1), said("Bob", "secret", 2)), day(said("Ann", "a", 1), gone))
        message = stored.messages[1].message
        assert (message.deleted, [edit.content for edit in message.edits]) == (True, ["secret"])
        assert len(stored.messages) == 2

    def test_an_unflagged_change_between_the_same_neighbours_is_an_edit(self) -> None:
        """Both sides cover the place, so it is one message."""
        old = day(said("Ann", "a"), said("Bob", "b"), said("Ann", "c"))
        new = day(said("Ann", "a"), said("Bob", "B!"), said("Ann", "c"))
        assert contents(after(old, new)) == ["a", "B!", "c"]

    def test_omitted_media_and_the_attached_file_are_one_message(self) -> None:
        """The richer reading wins, in either order."""
        poor = day(said("Bob", "<Media omitted>", kind="media"))
        rich = day(said("Bob", "IMG-1.jpg (file attached)", kind="media", attachments=(Attachment(name="IMG-1.jpg"),)))
        assert ["IMG-1.jpg (file attached)"] == contents(after(poor, rich)) == contents(after(rich, poor))


class TestPeople:
    """Names and the user."""

    def test_a_renamed_contact_is_the_same_person(self) -> None:
        """Keys stay, the new name is shown, and the rename is told to the store."""
        old, new = day(said("Bob", "hi", 1), said("Ann", "ho", 2)), day(said("Bob T", "hi", 1), said("Ann", "ho", 2))
        stored, plan = merged(after(old), new)
        assert [row.message.speaker for row in stored.messages] == ["Bob T", "Ann"]
        assert [(rename.old, rename.new) for rename in plan.renames] == [("Bob", "Bob T")]
        assert stored.document.people == ("Bob T", "Ann")
        assert plan.rewritten == {}

    def test_naming_the_user_later_changes_only_the_document(self) -> None:
        """`(me)` gives way to the name, never the other way round."""
        unknown, known = day(said("Bob", "hi"), user="(me)"), day(said("Bob", "hi"), user="Ann")
        stored, plan = merged(after(unknown), known)
        assert (stored.document.user, stored.document.people, plan.updated) == ("Ann", ("Bob", "Ann"), ())
        assert after(known, unknown).document.user == "Ann"

    def test_a_chat_of_the_same_name_that_shares_nothing_is_another_chat(self) -> None:
        """They cover a common time without one common message; a later part of the same day does not."""
        mine = day(said("Ann", "a", 1), said("Bob", "b", 9))
        other = day(said("Cleo", "x", 2), said("Dan", "y", 8))
        later = day(said("Ann", "z", 20))
        assert shares_nothing(after(mine), other)
        edited = day(said("Ann", "a", 1), said("Bob", "b", 5, edited=True), said("Ann", "c", 9))
        assert shares_nothing(after(edited), day(said("Cleo", "x", 2), said("Dan", "y", 5), said("Cleo", "z", 8)))
        assert not shares_nothing(after(mine), later)
        assert not shares_nothing(after(mine), mine)

    def test_a_piece_in_a_gap_of_what_is_stored_tells_nothing_if_its_people_are_known(self) -> None:
        """Three pieces of one chat may come with the middle one last; the user, who is in all chats, proves nothing."""
        ends = after(day(said("Ann", "a", 1), said("Bob", "b", 2)), day(said("Ann", "y", 8), said("Bob", "z", 9)))
        assert shares_nothing(ends, day(said("Bob", "m", 4), said("Ann", "n", 6))) is None
        assert shares_nothing(ends, day(said("Bob", "m", 2), said("Bob", "n", 8))) is None
        assert shares_nothing(ends, day(said("Ann", "m", 4), said("Cleo", "n", 6))) is True
        assert shares_nothing(ends, day(said("Ann", "m", 1), said("Bob", "n", 5))) is True
        unknown = after(day(said("Ann", "a", 1), said("Bob", "b", 9), user="(me)"))
        assert shares_nothing(unknown, day(said("Bob", "m", 4), said("Cleo", "n", 6), user="(me)")) is True


class TestIds:
    """Sources with ids of their own."""

    def test_messages_with_ids_are_matched_by_them_alone(self) -> None:
        """A changed time and wording is still that message."""
        old = day(said("Bob", "one", 1, id="7"), said("Bob", "one", 1, id="8"))
        new = day(said("Bob", "uno", 5, id="7"), said("Bob", "one", 1, id="8"))
        stored, plan = merged(after(old), new)
        assert (len(stored.messages), len(plan.added), len(plan.updated)) == (2, 0, 1)

    def test_a_message_gets_the_id_that_its_source_gives_only_later(self) -> None:
        """Equal time, words and author; whichever reading comes first, and beside one that has its id already."""
        plain = day(said("Bob", "one", 1), said("Bob", "one", 1), said("Ann", "one", 1), said("Bob", "two", 2))
        named = day(
            said("Bob", "one", 1, id="7"),
            said("Bob", "one", 1, id="8"),
            said("Ann", "one", 1, id="9"),
            said("Bob", "two", 2, id="10"),
            said("Bob", "two", 3, id="11"),
        )
        part = day(*plain.messages[1:], said("Bob", "two", 3, id="11"))
        for documents in ((plain, named), (named, plain), (part, named, plain), (plain, part, named)):
            found = after(*documents)
            assert [(row.message.speaker, row.message.id) for row in found.messages] == [
                ("Bob", "7"),
                ("Bob", "8"),
                ("Ann", "9"),
                ("Bob", "10"),
                ("Bob", "11"),
            ]
            assert len({row.key for row in found.messages}) == 5
            for document in (plain, named, part):
                again = merged(found, document)[1]
                assert (again.added, again.updated, again.moved) == ((), (), {})

    def test_a_text_replaces_its_older_wording(self) -> None:
        """One author, one state; the same again changes nothing."""
        first = plan_text(None, TextDocument(id="n", content="old"), b"1")
        assert first is not None
        second = plan_text(Stored(first.document), TextDocument(id="n", content="new"), b"2")
        assert second is not None
        assert (first.replaced_text, second.replaced_text) == (None, "old")


def test_the_last_message_of_a_file_takes_what_is_learnt_later() -> None:
    """A file may end without a line break though nothing of it was cut: zone, name and attachment are still news."""
    old = said("Ann", "photo", metadata={UNTERMINATED: "1"})
    file = Attachment(name="a.jpg", missing=False)
    new = said("Anna", "photo", zone_origin="option", attachments=(file,), metadata={UNTERMINATED: "1"})
    both = combine(old, new, {"Ann": "Anna"})
    assert (both.speaker, both.zone_origin, both.attachments) == ("Anna", "option", (file,))


def test_lines_that_an_edit_added_are_no_header_that_was_cut() -> None:
    """Of a message that is flagged as edited, the last of its file, the longer wording is the newer one."""
    old = said("Ann", "milk")
    new = said("Ann", "milk\nand bread", edited=True, metadata={UNTERMINATED: "true"})
    both = combine(old, new, {})
    assert (both.content, [edit.content for edit in both.edits]) == ("milk\nand bread", ["milk"])
    assert combine(old, structs.replace(new, edited=False), {}) == old


def test_the_last_zone_that_somebody_chose_holds() -> None:
    """One that was assumed, or known less well, changes nothing; the same again is the same."""
    first = said("Ann", "milk", zone_origin="option")
    moved = 5 * 60
    again = said("Ann", "milk", moved, zone_origin="option")
    assert combine(first, again, {}).time == again.time
    assert combine(again, again, {}) == again
    for origin in ("assumed", "configuration"):
        assert combine(first, said("Ann", "milk", moved, zone_origin=origin), {}) == first
    seconds = structs.replace(first, time_precision="second")
    assert combine(seconds, again, {}) == seconds
    told = said("Ann", "milk", zone_origin="explicit")
    assert combine(told, said("Ann", "milk", moved, zone_origin="explicit"), {}) == told


def test_a_message_stands_behind_an_older_one_of_the_same_second() -> None:
    """Where ids tell that they are two; one of an earlier second stands before it."""
    first = said("Ann", "one", id="1", time=DAY + timedelta(seconds=5), time_precision="second")
    same = said("Bob", "two", id="2", time=DAY + timedelta(seconds=5), time_precision="second")
    early = said("Bob", "none", id="3", time=DAY + timedelta(seconds=4), time_precision="second")
    assert contents(after(day(first), day(same), day(early))) == ["none", "one", "two"]


def test_of_two_edits_the_later_one_is_in_force() -> None:
    """In whichever order the exports come."""
    early = said("Ann", "one", id="1", edited=True, edited_at=DAY + timedelta(minutes=5))
    late = said("Ann", "two", id="1", edited=True, edited_at=DAY + timedelta(minutes=9))
    for stored in (after(day(early), day(late)), after(day(late), day(early))):
        (row,) = stored.messages
        assert (row.message.content, [edit.content for edit in row.message.edits]) == ("two", ["one"])
        assert row.message.edited_at == DAY + timedelta(minutes=9)
