"""A transformer of scikit-learn: texts in; anonymized texts, or their risks, out."""

from __future__ import annotations

import shutil
import weakref
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from embanon.anonymizer import Anonymizer, Protect, load, rules_for, warn_remaining, warn_unmentioned
from embanon.document import LANGUAGE_CODE_HELP, TYPES, Document, language_code
from embanon.entities import EVERYONE
from embanon.errors import ConfigError, InputError, MissingExtraError
from embanon.io import CorpusDocument
from embanon.model import Model, train
from embanon.scoring import ScoredDocument

try:
    from sklearn.base import BaseEstimator, TransformerMixin
    from sklearn.utils.validation import check_is_fitted
except ImportError as exc:
    raise MissingExtraError("scikit-learn", "sklearn") from exc

TEXT, RISK = "text", "risk"
COLUMNS: Final = MappingProxyType({TEXT: (TEXT,), RISK: (RISK, *(f"{RISK}_{type}" for type in TYPES))})
"""What comes out -> the names of its columns: the highest risk of a text, and that of its phrases of each type."""


class EmbanonTransformer(TransformerMixin, BaseEstimator):
    """Anonymize texts, or return their risks.

    `X` is a list, array or column of texts, or of objects as in JSON Lines (`text`, `protect`, `others`, `language`,
    `entity`), which say whom else to protect in one text. A table of one column gives a table of one column: in a
    `ColumnTransformer`, `["text"]` gives a column of texts, and `"text"` what a vectorizer reads.

    With `train`, `fit` trains a model on them, so that rarity is that of these texts; it is kept, copied and pickled
    with the transformer, and is as secret as they are. The other parameters are those of `embanon.load`. All show in
    its repr, as scikit-learn has it; names that must not are given as `embanon.Entity`, or with the texts.
    """

    def __init__(
        self, protect: Protect | None = EVERYONE, *, others: Protect | None = None, output: str = TEXT,
        train: bool = False, model: str | Path | None = None, config: Any = None,
        preset: str | None = None, limit: float | None = None,
        language: str | None = None, method: str | None = None,
    ) -> None:  # fmt: skip
        self.protect = protect
        self.others = others
        self.output = output
        self.train = train
        self.model = model
        self.config = config
        self.preset = preset
        self.limit = limit
        self.language = language
        self.method = method

    def fit(self, X: Iterable[Any], y: Any = None) -> EmbanonTransformer:  # noqa: N803
        """Open the model and the settings; or train the model on texts."""
        if self.output not in COLUMNS:
            raise ConfigError(f"output must be one of {', '.join(COLUMNS)}")
        opened = load(
            self.model, self.config, preset=self.preset, limit=self.limit, language=self.language, method=self.method
        )  # fmt: skip
        sources = _sources(X)
        self.folder_ = _ModelFolder() if self.train else None
        if self.folder_:
            if self.model is not None:
                raise ConfigError("train makes a model of the texts; leave out model, or train=False")
            # one thread, so that the same texts give the same model
            config = replace(opened.config, train=replace(opened.config.train, threads=1, grow=False))
            train(sources, self.folder_.model, config=config)
            opened = replace(opened, model=Model.open(self.folder_.model))
        self.anonymizer_ = opened
        return self

    def transform(self, X: Iterable[Any]) -> NDArray[Any]:  # noqa: N803
        """Return a text for each text, or a row of risks."""
        check_is_fitted(self, "anonymizer_")
        anonymizer: Anonymizer = self.anonymizer_
        is_table, rules = getattr(X, "ndim", 1) == 2, rules_for(self.protect, self.others)
        documents = [source.document for source in _sources(X)]
        if self.output == RISK:
            scored = list(anonymizer.score_all(documents, rules))
            warn_unmentioned(scored)
            risks = [_risks(one) for one in scored]
            return np.array(risks, np.float64).reshape(len(risks), len(COLUMNS[RISK]))
        anonymized = list(anonymizer.anonymize_all(documents, rules))
        warn_unmentioned([one.scored_document for one in anonymized])
        warn_remaining(anonymized)
        texts = np.array([one.text for one in anonymized], object)
        return texts.reshape(-1, 1) if is_table else texts

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the columns that come out."""
        return np.array(COLUMNS[self.output], object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = dict(super().__getstate__())
        if state.get("folder_"):  # which a copy has for itself
            state["anonymizer_"] = replace(state["anonymizer_"], model=None)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if folder := state.get("folder_"):
            self.anonymizer_ = replace(self.anonymizer_, model=Model.open(folder.model))


class _ModelFolder:
    """A folder for a model, which goes when nobody has it any more, and is sent with its files."""

    def __init__(self, files: Mapping[str, bytes] = MappingProxyType({})) -> None:
        folder = mkdtemp(prefix="embanon-")  # which nobody else may read
        self.model = Path(folder) / "model"
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        if files:
            self.model.mkdir()
        for name, data in files.items():
            (self.model / name).write_bytes(data)

    def __reduce__(self) -> tuple[type[_ModelFolder], tuple[dict[str, bytes]]]:
        return _ModelFolder, ({file.name: file.read_bytes() for file in self.model.iterdir()},)


def _sources(texts: Iterable[Any]) -> list[CorpusDocument]:
    """Read texts, each with whom it is about where it says so; what is wrong is said without quoting it."""
    shape = getattr(texts, "shape", (0,))
    if isinstance(texts, str | bytes | Mapping) or not isinstance(texts, Iterable) or shape[1:] not in ((), (1,)):
        raise InputError("X must be a list or one column of texts; of a table, take the column of texts")
    rows = np.asarray(texts)[:, 0] if len(shape) == 2 else texts
    return [_source(number, item) for number, item in enumerate(rows)]


def _source(number: int, item: Any) -> CorpusDocument:
    row = {TEXT: item} if isinstance(item, str) else item
    if not isinstance(row, Mapping) or not isinstance(row.get(TEXT), str):
        raise InputError(f"X[{number}]: must be a text, or an object such as {{'text': …, 'protect': […]}}")
    spoken, entity = row.get("language"), row.get("entity")
    code = language_code(spoken) if isinstance(spoken, str) else None
    if spoken is not None and code is None:
        raise InputError(f"X[{number}]: key 'language': {LANGUAGE_CODE_HELP}; leave it out where it is not known")
    if not isinstance(entity, str | None):
        raise InputError(f"X[{number}]: key 'entity' must be a string; leave it out where it is not known")
    return CorpusDocument(Document(str(number), row[TEXT], code, row), entity or None)


def _risks(scored: ScoredDocument) -> list[float]:
    """Return the highest risk of a text, and that of each type; unknown counts as the highest."""
    risks, types = np.nan_to_num(scored.scored.risk, nan=1.0), scored.scored.phrases.type
    return [
        float(np.max(some, initial=0.0)) for some in (risks, *(risks[types == code] for code in range(len(TYPES))))
    ]  # fmt: skip
