"""Times of JSON whose form nobody promised."""

from __future__ import annotations

from datetime import UTC, datetime

from memd.connectors.times.instants import instant_of
from memd.tests.cases import for_each


@for_each(
    [
        ("20240115", datetime(2024, 1, 15, tzinfo=UTC)),
        ("1705320000", datetime(2024, 1, 15, 12, tzinfo=UTC)),
        ("1705320000123", datetime(2024, 1, 15, 12, 0, 0, 123000, UTC)),
        (1705320000, datetime(2024, 1, 15, 12, tzinfo=UTC)),
        (20240115, datetime(1970, 8, 23, 6, 15, 15, tzinfo=UTC)),
        ("20241315", datetime(1970, 8, 23, 6, 35, 15, tzinfo=UTC)),
        ("2024-01-15T12:00:00+01:00", datetime(2024, 1, 15, 11, tzinfo=UTC)),
        ("soon", None),
        (0, None),
        ("0", None),
        ("1970-01-01T00:00:00.000Z", None),
        ("1970-01-01T00:00:01Z", datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC)),
    ]
)
def test_eight_digits_are_a_date_if_they_can_be_one(value: object, found: datetime | None) -> None:
    """As text; a number is seconds, or milliseconds."""
    assert instant_of(value, UTC) == found
