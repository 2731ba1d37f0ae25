"""The configuration: settings, paths of files and socket, keys, time zones and names of the user."""
