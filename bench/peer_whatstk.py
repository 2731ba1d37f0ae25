"""Run by whatstk's own interpreter: messages and seconds of one export with its automatic header, and the peak memory."""
# pyright: basic, reportMissingImports=false

from __future__ import annotations

import json
import resource
import sys
import time

from whatstk import WhatsAppChat

start = time.perf_counter()
chat = WhatsAppChat.from_source(filepath=sys.argv[1])
seconds = time.perf_counter() - start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps({"messages": len(chat.df), "seconds": seconds, "peak_mb": peak}))
