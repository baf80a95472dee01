"""Phrases of what the labeler has learnt to see, laid over those of the grammar."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from embanon.document import COLUMNS, FORMS, TYPES, Floats, Ints, Phrases
from embanon.language import Cue
from embanon.recognize import (
    KIND_NAMES,
    NOTHING,
    PARAGRAPH_BREAK,
    SOFT_BREAK,
    Labels,
    likeliest_kinds,
    type_chances,
)
from embanon.text.bounds import (
    CODE,
    DATETIME,
    DEM,
    IS_NAMELIKE,
    LEAST_STATEMENT,
    LOC,
    LONGEST_STATEMENT,
    MAX_MARKS,
    MISC,
    ORG,
    PERSON,
    QUANTITY,
    LearnedSpans,
    find_mentions_in_labels,
    find_relatives,
)
from embanon.text.coreference import ARTICLES
from embanon.text.grammar import has_cue
from embanon.text.kinds import DEFAULT_KINDS
from embanon.text.overlay import remainder
from embanon.text.tokens import DIGIT, UPPER, Tokens

_FORMS_OF_TYPES: Final = np.array(
    [FORMS.index(form) for form in ("name", "name", "name", "date", "common", "code", "quantity", "name")],
    np.uint8,
)
"""The form of what the labeler sees and the grammar does not know, by type."""
UNSURE_CODE: Final = "CODE.number"
UNSURE_KINDS: Final = {"PERSON": "PERSON.name", "ORG": "ORG.name", "LOC": "LOC.name", "CODE": UNSURE_CODE}
"""The kinds, by type, of what the grammar takes for a name or a code, and the labeler for none: a guess."""
STATEMENT: Final = "statement"
"""The kind of a mention that is a clause: *drove the bus that the papers wrote about*."""
SURE_KIND: Final = 0.7
"""From this chance on, a kind is taken for the true one."""
SURE_TYPE: Final = 0.6
"""From this share of the chances of all types on, the type of a name is taken for the true one."""
SURE_PERSON: Final = 0.9
"""From this chance of its last token on, who has neither a title nor a known name is taken for a person."""
LEAST: Final = 1e-4
SUPPORT: Final = 0.6
"""How much the odds of a mention as a whole count beside those of its tokens."""
SUPPORT_OF_COLUMN: Final = 2.0
"""The same where others at the same place of their lines are mentions."""
SORTED: Final = 0.7
"""How much the types of mentions as wholes count beside those of their tokens."""
LEAST_CHANCE: Final = 0.3
"""From this chance of a type on, a guess is of that type."""
LEAST_WORK: Final = 0.6
"""From this chance on, what stands in quotation marks is a title, and no nickname."""
_HAS_GUESSES: Final = np.array([type in UNSURE_KINDS for type in TYPES])
_GUESSES: Final = frozenset(UNSURE_KINDS.values())
_GUESSED_KINDS: Final = tuple(UNSURE_KINDS.get(type, DEFAULT_KINDS[type]) for type in TYPES)
AGE, KIN, CITY, WORK = "DEM.age", "DEM.kin", "LOC.city", "MISC.work"
LANDS: Final = ("LOC.country", "LOC.region", "LOC.continent")
"""Kinds of places that the lexicon knows, whatever stands beside them."""
TURN_MARKS: Final = frozenset((":", "·", "•"))
"""Behind who speaks in a chat."""
DATE_SHAPE: Final = re.compile(r"\d{1,2}[./-]\d{1,2}(?:[./-]\d{2}(?:\d{2})?)?|\d{4}(?:-\d{2}-\d{2})?")
SHORT_DATE: Final = re.compile(r"(?:0?[1-9]|[12]\d|3[01])[./](?:0?[1-9]|1[0-2])\.?")
WRITTEN_DATE: Final = re.compile(r"(?:1[3-9]|2\d|3[01])\.(?:0[1-9]|1[0-2])\.?")
LONGEST_SHORT_DATE: Final = 6
DATE_WITH_LETTERS: Final = re.compile(r"\d{1,2}(?:[./-][IVX]{1,4}[./-](?:\d{2}){1,2}|[A-Z]{3}(?:19|20)?\d\d)")
LONG_LINE: Final = 100
"""Tokens of a line of running text."""
_IS_WRITTEN: Final = np.array([form in ("date", "quantity") for form in FORMS])
_IS_NAMED: Final = np.array([form in ("name", "title", "date") for form in FORMS])
_IS_GUESSED: Final = np.array([form in ("name", "code") for form in FORMS])
DATED, TITLE = FORMS.index("date"), FORMS.index("title")
_COMMON: Final = np.uint8(FORMS.index("common"))


@dataclass(frozen=True, slots=True)
class TokenChances:
    """How likely each token of a piece belongs to a mention, and where tokens start and end in the text."""

    start: Ints
    end: Ints
    chance: NDArray[np.float64] = field(repr=False)

    @classmethod
    def from_labels(cls, tokens: Tokens, labels: Labels, support: Floats, offset: int) -> TokenChances:
        """Add up the chances of all types, and the odds of whole mentions; the piece begins at an offset."""
        chance = np.clip(labels.inside.sum(axis=1, dtype=np.float64), LEAST, 1 - LEAST)
        chance = 1 / (1 + (1 - chance) / chance * np.exp(-SUPPORT * support))
        return cls(tokens.start.astype(np.int64) + offset, tokens.end.astype(np.int64) + offset, chance)


def lay_learned(
    text: str, phrases: Phrases, tokens: Tokens, labels: Labels, flags: Ints, is_verb: NDArray[np.bool_],
    completed: NDArray[np.bool_],
) -> tuple[Phrases, Floats]:  # fmt: skip
    """Lay what the labeler sees over the grammar's phrases, of which what sticks out stays. Names have their titles.

    Where both are of one type, form and head are those of the grammar, and so is the kind where none is learnt. What
    comes second are the odds, judged by whole mentions, of each token to be of one.
    """
    support = np.zeros(len(tokens))
    is_kin = find_relatives(tokens, flags)
    spans = find_mentions_in_labels(labels, tokens, flags, phrases, is_kin, is_verb)
    inside = labels.inside.astype(np.float64)
    ahead = spans.first[spans.type == PERSON] - 1
    ahead = ahead[(ahead >= 0) & is_kin[ahead] & (tokens.gap[np.minimum(ahead + 1, len(tokens) - 1)] == 1)]
    inside[ahead] = 0.0  # the brother before a name is nobody else
    total = np.concatenate([np.zeros((1, len(TYPES))), np.cumsum(inside, axis=0)])
    if not len(spans.first):
        return _guess(phrases, tokens, total, labels, support), support
    chances, share = _judge(spans.first, spans.last, total, labels, spans.type)
    spans = replace(spans, type=share.argmax(axis=1).astype(np.uint8))
    _add_support(support, spans.first, spans.last, chances)
    support[completed] = np.maximum(support[completed], SUPPORT_OF_COLUMN)
    start, end = tokens.start[spans.first].astype(np.int64), tokens.end[spans.last - 1].astype(np.int64)
    end -= _trailing_periods(text, tokens, spans)
    low = np.searchsorted(phrases.end, start, side="right")
    high = np.searchsorted(phrases.start, end, side="left")
    if len(phrases):
        spans, start, end = _as_the_grammar_knows(text, phrases, low, high, spans, start, end)
    # What is neither somebody, somewhere nor some time is said best by the names in it, or the phrases it is made of.
    high = np.maximum(high, low)
    named = np.append(0, np.cumsum(_IS_NAMED[phrases.form]))
    length = np.append(0, np.cumsum(phrases.end - phrases.start + 1))
    in_long_line = _line_lengths(tokens)[spans.first] >= LONG_LINE
    several, size = high - low > 1, spans.last - spans.first
    is_long = size > LONGEST_STATEMENT
    is_short_statement = ~in_long_line & several & ~is_long & (size > LEAST_STATEMENT)
    gives_way = (
        ~is_short_statement & ((spans.type == MISC) | ((spans.type == DEM) & in_long_line)) & (named[high] > named[low])
    )
    verbs = np.append(0, np.cumsum(is_verb))
    tells = np.isin(spans.type, (DEM, MISC)) & several
    is_clause = tells & (verbs[spans.last] > verbs[spans.first]) & ~is_long
    apart = length[high] - length[low] == end - start + 1
    gives_way |= ((spans.type == DEM) & several & apart & ~is_clause) | (tells & is_long)
    kept = ~gives_way
    is_clause, chances, share = is_clause[kept], chances[kept], share[kept]
    spans, start, end, low, high = spans.select(kept), start[kept], end[kept], low[kept], high[kept]
    touched = np.zeros(len(phrases) + 1, np.int64)
    np.add.at(touched, low, 1)
    np.add.at(touched, np.maximum(high, low), -1)
    covered = np.cumsum(touched)[:-1] > 0
    relatives = frozenset(tokens.start[ahead].tolist())
    rows = [
        _as_common(text, phrases.kinds, row, relatives)
        for row in _remainders(text, phrases, np.flatnonzero(covered), start, end)
        if text[row[0] : row[1]].lower() not in ARTICLES
    ]
    learned = _typed_like(phrases, low, high, spans, start, end, tokens)
    _add_learned_kinds(learned, phrases.kinds, spans, chances)
    last = total[spans.last] - total[spans.last - 1]
    known = has_cue(flags, Cue.TITLE | Cue.GIVEN_NAME | Cue.SURNAME)[spans.first]
    _mark_unsure_names(learned, phrases.kinds, spans, share, last, known, tokens)
    _mark_clauses(learned, phrases.kinds, spans, is_clause)
    _mark_laws(learned, phrases.kinds, spans, tokens, flags)
    others = _guess(phrases.select(~covered), tokens, total, labels, support)
    whole = [
        np.concatenate([getattr(others, name), column, np.array([row[number] for row in rows], column.dtype)])
        for number, (name, column) in enumerate(zip(COLUMNS, learned, strict=True))
    ]
    order = np.argsort(whole[0], kind="stable")
    kinds = [getattr(phrases, name).dtype for name in COLUMNS]
    columns = [column[order].astype(kind) for column, kind in zip(whole, kinds, strict=True)]
    return _align_short_dates(text, Phrases.from_columns(columns, phrases.kinds)), support


def _judge(first: Ints, last: Ints, total: Floats, labels: Labels, labeled: NDArray[np.uint8]) -> tuple[Floats, Floats]:
    """Return how likely spans are of each kind, or no mention, and the share of each type, by token and as a whole.

    `total` adds up the labeler's chances of each type, from no token to all.
    """
    mass = total[last] - total[first] + LEAST
    mass[np.arange(len(mass)), labeled] += LEAST
    chances = labels.reading.judge(first, last)
    mass = mass / mass.sum(axis=1, keepdims=True) * (type_chances(chances) + LEAST) ** SORTED
    return chances, mass / mass.sum(axis=1, keepdims=True)


def _add_support(support: Floats, first: Ints, last: Ints, chances: Floats) -> None:
    """Add the odds of being a mention at all to each token of some (changes the column)."""
    nothing = np.clip(chances[:, NOTHING], LEAST, 1 - LEAST)
    for begin, end, odds in zip(first.tolist(), last.tolist(), np.log((1 - nothing) / nothing).tolist(), strict=True):
        support[begin:end] = odds


def _as_the_grammar_knows(
    text: str, phrases: Phrases, low: Ints, high: Ints, spans: LearnedSpans, start: Ints, end: Ints
) -> tuple[LearnedSpans, Ints, Ints]:
    """Let dates and ages end where the grammar says, which knows how they are written; lands and works are such."""
    below = np.minimum(low, len(phrases) - 1)
    again = low[1:] == low[:-1]  # two mentions within one phrase
    alone = (high - low == 1) & ~(np.append(again, False) | np.append(False, again))
    alone &= (phrases.start[below] <= start) & (phrases.end[below] >= end)
    wider = alone & (phrases.type[below] == spans.type) & _IS_WRITTEN[phrases.form[below]]
    # The Rivers and Lakes of a Bureau for Rivers and Lakes are no name of their own.
    part = alone & (spans.type == ORG) & _IS_NAMED[phrases.form[below]] & (start > phrases.start[below])
    for place in np.flatnonzero(part).tolist():
        before = text[phrases.start[below[place]] : start[place]].split()
        wider[place] = bool(before) and before[-1].islower() and before[0][:1].isupper()
    wider &= phrases.start[below] >= np.append(0, end[:-1])  # but not over the mentions beside it
    wider &= phrases.end[below] <= np.append(start[1:], phrases.end[below][-1:])
    exact = alone & (phrases.start[below] == start) & (phrases.end[below] == end)
    lands = [phrases.kinds.index(kind) for kind in LANDS]
    type = np.where(exact & np.isin(phrases.kind[below], lands), LOC, spans.type)
    type = np.where(exact & (phrases.kind[below] == phrases.kinds.index(WORK)), MISC, type)
    for place in np.flatnonzero(exact & (phrases.form[below] == DATED) & np.isin(type, (CODE, DEM))).tolist():
        if DATE_SHAPE.fullmatch(text, int(start[place]), int(end[place])):  # 22-01-2024 is no file number, 2019 no age
            type[place] = DATETIME
    for place in np.flatnonzero(type == CODE).tolist():
        if DATE_WITH_LETTERS.fullmatch(text, int(start[place]), int(end[place])):
            type[place] = DATETIME
    type = type.astype(np.uint8)
    start, end = np.where(wider, phrases.start[below], start), np.where(wider, phrases.end[below], end)
    return replace(spans, type=type), start, end


def _align_short_dates(text: str, phrases: Phrases) -> Phrases:
    """Let 19/01 be a date where another place of that shape is one; a number only if it is written as days are."""
    is_dated = phrases.type == DATETIME
    is_short = phrases.end - phrases.start <= LONGEST_SHORT_DATE
    places = np.flatnonzero((is_dated | np.isin(phrases.type, (CODE, QUANTITY))) & is_short)
    shapes = {CODE: SHORT_DATE, DATETIME: SHORT_DATE, QUANTITY: WRITTEN_DATE}
    shaped = [
        place for place in places.tolist()
        if shapes[int(phrases.type[place])].fullmatch(text, phrases.start[place], phrases.end[place])
    ]  # fmt: skip
    if not is_dated[shaped].any() or is_dated[shaped].all():
        return phrases
    changed = np.array(shaped)[~is_dated[shaped]]
    type, kind, form = phrases.type.copy(), phrases.kind.copy(), phrases.form.copy()
    type[changed], kind[changed], form[changed] = DATETIME, phrases.kinds.index(DEFAULT_KINDS["DATETIME"]), DATED
    return replace(phrases, type=type, kind=kind, form=form)


def _line_lengths(tokens: Tokens) -> Ints:
    """Return how many tokens the line of each token has."""
    line = np.cumsum(tokens.gap >= 3)
    lengths: Ints = np.bincount(line)[line]
    return lengths


def is_guess(kind: str) -> bool:
    """Return whether a kind says that the type is only the likeliest."""
    return kind in _GUESSES


@cache
def _numbers_of(names: tuple[str, ...], kinds: tuple[str, ...]) -> Ints:
    """Return the places of some kinds among others."""
    return np.array([kinds.index(name) for name in names])


def _guess(phrases: Phrases, tokens: Tokens, total: Floats, labels: Labels, support: Floats) -> Phrases:
    """Return phrases of which names and codes have the likeliest type, and the kind of a guess."""
    phrases = _without_false_titles(phrases, tokens, total, labels)
    places = np.flatnonzero(_IS_GUESSED[phrases.form])
    if not len(places):
        return phrases
    first = np.searchsorted(tokens.end, phrases.start[places], side="right")
    last = np.maximum(np.searchsorted(tokens.start, phrases.end[places], side="left"), first + 1)
    chances, share = _judge(first, last, total, labels, phrases.type[places])
    _add_support(support, first, last, chances)
    type, kind = phrases.type.copy(), phrases.kind.copy()
    likely = share.argmax(axis=1)
    retyped = (type[places] != LOC) & (likely != LOC) & (share.max(axis=1) >= LEAST_CHANCE)
    type[places] = np.where(retyped, likely, type[places])
    here, guesses = type[places], _numbers_of(_GUESSED_KINDS, phrases.kinds)
    kind[places] = np.where(retyped | _HAS_GUESSES[here], guesses[here], kind[places])
    likely_kind, chance = likeliest_kinds(chances, here.astype(np.uint8))
    told_apart = _numbers_of(KIND_NAMES, phrases.kinds)[likely_kind]
    kind[places] = np.where((here == MISC) & (chance >= SURE_KIND), told_apart, kind[places])
    quoted = (kind[places] == phrases.kinds.index(WORK)) & (chances[:, KIND_NAMES.index(WORK)] < LEAST_WORK)
    kind[places[quoted]] = phrases.kinds.index(DEFAULT_KINDS["MISC"])
    return replace(phrases, type=type, kind=kind)


def _without_false_titles(phrases: Phrases, tokens: Tokens, total: Floats, labels: Labels) -> Phrases:
    """Return phrases of which what stands in quotation marks, and is no title, is something else: „Mischka“."""
    if WORK not in phrases.kinds:
        return phrases
    places = np.flatnonzero((phrases.form == TITLE) & (phrases.kind == phrases.kinds.index(WORK)))
    if not len(places):
        return phrases
    first = np.searchsorted(tokens.end, phrases.start[places], side="right")
    last = np.maximum(np.searchsorted(tokens.start, phrases.end[places], side="left"), first + 1)
    chances, _ = _judge(first, last, total, labels, phrases.type[places])
    kind = phrases.kind.copy()
    kind[places[chances[:, KIND_NAMES.index(WORK)] < LEAST_CHANCE]] = phrases.kinds.index(DEFAULT_KINDS["MISC"])
    return replace(phrases, kind=kind)


def _trailing_periods(text: str, tokens: Tokens, spans: LearnedSpans) -> Ints:
    """Return 1 where the last token is a number with the period of its sentence, or of an ordinal."""
    last = spans.last - 1
    numbers = (tokens.first[last] == DIGIT) & (tokens.end[last] - tokens.start[last] > 1)
    periods = np.zeros(len(last), np.int64)
    for place in np.flatnonzero(numbers).tolist():
        periods[place] = text[tokens.end[last[place]] - 1] == "."
    return periods


def _typed_like(
    phrases: Phrases, low: Ints, high: Ints, spans: LearnedSpans, start: Ints, end: Ints, tokens: Tokens
) -> list[NDArray[Any]]:
    """Return the columns of learned phrases: kind, form and head are of the first phrase below of the same type."""
    number = {kind: place for place, kind in enumerate(phrases.kinds)}
    defaults = np.array([number.get(DEFAULT_KINDS[type], 0) for type in TYPES])
    kind = defaults[spans.type]
    form = _FORMS_OF_TYPES[spans.type]
    small = IS_NAMELIKE[spans.type] & (tokens.first[spans.first] != UPPER) & (tokens.first[spans.last - 1] != UPPER)
    form = np.where(small & (spans.type != TYPES.index("PERSON")), _COMMON, form)
    ages = (spans.type == DEM) & (tokens.first[spans.first] == DIGIT) & (spans.last - spans.first == 1)
    kind[ages], form[ages] = phrases.kinds.index(AGE), FORMS.index("quantity")
    head_start, head_end = start.copy(), end.copy()
    pending = np.flatnonzero(high > low)
    for step in range(int((high - low).max(initial=0))):
        here = pending[low[pending] + step < high[pending]]
        below = low[here] + step
        same = phrases.type[below] == spans.type[here]
        rows, below = here[same], below[same]
        kind[rows] = phrases.kind[below]
        named = (spans.type[rows] == DEM) & ~_IS_WRITTEN[phrases.form[below]]  # what somebody is has no name
        form[rows] = np.where(named, _COMMON, phrases.form[below])
        inside = (phrases.head_start[below] >= start[rows]) & (phrases.head_end[below] <= end[rows])
        head_start[rows[inside]], head_end[rows[inside]] = (
            phrases.head_start[below[inside]], phrases.head_end[below[inside]],
        )  # fmt: skip
        pending = here[~same]
    return [start, end, spans.type, kind, form, head_start, head_end, np.zeros(len(start), np.int64)]


def _mark_laws(
    columns: Sequence[NDArray[Any]], kinds: Sequence[str], spans: LearnedSpans, tokens: Tokens, flags: Ints
) -> None:
    """Let the number of a law or a rule be a reference: Lei n.º 98/2009, § 626 BGB (changes the columns)."""
    before = spans.first - 1
    for _ in range(MAX_MARKS):
        before -= has_cue(flags[before], Cue.NUMBER_MARK) & (before > 0)
    near = (before >= 0) & (tokens.gap[np.maximum(before + 1, 0)] <= 1)
    is_number = np.isin(spans.type, (CODE, QUANTITY)) & (tokens.first[spans.first] == DIGIT)
    laws = is_number & near & has_cue(flags[before], Cue.LAW_HEAD | Cue.REFERENCE)
    columns[COLUMNS.index("type")][laws] = MISC
    columns[COLUMNS.index("kind")][laws] = kinds.index("MISC.reference")
    columns[COLUMNS.index("form")][laws] = FORMS.index("reference")


def _mark_clauses(columns: Sequence[NDArray[Any]], kinds: Sequence[str], spans: LearnedSpans, flags: Any) -> None:
    """Give mentions that tell something in a clause the kind of a statement, which has no broader word."""
    kind, form = columns[COLUMNS.index("kind")], columns[COLUMNS.index("form")]
    numbers = np.array([kinds.index(f"{TYPES[type]}.{STATEMENT}") if type in (DEM, MISC) else 0 for type in range(8)])
    kind[flags] = numbers[spans.type[flags]]
    form[flags] = _COMMON


def _open_turns(spans: LearnedSpans, tokens: Tokens) -> NDArray[np.bool_]:
    """Return which mentions open what somebody says in a chat: they begin lines of a paragraph, or are handles."""
    opens = np.append(True, tokens.gap[1:] >= SOFT_BREAK)[spans.first]
    paragraph = np.cumsum(tokens.gap >= PARAGRAPH_BREAK)[spans.first]
    words = tokens.words
    names = [
        (part, " ".join(words[first:last]) if begins and words[last : last + 1] and words[last] in TURN_MARKS else "")
        for first, last, begins, part in zip(
            spans.first.tolist(), spans.last.tolist(), opens.tolist(), paragraph.tolist(), strict=True
        )
    ]
    often = Counter(names)
    return np.array([bool(name[1]) and (often[name] > 1 or "_" in name[1]) for name in names], np.bool_)


def _mark_unsure_names(
    columns: Sequence[NDArray[Any]], kinds: tuple[str, ...], spans: LearnedSpans, share: Floats, last: Floats,
    known: NDArray[np.bool_], tokens: Tokens,
) -> None:  # fmt: skip
    """Give names whose type is in doubt, outside of running text, the kind of a guess (changes the columns).

    `last` has the chances of each type at their last tokens, and `known` says which begin with a title or a name that
    people have. The labeler is surer of whole names than it is often right: of their last tokens it is not.
    """
    kind, form = columns[COLUMNS.index("kind")], columns[COLUMNS.index("form")]
    rows = np.arange(len(share))
    relative = last[rows, spans.type] / np.maximum(last.sum(axis=1), LEAST)
    is_person = spans.type == PERSON
    known = known | (is_person & _open_turns(spans, tokens))
    doubtful = (share[rows, spans.type] < SURE_TYPE) | (relative < SURE_TYPE)
    doubtful |= is_person & (last[:, PERSON] < SURE_PERSON)
    doubtful &= ~(is_person & (known | (_line_lengths(tokens)[spans.first] >= LONG_LINE)))
    doubtful &= _IS_GUESSED[form] & np.isin(spans.type, (PERSON, ORG, LOC))
    kind[doubtful] = _numbers_of(_GUESSED_KINDS, kinds)[spans.type[doubtful]]


def _add_learned_kinds(
    columns: Sequence[NDArray[Any]], kinds: tuple[str, ...], spans: LearnedSpans, chances: Floats
) -> None:
    """Give mentions the kind that is learnt, where it is sure (changes the columns).

    What a pattern says of dates, quantities and ages, and the lexicon of lands, is surer.
    """
    kind, form = columns[COLUMNS.index("kind")], columns[COLUMNS.index("form")]
    known = np.isin(kind, [kinds.index(name) for name in (*LANDS, CITY, AGE)]) | _IS_WRITTEN[form]
    likely, chance = likeliest_kinds(chances, spans.type)
    works = KIND_NAMES.index(WORK)
    sure = ~known & (chance >= SURE_KIND) & ((likely != works) | (chances[:, works] >= LEAST_WORK))
    kind[sure] = _numbers_of(KIND_NAMES, kinds)[likely[sure]]
    quoted = ~sure & (kind == kinds.index(WORK)) & (chances[:, works] < LEAST_WORK)
    kind[quoted] = kinds.index(DEFAULT_KINDS["MISC"])  # what stands in quotation marks is not always a title


def _remainders(text: str, phrases: Phrases, touched: Ints, start: Ints, end: Ints) -> list[tuple[int, ...]]:
    """Return what of phrases sticks out of the spans that lie over them."""
    first = np.searchsorted(end, phrases.start[touched], side="right")
    last = np.searchsorted(start, phrases.end[touched], side="left")
    whole = (start[first] <= phrases.start[touched]) & (end[first] >= phrases.end[touched])
    rows: list[tuple[int, ...]] = []
    for place, low, high in zip(touched[~whole].tolist(), first[~whole].tolist(), last[~whole].tolist(), strict=True):
        row = [int(getattr(phrases, name)[place]) for name in COLUMNS]
        begin = row[0]
        for number in range(low, high):
            rows += remainder(text, row, begin, int(start[number]))
            begin = int(end[number])
        rows += remainder(text, row, begin, row[1])
    return rows


def _as_common(text: str, kinds: Sequence[str], row: tuple[int, ...], relatives: frozenset[int]) -> tuple[int, ...]:
    """Return what is left of a name as a common phrase where it has no capital, or says who that is to whom.

    The treasurer of Ada Berger (treasurer), the aunt of Aunt Ada.
    """
    start, end, type, *_ = row
    if type != PERSON or not (start in relatives or text[start:end].islower()):
        return row
    kind = KIN if start in relatives else DEFAULT_KINDS["DEM"]
    return (start, end, DEM, kinds.index(kind), int(_COMMON), *row[5:])


def with_chances(phrases: Phrases, pieces: Sequence[TokenChances]) -> Phrases:
    """Say of each phrase how likely it is a mention: the mean chance of its tokens."""
    if not pieces:
        return phrases
    start, end, chance = (np.concatenate([getattr(piece, name) for piece in pieces]) for name in TokenChances.__slots__)
    total = np.append(0.0, np.cumsum(chance))
    first = np.searchsorted(end, phrases.start, side="right")
    last = np.maximum(np.searchsorted(start, phrases.end, side="left"), first)
    mean = (total[last] - total[first]) / np.maximum(last - first, 1)
    return replace(phrases, chance=mean.astype(np.float32))
