"""Find the phrases of a text: minimal useful units to mask, with exact offsets."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from embanon.language import PERSON_CUES, Cue, has_trait
from embanon.text.grammar import (
    COMMON_PATTERN,
    LINED_PATTERN,
    NAME_PATTERN,
    TITLE_PATTERN,
    PhraseSpans,
    compile_grammar,
    is_in,
)
from embanon.text.joins import CorpusStatistics
from embanon.text.tokens import IDEOGRAPH, LETTER, UPPER, TokenFeatures, Tokens

_HEAD_CUES: Final = int(
    Cue.WORK_HEAD | Cue.AWARD_HEAD | Cue.EVENT_HEAD | Cue.ORG_HEAD | Cue.ORG_SUFFIX | Cue.PLACE_HEAD | Cue.HEALTH
)
"""What a name before it belongs to: the `Harry Potter film`, `Gujarat riots`."""
MAX_ABBREVIATED_WEEKDAY: Final = 4
"""Characters of a weekday that may be part of a name: Si Thu Aung, but not Tom Smith Monday."""
_FUNCTION_CUES: Final = int(Cue.STOP | Cue.DETERMINER | Cue.PRONOUN | Cue.CONNECTOR | Cue.PARTICLE)
_NAME_CUES: Final = int(Cue.GIVEN_NAME | Cue.SURNAME | Cue.CITY | Cue.COUNTRY | Cue.REGION | Cue.CONTINENT)


def _neighbor_values(values: NDArray[Any], by: int, gap: NDArray[np.int8], fill: int) -> NDArray[Any]:
    result = np.full_like(values, fill)
    step = abs(by)
    if step >= len(values):
        return result
    inside = gap < 3  # no line ends before this token
    joined = np.ones(len(values) - step, dtype=bool)
    for offset in range(1, step + 1):
        joined &= inside[offset : len(values) - step + offset]
    near, far = (slice(None, -step), slice(step, None)) if by > 0 else (slice(step, None), slice(None, -step))
    result[near] = np.where(joined, values[far], result[near])
    return result


@dataclass(slots=True)
class _SymbolColumns:
    """The columns that symbols are made from; `symbols` changes on the way."""

    symbols: NDArray[np.uint8]
    flags: NDArray[np.int64]
    words: list[str] = field(repr=False)
    first: NDArray[np.uint8]
    gap: NDArray[np.int8]
    starts_sentence: NDArray[np.bool_]
    is_capitalized: NDArray[np.bool_]
    symbol_by_tag: NDArray[np.uint8]
    size: NDArray[np.int32]
    opens_sentence: NDArray[np.bool_]
    """The first word of a sentence, behind a quote or bracket as well."""
    in_capitals: NDArray[np.bool_]
    """In a sentence in capitals, where capitals say nothing."""
    lacks_capitals: NDArray[np.bool_]
    """In a sentence without any capital."""

    def neighbor(self, values: NDArray[Any], by: int, fill: int = 0) -> NDArray[Any]:
        """Return each token the value of its neighbor at `by`, or `fill` where a line ends between them."""
        return _neighbor_values(values, by, self.gap, fill)

    @classmethod
    def build(cls, tokens: Tokens, features: TokenFeatures, by_tag: NDArray[np.uint8]) -> _SymbolColumns:
        """Gather the columns."""
        symbols: NDArray[np.uint8] = features.per_token("facts", "symbol")
        capital = tokens.first == UPPER
        opens = tokens.starts_sentence & is_in(symbols, '"`(-~!')
        begins = tokens.starts_sentence | _neighbor_values(opens, -1, tokens.gap, 0)
        alphabetic = is_in(symbols, "wfapdTvDMWtuyrj")
        starts = np.flatnonzero(tokens.starts_sentence)
        which = np.cumsum(tokens.starts_sentence) - 1

        def count(mask: NDArray[np.bool_]) -> NDArray[np.int64]:
            every: NDArray[np.int64] = np.add.reduceat((mask & alphabetic).astype(np.int64), starts)[which]
            return every

        shouted = count(features.per_token("facts", "upper")) * 10 > count(alphabetic) * 7
        return cls(
            symbols, features.per_token("facts", "flags"), tokens.words, tokens.first, tokens.gap,
            tokens.starts_sentence, capital, by_tag, tokens.end - tokens.start, begins, shouted, count(capital) == 0,
        )  # fmt: skip

    def classify_marks(self) -> None:
        """Distinguish opening quotes from closing ones, and hyphens from dashes."""
        symbols, gap, gap_after = self.symbols, self.gap, self.neighbor(self.gap, 1, 1)
        quote, tight = is_in(symbols, '"`'), gap_after == 0
        opens = (tight & ((gap > 0) | is_in(self.neighbor(symbols, -1), "(-~{"))) | self.starts_sentence
        single = is_in(symbols, "`") | (is_in(symbols, "'") & (gap > 0) & tight)
        symbols[quote] = np.where(opens[quote], ord("{"), ord("}"))
        symbols[single] = ord("<")
        symbols[is_in(symbols, "-") & ((gap > 0) | ~tight)] = ord("~")

    def classify_titles(self) -> None:
        """Distinguish titles before names from roles that stand alone or belong to an office."""
        symbols, flags = self.symbols, self.flags
        title, next_symbol, next_flags = (is_in(symbols, "T"), self.neighbor(symbols, 1, 10), self.neighbor(flags, 1))
        # Sra. de la Cruz
        follows = is_in(next_symbol, "PgTvQ") | (is_in(next_symbol, "f") & (flags & int(Cue.ROLE) == 0))
        symbols[title & ~follows & (self.opens_sentence | ~self.is_capitalized)] = ord("N")
        symbols[title & ~follows & ~self.opens_sentence & self.is_capitalized] = ord("B")
        role = flags & int(Cue.ROLE) > 0
        symbols[(symbols == ord("P")) & role & (flags & _NAME_CUES == 0)] = ord("B")
        # President Enrique Peña Nieto: the role is a unit of its own, as Mr or King are not.
        office = title & role & (flags & int(Cue.SURNAME | Cue.ABBREVIATION) == 0)
        before_name = is_in(next_symbol, "Pg") & (next_flags & int(Cue.GIVEN_NAME | Cue.SURNAME) > 0)
        office &= ~is_in(self.neighbor(symbols, -1, 10), "T")  # Mr Justice Potts
        symbols[office & before_name] = ord("R")
        symbols[office & is_in(self.neighbor(symbols, 1, 10), "R")] = ord("R")


@dataclass(frozen=True, slots=True)
class PhraseCutter:
    """Cut tagged tokens of one language into phrases."""

    language: str
    tags: tuple[str, ...]
    grammar: re.Pattern[bytes] = field(repr=False)
    tag_symbols: NDArray[np.uint8] = field(repr=False)
    is_function_tag: NDArray[np.bool_] = field(repr=False)

    @classmethod
    def for_language(cls, language: str, tags: tuple[str, ...]) -> PhraseCutter:
        """Prepare for a language and the tag set of its tagger."""
        names = {"NOUN": "N", "PROPN": "P", "ADJ": "A", "VERB": "V", "NUM": "n", "ADP": "p", "DET": "d"}
        symbols = [ord(names.get(tag.split("+")[0], "w")) for tag in tags]
        function = [tag.split("+")[0] in {"DET", "ADP", "CCONJ", "SCONJ", "PRON", "AUX", "PART"} for tag in tags]
        return cls(language, tags, compile_grammar(language), np.array(symbols, np.uint8), np.array(function))

    def assign_symbols(
        self, tokens: Tokens, features: TokenFeatures, tags: NDArray[np.uint8], statistics: CorpusStatistics
    ) -> NDArray[np.uint8]:
        """Return each token its symbol."""
        line = _SymbolColumns.build(tokens, features, self.tag_symbols[tags])
        line.classify_marks()
        self._drop_weak_cues(line, tags)
        self._mark_proper_names(line, self.is_function_tag[tags], statistics)
        line.classify_titles()
        return line.symbols

    def _drop_weak_cues(self, line: _SymbolColumns, tags: NDArray[np.uint8]) -> None:
        """Make words ordinary whose cue needs a context that they do not have."""
        symbols, capital = line.symbols, line.is_capitalized
        before, after = line.neighbor(symbols, -1, 10), line.neighbor(symbols, 1, 10)
        numeric_before = is_in(before, "0349nmE-$/")
        unit_before = is_in(before, "u") | (is_in(before, ".") & is_in(line.neighbor(symbols, -2, 10), "u"))
        weak = is_in(symbols, "tu") & ~numeric_before & ~(is_in(symbols, "t") & is_in(after, "4"))
        weak &= ~(is_in(symbols, "u") & unit_before)  # sq. m
        weak |= is_in(symbols, "$") & ~is_in(before, "0349nmfD$(") & ~is_in(after, "0349nm")
        weak |= is_in(symbols, "y") & ~(numeric_before | is_in(before, "t")) & ~is_in(after, "0349nmfp")
        opened = is_in(after, "(") & is_in(line.neighbor(symbols, 2, 10), "03knx")
        weak |= is_in(symbols, "r") & ~(is_in(after, "0349k#rnx") | opened)
        weak |= is_in(symbols, "i") & ~is_in(after, "SE4cMo-3")
        weak |= is_in(symbols, "#") & ~is_in(after, "0349k.")
        weak |= is_in(symbols, "m") & ~is_in(before, "0349nm$-")
        weak |= is_in(symbols, "M") & self._has_tag(tags, "AUX", "VERB") & ~is_in(after, "34,f")
        weak |= is_in(symbols, "Sh") & self._has_tag(tags, "VERB", "ADJ", "ADV")
        weak |= is_in(symbols, "n") & self._has_tag(tags, "PRON", "DET") & ~capital
        weak |= is_in(symbols, "x") & ~is_in(before, "wP,")
        weak |= is_in(symbols, "D") & self._has_tag(tags, "VERB", "ADV")
        # Inside names: Fantastic Four, Part II, Fourth Section; Theresa May; Leslie Lynch King.
        inside = capital & ~line.opens_sentence
        name_before = line.neighbor(inside, -1) & (line.gap == 1)
        named = inside & (name_before | (line.neighbor(capital, 1) & (line.neighbor(line.gap, 1, 1) == 1)))
        weak |= is_in(symbols, "SnorhtcE") & named & ~is_in(after, "4(0c")
        behind = inside & name_before & is_in(before, "wgP")
        short = line.size <= MAX_ABBREVIATED_WEEKDAY
        weak |= (is_in(symbols, "M") | (is_in(symbols, "W") & short)) & behind & ~is_in(after, "34,f(")
        # Rio de Janeiro, whatever month that is.
        weak |= is_in(symbols, "M") & inside & is_in(before, "f") & is_in(line.neighbor(symbols, -2, 10), "wgP")
        surname = line.flags & int(Cue.SURNAME) > 0
        weak |= is_in(symbols, "T") & behind & surname
        weak |= is_in(symbols, "D") & (behind | (inside & is_in(before, "}"))) & surname
        symbols[weak] = ord("w")

    def _mark_proper_names(
        self, line: _SymbolColumns, function: NDArray[np.bool_], statistics: CorpusStatistics
    ) -> None:
        """Mark proper names by their capitals, where these are reliable, and other words by their tags."""
        symbols, capital, flags, begins = line.symbols, line.is_capitalized, line.flags, line.opens_sentence
        word, initial = is_in(symbols, "w"), is_in(symbols, "I")
        person = flags & int(Cue.HEALTH | Cue.ROLE | Cue.KIN) > 0
        noun = (line.symbol_by_tag == ord("V")) & person & is_in(line.neighbor(symbols, -1, 10), "dpfA")
        # An actor, comedian, and writer: a role with no noun behind it is no adjective.
        if not has_trait(self.language, "adjectives_follow"):
            noun |= (line.symbol_by_tag == ord("A")) & person & ~is_in(line.neighbor(line.symbol_by_tag, 1), "NPA")
        by_tag = np.where(noun, np.uint8(ord("N")), line.symbol_by_tag)
        tagged = by_tag == ord("P")
        symbols[word] = by_tag[word]
        named = flags & _NAME_CUES > 0
        function = function & (flags & _FUNCTION_CUES > 0)  # an unknown word is none, whatever its tag
        if has_trait(self.language, "capitalized_nouns"):
            # Nouns have capitals, so that an adjective with one is part of a name: Deutsche Bank.
            adjective = (is_in(symbols, "D") | (word & (by_tag == ord("A")))) & capital & ~begins
            adjective &= line.neighbor(word & capital & (line.gap == 1), 1)
            proper = (word & capital & (tagged | line.neighbor(adjective, -1))) | adjective
            # A capital inside a sentence is a noun's or a name's; a noun is tagged as one, or known as a name.
            noun = is_in(by_tag, "N")
            known = (flags & PERSON_CUES > 0) & (flags & int(Cue.AMBIGUOUS) == 0)
            proper |= word & capital & ~begins & ~function & (~noun | known)
            # The last name behind a role (des Abgeordneten Özdemir) or a particle (Ursula von der Leyen).
            role = line.neighbor(person & capital & noun & word, -1) & (line.gap == 1)
            proper |= word & capital & noun & role & ~begins
            first = line.neighbor(proper & (flags & int(Cue.GIVEN_NAME) > 0), -1) & (line.gap == 1)
            proper |= word & capital & noun & first
            name = line.neighbor(proper, -2) & is_in(line.neighbor(symbols, -1), "fv")
            name |= (
                line.neighbor(proper, -3)
                & is_in(line.neighbor(symbols, -2), "fv")
                & is_in(line.neighbor(symbols, -1), "d")
            )
            proper |= word & capital & name
        else:
            function = function & ~named
            common = begins & ~tagged & ~(named & (flags & int(Cue.AMBIGUOUS | Cue.STOP) == 0))
            proper = word & capital & ~function & ~common
            small = (word & function | is_in(symbols, "fapd")) & capital & ~begins & ~line.in_capitals
            symbols[small] = ord("Q")
            proper |= small & (line.neighbor(symbols, 1) == ord("-"))  # All-American, The In-Laws
        proper |= (line.first == IDEOGRAPH) | (line.first == LETTER)  # another script is a name here
        # Where nouns have capitals, they tell no names.
        if statistics.capitalized_share and not has_trait(self.language, "capitalized_nouns"):
            self._decide_sentence_starts(line, begins & word & capital & ~function, proper, statistics)  # I is no name
        loud = tagged | ((by_tag == ord("A")) & line.neighbor(tagged & word, 1))  # NEW YORK
        proper = np.where(line.in_capitals, word & loud, proper) | (line.lacks_capitals & tagged & word)
        # What announces a number or stands before a colon is a label, not a name: E-mail: …, DNI 12345678.
        # So is a word without a name's cue behind a person's: John Smith DOB: 12/03/1980.
        next_symbol = line.neighbor(symbols, 1, 10)
        label = (flags & int(Cue.CODE_HEAD) > 0) & is_in(next_symbol, ":#0349k")
        label |= is_in(next_symbol, ":") & line.neighbor(flags & PERSON_CUES > 0, -1) & (flags & _NAME_CUES == 0)
        proper &= ~label
        symbols[word & (symbols == ord("P"))] = ord("N")
        symbols[proper | initial] = ord("P")
        given = (flags & int(Cue.GIVEN_NAME) > 0) & (flags & int(Cue.ORG_HEAD | Cue.MAJOR | Cue.COUNTRY) == 0)
        symbols[proper & given] = ord("g")
        symbols[(symbols == ord("N")) & (flags & _HEAD_CUES > 0)] = ord("G")

    def _has_tag(self, tags: NDArray[np.uint8], *names: str) -> NDArray[np.bool_]:
        return np.isin(tags, [number for number, tag in enumerate(self.tags) if tag.split("+")[0] in names])

    @staticmethod
    def _decide_sentence_starts(
        line: _SymbolColumns, places: NDArray[np.bool_], proper: NDArray[np.bool_], statistics: CorpusStatistics
    ) -> None:
        """Decide by the corpus which words that start a sentence are proper (changes `proper`)."""
        words, capital = line.words, statistics.capitalized_share
        for place in np.flatnonzero(places).tolist():
            ratio = capital.get(words[place].lower())
            if ratio is not None:
                proper[place] = ratio >= 0.5

    def cut(self, tokens: Tokens, symbols: NDArray[np.uint8]) -> PhraseSpans:
        """Match the grammar."""
        breaks = tokens.starts_sentence | (tokens.gap >= 3)
        places = np.arange(len(tokens)) + np.cumsum(breaks)
        line = np.full(len(tokens) + int(breaks.sum()) + 1, ord("|"), dtype=np.uint8)
        line[places[tokens.gap >= 3] - 1] = ord("\n")
        line[places] = symbols
        owner = np.full(len(line) + 1, len(tokens), dtype=np.int64)
        owner[places] = np.arange(len(tokens))
        spans = [(m.start(), m.end(), m.lastindex) for m in self.grammar.finditer(line.tobytes())]
        if not spans:
            none = np.zeros(0, dtype=np.int64)
            return PhraseSpans(none, none, none.astype(np.uint8), symbols)
        start, end, pattern = np.array(spans, dtype=np.int64).T
        wanted = pattern - 1 != LINED_PATTERN  # the number of a line or paragraph is no phrase
        start, end, pattern = start[wanted], end[wanted], pattern[wanted]
        quoted = pattern - 1 == TITLE_PATTERN  # the quotes stay outside
        return PhraseSpans(owner[start] + quoted, owner[end - 1] + 1 - quoted, (pattern - 1).astype(np.uint8), symbols)


_HEAD_END: Final = re.compile(rb"[f(]")
_ROMANCE_HEAD: Final = re.compile(rb"[NGPg]")


def head_spans(cut: PhraseSpans, *, romance: bool) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first and the past-the-last token of each phrase's head.

    It is the last word, or the one before an `of` or a bracket; in Romance common phrases the first noun.
    """
    last = cut.last.copy()
    line = cut.symbols.tobytes()
    composed = np.flatnonzero(np.isin(cut.pattern, (NAME_PATTERN, COMMON_PATTERN)) & (cut.last - cut.first > 1))
    spans = zip(composed.tolist(), cut.first[composed].tolist(), last[composed].tolist(), strict=True)
    for number, start, end in spans:
        if romance and cut.pattern[number] == COMMON_PATTERN:
            match = _ROMANCE_HEAD.search(line, start, end)
            last[number] = match.end() if match else end
        elif (match := _HEAD_END.search(line, start + 1, end)) is not None:
            last[number] = match.start()
    return last - 1, last
