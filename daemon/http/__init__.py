"""HTTP over the daemon's Unix socket: server, protocol, limits, routes, streams."""
