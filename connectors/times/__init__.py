"""Written dates and clocks, time zones, and the hour that comes twice."""
