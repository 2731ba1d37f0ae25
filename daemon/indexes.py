"""Makes the search indexes of the settings: the store's own files, or a Weaviate server."""

from __future__ import annotations

import importlib.util
from ipaddress import ip_address
from urllib.parse import urlsplit

from ..memory.index.embedded import EmbeddedIndexes
from ..memory.index.ports import Indexes
from ..schemas.errors import ConfigError
from .config.credentials import credential
from .config.paths import STORE
from .config.settings import Settings, WeaviateSettings

PORTS = {"http": 80, "https": 443}


def indexes_for(settings: Settings, *, read_only: bool = False) -> Indexes | None:
    """Return the indexes in a server; None for those in files. No connection is made yet.

    Raises:
        ConfigError: the client of the server is not installed, or its key cannot be read, or would be sent in the clear.
    """
    if settings.storage.index == "embedded":
        return None
    return weaviate_indexes(settings.weaviate, read_only=read_only)


def indexes_of(settings: Settings, name: str) -> Indexes:
    """Return the indexes of this name, regardless of ``storage.index``; raises as `indexes_for` does."""
    if name == "weaviate":
        return weaviate_indexes(settings.weaviate)
    return EmbeddedIndexes(settings.data_dir / STORE, read_only=False)


def weaviate_indexes(wanted: WeaviateSettings, *, read_only: bool = False) -> Indexes:
    """Return the indexes in a Weaviate server, regardless of ``storage.index``; raises as `indexes_for` does."""
    if importlib.util.find_spec("weaviate") is None:
        raise ConfigError(
            "the client of Weaviate is not installed",
            hint="pip install 'memd-daemon[weaviate]'",
        )
    from ..memory.index.weaviate.indexes import WeaviateIndexes
    from ..memory.index.weaviate.settings import WeaviateSettings as Connection

    address = urlsplit(wanted.url)
    host, tls = address.hostname or "", address.scheme == "https"
    grpc_host = wanted.grpc_host or host
    key = credential(wanted.api_key_file, wanted.api_key_env) or ""
    if key and not tls and not (_is_here(host) and _is_here(grpc_host)):
        raise ConfigError(
            f"the key of the Weaviate server would go to {host} in the clear",
            hint="use an https:// address in weaviate.url; without TLS a key is sent to this machine alone",
        )
    return WeaviateIndexes(
        Connection(
            memory=wanted.tenant,
            host=host,
            port=address.port or PORTS[address.scheme],
            grpc_host=grpc_host,
            grpc_port=wanted.grpc_port,
            tls=tls,
            api_key=key,
            query_seconds=wanted.query_timeout_s,
            write_seconds=wanted.write_timeout_s,
            consistency=wanted.consistency,
            replicas=wanted.replicas,
        ),
        read_only=read_only,
    )


def _is_here(host: str) -> bool:
    """Return whether an address is this machine's own."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
