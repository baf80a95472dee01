"""Read the archives of arrays that embanon ships: never unpickled, refused with a clear message when broken."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from embanon.errors import DataError


@contextmanager
def opened(data: bytes, name: str, version: int) -> Iterator[Mapping[str, NDArray[Any]]]:
    """Give the arrays of an archive whose `format` begins with the version; whatever fails inside is a `DataError`."""
    try:
        with np.load(BytesIO(data), allow_pickle=False) as arrays:
            found = int(arrays["format"][0])
            if found != version:
                raise DataError(f"{name} has format {found}, this embanon reads {version}; reinstall embanon")
            yield arrays
    except (ValueError, KeyError, IndexError, OSError, EOFError, MemoryError, zlib.error, BadZipFile) as error:
        raise DataError(f"{name} is truncated, or not a file of this kind; reinstall embanon") from error
