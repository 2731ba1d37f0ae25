"""The settings of the connection to a Weaviate server."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Consistency = Literal["ONE", "QUORUM", "ALL"]


@dataclass(frozen=True, slots=True)
class WeaviateSettings:
    """The defaults are those of one node on this machine."""

    memory: str
    """The name of the memory on the server: letters, digits, ``_`` and ``-``. Its tenants are called after it."""
    host: str = "127.0.0.1"
    port: int = 8080
    grpc_host: str = ""
    """Empty: the same."""
    grpc_port: int = 50051
    tls: bool = False
    """For both ports."""
    api_key: str = field(default="", repr=False)
    """Empty: the server lets everybody in."""
    query_seconds: float = 5.0
    """The seconds that a query waits for one answer of the server."""
    write_seconds: float = 30.0
    """The most seconds for one batch, or for one change of a collection."""
    consistency: Consistency = "QUORUM"
    """The replicas that must answer."""
    replicas: int = 1
    """The number of nodes that hold each object, in collections that memd creates."""
