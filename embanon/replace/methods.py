"""Which method replaces a phrase of a text: by its type and kind, as the configuration says for the language."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from embanon.config import Config, MethodRule
from embanon.errors import ConfigError
from embanon.replace.surrogates.keyed import KeyedChoice, random_secret

Neighbors = Callable[[str, int], Sequence[tuple[str, float]]]
"""Gives the phrases nearest to a phrase with their cosines, so many of them."""
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


def _applies_to(row: MethodRule, type: str, kind: str) -> bool:
    """Return whether a row is of a type and kind; `CODE.national` is every national number."""
    kinds = not row.kinds or any(kind == one or kind.startswith(f"{one}.") for one in row.kinds)
    return kinds and (not row.types or type in row.types)
