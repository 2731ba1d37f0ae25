"""What the API may ask of a memory, without HTTP."""
