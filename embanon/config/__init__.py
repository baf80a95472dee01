"""What can be set, its defaults, and where the settings in force come from."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
