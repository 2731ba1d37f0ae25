"""What is on this machine and what is not."""

from __future__ import annotations

import pytest

from memd.memory.openai_http.loopback import is_loopback, require_local
from memd.schemas.errors import ConfigError
from memd.tests.cases import for_each

NAMES = {
    "localhost": ["127.0.0.1", "::1"],
    "ollama.localhost": ["127.0.0.1"],
    "evil.localhost": ["127.0.0.1", "10.0.0.8"],
}


def resolve(host: str) -> list[str]:
    """Made-up addresses of names."""
    return NAMES.get(host, [])


@for_each(
    [
        "http://127.0.0.1:11434/v1",
        "http://127.8.9.10/v1",
        "http://[::1]:8080/v1",
        "http://[::ffff:127.0.0.1]/v1",
        "http://localhost:1234/v1",
        "http://LOCALHOST./v1",
        "https://ollama.localhost/v1",
    ]
)
def test_this_machine_is_let_through(url: str) -> None:
    """Loopback addresses, and names that lead to nothing else."""
    assert is_loopback(url, resolve)
    require_local(url, "llm", resolve)


@for_each(
    [
        "https://api.example/v1",
        "http://192.168.1.5:11434/v1",
        "http://0.0.0.0/v1",
        "http://[::]/v1",
        "http://evil.localhost/v1",
        "http://unknown.localhost/v1",
        "http://127.0.0.1.example/v1",
        "http://localhost.example/v1",
        "http://127.0.0.1@api.example/v1",
        "http://2130706433/v1",
        "ftp://127.0.0.1/",
        "127.0.0.1:11434",
        "http://[::1",
        "",
    ]
)
def test_everything_else_is_refused(url: str) -> None:
    """Other machines, all interfaces, names that only look local, addresses that cannot be read."""
    assert not is_loopback(url, resolve)
    with pytest.raises(ConfigError, match="not on this machine"):
        require_local(url, "llm", resolve)


def test_the_system_itself_is_asked_for_localhost() -> None:
    """Every machine has one."""
    assert is_loopback("http://localhost:1/v1")
