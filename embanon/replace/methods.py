"""Which method replaces a phrase of a text, by its type and kind; and the secret that chooses what is made up.

A bare hash of a name would be undone by hashing all names; HMAC is not, while its key is secret. It chooses the same
for the same name, and for whoever lacks the secret as if by chance.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count, islice
from pathlib import Path
from typing import Final, TypeVar

from embanon.config import Config, MethodRule
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
        words = " ".join(words_of_name(name)) or key(name)
        digest = hmac.digest(self.secret, f"{purpose}\0{words}".encode("utf-8", "surrogatepass"), "sha256")
        for number in count():
            yield int.from_bytes(hmac.digest(digest, number.to_bytes(4), "sha256"))

    def tries(self, purpose: str, name: str) -> Iterator[int]:
        """Return so many numbers that one of them should fit."""
        return islice(self.numbers(purpose, name), MAX_TRIES)

    def choices(self, purpose: str, name: str, pool: Sequence[Item]) -> Iterator[Item]:
        """Choose from a pool, again and again, but not for ever."""
        for number in self.tries(purpose, name) if pool else ():
            yield pool[number % len(pool)]

    def number_below(self, purpose: str, name: str, size: int) -> int:
        """Choose a number below a size."""
        return next(self.numbers(purpose, name)) % size


Neighbors = Callable[[str, int], Sequence[tuple[str, float]]]
"""The phrases nearest to a phrase with their cosines, so many of them."""
SURROGATE_METHODS: Final = frozenset(("substitute", "shift", "fill"))
"""Methods that put a value of the same type there."""


@dataclass(frozen=True, slots=True)
class Methods:
    """What was chosen for texts of one language."""

    default: str = "generalize"
    rows: tuple[MethodRule, ...] = ()
    """Those for the language; the first that fits a phrase decides."""
    keyed: KeyedChoice = field(default_factory=lambda: KeyedChoice(random_secret()), repr=False)
    """What chooses substitutes and shifts."""
    shift_days: int = 365
    valid: bool = False
    """Whether the checksums of codes that are made up are right."""
    neighbors: Neighbors | None = field(default=None, repr=False, compare=False)

    @staticmethod
    def from_config(
        config: Config, language: str, secret: bytes | None = None, neighbors: Neighbors | None = None
    ) -> Methods:  # fmt: skip
        """Resolve the settings for a language; without a secret, one is made up."""
        rows = tuple(row for row in config.methods if not row.languages or language in row.languages)
        chosen = config.anonymize
        if neighbors is None and "fill" in (chosen.method, *(row.method for row in config.methods)):
            raise ConfigError("the method fill takes phrases from a model; name it: --model MODEL")
        keyed = KeyedChoice(secret or random_secret())
        return Methods(chosen.method, rows, keyed, chosen.shift_days, chosen.checksums == "valid", neighbors)

    def method_for(self, type: str, kind: str = "") -> str:
        """Return the method for a type and kind."""
        return next((row.method for row in self.rows if _applies_to(row, type, kind)), self.default)

    @property
    def in_use(self) -> frozenset[str]:
        """Return every method that may be used."""
        return frozenset((self.default, *(row.method for row in self.rows)))


CITY, TOWN = "LOC.city", "LOC.town"
"""What gazetteers know, and what is learned: the same to whoever sets a method."""


def _applies_to(row: MethodRule, type: str, kind: str) -> bool:
    """Return whether a row is of a type and kind; `CODE.national` is every national number, `LOC.city` a town too."""
    kind = CITY if kind == TOWN else kind
    kinds = not row.kinds or any(kind == one or kind.startswith(f"{one}.") for one in row.kinds)
    return kinds and (not row.types or type in row.types)
