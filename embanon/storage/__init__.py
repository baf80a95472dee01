"""Folders of arrays, opened in place: what a model and a taxonomy share."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
