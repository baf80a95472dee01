"""What can be set, and its defaults: one TOML file, every default written once, below.

A value comes from a flag, else from the environment (`EMBANON_LANGUAGE`, `EMBANON_PHRASES_IDENTIFIERS`), else
from the file (`--config`, `EMBANON_CONFIG`, ./embanon.toml, or the user's configuration folder), else from
the default. `embanon config` prints what is in force and where each value comes from.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from embanon.document import LANGUAGE_CODE, LANGUAGE_CODE_HELP, LANGUAGE_TAG, TYPES, Floats

MAX_SECONDS: Final = 3600.0


@dataclass(frozen=True, slots=True)
class PatternRule:
    """What the user knows how to find: a regular expression, words, or a gazetteer with one entry a line."""

    name: str
    type: str
    kind: str = ""
    regex: str = field(default="", repr=False)
    words: tuple[str, ...] = field(default=(), repr=False)
    file: str = ""
    languages: tuple[str, ...] = ()
    ignore_case: bool = False

    def problem(self) -> str:
        """Return what is wrong with the values, or nothing."""
        if not (self.regex or self.words or self.file):
            return f" ({self.name!r}) finds nothing; give it `regex`, `words` or `file`"
        if not all(map(str.strip, self.words)):
            return ".words has an empty entry; remove it"
        return _type_problem(self.type) or _language_problem(self.languages)


@dataclass(frozen=True, slots=True)
class AllowRule:
    """What is never a phrase. Lemmas are matched by the dictionary form of a word.

    Case counts, and for `Deny` it does not: where a list is unclear, more is masked, not less.
    """

    words: tuple[str, ...] = field(default=(), repr=False)
    regex: tuple[str, ...] = field(default=(), repr=False)
    lemmas: tuple[str, ...] = field(default=(), repr=False)
    languages: tuple[str, ...] = ()
    ignore_case: bool = False

    def problem(self) -> str:
        """Return what is wrong with the values, or nothing."""
        return _entries_problem(self) or _language_problem(self.languages)


@dataclass(frozen=True, slots=True)
class DenyRule:
    """What is always a phrase, of the type given."""

    type: str = "MISC"
    kind: str = ""
    words: tuple[str, ...] = field(default=(), repr=False)
    regex: tuple[str, ...] = field(default=(), repr=False)
    lemmas: tuple[str, ...] = field(default=(), repr=False)
    languages: tuple[str, ...] = ()
    ignore_case: bool = True

    def problem(self) -> str:
        """Return what is wrong with the values, or nothing."""
        return _entries_problem(self) or _type_problem(self.type) or _language_problem(self.languages)


@dataclass(frozen=True, slots=True)
class PhraseSettings:
    """How phrases are found."""

    default_language: str = "en"  # where a text is too short to tell
    identifiers: bool = True  # also find e-mail addresses, phone numbers, account numbers …
    regex_seconds: float = 2.0  # that one expression of the user may take for each million characters
    chunker: str = "embanon"  # or nltk: noun phrases by a chunk grammar, over the tags of embanon
    grammar: str = ""  # for nltk: NP: {<ADJ>*<NOUN|PROPN>+}
    grammar_file: str = ""  # that has the grammar instead
    grammar_languages: tuple[str, ...] = ()  # whose noun phrases it decides; [] is all

    def problem(self) -> str:
        """Return what is wrong with the values, or nothing."""
        if self.chunker not in CHUNKERS:
            return f".chunker must be one of {', '.join(CHUNKERS)}"
        if self.chunker == NLTK_CHUNKER and not self.grammar.strip():
            return '.grammar is missing, for chunker = "nltk": such as NP: {<ADJ>*<NOUN|PROPN>+}'
        if self.chunker != NLTK_CHUNKER and self.grammar:
            return '.grammar is of another chunker; set phrases.chunker = "nltk", or remove it'
        if not all(map(LANGUAGE_CODE.fullmatch, self.grammar_languages)):
            return f".grammar_languages: {LANGUAGE_CODE_HELP}"
        return ""


NLTK_CHUNKER: Final = "nltk"
CHUNKERS: Final = ("embanon", NLTK_CHUNKER)


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """How a model is trained."""

    backend: str = "word2vec"  # or fasttext, which knows parts of words and is larger
    dimensions: int = 300
    window: int = 10  # phrases before and behind that one is learnt from
    epochs: int = 4
    rate: float = 0.08  # of learning, at the beginning
    negative: int = 5  # wrong phrases shown beside each right one
    sample: float = 0.001  # share above which a phrase is shown less often
    subword_min: int = 3  # characters of the parts that fasttext knows
    subword_max: int = 6
    buckets: int = 200_000  # rows that all these parts share
    entities: str = "given"  # or first (the first name in a document is whom it is about), or none
    entity_vectors: bool = False  # let each phrase also see the entity of its document
    dtype: str = "float16"  # or float32, int8: how vectors are stored
    grow: bool = True  # keep what `embanon train --update` needs
    seed: int = 1
    threads: int = 0  # 0: one for each processor
    license: str = ""  # of the corpus, for the card

    def problem(self) -> str:
        """Return what is wrong with the values, or nothing."""
        if problem := _bounds_problem(self, TRAIN_BOUNDS) or _choice_problem(self, TRAIN_CHOICES):
            return problem
        return ".subword_min must not be above subword_max" if self.subword_min > self.subword_max else ""


TRAIN_BOUNDS: Final[dict[str, tuple[float, float]]] = {
    "dimensions": (2, 4096), "window": (1, 1000), "epochs": (1, 1000), "rate": (1e-6, 1.0), "negative": (1, 100),
    "sample": (0.0, 1.0), "subword_min": (1, 20), "subword_max": (1, 20), "buckets": (1, 10_000_000),
    "seed": (0, 2**32 - 1), "threads": (0, 1024),
}  # fmt: skip
TRAIN_CHOICES: Final = {
    "backend": ("word2vec", "fasttext"), "entities": ("given", "first", "none"),
    "dtype": ("float16", "float32", "int8"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class SparqlSettings:
    """Where concepts are asked for, and how; nothing is asked unless you name an endpoint here.

    There is no default: a question about a secret tells it to whoever answers.
    """

    endpoint: str = ""
    insecure: bool = False  # also ask over http, which everybody between here and there can read
    dialect: str = "wikidata"  # or skos, owl: how concepts are written there
    languages: tuple[str, ...] = ("en", "de", "es", "pt")  # of the labels
    depth: int = 10  # steps to what is broader
    batch: int = 200  # labels or ids in a query
    page: int = 10_000  # rows in an answer
    seconds: float = 60.0  # for all of an answer
    retries: int = 4  # where the endpoint is busy
    pause: float = 1.0  # seconds before the first retry, twice as many before each further one
    cache: str = ""  # folder that keeps answers: as secret as what was asked
    cache_days: float = 30.0
    agent: str = ""  # what the endpoint is told that asks; else embanon and its version

    def problem(self) -> str:
        """Return what is wrong with the values, or nothing."""
        if problem := _bounds_problem(self, SPARQL_BOUNDS) or _choice_problem(self, {"dialect": SPARQL_DIALECTS}):
            return problem
        if not self.languages or not all(map(LANGUAGE_TAG.fullmatch, self.languages)):
            return f".languages: {LANGUAGE_CODE_HELP}"
        if not (self.agent.isascii() and self.agent.isprintable()):
            return ".agent must be ASCII without control characters"
        return self._endpoint_problem() if self.endpoint else ""

    def _endpoint_problem(self) -> str:
        """Return what is wrong with the address, which is not quoted: it may hold a password."""
        try:
            parts = urlsplit(self.endpoint)
            host, _ = parts.hostname or "", parts.port
        except ValueError:
            host = ""
        if not host or not SPARQL_ADDRESS.fullmatch(self.endpoint):
            return ".endpoint must be an address in ASCII such as https://example.org/sparql"
        if "@" in parts.netloc:
            return ".endpoint must not hold a name and password; ask an endpoint that needs none"
        if parts.scheme.lower() == "http" and not self.insecure and not is_loopback(host):
            return ".endpoint must begin with https:// (all on the way can read http); or set sparql.insecure = true"
        return ""


SPARQL_BOUNDS: Final[dict[str, tuple[float, float]]] = {
    "depth": (0, 100), "batch": (1, 10_000), "page": (1, 1_000_000), "seconds": (0.01, MAX_SECONDS),
    "retries": (0, 20), "pause": (0.0, 60.0), "cache_days": (0.0, 36_500.0),
}  # fmt: skip
SPARQL_DIALECTS: Final = ("wikidata", "skos", "owl")
SPARQL_ADDRESS: Final = re.compile(r"https?://[!$-;=?-\[\]_a-z~]+", re.IGNORECASE)
LOOPBACK_HOST: Final = re.compile(r"localhost|127(?:\.\d{1,3}){3}|::1")


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine."""
    return LOOPBACK_HOST.fullmatch(host.lower()) is not None


@dataclass(frozen=True, slots=True)
class RiskLimits:
    """The lowest risk that is masked: of all types, and of those with a limit of their own."""

    default: float
    by_type: tuple[tuple[str, float], ...] = ()

    def for_type(self, type: str) -> float:
        """Return the limit of a type."""
        return dict(self.by_type).get(type, self.default)

    def for_types(self, types: NDArray[np.uint8]) -> Floats:
        """Return the limits of types that are given as indexes into `TYPES`."""
        return np.array([self.for_type(type) for type in TYPES])[types]

    def to_dict(self) -> dict[str, Any]:
        """Return them ready for JSON."""
        return {"limit": self.default} | ({"limits": dict(self.by_type)} if self.by_type else {})

    def __str__(self) -> str:
        by_type = ", ".join(f"{type} {limit:g}" for type, limit in self.by_type)
        return f"{self.default:g} ({by_type})" if by_type else f"{self.default:g}"


@dataclass(frozen=True, slots=True)
class TypeLimits:
    """RiskLimits of types that have one of their own; -1: that of all."""

    PERSON: float = -1.0
    ORG: float = -1.0
    LOC: float = -1.0
    DATETIME: float = -1.0
    DEM: float = -1.0
    CODE: float = -1.0
    QUANTITY: float = -1.0
    MISC: float = -1.0

    def by_type(self) -> tuple[tuple[str, float], ...]:
        """Return each type that has a limit of its own, and the limit."""
        limits = ((type, float(getattr(self, type))) for type in TYPES)
        return tuple((type, limit) for type, limit in limits if limit != -1)

    def problem(self) -> str:
        """Return what is wrong with the values, or nothing."""
        wrong = [type for type, limit in self.by_type() if not 0 < limit <= 1]
        return f".{wrong[0]} must be above 0, and at most 1" if wrong else ""


@dataclass(frozen=True, slots=True)
class ScoreSettings:
    """What counts as risk."""

    preset: str = "standard"  # or strict; maximal, which also masks every rare word; thesis, thesis-0.5: by cosine
    limit: float = -1.0  # the lowest risk that is masked; -1: as the preset says
    attribution_limit: float = 0.2  # the least share of a phrase that speaks of an entity for its risk to be whole
    others: str = "mask"  # or keep: what speaks of others than the protected stays
    scorer: str = ""  # risk, cosine (of vectors to the names) or contextual; empty: as the preset says
    encoder: str = ""  # folder of sentence-transformers, by which contextual reads
    limits: TypeLimits = TypeLimits()

    def problem(self) -> str:
        """Return what is wrong with the values, or nothing."""
        if self.preset not in (*PRESETS, *SIMILARITY_PRESETS):
            return f".preset must be one of {', '.join((*PRESETS, *SIMILARITY_PRESETS))}"
        if self.scorer not in ("", *SCORERS):
            return f".scorer must be one of {', '.join(SCORERS)}"
        if problem := self._scorer_problem():
            return problem
        if self.others not in OTHERS:
            return f".others must be one of {', '.join(OTHERS)}"
        if not (self.limit == -1 or 0 < self.limit <= 1):
            return ".limit must be above 0, and at most 1"
        if not 0 <= self.attribution_limit <= 1:
            return ".attribution_limit must be from 0 to 1"
        problem = self.limits.problem()
        return f".limits{problem}" if problem else ""

    def _scorer_problem(self) -> str:
        """Return what of the preset, the scorer and its encoder does not go together, or nothing."""
        by_similarity = self.effective_scorer != RISK
        if self.preset in SIMILARITY_PRESETS and not by_similarity:
            return f".preset {self.preset} is of similarity; leave out the scorer risk"
        if by_similarity and self.limit == -1 and self.preset not in (STANDARD, *SIMILARITY_PRESETS):
            return f".preset {self.preset} is of the scorer risk; with {self.effective_scorer}: thesis, or a limit"
        if (self.effective_scorer == CONTEXTUAL) != bool(self.encoder):
            return ".scorer contextual and .encoder, a folder of sentence-transformers, go together; set both"
        return ""

    @property
    def effective_scorer(self) -> str:
        """Return the scorer in force."""
        return self.scorer or (COSINE if self.preset in SIMILARITY_PRESETS else RISK)

    @property
    def effective_limit(self) -> float:
        """Return the limit in force of all types that have none of their own."""
        if self.limit != -1:
            return self.limit
        if self.effective_scorer == RISK:
            return PRESETS[self.preset][0]
        return SIMILARITY_PRESETS.get(self.preset, SIMILARITY_PRESETS[THESIS])

    @property
    def effective_limits(self) -> RiskLimits:
        """Return the limits in force."""
        return RiskLimits(self.effective_limit, self.limits.by_type())

    @property
    def word_idf(self) -> float:
        """Return the rarity from which any word counts as a phrase; 0 is never."""
        return PRESETS[self.preset][1] if self.effective_scorer == RISK else 0.0


STANDARD: Final = "standard"
PRESETS: Final[dict[str, tuple[float, float]]] = {
    STANDARD: (0.5, 0.0),
    "strict": (0.2, 0.0),
    "maximal": (0.2, 0.5),
}
"""Name -> the limit, and the rarity from which any word counts."""
THESIS: Final = "thesis"
SIMILARITY_PRESETS: Final[dict[str, float]] = {THESIS: 0.25, "thesis-0.5": 0.5}
"""Name -> the limit of the cosine to the names: those that Hassan's thesis reports."""
RISK, COSINE, CONTEXTUAL = SCORERS = ("risk", "cosine", "contextual")
"""What is measured: how identifying a phrase is, or how similar to a name, by itself or as it is read in its text."""
OTHERS: Final = ("mask", "keep")
"""What becomes of what speaks of others than the protected."""


METHODS: Final = ("generalize", "suppress", "tag", "substitute", "shift", "mask", "fill", "keep")
"""What can stand instead of a phrase."""
MAX_SHIFT_DAYS: Final = 36_525
CHECKSUMS: Final = ("invalid", "valid")


@dataclass(frozen=True, slots=True)
class AnonymizeSettings:
    """What stands instead of what is masked, where no row of `[[methods]]` says something else."""

    method: str = "generalize"  # or suppress, tag, substitute, shift (dates), mask, fill (by a model), keep
    key_file: str = ""  # whose content chooses substitutes and shifts, the same for all texts; else each run its own
    shift_days: int = 365  # the most by which dates are shifted, to either side
    checksums: str = "invalid"  # or valid: of codes that are substituted or masked (a valid one may be somebody's)
    polish: str = ""  # address of a language model's server on this machine, or its file (.gguf): mends sentences

    def problem(self) -> str:
        """Return what is wrong with the values, or nothing."""
        return (
            _choice_problem(self, {"method": METHODS})
            or _bounds_problem(self, {"shift_days": (1, MAX_SHIFT_DAYS)})
            or _choice_problem(self, {"checksums": CHECKSUMS})
        )


@dataclass(frozen=True, slots=True)
class MethodRule:
    """What stands instead of phrases of some types, kinds and languages; an empty list is all of them."""

    method: str
    types: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()

    def problem(self) -> str:
        """Return what is wrong with the values, or nothing."""
        if self.method not in METHODS:
            return f".method must be one of {', '.join(METHODS)}"
        if not all(type in TYPES for type in self.types):
            return f".types must be of {', '.join(TYPES)}"
        if not all(kind.partition(".")[0] in TYPES and "." in kind for kind in self.kinds):
            return ".kinds must be of a type, as CODE.e-mail is"
        if self.method == "shift" and {*self.types, *(kind.partition(".")[0] for kind in self.kinds)} != {"DATETIME"}:
            return '.method "shift" is for dates: types = ["DATETIME"]'
        return _language_problem(self.languages)


@dataclass(frozen=True, slots=True)
class Config:
    """Everything that can be set."""

    language: str = "auto"
    phrases: PhraseSettings = PhraseSettings()
    train: TrainingSettings = TrainingSettings()
    score: ScoreSettings = ScoreSettings()
    anonymize: AnonymizeSettings = AnonymizeSettings()
    sparql: SparqlSettings = SparqlSettings()
    patterns: tuple[PatternRule, ...] = ()
    allow: tuple[AllowRule, ...] = ()
    deny: tuple[DenyRule, ...] = ()
    methods: tuple[MethodRule, ...] = ()


def _type_problem(type: str) -> str:
    return "" if type in TYPES else f".type must be one of {', '.join(TYPES)}"


def _entries_problem(row: AllowRule | DenyRule) -> str:
    if not (row.words or row.regex or row.lemmas):
        return " finds nothing; give it `words`, `regex` or `lemmas`, or remove it"
    for name in ("words", "regex", "lemmas"):
        if not all(map(str.strip, getattr(row, name))):
            return f".{name} has an empty entry; remove it"
    return ""


def _language_problem(codes: tuple[str, ...]) -> str:
    return "" if all(map(LANGUAGE_CODE.fullmatch, codes)) else f".languages: {LANGUAGE_CODE_HELP}"


def _bounds_problem(settings: object, bounds: Mapping[str, tuple[float, float]]) -> str:
    for name, (least, most) in bounds.items():
        if not least <= getattr(settings, name) <= most:  # false for what is not a number, too
            return f".{name} must be from {least} to {most}"
    return ""


def _choice_problem(settings: object, choices: Mapping[str, tuple[str, ...]]) -> str:
    for name, words in choices.items():
        if getattr(settings, name) not in words:
            return f".{name} must be one of {', '.join(words)}"
    return ""
