"""Linkage: whom an attacker with public text takes a document to be about."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
