"""What others say about a forgotten person stays forgotten when their documents are read again in other words."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from memd.daemon import app
from memd.daemon.app import open_app
from memd.daemon.config.paths import JOURNAL
from memd.daemon.forgetting import owed_rechecks, saga
from memd.daemon.pipeline import extraction_worker
from memd.daemon.pipeline.extraction_worker import ExtractionWorker
from memd.daemon.service.requests import FactsRequest
from memd.daemon.service.service import Service
from memd.memory.extraction.extractor import Extraction
from memd.memory.extraction.statement import Statement
from memd.memory.extraction.window import Window
from memd.schemas.errors import StoreError
from memd.tests.contracts.knowledge import Homes, day
from memd.tests.daemon.test_forgetting import forget
from memd.tests.daemon.test_service import ingest, words_only

pytestmark = pytest.mark.anyio
TOLD = day(0, ("Ann", "I live in Rome"), ("Zed", "hello"), ("Ann", "I like tea"))


class Rewording(Homes):
    """Tells of Zed what Ann says of herself, in other words each time."""

    def __init__(self) -> None:
        super().__init__()
        self.times = 0

    async def extract(self, windows: Sequence[Window], run: str = "") -> list[Extraction]:
        """As a model does that is asked a second time."""
        found = await super().extract(windows, run)
        self.times += 1
        return [
            replace(each, statements=tuple(self._of_zed(statement) for statement in each.statements)) for each in found
        ]

    def _of_zed(self, statement: Statement) -> Statement:
        return replace(statement, subject="Zed", value=f"{statement.value} {self.times}")


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> Rewording:
    """The reader of every daemon here; what fails is tried again at once."""
    found = Rewording()
    monkeypatch.setattr(app, "extractor_for", lambda *_: (found, None, None))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    monkeypatch.setattr(extraction_worker, "PAUSES", (0.02,))
    monkeypatch.setattr(extraction_worker, "DOCUMENT_PAUSES", (0.02,))
    monkeypatch.setattr(saga, "RECHECK_SECONDS", 0.02)
    return found


async def told_of_zed(service: Service) -> list[str]:
    """Values of present facts."""
    return [each["value"] for each in (await service.knowledge.facts(FactsRequest()))["facts"]]


def noted(data: Path) -> int:
    """How many forgettings are to be completed."""
    with closing(sqlite3.connect(data / JOURNAL)) as journal:
        return len(owed_rechecks.owed(journal))


async def read(service: Service) -> None:
    """Return when the reader has nothing to do."""
    assert service.pipeline.extraction_worker is not None
    with anyio.fail_after(60):
        await service.pipeline.extraction_worker.caught_up()


async def completed(service: Service, data: Path) -> None:
    """Return when nothing is noted any more."""
    with anyio.fail_after(60):
        while noted(data):
            await anyio.sleep(0.02)
    assert await told_of_zed(service) == []
    await service.saga.erasure.purge()
    assert b"Zed" not in (data / JOURNAL).read_bytes()


@pytest.mark.slow
async def test_a_forgetting_that_is_cut_off_while_documents_are_read_again_is_completed(
    tmp_path: Path, reader: Rewording, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the daemon itself when who asked has left, and by the next one when it was killed."""
    data = tmp_path / "d"
    async with open_app(words_only(data), serve=False) as service:
        await ingest(service, TOLD)
        await read(service)
        assert len(await told_of_zed(service)) == 2
        with monkeypatch.context() as patch:

            async def gone(_: ExtractionWorker) -> None:
                raise StoreError("killed")

            patch.setattr(ExtractionWorker, "caught_up", gone)
            with pytest.raises(StoreError):
                await forget(service, people=["Zed"])
            assert noted(data) == 1
        await completed(service, data)
        assert reader.times > 1


@pytest.mark.slow
async def test_the_next_owner_completes_it(tmp_path: Path, reader: Rewording) -> None:
    """After a kill, or a model that could not be reached as long as the daemon ran."""
    data = tmp_path / "d"
    async with open_app(words_only(data), serve=False) as service:
        await ingest(service, TOLD)
        await read(service)
        reader.broken = True
        done = await forget(service, people=["Zed"])
        assert JOURNAL in done["unpurged"]
        assert noted(data) == 1
    reader.broken = False
    async with open_app(words_only(data), serve=False) as service:
        await completed(service, data)


@pytest.mark.slow
@pytest.mark.usefixtures("reader")
async def test_a_forgetting_does_not_wait_for_all_that_a_slow_model_has_to_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It ends when its time is over, and what is owed is completed once the model has read."""
    data = tmp_path / "d"
    async with open_app(words_only(data), serve=False) as service:
        await ingest(service, TOLD)
        await read(service)
        with monkeypatch.context() as patch:

            async def busy(_: ExtractionWorker) -> None:
                await anyio.sleep_forever()

            patch.setattr(saga, "READING_SECONDS", 0.05)
            patch.setattr(ExtractionWorker, "caught_up", busy)
            with anyio.fail_after(60):
                await forget(service, people=["Zed"])
        await completed(service, data)
