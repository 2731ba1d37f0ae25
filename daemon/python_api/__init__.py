"""memd for Python programs: `Memory`, `AsyncMemory` and `connect`, over the socket of whoever owns the memory."""
