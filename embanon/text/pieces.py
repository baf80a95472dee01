"""Cut a text at its paragraph breaks, so that a long one flows in bounded memory.

Where to cut depends on the text alone, not on how it arrives: a stream gives the same pieces as the whole.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Final

PIECE_SIZE: Final = 131_072
"""Characters of a piece, if paragraphs allow."""

MAX_PIECE_SIZE: Final = 4_194_304
"""Characters of a piece, whatever the paragraphs."""

PARAGRAPH_BREAK: Final = re.compile("\n(?:[ \t\r\f\v]*\n)+|\u2029")
"""A paragraph break: blank lines, or the character made for it."""

CLUSTER_SEARCH_LENGTH: Final = 64
"""Characters that are looked at for one that can be parted from the next."""

SPACES: Final = "".join(filter(str.isspace, map(chr, range(0x3001))))
JOINERS: Final = "\u200c\u200d"


def paragraph_bounds(text: str) -> Iterator[tuple[int, int]]:
    """Return the bounds of each paragraph that is not blank, without the breaks around it."""
    start = 0
    for match in PARAGRAPH_BREAK.finditer(text):
        if not text[start : match.start()].isspace() and start < match.start():
            yield start, match.start()
        start = match.end()
    if start < len(text) and not text[start:].isspace():
        yield start, len(text)


def split_pieces(
    text: str | Iterable[str], size: int = PIECE_SIZE, longest: int = MAX_PIECE_SIZE
) -> Iterator[tuple[int, str]]:
    """Give (offset, piece) in order; joined, the pieces are the text. No piece is empty."""
    if not 0 < size <= longest:
        raise ValueError("0 < size <= longest")
    if isinstance(text, str):
        start = 0
        while start < len(text):
            end = _piece_end(text, start, size, longest, final=True)
            yield start, text[start:end]
            start = end or len(text)
        return
    yield from _split_stream(iter(text), size, longest)


def _split_stream(chunks: Iterator[str], size: int, longest: int) -> Iterator[tuple[int, str]]:
    buffer, offset, final = "", 0, False
    needed = size + 1
    while True:
        parts, length = [buffer], len(buffer)
        while length < needed and not final:
            chunk = next(chunks, None)
            final = chunk is None
            parts.append(chunk or "")
            length += len(parts[-1])
        buffer, start = "".join(parts), 0
        # All pieces that the buffer decides are given before it is cut, so that copying stays linear.
        while start < len(buffer):
            end = _piece_end(buffer, start, size, longest, final)
            if end is None:
                break
            yield offset + start, buffer[start:end]
            start = end
        # Where a first look decided nothing, only the longest possible piece will.
        undecided = start == 0 and len(buffer) > size
        buffer, offset = buffer[start:], offset + start
        needed = longest + 1 if undecided else max(size + 1, min(len(buffer) + 1, longest + 1))
        if final and not buffer:
            return


def _piece_end(text: str, start: int, size: int, longest: int, final: bool) -> int | None:
    """Return where the piece from `start` ends; `None` when that depends on what is still to come."""
    length = len(text)
    if length - start <= size:
        return length if final else None
    # The last break within the size, else the first one after it.
    last = None
    for match in PARAGRAPH_BREAK.finditer(text, start, start + size):
        last = match.end()
    if last is not None:
        return last
    if length - start <= longest and not final:
        return None
    found = PARAGRAPH_BREAK.search(text, start, min(length, start + longest))
    if found:
        return found.end()
    return length if length - start <= longest else _end_within_paragraph(text, start, start + longest)


def _end_within_paragraph(text: str, start: int, end: int) -> int:
    """Return the last line break, else the last space, else the last place where no character is torn."""
    for separators in ("\n", SPACES):
        cut = max(text.rfind(separator, start + 1, end) for separator in separators) + 1
        if cut > start and not _is_inside_grapheme(text, cut):
            return cut
    nearby = range(end, max(start, end - CLUSTER_SEARCH_LENGTH), -1)
    return next((cut for cut in nearby if not _is_inside_grapheme(text, cut)), end)


def _is_inside_grapheme(text: str, cut: int) -> bool:
    """Return whether the characters on both sides are seen as one: the common cases of UAX #29."""
    before, after = text[cut - 1], text[cut]
    return (
        (before, after) == ("\r", "\n")
        or before in JOINERS
        or after in JOINERS
        or unicodedata.category(after).startswith("M")
        or "\U0001f3fb" <= after <= "\U0001f3ff"  # skin tones
        or ("\U0001f1e6" <= before <= "\U0001f1ff" and "\U0001f1e6" <= after <= "\U0001f1ff")  # flags
        or ("\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff")  # halves of a broken encoding
    )
