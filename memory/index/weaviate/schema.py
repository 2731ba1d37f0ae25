"""The collections of memd in Weaviate: what they hold, how they are made, and whether those of a server are as they must be."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import weaviate
from weaviate.classes.config import DataType, Property, Tokenization
from weaviate.exceptions import UnexpectedStatusCodeError

from ..errors import IndexServerError
from .server import Place, WeaviateServer

MESSAGES = "MemdMessage"
FACTS = "MemdFact"
HEADS = "MemdHead"
VECTORS = "MemdVector_"
"""The prefix of the collections with the vectors of a model."""
VECTORS_FORMAT = 2
"""Raised with the definition of the vector index, which a server does not change in a collection that it has."""
RESCORED = 200
"""Vectors at least that a search compares exactly."""
_UNPROCESSABLE = 422
_NEWER = (1, 32, 0)
"""The oldest server whose filters and batches are as memd expects them."""


class Column(NamedTuple):
    """A property of a collection."""

    name: str
    kind: DataType
    filtered: bool = False
    ranged: bool = False
    """Filtered by more and less."""
    searched: bool = False
    """Words that memd separated by spaces."""

    @property
    def tokenization(self) -> Tokenization | None:
        """None for what is no text."""
        if self.kind not in {DataType.TEXT, DataType.TEXT_ARRAY}:
            return None
        return Tokenization.WHITESPACE if self.searched else Tokenization.FIELD

    def property(self) -> Property:
        """As Weaviate makes it."""
        text = self.tokenization is not None
        return Property(
            name=self.name,
            data_type=self.kind,
            index_filterable=self.filtered,
            index_searchable=self.searched if text else None,
            index_range_filters=self.ranged if self.kind is DataType.INT else None,
            tokenization=self.tokenization,
            skip_vectorization=True,
        )


FILTERS: tuple[Column, ...] = (
    Column("row", DataType.INT, filtered=True),
    Column("micros", DataType.INT, ranged=True),
    Column("kind", DataType.TEXT, filtered=True),
    Column("chat_key", DataType.TEXT, filtered=True),
    Column("crowd", DataType.INT, filtered=True),
    # In brackets, because Weaviate trims blanks of what it compares: " Ann" would be "Ann".
    Column("speaker_key", DataType.TEXT, filtered=True),
    Column("people_keys", DataType.TEXT_ARRAY, filtered=True),
    Column("source_key", DataType.TEXT, filtered=True),
    Column("tag_keys", DataType.TEXT_ARRAY, filtered=True),
)
"""The filter properties. ``row`` is the chunk's row id in the store, names are folded, ``micros`` is UTC microseconds.
"""
READABLE: tuple[Column, ...] = (
    Column("key", DataType.TEXT, filtered=True),
    Column("text", DataType.TEXT),
    Column("speaker", DataType.TEXT, filtered=True),
    Column("time", DataType.DATE, filtered=True),
    Column("source", DataType.TEXT, filtered=True),
    Column("chat", DataType.TEXT, filtered=True),
    Column("document", DataType.TEXT, filtered=True),
    Column("people", DataType.TEXT_ARRAY, filtered=True),
    Column("tags", DataType.TEXT_ARRAY, filtered=True),
)
"""The properties for other tools to read; ``key`` and ``document`` are accepted by `memd show`."""
TERMS: tuple[Column, ...] = tuple(Column(name, DataType.TEXT, searched=True) for name in ("lexical", "near", "wide"))
"""The words of a chunk as memd's analysis gives them, and those of its neighbourhood."""
FACT: tuple[Column, ...] = (
    Column("row", DataType.INT, filtered=True),
    Column("fact", DataType.TEXT, filtered=True),
    Column("version", DataType.INT, filtered=True),
    Column("present", DataType.BOOL, filtered=True),
    Column("subject", DataType.TEXT, filtered=True),
    Column("attribute", DataType.TEXT, filtered=True),
    Column("value", DataType.TEXT, filtered=True),
    Column("content", DataType.TEXT),
    Column("speaker", DataType.TEXT, filtered=True),
    Column("status", DataType.TEXT, filtered=True),
    Column("negated", DataType.BOOL, filtered=True),
    Column("confidence", DataType.NUMBER, filtered=True),
    Column("valid_from", DataType.DATE, filtered=True),
    Column("valid_to", DataType.DATE, filtered=True),
    Column("observed_at", DataType.DATE, filtered=True),
    Column("recorded_at", DataType.DATE, filtered=True),
    Column("replaced_at", DataType.DATE, filtered=True),
    Column("evidence", DataType.TEXT_ARRAY, filtered=True),
)
"""One version of a fact; ``row`` is the version's in the store, ``fact`` what `memd history` takes, ``evidence`` are keys of
messages."""
HEAD: tuple[Column, ...] = (
    Column("index", DataType.TEXT, filtered=True),
    Column("identity", DataType.TEXT),
    Column("epoch", DataType.INT),
    Column("sequence", DataType.INT),
)
"""The last change in an index, and its tenant: see `heads`."""


def vectors_of(model: str) -> str:
    """The collection of the vectors of a model."""
    return f"{VECTORS}{hashlib.sha256(f'{VECTORS_FORMAT}/{model}'.encode()).hexdigest()[:12]}"


def columns_of(name: str) -> Sequence[Column]:
    """Return the columns that a collection of this name must have."""
    if name == MESSAGES:
        return (*FILTERS, *READABLE, *TERMS)
    return {HEADS: HEAD, FACTS: FACT}.get(name, FILTERS)


def _definition(name: str, replicas: int) -> dict[str, Any]:
    vectors = columns_of(name) is FILTERS
    # A graph misses vectors among many equal ones, and loses what its log had not flushed when the server is killed. Codes of 8 bits
    # a number choose what is compared exactly; those of one bit miss a sixth of the nearest 30. A cache of codes would stay
    # empty after a restart where they are too few to fill a segment.
    flat = {"distance": "cosine", "rq": {"enabled": True, "bits": 8, "rescoreLimit": RESCORED}}
    return {
        "class": name,
        "vectorizer": "none",
        "vectorIndexType": "flat" if vectors else "hnsw",
        "vectorIndexConfig": flat if vectors else {"skip": True},
        "multiTenancyConfig": {"enabled": True, "autoTenantCreation": False, "autoTenantActivation": True},
        # Without it a node that was away would never get what was written meanwhile, and answer questions without it.
        "replicationConfig": {"factor": replicas, "asyncEnabled": replicas > 1},
        "invertedIndexConfig": {"bm25": {"k1": 1.2, "b": 0.75}, "stopwords": {"preset": "none"}},
        "properties": [_property(column) for column in columns_of(name)],
    }


def _property(column: Column) -> dict[str, Any]:
    definition: dict[str, Any] = {
        "name": column.name,
        "dataType": [column.kind.value],
        "indexFilterable": column.filtered,
        "indexRangeFilters": column.ranged,
        "indexSearchable": column.searched,
    }
    if column.tokenization is not None:
        definition["tokenization"] = column.tokenization.value
    return definition


async def check_version(server: WeaviateServer) -> None:
    """Refuse a server that is too old.

    Raises:
        IndexServerError: it is, or it does not answer.
    """

    async def work(client: weaviate.WeaviateAsyncClient) -> Mapping[str, Any]:
        return await client.get_meta()  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]

    meta = await server.read(work)
    version = str(meta.get("version", "")) if isinstance(meta, Mapping) else ""  # pyright: ignore[reportUnnecessaryIsInstance]
    numbers = tuple(int(part) for part in version.split("-", maxsplit=1)[0].split(".") if part.isdigit())
    if numbers < _NEWER:
        wanted = ".".join(map(str, _NEWER))
        raise IndexServerError(
            f"the Weaviate server at {server.address} is of version {version}",
            hint=f"memd needs {wanted} or later",
        )


async def ensure(server: WeaviateServer, name: str) -> None:
    """Make the collection, or add what a newer memd put into it, unless it is there.

    Raises:
        IndexServerError: somebody made another collection of that name.
    """
    if not await server.read(lambda client: client.collections.exists(name)):
        definition = _definition(name, server.settings.replicas)
        try:
            await server.write(lambda client: client.collections.create_from_dict(definition))  # pyright: ignore[reportUnknownMemberType]
        except IndexServerError as error:
            cause = error.__cause__
            if not (isinstance(cause, UnexpectedStatusCodeError) and cause.status_code == _UNPROCESSABLE):
                raise
            # Another memory of the server may have made it at the same moment.
            if not await server.read(lambda client: client.collections.exists(name)):
                raise
    for column in await missing_columns(server, name):
        await server.write(lambda client, c=column: client.collections.use(name).config.add_property(c.property()))


async def missing_columns(server: WeaviateServer, name: str) -> list[Column]:
    """The columns that a collection lacks.

    Raises:
        IndexServerError: it has other columns of these names, or is not divided into tenants.
    """
    config = await server.read(lambda client: client.collections.use(name).config.get())
    present = {each.name: each for each in config.properties}
    missing: list[Column] = []
    wrong = [] if config.multi_tenancy_config.enabled else ["multi-tenancy"]
    for column in columns_of(name):
        definition = present.get(column.name)
        if definition is None:
            missing.append(column)
            continue
        same = (
            definition.data_type is column.kind
            and bool(definition.index_filterable) == column.filtered
            and bool(definition.index_range_filters) == column.ranged
            and bool(definition.index_searchable) == column.searched
            and definition.tokenization == column.tokenization
        )
        wrong += [] if same else [column.name]
    if wrong:
        raise IndexServerError(
            f"the collection {name} of the Weaviate server is not memd's: {', '.join(wrong)} differ",
            hint="remove that collection, if nobody needs it; memd makes it anew",
        )
    return missing


async def remove_tenants(server: WeaviateServer, places: Sequence[Place]) -> None:
    """Remove those of these tenants of one collection that exist, with all they hold."""
    if not places:
        return

    async def work(client: weaviate.WeaviateAsyncClient) -> None:
        tenants = client.collections.use(places[0].collection).tenants
        existing = await tenants.get_by_names([place.tenant for place in places])
        if existing:
            await tenants.remove(list(existing))

    await server.write(work)


async def has_tenant(server: WeaviateServer, place: Place) -> bool:
    """Return whether the tenant exists."""
    return await server.read(lambda client: client.collections.use(place.collection).tenants.exists(place.tenant))


async def make_tenant(server: WeaviateServer, place: Place) -> None:
    """Make a tenant unless it is there."""
    if not await has_tenant(server, place):
        await server.write(lambda client: client.collections.use(place.collection).tenants.create(place.tenant))
