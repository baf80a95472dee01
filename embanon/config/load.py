"""Settings in force: from an option, else the environment, else a file, else the default."""

from __future__ import annotations

import contextlib
import os
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from embanon.config.chunk_grammar import MAX_GRAMMAR_LENGTH, compile_chunk_grammar
from embanon.config.schema import (
    build_dataclass,
    iterate_settings,
    settable_keys,
    suggest_name,
    validate_scalar,
    validate_table,
)
from embanon.config.settings import (
    MAX_SECONDS,
    NLTK_CHUNKER,
    RISK,
    SIMILARITY_PRESETS,
    STANDARD,
    Config,
    ScoreSettings,
)
from embanon.document import LANGUAGE_CODE, LANGUAGE_CODE_HELP, language_code
from embanon.errors import ConfigError
from embanon.io import replace_file, resolve_link

FILE_NAME: Final = "embanon.toml"

ENVIRONMENT_PREFIX: Final = "EMBANON_"

DEFAULT_SCORE: Final = ScoreSettings()

RESERVED_VARIABLES: Final = frozenset({"EMBANON_CONFIG", "EMBANON_DEBUG"})
"""Variables of ours that are no key of the file."""

MAX_GAZETTEER_BYTES: Final = 64 << 20


@dataclass(frozen=True, slots=True)
class LoadedConfig:
    """The configuration in force; `origins` says where each value comes from that is not a default."""

    config: Config
    origins: Mapping[str, str]

    def rows(self) -> Iterator[tuple[str, Any, str]]:
        """Yield (key, value, origin). Words and expressions are secrets: only their number is shown."""
        for key, value in iterate_settings(self.config):
            yield key, value, self.origins.get(key) or self.origins.get(key.partition("[")[0]) or "default"


def load(
    path: str | Path | None = None,
    flags: Mapping[str, Any] = MappingProxyType({}),
    environment: Mapping[str, str] | None = None,
) -> LoadedConfig:
    """Gather the settings: `flags` maps dotted keys to values, where `None` means not given."""
    environment = os.environ if environment is None else environment
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    file = _find_file(path, environment)
    if file is not None:
        table = read_toml(file)
        values = validate_table(Config, table, "", str(file))
        values = _with_store_paths(_with_paths(_with_gazetteers(values, file), file), file)
        origins = dict.fromkeys(_dotted_keys(table), f"file {file}")
    variables = [
        name for name in sorted(environment) if name.startswith(ENVIRONMENT_PREFIX) and name not in RESERVED_VARIABLES
    ]
    by_variable = {_settable_key(name): name for name in variables}
    _drop_overridden_limits({key: environment[name] for key, name in by_variable.items()}, values, origins)
    for key, variable in by_variable.items():
        _set_by_key(values, key, _parse_variable(key, environment[variable], variable))
        origins[key] = f"environment {variable}"
    given = {key: value for key, value in flags.items() if value is not None}
    _drop_overridden_limits(given, values, origins)
    for key, value in given.items():
        _set_by_key(values, key, validate_scalar(settable_keys(Config)[key], value, key, "the command line"))
        origins[key] = "option"
    config = _with_grammar(_with_short_codes(build_dataclass(Config, values)), file, origins)
    _check_values(config, origins)
    return LoadedConfig(config, MappingProxyType(origins))


def _drop_overridden_limits(given: Mapping[str, Any], values: dict[str, Any], origins: dict[str, str]) -> None:
    """Drop the limit of another preset than is given here, and all limits of another scorer."""
    score = values.get("score", {})
    before = _scorer_in_force(score)
    named = {name: given[key] for name in ("preset", "scorer") if (key := f"score.{name}") in given}
    after = _scorer_in_force({**score, **named})
    dropped = {"limit", "limits"} if before != after else {"limit"} if "score.preset" in given else set[str]()
    if dropped:
        values["score"] = {name: value for name, value in score.items() if name not in dropped}
        for key in [key for key in origins if key.startswith("score.") and key.split(".")[1] in dropped]:
            origins.pop(key)


def _scorer_in_force(score: Mapping[str, Any]) -> str:
    return ScoreSettings(str(score.get("preset", STANDARD)), scorer=str(score.get("scorer", ""))).effective_scorer


def write_limits(path: Path, limit: float, by_type: Mapping[str, float], scorer: ScoreSettings = DEFAULT_SCORE) -> None:
    """Set the limits in a file of settings, with the scorer that they are of, and keep what else is in it.

    Types not named have no limit of their own.
    """
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    table = read_toml(path) if path.is_file() else {}
    validate_table(Config, table, "", str(path))  # says what is wrong with it better than the other library
    type_limits = {"limits": dict(by_type)} if by_type else {}
    rest = {name: value for name, value in table.get("score", {}).items() if name != "limits"}
    kept = {"scorer": scorer.effective_scorer}
    if scorer.effective_scorer == RISK and rest.get("preset") in SIMILARITY_PRESETS:
        kept["preset"] = STANDARD  # the other would contradict the scorer
    if scorer.encoder:
        kept["encoder"] = str(Path(scorer.encoder).resolve())
    try:
        document = tomlkit.parse(path.read_bytes().decode("utf-8-sig")) if path.is_file() else tomlkit.document()
        score = document.setdefault("score", tomlkit.table())
        score.pop("limits", None)
        score["limit"] = limit
        for name, value in kept.items():
            score[name] = value
        if type_limits:
            score["limits"] = tomlkit.inline_table()  # a table of its own would take in what is written behind it
            score["limits"].update(by_type)
        wanted = tomlkit.dumps(document)
        done = tomllib.loads(wanted) == {**table, "score": {**rest, "limit": limit, **kept, **type_limits}}
    except (TOMLKitError, tomllib.TOMLDecodeError):
        done = False
    if not done:
        listed = ", ".join(f"{type} = {value:g}" for type, value in by_type.items())
        setting = f"limit = {limit:g}" + (f" and limits = {{{listed}}}" if listed else "")
        raise ConfigError(f"{path}: cannot be changed and kept as it is; set in [score] by hand: {setting}")
    try:
        mode = path.stat().st_mode & 0o777 if path.is_file() else 0o666
        replace_file(resolve_link(path), wanted.encode(), mode)
    except OSError as exc:
        raise ConfigError(f"{path}: cannot be written ({exc.strerror}); name another file: -o FILE") from exc


def user_folder() -> Path:
    """Return the folder where this system keeps the user's configuration of embanon."""
    home = Path.home()
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA", home / "AppData" / "Roaming")) / "embanon"
    if sys.platform == "darwin":
        return home / "Library" / "Application Support" / "embanon"
    return Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config") / "embanon"


def _find_file(path: str | Path | None, environment: Mapping[str, str]) -> Path | None:
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
            pattern = replace(pattern, words=pattern.words + _read_gazetteer(gazetteer, pattern.name))
        patterns.append(pattern)
    return values | {"patterns": tuple(patterns)} if patterns else values


def _with_paths(values: dict[str, Any], file: Path) -> dict[str, Any]:
    """Name the key and the encoder relative to the configuration."""
    for table, name in (("anonymize", "key_file"), ("score", "encoder")):
        if path := values.get(table, {}).get(name):
            values = values | {table: values[table] | {name: str(file.parent / path)}}
    return values


def _with_store_paths(values: dict[str, Any], file: Path) -> dict[str, Any]:
    """Name taxonomies relative to the configuration; what is no folder there is the name of a shipped one."""
    table = values.get("anonymize", {})
    if not table.get("stores"):
        return values
    stores = tuple(str(file.parent / name) if (file.parent / name).is_dir() else name for name in table["stores"])
    return values | {"anonymize": table | {"stores": stores}}


def _with_grammar(config: Config, file: Path | None, origins: dict[str, str]) -> Config:
    """Put what the grammar's file has in its place; in a file of settings its name is relative to that."""
    phrases = config.phrases
    if not phrases.grammar_file:
        return config
    if phrases.grammar:
        raise ConfigError("phrases.grammar and phrases.grammar_file are two grammars; keep one")
    is_relative = file is not None and origins.get("phrases.grammar_file", "").startswith("file ")
    path = file.parent / phrases.grammar_file if file and is_relative else Path(phrases.grammar_file)
    text = _read_text(path, "phrases.grammar_file:", MAX_GRAMMAR_LENGTH)
    origins["phrases.grammar"] = f"file {path}"
    return replace(config, phrases=replace(phrases, grammar=text))


def _read_gazetteer(gazetteer: Path, name: str) -> tuple[str, ...]:
    text = _read_text(gazetteer, f"pattern {name!r}:", MAX_GAZETTEER_BYTES)
    entries = (line.strip() for line in text.splitlines() if not line.startswith("#"))
    # \# writes an entry that begins with the sign of a comment.
    return tuple(entry[1:] if entry.startswith("\\#") else entry for entry in entries if entry)


def _read_text(path: Path, what: str, most: int) -> str:
    """Read a file that the settings name; it has so many bytes at most."""
    where = f"{what} {path}"
    try:
        if path.stat().st_size > most:
            size = f"{most >> 20} MB" if most >> 20 else f"{most:,} bytes"
            raise ConfigError(f"{where} is larger than {size}; split it, or name another")
        return path.read_bytes().decode("utf-8-sig")
    except OSError as exc:
        raise ConfigError(f"{where} cannot be read ({exc.strerror}); check its name") from exc
    except UnicodeDecodeError as exc:
        raise ConfigError(f"{where}, byte {exc.start} is not UTF-8; save it as UTF-8") from exc


def _settable_key(variable: str) -> str:
    names = {ENVIRONMENT_PREFIX + key.replace(".", "_").upper(): key for key in settable_keys(Config)}
    if variable not in names:
        raise ConfigError(f"unknown environment variable {variable}{suggest_name(variable, names)}")
    return names[variable]


def _parse_variable(key: str, text: str, variable: str) -> Any:
    hint = settable_keys(Config)[key]
    if hint is bool:
        if text.lower() not in ("true", "false", "1", "0"):
            raise ConfigError(f"{variable} must be true or false")
        return text.lower() in ("true", "1")
    try:
        return hint(text)
    except ValueError as exc:
        raise ConfigError(f"{variable} must be a number") from exc


def _set_by_key(values: dict[str, Any], key: str, value: Any) -> None:
    *path, name = key.split(".")
    for part in path:
        values = values.setdefault(part, {})
    values[name] = value


def _dotted_keys(table: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    for name, value in table.items():
        yield prefix + name
        if isinstance(value, dict):
            yield from _dotted_keys(value, f"{prefix}{name}.")


def _with_short_codes(config: Config) -> Config:
    """Write codes as they are looked up; what is none stays, and is refused."""
    phrases = config.phrases
    default = language_code(phrases.default_language) or phrases.default_language
    language = language_code(config.language) or config.language.strip().lower()
    return replace(config, language=language, phrases=replace(phrases, default_language=default))


def _check_values(config: Config, origins: Mapping[str, str]) -> None:
    phrases = config.phrases
    codes = {"language": config.language, "phrases.default_language": phrases.default_language}
    for key, code in codes.items():
        if not (LANGUAGE_CODE.fullmatch(code) or (key, code) == ("language", "auto")):
            raise ConfigError(f"{key} ({origins.get(key, 'default')}): {LANGUAGE_CODE_HELP}")
    if not 0 < phrases.regex_seconds <= MAX_SECONDS:  # false for what is not a number, too
        where = origins.get("phrases.regex_seconds", "default")
        raise ConfigError(f"phrases.regex_seconds ({where}) must be above 0, and at most {MAX_SECONDS:.0f}")
    problems = {name: getattr(config, name).problem() for name in ("phrases", "train", "score", "anonymize", "sparql")}
    for table, problem in problems.items():
        if problem:
            key = table + problem.split()[0].rstrip(":")
            raise ConfigError(f"{table}{problem} ({origins.get(key, 'default')})")
    if phrases.chunker == NLTK_CHUNKER:
        place = f"phrases.grammar_file: {phrases.grammar_file}" if phrases.grammar_file else "phrases.grammar"
        compile_chunk_grammar(phrases.grammar, place)
