"""Recognize what identifies: a learned labeler of tokens, and where in a document they stand."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
