"""Facts do not depend on what happened on the way: any order, twice, and killed with SIGKILL at random instants."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from subprocess import TimeoutExpired
from typing import Any

import pytest

from memd.tests.e2e.conftest import Memd
from memd.tests.llm.places import homes
from memd.tests.openai_server.server import CHAT, Server

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1500)]

KILLS = int(os.environ.get("MEMD_KILLS", "20"))
"""Of the long form."""
CITIES = ("Oslo", "Rome", "Kiel", "Bonn", "Lyon", "Lima", "Bern", "Nice", "Cork", "Genoa")
DAYS = 20
RECORDED = ("recorded_at", "run")
"""What depends on when it was read, not on what was said."""


def write_talk(path: Path, other: str, seed: int) -> Path:
    """Twenty days of two people; on some of them one says where they live, in another place than before or in the same."""
    dice = random.Random(seed)
    moment = datetime(2024, 1, 15, 9, 0)  # noqa: DTZ001 - exports write the wall clock
    lines: list[str] = []
    for number in range(DAYS):
        for speaker in ("Ann", other):
            said = f"I live in {dice.choice(CITIES)} now" if dice.random() < 0.4 else f"note {number} of {speaker}"
            lines.append(f"{moment:%d/%m/%Y, %H:%M} - {speaker}: {said}\n")
            moment += timedelta(minutes=dice.randrange(1, 9))
        moment = moment.replace(hour=9, minute=dice.randrange(60)) + timedelta(days=1)
    path.write_text("".join(lines), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def talks(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Three chats of Ann."""
    folder = tmp_path_factory.mktemp("talks")
    return [
        write_talk(folder / f"WhatsApp Chat with {name}.txt", name, seed)
        for seed, name in enumerate(("Bob", "Cleo", "Dora"))
    ]


@pytest.fixture(params=["rules", "llm"])
def reader(request: pytest.FixtureRequest) -> Iterator[Server | None]:
    """Who reads: rules, or a model at a loopback socket."""
    if request.param == "rules":
        yield None
        return
    with Server(script=homes) as server:
        yield server


def home_at(folder: Path, server: Server | None) -> Memd:
    """A fresh memory."""
    folder.mkdir()
    memd = Memd(folder)
    if server is not None:
        memd.environment |= {
            "MEMD_LLM_MODEL": "small-model",
            "MEMD_LLM_BASE_URL": server.base_url,
            "MEMD_LLM_API_KEY_ENV": "",
        }
    return memd


def ingest(memd: Memd, *paths: Path) -> Any:
    """All of it, to its end; the summary."""
    return memd.json("ingest", *map(str, paths), "--me", "Ann")


def known(memd: Memd) -> list[Any]:
    """Every fact with its status, validity and evidence."""
    page = memd.json("facts", "--status", "all", "--limit", "500")
    assert page["unread"] == 0
    facts = [{name: value for name, value in fact.items() if name not in RECORDED} for fact in page["facts"]]
    return sorted(facts, key=lambda fact: fact["id"])


def calls(server: Server | None) -> int:
    """How often the model was asked."""
    return 0 if server is None else sum(request.path == CHAT for request in server.requests)


def test_any_order_and_twice(tmp_path: Path, talks: list[Path], reader: Server | None) -> None:
    """The same facts; what was read is not asked for again."""
    plain = home_at(tmp_path / "plain", reader)
    ingest(plain, *talks)
    facts = known(plain)
    assert {"active", "superseded"} <= {fact.get("status", "active") for fact in facts}
    asked = calls(reader)
    ingest(plain, *talks)
    assert calls(reader) == asked
    assert known(plain) == facts
    other = home_at(tmp_path / "other", reader)
    for path in reversed(talks):
        ingest(other, path)
    assert known(other) == facts


@pytest.mark.parametrize("kills", [2, pytest.param(KILLS, marks=pytest.mark.long)])
def test_killed_at_random_instants(tmp_path: Path, talks: list[Path], reader: Server | None, kills: int) -> None:
    """However often, and wherever it hits; a rerun asks the model nothing, and doctor finds nothing."""
    dice = random.Random(2026)
    plain = home_at(tmp_path / "plain", reader)
    ingest(plain, *talks)
    facts = known(plain)
    killed = rounds = 0
    while killed < kills:
        memd = home_at(tmp_path / f"killed-{rounds}", reader)
        rounds += 1
        killed += _kill_until_done(memd, dice.sample(talks, len(talks)), dice, kills - killed)
        ingest(memd, *talks)
        assert known(memd) == facts
        asked = calls(reader)
        ingest(memd, *talks)
        assert calls(reader) == asked
        assert memd.json("doctor")["healthy"]
    assert killed == kills


def _kill_until_done(memd: Memd, talks: list[Path], dice: random.Random, most: int) -> int:
    """Begin again after each kill until it gets through; returns the kills."""
    kills = 0
    longest = 1.0
    while kills < most:
        process = memd.start("ingest", *map(str, talks), "--me", "Ann", "--json")
        try:
            process.communicate(timeout=dice.uniform(0.3, longest))
            return kills
        except TimeoutExpired:
            process.kill()
            process.communicate()
            kills += 1
            longest += 0.1  # so that it gets through in the end
    return kills
