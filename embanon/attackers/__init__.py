"""Attackers who guess whom a text is about, or what stood in it."""
