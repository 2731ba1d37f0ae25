"""Sources that are read repeatedly: their settings, their stored state, their readers and their health."""
