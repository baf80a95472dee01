"""Take markings out of texts: else what is written of them is all that is learnt.

Words of a marking are found however they are joined, in any case: `Top-Secret`, `TOP SECRET`. A star stands for the
rest of a word: `classif*`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from embanon.errors import ConfigError
from embanon.language import key, words_of

USUAL_MARKINGS: Final = (
    "top secret", "secret", "secrets", "secretly", "confidential*", "classif*", "declassif*", "unclassif*",
    "overclassif*", "restricted", "official use", "official use only", "internal use only", "eyes only", "noforn",
    "nodis", "exdis", "limdis", "vertraulich", "vertrauliche", "streng geheim", "geheim", "verschlusssache", "vs nfd",
    "nur für den dienstgebrauch", "confidencial*", "secreto", "secreta", "reservado", "reservada", "uso interno",
    "sigiloso", "sigilosa", "ultrassecreto", "alto secreto",
)  # fmt: skip
"""Markings that are usual, in folded case."""
MARKING_WORD: Final = re.compile(r"\w+\*?")


@dataclass(frozen=True)
class Markings:
    """Markings, as words in folded case."""

    words: tuple[str, ...] = field(default=(), repr=False)

    @classmethod
    def build(
        cls, labels: Iterable[str], further: Iterable[str] = (), usual: Iterable[str] = USUAL_MARKINGS
    ) -> Markings:
        """Take labels as they are written, and words of which a star may leave the end open."""
        found = {" ".join(words_of(key(label))) for label in labels}
        for place, one in enumerate(further, 1):
            said = " ".join(MARKING_WORD.findall(key(one)))
            if not said:
                raise ConfigError(f"--marking, number {place}: has no word; write one as it stands in texts: classif*")
            found.add(said)
        return cls(tuple(sorted({*found, *usual} - {""})))

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        longest = sorted(self.words, key=lambda one: (-len(one), one))
        return re.compile(
            r"(?<!\S)(?:" + "|".join(re.escape(one).replace(r"\*", r"\S*") for one in longest) + r")(?!\S)"
        )

    def unmarked_words(self, text: str) -> list[str]:
        """Return the words of a text without its markings."""
        words = words_of(key(text))
        return self._pattern.sub(" ", " ".join(words)).split() if self.words else words
