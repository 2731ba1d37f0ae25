"""The files of an evaluation: a line for each question, and a result that says by itself what was measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self, cast

import orjson

from ... import __version__
from ...schemas.errors import StoreError
from ...schemas.times import rfc3339
from ..config.settings import Settings
from .comparison import SEED, differences
from .datasets.dataset import Dataset
from .diagnose import diagnosis
from .runner import Outcome, Plan
from .summary import Rows, table

QUESTIONS, RESULT = "questions.jsonl", "result.json"
_PLACES = {"config", "data_dir", "socket", "socket_chosen", "sources"}
"""Settings that say nothing about a figure."""


@dataclass(frozen=True, slots=True)
class Run:
    """The description of a run: with it and the files of the data set it can be repeated."""

    dataset: Dataset
    plan: Plan
    argv: Sequence[str]
    started: datetime
    sha256: str
    """The digest of the data, as they were before the run."""


def result_of(run: Run, outcomes: Sequence[Outcome], *, rows: Rows, complete: bool) -> dict[str, Any]:
    """Return the result as JSON: what was measured, on which data, with which settings, and all figures.

    Args:
        run: its description.
        outcomes: all that there are.
        rows: of the table.
        complete: False for a run that was interrupted.
    """
    dataset, plan = run.dataset, run.plan
    answers = plan.answerer is not None
    result: dict[str, Any] = {
        "memd": __version__,
        "argv": list(run.argv),
        "started": rfc3339(run.started),
        "took_s": round((datetime.now(UTC) - run.started).total_seconds(), 1),
        "complete": complete,
        "dataset": {
            "name": dataset.name,
            "format": dataset.form,
            "sha256": run.sha256,
            "files": [file.name for file in dataset.files],
            "left_out": dict(dataset.left_out),
        },
        "limit": plan.limit,
        "hits": dataset.hits,
        "seed": SEED,
        "variants": [
            {
                "name": each.name,
                "overrides": dict(each.overrides),
                "settings": changed_settings(each.settings),
                "answers": ("first hit" if each.llm is None else "model") if answers else None,
            }
            for each in plan.variants
        ],
        "rows": [asdict(row) for row in table(outcomes, rows)],
        "differences": [asdict(each) for each in differences(outcomes)],
    }
    if answers:
        result["diagnosis"] = {
            each.name: diagnosis(outcome for outcome in outcomes if outcome.variant == each.name)
            for each in plan.variants
        }
    return result


def changed_settings(settings: Settings) -> dict[str, Any]:
    """Return the settings that are not the defaults, by dotted name, without places of files."""
    changed: dict[str, Any] = {}
    defaults = Settings().model_dump(mode="json", exclude=_PLACES)
    for name, value in settings.model_dump(mode="json", exclude=_PLACES).items():
        if isinstance(value, Mapping) and isinstance(defaults[name], Mapping) and name != "me":
            section = cast("Mapping[str, Any]", value)
            changed |= {f"{name}.{key}": each for key, each in section.items() if each != defaults[name].get(key)}
        elif value != defaults[name]:
            changed[name] = value
    return changed


class ResultFolder:
    """Writes a line for each question at once, and the result at the end; both exist after an interruption, too. The files of
    a former run are replaced with the first line: a run that measured nothing keeps them.

    Args:
        folder: made if it does not exist; None: nothing is written.

    Raises:
        StoreError: a file cannot be written.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._file = None
        self._begun = False
        if folder is not None:
            try:
                folder.mkdir(parents=True, exist_ok=True)
                self._file = (folder / QUESTIONS).open("ab")
            except OSError as error:
                raise StoreError(f"{folder} cannot be written: {error.strerror}") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()

    def write(self, outcome: Outcome) -> None:
        """Write the line of a question."""
        if self._file is not None:
            self._begin()
            self._file.write(orjson.dumps(outcome.to_wire()) + b"\n")

    def finish(self, result: Mapping[str, Any]) -> None:
        """Write the result beside the lines, unless the run ended before its first."""
        if self._folder is None or self._file is None or not (self._begun or result["complete"]):
            return
        self._begin()
        self._file.flush()
        (self._folder / RESULT).write_bytes(orjson.dumps(result, option=orjson.OPT_INDENT_2) + b"\n")

    def _begin(self) -> None:
        """Remove what a former run wrote."""
        if self._folder is not None and self._file is not None and not self._begun:
            self._begun = True
            self._file.truncate(0)
            try:
                (self._folder / RESULT).unlink(missing_ok=True)
            except OSError as error:
                raise StoreError(f"{self._folder / RESULT} cannot be replaced: {error.strerror}") from error
