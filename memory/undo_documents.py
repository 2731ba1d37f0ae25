"""Selects the documents of runs that are undone."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from .store import inputs as input_rows
from .store.database import Database
from .undo import RenamedTexts, only_renamed


async def documents_of(
    database: Database, runs: Sequence[str], renames: Sequence[RenamedTexts] = ()
) -> tuple[list[UUID], int]:
    """Return the documents to which these runs contributed, and the number of further ones that only got another name."""
    lists = [await database.read(input_rows.documents_of, run) for run in runs]
    keys = list(dict.fromkeys(key for some in lists for key in some))
    formers = {key for former, _ in renames for key in former}
    inputs = await database.read(input_rows.inputs_of, formers) if formers else {}
    kept = only_renamed(runs, renames, inputs)
    return [key for key in keys if key not in kept], len(kept.intersection(keys))
