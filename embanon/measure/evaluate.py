"""Evaluate outputs against gold: every measure that the inputs allow, next to simple baselines on the same texts.

A number says little without its floor: whoever masks every noun phrase masks all names as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final

from embanon.config import Config
from embanon.document import Document
from embanon.errors import ConfigError
from embanon.measure.annotations import DIRECT, QUASI, DocumentPair, GoldDocument, Mention
from embanon.measure.baselines import EVERY_NOUN_PHRASE, RULES, mask_by_rules, masked_words
from embanon.measure.instruments import Instruments
from embanon.measure.metrics.share import Scores, Share, rounded
from embanon.measure.metrics.spans import fully_masked, mark_characters, span_array, telling_characters
from embanon.measure.metrics.words import word_scores
from embanon.measure.table import Figure, figures
from embanon.text import find_all, language_of

SEED: Final = 1
IDENTIFIER_SEVERITY: Final = (DIRECT, None, QUASI)
"""What leaks, the worst first; of gold that does not tell, everything is second."""


@dataclass(frozen=True, slots=True)
class Leak:
    """A mention that was to be masked, of which a letter or digit is left."""

    start: int
    end: int
    type: str | None
    identifier: str | None


@dataclass(frozen=True, slots=True)
class DocumentEvaluation:
    """How a single document fares."""

    id: str
    words: int
    masked: int
    precision: float | None
    recall: float | None
    f1: float | None
    leaks: tuple[Leak, ...]
    """The worst first."""

    @property
    def direct_leaks(self) -> tuple[Leak, ...]:
        """Return those that identify alone, or may."""
        return tuple(one for one in self.leaks if one.identifier != QUASI)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name."""
        numbers = {name: rounded(getattr(self, name)) for name in ("precision", "recall", "f1")}
        leaks = list(map(asdict, self.leaks))
        return {"id": self.id, "words": self.words, "masked": self.masked, **numbers, "leaks": leaks}


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What is measured of a system, and of plain rules on the same documents."""

    system: str
    masked: float | None
    """The share of all words."""
    figures: tuple[Figure, ...]
    made_with: Mapping[str, str] = field(default_factory=dict)
    """Where parts of speech and information come from."""
    documents: tuple[DocumentEvaluation, ...] = ()
    """The worst first."""
    baselines: tuple[Evaluation, ...] = ()

    def to_dict(self, *, by_document: bool = False) -> dict[str, Any]:
        """Return all as JSON has it; measures by group and name."""
        groups: dict[str, dict[str, Any]] = {}
        for figure in self.figures:
            groups.setdefault(figure.group, {})[figure.name] = figure.to_dict()
        shown: dict[str, Any] = {"system": self.system, "masked": rounded(self.masked), "measures": groups}
        if self.documents:
            shown |= {"documents": len(self.documents), "made_with": dict(self.made_with)}
        if self.baselines:
            shown["floors"] = [one.to_dict() for one in self.baselines]
        if by_document:
            shown["by_document"] = [one.to_dict() for one in self.documents]
        return shown

    def value(self, group: str, name: str) -> float | None:
        """Return the value of a measure; `None` where it has none."""
        return next((one.value for one in self.figures if (one.group, one.name) == (group, name)), None)


def evaluate(
    pairs: Sequence[DocumentPair],
    using: Instruments | None = None,
    *,
    system: str = "output",
    floors: Sequence[str] = RULES,
    config: Config | None = None,
    seed: int = SEED,
) -> Evaluation:
    """Measure an output, and the floors that are named."""
    if not pairs:
        raise ConfigError("there is no document to evaluate; give at least one")
    config, using = config or Config(), (using or Instruments()).with_caches()
    pairs = [replace(pair, gold=with_language(pair.gold, config)) for pair in pairs]
    phrases = [span_array(some) for some in _phrases(pairs, config)] if EVERY_NOUN_PHRASE in floors else []
    return Evaluation(
        system,
        _share_masked(pairs),
        tuple(figures(pairs, using, bounds=True, seed=seed)),
        using.describe(),
        _by_document(pairs),
        tuple(
            Evaluation(rule, _share_masked(masked), tuple(figures(masked, using, bounds=False, seed=seed)))
            for rule, masked in mask_by_rules(pairs, floors, phrases, seed)
        ),
    )


def with_language(gold: GoldDocument, config: Config) -> GoldDocument:
    """Return the language of a text."""
    return replace(gold, language=language_of(Document(gold.id, gold.text, gold.language), config))


def _phrases(pairs: Sequence[DocumentPair], config: Config) -> Iterator[list[Mention]]:
    documents = (Document(pair.gold.id, pair.gold.text, pair.gold.language) for pair in pairs)
    for analysis in find_all(documents, config=config):
        phrases = analysis.phrases
        yield [Mention(start, end) for start, end in zip(phrases.start.tolist(), phrases.end.tolist(), strict=True)]


def _share_masked(pairs: Sequence[DocumentPair]) -> float | None:
    return Share.from_rows((int(flags.sum()), len(flags)) for _, flags in map(masked_words, pairs)).value


def _by_document(pairs: Sequence[DocumentPair]) -> tuple[DocumentEvaluation, ...]:
    """Return the documents, those first that leak most."""
    scores = word_scores(pairs)
    evaluations = []
    for place, pair in enumerate(pairs):
        precision, recall = scores.precision[place], scores.recall[place]
        _, flags = masked_words(pair)
        evaluations.append(DocumentEvaluation(
            pair.gold.id, len(flags), int(flags.sum()), precision.value, recall.value, Scores(precision, recall).f(),
            leaks(pair),
        ))  # fmt: skip
    return tuple(
        sorted(evaluations, key=lambda one: (-len(one.direct_leaks), 1.0 if one.recall is None else one.recall))
    )


def leaks(pair: DocumentPair) -> tuple[Leak, ...]:
    """Return the mentions of which a letter or digit is left, the worst first; of several annotators each once."""
    text = pair.gold.text
    telling, masked = telling_characters(text), mark_characters(len(text), span_array(pair.output.mentions))
    unique = dict[Leak, None]()
    for annotation in pair.gold.annotations:
        mentions = annotation.mentions_to_mask
        covered = fully_masked(telling, masked, span_array(mentions)).tolist()
        for mention, is_covered in zip(mentions, covered, strict=True):
            if not is_covered:
                unique[Leak(mention.start, mention.end, mention.type, mention.identifier)] = None
    return tuple(sorted(unique, key=lambda one: (IDENTIFIER_SEVERITY.index(one.identifier), one.start, one.end)))
