"""A state machine of what is known: said, read, undone and forgotten in any order, against facts resolved all at once."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from memd.memory.embedding.bundled import BundledEmbedder
from memd.memory.extraction.extractor import Extractor
from memd.memory.extraction.statement import Cited, Statement
from memd.memory.extraction.window import windows_of
from memd.memory.facts.clusters import Resolved
from memd.memory.forgetting.selection import ForgetSelection
from memd.memory.indexing.indexed_store import IndexedStore, open_store
from memd.memory.memory import EvolvingMemory
from memd.memory.merge.plan import key_of
from memd.memory.records import StoredFact
from memd.memory.search_types import FactFilter
from memd.memory.store import documents_read, fact_rows
from memd.tests import effort
from memd.tests.contracts.knowledge import day
from memd.tests.facts.labelled import resolve_all
from memd.tests.memory.test_forgetting_facts import Gossip

SPEAKERS = ("Ann", "Bob", "Cem")
PLACES = ("Rome", "Oslo", "Lima")
sayings = st.one_of(
    st.sampled_from(PLACES).map(lambda place: f"I live in {place}"),
    st.sampled_from(PLACES).map(lambda place: f"I no longer live in {place}"),
    st.sampled_from(("tea", "wine")).map(lambda drink: f"I like {drink}"),
    st.sampled_from(("tea", "wine")).map(lambda drink: f"I don't like {drink}"),
    st.tuples(st.sampled_from(SPEAKERS), st.sampled_from(PLACES)).map(" lives in ".join),
    st.just("hello"),
)
lines = st.lists(st.tuples(st.sampled_from(SPEAKERS), sayings), min_size=1, max_size=4)
days = st.integers(0, 2)


@cache
def tokenizer() -> BundledEmbedder:
    """One for all stories."""
    return BundledEmbedder()


class KnowledgeMachine(RuleBasedStateMachine):
    """What is known must be what all statements that are read and believed say together."""

    def __init__(self) -> None:
        super().__init__()
        self.directory = Path(tempfile.mkdtemp(prefix="memd-known-"))
        self.portals = start_blocking_portal()
        self.portal: BlockingPortal = self.portals.__enter__()
        self.said: dict[int, dict[datetime, tuple[str, str]]] = {}
        """By day, in the order in which days came: by time, speaker and words."""
        self.minutes: dict[int, int] = {}
        self.unread: set[int] = set()
        self.read: dict[int, list[Statement]] = {}
        self.excluded: set[UUID] = set()
        self.undone: dict[UUID, set[UUID]] = {}
        self.opened = False

    @initialize()
    def open(self) -> None:
        """Open the store."""
        opening = self.portal.wrap_async_context_manager(open_store(self.directory / "data"))
        self.opening: AbstractContextManager[IndexedStore] = opening
        self.store: IndexedStore = opening.__enter__()
        self.memory = EvolvingMemory(self.store, None, tokenizer(), Gossip())
        self.portal.call(self.memory.start)
        self.opened = True

    def _close(self) -> None:
        if self.opened:
            self.opened = False
            self.opening.__exit__(None, None, None)

    def teardown(self) -> None:
        """Close and remove everything."""
        self._close()
        self.portals.__exit__(None, None, None)
        shutil.rmtree(self.directory, ignore_errors=True)

    # --- the model ------------------------------------------------------------------------------------------------

    def _expected(self) -> dict[UUID, Resolved]:
        statements = [each for found in self.read.values() for each in found if each.key not in self.excluded]
        return {fact.key: fact for fact in resolve_all(statements)}

    def _statements(self, number: int) -> list[Statement]:
        """What a reader finds in a day, as it is in the model."""
        key = key_of(day(number, ("Ann", "hello")))
        stored = self.portal.call(lambda: self.store.database.read(documents_read.messages, [key]))[key]
        assert [(each.message.time, (each.message.speaker, each.message.content)) for each in stored] == sorted(
            self.said[number].items()
        )
        row = self.portal.call(lambda: self.store.database.read(documents_read.documents, [key]))[key]
        windows = windows_of(row, stored, len)
        reader: Extractor = Gossip()
        return [each for found in self.portal.call(reader.extract, windows) for each in found.statements]

    # --- what happens ---------------------------------------------------------------------------------------------

    @rule(number=days, spoken=lines)
    def say(self, number: int, spoken: list[tuple[str, str]]) -> None:
        """Later words of a day."""
        begin = self.minutes.get(number, 0)
        self.minutes[number] = begin + len(spoken)  # also what was forgotten keeps its minute
        document = day(number, *spoken, minute=begin)
        self.said.setdefault(number, {}).update(
            {message.time: (message.speaker, message.content) for message in document.messages}
        )
        self.unread.add(number)
        self.portal.call(self.memory.write, [document])

    @rule(limit=st.integers(1, 3))
    def apply_knowledge(self, limit: int) -> None:
        """Read the oldest of what is unread."""
        for number in [each for each in self.said if each in self.unread][:limit]:
            self.read[number] = self._statements(number)
            self.unread.remove(number)
        self.portal.call(self.memory.fact_service.extract_pending, "run", limit)

    @precondition(lambda self: self._expected())
    @rule(data=st.data())
    def undo(self, data: st.DataObject) -> None:
        """Stop believing what a fact rests on."""
        fact = data.draw(st.sampled_from(sorted(self._expected().values(), key=lambda each: each.key)))
        keys = {each.key for each in fact.statements}
        self.excluded |= keys
        self.undone[fact.key] = keys
        update = self.portal.call(self.memory.fact_service.updates.undo, str(fact.key), "undo")
        assert set(update.excluded) == keys

    @precondition(lambda self: self._undone())
    @rule(data=st.data())
    def believe(self, data: st.DataObject) -> None:
        """Undo once more."""
        fact = data.draw(st.sampled_from(sorted(self._undone())))
        keys = self.undone.pop(fact)
        self.excluded -= keys
        update = self.portal.call(self.memory.fact_service.updates.undo, str(fact), "back")
        assert set(update.included) == keys

    def _undone(self) -> list[UUID]:
        """What was undone last, is not known again, and rests on what is still read."""
        there = {each.key for found in self.read.values() for each in found}
        now = self._expected()
        return [key for key, keys in self.undone.items() if key not in now and keys <= self.excluded & there]

    @precondition(lambda self: self.said)
    @rule(data=st.data(), whole=st.booleans())
    def forget(self, data: st.DataObject, whole: bool) -> None:
        """Forget a day, or a person, and then what others say about that person."""
        if whole:
            number = data.draw(st.sampled_from(list(self.said)))
            selection = ForgetSelection(documents=(day(number, ("Ann", "hello")).id,))
            gone = {number: set(self.said[number])}
        else:
            name = data.draw(st.sampled_from(SPEAKERS))
            selection = ForgetSelection(people=(name.upper(),))
            gone = {
                number: times
                for number, found in self.said.items()
                if (times := {time for time, (speaker, _) in found.items() if speaker == name})
            }
            told = [fact for fact in self._expected().values() if fact.subject == name and fact.speaker != name]
            self.excluded |= {each.key for fact in told for each in fact.statements}
        for number, times in gone.items():
            self.said[number] = {time: words for time, words in self.said[number].items() if time not in times}
            self.read.pop(number, None)
            if self.said[number]:
                self.unread.add(number)
            else:
                del self.said[number]
                self.unread.discard(number)
        self.undone = {}
        plan = self.portal.call(self.memory.forget_planner.plan, selection)
        assert plan.messages == sum(map(len, gone.values()))
        self.portal.call(self.memory.forget, plan)

    @rule()
    def restart(self) -> None:
        """Close and open again."""
        self._close()
        self.open()

    @rule()
    def examine(self) -> None:
        """Nothing is wrong with what is kept, and no file holds what was forgotten."""
        self.portal.call(self.memory.indexed.purge)
        assert [each for each in self.portal.call(self.memory.check) if each.severity == "error"] == []

    # --- comparing ------------------------------------------------------------------------------------------------

    @precondition(lambda self: self.opened)
    @invariant()
    def known(self) -> None:
        """Facts with status, validity and evidence; what is unread."""
        page = self.portal.call(lambda: self.store.database.read(fact_rows.facts, FactFilter(), 0, 1_000))
        assert [_of_stored(each) for each in sorted((each for _, each in page), key=lambda each: each.fact.id)] == [
            _of_model(each) for _, each in sorted(self._expected().items())
        ]
        assert self.portal.call(self.memory.fact_service.pending_extraction_count) == len(self.unread)


def _of_stored(stored: StoredFact) -> tuple[Any, ...]:
    fact = stored.fact
    ends = (fact.valid_from, fact.valid_to, fact.supersedes, fact.superseded_by)
    return (fact.id, fact.content, fact.status, *ends, {(each.message_id, each.quote) for each in fact.evidence})


def _of_model(fact: Resolved) -> tuple[Any, ...]:
    cited: set[Cited] = {one for each in fact.statements for one in each.evidence}
    ends = (fact.valid_from, fact.valid_to, fact.supersedes, fact.superseded_by)
    return (fact.key, fact.content, fact.status, *ends, {(one.message_id, one.quote) for one in cited})


def _tell(examples: int, steps: int) -> None:
    machine: Callable[[], KnowledgeMachine] = KnowledgeMachine
    run_state_machine_as_test(
        machine, settings=settings(max_examples=examples, stateful_step_count=steps, deadline=None)
    )


@pytest.mark.slow
def test_what_is_known_is_what_was_said() -> None:
    """A few stories."""
    _tell(effort.examples(12), 14)


@pytest.mark.long
@pytest.mark.timeout(900)
def test_what_is_known_is_what_was_said_in_long_stories() -> None:
    """Many and longer ones."""
    _tell(120, 40)
