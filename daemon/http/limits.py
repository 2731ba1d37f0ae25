"""The limits of the socket, all of them: connections, time, bodies, the end. `protocol`, `middleware` and `server` apply them.

Rule 1: numbers alone, no import: the client starts with this file, too.
"""

CONNECTIONS = 320
"""Connections at once, idle ones and streams of progress among them; one more is answered BUSY and closed."""

FOLLOWERS = 224
"""Streams of progress at once: a script that forgets to close them must not take every connection."""

STALLED_SECONDS = 30.0
"""A connection that has not read its answer for so long gives way to a new one where there are too many. Else it may stay: a
pager may stop an export."""

REQUEST_SECONDS = 10.0
"""For a complete request, head and body."""

FOLLOWED = b"/v1/progress"
"""A stream without an end of its own."""

UPLOAD = b"/v1/documents"
"""The body of a request to this path may take longer as long as bytes keep coming: the clock starts anew with each of them."""

UPLOAD_SECONDS = 600.0
"""For such a body as a whole: whoever sends a byte now and then does not keep a place for ever."""

BODY_BYTES = 16 * 1024 * 1024
"""The largest body of a request; clients send more documents in several requests."""

BODIES_BYTES = 4 * BODY_BYTES
"""The bodies of all requests together: each lies in memory until its request is answered."""

ACCEPTED_AT_ONCE = 32
"""New connections between two looks at the others: each is a file before it can be counted."""

QUEUED = 1024
"""New connections that wait in the kernel; with a full queue a client is refused at once, as if nobody were there."""

GRACE_SECONDS = 3
"""For answers under way when the server stops; then they are cut off."""

HEARTBEAT_SECONDS = 10.0
"""Between two empty objects (or comments, of server-sent events) on a stream that has nothing to tell. Clients take a stream for
broken after `client.ANSWER_SECONDS` without a byte, which must be longer."""

SOCKET_CHECK_SECONDS = 5.0
"""Between two looks whether the socket is still at its path."""
