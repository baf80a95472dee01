"""Find the places of a text where a structured identifier may be, and run the recognizers there.

A family is imported when something may be of it. The order of the families is the order of the table: with equal
length and check, the first one wins.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import chain
from typing import Any, Final

from embanon.data import read_toml
from embanon.document import Identifier
from embanon.text.overlay import resolve_overlaps

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


def identifier_table(family: str) -> dict[str, Any]:
    """Return the words and shapes that tell a family of identifiers: `ontologies/lexicon/identifiers.toml`."""
    table: dict[str, Any] = read_toml("ontologies", "lexicon", "identifiers.toml")[family]
    return table


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

    def identifier(self, start: int, end: int, type_: str, kind: str, checked: bool = False) -> Identifier:
        """Return what stands between two places of the window, where it stands in the text."""
        return Identifier(self.offset + start, self.offset + end, type_, kind, checked)


def line_start(text: str, position: int, floor: int) -> int:
    """Return where the line of a position starts, or `floor` if that is nearer."""
    return max(floor, max(text.rfind(mark, floor, position) for mark in LINE_BREAKS) + 1)


def line_end(text: str, position: int, ceiling: int) -> int:
    """Return where the line of a position ends, or `ceiling` if that is nearer."""
    line_break = _BREAK.search(text, position, ceiling)
    return line_break.start() if line_break else min(ceiling, len(text))


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


CODE_MARKS: Final = ("@", "/", "www.", "-----BEGIN", "AKIA", "eyJ", "BIC", "SWIFT")
"""What announces a code without a digit."""
DIGIT: Final = re.compile("[0-9]")
RESUMED_LENGTH: Final = 45
"""Characters at the end of a window that is cut: the codes there are found in the window of a later anchor."""


def identify(text: str, language: str | None = None) -> list[Identifier]:
    """Find the structured identifiers of a text, sorted and without overlaps; none crosses a line."""
    identifiers: list[Identifier] = []
    if any(mark in text for mark in CODE_MARKS):
        from embanon.text.identifiers.codes import find_marked_codes

        identifiers += find_marked_codes(text)
    if "s/n" in text or "S/N" in text:
        from embanon.text.identifiers.addresses import find_unnumbered_addresses

        identifiers += find_unnumbered_addresses(text, language)
    if DIGIT.search(text):
        identifiers += _find_numbered(text, language)
    return resolve_identifiers(_without_blanks(text, identifiers)) if identifiers else []


def _without_blanks(text: str, identifiers: Iterable[Identifier]) -> Iterator[Identifier]:
    """Yield identifiers without control characters at their ends that count as blanks."""
    for identifier in identifiers:
        size = len(text[identifier.start : identifier.end].rstrip())
        yield replace(identifier, end=identifier.start + size)


@cache
def _candidate_pattern() -> re.Pattern[str]:
    """Compile the pattern of all digits where an identifier may start."""
    from embanon.text.identifiers.addresses import NUMBER_FIRST, NUMBER_LAST

    return re.compile(f"{FIRST_DIGIT}(?={ANCHOR}|{NUMBER_FIRST}|{NUMBER_LAST})")


def _find_numbered(text: str, language: str | None) -> Iterator[Identifier]:
    """Find the identifiers that have a digit."""
    heads = _candidate_pattern().finditer(text)
    first = next(heads, None)
    if first is None:
        return
    from embanon.text.identifiers.addresses import find_address
    from embanon.text.identifiers.codes import find_codes
    from embanon.text.identifiers.national import find_national_numbers
    from embanon.text.identifiers.phones import find_phones
    from embanon.text.identifiers.places import find_places
    from embanon.text.identifiers.records import find_records

    anchor_at = compile_pattern(f"[0-9]{ANCHOR}").match
    anchored = listed = coded = -1
    for head in chain((first,), heads):
        start = head.start()
        anchor = anchor_at(text, start) if start >= anchored else None
        if anchor:
            anchored = anchor.end()
            window = window_at(text, start, anchored)
            records = list(find_records(window, listed))
            listed = max([listed, *(record.end for record in records if record.kind == "case-number")])
            yield from records
            if not _is_plain_case(window, records):
                # a window's codes are found at once, so that anchors crowded in it cost no more than one
                if anchored > coded:
                    yield from find_codes(window)
                    coded = window.offset + len(window.text) - (RESUMED_LENGTH if window.is_cut else 0)
                yield from find_national_numbers(window)
                yield from find_phones(window, language)
                yield from find_places(window)
        yield from find_address(text, start, language)


def _is_plain_case(window: AnchorWindow, records: list[Identifier]) -> bool:
    """Return whether the anchor is a case number and no more, so that nothing else needs to be tried."""
    start, end = window.offset + window.start, window.offset + window.end
    return any(record.kind == "case-number" and record.start <= start and record.end >= end for record in records)


def resolve_identifiers(identifiers: Iterable[Identifier]) -> list[Identifier]:
    """Keep the longest of overlapping identifiers, then the checked one, then the first of the table."""
    return resolve_overlaps(identifiers, lambda identifier: (identifier.start - identifier.end, not identifier.checked))
