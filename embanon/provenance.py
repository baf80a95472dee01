"""Say what an output was made with: checksums of the settings, the model, the taxonomies. They tell no text."""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Final

from embanon.config.schema import leaves
from embanon.config.settings import Config
from embanon.errors import DataError

CARDS: Final = ("model.toml", "taxonomy.toml")
DIGITS: Final = 16


def identity(config: Config, model: Path | None, stores: Sequence[Path]) -> dict[str, str]:
    """Give the version and the checksums; words and expressions of the user's own only count by their number."""
    settings = json.dumps(list(leaves(config)), ensure_ascii=False)
    return {
        "version": version("embanon"),
        "config": _shortened(settings.encode()),
        "model": of_folder(model) if model else "",
        "taxonomies": " ".join(map(of_folder, stores)),
    }


def of_folder(path: Path) -> str:
    """Give the checksum of the card of a model or taxonomy, which has those of its files."""
    for name in CARDS:
        try:
            return _shortened((path / name).read_bytes())
        except FileNotFoundError:
            continue
        except OSError as exc:
            raise DataError(f"{path}: its card cannot be read ({exc.strerror})") from exc
    return ""


def _shortened(data: bytes) -> str:
    return sha256(data).hexdigest()[:DIGITS]
