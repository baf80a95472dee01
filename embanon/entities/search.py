"""Where a text has single words of a name, in any order and spelling, and its initials and acronyms."""

from __future__ import annotations

import re
from array import array
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from embanon.entities import context
from embanon.entities.entity import MIN_PART_LENGTH, UNSPACED_SCRIPT, Entity
from embanon.entities.parts import CAPITAL, CLASS, LINK, MIN_ACRONYM_LENGTH, NICKNAME, SURE, WEAK, NameParts, name_parts
from embanon.entities.spellings import (
    COMMON_SHARE,
    LOWERCASE_NAME_SHARE,
    UNKNOWN_SHARE,
    dotted_pattern,
    is_ordinary,
    word_share,
)
from embanon.entities.words import Span, find_word, is_whole
from embanon.language import Cue, Lexicon

RUN: Final = re.compile(r"[^\W\d_]+")
BETWEEN: Final = re.compile(r",?[ \t\xa0]{0,3}(?:\r?\n[ \t]*)?|[ \t]?[-‐‑–_'’][ \t]?|\.")
"""What stands between two words of one name."""
BEHIND_INITIAL: Final = re.compile(r"\.?,?[ \t\xa0-]{0,3}(?:\r?\n[ \t]*)?")
"""What stands behind an initial."""

ALONE_INITIAL: Final = re.compile(r"\.(?![ \t]?-?[^\W\d_a-zß-öø-ÿ])")
"""Behind an initial, that no other name follows."""
HYPHENATED: Final = re.compile(r"(?<![^\W\d_])[^\W\d_]++(?:[-‐‑¬][ \t]*(?:\r?\n[\s>|*]*)?[^\W\d_]++)+")
LINE_END: Final = re.compile(r"(?<![^\W_])([^\W\d_]++)[ \t]*+\r?\n[ \t>|*]*+([^\W\d_]++)(?![^\W_])")
SPACED: Final = re.compile(r"(?<!\w)[^\W\d_](?: [^\W\d_]){2,}(?!\w)")
MAX_PIECES: Final = 4
"""Pieces that a word is cut into."""
MIN_CUT_LENGTH: Final = 5
"""Letters of a word that is cut without a hyphen."""

MAX_WORDS: Final = 12
"""Words of one name side by side."""

RUN_TOGETHER, AN_INITIAL = 0, -1
"""In place of the number of a word."""

MIN_CASE_PARTS: Final = 2


@dataclass(frozen=True, slots=True, eq=False)
class WordIndex:
    """Where the words of a text stand, by how they are compared: sorted by the hashes of these."""

    hashes: NDArray[np.int64] = field(repr=False)
    starts: NDArray[np.int64] = field(repr=False)
    ends: NDArray[np.int64] = field(repr=False)

    def find(self, forms: Collection[str]) -> Iterator[tuple[str, int, int]]:
        """Return where words stand, with each."""
        codes = np.fromiter(map(hash, forms), np.int64, len(forms))
        first, last = np.searchsorted(self.hashes, codes), np.searchsorted(self.hashes, codes, side="right")
        for form, low, high in zip(forms, first.tolist(), last.tolist(), strict=True):
            for place in range(low, high):
                yield form, int(self.starts[place]), int(self.ends[place])


@lru_cache(maxsize=2)
def index_words(text: str, low: str) -> WordIndex:
    """Index the words of a text, the parts of words that their capitals tell apart, and the words that are cut."""
    columns = array("q"), array("q"), array("q")
    hashes, starts, ends = (column.append for column in columns)
    for match in RUN.finditer(text):
        start, end = match.span()
        hashes(hash(low[start:end]))
        starts(start)
        ends(end)
        for first, last in _case_parts(match[0]):
            hashes(hash(low[start + first : start + last]))
            starts(start + first)
            ends(start + last)
    for word, (start, end) in _cut_words(text, low):
        hashes(hash(word))
        starts(start)
        ends(end)
    rows = [np.array(column, np.int64) for column in columns]
    order = np.argsort(rows[0], kind="stable")
    return WordIndex(*(row[order] for row in rows))


def _cut_words(text: str, low: str) -> Iterator[tuple[str, Span]]:
    """Return words that are cut: by hyphens, at the ends of lines, into letters."""
    for match in HYPHENATED.finditer(text):
        pieces = [(piece.start(), piece.end()) for piece in RUN.finditer(text, *match.span())]
        for first in range(len(pieces)):
            joined = low[slice(*pieces[first])]
            for start, end in pieces[first + 1 : first + MAX_PIECES]:
                joined += low[start:end]
                yield joined, (pieces[first][0], end)
    for match in LINE_END.finditer(text):
        if len(match[1]) + len(match[2]) >= MIN_CUT_LENGTH:
            yield low[match.start(1) : match.end(1)] + low[match.start(2) : match.end(2)], match.span()
    for match in SPACED.finditer(low):
        letters, (start, end) = match[0].replace(" ", ""), match.span()
        yield from ((letters, (start, end)), (letters[1:], (start + 2, end)), (letters[:-1], (start, end - 2)))


def _case_parts(run: str) -> Iterator[Span]:
    """Return the parts of letters that are run together, as their capitals have it: AdaBerger, BERGERAda."""
    if run.islower() or run.isupper() or run.istitle():
        return
    cuts = [0]
    for place in range(1, len(run)):
        before, here, after = run[place - 1], run[place], run[place + 1 : place + 2]
        begins = here.isupper() and (before.islower() or after.islower())
        ends_capitals = here.islower() and place > 1 and before.isupper() and cuts[-1] < place - 1
        if begins or ends_capitals:
            cuts.append(place)
    if len(cuts) >= MIN_CASE_PARTS:
        yield from zip(cuts, [*cuts[1:], len(run)], strict=True)


@dataclass(frozen=True, slots=True)
class _Hit:
    """A word of a name in a text."""

    start: int
    end: int
    strength: int
    word: int
    """A number that all forms of a word share; of initials less than 0."""


def find_parts(
    entity: Entity, text: str, low: str, language: str, whole: Sequence[Span]
) -> tuple[list[Span], list[Span]]:  # fmt: skip
    """Find words of a name, initials and acronyms: where they name the entity, and where they may.

    `whole` is where its whole names stand.
    """
    parts = name_parts(entity, language)
    search = _PartSearch(text, low, language, parts, index_words(text, low), entity.type == "PERSON")
    sure, doubtful = list[Span](), list[Span]()
    hits = sorted(search.hits(), key=lambda hit: (hit.start, -hit.end))
    addressed = search.addressed(hits)
    for hit in hits:
        verdict = search.judge(hit, addressed)
        if verdict is not None:
            (sure if verdict else doubtful).append((hit.start, hit.end))
    sure += search.sequences(hits, {*sure, *whole})
    more, perhaps = search.acronyms()
    return [*sure, *more], [*doubtful, *perhaps]


@dataclass(frozen=True, slots=True)
class _PartSearch:
    """The search for the words of one name in one text."""

    text: str = field(repr=False)
    low: str = field(repr=False)
    language: str
    parts: NameParts
    index: WordIndex = field(repr=False)
    person: bool

    def hits(self) -> Iterator[_Hit]:
        """Return where the text has words of the name, and words that are run together of them."""
        for form, start, end in self._find(self.parts.words):
            if is_whole(self.low, start, end) or self._is_case_part(start, end):
                yield _Hit(start, end, *self.parts.words[form])
        yield from (_Hit(start, end, SURE, RUN_TOGETHER) for _, start, end in self.index.find(self.parts.runs))
        for _, start, end in self.index.find(self.parts.letters):
            if self.text[start:end].isupper():
                yield _Hit(start, end, LINK, AN_INITIAL)

    def _find(self, forms: Collection[str]) -> Iterator[tuple[str, int, int]]:
        """Return where forms stand: by the index of words, where they are words."""
        yield from self.index.find(forms)
        for form in forms:
            if not form.isalpha() or UNSPACED_SCRIPT.search(form):
                yield from ((form, *span) for span in find_word(self.low, form))

    def _spans(self, form: str) -> list[Span]:
        return [(start, end) for _, start, end in self._find([form])]

    def _is_case_part(self, start: int, end: int) -> bool:
        """Return whether capitals set a word off from the letters beside it."""
        before, after = self.text[start - 1 : start] if start else "", self.text[end : end + 1]
        return (not before.isalnum() or (before.isalpha() and self.text[start].isupper())) and (
            not after.isalnum() or (after.isalpha() and end - start >= MIN_PART_LENGTH)
        )

    def addressed(self, hits: Iterable[_Hit]) -> frozenset[int]:
        """Return the words of the name by which the text calls somebody: users, and whom a greeting names."""
        return frozenset(
            hit.word for hit in hits
            if hit.word > 0 and hit.strength >= WEAK and self.person and self._is_called(hit)
        )  # fmt: skip

    def _is_called(self, hit: _Hit) -> bool:
        weak = hit.strength == WEAK
        return context.is_speaker(self.text, hit.start, hit.end) or context.is_addressed(
            self.text, hit.start, hit.end, self.language, weak=weak
        )

    def judge(self, hit: _Hit, addressed: Collection[int]) -> bool | None:
        """Return whether a word names the entity: surely, perhaps (False), or not at all (None)."""
        if hit.strength <= CLASS:
            return self._is_titled_initial(hit)
        capital = not self.text[hit.start].islower()
        if hit.strength == SURE and (capital or not self._is_other_word(hit)):
            return True
        if capital and hit.strength >= CAPITAL:
            return True
        if self.person and self._is_called(hit):
            return True
        if hit.strength == NICKNAME:
            return False if capital or not is_ordinary(self.low[hit.start : hit.end], self.language) else None
        if capital:
            return not context.begins_sentence(self.text, hit.start) and self._stands_out(hit)
        if context.is_plain_word(self.text, hit.start, self.language):
            return None
        called = hit.word in addressed and hit.strength >= CAPITAL
        return called and context.at_edge(self.text, hit.start, hit.end)

    def _is_other_word(self, hit: _Hit) -> bool:
        """Return whether a word in small letters is an ordinary one, with the accents that it has."""
        written = self.text[hit.start : hit.end]
        return written != self.low[hit.start : hit.end] and is_ordinary(written, self.language)

    def _is_titled_initial(self, hit: _Hit) -> bool | None:
        """Return whether an initial stands behind a title: Frau B."""
        is_alone = self.low[hit.start] in self.parts.surnames and ALONE_INITIAL.match(self.text, hit.end)
        if hit.word != AN_INITIAL or not is_alone:
            return None
        return context.follows_title(self.text, hit.start, self.language) or None

    def _stands_out(self, hit: _Hit) -> bool:
        """Return whether a word has a capital of its own, and not because all words about it are in capitals."""
        before = RUN.findall(self.text[max(0, hit.start - context.REACH) : hit.start])
        return bool(before) and before[-1][0].islower()

    def sequences(self, hits: Sequence[_Hit], sure: Collection[Span]) -> Iterator[Span]:
        """Return where several words of a name stand side by side, in any order."""
        run, words = list[_Hit](), set[int]()
        for hit in hits:
            if hit.word == RUN_TOGETHER or (run and hit.start < run[-1].end):
                continue
            if run and (hit.word in words or len(run) == MAX_WORDS or not self._are_joined(run[-1], hit)):
                yield from self._in_run(run, sure)
                run, words = [], set()
            run.append(hit)
            words |= {hit.word} - {AN_INITIAL}
        yield from self._in_run(run, sure)

    def _are_joined(self, left: _Hit, right: _Hit) -> bool:
        between = BEHIND_INITIAL if left.end - left.start == 1 else BETWEEN
        is_list = not self.person and "," in self.text[left.end : right.start]
        return not is_list and between.fullmatch(self.text, left.end, right.start) is not None

    def _in_run(self, run: Sequence[_Hit], sure: Collection[Span]) -> Iterator[Span]:
        """Return what of words side by side is one name: from the first to the last that has a capital or is sure."""
        has_capitals = any(self.text[hit.start].isupper() for hit in run)
        marked = [
            hit for hit in run
            if (hit.start, hit.end) in sure
            or (self.text[hit.start].isupper() if has_capitals else hit.strength >= WEAK)
        ]  # fmt: skip
        least = CLASS if has_capitals else CAPITAL
        telling = {
            hit.word for hit in marked if hit.word > 0 and ((self.person and has_capitals) or hit.strength >= least)
        }
        is_sure = any((hit.start, hit.end) in sure for hit in marked)
        if len(marked) >= MIN_CASE_PARTS and (is_sure or len(telling) >= MIN_CASE_PARTS):
            yield marked[0].start, marked[-1].end

    def acronyms(self) -> tuple[list[Span], list[Span]]:
        """Find initials and acronyms: with points, in capitals, in small letters, in addresses."""
        verdicts = list[tuple[Span, bool | None]]()
        for letters in map(str.lower, self.parts.acronyms):
            verdicts += ((match.span(), True) for match in dotted_pattern(letters).finditer(self.low))
            verdicts += ((span, self._is_acronym(letters, *span)) for span in self._spans(letters))
            plurals = self._spans(letters + "s")
            verdicts += ((span, True) for span in plurals if self.text[span[0] : span[1] - 1].isupper())
        for letters in self.parts.initials:
            for size in range(min(len(letters), MIN_ACRONYM_LENGTH), len(letters) + 1):
                matches = dotted_pattern(letters[:size]).finditer(self.low)
                verdicts += ((match.span(), self._is_dotted(match[0], match.start())) for match in matches)
            spans = self._spans(letters)
            speaks = any(
                self.text[start:end].isupper() and context.is_speaker(self.text, start, end) for start, end in spans
            )
            verdicts += ((span, self._is_initials(letters, *span, speaks=speaks)) for span in spans)
        return [span for span, sure in verdicts if sure], [span for span, sure in verdicts if sure is False]

    def _is_dotted(self, written: str, start: int) -> bool:
        """Return whether initials with points are no other abbreviation."""
        return self.text[start].isupper() and not Lexicon.load(self.language).flags(written.replace(" ", ""))

    def _is_acronym(self, letters: str, start: int, end: int) -> bool | None:
        """Return whether an acronym in any letters names the entity: surely, perhaps, or not at all."""
        if not is_whole(self.low, start, end):
            return None
        if self.text[start:end] == letters.upper() or context.in_domain(self.text, start, end):
            return True
        lexicon, share = Lexicon.load(self.language), word_share(letters, self.language)
        if lexicon.flags(letters) & Cue.STOP or len(letters) < MIN_ACRONYM_LENGTH:
            return None
        if share < UNKNOWN_SHARE or (lexicon.flags(letters.upper()) & Cue.ORG_NAME and not lexicon.flags(letters)):
            return True
        if share >= COMMON_SHARE or context.is_plain_word(self.text, start, self.language):
            return None
        return False

    def _is_initials(self, letters: str, start: int, end: int, *, speaks: bool) -> bool | None:
        """Return whether initials without points name the person: surely, perhaps, or not at all.

        `speaks` says that the text has them as those of somebody who speaks.
        """
        if not is_whole(self.low, start, end):
            return None
        if speaks and self.text[start:end].isupper():
            return True
        if not self.text[start:end].isupper() or self._is_among_capitals(start, end):
            return None
        return len(letters) >= MIN_ACRONYM_LENGTH and word_share(letters, self.language) < LOWERCASE_NAME_SHARE

    def _is_among_capitals(self, start: int, end: int) -> bool:
        """Return whether the words about a word are in capitals as well."""
        before = RUN.findall(self.text[max(0, start - context.REACH) : start])[-1:]
        after = RUN.findall(self.text[end : end + context.REACH])[:1]
        return any(len(word) > 1 and word.isupper() for word in (*before, *after))
