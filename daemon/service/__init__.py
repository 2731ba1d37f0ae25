"""The operations of the API on a memory, without HTTP."""
