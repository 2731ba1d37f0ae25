"""The way of every question: kept answers, the store, what waits to be stored, and other memories, merged into one answer."""
