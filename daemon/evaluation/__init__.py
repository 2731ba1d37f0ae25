"""Measures memories on questions whose evidence or answers are known: the parts behind `memd eval`."""
