"""Every column that may hold a text: reached by a word of ours through real operations, and empty of it after `forget`.

The columns are read from the databases themselves: a new one fails here until forgetting covers it, or it is listed with
the reason why it holds no words of anybody.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import anyio
import pytest

from memd.daemon.app import open_app
from memd.daemon.config.paths import JOURNAL, STORE
from memd.memory import supervision
from memd.memory.llm.audit import SentRequest, write_entries
from memd.memory.llm.cache import CachedAnswer, keep
from memd.memory.llm.store import FILE, LLMStore
from memd.memory.memory import EvolvingMemory
from memd.memory.merge.plan import key_of
from memd.memory.store.schema import DATABASE
from memd.schemas import ConversationDocument, Document, StoreReport, TextDocument
from memd.schemas.keys import text_hash
from memd.tests.byte_scan import traces
from memd.tests.daemon.house import START
from memd.tests.daemon.test_forgetting import forget
from memd.tests.daemon.test_service import ingest, words_only

pytestmark = pytest.mark.anyio

DATABASES = {"store": f"{STORE}/{DATABASE}", "journal": JOURNAL, "llm": FILE}
KEY = "a key: a hash of ids, of which tombstones keep those that must stay out"
OURS = "a word of memd's own, or of its settings"
WITHOUT_WORDS = {
    "store": {
        KEY: "documents.key documents.chat messages.key chunks.key tombstones.key tombstones.document conversations.key "
        "renames.chat statements.key excluded.statement facts.key fact_messages.fact fact_messages.message "
        "version_messages.message fact_spots.fact identities.key people_decisions.keys persons.key persons.person",
        "a hash of the whole input or window, which nobody can guess": "digests.digest windows.hash statements.window "
        "unread_windows.hash refused.window "
        "inputs.digest",
        "row ids, compressed": "repeats.documents",
        "compressed; tests/memory/test_undo.py sees it go": "inputs.body",
        OURS: "counts.name meta.name meta.value documents.kind messages.kind makes.strategy makes.version models.name "
        "conversations.kind windows.extractor windows.rejected unread_windows.reason refused.reason refused.run statements.run excluded.run facts.run facts.status "
        "facts.attribute inputs.run repeats.run people_decisions.action",
        "what the settings call the user": "own_names.name",
        "numbers made of a text, removed with it": "vectors.vector",
        "of a language model alone, see tests/e2e/test_forget_person.py": "windows.summary",
        "of what became no fact; tests/llm/test_unread_windows.py sees it go": "refused.body",
        "a kind of export": "documents.source conversations.source renames.source identities.source "
        "identity_links.source own_names.source",
    },
    "journal": {
        OURS: "fed_stores.store store_changes.store entries.run entries.error entries.state runs.run runs.outcome runs.counts runs.source runs.job "
        "runs.trigger runs.detail runs.notices sources.name sources.settings jobs.job jobs.cursor source_files.source "
        "job_notes.job job_notes.wait_why account_folders.job tag_checks.run note_files.job note_checks.run "
        "source_files.reason source_files.note source_files.format",
        KEY: "source_files.key source_files.digest entries.buffer memberships.message memberships.document "
        "tag_checks.document tag_checks.message note_files.file note_files.document note_checks.document "
        "note_renames.file note_renames.document",
        "of accounts of mail alone, see tests/sources/test_memberships.py": "account_folders.account account_folders.folder "
        "account_folders.tag tag_checks.tag",
        "the name of a file that is not read whole, as long as it lies in a folder of the user's": "source_files.path",
        "the id of a run": "receipts.run undone.run undoing.run open_runs.run place_counts.run "
        "note_counts.run note_renames.run",
        "numbers, see daemon/journal/receipts.py": "entries.place place_counts.place",
        "packed; names leave it with what is forgotten, see daemon/journal/receipts.py": "receipts.body",
    },
    "llm": {
        KEY: "answers.key answer_documents.key answer_documents.document sent.digest sent_documents.document "
        "batch_items.key batch_items.document usefulness.settings",
        OURS: "spent.day spent.run spent.source spent.model spent.purpose spent.batch sent.place sent.model "
        "sent.purpose sent.run batches.id batches.remote batches.file batches.place batches.model batches.run "
        "batches.state batch_items.batch batch_items.source batch_items.purpose",
    },
}

PEOPLE = ("Quibblefrost", "Wobblegate", "Snorkelbane")
WORDS = (
    "tumblewick", "fandangle", "grumblehall", "zebrawood", "quetzaltown", "jabberquill", "plumthistle", "mothlantern",
    "crabwhistle", "oxenbarrow", "dillpickle", "fogtrumpet", "inkwaddle", "larchbuckle", "nettlespoon", "pebblefin",
)  # fmt: skip


def chat(speaker: str, *, edited: bool = False, name: str = "crabwhistle") -> ConversationDocument:
    """A day of a chat whose every field holds a word of ours; ``edited`` is what a later export says."""
    second = {"content": "now I say fandangle", "edited": True} if edited else {"content": "first I said zebrawood"}
    messages: list[dict[str, Any]] = [
        {"content": "I live in Quetzaltown", "id": "id-jabberquill"},
        second | {"id": "second"},
        {
            "content": "see mothlantern",
            "attachments": [{"name": "plumthistle.jpg"}],
            "reactions": [{"emoji": "+", "people": ["Snorkelbane"]}],
            "metadata": {"where": "dillpickle"},
        },
    ]
    for number, message in enumerate(messages):
        message |= {"speaker": speaker, "time": START + timedelta(minutes=number)}
    return ConversationDocument.model_validate(
        {
            "id": f"chat:{name}:2024-01-15",
            "conversation": {"source": "chat", "people": [speaker, "Snorkelbane"], "user": "Snorkelbane", "conversation": messages},
            "tags": ["grumblehall"],
            "metadata": {
                "chat": name,
                "title": "Oxenbarrow",
                "account": "fogtrumpet",
                "identities": json.dumps({speaker: ["mailto:quibblefrost@example.org"]}),
            },
        }
    )  # fmt: skip


TEXT = TextDocument(
    id="note:inkwaddle",
    content="# Larchbuckle\n\nThe tumblewick is here.\n\n## Nettlespoon\n\nAnd there.",
    timestamp=datetime(2024, 1, 15, tzinfo=UTC),
    tags=("grumblehall",),
    metadata={"source": "notes", "path": "inkwaddle.md", "author": "Wobblegate"},
)
QUEUED = chat("Wobblegate", name="pebblefin")
HASHED = [
    f"{speaker}: {text}" for speaker in PEOPLE[:2] for text in ("I live in Quetzaltown", "first I said zebrawood")
]


def columns(path: Path) -> dict[str, set[bytes]]:
    """By table and column that is not a number, all values."""
    found: dict[str, set[bytes]] = {}
    with closing(sqlite3.connect(path)) as connection:
        tables = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
        for (table,) in tables.fetchall():
            for _, column, kind, *_ in connection.execute(f"PRAGMA table_info({table})").fetchall():
                if kind in ("INTEGER", "REAL"):
                    continue
                rows = connection.execute(f'SELECT "{column}" FROM {table} WHERE "{column}" IS NOT NULL')
                values = {value if isinstance(value, bytes) else str(value).encode() for (value,) in rows}
                found[f"{table}.{column}"] = values
    return found


def reached(values: set[bytes]) -> bool:
    """Whether one of them holds a word of ours, or the hash of a text with one."""
    words = [word.lower().encode() for word in (*PEOPLE, *WORDS)]
    hashes = {text_hash(text) for text in HASHED}
    return any(value in hashes or any(word in value.lower() for word in words) for value in values)


def unreached(path: Path) -> set[str]:
    """The columns that hold no word of ours."""
    return {column for column, values in columns(path).items() if not reached(values)}


async def note_for_a_model(data: Path, documents: list[UUID]) -> None:
    """What a language model was sent and answered."""
    store = LLMStore(data)
    sent = SentRequest(START, "place", "model", "extract", "run", tuple(documents), b"d" * 32, 0, '["the tumblewick"]')

    def work(connection: sqlite3.Connection) -> None:
        write_entries(connection, [sent])
        keep(connection, [(b"k" * 32, CachedAnswer({"said": "zebrawood"}), documents)])

    await store.run(work)
    store.close()


@pytest.mark.slow
async def test_no_column_of_any_database_keeps_a_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Through messages, edits, renames, attachments, reactions, tags, titles, notes, facts, the queue and a model's notes."""
    data = tmp_path / "d"
    write = EvolvingMemory.write
    monkeypatch.setattr(supervision, "PAUSES", (0.02,))

    async def poisoned(*_: object) -> StoreReport:
        raise ValueError("no")

    everything: list[Document] = [chat("Quibblefrost"), chat("Wobblegate", edited=True), TEXT, QUEUED]
    async with open_app(words_only(data), serve=False) as service:
        for document in everything[:3]:
            await ingest(service, document)
        monkeypatch.setattr(EvolvingMemory, "write", poisoned)
        run = await service.pipeline.begin("tests")
        await service.pipeline.accept(run, [QUEUED])
        await service.pipeline.finish(run)
        with anyio.fail_after(60):
            while not (await service.stats())["dead_letters"]:
                await anyio.sleep(0.02)
        monkeypatch.setattr(EvolvingMemory, "write", write)
        await note_for_a_model(data, [key_of(chat("Wobblegate"))])
        for name, path in DATABASES.items():
            listed = {column for names in WITHOUT_WORDS[name].values() for column in names.split()}
            missed = unreached(data / path)
            with anyio.move_on_after(60):  # facts are made beside
                while missed - listed:
                    await anyio.sleep(0.05)
                    missed = unreached(data / path)
            assert missed == listed, (name, sorted(missed - listed), sorted(listed - missed))
        await forget(service, documents=[document.id for document in everything])
        assert traces(data, *PEOPLE, *WORDS, texts=HASHED) == {}
    assert traces(data, *PEOPLE, *WORDS, texts=HASHED) == {}
    for path in DATABASES.values():
        assert not [column for column, values in columns(data / path).items() if reached(values)]
