"""Data, no code: this file makes the folder a package, which editable installs need to find it."""
