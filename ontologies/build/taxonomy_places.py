"""Return places and peoples as concepts: town, region, country, part of the world, continent; and their demonyms.

Run `python -m ontologies.build.taxonomy_places --packages node_modules --out places.jsonl.gz` to see them as JSON
Lines; the packages and their licenses are listed in `ontologies/README.md`. Nothing but their versions changes the
result.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict
from difflib import SequenceMatcher
from pathlib import Path
from typing import Final

import babel
import pycountry

from embanon.language.normalize import key
from embanon.taxonomy.concept import ANY_LANGUAGE, Broader, Concept, Label
from ontologies.build import place_tables as tables
from ontologies.build.demonyms import demonyms, languages
from ontologies.build.place_rows import LABEL_LANGUAGES, labels_by_code, labels_in_languages, table_rows, unique_labels
from ontologies.build.place_sources import MIN_INHABITANTS, PlaceSources, Town
from ontologies.build.places import WORLD, has_european_letters, is_exonym, is_name, official_names, territory_names
from ontologies.build.regions import distinctive_words
from ontologies.build.taxonomy_regions import join_regions, names_of_entry, subdivisions

CITY: Final = 20_000
TOWN: Final = 2_000
MAJOR_TOWN: Final = 300_000
"""From how many inhabitants names that do not look like its own are kept."""

MIN_TOWN_WITH_OTHER_NAMES: Final = 15_000
"""From how many inhabitants other names of a town are kept."""

CONTINENTS: Final = ("002", "003", "005", "009", "142", "150")
GROUPS: Final = ("019", "202", "419")
SEATS: Final = frozenset(("PPL", "PPLA", "PPLA2", "PPLA3", "PPLA4", "PPLA5", "PPLC", "PPLG"))
"""What GeoNames calls settlements of their own, not parts of one."""


def kinds() -> Iterator[Concept]:
    """Return the kinds of places, under the synsets of WordNet."""
    for name, *called, synset, above in table_rows(tables.KINDS):
        up = [Broader(f"wn:{synset}-n", "subclass")]
        if above != "-":
            up.insert(0, Broader(f"kind:{above}", "subclass"))
        yield Concept(
            f"kind:{name}",
            tuple(labels_in_languages(called)),
            tuple(up),
            "" if above == "-" and name != "place" else "LOC",
        )


def countries_and_parts(sources: PlaceSources, weights: Mapping[str, float]) -> Iterator[Concept]:
    """Return countries and the parts of the world."""
    names: dict[str, list[Label]] = defaultdict(list)
    for locale in ("en", "es", "pt", "pt_PT", "de"):
        for code, name in territory_names((locale,)):
            names[code].append(Label(locale[:2], name))
    for name in official_names():
        code = pycountry.countries.lookup(name).alpha_2
        names[code].append(Label("en", name))
    more = labels_by_code(tables.COUNTRY_NAMES)
    shown = labels_by_code(tables.SHOWN)
    for code in sorted(names):
        part = code.isdigit() and code != WORLD
        if not part and code not in sources.countries:
            continue
        found = [label for label in names[code] if is_name(label.text) and len(label.text) > 2]
        if part:
            kind = "continent" if code in CONTINENTS else "subcontinent"
        else:
            kind = "country" if code in sources.un_members or code == "VA" else "territory"
        up = [Broader(f"m49:{above}", "located-in") for above in _containing_parts(code, sources)]
        identity = f"m49:{code}" if part else f"iso:{code}"
        up.append(Broader(f"kind:{kind}", "instance"))
        spelled = [Label(each.language, each.text.replace(" & ", " and ")) for each in found if each.language == "en"]
        labels = unique_labels([*shown.get(code, ()), *found, *spelled, *more.get(code, ())])
        # The Americas are no step of a ladder: North and South America are.
        yield Concept(identity, labels, tuple(up), "LOC", weights.get(identity, 0.0), hidden=code in ("019", "202"))


def _containing_parts(code: str, sources: PlaceSources) -> list[str]:
    # Mexico lies in Central America by M.49, and in North America by everybody.
    above = list(sources.containing_parts.get("013" if code == "MX" else code, ()))
    # Of America's parts, Mexico and Cuba lie in North America and in Latin America.
    if "003" in above and "019" in above:
        above.remove("019")
    return sorted(part for part in above if part.isdigit())


def former_states_and_areas(weights: Mapping[str, float]) -> Iterator[Concept]:
    """Return former states, areas without a standard, and second concepts of countries that lie on two continents."""
    for first, *called, others in table_rows(tables.FORMER):
        code, part = first.split()
        up = [Broader(f"m49:{part}", "located-in")] if part != "-" else []
        found = [*labels_in_languages(called), *(Label(ANY_LANGUAGE, name) for name in re.split(r",\s*", others))]
        yield Concept(
            f"former:{code}", unique_labels(found), (*up, Broader("kind:formercountry", "instance")), "LOC", 1e6
        )
    for first, *called in table_rows(tables.AREAS):
        code, place = first.split()
        up = [Broader(place, "located-in")] if place != "-" else []
        yield Concept(
            f"area:{code}", tuple(labels_in_languages(called)), (*up, Broader("kind:area", "instance")), "LOC", 1e6
        )
    seen = set()
    shown = labels_by_code(tables.SHOWN)
    for first, _ in table_rows(tables.REGIONS_ELSEWHERE):
        code, country, part = first.split()
        if code not in seen:
            seen.add(code)
            up = [Broader(f"m49:{part}", "located-in")] if part != "-" else []
            spoken = [Label(locale, babel.Locale.parse(locale).territories[country]) for locale in LABEL_LANGUAGES]
            labels = tuple({each.language: each for each in (*spoken, *shown.get(country, ()))}.values())
            yield Concept(f"iso:{code}", labels, (*up, Broader("kind:country", "instance")), "LOC")


def containing_place(town: Town, sources: PlaceSources, matched: Mapping[str, str]) -> str:
    """Return the id of what a town lies in."""
    if town.id in tables.CONTESTED_TOWNS:
        return tables.CONTESTED_TOWNS[town.id]
    if town.region in tables.CONTESTED_REGIONS:
        return "m49:145"
    if town.region in matched:
        return f"iso:{matched[town.region]}"
    return f"geo:{town.region}" if town.region in sources.regions else f"iso:{town.country}"


def kind_of_town(town: Town, sources: PlaceSources) -> str:
    """Return the kind of a town by what GeoNames says it is and by its inhabitants."""
    if town.id in tables.BOROUGHS:
        return "borough"
    if sources.features.get(town.id) not in SEATS:
        # Parts of cities, and new entries of which nobody says what they are.
        return "locality"
    return "city" if town.inhabitants >= CITY else "town" if town.inhabitants >= TOWN else "village"


def town_names(town: Town, taken: Collection[str]) -> list[str]:
    """Return the names of a town that texts in the four languages have; `taken` are keys that mean something else."""
    found = [town.name]
    if town.inhabitants < MIN_TOWN_WITH_OTHER_NAMES:
        return found
    own = key(town.name)
    for name in sorted(town.other_names):
        other = key(name)
        if other == own or other in taken or not is_name(name):
            continue
        # İzmir is how Izmir is written where it is: another key for the same letters.
        if _has_same_letters(name, town.name) or (
            is_exonym(name) and (town.inhabitants >= MAJOR_TOWN or is_spelling_of(own, other))
        ):
            found.append(name)
    return found


def is_spelling_of(name: str, other: str) -> bool:
    """Return whether a name is another spelling of one, or a part of it, not a forgotten name."""
    one, two = distinctive_words(name, frozenset()), distinctive_words(other, frozenset())
    if set(one.split()) <= set(two.split()) or set(two.split()) <= set(one.split()):
        return True
    return SequenceMatcher(None, one, two).ratio() >= 0.5


def taken_names(sources: PlaceSources) -> Mapping[str, frozenset[str]]:
    """Return the keys of names that are no other name of a town, by country: those of towns, regions and countries."""
    found: dict[str, set[str]] = defaultdict(set)
    everywhere = {key(name) for code, name in territory_names() if code in sources.countries}
    for town in sources.towns:
        found[town.country].add(key(town.name))
    for code, name in sources.regions.items():
        found[code[:2]].add(key(name))
    return {code: frozenset(names | everywhere) for code, names in found.items()}


def _has_same_letters(name: str, other: str) -> bool:
    return has_european_letters(name) and distinctive_words(name, frozenset()) == distinctive_words(other, frozenset())


def towns(sources: PlaceSources, matched: Mapping[str, str], weights: Mapping[str, float]) -> Iterator[Concept]:
    """Return the towns."""
    capitals = national_capitals(sources)
    more = {
        first.split(" ", 1)[0]: [first.split(" ", 1)[1], *others] for first, *others in table_rows(tables.TOWN_NAMES)
    }
    taken = taken_names(sources)
    for town in sources.towns:
        labels = unique_labels(
            [Label(ANY_LANGUAGE, name) for name in (*town_names(town, taken[town.country]), *more.get(town.id, ()))]
        )
        up = [
            Broader(containing_place(town, sources, matched), "located-in"),
            Broader(f"kind:{kind_of_town(town, sources)}", "instance"),
        ]
        if town.id in capitals:
            up.append(Broader("kind:capital", "instance"))
        yield Concept(f"geo:{town.id}", labels, tuple(up), "LOC", round(town.weight, 1))


def national_capitals(sources: PlaceSources) -> frozenset[str]:
    """Return the numbers of the capitals of the members of the United Nations."""
    names = {code: row["capital"] for code, row in sources.countries.items() if code in sources.un_members}
    largest: dict[str, Town] = {}
    for town in sources.towns:
        if town.id in tables.CONTESTED_TOWNS or names.get(town.country) != town.name:
            continue
        if town.country not in largest or town.inhabitants > largest[town.country].inhabitants:
            largest[town.country] = town
    return frozenset(town.id for town in largest.values())


def place_weights(sources: PlaceSources, matched: Mapping[str, str]) -> dict[str, float]:
    """Return the inhabitants of regions, countries and parts of the world by their ids."""
    weights: dict[str, float] = defaultdict(float)
    namesakes: dict[str, float] = {}
    seats = national_capitals(sources)
    capitals = {(town.country, key(town.name)): town for town in sources.towns if town.id in seats}
    for town in sources.towns:
        weights[f"geo:{town.id}"] = round(town.weight)
        region = containing_place(town, sources, matched)
        if region.startswith(("iso:", "geo:")) and not re.fullmatch("iso:..", region):
            weights[region] += town.inhabitants if kind_of_town(town, sources) in ("city", "town", "village") else 1
            name = key(sources.regions.get(town.region, ""))
            if key(town.name) == name or key(town.name) == f"{name} city":
                namesakes[region] = max(namesakes.get(region, 0.0), town.weight)
    for code, entry in matched.items():
        # Nor is Washington the state, as long as nothing says so.
        capital = capitals.get((code[:2], key(sources.regions[code])))
        if capital is not None:
            namesakes[f"iso:{entry}"] = max(namesakes.get(f"iso:{entry}", 0.0), capital.weight)
    for region, weight in namesakes.items():
        # Madrid alone means the city, and Georgia, which has no such city, stays a state of ten millions.
        if weight > 100_000:
            weights[region] = min(weights[region], round(0.9 * weight))
    weigh_lower_regions(weights, sources, matched)
    for code, row in sources.countries.items():
        weights[f"iso:{code}"] = row["population"]
        todo = set(sources.containing_parts.get(code, ()))
        seen: set[str] = set()
        while todo:
            part = todo.pop()
            if part not in seen:
                seen.add(part)
                weights[f"m49:{part}"] += row["population"]
                todo.update(sources.containing_parts.get(part, ()))
    return dict(weights)


def weigh_lower_regions(weights: dict[str, float], sources: PlaceSources, matched: Mapping[str, str]) -> None:
    """Return regions below those of GeoNames half of an equal share of what they are a part of."""
    below: dict[str, list[str]] = defaultdict(list)
    official = {entry.code: entry.name for entry in pycountry.subdivisions}
    for entry in pycountry.subdivisions:
        if entry.parent_code and f"iso:{entry.code}" not in weights:
            below[entry.parent_code].append(entry.code)
    namesakes: dict[tuple[str, str], float] = {}
    for town in sources.towns:
        place = containing_place(town, sources, matched), key(town.name)
        namesakes[place] = max(namesakes.get(place, 0.0), town.weight)
    for parent, parts in sorted(below.items()):
        share = weights.get(f"iso:{parent}", 0.0) / len(parts) / 2
        for part in parts:
            names = names_of_entry(official[part], part[:2])
            # Granada is the town before it is its province.
            town_weights = [
                namesakes[f"iso:{parent}", key(name)] for name in names if (f"iso:{parent}", key(name)) in namesakes
            ]
            weights[f"iso:{part}"] = round(min([share, *(0.9 * weight for weight in town_weights)]))


def concepts(packages: Path, least: int = MIN_INHABITANTS) -> Iterator[Concept]:
    """Return kinds, the world, countries, regions, towns, peoples and languages, always in the same order."""
    sources = PlaceSources(packages, least)
    matched = join_regions(sources)
    weights = place_weights(sources, matched)
    yield from kinds()
    yield from countries_and_parts(sources, weights)
    yield from former_states_and_areas(weights)
    yield from subdivisions(sources, matched, weights)
    yield from towns(sources, matched, weights)
    yield from demonyms(weights)
    yield from languages()


def main(arguments: list[str] | None = None) -> int:
    """Write the concepts as the command line says."""
    name, summary = "python -m ontologies.build.taxonomy_places", __doc__.split("\n")[0]
    parser = argparse.ArgumentParser(prog=name, description=summary)
    parser.add_argument("--packages", type=Path, required=True, help="node_modules with the packages of npm")
    parser.add_argument("--out", type=Path, required=True, help="compressed file of JSON Lines to write")
    parser.add_argument(
        "--least", type=int, default=MIN_INHABITANTS, help="least inhabitants of a town (500, 1000, 5000, 15000)"
    )
    options = parser.parse_args(arguments)
    count: Counter[str] = Counter()
    rows = []
    for concept in concepts(options.packages, options.least):
        count[concept.id.partition(":")[0]] += 1
        rows.append(json.dumps(asdict(concept), ensure_ascii=False))
    options.out.write_bytes(gzip.compress("\n".join(rows).encode("utf-8"), 9, mtime=0))
    sys.stdout.write("".join(f"{name}\t{number}\n" for name, number in sorted(count.items())))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
