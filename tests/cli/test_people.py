"""Names that are given in part: one person is shown, several are listed, nobody is told."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from memd.daemon.cli import main
from memd.daemon.cli.commands import people
from memd.daemon.client import DaemonError
from memd.daemon.operations import PEOPLE, Operation

NAMES = ("Ann Smith", "Anna Jones", "Priya Raman")


class _People:
    """A client that knows whole names only."""

    def call(self, operation: Operation, given: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The list, or one person."""
        if operation is PEOPLE:
            return {"people": [{"name": name, "messages": 1} for name in NAMES]}
        if given and given["id"] in NAMES:
            return {"names": [given["id"]]}
        raise DaemonError({"code": "NOT_FOUND", "message": "nobody of that name wrote", "correlation_id": "c0ffee"})


def _answering(_arguments: object, work: Callable[[Any], object], **_how: object) -> object:
    return work(_People())


@pytest.mark.parametrize(
    ("given", "code", "told"),
    [
        ("Ann Smith", 0, '"Ann Smith"'),
        ("priya", 0, "Priya Raman"),
        ("RAM", 0, "Priya Raman"),
        ("ann", 7, "Ann Smith, Anna Jones"),
        ("mith", 7, "nobody of that name wrote"),
    ],
)
def test_the_beginning_of_a_name_will_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], given: str, code: int, told: str
) -> None:
    """Of the name or of a word of it, in any spelling of case, where it means nobody else."""
    (tmp_path / "config.toml").touch()
    monkeypatch.setattr(people, "with_client", _answering)
    assert main(["--config", str(tmp_path / "config.toml"), "people", given, "--json"]) == code
    out, err = capfd.readouterr()
    assert told in out + err
    assert ("c0ffee" in err) == (code == 7)  # what the log has the question under
