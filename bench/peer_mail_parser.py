"""Run by mail-parser's own interpreter: messages and seconds of one mailbox, and the peak memory."""
# pyright: basic, reportMissingImports=false

from __future__ import annotations

import json
import logging
import mailbox
import resource
import sys
import time

import mailparser

logging.disable(logging.CRITICAL)
start, cpu = time.perf_counter(), time.process_time()
count = 0
box = mailbox.mbox(sys.argv[1], create=False)
for key in box.iterkeys():
    mail = mailparser.parse_from_bytes(box.get_bytes(key))
    count += bool(mail.subject) and len(mail.text_plain) + len(mail.text_html) > 0
seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps({"messages": count, "seconds": seconds, "cpu_s": cpu, "peak_mb": peak}))
