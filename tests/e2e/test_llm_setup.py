"""A language model by one command: found on this machine, tried, written into the settings, and tried on stored messages."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from memd.daemon.cli.dispatch import main
from memd.daemon.http.openapi_components import answer_type
from memd.daemon.operations import TRY_MODEL
from memd.memory.llm.usefulness import MOST_USELESS
from memd.tests.command import memd_command
from memd.tests.e2e.conftest import write_chat
from memd.tests.e2e.test_model_faults import readers
from memd.tests.llm.places import homes
from memd.tests.openai_server.faults import Fault
from memd.tests.openai_server.server import CHAT, Server
from memd.tests.pseudo_terminal import environment_of, run_on_terminal

if TYPE_CHECKING:
    from memd.tests.e2e.conftest import Memd

CONFIG = """\
# my settings
[log]
level = "warning"  # quiet

[llm]
# model = ""
redact_emails = true  # always
"""


@pytest.fixture
def server() -> Iterator[Server]:
    """A server that lists three models, one of which holds no conversation."""
    with Server(script=homes) as server:
        server.models = ["nomic-embed-text", "qwen3:4b", "llama3.2:3b"]
        yield server


@pytest.fixture
def found(memd: Memd, server: Server) -> Server:
    """The same, where Ollama is looked for."""
    config(memd).write_text(CONFIG)
    memd.environment |= {"OPENAI_API_KEY": "sk-of-another-server", "OLLAMA_HOST": f"127.0.0.1:{server.port}"}
    return server


@pytest.fixture
def chats(tmp_path: Path) -> Path:
    """Twelve chats of two people each."""
    folder = tmp_path / "chats"
    folder.mkdir()
    for number in range(12):
        said = [
            ("Ann", "hello you"),
            (f"Bob the {number}th", "I live in Graz, see"),
            ("Ann", "good, then come over now"),
        ]
        write_chat(folder / f"WhatsApp Chat with {number}.txt", said)
    return folder


def config(memd: Memd) -> Path:
    """Its settings."""
    return Path(memd.environment["MEMD_CONFIG"])


def _babble(_: object) -> str:
    return "Sure, here you are!"


def on_terminal(memd: Memd, *words: str, keys: list[tuple[str, bytes]]) -> tuple[int, str]:
    """Run a command on a terminal, with what is typed."""
    names = [name for name in memd.environment if name.startswith("MEMD_")]
    given: Mapping[str, str] = {name: memd.environment[name] for name in (*names, "OPENAI_API_KEY", "OLLAMA_HOST")}
    return run_on_terminal(memd_command(*words), {**environment_of(given), "TERM": "dumb"}, keys=keys)


def test_a_model_is_found_tried_and_set(memd: Memd, found: Server, chats: Path) -> None:
    """The first that holds conversations; comments stay, no key of another server is sent, and facts are the model's."""
    done = memd("llm", "setup", "--yes")
    told = done.stderr.decode()
    assert done.returncode == 0, told
    assert "Ollama at" in told
    assert "Nora lives in Lisbon." in told
    assert told.splitlines()[-1].startswith("next: memd")
    assert config(memd).read_text() == CONFIG.replace('# model = ""\n', '# model = ""\nmodel = "qwen3:4b"\n').replace(
        "[llm]\n", f'[llm]\nbase_url = "{found.base_url}"\napi_key_env = ""\n'
    )
    assert "sk-of-another-server" not in str([request.headers for request in found.requests])
    memd.json("ingest", str(chats), "--me", "Ann")
    assert readers(memd) == {"Graz": "llm"}
    again = memd.json("llm", "setup", "--yes", "--model", "llama3.2:3b")
    assert (again["model"], again["written"], again["probe"]["ok"]) == ("llama3.2:3b", True, True)
    assert memd.json("config")["llm.model"]["value"] == "llama3.2:3b"
    assert "# always" in config(memd).read_text()


def test_a_running_daemon_is_to_be_started_again(memd: Memd, found: Server) -> None:
    """The last line says so; without a change of the environment, which goes over the settings, nothing would change."""
    memd.until_served(memd.start("serve"))
    assert b"restart memd" in memd("llm", "setup", "--yes").stderr.splitlines()[-1]
    memd.environment["MEMD_LLM_MODEL"] = "other"
    assert b"MEMD_LLM_MODEL of the environment goes over the settings" in memd("llm", "setup", "--yes").stderr
    assert found.requests


@pytest.mark.parametrize(
    ("keys", "code", "model"),
    [
        ([("Enter for 1", b"2\r"), ("[y/N]", b"y\r")], 0, "llama3.2:3b"),
        ([("Enter for 1", b"9\r"), ("none of them", b"\r"), ("[y/N]", b"y\r")], 0, "qwen3:4b"),
        ([("Enter for 1", b"\r"), ("[y/N]", b"n\r")], 0, ""),
        ([("Enter for 1", b"\r"), ("[y/N]", b"\x03")], 130, ""),
        ([("Enter for 1", b"\x03")], 130, ""),
    ],
    ids=["the second", "wrong, then the first", "no", "Ctrl-C at the end", "Ctrl-C at once"],
)
@pytest.mark.usefixtures("found")
def test_it_asks_on_a_terminal(memd: Memd, keys: list[tuple[str, bytes]], code: int, model: str) -> None:
    """Which model, and whether to write it; a no and Ctrl-C leave the settings as they are."""
    ended, screen = on_terminal(memd, "llm", "setup", keys=keys)
    assert ended == code, screen
    assert memd.json("config")["llm.model"]["value"] == model
    if not model:
        assert config(memd).read_text() == CONFIG
        assert "Traceback" not in screen


def test_ctrl_c_ends_a_trial_that_hangs(memd: Memd, found: Server) -> None:
    """Nothing is written."""
    found.fail_always(Fault(delay=30), path=CHAT)
    keys = [("trying", b"\x03")]
    ended, screen = on_terminal(memd, "llm", "setup", "--yes", keys=keys)
    assert ended == 130, screen
    assert config(memd).read_text() == CONFIG


def test_nothing_is_written_without_a_terminal_or_a_yes(memd: Memd, found: Server) -> None:
    """Not even asked; with --dry-run it is tried."""
    assert memd("llm", "setup").returncode == 2
    assert found.requests == []
    told = memd.json("llm", "setup", "--dry-run")
    assert (told["probe"]["ok"], told["written"]) == (True, False)
    assert config(memd).read_text() == CONFIG


def test_where_there_is_no_model_it_says_what_to_install(
    memd: Memd, found: Server, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In two lines; 7: not found. Another machine is not looked at."""
    monkeypatch.setattr("memd.daemon.llm_discovery.SERVERS", {"Ollama": "http://127.0.0.1:9/v1"})
    monkeypatch.setenv("OLLAMA_HOST", "192.0.2.1:11434")

    def setup(*more: str) -> int:
        return main(["--config", str(config(memd)), "llm", "setup", "--yes", *more])

    assert setup() == 7
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert "ollama.com" in lines[1]
    assert setup("--json") == 7
    assert json.loads(capsys.readouterr().out) == {"servers": [], "model": None}
    monkeypatch.setenv("OLLAMA_HOST", f"0.0.0.0:{found.port}")
    found.models = ["nomic-embed-text"]
    assert setup() == 7
    found.models = []
    assert setup() == 7
    assert "ollama pull" in capsys.readouterr().err
    assert config(memd).read_text() == CONFIG


def test_a_model_that_is_of_no_use_is_not_set(memd: Memd, found: Server) -> None:
    """6, with the reason. One that reads with the short prompt alone is set so."""
    found.script = _babble
    done = memd("llm", "setup", "--yes")
    assert done.returncode == 6
    assert b"is of no use for memd: its answer is not the JSON" in done.stderr
    assert config(memd).read_text() == CONFIG

    def small(request: Any) -> Any:
        return "Hm." if "importance" in request["messages"][0]["content"] else homes(request)

    found.script = small
    assert memd.json("llm", "setup", "--yes")["variant"] == "short"
    assert memd.json("config")["llm.variant"]["value"] == "short"


def test_another_machine_is_contacted_only_where_it_is_named(memd: Memd, server: Server) -> None:
    """It is told, with the key that goes there; not at all where only local models are allowed."""
    elsewhere = "http://memd.invalid:1/v1"
    done = memd("llm", "setup", "--url", elsewhere, "--model", "m", "--yes")
    assert done.returncode == 6
    assert b"is not on this machine" in done.stderr
    config(memd).write_text("[llm]\nlocal_only = true\n")
    done = memd("llm", "setup", "--url", elsewhere, "--model", "m", "--yes")
    assert (done.returncode, b"is not on this machine" in done.stderr) == (2, True)
    assert memd("llm", "setup", "--url", "nonsense", "--yes").returncode == 2
    bare = server.base_url.removesuffix("/v1")
    assert memd.json("llm", "setup", "--url", bare, "--yes")["base_url"] == server.base_url


# --- memd llm test ------------------------------------------------------------------------------------------------


def test_stored_messages_are_shown_and_nothing_is_stored(memd: Memd, found: Server, chats: Path) -> None:
    """Ten, those with facts first: what is proposed, what is refused and why, time and tokens; nothing that is never sent."""
    memd.environment["MEMD_FACTS_EXTRACTOR"] = "rules"
    assert memd("llm", "test").returncode == 2
    assert memd("llm", "setup", "--yes").returncode == 0
    empty = memd("llm", "test")
    assert (empty.returncode, b"no stored message" in empty.stderr) == (7, True)
    text = config(memd).read_text()
    config(memd).write_text(text + 'keep_conversations = ["11"]\nprice_prompt = 1.0\nprice_completion = 1.0\n')
    memd.json("ingest", str(chats), "--me", "Ann")
    before = memd.json("facts", "-k", "100")

    def mixed(request: Any) -> Any:
        answer = homes(request)
        wrong = {"value": "Atlantis", "content": "Bob lives in Atlantis."}
        return {**answer, "facts": [each for fact in answer["facts"] for each in (fact, {**fact, **wrong})]}

    found.script = mixed
    found.requests.clear()
    told = memd.json("llm", "test")
    answer_type(TRY_MODEL).validate_json(json.dumps([told]))
    assert len(told["messages"]) == 10
    assert (told["withheld"], told["usable"], told["useless"]) == (3, True, 0)
    for each in told["messages"]:
        assert [proposal["value"] for proposal in each["proposals"]] == ["Graz"]
        assert [refusal["reason"] for refusal in each["refused"]] == ["ungrounded-value"]
        assert (each["calls"], each["failure"]) == (1, "")
        assert each["prompt_tokens"] > 0
        assert each["money"] > 0
    assert "11th" not in str([request.body for request in found.requests])
    assert memd.json("facts", "-k", "100") == before
    assert memd.json("facts", "--rejected")["refused"] == []
    shown = memd("llm", "test", "-n", "2").stdout.decode()
    assert "lives in Graz." in shown
    assert "(refused: ungrounded-value)" in shown
    assert "nothing was stored" in shown
    assert len(found.requests) == 12  # no answer was kept


def test_a_model_that_babbled_is_asked_again_after_a_test(memd: Memd, found: Server, chats: Path) -> None:
    """Not after one that failed; then everything is read by it, by a daemon that runs already."""
    assert memd("llm", "setup", "--yes").returncode == 0
    found.script = _babble
    memd("ingest", str(chats), "--me", "Ann")
    assert memd.json("status")["reading"]["stopped"]
    done = memd("llm", "test", "-n", "2")
    assert (done.returncode, b"memd llm setup" in done.stderr) == (6, True)
    memd.until_served(memd.start("serve"))
    found.script = homes
    assert memd.json("status")["reading"]["stopped"]
    assert memd("llm", "test", "-n", "2").returncode == 0
    assert memd.json("status")["reading"]["stopped"] == ""
    memd.json("ingest", str(chats), "--me", "Ann")
    assert readers(memd) == {"Graz": "llm"}
    assert MOST_USELESS < 12


def test_an_endpoint_that_fails_ends_a_test(memd: Memd, found: Server, chats: Path) -> None:
    """6, with the reason."""
    assert memd("llm", "setup", "--yes").returncode == 0
    memd.json("ingest", str(chats), "--me", "Ann")
    found.fail_always(Fault(status=401), path=CHAT)
    done = memd("llm", "test")
    assert (done.returncode, b"401" in done.stderr) == (6, True)
