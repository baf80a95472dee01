"""Compile what embanon ships from public packages; nothing here runs when a text is anonymized."""
