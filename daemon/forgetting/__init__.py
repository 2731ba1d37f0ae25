"""Forgetting in everything that memd stores: the steps in their order, and the parts that only the daemon has."""
