"""The checks of `memd doctor`."""
