"""What memd overrides of uvicorn is there: its internals are no promise, and pyproject.toml stops at the version tried."""

from __future__ import annotations

import inspect
import tomllib
from pathlib import Path

import pytest
import uvicorn
from packaging.requirements import Requirement
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle
from uvicorn.server import ServerState

from memd.daemon.http.protocol import UnixHTTPProtocol
from memd.tests.cases import for_each

pytestmark = pytest.mark.anyio

METHODS = [
    "connection_lost",
    "connection_made",
    "data_received",
    "send_400_response",
    "shutdown",
]
ATTRIBUTES = ["conn", "connections", "cycle", "loop", "scope", "transport"]
CHANGED = (
    "uvicorn {} has changed: {}. Look at daemon/http/protocol.py and daemon/http/server.py before its bound is raised"
)


def changed(what: str) -> str:
    """What a test says that fails."""
    return CHANGED.format(uvicorn.__version__, what)


def test_this_uvicorn_is_within_its_bounds(checkout: Path) -> None:
    """There is an upper one, which the pinned version keeps."""
    project = tomllib.loads((checkout / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (found,) = [each for each in map(Requirement, project["dependencies"]) if each.name == "uvicorn"]
    assert any(each.operator == "<" for each in found.specifier)
    assert found.specifier.contains(uvicorn.__version__), changed("it is newer than any that was tried")


@for_each(METHODS)
def test_the_protocol_has_the_methods_that_are_overridden(name: str) -> None:
    """With the same parameters, or nobody would call ours."""
    theirs = getattr(H11Protocol, name, None)
    assert theirs is not None, changed(f"H11Protocol has no {name}")
    ours = inspect.signature(getattr(UnixHTTPProtocol, name))
    assert list(ours.parameters) == list(inspect.signature(theirs).parameters), changed(f"H11Protocol.{name}")


async def test_the_protocol_has_the_attributes_that_are_read() -> None:
    """Of a connection, and of the answer to its request."""
    config = uvicorn.Config(lambda: None, lifespan="off", log_config=None)
    protocol = UnixHTTPProtocol(config, ServerState(), {})
    missing = [name for name in ATTRIBUTES if not hasattr(protocol, name)]
    assert not missing, changed(f"H11Protocol has no {', '.join(missing)}")
    assert protocol.connections is protocol.server_state.connections, changed("connections are kept elsewhere")
    assert protocol.tasks is protocol.server_state.tasks, changed("tasks of requests are kept elsewhere")
    assert "response_complete" in inspect.getsource(RequestResponseCycle), changed("no response_complete")


def test_the_server_has_the_methods_that_are_overridden() -> None:
    """Signals and the main loop are memd's own."""
    for name in ("capture_signals", "main_loop"):
        assert list(inspect.signature(getattr(uvicorn.Server, name, print)).parameters) == ["self"], changed(name)
    served = inspect.getsource(uvicorn.Server)
    assert "self.capture_signals()" in served, changed("capture_signals is not called")
    assert "await self.main_loop()" in served, changed("main_loop is not called")
    assert "backlog" in inspect.signature(uvicorn.Config).parameters, changed("backlog")
