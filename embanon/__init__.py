"""Find what gives an entity away in a text, say how much, and generalize it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from embanon.anonymizer import Anonymized, Anonymizer, load

__all__ = ["Anonymized", "Anonymizer", "load"]


def __getattr__(name: str) -> Any:  # finding phrases does not wait for what scores and replaces them
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from embanon import anonymizer

    return getattr(anonymizer, name)
