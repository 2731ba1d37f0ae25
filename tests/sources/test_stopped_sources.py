"""Sources that have stopped, when all are to be read: they are left out, and told."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from memd.connectors.errors import AuthorizationError
from memd.connectors.live.contract import Batch
from memd.daemon.app import open_app
from memd.daemon.cli.commands import sync
from memd.daemon.config.settings import Settings
from memd.daemon.service.requests import SyncRequest

pytestmark = [pytest.mark.anyio, pytest.mark.slow]


class Refused:
    """An account whose server does not take the password."""

    name = "scripted"

    async def pull(self, cursor: str | None) -> AsyncGenerator[Batch, None]:
        """Nothing."""
        if cursor is None:
            raise AuthorizationError("wrong password")
        yield Batch()


@pytest.mark.parametrize("wait", [True, False])
async def test_a_stopped_source_is_told_when_all_are_read(
    tmp_path: Path, wait: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    """With its name, why it stopped, and what to do; one that is named is read, and then it is no other's matter."""
    plain = {
        "data_dir": tmp_path / "data",
        "embedding": {"enabled": False},
        "facts": {"extractor": "off"},
        "sources": [{"name": "my mail", "kind": "scripted"}],
    }
    async with open_app(
        Settings.model_validate(plain), serve=False, connectors={"scripted": lambda _: Refused()}
    ) as service:
        named = await service.sources.sync(SyncRequest(sources=("my mail",), wait=True), lambda _: None)
        assert (named["sources"][0]["outcome"], "stopped" in named) == ("failed", False)
        told = await service.sources.sync(SyncRequest(wait=wait), lambda _: None)
    assert told["sources"] == []
    (stopped,) = told["stopped"]
    assert stopped["name"] == "my mail"
    assert "wrong password" in stopped["why"]
    assert "`memd sources login 'my mail'`" in stopped["why"]
    assert "`memd sync 'my mail'`" in stopped["hint"]
    sync._print(json.loads(json.dumps(told)), all_of_them=False)  # pyright: ignore[reportPrivateUsage]
    shown = "".join(capsys.readouterr())
    assert shown.startswith("my mail  left out, it has stopped: access was refused: wrong password")
    assert "there is no source" not in shown
