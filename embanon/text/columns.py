"""Let what stands at the same place of its line be of one type: the cells of a column, and who speaks in a chat.

The labeler reads tokens with a few others beside them, and `BIRD, A` or `summer:` alone may be anything. Where most of
a column are names of people, the rest are. All is local to a paragraph, so that pieces of a text give what the whole
gives.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from embanon.language import Cue
from embanon.recognize import CLOSES, OPENS, PARAGRAPH_BREAK, QUOTE, SOFT_BREAK, Labels
from embanon.text.bounds import CELL_GAP, CODE, LOC, ORG, PERSON
from embanon.text.grammar import has_cue
from embanon.text.tokens import COLON, DIGIT, HYPHEN, LOWER, OTHER, SLASH, UPPER, Tokens

Flags = NDArray[np.bool_]

LEAST_LINES: Final = 3
"""Lines of a table or a chat."""
SEPARATORS: Final = frozenset(("|", "/", "–", "—", "·"))
"""Signs between cells that have a space on both sides; but for the first, a line has two of them."""
SHARE: Final = 0.5
"""The share of the cells of a column from which all are of its type."""
SHARE_OF_TURNS: Final = 0.34
"""The same of the turns of a chat."""
LEAST_NAMED: Final = 2
LONGEST: Final = 6
"""Tokens of a name or a code in a cell."""
LONGEST_SPEAKER, LONGEST_OPENING = 4, 12
"""Tokens of who speaks, and up to the colon behind, with a time in brackets before."""
SURE: Final = 0.95
"""How likely a cell is what others of its column are."""
NO_NAME: Final = int(Cue.ROLE | Cue.ORG_HEAD | Cue.CODE_HEAD | Cue.LAW_HEAD)
NEVER: Final = int(Cue.STOP | Cue.DETERMINER | Cue.PRONOUN | Cue.MONTH | Cue.WEEKDAY | Cue.CODE_HEAD)


@dataclass(frozen=True, slots=True)
class _Cell:
    """Tokens of a line between two separators, and where they stand in it."""

    first: int
    last: int
    line: int
    place: int
    offset: int


def complete_columns(labels: Labels, tokens: Tokens, flags: NDArray[Any], text: str) -> tuple[Labels, Flags]:
    """Let cells and speakers be what most of their column are; say of which tokens that is so."""
    forced = np.zeros(len(tokens), np.bool_)
    spans = [span for lines in _tables(tokens, text) for span in _alike(lines, labels, tokens, flags, text)]
    spans += ((first, last, PERSON) for first, last in _bynames(labels, flags))
    if not spans:
        return labels, forced
    label, inside = labels.label.copy(), labels.inside.copy()
    is_word = np.isin(tokens.first, (UPPER, LOWER))
    for first, last, _ in spans:
        _cut_around(label, first, last, is_word)
    for first, last, type in spans:
        label[first], label[first + 1 : last] = _begin(type), _begin(type) + 1
        inside[first:last] = 0.0
        inside[first:last, type] = SURE
        forced[first:last] = True
    return replace(labels, label=label, inside=inside), forced


def _bynames(labels: Labels, flags: NDArray[Any]) -> Iterator[tuple[int, int]]:
    """Yield what stands in quotation marks and brackets behind the name of somebody: Carmen Vargas ("la Carmela").

    What parties of a contract are called there are roles: Ada Berger ("the Tenant").
    """
    mark, named = labels.mark, np.isin(labels.label, (_begin(PERSON), _begin(PERSON) + 1))
    for place in np.flatnonzero((mark[1:-1] == OPENS) & (mark[2:] == QUOTE) & named[:-2]).tolist():
        first = place + 3
        closing = np.flatnonzero(mark[first : first + LONGEST] == QUOTE).tolist()
        last = first + closing[0] if closing else first
        is_closed = first < last < len(mark) - 1 and mark[last + 1] == CLOSES
        if is_closed and not has_cue(flags[first:last], NO_NAME).any():
            yield first, last


def _cut_around(label: NDArray[np.uint8], first: int, last: int, is_word: Flags) -> None:
    """Cut the mention that a cell lies in; of its rest, numbers and marks alone are none (changes the labels)."""
    begin, end = first, last
    while begin and label[begin] and label[begin] % 2 == 0:
        begin -= 1
    while end < len(label) and label[end] and label[end] % 2 == 0:
        end += 1
    if not is_word[begin:first].any():
        label[begin:first] = 0
    if end > last and is_word[last:end].any():
        label[last] -= 1  # what goes on from there begins there
    else:
        label[last:end] = 0


def _begin(type: int) -> int:
    """Return the label of the first token of a mention."""
    return 1 + 2 * type


def _tables(tokens: Tokens, text: str) -> Iterator[list[tuple[int, int]]]:
    """Yield the lines of each paragraph that have cells or may open with who speaks, by token."""
    opens = tokens.gap >= SOFT_BREAK
    line = np.cumsum(opens)
    starts = np.append(np.flatnonzero(opens), len(tokens))
    parts = np.isin(tokens.first, (SLASH, HYPHEN, OTHER))
    parts[1:] |= (tokens.start[1:] - tokens.end[:-1] >= CELL_GAP) & ~opens[1:]
    if "\t" in text:
        parts[1:] |= np.array([text[end] == "\t" for end in tokens.end[:-1].tolist()], np.bool_)
    near = np.arange(len(tokens)) - starts[np.maximum(line - 1, 0)] <= LONGEST_OPENING
    chosen = np.unique(line[parts | (near & (tokens.first == COLON))]) - 1
    paragraph = np.cumsum(tokens.gap[starts[:-1]] >= PARAGRAPH_BREAK)[chosen]
    for lines in np.split(chosen, np.flatnonzero(np.diff(paragraph)) + 1):
        if len(lines) >= LEAST_LINES:
            yield [(int(starts[number]), int(starts[number + 1])) for number in lines.tolist()]


def _alike(
    lines: Sequence[tuple[int, int]], labels: Labels, tokens: Tokens, flags: NDArray[Any], text: str
) -> Iterator[tuple[int, int, int]]:
    """Yield the spans of lines that are of a type because the others at their place are."""
    for speaker in _speakers(lines, labels, tokens, flags):
        yield *speaker, PERSON
    cells = [cell for number, line in enumerate(lines) for cell in _cells(number, *line, tokens, text)]
    if len(cells) >= LEAST_LINES * 2:
        types = dict[_Cell, int]()
        for type in (PERSON, CODE, LOC):
            for cell in _cells_of(type, cells, labels, tokens, flags):
                types.setdefault(cell, type)
        yield from ((cell.first, cell.last, type) for cell, type in types.items())


def _cells(line: int, first: int, last: int, tokens: Tokens, text: str) -> list[_Cell]:
    """Return the cells of a line; nothing of a line that has none."""
    cells, begin, at = list[_Cell](), first, int(tokens.start[first])
    bounds, is_table = list[tuple[int, int]](), False
    for place in range(first, last):
        gap = text[tokens.end[place - 1] : tokens.start[place]] if place > first else ""
        follows = text[tokens.end[place] : tokens.end[place] + 1]
        if tokens.words[place] == "|" or (tokens.words[place] in SEPARATORS and gap and follows in ("", " ", "\n")):
            is_table |= tokens.words[place] == "|"
            bounds.append((begin, place))
            begin = place + 1
        elif place > begin and (len(gap) >= CELL_GAP or "\t" in gap):
            is_table = True
            bounds.append((begin, place))
            begin = place
    bounds.append((begin, last))
    for place, (start, end) in enumerate(bounds):
        if start < end:
            cells.append(_Cell(start, end, line, place, int(tokens.start[start]) - at))
    return cells if len(bounds) > (1 if is_table else 2) else []


def _cells_of(
    type: int, cells: Sequence[_Cell], labels: Labels, tokens: Tokens, flags: NDArray[Any]
) -> Iterator[_Cell]:
    """Yield the cells that are of a type because most of their column are, by number or by where it begins."""
    named = {cell for cell in cells if _is_of(type, cell.first, cell.last, labels, tokens)}
    if len(named) < LEAST_NAMED:
        return
    begins = min(cell.line for cell in named)
    rows = (cell for cell in cells if not cell.place and cell.last - cell.first == 1)
    numbered = {cell.line for cell in rows if tokens.first[cell.first] == DIGIT}
    cells = [cell for cell in cells if cell.line >= begins or cell.line in numbered]  # without heads of columns
    for column in _columns(cells):
        alike = [cell for cell in column if cell in named]
        seen = sum(_begin(type) in labels.label[cell.first : cell.last] for cell in column)
        if len(column) < LEAST_LINES or len(alike) < LEAST_NAMED or seen < SHARE * len(column):
            continue
        small = all(tokens.first[cell.first] == LOWER for cell in alike)
        shapes = {_shape(cell, tokens) for cell in alike}
        for cell in column:
            if cell in named or (type == CODE and _shape(cell, tokens) not in shapes):
                continue
            may_be = _may_be(type, cell, tokens, flags, small=small)
            if may_be and not _is_of(ORG, cell.first, cell.last, labels, tokens):
                yield cell


def _columns(cells: Sequence[_Cell]) -> Iterator[list[_Cell]]:
    """Put cells into columns: by their number in the line, and by where they begin."""
    by_place, by_offset = defaultdict[int, list[_Cell]](list), defaultdict[int, list[_Cell]](list)
    for cell in cells:
        by_place[cell.place].append(cell)
        by_offset[cell.offset].append(cell)
    yield from by_place.values()
    yield from by_offset.values()


def _shape(cell: _Cell, tokens: Tokens) -> str:
    """Return what a cell has with one sign for all letters and one for all digits."""
    return re.sub(r"[^\W\d_]", "A", re.sub(r"\d", "0", " ".join(tokens.words[cell.first : cell.last])))


def _is_of(type: int, first: int, last: int, labels: Labels, tokens: Tokens) -> bool:
    """Return whether all words and numbers between two tokens are of a type."""
    words = np.isin(tokens.first[first:last], (UPPER, LOWER, DIGIT))
    label = labels.label[first:last]
    return bool(words.any()) and bool(np.isin(label[words], (_begin(type), _begin(type) + 1)).all())


def _may_be(type: int, cell: _Cell, tokens: Tokens, flags: NDArray[Any], *, small: bool) -> bool:
    """Return whether what a cell has is written as names are, as places and addresses are, or as codes."""
    kinds = tokens.first[cell.first : cell.last]
    words, digits = np.isin(kinds, (UPPER, LOWER)), kinds == DIGIT
    if cell.last - cell.first > LONGEST or (kinds == COLON).any():
        return False
    if type == CODE:
        return bool(digits.any())
    if not words.any() or (type == PERSON and digits.any()):
        return False
    stop = has_cue(flags[cell.first : cell.last], NEVER)
    return (small or kinds[words][0] == UPPER) and not bool(stop[words].all()) and not stop[0]


def _speakers(
    lines: Sequence[tuple[int, int]], labels: Labels, tokens: Tokens, flags: NDArray[Any]
) -> Iterator[tuple[int, int]]:
    """Yield those that open the turns of a chat and are not seen as somebody, where most of the others are."""
    turns = [turn for line in lines if (turn := _turn(*line, tokens))]
    if len(turns) < LEAST_LINES:
        return
    names = [" ".join(tokens.words[first:last]) for first, last in turns]
    seen = [labels.label[first] in (_begin(PERSON), _begin(CODE)) for first, _ in turns]
    often = Counter(names)
    if len(often) == len(names) or sum(seen) < SHARE_OF_TURNS * len(turns):
        return
    for (first, last), name in zip(turns, names, strict=True):
        spoken = often[name] > 1 and tokens.end[last - 1] - tokens.start[first] > 1
        spoken &= not has_cue(flags[first:last], NO_NAME).any()  # Interviewer:
        if spoken and not _is_of(PERSON, first, last, labels, tokens) and labels.label[first] != _begin(CODE):
            yield first, last


def _turn(first: int, last: int, tokens: Tokens) -> tuple[int, int] | None:
    """Return what stands before the colon that opens a turn, behind a time in brackets."""
    words = tokens.words
    if words[first] == "[":
        closing = next((place for place in range(first, last) if words[place] == "]"), last)
        first = closing + 1
    colon = next((place for place in range(first, min(last, first + LONGEST_SPEAKER + 1)) if words[place] == ":"), 0)
    if colon <= first or not np.isin(tokens.first[first], (UPPER, LOWER)):
        return None
    return first, colon
