"""From statements to facts with a history: what repeats, what supersedes, what retracts."""
