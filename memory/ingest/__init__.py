"""Documents on their way in: their size and the batches that are written in one transaction."""
