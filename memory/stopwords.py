"""English words that say nothing in a question, as `analysis.fold` leaves them (``don't`` is ``dont``, ``I'm`` is ``i``)."""

from __future__ import annotations

_WORDS = """
    a about after again all also am an and any are arent as at be because been before being between both but by can
    cant cannot could couldnt did didnt do does doesnt doing done dont down during each either else ever few for from
    further get gets getting got had hadnt has hasnt have havent having he her here hers herself him himself his how
    i if in into is isnt it its itself just let me might more most much must my myself no nor not of off on
    once one only or other our ours ourselves out over own please same shall she should shouldnt so some such tell
    than that the their theirs them themselves then there these they this those through to too under until up upon us
    very was wasnt we were werent what when where whether which while who whom whose why with wont would wouldnt
    you your yours yourself yourselves
"""
ENGLISH = frozenset(_WORDS.split())
"""Without may, will and like: a month, a name, and what questions are about."""
