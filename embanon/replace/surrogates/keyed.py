"""Choose by a secret: the same for the same name, and for whoever lacks the secret as if by chance.

A bare hash of a name would be undone by hashing all names; HMAC is not, while its key is secret.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count, islice
from pathlib import Path
from typing import Final, TypeVar

from embanon.config import Config
from embanon.errors import ConfigError, InputError
from embanon.language import key
from embanon.text import words_of_name

Item = TypeVar("Item")

MAX_TRIES: Final = 400
"""How many are chosen before it is said that none fits."""
BYTES: Final = 32


def read_key(path: str) -> bytes:
    """Read a key."""
    try:
        key = Path(path).read_bytes().strip()
    except OSError as exc:
        raise InputError(f"{path}: cannot be read ({exc.strerror})") from exc
    if not key:
        raise ConfigError(f"{path}: is empty; write a long random text into it")
    return key


def secret_from_config(config: Config) -> bytes:
    """Return what chooses in a run: the key that is set, or chance."""
    return read_key(config.anonymize.key_file) if config.anonymize.key_file else random_secret()


def random_secret() -> bytes:
    """Return a secret for one run."""
    return secrets.token_bytes(BYTES)


@dataclass(frozen=True, slots=True)
class KeyedChoice:
    """What a secret chooses."""

    secret: bytes = field(repr=False)

    def numbers(self, purpose: str, name: str) -> Iterator[int]:
        """Return numbers without end, chosen for a name as names are compared."""
        said = " ".join(words_of_name(name)) or key(name)
        own = hmac.digest(self.secret, f"{purpose}\0{said}".encode("utf-8", "surrogatepass"), "sha256")
        for number in count():
            yield int.from_bytes(hmac.digest(own, number.to_bytes(4), "sha256"))

    def choices(self, purpose: str, name: str, pool: Sequence[Item]) -> Iterator[Item]:
        """Choose from a pool, again and again, but not for ever."""
        for number in islice(self.numbers(purpose, name), MAX_TRIES if pool else 0):
            yield pool[number % len(pool)]

    def number_below(self, purpose: str, name: str, size: int) -> int:
        """Choose a number below a size."""
        return next(self.numbers(purpose, name)) % size
