"""Find the shipped data files, from an installed wheel or from a checkout."""

from __future__ import annotations

import tomllib
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from embanon.errors import DataError


def find_resource(*parts: str) -> Traversable:
    """Return the data file or folder at `parts`, such as `("ontologies", "lexicon", "en.toml")`.

    The first part is a data folder: installed as a sub-package of embanon, beside the package in a checkout.
    """
    package = files("embanon")
    checkout = Path(__file__).resolve().parent.parent
    for root in (package, checkout):
        resource: Traversable = root
        for part in parts:
            resource = resource / part
        if resource.is_file() or resource.is_dir():
            return resource
    name = "/".join(parts)
    raise DataError(f"shipped data {name} is missing; run: pip install --force-reinstall embanon")


@cache
def read_toml(*parts: str) -> Mapping[str, Any]:
    """Read a shipped TOML file, once."""
    return tomllib.loads(find_resource(*parts).read_text("utf-8"))


def pack_archive(**arrays: NDArray[Any]) -> bytes:
    """Return arrays as a compressed archive, which `open_archive` opens."""
    buffer = BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **arrays)
    return buffer.getvalue()


@contextmanager
def open_archive(data: bytes, name: str, version: int) -> Iterator[Mapping[str, NDArray[Any]]]:
    """Return the arrays of an archive whose `format` begins with the version.

    Whatever fails inside is a `DataError`.
    """
    try:
        with np.load(BytesIO(data), allow_pickle=False) as arrays:
            format_number = int(arrays["format"][0])
            if format_number != version:
                raise DataError(f"{name} has format {format_number}, this embanon reads {version}; reinstall embanon")
            yield arrays
    except (ValueError, KeyError, IndexError, OSError, EOFError, MemoryError, zlib.error, BadZipFile) as error:
        raise DataError(f"{name} is truncated, or not a file of this kind; reinstall embanon") from error
