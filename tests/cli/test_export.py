"""An export whose file cannot be written: a failed operation, with nothing left beside the file."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest

from memd.daemon.cli import main
from memd.daemon.cli.commands import export


class _Documents:
    """A client with one document."""

    def documents(self, parameters: object, tell: Callable[[dict[str, int]], None]) -> Iterator[bytes]:
        """Its line."""
        del parameters
        tell({"documents": 1})
        yield b"{}\n"


def _answering(_arguments: object, work: Callable[[Any], object], **_how: object) -> object:
    return work(_Documents())


@pytest.mark.parametrize(
    ("module", "name", "number"), [(tempfile, "mkdtemp", errno.EACCES), (os, "fsync", errno.ENOSPC)]
)
def test_a_file_that_cannot_be_written_is_a_failed_operation(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    module: Any,
    name: str,
    number: int,
) -> None:
    """A folder that may not be written to, and a disk without room: exit code 6 and the reason, no file, no folder."""

    def refuse(*_given: object, **_named: object) -> NoReturn:
        raise OSError(number, os.strerror(number))

    (tmp_path / "config.toml").touch()
    (tmp_path / "out").mkdir()
    monkeypatch.setattr(export, "with_client", _answering)
    words = ["--config", str(tmp_path / "config.toml"), "export", "-o", str(tmp_path / "out" / "all.jsonl")]
    with monkeypatch.context() as patch:
        patch.setattr(module, name, refuse)
        assert main(words) == 6
    assert os.strerror(number) in capsys.readouterr().err
    assert list((tmp_path / "out").iterdir()) == []
    assert main(words) == 0
    assert (tmp_path / "out" / "all.jsonl").read_bytes() == b"{}\n"
