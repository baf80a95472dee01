"""What is known of languages, whatever the text: words, forms, frequencies."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
