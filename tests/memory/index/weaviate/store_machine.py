"""The state machine of the store on a Weaviate: every search gives what the model says."""

from __future__ import annotations

from uuid import uuid4

from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from memd.memory.index.weaviate import schema
from memd.memory.index.weaviate.heads import tenant_of
from memd.memory.index.weaviate.indexes import WeaviateIndexes
from memd.memory.index.weaviate.server import Place, WeaviateServer
from memd.memory.index.weaviate.settings import Connection
from memd.tests.memory.store.samples import GENERATION
from memd.tests.memory.test_store_machine import StoreMachine
from memd.tests.weaviate_server.node import Node

EPOCHS = range(1, 60)
"""More than a story begins."""


def run_stories(node: Node, examples: int, *, replicas: int = 1) -> None:
    """Messages come, move, change and go, the store is closed, its tenants are lost, purges begin others."""

    class Machine(StoreMachine):
        tolerance = 0.01  # it compares rounded vectors

        def __init__(self) -> None:
            super().__init__()
            self.settings = Connection(
                f"story-{uuid4().hex}",
                port=node.port,
                grpc_port=node.grpc_port,
                api_key=node.key,
                query_seconds=30,
                replicas=replicas,
            )

        def indexes(self) -> WeaviateIndexes:
            return WeaviateIndexes(self.settings)

        def lose(self, harm: str) -> None:
            names = {schema.MESSAGES} if harm in ("words", "both") else set[str]()
            names |= {schema.vectors_of(GENERATION.model)} if harm in ("vectors", "both") else set[str]()
            self.portal.call(self._lose, names)

        async def _lose(self, names: set[str]) -> None:
            server = WeaviateServer(self.settings)
            for name in names:
                places = [Place(name, tenant_of(self.settings.memory, epoch)) for epoch in EPOCHS]
                await schema.remove_tenants(server, places)
            await server.close()

    run_state_machine_as_test(
        Machine,
        settings=settings(max_examples=examples, stateful_step_count=20, deadline=None, phases=[Phase.generate]),
    )
