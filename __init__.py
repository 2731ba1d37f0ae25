"""memd: a daemon that turns conversations, mail and notes into a memory that can be asked.

`Memory`, `AsyncMemory`, `ProgressChannel`, `connect` and `read` are for Python programs (docs/python.md). They are imported when they are
first used: importing `memd` imports nothing else, for the command line starts with this file. Beside it the root holds
`__main__.py` alone, because the checkout itself is the package and anything beside it would land in the wheel.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .daemon.pipeline.progress import ProgressChannel
    from .daemon.python_api.async_memory import AsyncMemory
    from .daemon.python_api.memory import Memory, connect
    from .daemon.python_api.reading import read

__all__ = ["AsyncMemory", "Memory", "ProgressChannel", "connect", "read"]
__version__ = "0.1.0"
"""The one place where the version is written; the build reads it from here without importing the package."""
_MODULES = {
    "AsyncMemory": "daemon.python_api.async_memory",
    "Memory": "daemon.python_api.memory",
    "ProgressChannel": "daemon.pipeline.progress",
    "connect": "daemon.python_api.memory",
    "read": "daemon.python_api.reading",
}


def __getattr__(name: str) -> object:
    """Import what is used first (PEP 562)."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(f".{_MODULES[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return the public names also before they are imported."""
    return sorted({*globals(), *__all__})
