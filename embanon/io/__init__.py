"""Bytes in, bytes out: formats, files, the terminal."""
