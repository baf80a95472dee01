"""What stands instead of risky phrases, how the text is rewritten, and what undoes it."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
