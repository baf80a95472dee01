"""The commands, one per file: each maps its arguments to a call of the library and writes the result."""
