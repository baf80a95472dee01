"""Replacements of risky phrases, the rewriting of the text, and its reversal."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
