"""What is seen of those whom a document may be about: words beside their names, where they stand, how many they are."""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from typing import Final

import numpy as np

from embanon.data import read_toml
from embanon.document import TYPES, Ints, Phrases
from embanon.entities.candidates import MAX_LABEL, SPEAKER, Candidate
from embanon.entities.folding import fold_text
from embanon.entities.words import Span
from embanon.language import PLACE_CUES, Cue, Frequencies, Lexicon

NEAR: Final = 28
"""Characters on a line in which a word stands beside a name."""
ADJACENT: Final = 3
"""Characters between a name and a word that belongs to it: Dr. Berger; Ada Berger, judge."""
SENTENCE_BREAK: Final = re.compile(r"[;!?]|(?<=\w{4})\. ")
LABEL_END: Final = re.compile(r"[:\t|=]|  ")
LETTER: Final = re.compile(r"[^\W\d_]")
DATE: Final = re.compile(r"\b\d{1,2}[./-] ?\d{1,2}[./-] ?(?:\d{4}|\d\d)\b|\b(?:18|19|20)\d\d\b")
AGE: Final = re.compile(r"^[ ,(]{1,3}\d{1,2}\b(?![./:%]\d)")
CONTACT: Final = re.compile(r"@\w|\+?\d[\d /-]{6,}\d|\b\d{4,5} [^\W\d_]")
LABEL: Final = re.compile(r"[ \t*_>|-]*[^\W\d_][^:\n]{1,30}:")
TURN: Final = re.compile(r"^[*_ \t]*(?:[(\[]?\d{1,2}[:.h]\d\d[)\]]?)?[*_]{0,2}:(?: |$)")
POSSESSIVE: Final = re.compile(r"^(?:['’]s?\b|s['’] )")
LINE_REACH: Final = 250
"""Characters of a line on each side of a name that are looked at."""
MAX_MENTIONS: Final = 120
"""Mentions of a candidate that are looked at."""
OPENING_LINES: Final = 6
LATE: Final = 0.85
"""The share of a text behind which it ends: where signatures are."""
CLOSING_REACH: Final = 90
"""Characters behind a closing in which a name signs."""
SPOKEN: Final = 1.2
"""The words in a hundred in the first or second person from which a text speaks of whoever writes it."""
CHAT_TURNS: Final = 4
"""Lines with a speaker from which a text is a chat or an interview."""

GENDERS: Final = ("men", "women")
"""Classes that tell of a name whose it is, and are no cues."""

NAME_CUES: Final = {
    "given name": Cue.GIVEN_NAME, "surname": Cue.SURNAME, "place": PLACE_CUES, "role": Cue.ROLE, "kin": Cue.KIN,
    "stop word": Cue.STOP | Cue.PRONOUN | Cue.DETERMINER, "organization": Cue.ORG_HEAD | Cue.ORG_NAME,
    "company": Cue.ORG_SUFFIX, "title": Cue.TITLE, "ambiguous": Cue.AMBIGUOUS, "date": Cue.MONTH | Cue.WEEKDAY,
}  # fmt: skip
"""What words of a name may be known as."""
CONJOINED: Final = (
    "recipient right before", "salutation before", "recipient above", "alone early", "opening", "alone", "line start",
    "several words", "full", "text after", "third_person behind, share", "capitals",
    "academic right before", "honor right before",
    "signs", "signs late", "alone late", "turn", "sender label", "sender right before", "salutation right before",
    "recipient label", "self before", "count", "share of names", "order", "most named", "first",
)  # fmt: skip
"""What means another thing in a text in the first person, and of what is no person."""
LIST_ITEM: Final = re.compile(r"\s*(?:[-•*·–]|\d+[.)])\s")

Features = dict[str, float]


@cache
def _patterns(language: str) -> Mapping[str, re.Pattern[str]]:
    """Return for each class of words what finds them in a folded text."""
    table: Mapping[str, str] = read_toml("ontologies", "lexicon", "about.toml").get(language, {})
    return {name: _pattern(words.split()) for name, words in table.items() if name not in GENDERS}


def class_pattern(name: str, language: str) -> re.Pattern[str] | None:
    """Return what finds the words of a class in a folded text."""
    return _patterns(language).get(name)


def _pattern(words: Sequence[str]) -> re.Pattern[str]:
    """Return what finds words, of which a star stands for any letters."""
    forms = sorted({re.escape(fold_text(word)).replace(r"\*", r"\w*") for word in words}, key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(forms)})(?!\w)")


@dataclass(frozen=True, slots=True)
class Layout:
    """A text in lines, with the words that tell of whom it speaks."""

    text: str = field(repr=False)
    low: str = field(repr=False)
    language: str
    lines: tuple[int, ...]
    """Where lines begin."""
    words: Mapping[str, tuple[Span, ...]] = field(repr=False)
    """Where words of each class stand, in order."""

    @classmethod
    def from_text(cls, text: str, language: str) -> Layout:
        """Look through a text once."""
        low = fold_text(text)
        words = {
            name: tuple(match.span() for match in pattern.finditer(low))
            for name, pattern in _patterns(language).items()
        }
        return cls(text, low, language, (0, *(match.end() for match in re.finditer("\n", text))), words)

    def line(self, number: int) -> Span:
        """Return where a line begins and ends; nothing where there is none."""
        if not 0 <= number < len(self.lines):
            return 0, 0
        end = self.lines[number + 1] - 1 if number + 1 < len(self.lines) else len(self.text)
        return self.lines[number], end

    def line_at(self, place: int) -> Span:
        """Return where the line of a place begins and ends."""
        return self.line(bisect_right(self.lines, place) - 1)

    def inside(self, name: str, start: int, end: int) -> Sequence[Span]:
        """Return the words of a class inside of a stretch."""
        spans = self.words.get(name, ())
        return [span for span in spans[bisect_left(spans, (start, 0)) : bisect_left(spans, (end, 0))] if span[1] <= end]


def mention_cues(layout: Layout, span: Span) -> set[str]:
    """Return what is seen of one mention."""
    number = bisect_right(layout.lines, span[0]) - 1
    first, last = layout.line(number)
    line = max(first, span[0] - LINE_REACH), min(last, max(span[1], span[0]) + LINE_REACH)
    cues = set(_place_cues(layout, span, number, line))
    for name in layout.words:
        cues.update(f"{name} {side}" for side in _sides(layout, name, span, number, line))
    return cues


def _sides(layout: Layout, name: str, span: Span, number: int, line: Span) -> Iterator[str]:
    """Return on which sides of a mention a word of a class stands."""
    start, end = span
    for first, last in layout.inside(name, line[0], start):
        between = layout.low[last:start]
        if start - last <= ADJACENT:
            yield "right before"
        elif start - last <= NEAR and not SENTENCE_BREAK.search(between):
            yield "before"
        if (
            first - layout.lines[number] <= MAX_LABEL
            and LABEL_END.search(between)
            and not SENTENCE_BREAK.search(between)
        ):
            yield "label"
    for first, _ in layout.inside(name, end, min(line[1], end + NEAR + 12)):
        if first - end <= ADJACENT:
            yield "right after"
        elif not SENTENCE_BREAK.search(layout.low, end, first):
            yield "after"
    if not LETTER.search(layout.text, line[0], start):
        above = layout.line(number - 1)
        if above[1] - above[0] <= MAX_LABEL and layout.inside(name, *above):
            yield "above"
    if not LETTER.search(layout.text, end, line[1]):
        below = layout.line(number + 1)
        if below[1] - below[0] <= 2 * MAX_LABEL and layout.inside(name, *below):
            yield "below"


def _place_cues(layout: Layout, span: Span, number: int, line: Span) -> Iterator[str]:
    """Return where in the document and on its line a mention stands, and what figures stand beside it."""
    text, (start, end) = layout.text, span
    before, after = text[line[0] : start], text[end : line[1]]
    alone = len(LETTER.findall(before)) + len(LETTER.findall(after)) <= 10
    late = start > LATE * len(text)
    begins = not LETTER.search(before)
    signs = bool(layout.inside("closing", max(start - CLOSING_REACH, 0), start))
    marks = {
        "alone": alone, "alone early": alone and number < OPENING_LINES, "alone late": alone and late,
        "signs": signs and alone, "signs late": signs and late, "late": late, "opening": number < OPENING_LINES,
        "first line": number == 0, "line start": begins, "turn": begins and bool(TURN.match(after)),
        "label value": bool(LABEL_END.search(before)) and len(before) <= MAX_LABEL,
        "capitals": text[start:end].isupper() and end - start > 3, "one word": " " not in text[start:end].strip(),
        "full": text[start:end].count(" ") >= 1, "date after": bool(DATE.search(text[end : min(line[1], end + 45)])),
        "age after": bool(AGE.match(after)), "contact after": bool(CONTACT.search(text[end : end + 120])),
        "possessive": bool(POSSESSIVE.match(after)), "comma after": after[:1] == ",", "bracketed": before[-1:] == "(",
        "quoted": before[-1:] in "\"'“„«‘" and bool(before), "heading": alone and number > 0 and not late,
        "long line": line[1] - line[0] > 120, "sentence start": before.rstrip()[-1:] in ".!?" and bool(before.strip()),
        "user name": "_" in text[start:end] or text[start:end].islower(), "list": bool(LIST_ITEM.match(before)),
    }  # fmt: skip
    return (name for name, seen in marks.items() if seen)


def candidate_features(
    layout: Layout, candidates: Sequence[Candidate], phrases: Phrases, language: str
) -> list[Features]:
    """Return what is seen of each candidate, by name."""
    after = _text_after(layout, candidates)
    totals = Counter(candidate.type for candidate in candidates for _ in candidate.spans)
    firsts = sorted(candidate.spans[0][0] for candidate in candidates)
    most = Counter[str]()
    for candidate in candidates:
        most[candidate.type] = max(most[candidate.type], len(candidate.spans))
    genre = _genre(layout)
    manners = _manners(layout, genre)
    before = _count_before(phrases)
    surnames = Counter(name for candidate in candidates for name in _last_words(candidate))
    rows = []
    for candidate, follows in zip(candidates, after, strict=True):
        row = _shares(layout, candidate)
        row |= _amounts(layout, candidate, follows)
        row["share of names"] = len(candidate.spans) / totals[candidate.type]
        row["most named"] = float(len(candidate.spans) == most[candidate.type])
        row["order"] = 1 / (1 + bisect_left(firsts, candidate.spans[0][0]))
        row |= _in_genre(row, candidate, manners)
        row |= _said_behind(phrases, before, follows)
        row["name shared"] = float(any(surnames[name] > 1 for name in _last_words(candidate)))
        row |= _name_cues(candidate, language)
        if candidate.type != "PERSON":
            row |= {f"{name}, thing": value for name, value in genre.items()}
            row |= {f"{name}, {candidate.type}": value for name, value in genre.items()}
        rows.append(row)
    return rows


def _genre(layout: Layout) -> Features:
    """Return how much of a text are words of each class, which tells what kind of document it is."""
    size = max(len(layout.text.split()), 1)
    return {f"{name} in text": min(100 * len(spans) / size, 5.0) for name, spans in layout.words.items()}


def _name_cues(candidate: Candidate, language: str) -> Features:
    """Return what the words of the fullest name are known as, and whether these are ordinary words."""
    words = re.findall(r"\w+", candidate.names[0] if candidate.names else "")
    lexicon, frequencies = Lexicon.load(language), Frequencies.load(language)
    flags = [lexicon.flags(word.capitalize() if word.isupper() else word) for word in words]
    row = {f"has {name}": 1.0 for name, cue in NAME_CUES.items() if any(flag & cue for flag in flags)}
    if frequencies and words:
        row["commonness"] = max(math.log10(max(frequencies.share(word.lower()) or 0, 1e-8)) + 8 for word in words)
    row["has digit"] = float(any(map(str.isdigit, "".join(words))))
    return row


def _sample(spans: Sequence[Span]) -> Sequence[Span]:
    """Return the mentions to look at: the first and the last, and of many no more."""
    half = MAX_MENTIONS // 2
    return spans if len(spans) <= MAX_MENTIONS else (*spans[:half], *spans[-half:])


def _shares(layout: Layout, candidate: Candidate) -> Features:
    """Return which cues any mention has, and how large a share of them."""
    spans = _sample(candidate.spans)
    cues = Counter(cue for span in spans for cue in mention_cues(layout, span))
    row = dict.fromkeys(cues, 1.0)
    return row | {f"{cue}, share": count / len(spans) for cue, count in cues.items()}


def _amounts(layout: Layout, candidate: Candidate, follows: Sequence[Span]) -> Features:
    """Return how often, where and how fully a candidate is named, and what is said behind its names."""
    size, spans = max(len(layout.text), 1), candidate.spans
    words = max((len(name.split()) for name in candidate.names), default=1)
    row = {
        "count": math.log(len(spans)), "first": spans[0][0] / size, "last": spans[-1][0] / size,
        "spread": (spans[-1][0] - spans[0][0]) / size, "forms": math.log(len(set(candidate.names)) or 1),
        "words": float(min(words, 4)), "several words": float(words > 1), candidate.type: 1.0,
        "text after": sum(end - start for start, end in follows) / size,
    }  # fmt: skip
    for name in ("third_person", "first_person", "personal", "contact"):
        if every := len(layout.words.get(name, ())):
            row[f"{name} behind, share"] = sum(len(layout.inside(name, *stretch)) for stretch in follows) / every
    return row


def _text_after(layout: Layout, candidates: Sequence[Candidate]) -> list[list[Span]]:
    """Return for each candidate the stretches behind its mentions up to the next mention of any person."""
    marks = sorted((*span, place) for place, one in enumerate(candidates) for span in one.spans if one.type == "PERSON")
    stretches: list[list[Span]] = [[] for _ in candidates]
    for (_, end, place), (following, _, _) in pairwise((*marks, (len(layout.text), 0, 0))):
        stretches[place].append((end, max(end, following)))
    return stretches


def _in_genre(row: Features, candidate: Candidate, manners: Sequence[str]) -> Features:
    """Return what is seen once more where it means another thing."""
    more = dict[str, float]()
    for name in CONJOINED:
        if value := row.get(name):
            for manner in manners if candidate.type == "PERSON" else ("thing",):
                more[f"{name}, {manner}"] = value
    return more


def _manners(layout: Layout, genre: Features) -> list[str]:
    """Return how a text speaks: of whoever writes, to somebody, in turns, as a form."""
    lines = [layout.text[slice(*layout.line(number))] for number in range(len(layout.lines))]
    turns = sum(bool(SPEAKER.match(line)) for line in lines)
    speaks, addressed = genre.get("first_person in text", 0), genre.get("second_person in text", 0)
    seen = {
        "first person": speaks > SPOKEN, "second person": addressed > SPOKEN and speaks < SPOKEN,
        "third person": speaks < SPOKEN and addressed < SPOKEN, "turns": turns >= CHAT_TURNS,
        "form": sum(bool(LABEL.match(line)) for line in lines) >= CHAT_TURNS and turns < CHAT_TURNS,
        "plural": genre.get("plural in text", 0) > SPOKEN,
        "letter": bool(layout.words.get("salutation")) and bool(layout.words.get("closing")),
    }  # fmt: skip
    return [name for name, is_so in seen.items() if is_so]


def _last_words(candidate: Candidate) -> set[str]:
    """Return the words of a person's names that may be a family's."""
    if candidate.type != "PERSON":
        return set()
    return {fold_text(name.split()[-1]) for name in candidate.names if " " in name}


def _count_before(phrases: Phrases) -> Ints:
    """Return by type how many phrases there are before each phrase, and in all."""
    counts = np.zeros((len(TYPES), len(phrases) + 1), np.int64)
    counts[phrases.type, np.arange(1, len(phrases) + 1)] = 1
    return np.asarray(counts.cumsum(axis=1))


def _said_behind(phrases: Phrases, before: Ints, follows: Sequence[Span]) -> Features:
    """Return which share of the phrases of each type stand behind a candidate's names."""
    bounds = np.searchsorted(phrases.start, np.array(follows, np.int64).reshape(-1, 2))
    shares = (before[:, bounds[:, 1]] - before[:, bounds[:, 0]]).sum(axis=1) / np.maximum(before[:, -1], 1)
    return {f"{type} behind": share for type, share in zip(TYPES, shares.tolist(), strict=True) if share}
