"""Sources that are pulled again and again, such as accounts: their contract, and one folder for each protocol."""

from .contract import (
    AccountPart,
    AccountView,
    Batch,
    Cursor,
    LiveAccount,
    LiveConnector,
    Pause,
    ReplaceableConnector,
    TellingConnector,
    WatchedConnector,
)

__all__ = [
    "AccountPart",
    "AccountView",
    "Batch",
    "Cursor",
    "LiveAccount",
    "LiveConnector",
    "Pause",
    "ReplaceableConnector",
    "TellingConnector",
    "WatchedConnector",
]
