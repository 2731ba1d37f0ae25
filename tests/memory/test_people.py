"""One person under several names: decisions and what follows from them, proposals, names in filters, the user."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.memory.forgetting.planner import ForgetPlanner
from memd.memory.forgetting.selection import ForgetSelection
from memd.memory.indexing.indexed_store import open_store
from memd.memory.people.decisions import THE_USER, Action, Decision, identity_key, persons, standing
from memd.memory.people.proposals import Identity, proposals
from memd.memory.search_types import Filter
from memd.memory.store import documents_read, identity_rows, people_rows
from memd.memory.store.documents_write import apply_changes
from memd.memory.store.person_stats import person_stats
from memd.memory.write_batches import Removal
from memd.schemas.identity_links import IDENTITIES, identities_of, identities_text, mail_link, phone_link
from memd.tests.cases import for_each
from memd.tests.memory.people_machine import replayed, run, sequences
from memd.tests.memory.store.samples import conversation, group

AT = datetime(2024, 1, 15, tzinfo=UTC)
A, B, C, D = (identity_key("chat", name) for name in "abcd")


Told = tuple[Action, Sequence[UUID]]


def _decisions(*told: Told | int) -> list[Decision]:
    return [
        Decision(n, "undo", AT, (), each) if isinstance(each, int) else Decision(n, each[0], AT, tuple(each[1]))
        for n, each in enumerate(told, 1)
    ]


def test_a_merge_is_taken_back_and_brought_back() -> None:
    """An undo of an undo restores; undoing the first of two merges leaves what the second says."""
    first: Told = ("merge", (A, B))
    second: Told = ("merge", (B, C))
    assert persons(standing(_decisions(first, second))).keys() == {A, B, C}
    assert persons(standing(_decisions(first, second, 1))).keys() == {B, C}
    assert persons(standing(_decisions(first, second, 1, 3))).keys() == {A, B, C}


def test_who_was_taken_out_of_the_user_is_not_the_user() -> None:
    """Not even when merged with somebody else; merged with the user again they are."""
    out: list[Told] = [("split", (B,)), ("merge", (B, C))]
    labels = persons(_decisions(*out), {A, B})
    assert labels[A] == THE_USER
    assert labels[B] == labels[C] != THE_USER
    assert set(persons(_decisions(*out, ("merge", (A, C))), {A, B}).values()) == {THE_USER}


_KEYS = st.lists(st.sampled_from([A, B, C, D]), min_size=1, max_size=3, unique=True)
_ACTIONS: st.SearchStrategy[Action] = st.sampled_from(("merge", "split"))
_TOLD = st.lists(st.one_of(st.tuples(_ACTIONS, _KEYS), st.integers(1, 12)), max_size=12)


@given(_TOLD, st.sets(st.sampled_from([A, B])))
def test_people_are_what_replaying_gives(told: list[Told | int], own: set[UUID]) -> None:
    """By a second way of counting, written apart."""
    decisions = _decisions(*told)
    assert persons(standing(decisions), own) == replayed(decisions, own)


@for_each(
    [
        ("+49 (0) 171 234-5678", "tel:+491712345678"),
        ("0049 171 2345678", "tel:+491712345678"),
        ("\u202a+1 (555) 010-9999\u202c", "tel:+15550109999"),
        ("0171 2345678", "tel:01712345678"),
        ("Ann 2", None),
        ("12345", None),
    ]
)
def test_phone_numbers_have_one_form(text: str, link: str | None) -> None:
    """However they are written."""
    assert phone_link(text) == link


def test_documents_carry_links() -> None:
    """Of their people alone; what is in no such form is left out."""
    text = identities_text({"Ann": [mail_link("Ann@Example.org"), None], "Bob": ["id:1"]}, ["Ann"])
    assert identities_of({IDENTITIES: text or ""}) == {"Ann": ["mailto:ann@example.org"]}
    assert identities_text({}, ["Ann"]) is None
    for broken in ("[", "[]", '{"Ann": 1}', '{"Ann": ["ftp:x"]}', "[" * 99999):
        assert identities_of({IDENTITIES: broken}) == {}


def _who(source: str, name: str, *links: str) -> Identity:
    return Identity(source, name, identity_key(source, name), 1, links)


def test_proposals_have_evidence_and_never_rest_on_a_first_name() -> None:
    """An address, a number (also as a name), a full name in two sources; a machine's address is nobody's."""
    everybody = [
        _who("mail", "Priya Sharma", "mailto:p@example.org"),
        _who("slack", "priya.s", "mailto:p@example.org", "tel:+491712345678"),
        _who("whatsapp", "+49 171 2345678"),
        _who("telegram", "Priya Sharma"),
        _who("telegram", "Ben"),
        _who("signal", "Ben"),
        _who("mail", "Shop A", "mailto:noreply@example.org"),
        _who("slack", "Shop B", "mailto:noreply@example.org"),
    ]
    told = [
        ({f"{one.source}:{one.name}" for one in each.identities}, each.evidence) for each in proposals(everybody, {})
    ]
    assert [(who, [(one.kind, one.value) for one in why]) for who, why in told] == [
        ({"mail:Priya Sharma", "slack:priya.s"}, [("mail address", "p@example.org")]),
        ({"slack:priya.s", "whatsapp:+49 171 2345678"}, [("phone number", "+491712345678")]),
        ({"mail:Priya Sharma", "telegram:Priya Sharma"}, [("full name", "priya sharma")]),
    ]
    together = dict.fromkeys([each.key for each in everybody[:4]], "person:x")
    assert proposals(everybody, together) == []


def test_one_account_under_several_names_is_proposed() -> None:
    """However many names it has; an id of another source, and a handle, which may be given up, tell nothing."""
    nicknames = [_who("discord", f"Nick {n}", "id:42", "id:@nick") for n in range(9)]
    others = [_who("slack", "Ann", "id:42"), _who("discord", "Zoe", "id:43", "id:@nick")]
    (found,) = proposals([*nicknames, *others], {})
    assert found.identities == tuple(nicknames)
    assert [(each.kind, each.value) for each in found.evidence] == [("account", "discord 42")]


@pytest.mark.anyio
async def test_a_merged_person_is_found_in_their_sources_alone(tmp_path: Path) -> None:
    """Somebody of the same name in a third source is somebody else; a split gives back what was."""
    async with open_store(tmp_path) as store:
        for source, name in (("a", "Priya"), ("b", "priya.s"), ("c", "Priya")):
            row = conversation("day", source, user="Me", people=(name, "Me"))
            await store.database.write(apply_changes, group(row, [(name, f"hello from {source}")]))

        async def found(name: str) -> list[str]:
            lines = await store.database.read(documents_read.listing, Filter(speakers=(name,)), None, 9)
            assert lines == await store.database.read(documents_read.listing, Filter(people=(name,)), None, 9)
            return sorted(each.source for each in lines)

        assert [await found("priya.s"), await found("Priya")] == [["b"], ["a", "c"]]
        keys = [identity_key("a", "Priya"), identity_key("b", "priya.s")]
        made = await store.database.write(lambda connection: people_rows.decide(connection, "merge", AT, keys))
        assert [await found("priya.s"), await found("Priya")] == [["a", "b"], ["a", "b", "c"]]
        told = await store.database.read(person_stats, "priya.s")
        assert told is not None
        assert (told.names, told.messages) == (("Priya", "priya.s"), 2)
        # A merge outlives the names it is about, and holds when they come again.
        await store.forget(
            Removal(
                documents=[
                    row.key
                    for row in (
                        await store.database.read(documents_read.documents, [conversation("day", "b").key])
                    ).values()
                ]
            )
        )
        assert await found("Priya") == ["a", "c"]
        await store.database.write(
            apply_changes, group(conversation("new", "b", user="Me", people=("priya.s", "Me")), [("priya.s", "again")])
        )
        assert await found("Priya") == ["a", "b", "c"]
        await store.database.write(lambda connection: people_rows.decide(connection, "undo", AT, (), made.number))
        assert [await found("priya.s"), await found("Priya")] == [["b"], ["a", "c"]]
        assert await store.database.read(identity_rows.wrong_identities) == 0


@pytest.mark.anyio
async def test_who_writes_with_whom_counts_a_merged_person_once(tmp_path: Path) -> None:
    """Under the name with most messages, and never with themself; a namesake whom nobody merged is somebody else."""
    said = {
        "a": [("Ann", "hi"), ("Lena", "one"), ("Lena", "two")],
        "b": [("Ann", "hi"), ("Lena Brandt", "three"), ("Lena", "not me")],
    }
    async with open_store(tmp_path) as store:
        for source, lines in said.items():
            people = tuple(dict.fromkeys(speaker for speaker, _ in lines))
            await store.database.write(
                apply_changes, group(conversation("day", source, user="Ann", people=people), lines)
            )
        keys = [identity_key("a", "Lena"), identity_key("b", "Lena Brandt")]
        await store.database.write(lambda connection: people_rows.decide(connection, "merge", AT, keys))

        async def contacts(name: str) -> list[tuple[str, int, int]]:
            told = await store.database.read(person_stats, name)
            assert told is not None
            return [(each.name, each.messages, each.documents) for each in told.contacts]

        assert await contacts("Ann") == [("Lena", 3, 2), ("Lena", 1, 1)]
        assert await contacts("Lena Brandt") == [("Ann", 2, 2), ("Lena", 1, 1)]


@pytest.mark.anyio
async def test_the_user_is_one_person_in_all_sources(tmp_path: Path) -> None:
    """By the names in the settings, and by the one name that documents of a source call their user; never by a first
    name that a source calls somebody else.
    """
    async with open_store(tmp_path) as store:
        for source, user, other in (
            ("whatsapp", "Ann", "Bob"),
            ("slack", "ann.s", "Ann"),
            ("mail", "Ann Smith", "Bob"),
        ):
            row = conversation("day", source, user=user, people=(user, other))
            await store.database.write(apply_changes, group(row, [(user, "mine"), (other, "theirs")]))
        assert await store.database.read(people_rows.labels) == {}
        await store.database.write(lambda connection: people_rows.set_own_names(connection, {"": "Ann"}))
        mine = {("whatsapp", "Ann"), ("slack", "ann.s"), ("mail", "Ann Smith")}
        wanted = {identity_key(*each): THE_USER for each in mine}
        assert await store.database.read(people_rows.labels) == wanted
        row = conversation("other", "mail", user="Ann Jones", people=("Ann Jones", "Bob"))
        await store.database.write(apply_changes, group(row, [("Ann Jones", "mine as well?")]))
        assert identity_key("mail", "Ann Smith") not in await store.database.read(people_rows.labels)
        assert await store.database.read(people_rows.own_sources) == {"mail"}
        await store.database.write(lambda connection: people_rows.set_own_names(connection, {}))
        assert await store.database.read(people_rows.labels) == {}


@pytest.mark.slow
@pytest.mark.anyio
async def test_random_decisions_between_ingests_are_as_replayed(tmp_path: Path) -> None:
    """A bounded run of `people_machine`."""
    total, stood = await run(tmp_path, 300, seed=1, every=5)
    assert total > 200
    assert stood > 50


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.anyio
async def test_ten_thousand_random_decisions_are_as_replayed(tmp_path: Path) -> None:
    """The whole run of `people_machine`, taken back to the beginning."""
    total, stood = await run(tmp_path, 10_000, seed=7, every=250)
    assert total > 8_000
    assert stood > 1_000


@pytest.mark.slow
@pytest.mark.anyio
async def test_random_sequences_end_in_the_same_state(tmp_path: Path) -> None:
    """However decisions are taken back and brought back; a bounded number of the sequences of `people_machine`."""
    assert await sequences(tmp_path, 100, seed=3) > 1_000


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.anyio
async def test_ten_thousand_random_sequences_end_in_the_same_state(tmp_path: Path) -> None:
    """All of them."""
    assert await sequences(tmp_path, 10_000, seed=7) > 100_000


@pytest.mark.anyio
async def test_forgetting_follows_merges_and_undoes_them(tmp_path: Path) -> None:
    """Every name of a merged person goes, each in its own source; who comes back afterwards is nobody's other name."""
    async with open_store(tmp_path) as store:
        for source, name in (("a", "Priya"), ("b", "priya.s"), ("c", "priya.s"), ("a", "Pri"), ("b", "Pri")):
            row = conversation(f"day {name}", source, user="Me", people=(name, "Me"))
            await store.database.write(apply_changes, group(row, [(name, f"hello from {source}"), ("Me", "hello")]))
        keys = [identity_key("a", "Priya"), identity_key("b", "priya.s"), identity_key("b", "Pri")]
        await store.database.write(lambda connection: people_rows.decide(connection, "merge", AT, keys))
        await store.database.write(lambda connection: people_rows.decide(connection, "split", AT, keys[2:]))
        planner = ForgetPlanner(store.database)
        selection = await planner.with_all_names(ForgetSelection(people=("Priya",)))
        plan = await planner.plan(selection)
        told = {(each.source, name) for each in plan.affected for name in each.names}
        assert told == {("a", "Priya"), ("b", "priya.s")}
        assert plan.merged == (("b", "priya.s"),)
        assert plan.names == ("priya", "priya.s")
        await store.forget(plan.removal)
        left = {
            (each.source, each.name) for each in await store.database.read(people_rows.identities) if each.name != "Me"
        }
        assert left == {("c", "priya.s"), ("a", "Pri"), ("b", "Pri")}
        assert await store.database.read(people_rows.labels) == {}
        # Other words of theirs come in later: two strangers.
        for source, name in (("a", "Priya"), ("b", "priya.s")):
            row = conversation("later", source, user="Me", people=(name, "Me"))
            await store.database.write(apply_changes, group(row, [(name, "again")]))
        assert await store.database.read(people_rows.labels) == {}
        kept = b"".join(row for (row,) in await store.database.read(_decided))
        assert keys[0].bytes not in kept
        assert keys[2].bytes in kept
        assert await store.database.read(identity_rows.wrong_identities) == 0


def _decided(connection: sqlite3.Connection) -> list[tuple[bytes]]:
    return connection.execute("SELECT keys FROM people_decisions").fetchall()
