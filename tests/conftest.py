"""What every test shares: async tests run on asyncio, the loop that the daemon itself uses."""

import pytest


@pytest.fixture
def anyio_backend() -> str:
    """The event loop for tests marked `anyio`."""
    return "asyncio"
