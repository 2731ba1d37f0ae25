"""Backups of a running memory."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import anyio

from ..backup.create import in_thread, make_backup
from ..operation_progress import ReportProgress
from .requests import BackupRequest

if TYPE_CHECKING:
    from ..config.settings import Settings
    from .answers.upkeep import BackupReportWire


class Backups:
    """The backups in folders that requests name."""

    def __init__(self, settings: Settings, exclusive: anyio.Lock) -> None:
        self._settings = settings
        self._exclusive = exclusive

    async def add(self, request: BackupRequest, tell: ReportProgress) -> BackupReportWire:
        """Add a snapshot to the backups in a folder; see `create.make_backup`, which says what it raises."""
        folder = Path(request.directory)
        async with self._exclusive:
            return await in_thread(
                lambda report, check: make_backup(self._settings.data_dir, folder, request.keep, report, check), tell
            )
