"""Tables of TOML as frozen dataclasses: the dataclass is the schema, its defaults are the only ones.

A class whose rows need more than types has `problem()`, which returns what is wrong, or nothing. One with `WRITTEN_AS`
may be written as the value of that field alone.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from datetime import date
from functools import cache
from typing import Any, Final, get_args, get_origin, get_type_hints

from embanon.errors import ConfigError

TYPE_NAMES: Final = {
    str: "a string", bool: "true or false", int: "a whole number", float: "a number", date: "a day: 2026-12-31",
}  # fmt: skip


@cache
def field_types(cls: Any) -> dict[str, Any]:
    """Return the types of the fields of a class."""
    return get_type_hints(cls)


def validate_table(cls: Any, table: Mapping[str, Any], prefix: str, where: str) -> dict[str, Any]:
    """Check a table against the fields of a dataclass, and return its values in their types."""
    known = field_types(cls)
    values: dict[str, Any] = {}
    for name, value in table.items():
        key = f"{prefix}{name}"
        if name not in known:
            raise ConfigError(f"{where}: unknown key {key!r}{suggest_name(name, known, prefix)}")
        values[name] = _validate_value(known[name], value, key, where)
    return values


def validate_scalar(hint: Any, value: Any, key: str, where: str) -> Any:
    """Return a single value if it is of the type; a whole number is a number too."""
    if hint is float and type(value) is int:
        try:
            value = float(value)
        except OverflowError as exc:
            raise ConfigError(f"{where}: {key} is too large") from exc
    if type(value) is not hint:
        raise ConfigError(f"{where}: {key} must be {TYPE_NAMES[hint]}")
    return value


def suggest_name(name: str, known: Mapping[str, Any], prefix: str = "") -> str:
    """Return the end of a message about a name that is not known."""
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    return f"; did you mean {prefix + near[0]!r}?" if near else f"; known here: {', '.join(known)}"


def build_dataclass(cls: Any, values: dict[str, Any]) -> Any:
    """Make a dataclass from values in their types, and those in it from tables in the values."""
    known = field_types(cls)
    built = {name: build_dataclass(known[name], value) for name, value in values.items() if is_dataclass(known[name])}
    return cls(**(values | built))


@cache
def settable_keys(cls: Any, prefix: str = "") -> dict[str, Any]:
    """Return the type of each single value by its dotted key; lists are set in the file only."""
    hints: dict[str, Any] = {}
    for name, hint in field_types(cls).items():
        if is_dataclass(hint):
            hints |= settable_keys(hint, f"{prefix}{name}.")  # type: ignore[arg-type]
        elif get_origin(hint) is not tuple:
            hints[prefix + name] = hint
    return hints


def iterate_settings(value: Any, key: str = "", row: bool = False) -> Iterator[tuple[str, Any]]:
    """Yield (dotted key, value); of the rows of a list only what was set. Secrets show their number."""
    for item in fields(value):
        entry, name = getattr(value, item.name), f"{key}.{item.name}" if key else item.name
        if is_dataclass(entry):
            yield from iterate_settings(entry, name)
        elif row and entry == item.default:
            continue
        elif isinstance(entry, tuple) and entry and is_dataclass(entry[0]):
            for index, inner in enumerate(entry):
                yield from iterate_settings(inner, f"{name}[{index}]", row=True)
        elif not item.repr:
            yield name, f"{len(entry) if isinstance(entry, tuple) else 1} of them"
        else:
            yield name, list(entry) if isinstance(entry, tuple) else entry


def _validate_value(hint: Any, value: Any, key: str, where: str) -> Any:
    if is_dataclass(hint):
        if not isinstance(value, dict):
            raise ConfigError(f"{where}: {key} must be a table: [{key}]")
        return validate_table(hint, value, f"{key}.", where)
    if get_origin(hint) is not tuple:
        return validate_scalar(hint, value, key, where)
    item = get_args(hint)[0]
    if is_dataclass(item) and isinstance(value, dict):
        value = [value]  # [allow] is short for a single [[allow]]
    if not isinstance(value, list):
        is_table = is_dataclass(item) and not hasattr(item, "WRITTEN_AS")
        wanted = f"tables: [[{key}]]" if is_table else "a list"
        raise ConfigError(f"{where}: {key} must be {wanted}")
    make = _validate_row if is_dataclass(item) else validate_scalar
    return tuple(make(item, entry, f"{key}[{index}]", where) for index, entry in enumerate(value))


def _validate_row(cls: Any, entry: Any, key: str, where: str) -> Any:
    """Make one row of a list, and say what it lacks."""
    if isinstance(entry, str) and hasattr(cls, "WRITTEN_AS"):
        entry = {cls.WRITTEN_AS: entry}
    if not isinstance(entry, dict):
        raise ConfigError(f"{where}: {key} must be a {'string or a ' * hasattr(cls, 'WRITTEN_AS')}table")
    values = validate_table(cls, entry, f"{key}.", where)
    for item in fields(cls):
        if item.default is MISSING and item.name not in values:
            raise ConfigError(f"{where}: {key} lacks {item.name!r}")
    row = cls(**values)
    if problem := row.problem():
        raise ConfigError(f"{where}: {key}{problem}")
    return row
