"""`memd mcp`: the memory for programs that speak the Model Context Protocol, as a thin process beside the one daemon.

Rule 1: the standard library alone, and until a tool is called nothing but JSON and threads: an agent waits for the first
list of tools. The protocol's SDK takes four times as long to import as that list may take.
Rule 2: nothing is logged, and no error repeats what people wrote.
Rule 3: whatever is quoted from the memory stands in a `quotation`.
"""
