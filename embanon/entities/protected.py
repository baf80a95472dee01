"""Read whom to protect: from a line of JSON, a file of entities, or names that are given."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Final

from embanon.config.schema import nearest
from embanon.document import TYPES
from embanon.entities.entity import Entity
from embanon.errors import ConfigError, InputError
from embanon.io.read import TEXT, read
from embanon.language.normalize import key

KINDS: Final = (*TYPES, "TOPIC")
KEYS: Final = frozenset(("name", "aliases", "type", "description", "samples"))
EVERYONE: Final = "everyone"
NOBODY: Final = (
    "nobody to protect is given; name them: --entities FILE, --protect NAME, or the key 'protect' of a document "
    "(in Python: protect=…)"
)
LOOKS: Final = '{"name": "Ada Berger", "aliases": ["A. B."], "type": "PERSON"}'


@dataclass(frozen=True, slots=True)
class Protected:
    """Whom a text's readers must not find, and who is named beside them and need not be protected."""

    entities: tuple[Entity, ...] = ()
    others: tuple[Entity, ...] = ()
    everyone: bool = False

    def __bool__(self) -> bool:
        return bool(self.entities) or self.everyone

    def __add__(self, other: Protected) -> Protected:
        entities = merged((*self.entities, *other.entities))
        others = merged((*self.others, *other.others))
        rest = tuple(others[one] for one in others if one not in entities)
        return Protected(tuple(entities.values()), rest, self.everyone or other.everyone)


def merged(entities: Iterable[Entity]) -> dict[tuple[str, str], Entity]:
    """Put together what is said of entities of the same name and type, which would else be two, one of them missing."""
    found = dict[tuple[str, str], Entity]()
    for one in entities:
        known = found.setdefault((key(one.name), one.type), one)
        if known != one:
            names = dict.fromkeys((*known.aliases, *one.aliases))
            samples = dict.fromkeys((*known.samples, *one.samples))
            description = known.description or one.description
            found[key(one.name), one.type] = Entity(known.name, tuple(names), one.type, description, tuple(samples))
    return found


@dataclass(frozen=True, slots=True)
class Given:
    """What holds for all documents, and what for one by its id."""

    always: Protected = Protected()
    of: Mapping[str, Protected] = field(default_factory=dict, repr=False)
    fields: tuple[str, ...] = ()
    """Keys of a line whose values name whom to protect as well."""

    def for_document(self, id: str, row: Mapping[str, Any]) -> Protected:
        """Put together what is said of one document."""
        found = self.always + self.of.get(id, Protected()) + from_row(row, id)
        for name in self.fields:
            if name not in row:
                raise InputError(f"{id}: key {name!r} of --protect-field is missing{nearest(name, row)}")
            found += whom(row[name], f"{id}, key {name!r}")
        return found


def from_row(row: Mapping[str, Any], where: str) -> Protected:
    """Read the keys `protect` and `others`."""
    others = [] if row.get("others") is None else row["others"]
    found = Protected(others=tuple(entities(others, f"{where}, key 'others'")))
    return found if row.get("protect") is None else whom(row["protect"], f"{where}, key 'protect'") + found


def whom(value: Any, where: str) -> Protected:
    """Read whom to protect: one entity or a list of them, of which one may be `everyone`."""
    items = value if isinstance(value, list | tuple) else [value]
    named = [item for item in items if not _is_everyone(item)]
    return Protected(tuple(entities(named, where)), everyone=len(named) < len(items))


def _is_everyone(item: Any) -> bool:
    return isinstance(item, str) and item.strip().casefold() == EVERYONE


def entities(value: Any, where: str) -> list[Entity]:
    """Read one entity or a list of them: names, or objects."""
    items = value if isinstance(value, list | tuple) else [value]
    return [entity(item, where) for item in items]


def entity(item: Any, where: str) -> Entity:
    """Read an entity; what is wrong is said without quoting it."""
    if isinstance(item, Entity):
        return item
    if isinstance(item, str):
        item = {"name": item}
    if not isinstance(item, dict):
        raise InputError(f"{where}: an entity is a name or an object such as {LOOKS}")
    if item.keys() - KEYS:  # which may be a name, and is not quoted
        raise InputError(f"{where}: an entity has a key that is not known; known: {', '.join(sorted(KEYS))}")
    name, type = item.get("name"), item.get("type", "PERSON")
    if not isinstance(name, str) or not any(map(str.isalnum, name)):
        raise InputError(f"{where}: the name of an entity must have a letter or digit")
    if type not in KINDS:
        raise InputError(f"{where}: the type of an entity must be one of {', '.join(KINDS)}")
    lists = []
    for field_name in ("aliases", "samples"):
        some = item.get(field_name, [])
        some = [some] if isinstance(some, str) else some
        if not isinstance(some, list) or not all(isinstance(one, str) and one.strip() for one in some):
            raise InputError(f"{where}: {field_name!r} of an entity must be a list of texts")
        lists.append(tuple(some))
    description = item.get("description", "")
    if not isinstance(description, str):
        raise InputError(f"{where}: 'description' of an entity must be a text")
    return Entity(name.strip(), lists[0], type, description, lists[1])


def read_file(path: str) -> Given:
    """Read a file of entities: a line each, or a line a document with `id` and `protect`; `#` begins a comment."""
    text = next(read(path, "utf-8", TEXT)).text
    always, of = list[Protected](), dict[str, Protected]()
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip() or line.startswith("#"):
            continue
        where = f"{path}, line {number}"
        try:
            row = json.loads(line) if line.lstrip()[:1] in ("{", "[", '"') else line.strip()
        except (ValueError, RecursionError):
            raise InputError(f"{where}: not JSON; a line is a name, or an object such as {LOOKS}") from None
        if isinstance(row, dict) and "protect" in row and "id" in row:
            of[str(row["id"])] = of.get(str(row["id"]), Protected()) + from_row(row, where)
        else:
            always.append(whom(row, where))
    if not always and not of:
        raise ConfigError(f"{path}: names nobody to protect; a line is a name, or an object such as {LOOKS}")
    every = tuple(chain.from_iterable(one.entities for one in always))
    return Given(Protected() + Protected(every, everyone=any(one.everyone for one in always)), of)


def given(file: str | None, names: Sequence[str], fields: Sequence[str]) -> Given:
    """Put together what the command line says of whom to protect."""
    found = read_file(file) if file else Given()
    return Given(found.always + whom(list(names), "--protect"), found.of, tuple(fields))


