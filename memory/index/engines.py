"""The engines of the search index. The standard library alone: the command line lists them.

An engine is a module or a folder of its name here with `open_engine`, which returns its `Indexes`. Its settings are the
section of its name, if it has one.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

if TYPE_CHECKING:
    from .ports import Indexes

EngineName = Literal["embedded", "weaviate"]
ENGINES: tuple[EngineName, ...] = get_args(EngineName)


def open_engine(name: EngineName, directory: Path, settings: object, key: str, *, read_only: bool) -> Indexes:
    """Return the indexes of an engine.

    Args:
        name: of the engine.
        directory: of the store, for files beside it.
        settings: the section of the engine; None if it has none.
        key: the API key of its server; may be empty.
        read_only: write nothing.

    Raises:
        ConfigError: the settings cannot be used.
    """
    engine: Any = importlib.import_module(f".{name}", __package__)
    return cast("Indexes", engine.open_engine(directory, settings, key, read_only=read_only))
