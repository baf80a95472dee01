"""A text as readers see it, in which names are looked for: without what shows nothing, look-alikes as what they say.

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

NOTHING: Final = (
    "\u00ad\u034f\u0600-\u0605\u061c\u0640\u064b-\u0652\u0670\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e01ef"
)
"""Signs without width or ink, and what Arabic stretches or points a word with."""
ACCENTS: Final = "\u0300-\u036f"
"""Behind the letters, whose composed forms are compared without them."""
LIGATURES: Final = {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
CUT: Final = r"-(?<=[^\W\d_A-Z]-)[ \t]*\r?\n[ \t]*(?=[^\W\d_A-Z])"
"""Where a word is cut at the end of a line; it begins with the hyphen, which is found at once."""
CHANGED: Final = re.compile(f"[{NOTHING}{ACCENTS}{''.join(LIGATURES)}]|{CUT}")
IN_ASCII: Final = re.compile(CUT)
UNSEEN: Final = re.compile(f"[{NOTHING}]")
WORD: Final = re.compile(r"\w+")
LATIN: Final = re.compile("[A-Za-z]")
ALIKE: Final = str.maketrans(
    "АВЕЅІЈКМНОРСТХУаеѕіјорсхуԁһԛԝΑΒΕΖΗΙΚΜΝΟΡΤΥΧνοιραυ", "ABESIJKMHOPCTXYaesijopcxydhqwABEZHIKMNOPTYXvoipau"
)
"""Letters of Cyrillic and Greek that look like Latin ones; so they are read beside Latin letters alone."""
FOREIGN: Final = re.compile("[" + "".join(map(chr, ALIKE)) + "]")


@dataclass(frozen=True, slots=True)
class Visible:
    """What is seen of a text."""

    text: str = field(repr=False)
    places: NDArray[np.int64] | None = field(default=None, repr=False)
    """Where each sign stands in the text itself; `None` where it stands in the same place."""

    @staticmethod
    def of(text: str) -> Visible:
        """See a text."""
        parts, places, last = list[str](), list[Iterable[int]](), 0
        for found in (IN_ASCII if text.isascii() else CHANGED).finditer(text):
            shown = LIGATURES.get(found[0], "")
            parts += (text[last : found.start()], shown)
            places += (range(last, found.start()), [found.start()] * len(shown))
            last = found.end()
        if not last:
            return Visible(_latin(text))
        places.append(range(last, len(text)))
        return Visible(_latin("".join((*parts, text[last:]))), np.fromiter(chain.from_iterable(places), np.int64))

    def spans(self, found: Iterable[Span]) -> list[Span]:
        """Give where spans of what is seen stand in the text itself."""
        if self.places is None:
            return list(found)
        return [(int(self.places[start]), int(self.places[end - 1]) + 1) for start, end in found]


def seen(text: str) -> str:
    """Leave out what shows nothing."""
    return text if text.isascii() else UNSEEN.sub("", text)


def _latin(text: str) -> str:
    """Give words that have letters of two scripts in one; signs stay in their places."""
    if text.isascii() or not FOREIGN.search(text):
        return text
    return WORD.sub(lambda word: word[0].translate(ALIKE) if LATIN.search(word[0]) else word[0], text)
