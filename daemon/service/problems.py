"""Problems of sources, maintenance and the language model that somebody is to be told of. Pure.

Rule 1: a problem and its sentence hold words of ours and names that the user gave to sources, nothing of what is stored.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any, Literal

from ..config.settings import NotifyEvent

Kind = Literal["source", "maintenance", "model"]
MODEL_SILENCE = timedelta(days=1)
"""A language model is silent when messages have waited for it for longer than this and it answered nothing."""
_FAILED = {
    "failing": "failed",
    "stopped": "has stopped until somebody acts",
    "interrupted": "was interrupted again and again",
    "overdue": "did not run at its time",
    "absent": "has lost its folder",
    "schedule": "has a schedule that cannot be read",
}
_SILENT = "has brought nothing new for much longer than usual"
_MODEL_STOPPED = "gives no usable answer"
_MODEL_SILENT = "has answered nothing for more than a day"


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem."""

    event: NotifyEvent
    kind: Kind
    name: str
    """The user's name of the source, or ``backup``, ``doctor``, ``prune``; empty for the model."""
    flag: str
    """As in `memd status --json`: ``failing``, ``silent``, …"""

    def to_wire(self) -> dict[str, str]:
        """Return its JSON form."""
        return asdict(self)


def problems_of(
    sources: Iterable[Mapping[str, Any]],
    maintenance: Iterable[Mapping[str, Any]],
    *,
    model_stopped: bool,
    model_silent: bool,
    scheduled: bool,
) -> list[Problem]:
    """Return the problems of these statuses, in their order, one for each subject and event: the worst. Where nothing is
    ``scheduled``, nothing is overdue.
    """
    kinds: tuple[tuple[Kind, Iterable[Mapping[str, Any]]], ...] = (("source", sources), ("maintenance", maintenance))
    problems: list[Problem] = []
    pairs: list[tuple[Kind, Mapping[str, Any]]] = [(kind, each) for kind, statuses in kinds for each in statuses]
    for kind, status in pairs:
        flags = [flag for flag in status["flags"] if scheduled or flag != "overdue"]
        failed = next((flag for flag in flags if flag in _FAILED), None)
        if failed is not None:
            problems.append(Problem("failed", kind, status["name"], failed))
        if "silent" in flags:
            problems.append(Problem("silent", kind, status["name"], "silent"))
    if model_stopped:
        problems.append(Problem("failed", "model", "", "stopped"))
    elif model_silent:
        problems.append(Problem("silent", "model", "", "silent"))
    return problems


def sentence(problems: Sequence[Problem]) -> str:
    """Return a sentence for people about one or more problems, in one line."""
    return f"memd: {', '.join(map(_clause, problems))}; `memd status` says more"


def _clause(problem: Problem) -> str:
    if problem.kind == "model":
        return f"the language model {_MODEL_STOPPED if problem.event == 'failed' else _MODEL_SILENT}"
    subject = f"the source {' '.join(problem.name.split())}" if problem.kind == "source" else f"the {problem.name} job"
    return f"{subject} {_FAILED.get(problem.flag, _SILENT)}"
