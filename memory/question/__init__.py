"""The meaning of a question by its words alone: pure functions of the text, the time and the names."""
