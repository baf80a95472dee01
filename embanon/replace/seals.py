"""What ties the lines of a table of solutions to one text: a seal, which knows that text also where it was edited.

A seal is a line of the table: a sketch of the anonymized text (the least numbers of its pairs of words) and a checksum
of the lines. Edited texts keep three of four pairs, other texts of the same kind share at most one of four.
"""

from __future__ import annotations

import json
import re
from base64 import b64decode, b64encode
from collections.abc import Iterable, Sequence
from hashlib import sha256
from itertools import pairwise
from typing import Final
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from embanon.replace.rewrite import SEAL, Solution

SIZE: Final = 64
MIN_LIKENESS: Final = 0.5
"""The share of pairs of words above which a text is the same one."""
WORD: Final = re.compile(r"\w+")
MIXER: Final = 2654435761


def seal_of(document: str, text: str, solutions: Sequence[Solution]) -> Solution:
    """Return the seal of an anonymized text and its solutions."""
    sketch = b64encode(_pair_numbers(text)[:SIZE].astype("<u4").tobytes()).decode()
    return Solution(document, 0, 0, 0, len(text), sketch, _checksum(solutions), SEAL, "", None, 0.0)


def is_altered(seal: Solution, solutions: Iterable[Solution]) -> bool:
    """Return whether lines are others than those that were sealed."""
    return _checksum(solutions) != seal.replacement


def is_of_text(seal: Solution, text: str) -> bool:
    """Return whether a text is the sealed one, an edited copy, or a part of it."""
    try:
        sketch = np.frombuffer(b64decode(seal.original, validate=True), "<u4")
    except ValueError:
        return False
    least = _pair_numbers(text)
    if len(sketch) == SIZE:
        least = least[least <= sketch[-1]]
    common = len(np.intersect1d(sketch, least))
    return not len(sketch) or common > MIN_LIKENESS * max(1, min(len(sketch), len(least)))


def _pair_numbers(text: str) -> NDArray[np.uint32]:
    """Return a number of each pair of words, without order between them that says anything, from the least."""
    numbers = [crc32(word.encode("utf-8", "surrogatepass")) for word in WORD.findall(text.casefold())]
    first = numbers if len(numbers) == 1 else [one * 31 + other for one, other in pairwise(numbers)]
    return np.unique(np.array([number * MIXER & 0xFFFFFFFF for number in first], np.uint32))


def _checksum(solutions: Iterable[Solution]) -> str:
    """Return a checksum of lines, whatever the document is called."""
    rows = [list(one.to_dict().values())[1:] for one in solutions]
    return sha256(json.dumps(rows).encode()).hexdigest()[:32]
