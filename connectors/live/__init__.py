"""Sources that are pulled again and again, such as accounts: their contract, and one folder for each protocol."""

from .contract import Batch, Cursor, LiveConnector

__all__ = ["Batch", "Cursor", "LiveConnector"]
