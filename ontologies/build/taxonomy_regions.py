"""Return regions as concepts: those of ISO 3166-2 joined with those of GeoNames."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Final

import pycountry

from embanon.language.normalize import key
from embanon.taxonomy.concept import ANY_LANGUAGE, Broader, Concept, Label
from ontologies.build import place_tables as tables
from ontologies.build.place_rows import labels_by_code, table_rows, unique_labels
from ontologies.build.place_sources import PlaceSources
from ontologies.build.places import has_european_letters, is_name, split_name
from ontologies.build.regions import Region, match_regions

TAGS: Final = {"eng": "en", "spa": "es", "por": "pt", "deu": "de"}


def subdivisions(sources: PlaceSources, matched: Mapping[str, str], weights: Mapping[str, float]) -> Iterator[Concept]:
    """Return the regions of ISO 3166-2, and those of GeoNames that it does not have."""
    apart = {code: first.split()[0] for first, codes in table_rows(tables.REGIONS_ELSEWHERE) for code in codes.split()}
    kind_of = {kind.strip(): f"kind:{name}" for name, kind in _types()}
    geonames = {code: name for name, code in matched.items()}
    more = labels_by_code(tables.REGION_NAMES)
    for entry in sorted(pycountry.subdivisions, key=lambda entry: entry.code):
        if entry.code in tables.DROPPED_REGIONS or entry.country_code not in sources.countries:
            continue
        parent = entry.parent_code
        if parent in tables.DROPPED_REGIONS:
            parent = None
        inside = f"iso:{apart.get(entry.code) or parent or entry.country_code}"
        own = names_of_entry(entry.name, entry.country_code)
        native = [
            Label(language, name)
            for language in (tables.NATIVE_LANGUAGES.get(entry.country_code, ANY_LANGUAGE), ANY_LANGUAGE)
            for name in own
        ]
        # Else a nickname would be its English name.
        given = [Label("en", sources.regions[geonames[entry.code]] if entry.code in geonames else own[0])]
        others = list(other_names(sources.entries.get(entry.code, {}).get("localOtherName") or ""))
        if not sources.writes_as_europe(entry.country_code) and entry.country_code not in tables.NATIVE_LANGUAGES:
            # Anhui is what texts say, not Anhui Sheng.
            native.insert(0, Label(ANY_LANGUAGE, given[0].text))
        known = more.get(entry.code, ())
        first = [each for each in known if each.language != ANY_LANGUAGE]
        labels = unique_labels([*first, *given, *native, *others, *known])
        kind = kind_of.get(entry.type, "kind:region")
        if not labels:
            continue
        identity = f"iso:{entry.code}"
        up = (Broader(inside, "located-in"), Broader(kind, "instance"))
        yield Concept(identity, labels, up, "LOC", weights.get(identity, 0.0))
    for code in sorted(set(sources.regions) - set(matched) - tables.CONTESTED_REGIONS):
        identity = f"geo:{code}"
        if identity in weights:
            up = (Broader(f"iso:{code[:2]}", "located-in"), Broader("kind:region", "instance"))
            yield Concept(identity, (Label("en", sources.regions[code]),), up, "LOC", weights[identity])
    for name, states in sources.counties.items():
        # A name that several states have is a county in the United States, and nobody says in which.
        within = f"iso:US-{states[0]}" if len(states) == 1 else "iso:US"
        up = (Broader(within, "located-in"), Broader("kind:county", "instance"))
        yield Concept(f"county:{name}", (Label("en", name),), up, "LOC", 1.0)


def _types() -> Iterator[tuple[str, str]]:
    for line in tables.REGION_TYPES.strip().splitlines():
        name, _, types = line.partition(":")
        yield from ((name, kind) for kind in types.split(","))


def names_of_entry(name: str, country: str) -> list[str]:
    """Return the names in an entry of ISO 3166-2, the one in the country's language first."""
    name = re.sub(r"\s*[²*†]|\s*\(\d+\)|\s*\[[A-Z]{2}-\w+\]", "", name)
    parts = [part for part in split_name(name) if part]
    if country == "ES" and "[" in name:
        parts.reverse()
    elif "," in name and "[" not in name:
        head, _, tail = (part.strip() for part in name.partition(","))
        # "Valenciana, Comunidad" and "Madrid, Comunidad de" are said the other way round.
        if country in ("ES", "RU", "CZ", "BE"):
            parts = [f"{tail} {head}"] + ([head] if tail.endswith((" de", " del")) or country == "RU" else [])
        else:
            parts = [name]
    return [part for part in parts if is_name(part) and len(part) > 2] or [name]


def other_names(text: str) -> Iterator[Label]:
    """Read names with their languages: `Bavaria (eng), Freistaat Bayern (deu)`."""
    for name, tag in re.findall(r"\s*([^()]+?) \((\w{3})\)", text):
        name = name.lstrip(", ").strip()
        if (
            len(name) > 3
            and is_name(name)
            and not name.startswith("The ")
            and has_european_letters(name)
            and key(name) not in tables.MISNAMED
        ):
            yield Label(TAGS.get(tag, ANY_LANGUAGE), name)


def join_regions(sources: PlaceSources) -> Mapping[str, str]:
    """Return the code of ISO 3166-2 of each first-level region of GeoNames that has one."""
    middle: dict[str, list[tuple[float, float, int]]] = defaultdict(list)
    for town in sources.towns:
        middle[town.region].append((*town.point, town.inhabitants + 1))
    ours: dict[str, list[Region]] = defaultdict(list)
    for code, name in sorted(sources.regions.items()):
        ours[code[:2]].append(Region(code, (name,), _center(middle.get(code, []))))
    theirs: dict[str, list[Region]] = defaultdict(list)
    for entry in sorted(pycountry.subdivisions, key=lambda entry: entry.code):
        if entry.code in tables.DROPPED_REGIONS:
            continue
        row = sources.entries.get(entry.code, {})
        names = {entry.name, *split_name(entry.name)}
        names.update(name.strip() for name, _ in re.findall(r"([^(),]+?) \((\w{3})\)", row.get("localOtherName") or ""))
        point = tuple(row["latLng"]) if row.get("latLng") else None
        names.discard("")
        region = Region(entry.code, tuple(sorted(names)), point, entry.parent_code is None, entry.type)
        theirs[entry.country_code].append(region)
    found = dict(pair.split() for row in table_rows(tables.MATCHED_REGIONS) for pair in row)
    taken = set(found.values())
    for country in sorted(ours):
        rest = [region for region in ours[country] if region.code not in found]
        found.update(match_regions(rest, [entry for entry in theirs[country] if entry.code not in taken]))
    return found


def _center(points: list[tuple[float, float, int]]) -> tuple[float, float] | None:
    total = sum(weight for *_, weight in points)
    if not total:
        return None
    return sum(lat * weight for lat, _, weight in points) / total, sum(lng * w for _, lng, w in points) / total
