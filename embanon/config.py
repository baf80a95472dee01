"""What can be set, and its defaults: one TOML file, every default written once, below.

A value comes from a flag, else from the environment (`EMBANON_LANGUAGE`, `EMBANON_PHRASES_IDENTIFIERS`), else
from the file (`--config`, `EMBANON_CONFIG`, ./embanon.toml, or the user's configuration folder), else from
the default. `embanon config` prints what is in force and where each value comes from.
"""

from __future__ import annotations

import contextlib
import difflib
import os
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass, replace
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, get_args, get_origin, get_type_hints

from embanon.document import TYPES
from embanon.errors import ConfigError

FILE_NAME: Final = "embanon.toml"
PREFIX: Final = "EMBANON_"
NOT_KEYS: Final = frozenset({"EMBANON_CONFIG", "EMBANON_DEBUG"})
"""Variables of ours that are no key of the file."""

GAZETTEER_BYTES: Final = 64 << 20


@dataclass(frozen=True, slots=True)
class Pattern:
    """What the user knows how to find: a regular expression, words, or a gazetteer with one entry a line."""

    name: str
    type: str
    kind: str = ""
    regex: str = ""
    words: tuple[str, ...] = field(default=(), repr=False)
    file: str = ""
    languages: tuple[str, ...] = ()
    ignore_case: bool = False


@dataclass(frozen=True, slots=True)
class Allow:
    """What is never a phrase. Lemmas are matched by the dictionary form of a word.

    Case counts, and for `Deny` it does not: where a list is unclear, more is masked, not less.
    """

    words: tuple[str, ...] = field(default=(), repr=False)
    regex: tuple[str, ...] = ()
    lemmas: tuple[str, ...] = field(default=(), repr=False)
    languages: tuple[str, ...] = ()
    ignore_case: bool = False


@dataclass(frozen=True, slots=True)
class Deny:
    """What is always a phrase, of the type given."""

    type: str = "MISC"
    kind: str = ""
    words: tuple[str, ...] = field(default=(), repr=False)
    regex: tuple[str, ...] = ()
    lemmas: tuple[str, ...] = field(default=(), repr=False)
    languages: tuple[str, ...] = ()
    ignore_case: bool = True


@dataclass(frozen=True, slots=True)
class Phrases:
    """How phrases are found."""

    default_language: str = "en"  # where a text is too short to tell
    identifiers: bool = True  # also find e-mail addresses, phone numbers, account numbers …
    regex_seconds: float = 2.0  # that one expression of the user may take for each million characters


@dataclass(frozen=True, slots=True)
class Config:
    """Everything that can be set."""

    language: str = "auto"
    phrases: Phrases = Phrases()
    patterns: tuple[Pattern, ...] = ()
    allow: tuple[Allow, ...] = ()
    deny: tuple[Deny, ...] = ()


@dataclass(frozen=True, slots=True)
class Settings:
    """The configuration in force; `origins` says where each value comes from that is not a default."""

    config: Config
    origins: Mapping[str, str]

    def rows(self) -> Iterator[tuple[str, Any, str]]:
        """Give (key, value, where from). Lists of words are secrets: only their length is given."""
        for key, value in _leaves(self.config):
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
        table = _read(file)
        values = _typed(Config, table, "", str(file))
        _check_languages(values, str(file))
        values = _with_gazetteers(values, file)
        origins = dict.fromkeys(_keys(table), f"file {file}")
    for variable, text in sorted(environment.items()):
        if variable.startswith(PREFIX) and variable not in NOT_KEYS:
            key = _settable_key(variable)
            _set(values, key, _parse(key, text, variable))
            origins[key] = f"environment {variable}"
    for key, value in flags.items():
        if value is not None:
            _set(values, key, _scalar(_settable()[key], value, key, "the command line"))
            origins[key] = "flag"
    config = _build(Config, values)
    _check_codes(config, origins)
    return Settings(config, MappingProxyType(origins))


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


def _read(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_bytes().decode("utf-8-sig"))
    except OSError as exc:
        raise ConfigError(f"{file}: cannot be read ({exc.strerror}); check --config") from exc
    except UnicodeDecodeError as exc:
        raise ConfigError(f"{file}: byte {exc.start} is not UTF-8; save the file as UTF-8") from exc
    except tomllib.TOMLDecodeError as exc:
        # The message of tomllib may quote the file; its place is enough.
        place = re.search(r"line \d+, column \d+", str(exc))
        where = place.group() if place else "its end"
        raise ConfigError(f"{file}: not valid TOML at {where}") from exc


def _with_gazetteers(values: dict[str, Any], file: Path) -> dict[str, Any]:
    """Put the lines of each pattern's gazetteer, named relative to the configuration, among its words."""
    patterns = []
    for pattern in values.get("patterns", ()):
        if pattern.file:
            gazetteer = file.parent / pattern.file
            pattern = replace(pattern, words=pattern.words + _lines(gazetteer, pattern.name))
        patterns.append(pattern)
    return values | {"patterns": tuple(patterns)} if patterns else values


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
    return tuple(line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#"))


# Tables to dataclasses: the dataclasses above are the schema


@cache
def _hints(cls: type) -> dict[str, Any]:
    return get_type_hints(cls)


def _typed(cls: type, table: Mapping[str, Any], prefix: str, where: str) -> dict[str, Any]:
    """Check a table against the fields of a dataclass and give its values in their types."""
    hints = _hints(cls)
    values: dict[str, Any] = {}
    for name, value in table.items():
        key = f"{prefix}{name}"
        if name not in hints:
            raise ConfigError(f"{where}: unknown key {key!r}{_nearest(name, hints, prefix)}")
        values[name] = _value(hints[name], value, key, where)
    return values


def _value(hint: Any, value: Any, key: str, where: str) -> Any:
    if is_dataclass(hint):
        if not isinstance(value, dict):
            raise ConfigError(f"{where}: {key} must be a table: [{key}]")
        return _typed(hint, value, f"{key}.", where)  # type: ignore[arg-type]
    if get_origin(hint) is not tuple:
        return _scalar(hint, value, key, where)
    item = get_args(hint)[0]
    if is_dataclass(item) and isinstance(value, dict) and item is not Pattern:
        value = [value]  # [allow] is short for a single [[allow]]
    if not isinstance(value, list):
        wanted = f"tables: [[{key}]]" if is_dataclass(item) else "a list"
        raise ConfigError(f"{where}: {key} must be {wanted}")
    if not is_dataclass(item):
        return tuple(_scalar(item, entry, f"{key}[{index}]", where) for index, entry in enumerate(value))
    return tuple(_row(item, entry, f"{key}[{index}]", where) for index, entry in enumerate(value))  # type: ignore[arg-type]


def _row(cls: type, entry: Any, key: str, where: str) -> Any:
    """Make one pattern or list, and say what it lacks."""
    if not isinstance(entry, dict):
        raise ConfigError(f"{where}: {key} must be a table")
    values = _typed(cls, entry, f"{key}.", where)
    for item in fields(cls):
        if item.default is MISSING and item.name not in values:
            raise ConfigError(f"{where}: {key} lacks {item.name!r}")
    row = cls(**values)
    if cls is not Allow and row.type not in TYPES:
        raise ConfigError(f"{where}: {key}.type must be one of {', '.join(TYPES)}")
    if cls is Pattern and not (row.regex or row.words or row.file):
        raise ConfigError(f"{where}: {key} ({row.name!r}) finds nothing; give it `regex`, `words` or `file`")
    return row


def _scalar(hint: Any, value: Any, key: str, where: str) -> Any:
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if type(value) is not hint:
        names = {str: "a string", bool: "true or false", int: "a whole number", float: "a number"}
        raise ConfigError(f"{where}: {key} must be {names[hint]}")
    return value


def _nearest(name: str, known: Mapping[str, Any], prefix: str = "") -> str:
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    return f"; did you mean {prefix + near[0]!r}?" if near else f"; known here: {', '.join(known)}"


def _build(cls: Any, values: dict[str, Any]) -> Any:
    hints = _hints(cls)
    built = {name: _build(hints[name], value) for name, value in values.items() if is_dataclass(hints[name])}
    return cls(**(values | built))


# Keys as the environment and flags name them


@cache
def _settable(cls: type = Config, prefix: str = "") -> dict[str, Any]:
    """Give the type of each single value by its dotted key; lists are set in the file only."""
    found: dict[str, Any] = {}
    for name, hint in _hints(cls).items():
        if is_dataclass(hint):
            found |= _settable(hint, f"{prefix}{name}.")  # type: ignore[arg-type]
        elif get_origin(hint) is not tuple:
            found[prefix + name] = hint
    return found


def _settable_key(variable: str) -> str:
    names = {PREFIX + key.replace(".", "_").upper(): key for key in _settable()}
    if variable not in names:
        raise ConfigError(f"unknown environment variable {variable}{_nearest(variable, names)}")
    return names[variable]


def _parse(key: str, text: str, variable: str) -> Any:
    hint = _settable()[key]
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


# Checks of values, and showing them


def _check_languages(values: Mapping[str, Any], where: str) -> None:
    for key in ("patterns", "allow", "deny"):
        for index, row in enumerate(values.get(key, ())):
            for code in row.languages:
                _check_code(code, f"{where}: {key}[{index}].languages")


def _check_codes(config: Config, origins: Mapping[str, str]) -> None:
    if config.language != "auto":
        _check_code(config.language, f"language ({origins.get('language', 'default')})", " or auto")
    key = "phrases.default_language"
    _check_code(config.phrases.default_language, f"{key} ({origins.get(key, 'default')})")
    if not config.phrases.regex_seconds > 0:
        raise ConfigError("phrases.regex_seconds must be above 0")


def _check_code(code: str, where: str, further: str = "") -> None:
    if not re.fullmatch(r"[a-z]{2,3}", code):
        raise ConfigError(f"{where}: a language is two or three small letters, such as en{further}")


def _leaves(value: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    for item in fields(value):
        entry, name = getattr(value, item.name), f"{key}.{item.name}" if key else item.name
        if is_dataclass(entry):
            yield from _leaves(entry, name)
        elif isinstance(entry, tuple) and entry and is_dataclass(entry[0]):
            for index, row in enumerate(entry):
                yield from _leaves(row, f"{name}[{index}]")
        elif isinstance(entry, tuple) and not item.repr:
            yield name, f"{len(entry)} entries"
        else:
            yield name, list(entry) if isinstance(entry, tuple) else entry
