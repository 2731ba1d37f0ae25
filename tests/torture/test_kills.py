"""The short form of `make torture`, for every run of the tests: each scenario is killed, at places drawn anew each time."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from memd.tests.torture.home import launcher
from memd.tests.torture.kills import SCENARIOS, Kills
from memd.tests.torture.nursery import Nursery

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]


@pytest.fixture(scope="module")
def kills(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kills]:
    """Rounds on small chats."""
    folder = tmp_path_factory.mktemp("torture")
    nursery = Nursery(launcher(), folder / "nursery")
    yield Kills(folder, random.randrange(10**6), 120, nursery)
    nursery.close()


@pytest.mark.parametrize("scenario", [kind.name for kind in SCENARIOS])
def test_what_is_killed_loses_and_doubles_nothing(kills: Kills, scenario: str) -> None:
    """Two kills of each; what breaks tells its seed and its round."""
    for number in range(2):
        kills.round(number, scenario)
