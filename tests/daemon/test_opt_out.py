"""Names that keep conversations from the model: one that matches nothing is told of."""

from __future__ import annotations

from pathlib import Path

import pytest

from memd.daemon.app import open_app
from memd.daemon.operation_progress import OperationProgress
from memd.daemon.service.requests import DoctorRequest
from memd.daemon.service.service import Service
from memd.tests.daemon.house import note, talk
from memd.tests.daemon.test_service import ingest, words_only

pytestmark = pytest.mark.anyio


def silent(step: OperationProgress) -> None:
    """Nobody looks."""
    del step


async def warned(service: Service) -> list[str]:
    """What doctor says of privacy."""
    report = await service.doctor.check(DoctorRequest(), silent)
    return [each["detail"] for each in report["findings"] if each["check"] == "privacy"]


async def test_a_name_that_matches_nothing_is_told_of_and_spelling_of_case_does_not_matter(tmp_path: Path) -> None:
    """By source, title, chat and pattern; not before anything is stored."""
    names = ["FAMILY", "Fam", "Talk:A", "nothing:*", "NOTE:*"]
    settings = words_only(tmp_path / "d", llm={"keep_conversations": names, "keep_sources": ["Tests", "diary"]})
    async with open_app(settings, serve=False) as service:
        assert await warned(service) == []
        chat = talk("b", 2).model_copy(update={"metadata": {"chat": "fam", "title": "Family"}})
        await ingest(service, talk("a", 2), chat, note("n", "a text"))
        assert await warned(service) == ["nothing that is stored is kept from the model by: diary, nothing:*"]
