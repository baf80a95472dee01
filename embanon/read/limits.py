"""How much is read: an input that unpacks to more than memory is refused, not tried."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Limits:
    """Bytes, after unpacking."""

    text: int = 256 << 20  # a plain text file
    marked: int = 32 << 20  # a page, Markdown or a message, whose pieces are held as well
    line: int = 64 << 20  # a line of JSON
    total: int = 8 << 30  # all lines of a file
    held: int = 256 << 20  # lines of standard input, which is held until its last line is known to be good


LIMITS: Final = Limits()
