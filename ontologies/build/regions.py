"""Find which entry of ISO 3166-2 is which first-level region of GeoNames."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

GENERIC: Final = frozenset(
    "province state region district department county governorate prefecture canton parish emirate oblast municipality "
    "autonomous community city of the and de del la le da do di republic kray krai kraj territory voivodeship rayon "
    "raion division wilaya muhafazah sheng shi zizhiqu provincia departamento provincie oblys oblysy oblasty oblisi "
    "respublika viloyati capital el al an as ar ash ad at il metropolitan quarter regiao comarca stadt kanton land "
    "free special local government council area island islands commune d l atholhu opstina pradesh urban gorod".split()
)
"""Words that say what a region is and not which."""

ALONE: Final = str.maketrans({"ı": "i", "ł": "l", "ø": "o", "đ": "d", "ə": "a", "ǝ": "a", **dict.fromkeys("’'‘ʻ")})
SIMILAR: Final = 0.7
FAR: Final = 600.0
NEAR: Final = 60.0
"""Kilometers: names that are only similar must be this near."""

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Region:
    """A region as one source has it; `point` is where it is, if that is known."""

    code: str
    names: tuple[str, ...]
    point: Point | None = None
    is_first_level: bool = True
    kind: str = ""


def distinctive_words(name: str, generic: frozenset[str] = GENERIC) -> str:
    """Return what tells a region's name from others: its words without accents, sorted, without `generic` ones."""
    folded = unicodedata.normalize("NFKD", name.casefold().translate(ALONE))
    words = re.findall(r"\w+", "".join(sign for sign in folded if not unicodedata.combining(sign)))
    return " ".join(sorted([word for word in words if word not in generic] or words))


def kilometers(one: Point, other: Point) -> float:
    """Return about how far two points (latitude, longitude) are from each other."""
    east = (one[1] - other[1] + 180) % 360 - 180
    return 111.2 * math.hypot(one[0] - other[0], east * math.cos(math.radians((one[0] + other[0]) / 2)))


def match_score(region: Region, entry: Region) -> float | None:
    """Say how well two regions of a country agree, `None` where they cannot be the same."""
    near = kilometers(region.point, entry.point) if region.point and entry.point else None
    best = None
    for name in region.names:
        for other in entry.names:
            same = distinctive_words(name) == distinctive_words(other)
            similar = SequenceMatcher(None, distinctive_words(name), distinctive_words(other)).ratio()
            if not same and (similar < SIMILAR or near is None or near > NEAR):
                continue
            whole = distinctive_words(name, frozenset()) == distinctive_words(other, frozenset())
            score = similar + 0.5 * same + 0.1 * whole - 0.6 * min(near if near is not None else FAR, FAR) / FAR
            # Almaty is a city and a region: the word that says which stands in one of the names.
            town = any("city" in distinctive_words(each, frozenset()).split() for each in (name, other))
            score += 0.2 * (town and "city" in entry.kind.lower() and "city" in name.lower())
            best = score if best is None else max(best, score)
    return best


def match_regions(regions: Iterable[Region], entries: Iterable[Region]) -> Mapping[str, str]:
    """Return the entry of each region by their codes; both are of one country, and no entry is given twice.

    Entries of the first level go first: Valencia is the community and not the province of this name.
    """
    found: dict[str, str] = {}
    listed, ours = list(entries), list(regions)
    for first in (True, False):
        ranked = []
        for region in ours:
            for entry in listed:
                score = (
                    match_score(region, entry) if entry.is_first_level is first and region.code not in found else None
                )
                if score is not None:
                    ranked.append((-score, region.code, entry.code))
        taken: set[str] = set()
        for _, code, entry_code in sorted(ranked):
            if code not in found and entry_code not in taken:
                found[code] = entry_code
                taken.add(entry_code)
    return found
