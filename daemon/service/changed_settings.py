"""Detects that the configuration names another embedder than when this process read it; the process keeps using the old
one until it ends.
"""

from __future__ import annotations

from pathlib import Path

from ...schemas.errors import ConfigError
from ..config.paths import read_table

_SECTION = "embedding"


class EmbeddingSection:
    """The section of the embedder in the configuration, as it was at the start.

    Args:
        path: of the configuration, which need not exist.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._at_start = self._now()

    def refuse_if_changed(self) -> None:
        """Return where it is as it was, and where it cannot be read.

        Raises:
            ConfigError: it is another.
        """
        now = self._now()
        if self._at_start is not None and now is not None and now != self._at_start:
            raise ConfigError(
                f"[{_SECTION}] of {self._path} has changed since this memd started",
                hint="start it again, then: memd reindex (with systemd: systemctl --user restart memd)",
            )

    def _now(self) -> object:
        try:
            return read_table(str(self._path), named=False)[0].get(_SECTION, {})
        except ConfigError:
            return None
