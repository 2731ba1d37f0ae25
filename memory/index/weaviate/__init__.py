"""The index engine in a Weaviate server. Its client is imported only where the engine is opened."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

from ....schemas.errors import ConfigError

if TYPE_CHECKING:
    from ..ports import Indexes
    from .settings import WeaviateSettings


def open_engine(directory: Path, settings: WeaviateSettings, key: str, *, read_only: bool) -> Indexes:
    """Return the indexes in the server of these settings; no connection is made yet.

    Raises:
        ConfigError: the client of the server is not installed, or the key would be sent in the clear.
    """
    del directory
    if importlib.util.find_spec("weaviate") is None:
        raise ConfigError("the client of Weaviate is not installed", hint="pip install 'memd-daemon[weaviate]'")
    from .indexes import WeaviateIndexes

    return WeaviateIndexes(settings.connection(key), read_only=read_only)
