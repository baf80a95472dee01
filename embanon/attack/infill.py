"""Guess the original behind a replacement: from a model's phrases, public text, taxonomies and the context.

What can have stood there is a phrase of the same type below the label that stands there now, or any of the type
where a tag or a mark says no more. The likeliest is the one in most documents whose vector is nearest to the words
around, mixed with the one that public text about whom the text is likely about has most often. What neither has is
never guessed.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

import numpy as np

from embanon.attack.clues import TextAttacker, blank_placeholders
from embanon.attack.intervals import IntervalEstimate, estimate_ratio
from embanon.attack.learners import unit_vectors, weighted_vectors
from embanon.document import FORMS, Phrase
from embanon.errors import InputError
from embanon.language import Lemmatizer, key
from embanon.linkage import Floats, Ints, count_words, posterior, sum_by_index
from embanon.model import Model
from embanon.replace import (
    DEFINITE_ARTICLE,
    INDEFINITE_ARTICLE,
    SUPPRESSION_MARK,
    Solution,
    placeholder_pattern,
    strip_number,
)
from embanon.taxonomy import Climber

MOST: Final = 50_000
"""Phrases of a model that are guesses, the most frequent."""
AROUND: Final = 80
"""Characters before and after a gap that are looked at."""
NEARNESS_WEIGHT: Final = 0.5
"""By how much e-fold a phrase is likelier whose vector is one standard deviation nearer."""
BACKGROUND_WEIGHT: Final = 0.5
"""By how much public text says what is likely, where there is some."""
SCORE_TEMPERATURE: Final = 0.01
"""The temperature at which scores of TF-IDF say whom a text is about."""
NAME_FORMS: Final = frozenset(("name", "title"))
INSIDE: Final = re.compile(r"(.+?) in (.+)")
BEFORE: Final = re.compile(r"^(?:in|on|at|from|of|during|by|em|en|im|am) ")
PERSON, OTHER = "PERSON", "MISC"

PhraseClassifier = Callable[[Sequence[str]], Iterable[Phrase | None]]
"""Says of phrases that stand alone what each is; `None` where that is several things."""


@dataclass(frozen=True, slots=True, eq=False)
class BackgroundPhrases:
    """What public text about candidates has: who scores them for a text, by TF-IDF, and each one's phrases."""

    reader: TextAttacker = field(repr=False)
    phrases: Iterable[Iterable[tuple[str, Phrase]]] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Gap:
    """A replacement: its place in the anonymized text, its type, and the original."""

    start: int
    end: int
    type: str
    original: str = field(repr=False)


def gaps_from_solutions(text: str, solutions: Iterable[Solution], id: str) -> list[Gap]:
    """Return the replacements of a text as its table of solutions has them; what was kept as it was is none."""
    gaps = []
    for solution in sorted(solutions, key=lambda one: one.at):
        if text[solution.at : solution.to] != solution.replacement:
            raise InputError(f"{id}: has changed since its table of solutions was written, at {solution.at}; give the "
                             "text as it was")  # fmt: skip
        if solution.original != solution.replacement:
            gaps.append(Gap(solution.at, solution.to, solution.type, solution.original))
    return gaps


def gaps_from_edits(text: str, original: str, edits: Any, id: str) -> list[Gap]:
    """Return the replacements of a text as the edits that came along have them."""
    gaps, shift = [], 0
    for edit in edits if isinstance(edits, list) else ():
        match edit:
            case {"start": int(start), "end": int(end), "replacement": str(replacement), "type": str(type)}:
                at, stood = start + shift, original[start:end]
                to = at + len(replacement)
                if not 0 <= at <= to <= len(text) or text[at:to] != replacement or not 0 <= start <= end:
                    raise InputError(f"{id}: its edits do not fit its text and its original, at {start}; give those "
                                     "that belong together")  # fmt: skip
                shift += len(replacement) - (end - start)
                gaps += [Gap(at, to, type, stood)] if stood != replacement else []
            case _:
                raise InputError(
                    f"{id}: an edit has start, end, replacement and type, as `embanon anonymize` writes it"
                )
    return gaps


@dataclass(frozen=True, slots=True)
class GuessResult:
    """The place of the original among the guesses, from 1; `None` where it is no guess at all."""

    type: str
    rank: int | None
    is_most_frequent: bool
    """Whether the most frequent phrase of the type would have been right."""
    guesses: int


@dataclass(frozen=True, slots=True)
class InfillSummary:
    """How many originals of a type are guessed; bounds over documents."""

    type: str
    gaps: int
    guessable: float
    """The share of originals that are among the guesses at all."""
    top_1: IntervalEstimate
    top_n: IntervalEstimate
    most_frequent_share: float
    """The share that the most frequent phrase of the type is."""
    top: int

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name."""
        return {
            "type": self.type, "gaps": self.gaps, "guessable": round(self.guessable, 4), "top_1": self.top_1.to_dict(),
            f"top_{self.top}": self.top_n.to_dict(), "most_frequent": round(self.most_frequent_share, 4),
        }  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class InfillAttacker:
    """The phrases that may have stood somewhere, by type and by what is true of them."""

    model: Model
    language: str
    keys: tuple[str, ...] = field(repr=False)
    numbers: Mapping[str, int] = field(repr=False)
    """Key -> its place among the keys."""
    log_frequencies: Floats = field(repr=False)
    """The logarithm of the documents that have each."""
    vectors: Floats = field(repr=False)
    types: Mapping[str, Ints] = field(repr=False)
    below: Mapping[tuple[str, str], Ints] = field(repr=False)
    """Type and label -> the phrases below it."""
    near: float = NEARNESS_WEIGHT
    background_counts: Callable[[str], Floats] | None = field(default=None, repr=False)
    """Counts how often each phrase occurs in public text about the likely candidates."""

    @classmethod
    def from_model(
        cls, model: Model, climber: Climber, typed: PhraseClassifier, background: BackgroundPhrases | None = None
    ) -> InfillAttacker:
        """Find out what the phrases of a model and of public text are, and climb from each."""
        documents = model.phrases.documents.astype(np.int64)
        order = np.argsort(-documents, kind="stable")[:MOST]
        keys = model.phrases.keys.texts(order)
        numbers = {one: place for place, one in enumerate(keys)}
        written = [_capitalize_name(one, named) for one, named in zip(keys, _is_named(model, order), strict=True)]
        people = (2 * model.phrases.persons[order].astype(np.int64) > model.phrases.counts[order]).tolist()
        types, below = defaultdict[str, dict[int, None]](dict), defaultdict[tuple[str, str], list[int]](list)

        def enter(place: int, type: str, label: str, phrase: Phrase | None) -> None:
            types[type][place] = None
            if phrase is not None and type != PERSON:
                rungs = climber.climb(label, type, phrase.kind, phrase.form).rungs
                for implied in {_normalized_label(rung.label, climber.language) for rung in rungs if not rung.is_bare}:
                    below[type, implied].append(place)

        for place, (phrase, person, label) in enumerate(zip(typed(written), people, written, strict=True)):
            if phrase is None and not person:
                continue
            enter(place, PERSON if person else OTHER if phrase is None or phrase.type == PERSON else phrase.type,
                  label, phrase)  # fmt: skip
        times = Counter[tuple[int, int]]()
        for candidate, labeled in enumerate(background.phrases if background else ()):
            for label, phrase in labeled:
                place = numbers.setdefault(_without_article(label), len(numbers))
                if place == len(keys):
                    keys.append(_without_article(label))
                if place not in types[phrase.type]:  # alone, a name may have been of no type
                    enter(place, phrase.type, label, phrase)
                times[candidate, place] += 1
        of_type = {of: np.array(list(some), np.int64) for of, some in types.items()}
        of_label = {of: np.array(some, np.int64) for of, some in below.items()}
        known = np.append(order, model.phrases.keys.find(keys[len(order) :]))
        seen = np.log(np.where(known < 0, 0, documents[known]) + 0.5)
        rows = np.nan_to_num(unit_vectors(model.phrases.vectors.rows(known)))
        says = _background_counter(background.reader, times, len(keys)) if background else None
        return cls(model, climber.language, tuple(keys), numbers, seen, rows, of_type, of_label, background_counts=says)

    def guess(self, text: str, gap: Gap, top: int) -> tuple[list[str], int]:
        """Return the likeliest phrases for a gap, and of how many they are."""
        places = self._possible_phrases(text[gap.start : gap.end], gap.type)
        if not len(places):
            return [], 0
        order = np.argsort(-self._likelihoods(text, gap, places), kind="stable")[:top]
        return [self.keys[place] for place in places[order].tolist()], len(places)

    def rank_original(self, text: str, gap: Gap) -> GuessResult:
        """Return the rank of the original among the guesses."""
        places, wanted = self._possible_phrases(text[gap.start : gap.end], gap.type), _without_article(gap.original)
        every = self.types.get(gap.type, np.zeros(0, np.int64))
        usual = bool(len(every)) and self.keys[int(every[0])] == wanted  # phrases are in order of their documents
        matches = np.flatnonzero(places == self.numbers.get(wanted, -1))
        if not len(matches):
            return GuessResult(gap.type, None, usual, len(places))
        position = int(matches[0])
        likely = self._likelihoods(text, gap, places)
        rank = 1 + int((likely > likely[position]).sum() + (likely[:position] == likely[position]).sum())
        return GuessResult(gap.type, rank, usual, len(places))

    def _possible_phrases(self, replacement: str, type: str) -> Ints:
        """Return the phrases that a replacement may stand for: those below its label, else all of the type."""
        label = strip_number(replacement)
        if label == SUPPRESSION_MARK:  # which does not even say the type
            return np.arange(len(self.keys))
        every = self.types.get(type, np.zeros(0, np.int64))
        if placeholder_pattern().fullmatch(replacement.strip()):
            return every
        bare = _normalized_label(label, self.language)
        narrowed = self.below.get((type, bare))
        if narrowed is None and (inside := INSIDE.fullmatch(bare)):
            both = [self.below.get((type, _normalized_label(part, self.language))) for part in inside.groups()]
            known = [one for one in both if one is not None]
            narrowed = np.intersect1d(known[0], known[1]) if len(known) == 2 else known[0] if known else None
        return every if narrowed is None or not len(narrowed) else narrowed

    def _likelihoods(self, text: str, gap: Gap, places: Ints) -> Floats:
        """Weigh phrases by their documents and how near they are to the words around, and by public text."""
        around = f"{text[max(0, gap.start - AROUND) : gap.start]} {text[gap.end : gap.end + AROUND]}"
        _, rows = weighted_vectors(self.model, count_words(blank_placeholders(around)))
        nearness = self.vectors[places] @ unit_vectors(rows.sum(axis=0))
        spread = float(nearness.std())
        likely = self.log_frequencies[places] + (self.near * (nearness - nearness.mean()) / spread if spread else 0.0)
        if self.background_counts is None:
            return np.asarray(likely, np.float64)
        mentioned = self.background_counts(text)[places]
        return np.asarray(
            (1 - BACKGROUND_WEIGHT) * posterior(likely, 1.0) + BACKGROUND_WEIGHT * mentioned / (mentioned.sum() or 1.0),
            np.float64,
        )


def _background_counter(
    reader: TextAttacker, times: Mapping[tuple[int, int], int], size: int
) -> Callable[[str], Floats]:
    """Return how often phrases occur in the text about each candidate, weighted by the candidate's probability."""
    candidates, places = np.array(list(times), np.int64).reshape(-1, 2).T
    counts = np.array(list(times.values()), np.float64)

    @lru_cache(maxsize=1)  # all gaps of a text ask the same
    def telling(text: str) -> Floats:
        return sum_by_index(places, counts * posterior(reader.scores(text), SCORE_TEMPERATURE)[candidates], size)

    return telling


def attack_gaps(
    infill: InfillAttacker, documents: Sequence[tuple[str, Sequence[Gap]]], top: int
) -> tuple[InfillSummary, ...]:
    """Guess the originals of documents, and count by type, the last row all types, those that are guessed."""
    results = [[infill.rank_original(text, gap) for gap in gaps] for text, gaps in documents]
    types = sorted({one.type for some in results for one in some})
    rows = []
    for type in (*types, "all") if types else ():
        here = [[one for one in some if type in (one.type, "all")] for some in results]
        every, cases = [one for some in here for one in some], np.array([len(some) for some in here])
        first, among = (
            estimate_ratio(
                np.array([sum(one.rank is not None and one.rank <= most for one in some) for some in here]), cases
            )
            for most in (1, top)
        )
        known, usual = (sum(some) / len(every) for some in ([one.rank is not None for one in every],
                                                            [one.is_most_frequent for one in every]))  # fmt: skip
        rows.append(InfillSummary(type, len(every), known, first, among, usual, top))
    return tuple(rows)


def _is_named(model: Model, places: Ints) -> list[bool]:
    forms = model.phrases.forms
    return [False] * len(places) if forms is None else [FORMS[form] in NAME_FORMS for form in forms[places].tolist()]


def _capitalize_name(written: str, named: bool) -> str:
    """Write the key of a name as a name."""
    return " ".join(word[:1].upper() + word[1:] for word in written.split()) if named else written


def _without_article(original: str) -> str:
    """Return the key of an original without its article."""
    return DEFINITE_ARTICLE.sub("", INDEFINITE_ARTICLE.sub("", key(original), count=1), count=1)


def _normalized_label(label: str, language: str) -> str:
    """Return a label without article and preposition, its last word as a dictionary has it."""
    plain = _without_article(BEFORE.sub("", key(label)))
    *first, last = plain.split() or [""]
    return " ".join((*first, Lemmatizer.load(language).lemma(last)))
