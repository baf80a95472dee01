"""What measures look with, as the options of `evaluate` name it: taggers, information, models, taxonomies."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, Final

from embanon.errors import ConfigError, MissingExtraError
from embanon.measure import (
    CorpusInformation,
    FrequencyInformation,
    GoldDocument,
    Information,
    Instruments,
    MaskedLanguageModel,
    PhraseInformation,
    ShippedTagger,
    SpacyTagger,
    TextTagger,
    UniformInformation,
    VectorSimilarity,
)
from embanon.model import Model, open_model
from embanon.taxonomy import SHIPPED, Climber, climber

TAGGERS: Final = ("embanon", "spacy")
CORPUS, MASKED_LM, UNIFORM = "corpus", "masked-lm", "uniform"


def open_instruments(options: argparse.Namespace, first: GoldDocument) -> Instruments:
    """Open what the options name; the first document tells the language where only one can be asked."""
    if options.information == CORPUS and not options.model:
        raise ConfigError("--information corpus needs a corpus; name a model of it: --model MODEL")
    if (options.information == MASKED_LM) != bool(options.language_model):
        raise ConfigError("--information masked-lm and --language-model FOLDER go together; give both or neither")
    model = open_model(options.model) if options.model else None
    bits: PhraseInformation = CorpusInformation.from_model(model) if model else FrequencyInformation()
    stores = tuple(options.store) or SHIPPED

    def climb(language: str) -> Climber:
        return climber(stores, language.partition("-")[0])

    return Instruments(
        _tags(options.tags, options.language or first.language or "en"), _information(options, model), bits,
        VectorSimilarity(model, uses_phrases=False) if model else None, climb,
    )  # fmt: skip


def _information(options: argparse.Namespace, model: Model | None) -> Information:
    if options.information == MASKED_LM:
        return MaskedLanguageModel.open(Path(options.language_model))
    if options.information == CORPUS and model:
        return CorpusInformation.from_model(model)
    return UniformInformation() if options.information == UNIFORM else FrequencyInformation()


def _tags(name: str, language: str) -> TextTagger:
    kind, _, pipeline = name.partition(":")
    if kind not in TAGGERS or (pipeline and kind == TAGGERS[0]):
        raise ConfigError(f"--tags {name!r}: must be embanon, spacy or spacy:PIPELINE")
    return SpacyTagger(_pipeline(pipeline, language)) if kind == TAGGERS[1] else ShippedTagger()


def _pipeline(name: str, language: str) -> Any:
    """Load a pipeline: as named, or the first of the language that is installed."""
    try:
        import spacy
    except ImportError as exc:
        raise MissingExtraError("spacy", "spacy") from exc
    installed = sorted(spacy.util.get_installed_models())
    found = name or next((one for one in installed if one.startswith(f"{language}_")), "")
    if not found:
        raise ConfigError(
            f"no pipeline of spaCy for {language!r} is installed; install one, or name it: --tags spacy:…"
        )
    try:
        return spacy.load(found, exclude=["ner", "parser", "lemmatizer"])
    except (OSError, ValueError) as exc:
        raise ConfigError(
            f"--tags spacy:{found}: no such pipeline; installed: {', '.join(installed) or 'none'}"
        ) from exc
