"""The pipeline from the journal to the store, to vectors and to facts: workers, runs, progress."""
