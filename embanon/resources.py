"""Find the shipped data files, from an installed wheel or from a checkout."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from embanon.errors import DataError


def resource(*parts: str) -> Traversable:
    """Give the data file or folder at `parts`, such as `("ontologies", "lexicon", "en.toml")`.

    The first part is a data folder: installed as a sub-package of embanon, beside the package in a checkout.
    """
    package = files("embanon")
    checkout = Path(__file__).resolve().parent.parent
    for root in (package, checkout):
        found: Traversable = root
        for part in parts:
            found = found / part
        if found.is_file() or found.is_dir():
            return found
    name = "/".join(parts)
    raise DataError(f"shipped data {name} is missing; run: pip install --force-reinstall embanon")
