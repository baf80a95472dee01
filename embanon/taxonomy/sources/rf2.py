"""SNOMED CT as it is released: RF2, tables of concepts, descriptions and relationships, as of a date (Snapshot).

A release is a folder, a zip, or its files; which table a file is its header says. Of each concept that is active are
read what it is a kind of (is-a, as inferred), its synonyms and its full name, without the word in brackets that says
of which kind it is. The synonym that a language's reference set prefers is shown, else the full name. Tables are read
line by line, those of descriptions more than once; in memory are numbers alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Final

from embanon.errors import InputError
from embanon.io import LIMITS, Limits
from embanon.taxonomy.concept import Broader, Concept, Label, clean_label
from embanon.taxonomy.ladders.tables import load_tables
from embanon.taxonomy.sources.release import ReleaseFile, release_files

CONCEPTS, DESCRIPTIONS, RELATIONSHIPS, LANGUAGE = "concepts", "descriptions", "relationships", "language"
HEADERS: Final = {
    ("id", "effectiveTime", "active", "moduleId", "definitionStatusId"): CONCEPTS,
    ("id", "effectiveTime", "active", "moduleId", "conceptId", "languageCode", "typeId", "term",
     "caseSignificanceId"): DESCRIPTIONS,
    ("id", "effectiveTime", "active", "moduleId", "sourceId", "destinationId", "relationshipGroup", "typeId",
     "characteristicTypeId", "modifierId"): RELATIONSHIPS,
    ("id", "effectiveTime", "active", "moduleId", "refsetId", "referencedComponentId", "acceptabilityId"): LANGUAGE,
}  # fmt: skip
"""The header of a table -> what it is a table of; others are left out."""
OTHER_RELEASES: Final = frozenset(("Full", "Delta"))
"""What has all that ever was, or only what is new: folders, and parts of the names of files."""
RELEASES: Final = OTHER_RELEASES | {"Snapshot"}
OTHER_FILE: Final = re.compile(rf"(?:{'|'.join(sorted(OTHER_RELEASES))})(?:-[A-Za-z-]+)?_")
TABLE_FILE: Final = re.compile("x?(?:sct|der)2_")
"""How the names of tables begin; others are notes."""
LONGEST_HEADER: Final = 1 << 12
IDENTIFIER: Final = re.compile("[0-9]{1,18}")
ACTIVE: Final = "1"
IS_A: Final = "116680003"
STATED: Final = "900000000000010007"
FULL_NAME, SYNONYM = "900000000000003001", "900000000000013009"
PREFERRED: Final = "900000000000548007"
CASE_SENSITIVE: Final = "900000000000017005"
"""Whose first letter is as it is: Parkinson."""
ROOT: Final = "138875005"
KIND_IN_BRACKETS: Final = re.compile(r" \([^()]+\)$")
"""At the end of a full name: Asthma (disorder)."""


def concepts(paths: Sequence[str], languages: Sequence[str] = (), limits: Limits = LIMITS) -> Iterator[Concept]:
    """Return the concepts of a release, in parts; of the labels only those of some languages, if these are named."""
    tables = _tables(paths, limits)
    name = paths[0] if paths else "the release"
    active = {int(row[0]) for row in _rows(tables[CONCEPTS], limits)}
    if not active:
        raise InputError(f"{name}: has no active concept; is it the Snapshot of a release in RF2?")
    preferred = {int(row[5]) for row in _rows(tables[LANGUAGE], limits) if row[6] == PREFERRED}
    for row in _rows(tables[RELATIONSHIPS], limits):
        narrow, broad, kind, stated = row[4], row[5], row[7], row[8] == STATED
        if kind == IS_A and not stated and int(narrow) in active and int(broad) in active:
            yield Concept(_id(narrow), (), (Broader(_id(broad), "subclass"),), hidden=narrow == ROOT)
    yield Concept(_id(ROOT), hidden=True)
    labeled = False
    # Of the labels of a concept, the first that is read is shown.
    for wanted in ("preferred", FULL_NAME, SYNONYM):
        for row in _rows(tables[DESCRIPTIONS], limits):
            number, concept, language, kind, term, case = row[0], row[4], row[5], row[6], row[7], row[8]
            is_preferred = kind == SYNONYM and int(number) in preferred
            if wanted != ("preferred" if is_preferred else kind) or int(concept) not in active:
                continue
            if languages and language not in languages:
                continue
            label = clean_label(KIND_IN_BRACKETS.sub("", term) if kind == FULL_NAME else term)
            if label:
                labeled = True
                yield Concept(_id(concept), (Label(language, _as_said(label, language, case)),))
    if not labeled:
        spoken = f" in {', '.join(languages)}" if languages else ""
        raise InputError(f"{name}: has no description{spoken}; name the whole release, or other --languages")


def _tables(paths: Sequence[str], limits: Limits) -> dict[str, list[ReleaseFile]]:
    tables: dict[str, list[ReleaseFile]] = {table: [] for table in HEADERS.values()}
    for file in release_files(paths):
        if file.inner.suffix.lower() != ".txt" or _is_of_other_release(file.inner):
            continue
        with file.open(limits) as stream:
            header = stream.readline(LONGEST_HEADER).decode("utf-8-sig", "replace").rstrip("\r\n")
        if table := HEADERS.get(tuple(header.split("\t"))):
            tables[table].append(file)
        elif TABLE_FILE.match(file.inner.name):
            next(file.lines(limits))  # says what is wrong, where it is no table of another kind
    for table in (CONCEPTS, DESCRIPTIONS, RELATIONSHIPS):
        if not tables[table]:
            raise InputError(
                f"{paths[0]}: has no table of {table}; name the folder or zip of a release in RF2, or its files "
                "sct2_Concept_Snapshot…, sct2_Description_Snapshot… and sct2_Relationship_Snapshot…"
            )
    return tables


def _is_of_other_release(name: PurePosixPath) -> bool:
    """Return whether a file is of none that is read, by the innermost folder that says so, or its own name."""
    folders = [part for part in name.parts[:-1] if part in RELEASES]
    return bool(OTHER_RELEASES.intersection(folders[-1:]) or OTHER_FILE.search(name.name))


def _rows(files: Sequence[ReleaseFile], limits: Limits) -> Iterator[list[str]]:
    """Yield the rows that are active."""
    for file in files:
        numbered = file.lines(limits)
        _, header = next(numbered)
        columns = header.split("\t")
        numeric = [place for place, column in enumerate(columns) if column.endswith("Id") or column == "id"]
        if HEADERS[tuple(columns)] == LANGUAGE:
            numeric = [columns.index("referencedComponentId")]  # members are called by UUIDs
        for number, line in numbered:
            row = line.split("\t")
            if len(row) == len(columns) and all(IDENTIFIER.fullmatch(row[place]) for place in numeric):
                if row[2] == ACTIVE:
                    yield row
            elif line:
                raise InputError(f"{file.name}, line {number}: is no row of RF2; fetch the release again")


def _id(number: str) -> str:
    return f"sct:{number}"


def _as_said(label: str, language: str, case: str) -> str:
    """Begin a label with a small letter where its capital says nothing, as within a sentence."""
    tables = load_tables(language)
    keeps = case == CASE_SENSITIVE or label[1:2].isupper() or (tables and tables.flag("nouns", "capitalized"))
    return label if keeps else label[:1].lower() + label[1:]
