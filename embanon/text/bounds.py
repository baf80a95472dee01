"""Find where mentions begin and end for a reader, from the labels of their tokens.

A mention goes on to the verb of its clause, ends before the article or the mark of punctuation behind it, and has the
titles, the house number or the legal form that belong to it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from embanon.document import TYPES, Ints, Phrases
from embanon.language import Cue
from embanon.recognize import CLOSES, COLUMN_GAP, LINE_BREAK, OPENS, QUOTE, SOFT_BREAK, Labels
from embanon.text.coreference import ARTICLES
from embanon.text.grammar import has_cue
from embanon.text.tokens import COLON, COMMA, DIGIT, LOWER, PERIOD, TERMINAL, UPPER, Tokens

_OUTSIDE, _FIRST_LABEL = 0, 1
LEAST_STATEMENT, LONGEST_STATEMENT = 3, 40
"""Tokens of a description or clause that is one mention: with more than the first it keeps the names in it, with more
than the second it is told by the phrases in it."""
GOES_ON: Final = 0.3
"""From this chance of its next word on, a deed goes on."""
CLOSING: Final = (PERIOD, COMMA, COLON, TERMINAL)
PERSON, ORG, LOC, DATETIME, DEM, CODE, QUANTITY, MISC = range(len(TYPES))
MAX_TITLES, MAX_RELATIVES = 2, 2
POSSESSIVES: Final = frozenset(
    """my your his her our their mi tu su mis tus sus nuestro nuestra meu minha teu tua seu sua nosso nossa
    mein meine meinen meinem meiner dein deine deinen deinem deiner sein seine seinen seinem seiner
    ihr ihre ihren ihrem ihrer unser unsere unseren unserem unserer euer eure euren eurem eurer""".split()
)
"""Before a word for a relative that may be a title or a name as well: seine Frau Marta."""
GERMAN_KIN: Final = frozenset(
    """Bruder Schwester Vater Mutter Sohn Tochter Onkel Tante Enkel Enkelin Neffe Nichte Cousin Cousine Opa Oma
    Großvater Großmutter Grossvater Grossmutter Halbbruder Halbschwester Stiefvater Stiefmutter
    Ehemann Ehefrau""".split()
)
"""Behind a word in small letters, no title: der ältere Bruder Nadir."""
INITIALS: Final = re.compile(r"(?:[A-ZÀ-Þ]\.){1,3}")
LONGEST_PARTICLE: Final = 3
MAX_MARKS: Final = 2
CELL_GAP: Final = 2
"""Spaces from which on one cell of a table ends."""
FULL_LINE: Final = 50
"""Characters of a line from which it is taken to be wrapped."""
_IS_ONE_LINE: Final = np.array([type in ("PERSON", "ORG", "CODE", "QUANTITY") for type in TYPES])
IS_NAMELIKE: Final = np.array([type in ("PERSON", "ORG", "LOC", "MISC") for type in TYPES])


@dataclass(frozen=True, slots=True)
class LearnedSpans:
    """Where mentions start and end, by token, and their types as indexes into TYPES."""

    first: Ints
    last: Ints
    type: NDArray[np.uint8]

    def select(self, which: NDArray[np.bool_]) -> LearnedSpans:
        """Return some of the spans."""
        return LearnedSpans(self.first[which], self.last[which], self.type[which])

    def with_titles(self, is_title: NDArray[np.bool_], tokens: Tokens) -> LearnedSpans:
        """Let names of people begin with the titles and initials before them, at most two."""
        words, people = tokens.words, np.flatnonzero(self.type == PERSON)
        is_initial = np.zeros(len(tokens), bool)
        before = np.unique(self.first[people][:, None] - np.arange(1, MAX_TITLES + 1))
        for place in before[before >= 0].tolist():
            # i. A. Weber is not A. Weber, and heading W. Dr Kessler not W. Dr Kessler
            is_letter = bool(INITIALS.fullmatch(words[place]))
            is_initial[place] = is_letter and not (place and words[place - 1] == ".")
        first, before = self.first.copy(), np.append(0, self.last[:-1])
        for _ in range(MAX_TITLES):
            begins = is_title[first - 1] | (is_initial[first - 1] & ~is_title[first])
            first = first - ((self.type == PERSON) & (first > before) & begins & (tokens.gap[first] <= 1))
        return LearnedSpans(first, self.last, self.type)

    def without_relatives(self, is_relative: NDArray[np.bool_], tokens: Tokens) -> LearnedSpans:
        """Let names of people begin behind what they are to somebody: my son Jonas is Jonas."""
        first = self.first.copy()
        for _ in range(MAX_RELATIVES):
            named = tokens.first[np.minimum(first + 1, len(tokens) - 1)] == UPPER
            first += (self.type == PERSON) & (self.last - first > 1) & is_relative[first] & named
        return LearnedSpans(first, self.last, self.type)

    def without_last_marks(self, tokens: Tokens) -> LearnedSpans:
        """Let no mention end in a mark of punctuation of its sentence."""
        last = self.last.copy()
        for _ in range(MAX_MARKS):
            last -= (last - self.first > 1) & np.isin(tokens.first[last - 1], (PERIOD, COMMA, COLON, TERMINAL))
        return LearnedSpans(self.first, last, self.type)

    def without_first_articles(self, tokens: Tokens, phrases: Phrases) -> LearnedSpans:
        """Let no mention begin with the article of its sentence: of names that have a capital, the grammar knows."""
        first = self.first.copy()
        longer = (self.type != PERSON) & (self.last - first > 1)
        for place in np.flatnonzero(longer).tolist():
            word = tokens.words[first[place]]
            if word.lower() not in ARTICLES:
                continue
            opens = self.type[place] == ORG and tokens.starts_sentence[first[place]]
            behind = opens and tokens.start[first[place] + 1] in phrases.start
            first[place] += word.islower() or bool(behind)
        return LearnedSpans(first, self.last, self.type)

    def with_whole_quotes(self, marks: NDArray[np.uint8]) -> LearnedSpans:
        """Let names that have one quotation mark end before it, or begin behind it."""
        quotes = marks == QUOTE
        counted = np.append(0, np.cumsum(quotes))
        odd = IS_NAMELIKE[self.type] & ((counted[self.last] - counted[self.first]) % 2 == 1)
        if not odd.any():
            return self
        places = np.append(np.flatnonzero(quotes), len(quotes))
        quote = places[np.searchsorted(places, self.first)]
        opens = odd & (quote == self.first)
        first = self.first + opens
        last = np.where(odd & ~opens, quote, self.last)
        return LearnedSpans(first, last, self.type).select(last > first)

    def joined_over_lines(self, tokens: Tokens) -> LearnedSpans:
        """Let the name of a person that is broken at the end of a full line be one."""
        if len(self.first) < 2:
            return self
        opens = self.first[1:]
        lines = np.append(0, np.flatnonzero(tokens.gap >= LINE_BREAK))
        line_start = lines[np.searchsorted(lines, self.last[:-1] - 1, side="right") - 1]
        width = tokens.end[self.last[:-1] - 1] - tokens.start[line_start]
        goes_on = (self.type[1:] == PERSON) & (self.type[:-1] == PERSON) & (opens == self.last[:-1])
        # In capitals within a sentence, a line need not be full: D.ª JOSEFA CAPDEVILA, and below ROIG, mayor de edad.
        words, behind = tokens.words, np.append(tokens.gap, LINE_BREAK)[self.last[1:]] < LINE_BREAK
        ends = zip((self.last[:-1] - 1).tolist(), opens.tolist(), strict=True)
        in_capitals = np.array([words[before].isupper() and words[after].isupper() for before, after in ends])
        is_torn = in_capitals & behind & (self.first[:-1] > line_start)
        goes_on &= (tokens.gap[opens] == LINE_BREAK) & ((width >= FULL_LINE) | is_torn)
        kept = np.append(True, ~goes_on)
        return LearnedSpans(self.first[kept], self.last[np.append(~goes_on, True)], self.type[kept])

    def with_surnames_ahead(self, tokens: Tokens) -> LearnedSpans:
        """Let given names begin with the surname before their comma where both fill a line or a cell: Berger, Ada."""
        places = np.flatnonzero((self.type == PERSON) & (self.first >= 2))
        comma, surname, behind = self.first[places] - 1, self.first[places] - 2, self.last[places]
        wide = np.append(tokens.start[1:] - tokens.end[:-1] >= CELL_GAP, True)
        breaks = np.append(wide | np.append(tokens.gap[1:] >= LINE_BREAK, True), True)
        fits = (tokens.first[comma] == COMMA) & (tokens.first[surname] == UPPER) & (tokens.gap[comma + 1] < LINE_BREAK)
        places = places[fits & breaks[surname - 1] & breaks[behind - 1]]
        first, last, kept = self.first.copy(), self.last.copy(), np.ones(len(self.first), bool)
        for place in places.tolist():
            before = place - 1
            if place and self.last[before] > self.first[place] - 2:  # the surname was seen by itself
                first[place], kept[before] = min(self.first[before], self.first[place] - 2), False
            else:
                first[place] -= 2
        return LearnedSpans(first, last, self.type).select(kept)

    def with_whole_deeds(
        self, inside: NDArray[np.float32], tokens: Tokens, is_verb: NDArray[np.bool_], is_small: NDArray[np.bool_]
    ) -> LearnedSpans:
        """Let what somebody did go on while it is likely told, also where no other mention is: to the last verb.

        Whether it is a description or something else that is told matters little: their chances are added up.
        """
        chance = inside[:, DEM] + inside[:, MISC]
        owner = np.repeat(np.arange(len(self.first)), self.last - self.first)
        covered = np.full(len(tokens) + 1, -1)
        covered[_tokens_of(self.first, self.last)] = owner
        last = self.last.copy()
        opens = tokens.starts_sentence | (tokens.gap >= SOFT_BREAK)
        is_long = np.isin(self.type, (DEM, MISC)) & (self.last - self.first > LEAST_STATEMENT)
        for place in np.flatnonzero(is_long).tolist():
            end = int(last[place])
            while end < len(tokens) and covered[end] < 0 and not opens[end] and chance[end] >= GOES_ON:
                end += 1
            while end > last[place] and is_small[end - 1] and not is_verb[end - 1]:
                end -= 1
            ends_verb = end + 1 >= len(tokens) or opens[end + 1] or tokens.first[end + 1] in CLOSING
            if end < len(tokens) and covered[end] < 0 and not opens[end] and is_verb[end] and ends_verb:
                end += 1  # den Jungen aus dem Eis gezogen hat
            last[place] = end
        return LearnedSpans(self.first, last, self.type)

    def with_house_numbers(self, tokens: Tokens) -> LearnedSpans:
        """Let a number directly before a place be of it: 44 Whirlow Rise is no age."""
        if len(self.first) < 2:
            return self
        is_number = np.isin(self.type, (DEM, QUANTITY, CODE)) & (self.last - self.first == 1)
        is_number &= tokens.first[self.first] == DIGIT
        joins = is_number[:-1] & (self.type[1:] == LOC) & (self.first[1:] == self.last[:-1])
        joins &= (tokens.gap[self.first[1:]] == 1) & (tokens.first[self.first[1:]] == UPPER)
        kept = np.append(True, ~joins)
        type = np.where(np.append(joins, False), LOC, self.type).astype(np.uint8)
        return LearnedSpans(self.first[kept], self.last[np.append(~joins, True)], type[kept])

    def with_registered_clubs(self, tokens: Tokens) -> LearnedSpans:
        """Let the name of a club go on to its legal form, whose points end no sentence: Ruderverein Velland e. V."""
        words, last = [*tokens.words, "", "", "", ""], self.last.copy()
        for place in np.flatnonzero(self.type == ORG).tolist():
            for at in range(max(0, int(last[place]) - 2), int(last[place]) + 1):
                if [*words[at : at + 2], words[at + 2][:1]] == ["e", ".", "V"]:
                    last[place] = min(at + 3, len(tokens))
        return LearnedSpans(self.first, last, self.type).select(self.first >= np.append(0, last[:-1]))

    def joined_to_titles(self, is_title: NDArray[np.bool_], tokens: Tokens) -> LearnedSpans:
        """Let what is nothing but a title belong to the name behind it; without one it is nobody."""
        is_title = is_title | (tokens.first != UPPER)  # Frau Dr. rer. nat.
        titled = np.append(0, np.cumsum(is_title))
        alone = (self.type == PERSON) & (titled[self.last] - titled[self.first] == self.last - self.first)
        alone &= (tokens.first[self.first] == UPPER) & (tokens.first[self.last - 1] != DIGIT)
        joins = alone[:-1] & (self.type[1:] == PERSON) & (self.first[1:] == self.last[:-1])
        joins &= tokens.gap[self.first[1:]] < LINE_BREAK
        first = np.where(np.append(False, joins), np.append(0, self.first[:-1]), self.first)
        return LearnedSpans(first, self.last, self.type).select(~alone)

    def without_last_particles(self, is_small: NDArray[np.bool_], tokens: Tokens) -> LearnedSpans:
        """Let no name end in an article or preposition: Comando Territorial de."""
        last = self.last.copy()
        for _ in range(MAX_MARKS):
            last -= (
                IS_NAMELIKE[self.type]
                & (last - self.first > 1)
                & is_small[last - 1]
                & (tokens.first[last - 1] != UPPER)
            )
        return LearnedSpans(self.first, last, self.type)

    def with_whole_brackets(self, marks: NDArray[np.uint8]) -> LearnedSpans:
        """Let mentions that have one bracket of a pair end before it, or begin behind it."""
        opened = (marks == OPENS).astype(np.int64) - (marks == CLOSES)
        depth = np.append(0, np.cumsum(opened))
        first, last = self.first.copy(), self.last.copy()
        for place in np.flatnonzero(depth[last] != depth[first]).tolist():
            odd = _unpaired_bracket(opened, int(first[place]), int(last[place]))
            if odd == first[place]:
                first[place] += 1
            else:
                last[place] = odd
        return LearnedSpans(first, last, self.type).select(last > first)

    @classmethod
    def from_labels(cls, labels: Labels, tokens: Tokens) -> LearnedSpans:
        """Return the mentions and names that labels say; none goes on in the next sentence, nor in the next column."""
        label = _with_names(labels)
        begins = label % 2 == 1
        breaks = tokens.starts_sentence.copy()
        opens_cell = np.append(False, tokens.start[1:] - tokens.end[:-1] >= COLUMN_GAP)[: len(breaks)]
        opens_cell &= tokens.gap < LINE_BREAK
        opens_line = np.flatnonzero(tokens.gap >= LINE_BREAK)
        line_before = np.append(0, opens_line)[np.searchsorted(opens_line, opens_line)]
        is_short = tokens.end[np.maximum(opens_line - 1, 0)] - tokens.start[line_before] < FULL_LINE
        ends_line = np.zeros(len(label), bool)
        ends_line[opens_line[is_short]] = True  # what is signed by somebody is no part of a name above it
        begins |= ends_line & (label != _OUTSIDE) & _IS_ONE_LINE[(label.astype(np.int64) - _FIRST_LABEL) // 2]
        begins |= opens_cell & (label != _OUTSIDE)
        begins |= breaks & (label != _OUTSIDE) & IS_NAMELIKE[(label.astype(np.int64) - _FIRST_LABEL) // 2]
        first = np.flatnonzero(begins)
        ends = np.append(np.flatnonzero((label == _OUTSIDE) | begins), len(label))
        last = ends[np.searchsorted(ends, first, side="right")]
        return cls(first, last, ((label[first].astype(np.int64) - _FIRST_LABEL) // 2).astype(np.uint8))


def _with_names(labels: Labels) -> NDArray[np.uint8]:
    """Return the labels of mentions, and of the names that touch none: they are names, whether they identify or not."""
    begins = np.flatnonzero(labels.name % 2 == 1)
    if not len(begins):
        return labels.label
    run = np.cumsum(labels.name % 2 == 1) - 1
    named = labels.name != _OUTSIDE
    touched = np.zeros(len(begins), bool)
    touched[run[named & (labels.label != _OUTSIDE)]] = True
    free = named & ~touched[np.maximum(run, 0)]
    return np.where(free, labels.name, labels.label)


def _unpaired_bracket(opened: Ints, begin: int, end: int) -> int:
    """Return the first bracket without its other one between two tokens, of which 1 opens one and -1 closes one."""
    places = list[int]()
    for place, kind in enumerate(opened[begin:end].tolist(), start=begin):
        if kind > 0:
            places.append(place)
        elif kind < 0 and not places:
            return place
        elif kind < 0:
            places.pop()
    return places[0] if places else end


def _tokens_of(first: Ints, last: Ints) -> Ints:
    """Return the tokens of spans, one span after the other."""
    size = last - first
    tokens: Ints = np.repeat(first - np.append(0, np.cumsum(size)[:-1]), size) + np.arange(size.sum())
    return tokens


def find_relatives(tokens: Tokens, flags: Ints) -> NDArray[np.bool_]:
    """Return which words say who somebody is to whom: Sister Ann is no sister, and Señora Nieto no grandchild.

    With a capital, they may be titles and names, unless they are somebody's: seine Frau Marta.
    """
    relatives: NDArray[np.bool_] = has_cue(flags, Cue.KIN)
    for place in np.flatnonzero(relatives & (tokens.first != LOWER)).tolist():
        before = tokens.words[place - 1] if place else ""
        relatives[place] = before.lower() in POSSESSIVES or (before.islower() and tokens.words[place] in GERMAN_KIN)
    return relatives


def find_mentions_in_labels(
    labels: Labels, tokens: Tokens, flags: Ints, phrases: Phrases, is_kin: NDArray[np.bool_],
    is_verb: NDArray[np.bool_],
) -> LearnedSpans:  # fmt: skip
    """Return the mentions that labels say, each from where it begins to where it ends for a reader."""
    spans = (
        LearnedSpans.from_labels(labels, tokens)
        .joined_over_lines(tokens)
        .with_whole_quotes(labels.mark)
        .with_whole_brackets(labels.mark)
    )
    is_title = has_cue(flags, Cue.TITLE) & ~is_kin
    is_short = tokens.end - tokens.start <= LONGEST_PARTICLE
    small = has_cue(flags, Cue.STOP | Cue.DETERMINER | Cue.CONNECTOR) | (is_short & (tokens.first == LOWER))
    if len(spans.first):
        title_alone = is_title & ~has_cue(flags, Cue.SURNAME | Cue.GIVEN_NAME)
        spans = (
            spans.with_whole_deeds(labels.inside, tokens, is_verb, small)
            .with_registered_clubs(tokens)
            .with_surnames_ahead(tokens)
            .joined_to_titles(title_alone, tokens)
            .with_house_numbers(tokens)
        )
    relatives = is_kin | (has_cue(flags, Cue.DETERMINER | Cue.PRONOUN) & ~is_title)
    return (
        spans.without_last_particles(small, tokens)
        .without_last_marks(tokens)
        .without_relatives(relatives, tokens)
        .with_titles(is_title, tokens)
        .without_first_articles(tokens, phrases)
    )
