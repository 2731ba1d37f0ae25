"""One person under several names: decisions of the user, who belongs together by them, and what may be proposed. Pure."""
