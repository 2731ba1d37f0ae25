"""All limits of the socket: connections, time, bodies, shutdown. `protocol`, `middleware` and `server` apply them.

Rule 1: numbers alone, no import: the client starts with this file, too.
"""

CONNECTIONS = 320
"""The maximum number of connections, idle ones and progress streams included; one more is answered BUSY and closed."""

FOLLOWERS = 224
"""The maximum number of progress streams: a script that forgets to close them must not use up all connections."""

STALLED_SECONDS = 30.0
"""The time after which a connection that does not read its answer may be closed in favour of a new one, if there are
too many. Otherwise it may stay: a pager may pause an export.
"""

REQUEST_SECONDS = 10.0
"""The maximum seconds for a complete request, head and body."""

FOLLOWED = b"/v1/progress"
"""The path of the endless progress stream."""

UPLOAD = b"/v1/documents"
"""The path of uploads: their body may take longer as long as bytes keep coming, because the deadline restarts with each
of them.
"""

UPLOAD_SECONDS = 600.0
"""The maximum seconds for such a body as a whole: a very slow sender must not hold a connection for ever."""

BODY_BYTES = 16 * 1024 * 1024
"""The maximum bytes of a request's body; clients send more documents in several requests."""

BODIES_BYTES = 4 * BODY_BYTES
"""The maximum bytes of the bodies of all requests together: each is in memory until its request is answered."""

ACCEPTED_AT_ONCE = 32
"""The maximum number of connections accepted at a time: each takes a file descriptor before it can be counted."""

QUEUED = 1024
"""The maximum number of new connections that wait in the kernel; with a full queue a client is refused at once, as if
memd did not run.
"""

GRACE_SECONDS = 3
"""The seconds for answers in progress when the server stops; then they are cut off."""

HEARTBEAT_SECONDS = 10.0
"""The seconds between two empty objects (or comments, of server-sent events) on an idle stream. Clients consider a
stream broken after `client.ANSWER_SECONDS` without a byte, which must be longer.
"""

SOCKET_CHECK_SECONDS = 5.0
"""The seconds between two checks whether the socket is still at its path."""
