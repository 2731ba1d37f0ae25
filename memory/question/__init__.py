"""What a question asks, by its words alone: pure functions of the text, the time and the names."""
