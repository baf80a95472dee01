"""Where a folded text has a word or a whole name, whatever joins its words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from embanon.entities.entity import (
    CODE_CHARACTERS,
    ENTITY_CACHE_SIZE,
    MIN_LENGTH_IN_CODES,
    UNSPACED_SCRIPT,
    split_name,
)

WORD_JOINER: Final = r"(?:[*_`~]*\s[\s>|*_`~]{0,40}|[-‐-―−]\s{0,40}|[_./\\+·]|%20|&(?:nbsp|#160|#32);)"
"""What may stand between these words instead, as in names of files, addresses, quoted lines and where a line ends."""
PARAGRAPH_BREAK: Final = re.compile(r"\n[ \t\r>|]*\n")

Span = tuple[int, int]


@lru_cache(maxsize=ENTITY_CACHE_SIZE)
def _joined_pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(WORD_JOINER.join(map(re.escape, words)))


def find_name(low: str, name: str) -> Iterator[Span]:
    """Find a whole name in a folded text, whatever joins its words: red-falcon is Red Falcon."""
    words = split_name(name)
    if len(words) < 2:
        yield from find_word(low, name)
    elif all(word in low for word in words):
        pattern, at = _joined_pattern(words), 0
        while match := pattern.search(low, at):
            if is_whole(low, *match.span()):
                yield match.span()
            at = match.start() + 1


def find_word(low: str, word: str, *, whole: bool = True) -> Iterator[Span]:
    """Find a word in a text; `whole` leaves out what is in the middle of a longer one."""
    at = low.find(word)
    while at >= 0:
        end = at + len(word)
        if not whole or is_whole(low, at, end):
            yield at, end
        at = low.find(word, end)


def _extends_word(sign: str, last: str) -> bool:
    """Return whether a sign beside the last one of a name makes it a part of a longer word.

    Where words run on none does.
    """
    return sign.isalnum() and sign.isdecimal() == last.isdecimal() and not UNSPACED_SCRIPT.match(sign)


def _is_in_code(low: str, start: int, end: int) -> bool:
    """Return whether letters or digits stand on both sides of a name, or mixed on one; bea2 and 2bea are no code."""
    before, behind = low[max(start - MIN_LENGTH_IN_CODES, 0) : start], low[end : end + MIN_LENGTH_IN_CODES]
    left, right = (
        before[len(before.rstrip(CODE_CHARACTERS)) :],
        behind[: len(behind) - len(behind.lstrip(CODE_CHARACTERS))],
    )
    beside = left or right
    return bool(left and right) or not (beside.isalpha() or beside.isdecimal() or not beside)


def is_whole(low: str, start: int, end: int) -> bool:
    """Return whether what stands in a folded text is not in the middle of a longer word, nor a few letters of a
    code."""
    before, behind = low[start - 1 : start] if start else "", low[end : end + 1]
    if (before and _extends_word(before, low[start])) or (behind and _extends_word(behind, low[end - 1])):
        return False
    beside = before.isalnum() or behind.isalnum()
    return end - start >= MIN_LENGTH_IN_CODES or not (beside and _is_in_code(low, start, end))


def merge_spans(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Put spans in order, those that overlap as one."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(merged)
