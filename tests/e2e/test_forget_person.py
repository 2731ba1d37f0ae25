"""Forgetting a person by the real commands: no byte of what they wrote is left in any file, whoever had read it."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from memd.tests.e2e.conftest import write_chat
from memd.tests.llm.places import homes
from memd.tests.openai_server.chat import prompt_of
from memd.tests.openai_server.faults import Fault
from memd.tests.openai_server.server import CHAT, Server

if TYPE_CHECKING:
    from memd.tests.e2e.conftest import Memd

FIRST = [
    ("Ann", "quibblefrost is my word, where do you live?"),
    ("Bobby", "I live in Zanzibar, by the wobblegate"),
    ("Cem", "I live in Tromso, and Bobby lives in Zanzibar"),
    ("Bobby", "call me at +47 900 12 345, the snorkelbane is ready"),
]
LATER = [FIRST[0], ("Bob", FIRST[1][1]), FIRST[2], ("Bob", FIRST[3][1]), ("Bob", "I live in Quetzaltown now")]
OTHER = [
    ("Cem", "I like the fandangle"),
    ("Bobby", "I like tumblewick and I am a dentist at Grumblehall"),
    ("Cem", "I live in Oslo now"),
]
OF_BOB = ("wobblegate", "snorkelbane", "Quetzaltown", "tumblewick", "Grumblehall", "900 12 345")
IN_ITS_WORDS = "grimblewhack"
"""What the model says about Bob where it reads the words of others."""
OF_OTHERS = ("quibblefrost", "fandangle", "Tromso")


def holding(directory: Path, words: Sequence[str]) -> dict[str, set[str]]:
    """By word, the files that hold it, in any spelling of case that an index may keep."""
    found: dict[str, set[str]] = {word: set() for word in words}
    for path in directory.rglob("*"):
        if path.is_file():
            content = path.read_bytes().lower()
            for word in words:
                if word.lower().encode() in content:
                    found[word].add(path.name)
    return found


def fill(memd: Memd, folder: Path) -> None:
    """Two chats of three people, one of whom was renamed in the first; the rename came with a later export."""
    for name, lines in (("Three", FIRST), ("Three", LATER), ("Other", OTHER)):
        memd.json("ingest", str(write_chat(folder / f"WhatsApp Chat with {name}.txt", lines)), "--me", "Ann")
    for path in folder.glob("*.txt"):
        path.unlink()


def facts(memd: Memd) -> dict[str, set[str]]:
    """By subject, the values of what is known, whatever its status."""
    found: dict[str, set[str]] = {}
    for fact in memd.json("facts", "--status", "all")["facts"]:
        found.setdefault(fact["subject"], set()).add(fact["value"])
    return found


def assert_gone(memd: Memd) -> None:
    """Nothing of Bob's is in any file, and nothing is wrong with what is left."""
    assert {word: files for word, files in holding(memd.data, OF_BOB).items() if files} == {}
    assert all(holding(memd.data, OF_OTHERS).values())
    report = json.loads(memd("doctor", "--json").stdout)
    assert [each for each in report["findings"] if each["severity"] == "error"] == []


@pytest.mark.parametrize("served", [False, True])
def test_a_person_is_forgotten_with_all_names(memd: Memd, tmp_path: Path, served: bool) -> None:
    """Under every name and in every chat, with what is known; before and after a restart, and after another export."""
    fill(memd, tmp_path)
    assert all(holding(memd.data, [*OF_BOB, *OF_OTHERS]).values())
    before = facts(memd)
    assert {"Bob", "Cem"} <= set(before) | {"Bob"}
    process = memd.start("serve") if served else None
    if process is not None:
        memd.until_served(process)
    assert memd("forget", "--person", "Nobody", "--dry-run").returncode == 7
    plan = memd.json("forget", "--person", "bob", "--dry-run")
    assert (plan["messages"], plan["documents"]) == (4, {"whole": 0, "partly": 2})
    assert plan["names"] == ["bob", "bobby"]
    assert all(holding(memd.data, OF_BOB).values())
    assert memd.json("forget", "--person", "bob", "--yes")["messages"] == 4
    assert_gone(memd)
    after = facts(memd)
    assert not set(after) & {"Bob", "Bobby"}
    assert after["Cem"] == before["Cem"]
    if process is not None:
        process.terminate()
        assert process.wait(timeout=20) == 0
        assert_gone(memd)
    path = write_chat(tmp_path / "WhatsApp Chat with Three.txt", LATER)
    assert memd.json("ingest", str(path), "--me", "Ann")["added"] == 0
    path.unlink()
    assert_gone(memd)
    assert facts(memd) == after
    assert memd("forget", "--person", "bob", "--yes").returncode == 7


def script(request: Any) -> Any:
    """A model that reads homes, also of others, and tells all it read in its summary."""
    prompt = prompt_of(request)
    found = homes(request)
    if "verdicts" in found:
        return found
    for fact in list(found["facts"]):
        line = next(line for line in prompt.splitlines() if line.startswith(f"{fact['lines'][0]}|"))
        if (told := re.search(r"(Bob|Bobby) lives in (\w+)", line)) is not None:
            about = {"subject": told[1], "value": told[2], "quote": told[0]}
            found["facts"].append(fact | about | {"content": f"{told[0]}, {IN_ITS_WORDS}."})
    return found | {"summary": prompt[-2_000:]}


@pytest.fixture
def model(memd: Memd) -> Iterator[Server]:
    """A language model of ours, which the settings name."""
    with Server(script=script) as server:
        memd.environment |= {
            "MEMD_LLM_MODEL": "small-model",
            "MEMD_LLM_BASE_URL": server.base_url,
            "MEMD_LLM_API_KEY_ENV": "",
            "MEMD_LLM_LOCAL_ONLY": "true",
        }
        yield server


@pytest.mark.parametrize("switched_off", [False, True])
def test_what_a_model_read_is_forgotten_too(memd: Memd, model: Server, tmp_path: Path, switched_off: bool) -> None:
    """Prompts, answers, summaries, facts by and about that person: also when the model was taken out of the settings."""
    fill(memd, tmp_path)
    apart = [("Ann", "and who else"), ("Cem", "I live in Bergen, and Bobby lives in Bergen")]
    memd.json("ingest", str(write_chat(tmp_path / "WhatsApp Chat with Apart.txt", apart)), "--me", "Ann")
    memd("ask", "where does Bobby live, wobblegate?")
    assert {"Bob", "Bobby"} & set(facts(memd))
    held = holding(memd.data, [*OF_BOB, *OF_OTHERS, IN_ITS_WORDS])
    assert all(held.values())
    assert "llm.db" in held["wobblegate"] | held["snorkelbane"] | {"llm.db-wal"} & held["wobblegate"]
    calls = len(model.requests)
    if switched_off:
        for name in list(memd.environment):
            if name.startswith("MEMD_LLM_"):
                del memd.environment[name]
    done = memd.json("forget", "--person", "Bobby", "--yes")
    assert done["messages"] == 4
    assert done["facts_about"] >= 2
    assert_gone(memd)
    assert holding(memd.data, [IN_ITS_WORDS]) == {IN_ITS_WORDS: set()}
    assert holding(memd.data, ["Bergen"])["Bergen"]
    assert not set(facts(memd)) & {"Bob", "Bobby"}
    assert "Cem" in facts(memd)
    assert (len(model.requests) > calls) is not switched_off  # what is left of these days was read again
    memd.json("stats")
    assert_gone(memd)


def test_a_person_who_is_gone_is_nobody_else(memd: Memd, model: Server, tmp_path: Path) -> None:
    """The command for a second time takes what others told about Bob since, never Bobby, and tells what to type for Bobby."""
    lines = [("Ann", "good morning"), ("Bob", "the wobblegate"), ("Bobby", "the tumblewick"), ("Bob Tan", "noon")]
    memd.json("ingest", str(write_chat(tmp_path / "WhatsApp Chat with All.txt", lines)), "--me", "Ann")
    assert memd.json("forget", "--person", "Bob", "--yes")["messages"] == 1
    again = memd("forget", "--person", "Bob", "--since", "2020", "--quotes", "redact", "--yes")
    assert again.returncode == 7
    assert b"there is no person 'Bob', it is a part of Bob Tan" in again.stderr
    assert b"forget --person 'Bob Tan' --since 2020 --quotes redact --yes" in again.stderr
    assert memd("forget", "--person", "Ann", "--person", "Bob", "--yes").returncode == 7
    told = [("Ann", "good evening"), ("Cem", "I live in Bergen, and Bob lives in Bergen")]
    memd.json("ingest", str(write_chat(tmp_path / "WhatsApp Chat with Apart.txt", told)), "--me", "Ann")
    assert "Bob" in facts(memd)
    for shown in (("--dry-run",), ("--yes",)):
        plan = memd.json("forget", "--person", "Bob", *shown)
        assert (plan["messages"], plan["facts_about"]) == (0, 1)
    assert "Bob" not in facts(memd)
    assert memd("forget", "--chat", "Apar", "--yes").returncode == 7
    assert {each["name"] for each in memd.json("people")["people"]} == {"Ann", "Bobby", "Bob Tan", "Cem"}
    assert memd.json("forget", "--person", "BOBBY", "--yes")["messages"] == 1
    assert model.requests


def test_an_answer_under_way_ends_when_something_is_forgotten(memd: Memd, model: Server, tmp_path: Path) -> None:
    """The asker is told to ask again; nothing of the question's messages is noted, sent or kept afterwards."""
    fill(memd, tmp_path)
    memd.until_served(memd.start("serve"))
    facts(memd)
    model.fail_always(Fault(delay=30.0, when=lambda request: "Zanzibar?" in prompt_of(request)), path=CHAT)
    asked = len(model.requests)
    asking = memd.start("ask", "does Bobby live at the wobblegate in Zanzibar?")
    while not any("Zanzibar?" in prompt_of(request.body) for request in model.requests[asked:]):
        assert asking.poll() is None
        time.sleep(0.05)
    assert memd.json("forget", "--person", "Bobby", "--yes")["messages"] == 4
    _, err = asking.communicate(timeout=60)
    assert asking.returncode == 5
    assert b"ask again" in err
    assert_gone(memd)
    memd.end()
    assert_gone(memd)
