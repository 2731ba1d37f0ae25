"""Run by chat-miner's own interpreter: messages and seconds of one export, and the peak memory.

The second argument names the parser; without it the export is WhatsApp's.
"""
# pyright: basic, reportMissingImports=false

from __future__ import annotations

import json
import logging
import resource
import sys
import time

from chatminer import chatparsers

logging.disable(logging.CRITICAL)
start, cpu = time.perf_counter(), time.process_time()
parser = getattr(chatparsers, sys.argv[2] if len(sys.argv) > 2 else "WhatsAppParser")(sys.argv[1])
parser.parse_file()
seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps({"messages": len(parser.parsed_messages.get_df()), "seconds": seconds, "cpu_s": cpu, "peak_mb": peak}))
