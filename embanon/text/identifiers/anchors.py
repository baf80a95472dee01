"""Find the few places of a text where a structured identifier may stand, and cut a window there."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Final

LINE_BREAKS: Final = "\n\r\u2028\u2029\x85"
CONTEXT_LENGTH: Final = 48
WINDOW_REACH: Final = 110
"""How far a window reaches to both sides of its anchor, on the same line."""

# Years, days and ages are nearly all digits of prose: every branch says what makes a number interesting.
# It applies after the first digit of a run (`HEAD`).
ANCHOR: Final = r"""(?x:
      (?:(?:[ ./()\-,\u00a0\u2011]|\)[ -]|[ ]\()?[0-9]){4,60}+   # five digits or more
    | [0-9]{0,2}+\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]                   # 8.8.8.8
    | (?<=[A-Z][ -][0-9])[0-9]{1,3}(?![0-9])                     # M AB 123
    | [0-9]{3}\][ ][A-Z]                                          # [2008] EWHC
    | [0-9]?[ ][0-9]{2}(?![0-9])                                 # 28 28
    | [0-9]*+/[0-9A-Z]                                           # 4711/B, 40/94
    | [0-9]*+[A-Z]                                               # RCCMNL83S
    | [0-9]{0,5}+[ -][A-Z]{1,3}(?![A-Za-z])                      # 1234 BCD, 131 C
    | [0-9a-fA-F]{0,6}[a-f][0-9]                                 # hexadecimal
    | [0-9A-Fa-f]{0,3}[:\-][0-9A-Fa-f]{2}[:\-]                   # MAC
    | [0-9a-fA-F]{0,3}:[0-9a-fA-F]{0,4}:[0-9a-fA-F]              # IPv6
    | [0-9.]{0,6}+[ ]?°
    | (?<=[03-9])[0-9]{3} | (?<=1)[0-4][0-9]{2} | (?<=2)[1-9][0-9]{2}   # four digits, no year
    )"""


def word_set(words: str) -> frozenset[str]:
    """Return the words of a table's row as a set."""
    return frozenset(words.split())


_BREAK: Final = re.compile(f"[{LINE_BREAKS}]")


@cache
def compile_pattern(pattern: str) -> re.Pattern[str]:
    """Compile a pattern on first use: importing the package must stay cheap."""
    return re.compile(pattern)


@dataclass(slots=True)
class AnchorWindow:
    """A piece of one line around an anchor: `text` starts at `offset`, the anchor is `text[start:end]`."""

    offset: int
    start: int
    end: int
    text: str = field(repr=False)
    is_cut: bool = False
    """Whether the line goes on behind the window."""
    words: tuple[str, ...] = field(default=(), repr=False)
    """The words before the anchor, within `CONTEXT` characters."""

    def before(self, position: int, reach: int) -> str:
        """Return at most `reach` characters before a position of the window."""
        return self.text[max(0, position - reach) : position]


def line_start(text: str, position: int, floor: int) -> int:
    """Return where the line of a position starts, or `floor` if that is nearer."""
    return max(floor, max(text.rfind(mark, floor, position) for mark in LINE_BREAKS) + 1)


def line_end(text: str, position: int, ceiling: int) -> int:
    """Return where the line of a position ends, or `ceiling` if that is nearer."""
    found = _BREAK.search(text, position, ceiling)
    return found.start() if found else min(ceiling, len(text))


FIRST_DIGIT: Final = (
    r"[0-9](?<![0-9][0-9])"
    # a plain year, which is what most numbers of prose are
    r"(?!(?:(?<=1)[5-9]|(?<=2)0)[0-9]{2}[ ).,;\u2013\n](?![ ]?[A-Z0-9]))"
)
"""The first digit of a run. Before its look-behind, as a search for a set of characters is fast."""


def window_at(text: str, start: int, end: int, reach: int = WINDOW_REACH) -> AnchorWindow:
    """Cut the window around an anchor."""
    left = line_start(text, start, max(0, start - reach))
    right = line_end(text, end, end + reach)
    piece = text[left:right]
    start -= left
    cut = right < len(text) and text[right] not in LINE_BREAKS
    return AnchorWindow(
        left, start, end - left, piece, cut, tuple(context_words(piece[max(0, start - CONTEXT_LENGTH) : start]))
    )


def occurrences(text: str, needle: str) -> Iterator[int]:
    """Yield where a string occurs; `str.find` is ten times faster than a pattern."""
    position = text.find(needle)
    while position >= 0:
        yield position
        position = text.find(needle, position + len(needle))


@cache
def load_validator(name: str) -> Callable[[str], bool]:
    """Return the check of a python-stdnum module; imported only when a candidate shows up."""
    from importlib import import_module

    check: Callable[[str], bool] = import_module(f"stdnum.{name}").is_valid
    return check


_WORD: Final = re.compile(r"[^\W_]+")


def context_words(text: str) -> list[str]:
    """Return the lower-case words of a context; `N.I.F.` is one word."""
    return _WORD.findall(text.lower().replace(".", ""))
