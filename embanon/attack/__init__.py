"""Attacks on anonymized texts: who finds whom they are about, or what stood in them."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
