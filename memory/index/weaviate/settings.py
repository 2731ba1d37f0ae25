"""The settings of a Weaviate server: the section of the configuration, and the connection that it describes."""

from __future__ import annotations

from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import Field, field_validator

from ....schemas.errors import ConfigError
from ....schemas.settings import Section, UsablePath, http_address

Consistency = Literal["ONE", "QUORUM", "ALL"]
PORTS = {"http": 80, "https": 443}


class WeaviateSettings(Section):
    """A Weaviate server that finds what is stored, where storage.index names it."""

    url: str = "http://127.0.0.1:8080"
    """The address of its HTTP port; with https both ports are encrypted."""
    grpc_port: Annotated[int, Field(ge=1, le=65_535)] = 50_051
    grpc_host: str | None = None
    """The host of its gRPC port, where that is another than the url's."""
    tenant: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,40}$")] = "memd"
    """The name of this memory on the server; each data directory needs its own."""
    api_key_env: str = "WEAVIATE_API_KEY"
    """The variable that holds the server's key; nothing is sent where it is not set."""
    api_key_file: UsablePath | None = None
    """A file that holds it, readable by its owner alone; goes over the variable."""
    query_timeout_s: Annotated[float, Field(gt=0, le=3600)] = 5.0
    """Seconds that a question waits for an answer of the server."""
    write_timeout_s: Annotated[float, Field(gt=0, le=3600)] = 30.0
    """Seconds for a batch of objects, or a change of a collection."""
    consistency: Consistency = "QUORUM"
    """The share of the nodes that hold an object that must answer."""
    replicas: Annotated[int, Field(ge=1, le=100)] = 1
    """The number of nodes that hold each object, in collections that memd makes: 3 for three nodes."""

    @field_validator("url")
    @classmethod
    def _an_address(cls, value: str) -> str:
        return http_address(value, "weaviate", "http://127.0.0.1:8080", path=False)

    def connection(self, key: str) -> Connection:
        """Return how the server is reached with this API key, which may be empty.

        Raises:
            ConfigError: the key would be sent to another machine in the clear.
        """
        address = urlsplit(self.url)
        host, tls = address.hostname or "", address.scheme == "https"
        grpc_host = self.grpc_host or host
        if key and not tls and not (_is_here(host) and _is_here(grpc_host)):
            raise ConfigError(
                f"the key of the Weaviate server would go to {host} in the clear",
                hint="use an https:// address in weaviate.url; without TLS a key is sent to this machine alone",
            )
        return Connection(
            memory=self.tenant,
            host=host,
            port=address.port or PORTS[address.scheme],
            grpc_host=grpc_host,
            grpc_port=self.grpc_port,
            tls=tls,
            api_key=key,
            query_seconds=self.query_timeout_s,
            write_seconds=self.write_timeout_s,
            consistency=self.consistency,
            replicas=self.replicas,
        )


def _is_here(host: str) -> bool:
    """Return whether an address is this machine's own."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@dataclass(frozen=True, slots=True)
class Connection:
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
