"""Open taxonomies by their names: those that are shipped, or folders; and climb them as a chain."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

from embanon.data import find_resource
from embanon.errors import DataError
from embanon.taxonomy.climb import Climber
from embanon.taxonomy.store import Store

SHIPPED: Final = ("places", "wordnet")
"""Names of the shipped taxonomies, in the order in which they are asked."""


def taxonomy_folder(name: str) -> Path:
    """Return the folder of a taxonomy by its name."""
    if name not in SHIPPED:  # a folder that is called so is ./places
        return Path(name)
    folder = find_resource("ontologies", "stores", name)
    if not isinstance(folder, Path):
        raise DataError("shipped taxonomies are mapped from files; install embanon unpacked (pip install embanon)")
    return folder


@lru_cache(maxsize=16)
def open_taxonomy(name: str) -> Store:
    """Open a taxonomy, once while it is in use."""
    return Store.open(taxonomy_folder(name))


@lru_cache(maxsize=16)
def climber(names: Sequence[str] = SHIPPED, language: str = "en") -> Climber:
    """Return what climbs taxonomies, in this order, in a language."""
    known: dict[str, Store] = {}
    for name in names:
        short = Path(name).name
        known[name if short in known or not short else short] = open_taxonomy(name)
    return Climber(known, language)
