"""Measure the anonymizer on documents as people write them: `python -m eval.letters --data ../shared/data`.

Forty-eight invented letters in four languages with gold. *direct*, *quasi*: entities all of whose mentions are
masked; *keep*: harmless quotes that stay whole; P, R and F1 of words, *kept*: words that stay, all without the words of
mentions that identify somebody else (OTHER); *bare*: replacements that say nothing (whatever stands in brackets,
*something*, `***`);
*said*: of those of quasi-identifiers, the share that annotators offered. *worst* is each measure's worst language.

Floors, on the same texts: every noun phrase; proper nouns and numbers, as they are tagged; as many words as embanon
masks at standard, those with the largest inverse document frequency. Peers that are installed run on the English
letters; they do not know whom to protect.

*Calibration*: how far risks are from the share of phrases that identify, expected over ten bins of equal width. A
phrase identifies if more than half of its characters do, directly or not; one that touches an OTHER mention is left
out. The floor gives all the same risk: the limit of standard.

*Names*: where a form of a protected name is left in what identifies directly, in a person's name or a code; the
letters that have one, and those of them where nothing warns of it. *Who*: the share of letters about one person where
`embanon entities` proposes that person first, and among the first three.
"""

from __future__ import annotations

import io
import json
import re
import sys
import warnings
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from embanon.anonymizer import Anonymized, Anonymizer, load
from embanon.cli.main import main as run_command
from embanon.config.settings import PRESETS
from embanon.document import Document
from embanon.entities.entity import Entity, distinctive_words
from embanon.entities.folding import fold_text
from embanon.entities.mentions import MIN_EMBEDDED_LENGTH
from embanon.entities.protected import parse_protected
from embanon.errors import ProtectedNameWarning
from embanon.language.normalize import key
from embanon.measure.annotations import DIRECT, QUASI, DocumentPair, GoldDocument, MaskedDocument, Mention
from embanon.measure.baselines import EVERY_NOUN_PHRASE, RAREST, mask_by_rules
from embanon.measure.metrics.share import Scores, share_columns
from embanon.measure.metrics.spans import (
    Flags,
    count_flagged,
    fully_masked,
    mark_characters,
    overlaps,
    span_array,
    telling_characters,
    word_spans,
)
from embanon.risk.identifiers import identifiers
from embanon.text.analyzer import load_analyzer
from eval.boundaries import Span, rows
from eval.frequencies import area
from eval.peers import installed
from eval.printing import print_tables
from eval.quality import LIBRARIES, cell

OTHER: Final = "OTHER"
"""What identifies somebody who is not protected."""
NAMING: Final = ("PERSON", "CODE")
"""Types of mentions that may hold the name of another mention's entity: of relatives, in addresses."""
SEED: Final = 1
BINS: Final = 10
FIRST: Final = 3
WIDE: Final = 32
RATES: Final = ("direct", "quasi", "keep", "precision", "recall", "kept", "bare", "said")
HEADS: Final = ("direct", "quasi", "keep", "P", "R", "F1", "kept", "bare", "said")
LOW_IS_GOOD: Final = frozenset({"bare"})
BARE: Final = re.compile(
    r"[\W_]*(\[[^\[\]]*\]|[A-ZÄÖÜ_]+[ _]?\d*|something|somebody|someone|algo|alguien|algu[eé]m|etwas|jemand|\**|X+)"
    r"( \[?\d+\]?)*[\W_]*"
)
ARTICLE: Final = re.compile("^(?:an?|the|some|el|l[ao]s?|un[ao]?|os?|as?|uma?|d(?:er|ie|as|e[nms])|ein(?:e[nmr]?)?) ")


@dataclass(frozen=True, slots=True)
class Replaced:
    """A place that a system changes, and what it writes there; `None` of one that only masks."""

    start: int
    end: int
    replacement: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Letter:
    """A document with gold: whom it protects, mentions of all three kinds, and what must stay."""

    id: str
    language: str
    text: str = field(repr=False)
    protect: Any = field(repr=False)
    mentions: tuple[Mention, ...] = field(repr=False)
    accepted: tuple[tuple[str, ...], ...] = field(repr=False)
    """The generalizations offered for each mention."""
    keep: tuple[Span, ...] = ()

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Letter:
        """Read a line."""
        mentions = tuple(
            Mention(one["start"], one["end"], one["type"], one["entity"], one["identifier"]) for one in row["mentions"]
        )
        accepted = tuple(tuple(one["accept"]) for one in row["mentions"])
        keep = tuple((start, end) for start, end in row["keep"])
        return cls(row["id"], row["language"], row["text"], row["protect"], mentions, accepted, keep)

    @property
    def document(self) -> Document:
        """Return the document with whom to protect."""
        return Document(self.id, self.text, self.language, {"protect": self.protect})

    @property
    def protected(self) -> tuple[Entity, ...]:
        """Return whom to protect by name; nobody where it is everyone."""
        return parse_protected(self.protect, self.id).entities

    @property
    def person(self) -> Entity | None:
        """Return the one person whom the letter is about; `None` where it is about several, or something else."""
        people = [one for one in self.protected if one.type == "PERSON"]
        named = [one for one in self.protected if one.type in ("PERSON", "ORG", "MISC")]
        return people[0] if len(people) == len(named) == 1 else None

    def those(self, *identifiers: str) -> list[Mention]:
        """Return the mentions of some kinds."""
        return [one for one in self.mentions if one.identifier in identifiers]


def read_letters(data: Path) -> list[Letter]:
    """Read the letters to measure on, by language."""
    letters = map(Letter.from_row, rows(data / "letters" / "dev.jsonl.gz"))
    return sorted(letters, key=lambda letter: letter.language)


def covered(letter: Letter, edits: Iterable[Replaced]) -> Flags:
    """Return which characters are masked: those of edits that change something."""
    changed = [(one.start, one.end) for one in edits if letter.text[one.start : one.end] != one.replacement]
    return mark_characters(len(letter.text), np.array(changed, np.int64).reshape(-1, 2))


Row = list[tuple[float, float]]
"""Hits of each rate, and of how many."""


def rates(letter: Letter, edits: Sequence[Replaced]) -> Row:
    """Count what each rate is made of, in the order of `RATES`."""
    masked = covered(letter, edits)
    quotes = np.array(letter.keep, np.int64).reshape(-1, 2)
    whole = int((count_flagged(masked, quotes) == 0).sum())
    hidden = [hidden_entities(letter, masked, identifier) for identifier in (DIRECT, QUASI)]
    return [*hidden, (whole, len(quotes)), *count_words(letter, masked), *count_replacements(letter, edits)]


def hidden_entities(letter: Letter, masked: Flags, identifier: str) -> tuple[int, int]:
    """Count the entities all of whose mentions are masked, and all entities."""
    mentions = letter.those(identifier)
    if not mentions:
        return 0, 0
    is_masked: dict[str | None, bool] = {}
    whole = fully_masked(telling_characters(letter.text), masked, span_array(mentions)).tolist()
    for mention, is_whole in zip(mentions, whole, strict=True):
        is_masked[mention.entity] = is_masked.get(mention.entity, True) and is_whole
    return sum(is_masked.values()), len(is_masked)


def count_words(letter: Letter, masked: Flags) -> Row:
    """Count for precision, recall and kept words; words of others are left out."""
    every = word_spans(letter.text)
    every = every[~overlaps(every, span_array(letter.those(OTHER)))]
    wanted = overlaps(every, span_array(letter.those(DIRECT, QUASI)))
    given = count_flagged(masked, every) > 0
    hits = int((wanted & given).sum())
    return [(hits, int(given.sum())), (hits, int(wanted.sum())), (int((~given).sum()), len(every))]


def count_replacements(letter: Letter, edits: Iterable[Replaced]) -> Row:
    """Count replacements that say nothing, and those of quasi-identifiers that were offered."""
    written = [one for one in edits if one.replacement is not None]
    bare = sum(bool(BARE.fullmatch(one.replacement or "")) for one in written)
    quasi = [pair for pair in zip(letter.mentions, letter.accepted, strict=True) if pair[0].identifier == QUASI]
    offered = list[bool]()
    for edit in written:
        ends = ((labels, edit.start == mention.start or edit.end == mention.end) for mention, labels in quasi)
        labels = next((labels for labels, is_same in ends if is_same), None)
        if labels is not None:
            offered.append(plain(edit.replacement or "") in map(plain, labels))
    return [(bare, len(written)), (sum(offered), len(offered))]


def plain(replacement: str) -> str:
    """Return a replacement as it is compared: without case, article, and more than single spaces."""
    return " ".join(ARTICLE.sub("", replacement.lower().strip(), count=1).split())


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a letter: its edits, and whether the user was told that a name is left."""

    letter: Letter
    anonymized: Anonymized
    warned: bool

    @property
    def edits(self) -> list[Replaced]:
        """Return what was replaced."""
        return [Replaced(one.start, one.end, one.replacement) for one in self.anonymized.edits]

    @property
    def left(self) -> set[Span]:
        """Return where forms of protected names are left in what may hold them."""
        text, language = self.letter.text, self.letter.language
        masked, low = covered(self.letter, self.edits), fold_text(text)
        forms = {fold_text(name) for one in self.letter.protected for name in one.names}
        forms = forms.union(*(distinctive_words(one, language) for one in self.letter.protected))
        names = [one for one in self.letter.those(DIRECT, QUASI) if one.identifier == DIRECT or one.type in NAMING]
        named = {span for one in names for form in forms for span in places(low, form, one)}
        return {(start, end) for start, end in named if not masked[start:end].all()}


def places(low: str, form: str, mention: Mention) -> Iterator[Span]:
    """Return where a form stands in a mention, as a word or, if it is long enough, within one."""
    around = "" if len(form) >= MIN_EMBEDDED_LENGTH else r"(?<![^\W_]){}(?![^\W_])"
    pattern = re.compile((around or "{}").format(re.escape(form)))
    yield from (match.span() for match in pattern.finditer(low, mention.start, mention.end))


def anonymize(letters: Iterable[Letter], preset: str) -> list[Outcome]:
    """Anonymize letters one by one, so that each has its own warnings."""
    anonymizer: Anonymizer = load(preset=preset)
    outcomes = []
    for letter in letters:
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            anonymized = next(anonymizer.anonymize_all([letter.document]))
        outcomes.append(
            Outcome(letter, anonymized, any(issubclass(one.category, ProtectedNameWarning) for one in heard))
        )
    return outcomes


def proper_nouns(letter: Letter) -> list[Span]:
    """Return the words that are tagged as proper nouns or numbers."""
    reader = load_analyzer(letter.language)
    analyzed = reader.tag(letter.text)
    tokens, tags = analyzed.tokens, np.array(reader.tagger.tags)[analyzed.tags]
    chosen = np.isin(tags, ("PROPN", "NUM"))
    return list(zip(tokens.start[chosen].tolist(), tokens.end[chosen].tolist(), strict=True))


def floors(outcomes: Sequence[Outcome]) -> Iterator[tuple[str, list[list[Replaced]]]]:
    """Return what floors mask."""
    phrases = [one.anonymized.scored_document.analysis.phrases for one in outcomes]
    spans = [np.stack([one.start, one.end], axis=1) for one in phrases]
    pairs = [
        DocumentPair(
            GoldDocument(one.letter.id, one.letter.text, (), one.letter.language),
            MaskedDocument(one.letter.id, tuple(Mention(edit.start, edit.end) for edit in one.edits)),
        )
        for one in outcomes
    ]
    masks = dict(mask_by_rules(pairs, (EVERY_NOUN_PHRASE, RAREST), spans, SEED))
    for label, rule in (("every noun phrase", EVERY_NOUN_PHRASE), ("the largest idf, as standard", RAREST)):
        yield f"floor: {label}", [[Replaced(m.start, m.end) for m in pair.output.mentions] for pair in masks[rule]]
    proper = [[Replaced(*span) for span in proper_nouns(one.letter)] for one in outcomes]
    yield "floor: proper nouns, numbers", proper


def peers(letters: Sequence[Letter]) -> Iterator[tuple[str, list[list[Replaced]]]]:
    """Return what peers mask."""
    for peer in installed():
        masks = peer.open()([letter.text for letter in letters])
        yield peer.label, [[Replaced(*span) for span in spans] for spans in masks]


def cells(counted: Sequence[Row]) -> list[float | None]:
    """Return the measures of some letters, in the order of `HEADS`."""
    shares = dict(zip(RATES, share_columns(counted, len(RATES)), strict=True))
    values = {name: share.value for name, share in shares.items()}
    f1 = Scores(shares["precision"], shares["recall"]).f()
    first = [values[name] for name in RATES[:5]]
    return [*first, f1, *(values[name] for name in RATES[5:])]


def table(label: str, letters: Sequence[Letter], masks: Sequence[Sequence[Replaced]]) -> Iterator[str]:
    """Return the lines of a system: each language, the worst of them, and all."""
    groups: dict[str, list[Row]] = defaultdict(list)
    for letter, edits in zip(letters, masks, strict=True):
        groups[letter.language].append(rates(letter, edits))
    by_language = {language: cells(counted) for language, counted in groups.items()}
    yield label
    for language, values in by_language.items():
        yield line(language, values)
    if len(groups) > 1:
        columns = zip(*by_language.values(), strict=True)
        yield line("worst", [worst(name, some) for name, some in zip(HEADS, columns, strict=True)])
        yield line("all", cells([row for counted in groups.values() for row in counted]))


def worst(name: str, values: Iterable[float | None]) -> float | None:
    """Return the worst value of a measure."""
    known = [value for value in values if value is not None]
    return (max if name in LOW_IS_GOOD else min)(known, default=None)


def line(label: str, values: Iterable[float | None]) -> str:
    """Write a line of figures."""
    return f"   {label:{WIDE - 3}}" + "".join(f"{cell(value):>8}" for value in values)


def identifying(outcome: Outcome) -> tuple[NDArray[np.float64], Flags]:
    """Return the risks of a letter's phrases, and which of them identify; an unknown risk is 1."""
    letter, scored = outcome.letter, outcome.anonymized.scored_document.scored
    spans = np.stack([scored.phrases.start, scored.phrases.end], axis=1).astype(np.int64)
    marked = mark_characters(len(letter.text), span_array(letter.those(DIRECT, QUASI)))
    gold = 2 * count_flagged(marked, spans) > spans[:, 1] - spans[:, 0]
    asked = ~overlaps(spans, span_array(letter.those(OTHER)))
    return np.nan_to_num(scored.risk, nan=1.0)[asked], gold[asked]


def bins(risks: NDArray[np.float64], gold: Flags) -> list[tuple[int, float, float]]:
    """Return the size, the mean risk and the share of gold of each bin that has some."""
    number = np.minimum((risks * BINS).astype(np.int64), BINS - 1)
    chosen = [number == one for one in range(BINS)]
    return [(int(one.sum()), float(risks[one].mean()), float(gold[one].mean())) for one in chosen if one.any()]


def expected_error(risks: NDArray[np.float64], gold: Flags) -> float:
    """Return how far risks are from the share of gold, weighed by how many are in each bin."""
    return sum(size * abs(risk - share) for size, risk, share in bins(risks, gold)) / max(len(risks), 1)


def calibration(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Return the lines on calibration."""
    groups: dict[str, list[tuple[NDArray[np.float64], Flags]]] = defaultdict(list)
    for outcome in outcomes:
        both = identifying(outcome)
        groups[outcome.letter.language].append(both)
        groups["all"].append(both)
    groups["all"] = groups.pop("all")
    joined = {name: tuple(map(np.concatenate, zip(*pairs, strict=True))) for name, pairs in groups.items()}
    yield f"{'Calibration of risks':{WIDE}}{'phrases':>8}{'gold':>8}{'error':>8}{'AUC':>8}"
    for name, (risks, gold) in joined.items():
        values = (gold.mean(), expected_error(risks, gold), area(risks, gold))
        yield f"   {name:{WIDE - 3}}{len(risks):8,}" + "".join(f"{value:8.3f}" for value in values)
    risks, gold = joined["all"]
    same = np.full(len(risks), PRESETS["standard"][0])
    error = expected_error(same, gold)
    yield f"   {'floor: the same for all':{WIDE - 3}}{len(risks):8,}{gold.mean():8.3f}{error:8.3f}\n"
    yield f"{'Bins of risk, all':{WIDE}}{'phrases':>8}{'risk':>8}{'gold':>8}"
    for number, (size, risk, share) in enumerate(bins(risks, gold), 1):
        yield f"   bin {number:<{WIDE - 7}}{size:8,}{risk:8.3f}{share:8.3f}"


def proposals(letters: Sequence[Letter], folder: Path) -> dict[str, list[str]]:
    """Return the names that `embanon entities` proposes for each letter, in order."""
    path = folder / "letters.jsonl"
    lines = ({"id": one.id, "text": one.text, "language": one.language} for one in letters)
    path.write_text("".join(f"{json.dumps(one)}\n" for one in lines), encoding="utf-8")
    output = io.BytesIO()
    with redirect_stdout(io.TextIOWrapper(output, "utf-8", write_through=True)):
        run_command(["entities", str(path)])
        sys.stdout.flush()
        lines_read = map(json.loads, output.getvalue().decode("utf-8").splitlines())
    return {row["id"]: [one["name"] for one in row["protect"]] for row in lines_read}


def is_meant(name: str, entity: Entity, language: str) -> bool:
    """Return whether a name is one of an entity's, or made of words of its names."""
    words = distinctive_words(Entity(name), language)
    known = distinctive_words(entity, language)
    return key(name) in map(key, entity.names) or (bool(words) and words <= known)


def who(letters: Sequence[Letter], folder: Path) -> Iterator[str]:
    """Return the lines on whom letters are about."""
    about = [(letter, letter.person) for letter in letters]
    proposed = proposals([letter for letter, person in about if person], folder)
    groups: dict[str, list[list[bool]]] = defaultdict(list)
    for letter, person in about:
        if person:
            hits = [is_meant(name, person, letter.language) for name in proposed[letter.id]]
            groups[letter.language].append(hits)
    groups["all"] = [hits for every in list(groups.values()) for hits in every]
    yield f"{'Who: the person protected is':{WIDE}}{'letters':>8}{'first':>8}{'of 3':>8}"
    for name, every in groups.items():
        shares = (np.mean([any(hits[:count]) for hits in every]) for count in (1, FIRST))
        yield f"   {name:{WIDE - 3}}{len(every):8}" + "".join(f"{share:8.3f}" for share in shares)


def told_apart(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Return the line on direct and quasi-identifiers: of the phrases that are told to be one, and are one."""
    right = total = 0
    for outcome in outcomes:
        scored = outcome.anonymized.scored_document.scored
        for phrase, told in zip(scored.phrases, identifiers(scored), strict=True):
            gold = outcome.letter.those(DIRECT, QUASI)
            meant = next((one.identifier for one in gold if one.start < phrase.end and phrase.start < one.end), None)
            total += bool(told and meant)
            right += bool(told and told == meant)
    yield f"Direct and quasi-identifiers told apart: {right / max(1, total):.3f} of {total:,} phrases"


def names_left(done: Mapping[str, Sequence[Outcome]]) -> Iterator[str]:
    """Return the lines on names that are left."""
    yield f"{'Protected names that are left':{WIDE}}{'places':>8}{'letters':>9}{'without a word':>16}"
    for preset, outcomes in done.items():
        left = [(len(one.left), one.warned) for one in outcomes if one.left]
        silent = sum(not warned for _, warned in left)
        yield f"   {preset:{WIDE - 3}}{sum(count for count, _ in left):8}{len(left):9}{silent:16}"


def report(data: Path, folder: Path) -> Iterator[str]:
    """Return all lines."""
    letters = read_letters(data)
    done = {preset: anonymize(letters, preset) for preset in PRESETS}
    count = sum(len(word_spans(letter.text)) for letter in letters)
    yield f"letters/dev: {len(letters)} documents, {count:,} words\n"
    yield " " * WIDE + "".join(f"{name:>8}" for name in HEADS)
    for preset, outcomes in done.items():
        yield from table(f"embanon, {preset}", letters, [one.edits for one in outcomes])
    for label, masks in floors(done["standard"]):
        yield from table(label, letters, masks)
    english = [letter for letter in letters if letter.language == "en"]
    for label, masks in peers(english):
        yield from table(label, english, masks)
    told = partial(told_apart, done["standard"])
    last = (partial(names_left, done), partial(who, letters, folder))
    for part in (partial(calibration, done["standard"]), told, *last):
        yield ""
        yield from part()


if __name__ == "__main__":
    sys.exit(print_tables("letters", __doc__, LIBRARIES, report))
