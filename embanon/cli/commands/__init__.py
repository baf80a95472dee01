"""One file a command: each maps its arguments to one call of the library and writes what comes back."""
