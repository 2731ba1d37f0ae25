"""Sets of linked numbers."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memd.connectors.formats.mail.links import LinkedSets

NUMBERS = st.sampled_from([-(2**63), -5, 0, 1, 2, 3, 4, 9, 2**63 - 1])


@given(links=st.lists(st.tuples(NUMBERS, NUMBERS), max_size=12), other=NUMBERS)
def test_what_links_lead_to_belongs_together(links: list[tuple[int, int]], other: int) -> None:
    """Two numbers have one name exactly if links lead from one to the other; a number without links is its own."""
    reached = {number: {number} for number in (*(each for link in links for each in link), other)}
    for one, two in links * len(links):
        together = reached[one] | reached[two]
        for number in together:
            reached[number] = together
    sets = LinkedSets(sorted({number for link in links for number in link}), links)
    for one, together in reached.items():
        assert {two for two in reached if sets.find(two) == sets.find(one)} == together
