"""Opens the search indexes that the settings describe."""

from __future__ import annotations

from ..memory.index.engines import EngineName, open_engine
from ..memory.index.ports import Indexes
from .config.credentials import credential
from .config.paths import STORE
from .config.settings import Settings


def indexes_for(settings: Settings, name: EngineName | None = None, *, read_only: bool = False) -> Indexes:
    """Return the indexes of an engine, by default of the one in use. No connection is made yet.

    Raises:
        ConfigError: the client of a server is not installed, or its key cannot be read, or would be sent in the clear.
    """
    name = name or settings.storage.index
    section = getattr(settings, name, None)
    key = None if section is None else credential(section.api_key_file, section.api_key_env)
    return open_engine(name, settings.data_dir / STORE, section, key or "", read_only=read_only)
