"""Recognize national identity, tax, social-security and health numbers by shape, context and check digits.

A number stands alone only if its written shape is unmistakable and its check is stronger than one in eleven
(`alone`). Every other number needs one of its words on the same line, and then its check must agree, unless
the word is directly before it: `CPF: 123…` with a slip of the pen identifies as well as without.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from embanon.data import read_toml
from embanon.document import Identifier
from embanon.text.identifiers.anchors import (
    AnchorWindow,
    compile_pattern,
    context_words,
    identifier_table,
    load_validator,
    word_set,
)

_TABLE: Final = identifier_table("national")
NEUTRAL_WORDS: Final = word_set(_TABLE["neutral"])
VETO_WORDS: Final = word_set(_TABLE["vetoes"])
REACH_BEFORE, REACH_AFTER = 48, 18
_PIECE = re.compile(r"[0-9A-Za-z&]+(?:[./\-\u2011+][0-9A-Za-z&]+)*")
_SEPARATORS = re.compile(r"[^0-9A-Za-z&]+")
_SHAPE = str.maketrans("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", "9" * 10 + "A" * 26)


@dataclass(frozen=True, slots=True)
class NationalNumber:
    """A row of the table: `pattern` is for the number without separators, in capitals."""

    kind: str
    stdnum_module: str | None
    pattern: str
    context_phrases: str
    standalone_shapes: str = ""
    """Written shapes that need no context: 9 is a digit, A a capital; separated by bars."""


def _number_table() -> Mapping[str, Any]:
    return read_toml("ontologies", "lexicon", "national_numbers.toml")


@cache
def national_numbers() -> tuple[NationalNumber, ...]:
    """Return the rows of the table of national numbers."""
    return tuple(
        NationalNumber(row["kind"], row.get("check"), row["pattern"], row["words"], row.get("alone", ""))
        for row in _number_table()["rows"]
    )


@cache
def _index_context_phrases() -> tuple[dict[str, tuple[tuple[int, bool], ...]], dict[str, frozenset[int]]]:
    """Index the context phrases: phrase -> (row, if it is its own); last word -> lengths in words."""
    families = _number_table()["families"]
    index: dict[str, list[tuple[int, bool]]] = {}
    lengths: dict[str, set[int]] = {}
    for place, row in enumerate(national_numbers()):
        own_phrases = row.context_phrases.split("|")
        family = families.get(row.kind.partition(".")[0], "") if row.stdnum_module else ""
        for phrase in [*own_phrases, *(phrase for phrase in family.split("|") if phrase and phrase not in own_phrases)]:
            index.setdefault(phrase, []).append((place, phrase in own_phrases))
            words = phrase.split()
            lengths.setdefault(words[-1], set()).add(len(words))
    return {phrase: tuple(rows) for phrase, rows in index.items()}, {word: frozenset(n) for word, n in lengths.items()}


@cache
def _index_standalone_shapes() -> tuple[dict[str, tuple[NationalNumber, ...]], frozenset[str]]:
    """Index the shapes that need no context, and the beginnings of those written with spaces."""
    shapes: dict[str, tuple[NationalNumber, ...]] = {}
    for row in national_numbers():
        for shape in filter(None, row.standalone_shapes.split("|")):
            shapes[shape] = (*shapes.get(shape, ()), row)
    heads = {shape[:place] for shape in shapes for place, character in enumerate(shape) if character == " "}
    return shapes, frozenset(heads)


def nearby_rows(window: AnchorWindow, start: int, end: int) -> dict[int, int]:
    """Return the rows whose words stand near `text[start:end]`.

    The value is 3 for the row's own word directly before, 2 for it nearby, 1 for a word of its family only.
    """
    rows: dict[int, int] = {}
    index, lengths = _index_context_phrases()
    before = list(window.words) if start == window.start else context_words(window.before(start, REACH_BEFORE))
    after = context_words(window.text[end : end + REACH_AFTER])[:3]
    for words, ahead in ((before, True), (after, False)):
        for place, word in enumerate(words):
            for length in lengths.get(word, ()):
                if length > place + 1:
                    continue
                near = ahead and NEUTRAL_WORDS.issuperset(words[place + 1 :])
                for row, is_own in index.get(" ".join(words[place + 1 - length : place + 1]), ()):
                    rows[row] = max(rows.get(row, 0), (3 if near else 2) if is_own else 1)
    return rows


def _is_valid(row: NationalNumber, raw: str, compact: str) -> bool:
    if not compile_pattern(row.pattern).fullmatch(compact):
        return False
    return not row.stdnum_module or load_validator(row.stdnum_module)(
        raw if "." not in row.stdnum_module or row.stdnum_module == "fi.hetu" else compact
    )


def find_national_numbers(window: AnchorWindow) -> Iterator[Identifier]:
    """Find the national numbers of a window."""
    text = window.text
    pieces = [
        match.span() for match in _PIECE.finditer(text, max(0, window.start - 12), min(len(text), window.end + 14))
    ]
    if not pieces or VETO_WORDS.intersection(window.words[-4:]):
        return
    shapes, heads = _index_standalone_shapes()
    for place, (start, end) in enumerate(pieces):
        shape = text[start:end].translate(_SHAPE)
        last = place
        while True:
            for row in shapes.get(shape, ()):
                raw = text[start:end]
                if _is_bounded(text, start, end) and _is_valid(row, raw, _SEPARATORS.sub("", raw)):
                    yield window.identifier(start, end, "CODE", row.kind, bool(row.stdnum_module))
            last += 1
            if shape not in heads or last == len(pieces) or text[end : pieces[last][0]] != " ":
                break
            end = pieces[last][1]
            shape = text[start:end].translate(_SHAPE)
    first = next((start for start, end in pieces if end > window.start), window.start)
    rows = nearby_rows(window, first, window.end)
    if rows:
        yield from _with_context(window, pieces, rows)


_DATE: Final = re.compile(r"(?:0?[1-9]|[12]\d|3[01])([/.-])(?:0?[1-9]|1[0-2])\1(?:19|20)\d\d")
"""A day that is written like a number: a birth beside an identity card."""
_GAPS: Final = frozenset((" ", "\u00a0", " - ", "  "))
"""What may stand between the pieces of a number."""


def _is_bounded(text: str, start: int, end: int) -> bool:
    return not (start and text[start - 1].isalnum()) and not text[end : end + 1].isalnum()


def _with_context(window: AnchorWindow, pieces: list[tuple[int, int]], rows: dict[int, int]) -> Iterator[Identifier]:
    """Try the rows of the context on every sequence of up to seven pieces with single spaces between."""
    text = window.text
    settled: set[int] = set()
    for place, (start, _) in enumerate(pieces):
        for last in range(min(place + 7, len(pieces)) - 1, place - 1, -1):
            end = pieces[last][1]
            raw = text[start:end]
            compact = _SEPARATORS.sub("", raw)
            # lower-case letters are part of a number only in one piece: `12345678z`, not `12345678 a`
            compact = compact.upper() if last == place else compact
            if not 6 <= len(compact) <= 20 or end <= window.start or start >= window.end:
                continue
            gaps = (text[pieces[k][1] : pieces[k + 1][0]] for k in range(place, last))
            if not _GAPS.issuperset(gaps) or not _is_bounded(text, start, end) or _DATE.fullmatch(raw):
                continue
            for row_number, nearness in rows.items():
                row = national_numbers()[row_number]
                if row_number in settled or not compile_pattern(row.pattern).fullmatch(compact):
                    continue
                checked = bool(row.stdnum_module) and _is_valid(row, raw, compact)
                direct = nearness == 3 and not any(piece[0] < start and piece[1] > window.start for piece in pieces)
                # only the row's own word, directly before, outweighs a check that fails or does not exist
                if checked or (direct and _follows_label(window, start, row)):
                    yield window.identifier(start, end, "CODE", row.kind, checked)
                    settled.add(row_number)


def _follows_label(window: AnchorWindow, start: int, row: NationalNumber) -> bool:
    words = context_words(window.before(start, REACH_BEFORE))
    while words and words[-1] in NEUTRAL_WORDS:
        words.pop()
    joined = " ".join(words)
    phrases = row.context_phrases.split("|")
    is_near = not set(phrases).isdisjoint(context_words(window.before(start, REACH_BEFORE))[-2:])
    return is_near or any(joined == phrase or joined.endswith(f" {phrase}") for phrase in phrases)
