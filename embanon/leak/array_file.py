"""Keep what is learnt of a company's documents in one file of arrays: never unpickled, for its owner alone."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any, Final
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from embanon.errors import DataError
from embanon.io import replace_file

RELEARN_COMMANDS: Final = {"hints": "embanon leak scan --learn"}
"""Kind -> what learns it, where that is no command of its own."""
READ_ERRORS: Final = (
    ValueError, KeyError, IndexError, OSError, EOFError, MemoryError, TypeError, AttributeError, zlib.error, BadZipFile,
)  # fmt: skip
"""What a file that is none of ours, or that is broken, can lead to."""


def save_arrays(path: Path, kind: str, version: int, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write arrays, whole or not at all."""
    found = BytesIO()
    np.savez_compressed(found, allow_pickle=False, kind=np.array(kind), format=np.array([version]), **arrays)
    replace_file(path, found.getvalue())


def is_kind(path: Path, kind: str) -> bool:
    """Return whether a file is one of a kind, of whatever format."""
    try:
        with np.load(BytesIO(path.read_bytes()), allow_pickle=False) as arrays:
            return str(arrays["kind"]) == kind
    except READ_ERRORS:
        return False


@contextmanager
def load_arrays(path: Path, kind: str, version: int) -> Iterator[Mapping[str, NDArray[Any]]]:
    """Return the arrays of a file; whatever fails inside is a `DataError`."""
    again = f"learn it again ({RELEARN_COMMANDS.get(kind, 'embanon leak learn')})"
    try:
        # A file that is broken stays open where numpy opens it.
        with np.load(BytesIO(path.read_bytes()), allow_pickle=False) as arrays:
            if str(arrays["kind"]) != kind:
                raise DataError(f"{path.name} holds {arrays['kind']!s}, not {kind}; name another file")
            if (found := int(arrays["format"][0])) != version:
                raise DataError(f"{path.name} has format {found}, this embanon reads {version}; {again}")
            yield arrays
    except FileNotFoundError:
        raise DataError(f"{path.name} is not there; {again}") from None
    except READ_ERRORS as error:
        raise DataError(f"{path.name} is truncated, or not a file of this kind; {again}") from error
