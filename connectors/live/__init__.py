"""Sources that are pulled repeatedly, such as accounts: their contract, and one folder for each protocol."""

from .contract import (
    AccountPart,
    AccountView,
    Batch,
    Cursor,
    FolderContents,
    FolderLosses,
    FolderRename,
    LiveAccount,
    LiveConnector,
    Membership,
    MessageTags,
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
    "FolderContents",
    "FolderLosses",
    "FolderRename",
    "LiveAccount",
    "LiveConnector",
    "Membership",
    "MessageTags",
    "Pause",
    "ReplaceableConnector",
    "TellingConnector",
    "WatchedConnector",
]
