"""A private cache of answers on disk; file names do not reveal the queries.

A file that is old, broken or of another kind counts as none.
"""

from __future__ import annotations

import contextlib
import gzip
import re
import secrets
import time
import zlib
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Final

from embanon.errors import ConfigError
from embanon.io import replace_file

KEY: Final = "key"
"""The file of the key of all names: without it, they cannot be told from those of a question that is guessed."""
KEY_BYTES: Final = 32
WRITTEN: Final = re.compile(rf"{KEY}|[0-9a-f]{{40}}\.json\.gz|\.embanon-[0-9a-f]{{16}}")
"""What a cache writes; the last where it was killed while it wrote."""
DAY: Final = 86_400.0


@dataclass(frozen=True, slots=True)
class AnswerCache:
    """A folder of answers, each found by what was asked."""

    folder: Path
    days: float
    max_bytes: int
    key: bytes = field(repr=False)

    @classmethod
    def open(cls, folder: Path, days: float, most_bytes: int) -> AnswerCache:
        """Make the folder and its key where there are none."""
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not (folder / KEY).exists():
                replace_file(folder / KEY, secrets.token_bytes(KEY_BYTES))
            key = (folder / KEY).read_bytes()
        except OSError as exc:
            raise _refusal(folder, exc) from exc
        if len(key) != KEY_BYTES:
            raise ConfigError(f"{folder / KEY}: is not the key of a cache; empty that folder, or change sparql.cache")
        return cls(folder, days, most_bytes, key)

    def get(self, asked: str) -> bytes | None:
        """Return what was answered, `None` where nothing is kept."""
        path = self._path(asked)
        with contextlib.suppress(OSError, EOFError, zlib.error):
            if 0 <= time.time() - path.stat().st_mtime <= self.days * DAY:
                with gzip.open(path) as stream:
                    body = stream.read(self.max_bytes + 1)
                return body if len(body) <= self.max_bytes else None
        return None

    def put(self, asked: str, body: bytes) -> None:
        """Keep an answer."""
        try:
            replace_file(self._path(asked), gzip.compress(body, compresslevel=6, mtime=0))
        except OSError as exc:
            raise _refusal(self.folder, exc) from exc

    def drop(self, asked: str) -> None:
        """Forget an answer that turned out to be none."""
        with contextlib.suppress(OSError):
            self._path(asked).unlink()

    def _path(self, asked: str) -> Path:
        name = blake2b(asked.encode("utf-8"), digest_size=20, key=self.key).hexdigest()
        return self.folder / f"{name}.json.gz"


def clear(folder: Path) -> None:
    """Remove the answers and their key, and the folder if it is empty then."""
    with contextlib.suppress(OSError):
        for path in folder.iterdir():
            if WRITTEN.fullmatch(path.name):
                path.unlink()
        folder.rmdir()


def _refusal(folder: Path, exc: OSError) -> ConfigError:
    return ConfigError(f"{folder}: cannot keep answers ({exc.strerror}); change sparql.cache, or leave it out")
