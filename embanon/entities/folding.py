"""A text as names are compared: in small letters, without accents and strokes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from itertools import chain
from typing import Final
from unicodedata import normalize

from embanon.data import read_toml


def fold_text(text: str) -> str:
    """Return a text as names are compared, sign for sign: in small letters, without accents, white space as spaces."""
    low = text.translate(_folding_table()).lower() if not text.isascii() else text.translate(NORMALIZED_SIGNS).lower()
    return low if len(low) == len(text) else "".join(sign.lower() if len(sign.lower()) == 1 else sign for sign in text)


DECOMPOSABLE_RANGES: Final = (
    range(0xC0, 0x250), range(0x1D2C, 0x1D6B), range(0x1E00, 0x1F00), range(0x2070, 0x20A0), range(0x24B6, 0x24EA),
    range(0xFF21, 0xFF5B), range(0x1D400, 0x1D6A4),
)  # fmt: skip
"""Letters that are others with an accent, or drawn otherwise: raised, in a circle, wide, bold."""

NORMALIZED_SIGNS: Final = dict.fromkeys(map(ord, "\t\n\r\x0b\x0c\u00a0"), " ") | {ord("’"): "'"}


@cache
def _folding_table() -> dict[int, str]:
    """Return letters without their accents, where that is one letter."""
    table = dict(NORMALIZED_SIGNS)
    for code in chain(*DECOMPOSABLE_RANGES):
        plain = normalize("NFKD", chr(code))[0]
        if plain.isalpha():
            table[code] = plain
    table.update({ord(form): plain for letter, plain in letter_strokes().items() for form in {letter, letter.upper()}})
    return table


@cache
def letter_strokes() -> Mapping[str, str]:
    """Return letters with a stroke, each with the one that it is compared as."""
    entries = read_toml("ontologies", "lexicon", "names.toml")["strokes"].split()
    return {letter: plain for letter, _, plain in (entry.partition("=") for entry in entries)}
