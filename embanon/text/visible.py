"""A text as readers see it, for finding names: without invisible characters, and with look-alikes resolved.

A name may have soft hyphens and signs of no width between its letters, be cut at the end of a line, have accents behind
its letters, or letters of another script that look the same. The text itself stays as it is: where something is found
is said in its own places.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import chain
from typing import Final

import numpy as np
from numpy.typing import NDArray

Span = tuple[int, int]

INVISIBLE_CHARACTERS: Final = (
    "\u00ad\u034f\u0600-\u0605\u061c\u0640\u064b-\u0652\u0670\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e01ef"
)
"""Signs without width or ink, and what Arabic stretches or points a word with."""
ACCENTS: Final = "\u0300-\u036f"
"""Behind the letters, whose composed forms are compared without them."""
LIGATURES: Final = {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
LINE_END_HYPHEN: Final = r"-(?<=[^\W\d_A-Z]-)[ \t]*\r?\n[ \t]*(?=[^\W\d_A-Z])"
"""Where a word is cut at the end of a line; it begins with the hyphen, which is found at once."""
NORMALIZABLE: Final = re.compile(f"[{INVISIBLE_CHARACTERS}{ACCENTS}{''.join(LIGATURES)}]|{LINE_END_HYPHEN}")
NORMALIZABLE_ASCII: Final = re.compile(LINE_END_HYPHEN)
INVISIBLE: Final = re.compile(f"[{INVISIBLE_CHARACTERS}]")
WORD: Final = re.compile(r"\w+")
LATIN: Final = re.compile("[A-Za-z]")
LOOKALIKES: Final = str.maketrans(
    "АВЕЅІЈКМНОРСТХУаеѕіјорсхуԁһԛԝΑΒΕΖΗΙΚΜΝΟΡΤΥΧνοιραυ", "ABESIJKMHOPCTXYaesijopcxydhqwABEZHIKMNOPTYXvoipau"
)
"""Letters of Cyrillic and Greek that look like Latin ones; so they are read beside Latin letters alone."""
LOOKALIKE: Final = re.compile("[" + "".join(map(chr, LOOKALIKES)) + "]")


@dataclass(frozen=True, slots=True)
class VisibleText:
    """What is seen of a text."""

    text: str = field(repr=False)
    offsets: NDArray[np.int64] | None = field(default=None, repr=False)
    """Where each sign stands in the text itself; `None` where it stands in the same place."""

    @staticmethod
    def from_text(text: str) -> VisibleText:
        """See a text."""
        parts, places, last = list[str](), list[Iterable[int]](), 0
        for match in (NORMALIZABLE_ASCII if text.isascii() else NORMALIZABLE).finditer(text):
            shown = LIGATURES.get(match[0], "")
            parts += (text[last : match.start()], shown)
            places += (range(last, match.start()), [match.start()] * len(shown))
            last = match.end()
        if not last:
            return VisibleText(_replace_lookalikes(text))
        places.append(range(last, len(text)))
        return VisibleText(
            _replace_lookalikes("".join((*parts, text[last:]))), np.fromiter(chain.from_iterable(places), np.int64)
        )

    def spans(self, spans: Iterable[Span]) -> list[Span]:
        """Return where spans of what is seen stand in the text itself."""
        if self.offsets is None:
            return list(spans)
        return [(int(self.offsets[start]), int(self.offsets[end - 1]) + 1) for start, end in spans]


def strip_invisible(text: str) -> str:
    """Leave out what shows nothing."""
    return text if text.isascii() else INVISIBLE.sub("", text)


def _replace_lookalikes(text: str) -> str:
    """Return words that have letters of two scripts in one; signs stay in their places."""
    if text.isascii() or not LOOKALIKE.search(text):
        return text
    return WORD.sub(lambda word: word[0].translate(LOOKALIKES) if LATIN.search(word[0]) else word[0], text)
