"""What commands, services and other people's pipelines call: texts in, risks or anonymized texts out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from embanon.config import METHODS, PRESETS, Config, load as load_config
from embanon.document import Document
from embanon.entities import ProtectedEntities, ProtectionRules, parse_entities, parse_protected
from embanon.errors import ConfigError
from embanon.linkage import Attackers, remove_spans, spans_where
from embanon.model import Model, open_model
from embanon.provenance import describe_provenance
from embanon.replace import (
    Edit,
    LabelTest,
    LinkageGain,
    Methods,
    Replacer,
    RestoredText,
    Solution,
    TopicNearness,
    random_secret,
    restore,
    rewrite,
    secret_from_config,
)
from embanon.risk import LabelRarity
from embanon.scoring import ScoredDocument, score_all
from embanon.taxonomy import SHIPPED, Climber, climber, taxonomy_folder


@dataclass(frozen=True, slots=True)
class Anonymized:
    """A document with what stands instead of its risky phrases, and what undoes it."""

    scored_document: ScoredDocument = field(repr=False)
    text: str = field(repr=False)
    edits: tuple[Edit, ...] = field(repr=False)
    solutions: tuple[Solution, ...] = field(repr=False)
    limit: float
    made_with: Mapping[str, str]
    """Version and checksums."""
    climber: Climber | None = field(default=None, repr=False, compare=False)
    """What its generalizations come from."""

    @property
    def id(self) -> str:
        """Return the name of the document."""
        return self.scored_document.analysis.document.id

    @property
    def has_remaining_risk(self) -> bool:
        """Return whether a risk at or above the limit is left."""
        return any(edit.replacement_risk >= self.limit for edit in self.edits)

    def to_dict(self) -> dict[str, Any]:
        """Return it as the contract has it: the text, the edits by their places in the original, no original."""
        edits = [edit.to_dict() for edit in self.edits]
        return {"id": self.id, "text": self.text, "edits": edits, "embanon": {**self.made_with, "limit": self.limit}}

    def to_html(self, *, original: bool = False) -> str:
        """Return its report as a page that stands alone; with originals it is as secret as the text."""
        from embanon.report import anonymized_page

        return anonymized_page(self, original=original)


@dataclass(frozen=True, slots=True)
class Anonymizer:
    """Scores and anonymizes texts with one configuration, model and chain of taxonomies."""

    config: Config = field(default_factory=Config)
    model: Model | None = field(default=None, repr=False)
    stores: tuple[str, ...] = SHIPPED
    attackers: Attackers | None = field(default=None, repr=False)
    secret: bytes = field(default_factory=random_secret, repr=False, compare=False)
    """What chooses substitutes and shifts."""

    @property
    def method(self) -> str:
        """Return what stands instead where no row of the configuration says something else."""
        return self.config.anonymize.method

    def methods(self, language: str) -> Methods:
        """Resolve what stands instead in texts of a language."""
        if self.method not in METHODS:
            raise ConfigError(f"no method {self.method!r}; known: {', '.join(METHODS)}")
        neighbors = self.model.neighbors if self.model is not None else None
        return Methods.from_config(self.config, language, self.secret, neighbors)

    @property
    def made_with(self) -> dict[str, str]:
        """Return the version, and checksums of all that decides about what comes out."""
        path = self.model.path if self.model is not None else None
        return describe_provenance(self.config, path, [taxonomy_folder(name) for name in self.stores])

    def score(self, text: str, protect: Any = None, others: Any = None, *, id: str = "text") -> ScoredDocument:
        """Score the phrases of a text for whom to protect: a name, an entity as in JSON Lines, a list, or everyone."""
        return next(self.score_all([Document(id, text)], rules_for(protect, others)))

    def anonymize(
        self, text: str, protect: Any = None, others: Any = None, *, limit: float | None = None,
        method: str | None = None, id: str = "text",
    ) -> Anonymized:  # fmt: skip
        """Replace what gives away whom to protect."""
        changed = replace(self, config=_override_config(self.config, limit, method))
        return next(changed.anonymize_all([Document(id, text)], rules_for(protect, others)))

    def restore(self, text: str, solutions: Sequence[Solution], *, id: str = "text") -> RestoredText:
        """Put originals back."""
        return restore(id, text, solutions)

    def score_all(
        self, documents: Iterable[Document | str], protect: Any = None, *, rank: int = 0
    ) -> Iterator[ScoredDocument]:
        """Score documents or texts, in order, for whom to protect in all of them beside whom they name."""
        given = protect if isinstance(protect, ProtectionRules) else rules_for(protect)
        return score_all(
            _documents(documents), given, config=self.config, model=self.model, attackers=self.attackers, rank=rank
        )  # fmt: skip

    def anonymize_all(
        self, documents: Iterable[Document | str], protect: Any = None, *, rank: int = 0
    ) -> Iterator[Anonymized]:
        """Anonymize documents or texts, in order, for whom to protect in all of them beside whom they name."""
        self.methods("")  # what is wrong is wrong for all
        made_with, maskers = self.made_with, dict[str, Replacer]()
        for judged in self.score_all(documents, protect, rank=rank):
            language = judged.analysis.language
            if language not in maskers:
                climbing = climber(self.stores, language)
                rarity, limit = LabelRarity(judged.rarity, language), self.config.score.effective_limit
                maskers[language] = Replacer(climbing, rarity, limit, self.methods(language))
            yield _anonymized(judged, maskers[language], made_with, self.attackers)


def _documents(some: Iterable[Document | str]) -> Iterator[Document]:
    """Name texts that have no name by their number."""
    for number, one in enumerate(some, 1):
        yield Document(str(number), one) if isinstance(one, str) else one


def load(
    model: str | Path | None = None, config: str | Path | Config | None = None, *, stores: Sequence[str] = SHIPPED,
    preset: str | None = None, limit: float | None = None, language: str | None = None, method: str | None = None,
) -> Anonymizer:  # fmt: skip
    """Open a model and settings: an anonymizer for many texts.

    Without a model, rarity is that of the language at large. Settings that are not given are those of the
    configuration's file, and else the defaults.
    """
    if not isinstance(config, Config):
        config = load_config(config, {"score.preset": preset, "language": language}).config
    elif preset or language:
        raise ConfigError("preset and language are parts of a Config; set them there")
    opened = open_model(str(model)) if model is not None else None
    return Anonymizer(_override_config(config, limit, method), opened, tuple(stores), secret=secret_from_config(config))


def _anonymized(
    judged: ScoredDocument, masker: Replacer, made_with: Mapping[str, str], attackers: Attackers | None
) -> Anonymized:  # fmt: skip
    document, scored = judged.analysis.document, judged.scored
    sentences, protect = judged.analysis.sentences.tolist(), judged.protected.entities
    tests = list(_label_tests(judged, masker.limit, attackers))
    edits = masker.plan_edits(document.text, scored, sentences, protect, document.fields.get("edits"), tests)
    text, solutions = rewrite(document.id, document.text, edits)
    return Anonymized(judged, text, tuple(edits), tuple(solutions), masker.limit, made_with, masker.climber)


def _label_tests(judged: ScoredDocument, limit: float, attackers: Attackers | None) -> Iterator[LabelTest]:
    """Return what labels must pass in a document: no gain for attackers, and not near a topic."""
    text, scored, protect = judged.analysis.document.text, judged.scored, judged.protected.entities
    target = attackers.find_target(protect[0]) if attackers and protect else None
    if attackers is not None and target is not None:
        rest = remove_spans(text, spans_where(scored.phrases, scored.at_least(limit)))
        yield LinkageGain.for_document(rest, attackers.background, target).is_small
    if judged.calibration is not None:
        near = TopicNearness.for_document(text, scored, protect, limit, judged.calibration)
        if near is not None:
            yield near.is_far


def rules_for(protect: Any = None, others: Any = None) -> ProtectionRules:
    """Say whom to protect in all documents, as in a call for one; documents may name more among their fields."""
    found = ProtectedEntities() if protect is None else parse_protected(protect, "protect")
    beside = ProtectedEntities(others=tuple(parse_entities([] if others is None else others, "others")))
    return ProtectionRules(found + beside)


def _override_config(config: Config, limit: float | None, method: str | None) -> Config:
    if method is not None:
        config = replace(config, anonymize=replace(config.anonymize, method=method))
    if limit is None:
        return config
    if not 0 < limit <= 1:
        raise ConfigError(f"limit must be above 0, and at most 1; or name a preset: {', '.join(PRESETS)}")
    return replace(config, score=replace(config.score, limit=float(limit)))
