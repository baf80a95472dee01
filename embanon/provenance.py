"""Provenance of an output: checksums of the settings, the model and the taxonomies, which reveal no text."""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Final

from embanon.config import Config, iterate_settings
from embanon.errors import DataError

CARD_NAMES: Final = ("model.toml", "taxonomy.toml")
CHECKSUM_DIGITS: Final = 16


def describe_provenance(config: Config, model: Path | None, stores: Sequence[Path]) -> dict[str, str]:
    """Return the version and the checksums; of the user's own words only their number counts."""
    settings = json.dumps(list(iterate_settings(config)), ensure_ascii=False)
    return {
        "version": version("embanon"),
        "scorer": config.score.effective_scorer,
        "config": _short_checksum(settings.encode()),
        "model": folder_checksum(model) if model else "",
        "taxonomies": " ".join(map(folder_checksum, stores)),
    }


def folder_checksum(path: Path) -> str:
    """Return the checksum of the card of a model or taxonomy, which has those of its files."""
    for name in CARD_NAMES:
        try:
            return _short_checksum((path / name).read_bytes())
        except (FileNotFoundError, NotADirectoryError):  # who opens it says what it is
            continue
        except OSError as exc:
            raise DataError(f"{path}: its card cannot be read ({exc.strerror})") from exc
    return ""


def _short_checksum(data: bytes) -> str:
    return sha256(data).hexdigest()[:CHECKSUM_DIGITS]
