"""Attacks on anonymized texts: who finds whom they are about, or what stood in them."""
