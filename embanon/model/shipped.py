"""Open a model by its name: a folder, or `default`, the small English one that is shipped."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from embanon.data import find_resource
from embanon.errors import DataError
from embanon.model.model import Model

DEFAULT: Final = "default"


def open_model(name: str | Path = DEFAULT) -> Model:
    """Open a model's folder, or the shipped model."""
    return Model.open(model_folder(str(name)))


def model_folder(name: str) -> Path:
    """Return the folder of a model by its name."""
    return shipped_folder("en") if name == DEFAULT else Path(name)


def shipped_folder(language: str) -> Path:
    """Return the folder of a shipped model."""
    folder = find_resource("embeddings", "models", language)
    if not isinstance(folder, Path):
        raise DataError("shipped models are mapped from files; install embanon unpacked (pip install embanon)")
    return folder
