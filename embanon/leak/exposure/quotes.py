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
ADDRESS: Final = re.compile(r"(?<![\w.+-])<?[\w.+-]{1,64}@[\w-]{1,63}\.[\w.-]{1,190}>?")
DATED: Final = re.compile(r"\b(?:19|20)\d\d\b|\b\d{1,2}[./-]\d{1,2}[./-]\d\d\b")
TIME: Final = re.compile(r"\b\d{1,2}[:.h]\d\d\b")
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
        elif (first := _message_start(text, lines, number, language)) is not None:
            yield first, len(text)
            return


def _introduction(text: str, lines: Sequence[Span], marked: Sequence[bool], number: int) -> Iterator[Span]:
    """Yield the lines before a quote that say who wrote it: they end with a colon."""
    above = number - 1
    while above >= 0 and not text[slice(*lines[above])].strip():
        above -= 1
    if above < 0 or marked[above] or not text[slice(*lines[above])].rstrip().endswith(":"):
        return
    first, written = above, [text[slice(*lines[above])]]
    while not any(map(DATED.search, written)) and len(written) < MAX_INTRODUCTION:
        first -= 1
        if first < 0 or marked[first] or not text[slice(*lines[first])].strip():
            break
        written.append(text[slice(*lines[first])])
    if any(map(DATED.search, written)):
        yield lines[above - len(written) + 1][0], lines[above][1] + 1
    elif ADDRESS.search(written[0]) or TIME.search(written[0]):
        yield lines[above][0], lines[above][1] + 1


def _message_start(text: str, lines: Sequence[Span], number: int, language: str) -> int | None:
    """Return where another message begins, if a line opens its copy: a rule with a head, a head, or who wrote when."""
    start, end = lines[number]
    written = text[start:end].strip()
    if RULE.match(text, start, end + 1):
        return start if _labels(text, lines[number + 1 : number + 4], language) else None
    if written.endswith(":") and not _is_marked_behind(text, lines, number):
        first = lines[number - 1][0] if number and not written[:1].isupper() else start
        introduced = ADDRESS.search(text, first, end) and DATED.search(text, first, end)
        return first if introduced else None
    label = LABEL.match(text, start, end)
    if number and label and _role(label[1], language) == "from":
        return start if _labels(text, lines[number : number + 5], language) >= MIN_LABELS else None
    return None


def _is_marked_behind(text: str, lines: Sequence[Span], number: int) -> bool:
    """Return whether the next lines are marked as quoted, behind which the author may go on."""
    behind = (line for line in lines[number + 1 : number + 4] if text[slice(*line)].strip())
    return any(QUOTED_LINE.match(text, *line) for line in behind)


def _labels(text: str, lines: Sequence[Span], language: str) -> int:
    """Count lines with a label, if one of them says who writes."""
    labels = [match[1] for line in lines if (match := LABEL.match(text, *line))]
    return len(labels) if any(_role(label, language) == "from" for label in labels) else 0
