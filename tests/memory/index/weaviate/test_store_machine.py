"""The state machine of the store, found by one real Weaviate."""

from __future__ import annotations

import pytest

from memd.tests import effort
from memd.tests.memory.index.weaviate.store_machine import run_stories
from memd.tests.weaviate_server.node import Node, why_not


@pytest.mark.slow
@pytest.mark.skipif(bool(why_not()), reason=why_not())
def test_the_store_is_a_plain_model_on_a_server(weaviate_node: Node) -> None:
    """The same stories as in files."""
    run_stories(weaviate_node, effort.examples(4))
