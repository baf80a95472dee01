"""What can be set, and its defaults: one TOML file, every default written once, below.

A value comes from a flag, else from the environment (`EMBANON_LANGUAGE`, `EMBANON_PHRASES_IDENTIFIERS`), else
from the file (`--config`, `EMBANON_CONFIG`, ./embanon.toml, or the user's configuration folder), else from
the default. `embanon config` prints what is in force and where each value comes from.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final
from urllib.parse import urlsplit

from embanon.config.schema import build, leaves, nearest, scalar, settable, typed
from embanon.document import TYPES
from embanon.errors import ConfigError
from embanon.io.files import meant, replace_file

FILE_NAME: Final = "embanon.toml"
PREFIX: Final = "EMBANON_"
NOT_KEYS: Final = frozenset({"EMBANON_CONFIG", "EMBANON_DEBUG"})
"""Variables of ours that are no key of the file."""

CODE: Final = re.compile("[a-z]{2,3}")
CODE_HELP: Final = "a language is two or three small letters, such as en"
LONG_CODE: Final = re.compile(r"\s*([A-Za-z]{2,3})(?:[-_][A-Za-z0-9]{1,8})*\s*")

MOST_SECONDS: Final = 3600.0

GAZETTEER_BYTES: Final = 64 << 20


@dataclass(frozen=True, slots=True)
class Pattern:
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
        """Say what is wrong with the values."""
        if not (self.regex or self.words or self.file):
            return f" ({self.name!r}) finds nothing; give it `regex`, `words` or `file`"
        if not all(map(str.strip, self.words)):
            return ".words has an empty entry; remove it"
        return _type_problem(self.type) or _language_problem(self.languages)


@dataclass(frozen=True, slots=True)
class Allow:
    """What is never a phrase. Lemmas are matched by the dictionary form of a word.

    Case counts, and for `Deny` it does not: where a list is unclear, more is masked, not less.
    """

    words: tuple[str, ...] = field(default=(), repr=False)
    regex: tuple[str, ...] = field(default=(), repr=False)
    lemmas: tuple[str, ...] = field(default=(), repr=False)
    languages: tuple[str, ...] = ()
    ignore_case: bool = False

    def problem(self) -> str:
        """Say what is wrong with the values."""
        return _entries_problem(self) or _language_problem(self.languages)


@dataclass(frozen=True, slots=True)
class Deny:
    """What is always a phrase, of the type given."""

    type: str = "MISC"
    kind: str = ""
    words: tuple[str, ...] = field(default=(), repr=False)
    regex: tuple[str, ...] = field(default=(), repr=False)
    lemmas: tuple[str, ...] = field(default=(), repr=False)
    languages: tuple[str, ...] = ()
    ignore_case: bool = True

    def problem(self) -> str:
        """Say what is wrong with the values."""
        return _entries_problem(self) or _type_problem(self.type) or _language_problem(self.languages)


@dataclass(frozen=True, slots=True)
class Phrases:
    """How phrases are found."""

    default_language: str = "en"  # where a text is too short to tell
    identifiers: bool = True  # also find e-mail addresses, phone numbers, account numbers …
    regex_seconds: float = 2.0  # that one expression of the user may take for each million characters


@dataclass(frozen=True, slots=True)
class Train:
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
        """Say what is wrong with the values."""
        for name, (least, most) in TRAIN_BOUNDS.items():
            if not least <= getattr(self, name) <= most:  # false for what is not a number, too
                return f".{name} must be from {least} to {most}"
        for name, words in TRAIN_WORDS.items():
            if getattr(self, name) not in words:
                return f".{name} must be one of {', '.join(words)}"
        return ".subword_min must not be above subword_max" if self.subword_min > self.subword_max else ""


TRAIN_BOUNDS: Final[dict[str, tuple[float, float]]] = {
    "dimensions": (2, 4096), "window": (1, 1000), "epochs": (1, 1000), "rate": (1e-6, 1.0), "negative": (1, 100),
    "sample": (0.0, 1.0), "subword_min": (1, 20), "subword_max": (1, 20), "buckets": (1, 10_000_000),
    "seed": (0, 2**32 - 1), "threads": (0, 1024),
}  # fmt: skip
TRAIN_WORDS: Final = {
    "backend": ("word2vec", "fasttext"), "entities": ("given", "first", "none"),
    "dtype": ("float16", "float32", "int8"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Sparql:
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
        """Say what is wrong with the values."""
        for name, (least, most) in SPARQL_BOUNDS.items():
            if not least <= getattr(self, name) <= most:  # false for what is not a number, too
                return f".{name} must be from {least} to {most}"
        if self.dialect not in SPARQL_DIALECTS:
            return f".dialect must be one of {', '.join(SPARQL_DIALECTS)}"
        if not self.languages or not all(map(LONG_CODE.fullmatch, self.languages)):
            return f".languages: {CODE_HELP}"
        if not (self.agent.isascii() and self.agent.isprintable()):
            return ".agent must be ASCII without control characters"
        return self._endpoint_problem() if self.endpoint else ""

    def _endpoint_problem(self) -> str:
        """Say what is wrong with the address, which is not quoted: it may hold a password."""
        try:
            parts = urlsplit(self.endpoint)
            host, _ = parts.hostname or "", parts.port
        except ValueError:
            host = ""
        if not host or not SPARQL_ADDRESS.fullmatch(self.endpoint):
            return ".endpoint must be an address in ASCII such as https://example.org/sparql"
        if "@" in parts.netloc:
            return ".endpoint must not hold a name and password; ask an endpoint that needs none"
        if parts.scheme.lower() == "http" and not self.insecure and not loopback(host):
            return ".endpoint must begin with https:// (all on the way can read http); or set sparql.insecure = true"
        return ""


SPARQL_BOUNDS: Final[dict[str, tuple[float, float]]] = {
    "depth": (0, 100), "batch": (1, 10_000), "page": (1, 1_000_000), "seconds": (0.01, MOST_SECONDS),
    "retries": (0, 20), "pause": (0.0, 60.0), "cache_days": (0.0, 36_500.0),
}  # fmt: skip
SPARQL_DIALECTS: Final = ("wikidata", "skos", "owl")
SPARQL_ADDRESS: Final = re.compile(r"https?://[!$-;=?-\[\]_a-z~]+", re.IGNORECASE)
LOOPBACK: Final = re.compile(r"localhost|127(?:\.\d{1,3}){3}|::1")


def loopback(host: str) -> bool:
    """Say whether a host is this machine."""
    return LOOPBACK.fullmatch(host.lower()) is not None


@dataclass(frozen=True, slots=True)
class TypeLimits:
    """Limits of types that have one of their own; -1: that of all."""

    PERSON: float = -1.0
    ORG: float = -1.0
    LOC: float = -1.0
    DATETIME: float = -1.0
    DEM: float = -1.0
    CODE: float = -1.0
    QUANTITY: float = -1.0
    MISC: float = -1.0

    def given(self) -> tuple[tuple[int, float], ...]:
        """Give the number of each type that has a limit of its own, and the limit."""
        found = ((number, float(getattr(self, type))) for number, type in enumerate(TYPES))
        return tuple((number, limit) for number, limit in found if limit != -1)

    def problem(self) -> str:
        """Say what is wrong with the values."""
        wrong = [TYPES[number] for number, limit in self.given() if not 0 < limit <= 1]
        return f".{wrong[0]} must be above 0, and at most 1" if wrong else ""


@dataclass(frozen=True, slots=True)
class Score:
    """What counts as risk."""

    preset: str = "standard"  # or strict (limit 0.28), maximal (0.28, and every rare word)
    limit: float = -1.0  # the lowest risk that is masked; -1: as the preset says
    attribution_limit: float = 0.2  # the least share of a phrase that speaks of an entity for its risk to be whole
    scorer: str = "risk"  # or cosine: the plain similarity of vectors
    limits: TypeLimits = TypeLimits()

    def problem(self) -> str:
        """Say what is wrong with the values."""
        if self.preset not in PRESETS:
            return f".preset must be one of {', '.join(PRESETS)}"
        if self.scorer not in SCORERS:
            return f".scorer must be one of {', '.join(SCORERS)}"
        if not (self.limit == -1 or 0 < self.limit <= 1):
            return ".limit must be above 0, and at most 1"
        if not 0 <= self.attribution_limit <= 1:
            return ".attribution_limit must be from 0 to 1"
        problem = self.limits.problem()
        return f".limits{problem}" if problem else ""

    @property
    def lowest(self) -> float:
        """Give the limit in force."""
        return PRESETS[self.preset][0] if self.limit == -1 else self.limit

    @property
    def word_idf(self) -> float:
        """Give the rarity from which any word counts as a phrase; 0 is never."""
        return PRESETS[self.preset][1]


PRESETS: Final[dict[str, tuple[float, float]]] = {
    "standard": (0.645, 0.0),
    "strict": (0.28, 0.0),
    "maximal": (0.28, 0.5),
}
"""Name -> the limit, and the rarity from which any word counts."""
SCORERS: Final = ("risk", "cosine")


METHODS: Final = ("generalize", "suppress", "tag", "substitute", "shift", "mask", "fill", "keep")
"""What can stand instead of a phrase."""
MOST_DAYS: Final = 36_525
CHECKSUMS: Final = ("invalid", "valid")


@dataclass(frozen=True, slots=True)
class Anonymize:
    """What stands instead of what is masked, where no row of `[[methods]]` says something else."""

    method: str = "generalize"  # or suppress, tag, substitute, shift (dates), mask, fill (by a model), keep
    key_file: str = ""  # whose content chooses substitutes and shifts, the same for all texts; else each run its own
    shift_days: int = 365  # the most by which dates are shifted, to either side
    checksums: str = "invalid"  # or valid: of codes that are substituted or masked (a valid one may be somebody's)

    def problem(self) -> str:
        """Say what is wrong with the values."""
        if self.method not in METHODS:
            return f".method must be one of {', '.join(METHODS)}"
        if not 1 <= self.shift_days <= MOST_DAYS:
            return f".shift_days must be from 1 to {MOST_DAYS}"
        return "" if self.checksums in CHECKSUMS else f".checksums must be one of {', '.join(CHECKSUMS)}"


@dataclass(frozen=True, slots=True)
class Method:
    """What stands instead of phrases of some types, kinds and languages; an empty list is all of them."""

    method: str
    types: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()

    def problem(self) -> str:
        """Say what is wrong with the values."""
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
    phrases: Phrases = Phrases()
    train: Train = Train()
    score: Score = Score()
    anonymize: Anonymize = Anonymize()
    sparql: Sparql = Sparql()
    patterns: tuple[Pattern, ...] = ()
    allow: tuple[Allow, ...] = ()
    deny: tuple[Deny, ...] = ()
    methods: tuple[Method, ...] = ()


@dataclass(frozen=True, slots=True)
class Settings:
    """The configuration in force; `origins` says where each value comes from that is not a default."""

    config: Config
    origins: Mapping[str, str]

    def rows(self) -> Iterator[tuple[str, Any, str]]:
        """Give (key, value, where from). Words and expressions are secrets: only their number is given."""
        for key, value in leaves(self.config):
            yield key, value, self.origins.get(key) or self.origins.get(key.partition("[")[0]) or "default"


def load(
    path: str | Path | None = None,
    flags: Mapping[str, Any] = MappingProxyType({}),
    environment: Mapping[str, str] | None = None,
) -> Settings:
    """Gather the settings: `flags` maps dotted keys to values, where `None` means not given."""
    environment = os.environ if environment is None else environment
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    file = _file(path, environment)
    if file is not None:
        table = read_toml(file)
        values = typed(Config, table, "", str(file))
        values = _with_key(_with_gazetteers(values, file), file)
        origins = dict.fromkeys(_keys(table), f"file {file}")
    variables = [name for name in sorted(environment) if name.startswith(PREFIX) and name not in NOT_KEYS]
    by_variable = {_settable_key(name): name for name in variables}
    _choose_preset(by_variable, values, origins)
    for key, variable in by_variable.items():
        _set(values, key, _parse(key, environment[variable], variable))
        origins[key] = f"environment {variable}"
    given = {key: value for key, value in flags.items() if value is not None}
    _choose_preset(given, values, origins)
    for key, value in given.items():
        _set(values, key, scalar(settable(Config)[key], value, key, "the command line"))
        origins[key] = "option"
    config = _with_short_codes(build(Config, values))
    _check_codes(config, origins)
    return Settings(config, MappingProxyType(origins))


def _choose_preset(given: Collection[str], values: dict[str, Any], origins: dict[str, str]) -> None:
    """Drop a limit that stands instead of another preset than the one that is given here, which goes before it."""
    if "score.preset" in given:
        values["score"] = {name: value for name, value in values.get("score", {}).items() if name != "limit"}
        origins.pop("score.limit", None)


def write_limits(path: Path, limit: float, by_type: Mapping[str, float]) -> None:
    """Set the limits in a file of settings, and keep what else is in it; types not named have none of their own."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    table = read_toml(path) if path.is_file() else {}
    typed(Config, table, "", str(path))  # says what is wrong with it better than the other library
    own = {"limits": dict(by_type)} if by_type else {}
    rest = {name: value for name, value in table.get("score", {}).items() if name != "limits"}
    try:
        document = tomlkit.parse(path.read_bytes().decode("utf-8-sig")) if path.is_file() else tomlkit.document()
        score = document.setdefault("score", tomlkit.table())
        score.pop("limits", None)
        score["limit"] = limit
        if own:
            score["limits"] = tomlkit.inline_table()  # a table of its own would take in what is written behind it
            score["limits"].update(by_type)
        wanted = tomlkit.dumps(document)
        done = tomllib.loads(wanted) == {**table, "score": {**rest, "limit": limit, **own}}
    except (TOMLKitError, tomllib.TOMLDecodeError):
        done = False
    if not done:
        some = ", ".join(f"{type} = {value:g}" for type, value in by_type.items())
        said = f"limit = {limit:g}" + (f" and limits = {{{some}}}" if some else "")
        raise ConfigError(f"{path}: cannot be changed and kept as it is; set in [score] by hand: {said}")
    try:
        mode = path.stat().st_mode & 0o777 if path.is_file() else 0o666
        replace_file(meant(path), wanted.encode(), mode)
    except OSError as exc:
        raise ConfigError(f"{path}: cannot be written ({exc.strerror}); name another file: -o FILE") from exc


def user_folder() -> Path:
    """Give the folder where this system keeps the user's configuration of embanon."""
    home = Path.home()
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA", home / "AppData" / "Roaming")) / "embanon"
    if sys.platform == "darwin":
        return home / "Library" / "Application Support" / "embanon"
    return Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config") / "embanon"


# Finding and reading the file


def _file(path: str | Path | None, environment: Mapping[str, str]) -> Path | None:
    named = path or environment.get("EMBANON_CONFIG")
    if named:
        return Path(named)
    candidates = [Path(FILE_NAME)]
    with contextlib.suppress(RuntimeError):  # no home folder
        candidates.append(user_folder() / FILE_NAME)
    return next((candidate for candidate in candidates if candidate.is_file()), None)


def read_toml(file: Path) -> dict[str, Any]:
    """Read a file of TOML; what is wrong with it is said without quoting it."""
    try:
        return tomllib.loads(file.read_bytes().decode("utf-8-sig"))
    except OSError as exc:
        raise ConfigError(f"{file}: cannot be read ({exc.strerror}); check its name") from exc
    except UnicodeDecodeError as exc:
        raise ConfigError(f"{file}: byte {exc.start} is not UTF-8; save the file as UTF-8") from exc
    except tomllib.TOMLDecodeError as exc:
        # The message of tomllib may quote the file; its place is enough.
        place = re.search(r"line \d+, column \d+", str(exc))
        where = place.group() if place else "its end"
        raise ConfigError(f"{file}: not valid TOML at {where}") from exc
    except (ValueError, RecursionError) as exc:
        raise ConfigError(f"{file}: holds a number that is too long, or lists in lists that are too deep") from exc


def _with_gazetteers(values: dict[str, Any], file: Path) -> dict[str, Any]:
    """Put the lines of each pattern's gazetteer, named relative to the configuration, among its words."""
    patterns = []
    for pattern in values.get("patterns", ()):
        if pattern.file:
            gazetteer = file.parent / pattern.file
            pattern = replace(pattern, words=pattern.words + _lines(gazetteer, pattern.name))
        patterns.append(pattern)
    return values | {"patterns": tuple(patterns)} if patterns else values


def _with_key(values: dict[str, Any], file: Path) -> dict[str, Any]:
    """Name the key relative to the configuration."""
    table = values.get("anonymize", {})
    if not table.get("key_file"):
        return values
    return values | {"anonymize": table | {"key_file": str(file.parent / table["key_file"])}}


def _lines(gazetteer: Path, name: str) -> tuple[str, ...]:
    where = f"pattern {name!r}: {gazetteer}"
    try:
        if gazetteer.stat().st_size > GAZETTEER_BYTES:
            raise ConfigError(f"{where} is larger than 64 MB; split it into several patterns")
        text = gazetteer.read_bytes().decode("utf-8-sig")
    except OSError as exc:
        raise ConfigError(f"{where} cannot be read ({exc.strerror}); check `file`") from exc
    except UnicodeDecodeError as exc:
        raise ConfigError(f"{where}, byte {exc.start} is not UTF-8; save it as UTF-8") from exc
    entries = (line.strip() for line in text.splitlines() if not line.startswith("#"))
    # \# writes an entry that begins with the sign of a comment.
    return tuple(entry[1:] if entry.startswith("\\#") else entry for entry in entries if entry)


# Keys as the environment and flags name them


def _settable_key(variable: str) -> str:
    names = {PREFIX + key.replace(".", "_").upper(): key for key in settable(Config)}
    if variable not in names:
        raise ConfigError(f"unknown environment variable {variable}{nearest(variable, names)}")
    return names[variable]


def _parse(key: str, text: str, variable: str) -> Any:
    hint = settable(Config)[key]
    if hint is bool:
        if text.lower() not in ("true", "false", "1", "0"):
            raise ConfigError(f"{variable} must be true or false")
        return text.lower() in ("true", "1")
    try:
        return hint(text)
    except ValueError as exc:
        raise ConfigError(f"{variable} must be a number") from exc


def _set(values: dict[str, Any], key: str, value: Any) -> None:
    *path, name = key.split(".")
    for part in path:
        values = values.setdefault(part, {})
    values[name] = value


def _keys(table: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    for name, value in table.items():
        yield prefix + name
        if isinstance(value, dict):
            yield from _keys(value, f"{prefix}{name}.")


# Checks of values


def language_code(text: str) -> str | None:
    """Give the two or three small letters of a language code with or without a region, `None` if it is none."""
    found = LONG_CODE.fullmatch(text)
    return found[1].lower() if found else None


def _with_short_codes(config: Config) -> Config:
    """Write codes as they are looked up; what is none stays, and is refused."""
    phrases = config.phrases
    default = language_code(phrases.default_language) or phrases.default_language
    language = language_code(config.language) or config.language.strip().lower()
    return replace(config, language=language, phrases=replace(phrases, default_language=default))


def _type_problem(type: str) -> str:
    return "" if type in TYPES else f".type must be one of {', '.join(TYPES)}"


def _entries_problem(row: Allow | Deny) -> str:
    if not (row.words or row.regex or row.lemmas):
        return " finds nothing; give it `words`, `regex` or `lemmas`, or remove it"
    for name in ("words", "regex", "lemmas"):
        if not all(map(str.strip, getattr(row, name))):
            return f".{name} has an empty entry; remove it"
    return ""


def _language_problem(codes: tuple[str, ...]) -> str:
    return "" if all(map(CODE.fullmatch, codes)) else f".languages: {CODE_HELP}"


def _check_codes(config: Config, origins: Mapping[str, str]) -> None:
    codes = {"language": config.language, "phrases.default_language": config.phrases.default_language}
    for key, code in codes.items():
        if not (CODE.fullmatch(code) or (key, code) == ("language", "auto")):
            raise ConfigError(f"{key} ({origins.get(key, 'default')}): {CODE_HELP}")
    if not 0 < config.phrases.regex_seconds <= MOST_SECONDS:  # false for what is not a number, too
        where = origins.get("phrases.regex_seconds", "default")
        raise ConfigError(f"phrases.regex_seconds ({where}) must be above 0, and at most {MOST_SECONDS:.0f}")
    problems = {name: getattr(config, name).problem() for name in ("train", "score", "anonymize", "sparql")}
    for table, problem in problems.items():
        if problem:
            key = table + problem.split()[0].rstrip(":")
            raise ConfigError(f"{table}{problem} ({origins.get(key, 'default')})")
