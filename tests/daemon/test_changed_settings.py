"""A configuration that changes while a daemon runs: a reindex does not pretend to take it over."""

from __future__ import annotations

from pathlib import Path

import pytest

from memd.daemon.app import open_app
from memd.daemon.service.requests import ReindexRequest
from memd.schemas.errors import ConfigError
from memd.tests.daemon.test_service import words_only

pytestmark = pytest.mark.anyio


async def test_a_reindex_refuses_settings_that_are_not_in_force(tmp_path: Path) -> None:
    """The embedder of the file is another one; any other change, and a file that is wrong, are none of its business."""
    config = tmp_path / "config.toml"
    config.write_text('zone = "UTC"\n')
    async with open_app(words_only(tmp_path / "d", config=config), serve=False) as service:
        for text in ('zone = "Europe/Berlin"\n', "[embedding\n", "[embedding]\n"):
            config.write_text(text)
            assert (await service.reindexing.run(ReindexRequest(), lambda _: None))["documents"] == 0
        config.write_text('[embedding]\nmodel = "bge-small-en-v1.5-int8"\n')
        with pytest.raises(ConfigError, match=r"\[embedding\] of .* has changed since this memd started"):
            await service.reindexing.run(ReindexRequest(), lambda _: None)
