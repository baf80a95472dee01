"""Systems that others wrote and that install from the registry (the extra `bench`): what each would mask in texts.

Presidio finds with all its recognizers for English and the small model of spaCy, the named entities of which are the
second peer; without it Presidio would find patterns alone. scrubadub is its default scrubber, which finds e-mail
addresses, phone numbers and the like. Its names need data of NLTK that is downloaded (`text_blob`), or a spaCy model of
transformers (`scrubadub-spacy`): both are left out. None of them knows whom a text is about.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

from eval.boundaries import Span
from eval.speed import SPACY

Find = Callable[[Sequence[str]], list[list[Span]]]
"""Gives the spans of each text, in order."""
FindTyped = Callable[[Sequence[str]], list[list[tuple[int, int, str]]]]
"""The same with what the model calls each."""


@dataclass(frozen=True, slots=True)
class Peer:
    """A system, the modules that it needs, and how it is opened."""

    label: str
    modules: tuple[str, ...]
    open: Callable[[], Find]

    @property
    def missing(self) -> list[str]:
        """Return the modules that are not installed."""
        return [name for name in self.modules if not find_spec(name)]


def named_entities() -> FindTyped:
    """Open spaCy's small English model."""
    model = import_module("spacy").load(SPACY, exclude=["tagger", "parser", "attribute_ruler", "lemmatizer"])
    return lambda texts: [
        sorted((one.start_char, one.end_char, one.label_) for one in doc.ents) for doc in model.pipe(texts)
    ]


def _spacy() -> Find:
    find = named_entities()
    return lambda texts: [[(start, end) for start, end, _ in spans] for spans in find(texts)]


def presidio_entities() -> FindTyped:
    """Open Presidio with all its recognizers for English."""
    # Its recognizer of e-mail addresses asks the network for the newest list of domains, unless it is told not to.
    domains: Any = import_module("tldextract.tldextract")
    domains.TLD_EXTRACTOR = domains.TLDExtract(suffix_list_urls=(), cache_dir=None)
    models = {"nlp_engine_name": "spacy", "models": [{"lang_code": "en", "model_name": SPACY}]}
    provider = import_module("presidio_analyzer.nlp_engine").NlpEngineProvider(nlp_configuration=models)
    engine = import_module("presidio_analyzer").AnalyzerEngine(nlp_engine=provider.create_engine())
    return lambda texts: [
        sorted({(one.start, one.end, one.entity_type) for one in engine.analyze(text, "en")}) for text in texts
    ]


def _presidio() -> Find:
    find = presidio_entities()
    return lambda texts: [sorted({(start, end) for start, end, _ in spans}) for spans in find(texts)]


def _scrubadub() -> Find:
    scrubber = import_module("scrubadub").Scrubber()
    return lambda texts: [sorted((one.beg, one.end) for one in scrubber.iter_filth(text)) for text in texts]


PEERS: Final = (
    Peer("Presidio, live", ("presidio_analyzer", "spacy", SPACY), _presidio),
    Peer("spaCy, live", ("spacy", SPACY), _spacy),
    Peer("scrubadub, live", ("scrubadub",), _scrubadub),
)


def installed() -> list[Peer]:
    """Return the peers that are installed."""
    return [peer for peer in PEERS if not peer.missing]
