"""deploy/compose.yaml starts the server that the tests start: the same version, the same settings, ports on loopback alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from memd.tests.weaviate_server.node import SETTINGS, VERSION

SERVICES = ("weaviate", "node1", "node2", "node3")


@pytest.fixture(scope="module")
def compose(checkout: Path) -> Any:
    """The file, with what it includes by name in its place."""
    return yaml.safe_load((checkout / "deploy" / "compose.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_is_what_make_weaviate_starts(compose: Any, name: str) -> None:
    """Nothing that memd wants of a server is missing or another, there is a key, and a limit of memory above the server's own."""
    service = compose["services"][name]
    assert service["image"].endswith(f":{VERSION}")
    environment = service["environment"]
    assert {key: environment.get(key) for key in SETTINGS} == SETTINGS
    assert environment["AUTHENTICATION_APIKEY_ALLOWED_KEYS"].startswith("${WEAVIATE_API_KEY:?")
    assert int(service["mem_limit"].removesuffix("g")) > int(environment["GOMEMLIMIT"].removesuffix("GiB"))
    assert all(port.startswith("127.0.0.1:") for port in service["ports"])
    assert environment["CLUSTER_HOSTNAME"] == service["hostname"]


def test_one_node_and_three_are_apart(compose: Any) -> None:
    """By their profiles; the three wait for each other, join the first, and share neither ports nor data."""
    services = compose["services"]
    assert set(services) == set(SERVICES)
    three = [services[name] for name in SERVICES[1:]]
    assert services["weaviate"]["profiles"] == ["one"]
    assert [each["profiles"] for each in three] == [["three"]] * 3
    environments = [each["environment"] for each in three]
    assert {each["RAFT_BOOTSTRAP_EXPECT"] for each in environments} == {"3"}
    assert {each["RAFT_JOIN"] for each in environments} == {"node1,node2,node3"}
    joins = [each.get("CLUSTER_JOIN") for each in environments]
    first = environments[0]["CLUSTER_GOSSIP_BIND_PORT"]
    assert joins == [None, f"node1:{first}", f"node1:{first}"]
    assert int(environments[0]["CLUSTER_DATA_BIND_PORT"]) == int(first) + 1
    for what in ("ports", "volumes"):
        used = [each for service in three for each in service[what]]
        assert len(set(used)) == len(used)
    assert {each.partition(":")[0] for service in services.values() for each in service["volumes"]} == set(
        compose["volumes"]
    )
