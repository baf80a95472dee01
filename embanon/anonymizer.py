"""The calls of the library: texts in, risks or anonymized texts out."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, TypeVar, cast

import numpy as np

from embanon.config import METHODS, PRESETS, Config, RiskLimits, load as load_config
from embanon.document import Document, check_text, check_texts, to_document
from embanon.entities import (
    Entity,
    ProtectedEntities,
    ProtectionRules,
    RemainingName,
    parse_entities,
    parse_protected,
    remaining_names,
)
from embanon.errors import ArgumentError, ConfigError, ProtectedNameWarning
from embanon.language import key
from embanon.linkage import Attackers, remove_spans, spans_where
from embanon.model import Model, open_model
from embanon.provenance import describe_provenance
from embanon.replace import (
    Edit,
    LabelTest,
    LinkageGain,
    Methods,
    Polisher,
    Replacer,
    RestoredText,
    Solution,
    TopicNearness,
    open_language_model,
    random_secret,
    restore,
    rewrite,
    secret_from_config,
)
from embanon.risk import LabelRarity, PhraseScorer, open_scorer
from embanon.scoring import ScoredDocument, notebook_frame, score_all
from embanon.taxonomy import SHIPPED, Climber, climber, taxonomy_folder

if TYPE_CHECKING:
    from embanon.report import Report

EntityLike: TypeAlias = str | Entity | Mapping[str, Any]
"""A name, an entity, or an entity as JSON Lines have it."""
Protect: TypeAlias = Literal["everyone"] | EntityLike | Sequence[EntityLike]
"""Whom to protect."""
Column = TypeVar("Column")
"""A column of pandas."""


@dataclass(frozen=True, slots=True)
class Anonymized:
    """A document with its risky phrases replaced, and what reverses that."""

    scored_document: ScoredDocument = field(repr=False)
    text: str = field(repr=False)
    edits: tuple[Edit, ...] = field(repr=False)
    solutions: tuple[Solution, ...] = field(repr=False)
    made_with: Mapping[str, str]
    """Version and checksums."""
    remaining_names: tuple[RemainingName, ...] = ()
    """Where names of whom to protect stay, or words that may be names."""
    climber: Climber | None = field(default=None, repr=False, compare=False)
    """What its generalizations come from."""

    @property
    def id(self) -> str:
        """Return the name of the document."""
        return self.scored_document.id

    @property
    def limits(self) -> RiskLimits:
        """Return the limits in force."""
        return self.scored_document.limits

    @property
    def limit(self) -> float:
        """Return the limit in force of all types that have none of their own."""
        return self.limits.default

    @property
    def has_remaining_risk(self) -> bool:
        """Return whether a risk at or above the limit of its type is left, or what may be a protected name."""
        return bool(self.remaining_names) or any(
            edit.replacement_risk >= self.limits.for_type(edit.type) for edit in self.edits
        )

    @property
    def report(self) -> Report:
        """Return what was risky, what was done, and what is left; without originals."""
        from embanon.report import build_report

        return build_report(self)

    def __repr__(self) -> str:
        return f"Anonymized(id={self.id!r}, edits={len(self.edits)}, limit={self.limit:g})"

    def _repr_html_(self) -> str:
        return notebook_frame(self.to_html())

    def to_dict(self) -> dict[str, Any]:
        """Return it as the contract has it: the text, the edits by their places in the original, no original."""
        edits, made_with = [edit.to_dict() for edit in self.edits], {**self.made_with, **self.limits.to_dict()}
        return {"id": self.id, "text": self.text, "edits": edits, "embanon": made_with}

    def to_html(self, *, original: bool = False) -> str:
        """Return its report as a self-contained page; with originals it is as secret as the text."""
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
    similarity: PhraseScorer | None = field(init=False, repr=False, compare=False)
    """What compares with protected names, where that is what risk is."""

    def __post_init__(self) -> None:
        """Open what risk is measured by: what that lacks is wrong for all texts."""
        object.__setattr__(self, "similarity", open_scorer(self.config.score, self.model))

    def __repr__(self) -> str:
        model = str(self.model.path) if self.model is not None else None
        return f"Anonymizer(model={model!r}, limit={self.config.score.effective_limit:g}, method={self.method!r})"

    @property
    def method(self) -> str:
        """Return the replacement method where no row of the configuration says otherwise."""
        return self.config.anonymize.method

    def methods(self, language: str) -> Methods:
        """Resolve the replacement methods for texts of a language."""
        if self.method not in METHODS:
            raise ConfigError(f"no method {self.method!r}; known: {', '.join(METHODS)}")
        neighbors = self.model.neighbors if self.model is not None else None
        return Methods.from_config(self.config, language, self.secret, neighbors)

    @property
    def made_with(self) -> dict[str, str]:
        """Return the version, and checksums of all that decides about what comes out."""
        path = self.model.path if self.model is not None else None
        return describe_provenance(self.config, path, [taxonomy_folder(name) for name in self.stores])

    def score(
        self, text: str, protect: Protect | None = None, others: Protect | None = None, *, id: str = "text"
    ) -> ScoredDocument:  # fmt: skip
        """Score the phrases of a text for whom to protect: a name, an entity, a list of them, or everyone."""
        check_text(text)
        scored = next(self.score_all([Document(id, text)], rules_for(protect, others)))
        warn_unmentioned([scored])
        return scored

    def anonymize(
        self, text: str, protect: Protect | None = None, others: Protect | None = None, *, limit: float | None = None,
        method: str | None = None, id: str = "text",
    ) -> Anonymized:  # fmt: skip
        """Replace what gives away whom to protect."""
        check_text(text)
        changed = replace(self, config=_override_config(self.config, limit, method))
        anonymized = next(changed.anonymize_all([Document(id, text)], rules_for(protect, others)))
        _warn_result([anonymized])
        return anonymized

    def restore(self, text: str, solutions: Sequence[Solution], *, id: str = "text") -> RestoredText:
        """Put originals back."""
        check_text(text)
        if not isinstance(solutions, Sequence) or not all(isinstance(one, Solution) for one in solutions):
            raise ArgumentError("solutions: must be those of the anonymized text: anonymized.solutions")
        return restore(id, text, solutions)

    def score_all(
        self, documents: Iterable[Document | str], protect: Protect | ProtectionRules | None = None, *, rank: int = 0
    ) -> Iterator[ScoredDocument]:
        """Score documents or texts, in order, for whom to protect in all of them beside whom they name.

        With names a text that lacks one warns; with rules the caller sees to that.
        """
        if not isinstance(protect, ProtectionRules):
            return _warn_each(self.score_all(documents, rules_for(protect), rank=rank))
        check_texts(documents)
        return score_all(
            map(to_document, documents, count(1)), protect, config=self.config, model=self.model,
            attackers=self.attackers, rank=rank,
        )  # fmt: skip

    def anonymize_all(
        self, documents: Iterable[Document | str], protect: Protect | ProtectionRules | None = None, *, rank: int = 0
    ) -> Iterator[Anonymized]:
        """Anonymize documents or texts, in order, for whom to protect in all of them beside whom they name.

        With names a text that lacks one warns; with rules the caller sees to that.
        """
        if not isinstance(protect, ProtectionRules):
            return _warn_each(self.anonymize_all(documents, rules_for(protect), rank=rank))
        self.methods("")  # what is wrong is wrong for all
        return self._anonymize_each(self.score_all(documents, protect, rank=rank))

    def _anonymize_each(self, documents: Iterable[ScoredDocument]) -> Iterator[Anonymized]:
        made_with, replacers = self.made_with, dict[str, Replacer]()
        where = self.config.anonymize.polish
        language_model = open_language_model(where) if where else None
        for scored_document in documents:
            language = scored_document.analysis.language
            if language not in replacers:
                climbing = climber(self.stores, language)
                rarity = LabelRarity(scored_document.rarity, language)
                replacers[language] = Replacer(
                    climbing, rarity, scored_document.limits, self.methods(language), self.similarity
                )
            polisher = None
            if language_model is not None:
                risky = partial(self._risky_phrases, language, scored_document.protected)
                polisher = Polisher(language_model, language, risky)
            yield _anonymized(scored_document, replacers[language], made_with, self.attackers, polisher)

    def _risky_phrases(self, language: str, protected: ProtectedEntities, sentence: str) -> frozenset[str]:
        """Return the phrases of a sentence that are at or above the limit, folded."""
        document = Document("sentence", sentence, language)
        scored_document = next(self.score_all([document], ProtectionRules(protected)))
        scored, limits = scored_document.scored, scored_document.limits
        places = np.flatnonzero(scored.at_least(limits)).tolist()
        phrases = list(scored.phrases)
        return frozenset(key(sentence[phrases[place].start : phrases[place].end]) for place in places)

    def anonymize_column(
        self, column: Column, protect: Protect | Column | None = None, others: Protect | None = None
    ) -> Column:
        """Anonymize a pandas column of texts: a column with the same index, where what is missing stays missing.

        Whom to protect is the same for all rows, or a column with the same index that names it for each.
        """
        texts = _check_column(column, "column")
        missing = texts.isna()
        rows: Any = [None] * len(texts)
        if hasattr(protect, "isna"):
            rows = _check_column(protect, "protect")
            if not rows.index.equals(texts.index):
                raise ConfigError("protect: has another index than the column; take both from the same table")
            rows = [None if is_missing else row for row, is_missing in zip(rows, rows.isna(), strict=True)]
            protect = None
        rules = rules_for(cast("Protect | None", protect), others)
        documents = []
        for number, (text, row, is_missing) in enumerate(zip(texts, rows, missing, strict=True)):
            if not is_missing:
                check_text(text, f"row {number}")
                if row is None and not rules.for_all:
                    raise ConfigError(f"row {number}: names nobody to protect; in Python: protect=…")
                documents.append(Document(f"row {number}", text, fields={"protect": row}))
        anonymized = list(self.anonymize_all(documents, rules))
        _warn_result(anonymized)
        result = texts.astype(object)
        result[~missing] = [one.text for one in anonymized]
        return cast(Column, result if texts.dtype.name == "category" else result.astype(texts.dtype))


def _check_column(column: Any, name: str) -> Any:
    if not hasattr(column, "isna") or not hasattr(column, "index") or getattr(column, "ndim", 0) != 1:
        raise ArgumentError(f"{name}: must be one column of pandas: table['text']; of a list, anonymize_all(texts)")
    return column


def warn_unmentioned(documents: Sequence[ScoredDocument], stacklevel: int = 3) -> None:
    """Warn once of documents that do not name whom to protect: by their ids and numbers, never by a name."""
    lacking = [one for one in documents if one.scored.unmentioned and one.text.strip()]
    if lacking:
        numbers = ", ".join(f"e{number + 1}" for number in lacking[0].scored.unmentioned[:5])
        more = f" ({len(lacking)} of {len(documents)} texts lack a name)" if len(documents) > 1 else ""
        warnings.warn(
            f"{lacking[0].id}: does not name {numbers}{more}; check the spelling, or add aliases",
            ProtectedNameWarning, stacklevel=stacklevel,
        )  # fmt: skip


def warn_remaining(results: Sequence[Anonymized], stacklevel: int = 3) -> None:
    """Warn once of documents in which words stay that may be names of whom to protect: by ids, lines and numbers."""
    remaining = [one for one in results if one.remaining_names]
    if remaining:
        more = f" ({len(remaining)} of {len(results)} texts)" if len(results) > 1 else ""
        warnings.warn(
            f"{remaining[0].id}: {describe_remaining(remaining[0])}{more}", ProtectedNameWarning, stacklevel=stacklevel
        )


def describe_remaining(result: Anonymized) -> str:
    """Say how many words stay that may be protected names, of whom, and in which lines; never quote one."""
    names, text = result.remaining_names, result.scored_document.text
    lines = list(dict.fromkeys(text.count("\n", 0, one.start) + 1 for one in names))
    places = ", ".join(map(str, lines[:MAX_LISTED_LINES])) + (" …" if len(lines) > MAX_LISTED_LINES else "")
    whose = ", ".join(dict.fromkeys(f"e{one.entity + 1}" for one in names))
    count = "1 word stays" if len(names) == 1 else f"{len(names)} words stay"
    where = "line" if len(lines) == 1 else "lines"
    return f"{count} that may be a name of {whose}: {where} {places}; add what is one as an alias"


def _warn_result(results: Sequence[Anonymized]) -> None:
    warn_unmentioned([one.scored_document for one in results], stacklevel=4)
    warn_remaining(results, stacklevel=4)


KEEP: Final = "keep"
"""The rung of what is kept on purpose."""
MAX_LISTED_LINES: Final = 5
"""Lines that a warning lists."""

Result = TypeVar("Result", ScoredDocument, Anonymized)


def _warn_each(results: Iterable[Result]) -> Iterator[Result]:
    for result in results:
        if isinstance(result, Anonymized):
            _warn_result([result])
        else:
            warn_unmentioned([result])
        yield result


def load(
    model: str | Path | None = None, config: str | Path | Config | None = None, *, stores: Sequence[str] = SHIPPED,
    preset: str | None = None, limit: float | None = None, language: str | None = None, method: str | None = None,
    polish: str | None = None,
) -> Anonymizer:  # fmt: skip
    """Open a model and settings: an anonymizer for many texts.

    Without a model, rarity is that of the language at large. Settings that are not given are those of the
    configuration's file, and else the defaults. `polish` is the address of a language model's server on this machine,
    or its file, that mends anonymized sentences.
    """
    if not isinstance(config, Config):
        config = load_config(config, {"score.preset": preset, "language": language}).config
    elif preset or language:
        raise ConfigError("preset and language are parts of a Config; set them there")
    if polish is not None:
        config = replace(config, anonymize=replace(config.anonymize, polish=polish))
    opened = open_model(model) if model is not None else None
    return Anonymizer(_override_config(config, limit, method), opened, tuple(stores), secret=secret_from_config(config))


def _anonymized(
    scored_document: ScoredDocument, replacer: Replacer, made_with: Mapping[str, str], attackers: Attackers | None,
    polisher: Polisher | None = None,
) -> Anonymized:  # fmt: skip
    document, scored = scored_document.analysis.document, scored_document.scored
    sentences, protect = scored_document.analysis.sentences.tolist(), scored_document.protected.entities
    tests = list(_label_tests(scored_document, attackers))
    edits = replacer.plan_edits(document.text, scored, sentences, protect, document.fields.get("edits"), tests)
    is_settled = (edit.rung == KEEP or document.text[edit.start : edit.end] != edit.replacement for edit in edits)
    replaced = [(edit.start, edit.end) for edit, settled in zip(edits, is_settled, strict=True) if settled]
    if polisher is not None:
        edits = polisher.polish(document.text, edits, sentences)
    text, solutions = rewrite(document.id, document.text, edits)
    remaining = remaining_names(document.text, protect, scored_document.analysis.language, replaced)
    return Anonymized(scored_document, text, tuple(edits), tuple(solutions), made_with, remaining, replacer.climber)


def _label_tests(scored_document: ScoredDocument, attackers: Attackers | None) -> Iterator[LabelTest]:
    """Return what labels must pass in a document: no gain for attackers, and not near a topic."""
    text, scored, protect = scored_document.text, scored_document.scored, scored_document.protected.entities
    target = attackers.find_target(protect[0]) if attackers and protect else None
    if attackers is not None and target is not None:
        rest = remove_spans(text, spans_where(scored.phrases, scored.at_least(scored_document.limits)))
        yield LinkageGain.for_document(rest, attackers.background, target).is_small
    if scored_document.calibration is not None:
        near = TopicNearness.for_document(text, scored, protect, scored_document.limits, scored_document.calibration)
        if near is not None:
            yield near.is_far


def rules_for(protect: Protect | None = None, others: Protect | None = None) -> ProtectionRules:
    """Return rules for whom to protect in all documents; documents may name more among their fields."""
    protected = ProtectedEntities() if protect is None else parse_protected(protect, "protect")
    unprotected = tuple(parse_entities([] if others is None else others, "others"))
    return ProtectionRules(protected + ProtectedEntities(others=unprotected))


def _override_config(config: Config, limit: float | None, method: str | None) -> Config:
    if method is not None:
        config = replace(config, anonymize=replace(config.anonymize, method=method))
    if limit is None:
        return config
    if not 0 < limit <= 1:
        raise ConfigError(f"limit must be above 0, and at most 1; or name a preset: {', '.join(PRESETS)}")
    return replace(config, score=replace(config.score, limit=float(limit)))
