"""A store of another model is taken over while questions are asked all the time: each of them is answered, rightly."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from memd.daemon.client import Client
from memd.daemon.operations import QUERY, STATS
from memd.tests.e2e.conftest import EMBEDDING, Memd, write_chat

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
MESSAGES, ASKERS, QUESTIONS = 400, 3, 40
FORMER, PRESENT = "bge-small-en-v1.5-int8", "multilingual-e5-small-int8"
THINGS = ("kayak", "ladder", "toaster", "violin", "tent", "lawnmower", "globe", "anvil")


def line(number: int) -> tuple[str, str]:
    """A message that is told by its number and by its thing."""
    thing = THINGS[number % len(THINGS)]
    return ("Ann" if number % 2 else "Bob"), f"locker {number + 1000} holds the {thing} that we bought together"


@dataclass
class Asker(threading.Thread):
    """Asks for one locker after the other until it is told to end; keeps what went wrong, and what was degraded."""

    socket: str
    first: int
    ended: threading.Event
    answered: int = 0
    states: list[tuple[str, ...]] = field(default_factory=list[tuple[str, ...]])
    wrong: list[str] = field(default_factory=list[str])

    def __post_init__(self) -> None:
        super().__init__(daemon=True)

    def __hash__(self) -> int:
        return id(self)

    def run(self) -> None:
        """One connection, one question after the other."""
        client = Client(self.socket)
        try:
            for number in cycle(range(self.first, MESSAGES, ASKERS)):
                if self.ended.is_set():
                    return
                self._ask(client, number)
        except Exception as error:  # noqa: BLE001 - a question without an answer is what is looked for
            self.wrong.append(f"{type(error).__name__}: {error}")
        finally:
            client.close()

    def _ask(self, client: Client, number: int) -> None:
        answer = client.call(QUERY, {"text": f"what does locker {number + 1000} hold", "limit": 5, "context": 0})
        self.answered += 1
        self.states.append(tuple(answer["degraded"]))
        if line(number)[1] not in [hit["text"] for hit in answer["hits"]]:
            self.wrong.append(f"{number}: {[hit['text'] for hit in answer['hits']]}")


@pytest.fixture
def former(memd: Memd, tmp_path: Path) -> Memd:
    """Its store was made with the model that used to be the default."""
    del memd.environment[EMBEDDING]
    write_chat(tmp_path / "WhatsApp Chat with Lockers.txt", [line(number) for number in range(MESSAGES)])
    config = Path(memd.environment["MEMD_CONFIG"])
    config.write_text(f'[embedding]\nmodel = "{FORMER}"\n')
    memd.environment["PYTHONPATH"] = str(Path(__file__).parents[2] / "packages" / "bge-small-en")
    _ingest(memd, tmp_path)
    assert memd.json("stats")["generation"]["model"] == FORMER
    del memd.environment["PYTHONPATH"]
    config.write_text("")
    return memd


def _ingest(memd: Memd, folder: Path) -> None:
    done = memd("ingest", str(folder / "WhatsApp Chat with Lockers.txt"), "--me", "Ann", "--json", seconds=200)
    assert json.loads(done.stdout)["vectors"] == {"done": MESSAGES, "pending": 0}


def _told(client: Client) -> list[list[float]]:
    """The cosines of the answers to questions in other words, which vectors alone find."""
    asked = ("something to paddle on the lake", "where are we going to sleep outdoors", "cutting the grass")
    answers: Iterator[dict[str, Any]] = (client.call(QUERY, {"text": text, "limit": 5}) for text in asked)
    return [sorted(hit["scores"].get("vector", -1) for hit in answer["hits"]) for answer in answers]


def test_every_question_is_answered_while_the_vectors_are_made_anew(former: Memd, tmp_path: Path) -> None:
    """By words before, which each answer says; while vectors are missing too; then as a store of the new model answers."""
    former.until_served(former.start("serve"))
    client = Client(str(former.socket))
    before = client.call(QUERY, {"text": "what does locker 1007 hold"})
    assert (before["degraded"], "vector" in before["hits"][0]["scores"]) == (["generation"], False)
    ended = threading.Event()
    askers = [Asker(str(former.socket), first, ended) for first in range(ASKERS)]
    for asker in askers:
        asker.start()
    _until(lambda: all(asker.answered >= 3 for asker in askers))
    asked = sum(asker.answered for asker in askers)
    done = former("reindex", seconds=200)
    during = sum(asker.answered for asker in askers) - asked
    ended.set()
    for asker in askers:
        asker.join(60)
    assert done.returncode == 0, done.stderr
    assert [wrong for asker in askers for wrong in asker.wrong] == []
    assert during >= QUESTIONS
    for asker in askers:  # the index of the new model is opened anew
        asker.states = [state for state in asker.states if "indexing" not in state]
    states = {state for asker in askers for state in asker.states}
    assert states >= {("generation",), ("pending",)}
    assert states <= {("generation",), ("pending",), ()}
    for asker in askers:  # it never goes back
        order = [len(set(asker.states[: number + 1])) for number in range(len(asker.states))]
        firsts = [asker.states[order.index(count)] for count in range(1, order[-1] + 1)]
        assert firsts == [state for state in (("generation",), ("pending",), ()) if state in firsts]
    stats = client.call(STATS)
    assert (stats["generation"]["model"], stats["vectors"]) == (PRESENT, {"done": MESSAGES, "pending": 0})
    assert client.call(QUERY, {"text": "what does locker 1007 hold"})["degraded"] == []
    after = _told(client)
    client.close()
    (tmp_path / "fresh").mkdir()
    fresh = Memd(tmp_path / "fresh", vectors=True)
    try:
        _ingest(fresh, tmp_path)
        fresh.until_served(fresh.start("serve"))
        new = Client(str(fresh.socket))
        for taken_over, made in zip(after, _told(new), strict=True):
            # Which texts share a batch changes the last digits.
            assert taken_over == pytest.approx(made, abs=0.02)
            assert min(made) > 0.5
        new.close()
    finally:
        fresh.end()


def _until(holds: Callable[[], bool]) -> None:
    """Wait for what other threads bring about; the limit of the test ends it."""
    pause = threading.Event()
    while not holds():
        pause.wait(0.02)
