"""Whom the words of `memd people merge` and `split` mean."""

from __future__ import annotations

import pytest

from memd.daemon.service.people import meant
from memd.memory.people.decisions import identity_key
from memd.memory.people.proposals import Identity
from memd.memory.person_service import grouped
from memd.schemas.errors import NotFoundError
from memd.tests.cases import for_each


def _who(source: str, name: str, *links: str) -> Identity:
    return Identity(source, name, identity_key(source, name), 1, links)


KNOWN = grouped(
    [
        _who("discord", "Ann", "id:300", "id:@ann_99", "mailto:ann@example.org"),
        _who("discord", "Bo", "id:301", "id:@bo"),
        _who("telegram", "Ann Lee", "id:user1", "id:@ann_99"),
        _who("x", "@bo"),
    ],
    {},
)


@for_each(
    [
        ("discord:300", "Ann"),
        ("Discord:@Ann_99", "Ann"),
        ("discord:@bo", "Bo"),
        ("telegram:@ann_99", "Ann Lee"),
        ("telegram:user1", "Ann Lee"),
        ("x:@bo", "@bo"),
        ("ANN@example.org", "Ann"),
        ("discord:ann", "Ann"),
    ]
)
def test_somebody_is_meant_by_an_account_or_handle_of_a_source(asked: str, name: str) -> None:
    """Whole, so that it also counts where nobody sees whom it means."""
    person, identity = meant(asked, KNOWN, parts=False)
    assert (person.name, identity.name) == (name, name)


@pytest.mark.parametrize("asked", ["discord:302", "@ann_99", "telegram:@bo", "nowhere:300"])
def test_an_account_of_no_source_or_of_another_one_is_nobody(asked: str) -> None:
    """A handle is somebody else's in another source."""
    with pytest.raises(NotFoundError):
        meant(asked, KNOWN, parts=False)
