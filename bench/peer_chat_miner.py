"""Run by chat-miner's own interpreter: messages and seconds of one WhatsApp export, and the peak memory."""
# pyright: basic, reportMissingImports=false

from __future__ import annotations

import json
import logging
import resource
import sys
import time

from chatminer.chatparsers import WhatsAppParser

logging.disable(logging.CRITICAL)
start = time.perf_counter()
parser = WhatsAppParser(sys.argv[1])
parser.parse_file()
seconds = time.perf_counter() - start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps({"messages": len(parser.parsed_messages.get_df()), "seconds": seconds, "peak_mb": peak}))
