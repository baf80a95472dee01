"""Find what identifies an entity in a text, score how much, and generalize it."""

from typing import Any

from lazy_loader import attach_stub

_load, __dir__, _names = attach_stub(__name__, __file__)
__all__ = [*_names, "__version__"]


def __getattr__(name: str) -> Any:  # nothing is imported before it is asked for
    if name in _names:
        return _load(name)
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib.metadata import version

    return version("embanon")
