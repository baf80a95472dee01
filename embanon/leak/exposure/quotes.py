"""What of a text is its author's: not what it quotes of others, nor what a head says of whom it is to."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from embanon.entities import Span, class_pattern, fold_text, merge_spans

QUOTED_LINE: Final = re.compile(r"[ \t]*(?:>|\|[ \t])")
RULE: Final = re.compile(r"[ \t]*(?:[-_=—]{2,}[ \t]*[^\W\d_][^\n]{2,60}?[ \t]*[-_=—]{2,}|[-_]{10,})[ \t\r]*$")
"""A line that parts a message from the one that it answers or passes on."""
LABEL: Final = re.compile(r"[ \t*]*([^\W\d_][^:\n]{0,20}?)[ \t*]*:[ \t*]*(?=\S)")
ADDRESS: Final = re.compile(r"<?[\w.+-]+@[\w-]+\.[\w.-]+>?")
DATED: Final = re.compile(r"\b(?:19|20)\d\d\b|\b\d{1,2}[./-]\d{1,2}[./-]\d\d\b")
TIME: Final = re.compile(r"\b\d{1,2}[:.h]\d\d\b")
SIGNATURE: Final = re.compile(r"-- ?\r?$")
MIN_LABELS: Final = 3
"""Lines with a label from which they are the head of a message."""
MAX_INTRODUCTION: Final = 3
"""Lines in which it is said who wrote what follows."""
MAX_LABEL_LINES: Final = 10


@dataclass(frozen=True, slots=True)
class TextParts:
    """Where a text is not its author's, and where it only says whom it is to."""

    quoted: tuple[Span, ...]
    to_others: tuple[Span, ...] = ()
    """Values of the head that name whom it is to."""
    sender: tuple[Span, ...] = ()
    """Values of the head that name who wrote it."""

    def is_quoted(self, place: int) -> bool:
        """Return whether a place is in what is quoted."""
        return inside(self.quoted, place)


def inside(spans: Sequence[Span], place: int) -> bool:
    """Return whether a place lies in one of some spans in order."""
    number = bisect_right(spans, (place, float("inf"))) - 1
    return number >= 0 and place < spans[number][1]


def split_text(text: str, language: str, headers: Sequence[tuple[str, int, int]] = ()) -> TextParts:
    """Find what others wrote, and what the head says; `headers` are those of a mail, by name."""
    lines = _lines(text)
    head = [(name, (start, end)) for name, start, end in headers] or list(_head(text, lines, language))
    names = {"to": ("to", "cc", "bcc"), "from": ("from", "reply-to")}
    body = max((end for _, (_, end) in head), default=0)
    return TextParts(
        merge_spans(_quoted(text, [line for line in lines if line[0] >= body], language)),
        tuple(sorted(span for name, span in head if name.lower() in names["to"])),
        tuple(sorted(span for name, span in head if name.lower() in names["from"])),
    )


def _lines(text: str) -> list[Span]:
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    return list(zip(starts, [*(start - 1 for start in starts[1:]), len(text)], strict=True))


def _head(text: str, lines: Sequence[Span], language: str) -> Iterator[tuple[str, Span]]:
    """Yield the labels of a head at the beginning of a text, as from and to, with their values."""
    for start, end in lines[:MAX_LABEL_LINES]:
        match = LABEL.match(text, start, end)
        if match is None:
            return
        if role := _role(match[1], language):
            yield role, (match.end(), end)


def _role(label: str, language: str) -> str | None:
    """Return whether a label says who writes, or to whom."""
    for name, role in (("sender", "from"), ("recipient", "to")):
        pattern = class_pattern(name, language)
        if pattern and pattern.fullmatch(fold_text(label).strip()):
            return role
    return None


def _quoted(text: str, lines: Sequence[Span], language: str) -> Iterator[Span]:
    """Yield lines that others wrote: marked ones with who wrote them, and all behind the head of another message."""
    marked = [bool(QUOTED_LINE.match(text, *line)) for line in lines]
    for number, (start, end) in enumerate(lines):
        if marked[number]:
            yield start, end + 1
            yield from _introduction(text, lines, marked, number)
        elif _opens_message(text, lines, number, language):
            yield start, len(text)
            return


def _introduction(text: str, lines: Sequence[Span], marked: Sequence[bool], number: int) -> Iterator[Span]:
    """Yield the lines before a quote that say who wrote it: they end with a colon."""
    above = number - 1
    while above >= 0 and not text[slice(*lines[above])].strip():
        above -= 1
    if above < 0 or marked[above] or not text[slice(*lines[above])].rstrip().endswith(":"):
        return
    first = above
    while first > 0 and above - first + 1 < MAX_INTRODUCTION and text[slice(*lines[first - 1])].strip():
        if marked[first - 1] or _says_when(text[lines[first][0] : lines[above][1]]):
            break
        first -= 1
    if _says_when(text[lines[first][0] : lines[above][1]]):
        yield lines[first][0], lines[above][1] + 1


def _says_when(written: str) -> bool:
    return bool(ADDRESS.search(written) or DATED.search(written) or TIME.search(written))


def _opens_message(text: str, lines: Sequence[Span], number: int, language: str) -> bool:
    """Return whether a line begins the copy of another message: a rule with a head, such a head, or who wrote when."""
    start, end = lines[number]
    written = text[start:end].strip()
    if RULE.match(text, start, end + 1):
        return _labels(text, lines[number + 1 : number + 4], language) > 0
    if written.endswith(":") and number + 1 < len(lines):
        before = text[lines[number - 1][0] : end] if number and not written[:1].isupper() else written
        return bool(ADDRESS.search(before) and DATED.search(before))
    label = LABEL.match(text, start, end)
    if number and label and _role(label[1], language) == "from":
        return _labels(text, lines[number : number + 5], language) >= MIN_LABELS
    return False


def _labels(text: str, lines: Sequence[Span], language: str) -> int:
    """Count lines with a label, if one of them says who writes."""
    labels = [match[1] for line in lines if (match := LABEL.match(text, *line))]
    return len(labels) if any(_role(label, language) == "from" for label in labels) else 0
