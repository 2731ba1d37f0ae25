"""A model that is away, by the real commands: the rules read meanwhile and are named as readers, and the model reads it all, once."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from memd.tests.e2e.conftest import write_chat
from memd.tests.e2e.test_model_faults import CITIES, readers
from memd.tests.llm.places import homes
from memd.tests.openai_server.chat import prompt_of
from memd.tests.openai_server.faults import BROKEN, BUSY, Fault
from memd.tests.openai_server.server import CHAT, Server

if TYPE_CHECKING:
    from memd.tests.e2e.conftest import Memd

GONE = "gone"
FAULTS: dict[str, Fault | str] = {
    "connection refused": GONE,
    "401": Fault(status=401, code="invalid_api_key"),
    "429 without end": BUSY,
    "500": BROKEN,
    "no answer in time": Fault(delay=2.0, drop=True),
    "a budget that is spent": "budget",
}


class Model:
    """A server that may go away and come back at its port, and notes what it was shown to read and answered."""

    def __init__(self) -> None:
        self.answered: list[str] = []
        self._stack = ExitStack()
        self.server = self._stack.enter_context(Server(script=self._said))
        self.port = self.server.port

    def _said(self, request: Any) -> Any:
        if prompt_of(request).startswith("Source: "):  # one that reads
            self.answered.append(prompt_of(request))
        return homes(request)

    def go(self) -> None:
        """Refuse connections from now on."""
        self._stack.close()

    def come(self) -> None:
        """Listen again."""
        self.server = self._stack.enter_context(Server(script=self._said, port=self.port))


@pytest.fixture
def model(memd: Memd) -> Iterator[Model]:
    """A model that the settings name."""
    model = Model()
    memd.environment |= {
        "MEMD_LLM_MODEL": "small-model",
        "MEMD_LLM_BASE_URL": model.server.base_url,
        "MEMD_LLM_API_KEY_ENV": "",
        "MEMD_LLM_CONFIRM": "false",  # each call here is one that reads
    }
    yield model
    model.go()


def until(condition: Callable[[], bool]) -> None:
    """Wait until it holds."""
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def restarted(memd: Memd) -> None:
    """Kill the daemon, if one runs, and start another."""
    for process in memd.running:
        process.send_signal(signal.SIGKILL)
        process.wait(60)
    memd.until_served(memd.start("serve"))


def _break(memd: Memd, model: Model, fault: Fault | str) -> None:
    if isinstance(fault, Fault):
        model.server.fail_always(fault, path=CHAT)
        if fault.delay:
            memd.environment["MEMD_LLM_TIMEOUT_S"] = "0.2"
    elif fault == GONE:
        model.go()
    else:
        memd.environment["MEMD_LLM_TOKENS_PER_DAY"] = "10"


def _mend(memd: Memd, model: Model, fault: Fault | str) -> None:
    if isinstance(fault, Fault):
        model.server.heal()
    elif fault == GONE:
        model.come()
    else:
        memd.environment["MEMD_LLM_TOKENS_PER_DAY"] = "1000000"


@pytest.mark.parametrize("kind", FAULTS)
def test_the_rules_read_while_the_model_is_away_and_the_model_reads_it_all_once(
    memd: Memd, model: Model, tmp_path: Path, kind: str
) -> None:
    """Through two ends of the daemon by kill -9; what changes meanwhile is read by the rules, too."""
    _break(memd, model, FAULTS[kind])
    restarted(memd)
    chats = [
        write_chat(
            tmp_path / f"WhatsApp Chat with {city}.txt", [("Ann", "hello you"), (city, f"I live in {city}, see")]
        )
        for city in CITIES
    ]
    memd("ingest", *map(str, chats[:2]), "--me", "Ann")
    until(lambda: readers(memd) == dict.fromkeys(CITIES[:2], "rules"))
    reading = memd.json("status")["reading"]
    assert (reading["unread"], reading["by_rules"], bool(reading["trouble"])) == (2, 2, True)
    assert "facts are read by rules alone" in " ".join(memd("status").stdout.decode().split())
    restarted(memd)
    memd("ingest", str(chats[2]), "--me", "Ann")
    until(lambda: readers(memd) == dict.fromkeys(CITIES, "rules"))
    write_chat(
        chats[0], [("Ann", "hello you"), (CITIES[0], f"I live in {CITIES[0]}, see"), ("Ann", "I live in Graz now")]
    )
    memd("ingest", str(chats[0]), "--me", "Ann")
    until(lambda: readers(memd) == dict.fromkeys([*CITIES, "Graz"], "rules"))
    assert memd.json("status")["reading"]["by_rules"] == len(CITIES)
    assert model.answered == []
    _mend(memd, model, FAULTS[kind])
    restarted(memd)
    until(lambda: memd.json("status")["reading"]["unread"] == 0)
    assert readers(memd) == dict.fromkeys([*CITIES, "Graz"], "llm")
    assert memd.json("status")["reading"]["by_rules"] == 0
    assert len(model.answered) == len(set(model.answered)) == len(CITIES)


def test_what_the_model_read_stays_while_it_is_away(memd: Memd, model: Model, tmp_path: Path) -> None:
    """The rules read only the windows that are new; afterwards the model reads these alone."""
    chat = tmp_path / "WhatsApp Chat with Two.txt"
    write_chat(chat, [("Ann", "hello you"), ("Bob", "I live in Oslo, see")])
    memd.json("ingest", str(chat), "--me", "Ann")
    assert readers(memd) == {"Oslo": "llm"}
    model.go()
    later = "20/01/2024, 12:00 - Ann: I live in Rome, see, and you do not\n"
    chat.write_text(chat.read_text() + later)
    memd("ingest", str(chat), "--me", "Ann")
    assert readers(memd) == {"Oslo": "llm", "Rome": "rules"}
    model.come()
    memd.json("ingest", str(chat), "--me", "Ann")
    assert readers(memd) == {"Oslo": "llm", "Rome": "llm"}
    assert len(model.answered) == len(set(model.answered)) == 2


def test_people_who_are_merged_while_the_model_is_away_share_what_the_rules_read(
    memd: Memd, model: Model, tmp_path: Path
) -> None:
    """At once; the documents go on awaiting the model, which reads each once."""
    model.go()
    one = write_chat(tmp_path / "WhatsApp Chat with One.txt", [("Ann", "hello you"), ("Bob", "I live in Oslo, see")])
    other = write_chat(
        tmp_path / "WhatsApp Chat with Other.txt", [("Ann", "hello you"), ("Bobby", "I live in Rome, see")]
    )
    memd("ingest", str(one), str(other), "--me", "Ann")
    assert readers(memd) == {"Oslo": "rules", "Rome": "rules"}
    memd.json("people", "merge", "Bob", "Bobby", "--yes")
    assert len(readers(memd)) == 1  # the later home supersedes the other
    assert memd.json("status")["reading"]["by_rules"] == 2
    model.come()
    memd.json("ingest", str(one), "--me", "Ann")
    assert set(readers(memd).values()) == {"llm"}
    assert len(readers(memd)) == 1
    assert len(model.answered) == len(set(model.answered)) == 2


def test_what_is_forgotten_while_the_model_is_away_leaves_the_rest_read_by_rules(
    memd: Memd, model: Model, tmp_path: Path
) -> None:
    """By a daemon that goes on; the model reads only what is left."""
    model.go()
    restarted(memd)
    said = [("Ann", "I live in Graz now"), ("Bob", "I live in Oslo, see"), ("Cem", "I live in Kiel, see")]
    memd("ingest", str(write_chat(tmp_path / "WhatsApp Chat with Three.txt", said)), "--me", "Ann")
    until(lambda: len(readers(memd)) == 3)
    memd.json("forget", "--speaker", "Bob", "--yes")
    until(lambda: readers(memd) == dict.fromkeys(["Graz", "Kiel"], "rules"))
    model.come()
    restarted(memd)
    until(lambda: memd.json("status")["reading"]["unread"] == 0)
    assert readers(memd) == dict.fromkeys(["Graz", "Kiel"], "llm")
    assert "Oslo" not in "".join(model.answered)
