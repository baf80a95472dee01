"""How much each phrase gives away: how identifying it is, whom it is about, and which topic."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
