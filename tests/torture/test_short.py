"""The short form of `make torture`, for every run of the tests: a kill of each kind, some damage of each kind, no room."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from memd.tests.torture import disk
from memd.tests.torture.__main__ import PARTS, Torture
from memd.tests.torture.damage import Damage
from memd.tests.torture.forgetting import Forgetting
from memd.tests.torture.home import Broken, Home
from memd.tests.torture.kills import SCENARIOS, Kills
from memd.tests.torture.launcher import PLACES
from memd.tests.torture.strangers import Strangers
from memd.tests.torture.watching import Watching

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]
SIZE = 120


def test_every_part_of_the_torture_is_there() -> None:
    """Parts are called by their names, which no tool that renames functions sees."""
    assert all(callable(getattr(Torture, part)) for part in PARTS)


def test_a_search_for_what_was_forgotten_needs_files(tmp_path: Path) -> None:
    """Where there are none, or one has the word, the promise counts as broken."""
    home = Home(tmp_path)
    with pytest.raises(Broken, match="no files"):
        home.must_not_hold("lisbon")
    home.data.mkdir()
    (home.data / "memory.db").write_bytes(b"in Lisbon")
    with pytest.raises(Broken, match=r"memory\.db"):
        home.must_not_hold("lisbon")
    home.must_not_hold("Bergen")


@pytest.fixture(scope="module")
def kills(tmp_path_factory: pytest.TempPathFactory, seed: int) -> Kills:
    """Rounds on small chats."""
    return Kills(tmp_path_factory.mktemp("kills"), seed, SIZE)


@pytest.mark.parametrize("scenario", [kind.name for kind in SCENARIOS])
def test_what_is_killed_loses_and_doubles_nothing(kills: Kills, scenario: str) -> None:
    """Once each, at a place that the seed decides."""
    kills.round(0, scenario)


@pytest.fixture(scope="module")
def damage(tmp_path_factory: pytest.TempPathFactory, seed: int) -> Damage:
    """A store with both indexes, and another one."""
    return Damage(tmp_path_factory.mktemp("damage"), seed, 60)


@pytest.mark.parametrize("part", ["index", "journal", "database"])
def test_damage_is_mended_or_told(damage: Damage, part: str) -> None:
    """In a way that the seed decides."""
    getattr(damage, part)(0)


def test_what_finds_no_room_goes_on_when_there_is_some(tmp_path: Path, seed: int) -> None:
    """Files that may not grow, while something is read and while something is forgotten."""
    limited = disk.Disk(tmp_path, seed, SIZE)
    for number, name in enumerate(("ingest", "forget")):
        limited.limited(number, name)


@pytest.mark.skipif(not disk.can_unshare(), reason="mounts of one's own are not allowed here")
def test_a_full_file_system_is_told_and_survived(tmp_path: Path, seed: int) -> None:
    """A small one, mounted where nobody else sees it; and one that may only be read."""
    words = ("full", "--rounds", "6", f"--seed={seed}", "--size", str(SIZE))
    assert disk.in_own_mounts(tmp_path, *words, seeds=1) == 0


@pytest.mark.parametrize("case", ["two ingests at once", "an occupied socket", "a read-only folder"])
def test_strangers_do_no_harm(tmp_path: Path, case: str) -> None:
    """Those of the cases that take a moment."""
    strangers = Strangers(tmp_path, SIZE)
    strangers.run(case, strangers.cases()[case])


def test_later_exports_bring_back_nothing_forgotten_and_double_nothing() -> None:
    """Stories with forgetting between overlapping exports; other ones than those of `tests/memory/test_forgetting.py`."""
    forgetting = Forgetting(2)
    for number in (11, 73, 212, 227, 241):
        forgetting.round(number)


def test_sources_are_read_whole_whatever_is_killed(tmp_path: Path, seed: int) -> None:
    """A watched folder and an account that change, and fail, while the daemon and its reader are killed."""
    Watching(tmp_path, seed).round(0)


def test_every_place_is_still_there() -> None:
    """A function that was renamed would not be killed in any more."""
    for module, dotted, _ in PLACES:
        owner = importlib.import_module(f"memd.{module}")
        for name in dotted.split("."):
            owner = getattr(owner, name)
