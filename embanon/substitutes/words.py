"""Words that nobody knows, and how words are written: capitals as they stood."""

from __future__ import annotations

from typing import Final

STARTS: Final = "b br d dr f g gr h k l m n p pr r s st t tr v w z".split()
VOWELS: Final = "a e i o u".split()
JOINTS: Final = "b d g l ll m n nd r rn s st t v x z lm nt rd".split()
ENDS: Final = ("", "l", "n", "r", "s", "x")
SHORTEST: Final = 4


def invented(number: int, length: int = 7) -> str:
    """Put a word together from syllables, of about this length and at least four letters."""
    wanted, word = max(min(length, 10), SHORTEST), ""
    while len(word) < wanted:
        number, at = divmod(number, len(JOINTS if word else STARTS))
        word += (JOINTS if word else STARTS)[at]
        number, at = divmod(number, len(VOWELS))
        word += VOWELS[at]
    return word + ENDS[number % len(ENDS)]


def like(written: str, word: str) -> str:
    """Write a word with the capitals of another."""
    if len(written) > 1 and written.isupper():
        return word.upper()
    if written[:1].isupper():
        return word[:1].upper() + word[1:]
    return word.lower() if written.islower() else word
