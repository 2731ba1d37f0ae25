"""Run by whatstk's own interpreter: messages and seconds of one export with its automatic header, and the peak memory."""
# pyright: basic, reportMissingImports=false

from __future__ import annotations

import json
import resource
import sys
import time

from whatstk import WhatsAppChat

start, cpu = time.perf_counter(), time.process_time()
chat = WhatsAppChat.from_source(filepath=sys.argv[1])
seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps({"messages": len(chat.df), "seconds": seconds, "cpu_s": cpu, "peak_mb": peak}))
