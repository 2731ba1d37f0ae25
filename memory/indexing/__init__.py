"""The store together with its derived indexes: updates after each change, purges, checks and repairs."""
