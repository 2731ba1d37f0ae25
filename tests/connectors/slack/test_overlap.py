"""A later export of the same workspace: exactly what is new is added, edits and deletions change what is stored."""

from __future__ import annotations

from pathlib import Path

import pytest

from memd.memory import lookup
from memd.memory.embedding.bundled import BundledEmbedder
from memd.memory.indexing.indexed_store import open_store
from memd.memory.memory import EvolvingMemory
from memd.schemas import ConversationDocument
from memd.tests.connectors.slack.exports import DAY, Json, message, read, reply, root, stamp, workspace

pytestmark = [pytest.mark.anyio, pytest.mark.slow]


def documents(days: dict[str, list[Json]]) -> list[ConversationDocument]:
    """The documents of an export of these days."""
    return [each for each in read(workspace(dict(days))) if isinstance(each, ConversationDocument)]


async def test_a_later_export_adds_what_is_new(tmp_path: Path) -> None:
    """New messages and replies are added; edited and deleted ones keep their older wording; the rest is unchanged."""
    first = {
        "2024-01-15": [
            message(0, "U0ANN", "at noon"),
            message(1, "U0BO", "fine"),
            root(2, "U0ANN", "Who brings cake?", [3]),
            reply(3, "U0BO", "I do", 2),
        ]
    }
    edited = {"user": "U0ANN", "ts": stamp(50)}
    second = {
        "2024-01-15": [
            message(0, "U0ANN", "at one", edited=edited),
            message(1, "U0BO", "fine", reactions=[{"name": "+1", "users": ["U0ANN"], "count": 1}]),
            root(2, "U0ANN", "Who brings cake?", [3, DAY + 5]),
            reply(3, "USLACKBOT", "This message was deleted.", 2, subtype="tombstone", blocks=None),
        ],
        "2024-01-16": [message(DAY, "U0CY", "new"), reply(DAY + 5, "U0CY", "Then I", 2)],
    }
    async with open_store(tmp_path) as store:
        memory = EvolvingMemory(store, None, BundledEmbedder())
        await memory.start()
        report = await memory.store(documents(first))
        assert (report.added, report.updated, report.unchanged) == (4, 0, 0)
        again = await memory.store(documents(first))
        assert (again.added, again.updated, again.unchanged) == (0, 0, 4)
        later = await memory.store(documents(second))
        assert (later.added, later.updated, later.unchanged) == (2, 3, 1)
        day = (await lookup.find(memory.database, "slack:T0ACME:C0GEN:2024-01-15")).document
        thread = (await lookup.find(memory.database, f"slack:T0ACME:C0GEN:{stamp(2)}")).document
        assert isinstance(day, ConversationDocument)
        assert isinstance(thread, ConversationDocument)
        assert [(m.content, [e.content for e in m.edits]) for m in day.messages] == [
            ("at one", ["at noon"]),
            ("fine", []),
        ]
        assert day.messages[1].reactions[0].people == ("Ann",)
        assert [m.content for m in thread.messages] == ["Who brings cake?", "This message was deleted.", "Then I"]
        assert [e.content for e in thread.messages[1].edits] == ["I do"]
        assert thread.messages[1].speaker == "Bo Example"
