"""Read whom to protect, from a line of JSON, a file of entities, or a list of names."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Final

from embanon.config import suggest_name
from embanon.document import TYPES
from embanon.entities.entity import Entity
from embanon.errors import ConfigError, InputError
from embanon.io import TEXT, read_documents
from embanon.language import key

ENTITY_TYPES: Final = (*TYPES, "TOPIC")
ENTITY_KEYS: Final = frozenset(("name", "aliases", "type", "description", "samples"))
PROPOSAL_KEYS: Final = frozenset(("rank", "score"))
"""What `embanon entities` adds to an entity, and nobody reads."""
EVERYONE: Final = "everyone"
NOBODY_MESSAGE: Final = (
    "nobody to protect is given; name them: --entities FILE, --protect NAME, or the key 'protect' of a document "
    "(in Python: protect=…)"
)
ENTITY_EXAMPLE: Final = '{"name": "Ada Berger", "aliases": ["A. B."], "type": "PERSON"}'


@dataclass(frozen=True, slots=True)
class ProtectedEntities:
    """Whom a text's readers must not find, and who is named beside them and need not be protected."""

    entities: tuple[Entity, ...] = ()
    others: tuple[Entity, ...] = ()
    everyone: bool = False

    def __bool__(self) -> bool:
        return bool(self.entities) or self.everyone

    def __add__(self, other: ProtectedEntities) -> ProtectedEntities:
        entities = merge_entities((*self.entities, *other.entities))
        others = merge_entities((*self.others, *other.others))
        rest = tuple(others[one] for one in others if one not in entities)
        return ProtectedEntities(tuple(entities.values()), rest, self.everyone or other.everyone)


def merge_entities(entities: Iterable[Entity]) -> dict[tuple[str, str], Entity]:
    """Put together what is said of entities of the same name and type, which would else be two, one of them missing."""
    merged = dict[tuple[str, str], Entity]()
    for entity in entities:
        known = merged.setdefault((key(entity.name), entity.type), entity)
        if known != entity:
            names = dict.fromkeys((*known.aliases, *entity.aliases))
            samples = dict.fromkeys((*known.samples, *entity.samples))
            description = known.description or entity.description
            merged[key(entity.name), entity.type] = Entity(
                known.name, tuple(names), entity.type, description, tuple(samples)
            )
    return merged


@dataclass(frozen=True, slots=True)
class ProtectionRules:
    """What holds for all documents, and what for one by its id."""

    for_all: ProtectedEntities = ProtectedEntities()
    by_document: Mapping[str, ProtectedEntities] = field(default_factory=dict, repr=False)
    fields: tuple[str, ...] = ()
    """Keys of a line whose values name whom to protect as well."""

    def for_document(self, id: str, row: Mapping[str, Any]) -> ProtectedEntities:
        """Put together what is said of one document."""
        protected = self.for_all + self.by_document.get(id, ProtectedEntities()) + protected_from_row(row, id)
        for name in self.fields:
            if name not in row:
                raise InputError(f"{id}: key {name!r} of --protect-field is missing{suggest_name(name, row)}")
            protected += parse_protected(row[name], f"{id}, key {name!r}")
        return protected


def protected_from_row(row: Mapping[str, Any], where: str) -> ProtectedEntities:
    """Read the keys `protect` and `others`."""
    others = [] if row.get("others") is None else row["others"]
    protected = ProtectedEntities(others=tuple(parse_entities(others, f"{where}, key 'others'")))
    return (
        protected
        if row.get("protect") is None
        else parse_protected(row["protect"], f"{where}, key 'protect'") + protected
    )


def parse_protected(value: Any, where: str) -> ProtectedEntities:
    """Read whom to protect: one entity or a list of them, of which one may be `everyone`."""
    items = value if isinstance(value, list | tuple) else [value]
    named = [item for item in items if not _is_everyone(item)]
    return ProtectedEntities(tuple(parse_entities(named, where)), everyone=len(named) < len(items))


def _is_everyone(item: Any) -> bool:
    return isinstance(item, str) and item.strip().casefold() == EVERYONE


def parse_entities(value: Any, where: str) -> list[Entity]:
    """Read one entity or a list of them: names, or objects."""
    items = value if isinstance(value, list | tuple) else [value]
    return [parse_entity(item, where) for item in items]


def parse_entity(item: Any, where: str) -> Entity:
    """Read an entity; what is wrong is said without quoting it."""
    if isinstance(item, Entity):
        return item
    if isinstance(item, str):
        item = {"name": item}
    if not isinstance(item, dict):
        raise InputError(f"{where}: an entity is a name or an object such as {ENTITY_EXAMPLE}")
    if item.keys() - ENTITY_KEYS - PROPOSAL_KEYS:  # which may be a name, and is not quoted
        raise InputError(f"{where}: an entity has a key that is not known; known: {', '.join(sorted(ENTITY_KEYS))}")
    name = item.get("name")
    type = item.get("type", _likely_type(name) if isinstance(name, str) else "PERSON")
    if not isinstance(name, str) or not any(map(str.isalnum, name)):
        raise InputError(f"{where}: the name of an entity must have a letter or digit")
    if type not in ENTITY_TYPES:
        raise InputError(f"{where}: the type of an entity must be one of {', '.join(ENTITY_TYPES)}")
    lists = []
    for field_name in ("aliases", "samples"):
        values = item.get(field_name, [])
        values = [values] if isinstance(values, str) else values
        if not isinstance(values, list) or not all(isinstance(one, str) and one.strip() for one in values):
            raise InputError(f"{where}: {field_name!r} of an entity must be a list of texts")
        lists.append(tuple(values))
    description = item.get("description", "")
    if not isinstance(description, str):
        raise InputError(f"{where}: 'description' of an entity must be a text")
    return Entity(name.strip(), lists[0], type, description, lists[1])


LEGAL_FORM: Final = re.compile(
    r".*[\s,](?:Ltd|Limited|plc|PLC|LL[CP]|Inc|Corp|g?GmbH|mbH|AG|KG(?:aA)?|OHG|UG|e\. ?V|eG|SE|S\. ?A|S\. ?L(?:\. ?U)?"
    r"|SA|SLU?|S\. en C|Ltda|Lda|Unipessoal)\.?"
)
PROJECT_NOUNS: Final = ("Project", "Projekt", "Proyecto", "Projeto", "Operation", "Operación", "Operação")
PROJECT: Final = re.compile(rf"(?:{'|'.join(PROJECT_NOUNS)}) \S.*", re.IGNORECASE)


def _likely_type(name: str) -> str:
    """Return the type of an entity of which nothing but the name is given: a firm by its legal form, a project."""
    return "ORG" if LEGAL_FORM.fullmatch(name.strip()) else "MISC" if PROJECT.fullmatch(name.strip()) else "PERSON"


def read_protection_file(path: str) -> ProtectionRules:
    """Read a file of entities: a line each, or a line a document with `id` and `protect`; `#` begins a comment."""
    text = next(read_documents(path, "utf-8", TEXT)).text
    always, by_document = list[ProtectedEntities](), dict[str, ProtectedEntities]()
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip() or line.startswith("#"):
            continue
        where = f"{path}, line {number}"
        try:
            row = json.loads(line) if line.lstrip()[:1] in ("{", "[", '"') else line.strip()
        except (ValueError, RecursionError):
            raise InputError(f"{where}: not JSON; a line is a name, or an object such as {ENTITY_EXAMPLE}") from None
        if isinstance(row, dict) and "protect" in row and "id" in row:
            by_document[str(row["id"])] = by_document.get(str(row["id"]), ProtectedEntities()) + protected_from_row(
                row, where
            )
        else:
            always.append(parse_protected(row, where))
    if not always and not by_document:
        raise ConfigError(f"{path}: names nobody to protect; a line is a name, or an object such as {ENTITY_EXAMPLE}")
    every = tuple(chain.from_iterable(one.entities for one in always))
    return ProtectionRules(
        ProtectedEntities() + ProtectedEntities(every, everyone=any(one.everyone for one in always)), by_document
    )


def rules_from_options(file: str | None, names: Sequence[str], fields: Sequence[str]) -> ProtectionRules:
    """Put together what the command line says of whom to protect."""
    rules = read_protection_file(file) if file else ProtectionRules()
    return ProtectionRules(rules.for_all + parse_protected(list(names), "--protect"), rules.by_document, tuple(fields))
