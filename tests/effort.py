"""How many examples a property test tries: the hypothesis profiles "quick", "ci" and "long", chosen by MEMD_PROFILE."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

TIMES = int(os.environ.get("MEMD_FUZZ", "1"))
"""How many times as many examples the profile "long" tries: FUZZ_TIMES of `make fuzz`."""
SHARES = {"quick": 0.1, "ci": 1.0, "long": float(TIMES)}
"""What part of the examples that a test asks for each profile tries: `make quick`, `make test`, `make fuzz`."""
PROFILE = os.environ.get("MEMD_PROFILE", "ci")
USUAL = 100


def examples(number: int) -> int:
    """How many examples to try where the profile "ci" tries so many."""
    return max(1, round(number * SHARES[PROFILE]))


def load_profiles() -> None:
    """Register the profiles and load the chosen one. No test measures time, so neither does hypothesis."""
    settings.register_profile(
        PROFILE,
        max_examples=examples(USUAL),
        deadline=None,
        print_blob=True,
        suppress_health_check=[HealthCheck.too_slow],
    )
    settings.load_profile(PROFILE)
