"""Refine the classes of Wikidata: of which domain they are, which links hold, and what is too general.

Wikidata says of a class what it is as a class: *actor* is an instance of *profession*, and no actor is one. Only what
is an instance alone is climbed by its instance links, and a class by those that stay in its domain. A domain is what is
under its roots (`ontologies/sources/wikidata.toml`); a concept is of the nearest. What stands above all roots, and
classes of classes, are hidden.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from embanon.data import read_toml
from embanon.document import TYPES
from embanon.language import find_positions
from embanon.storage import hash_keys
from embanon.taxonomy.concept import LINKS

TABLE: Final[Mapping[str, Any]] = read_toml("ontologies", "sources", "wikidata.toml")
SUBCLASS, INSTANCE, LOCATED, OCCUPATION, RELATED = (
    LINKS.index(kind) for kind in ("subclass", "instance", "located-in", "occupation", "related")
)
PLACES: Final = ("place", "structure")
"""Domains of what is somewhere, and can be said by where it is."""
PEOPLE: Final = "person"
FAR: Final = 255
LEAST_INSTANCES: Final = 3
"""Instances from which their majority says whether a class is one of classes."""
NO_TYPE: Final = 255

Numbers = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Domain:
    """What the words of a text are about."""

    kinds: str
    """The type of its classes, empty where they are of several."""
    instances: str
    roots: tuple[str, ...]
    passed: tuple[str, ...]
    """Roots that stand for the domain and are never shown."""
    synsets: frozenset[str]
    """What common nouns of the domain are under in WordNet."""
    behind: int
    """Steps by which its roots seem farther: a school is more of an organization than of a building."""


DOMAINS: Final[Mapping[str, Domain]] = {
    name: Domain(
        row["kinds"], row["instances"], tuple(row["roots"].split()), tuple(row.get("passed", "").split()),
        frozenset(row["wordnet"].split()), row.get("behind", 0),
    )
    for name, row in TABLE["domains"].items()
}  # fmt: skip
SYNSETS: Final[Mapping[str, frozenset[str]]] = {
    root: domain.synsets for domain in DOMAINS.values() for root in (*domain.roots, *domain.passed)
}
"""Root -> what common nouns under it are under in WordNet."""


def _roots_of(mark: str) -> frozenset[str]:
    """Return the roots of domains with a mark."""
    marked = (domain for name, domain in DOMAINS.items() if TABLE["domains"][name].get(mark))
    return frozenset(root for domain in marked for root in (*domain.roots, *domain.passed))


CHECKED: Final = _roots_of("checked")
"""Roots of domains whose rungs the dictionary must know as such, if it knows their nouns."""
LISTED: Final = _roots_of("listed")
"""Roots of domains whose rungs must be whole in the dictionary."""
TOPS: Final = frozenset(domain.roots[0] for domain in DOMAINS.values())
"""What says no more than the domain: the last rung."""
SPOKEN: Final[Mapping[str, Mapping[str, str]]] = TABLE["spoken"]
"""Concept -> language -> what people call it."""
VAGUE: Final = frozenset(TABLE["vague"].split())
"""Words of labels that say nothing."""


@dataclass(slots=True)
class Classes:
    """Concepts and links as columns, refined in place; links are in the order of `children`."""

    types: NDArray[np.uint8]
    weights: NDArray[np.float32]
    hidden: NDArray[np.uint8]
    children: Numbers
    parents: Numbers
    kinds: NDArray[np.uint8]


def has_domains(known: Numbers, letters: NDArray[np.uint8]) -> bool:
    """Return whether a store is of Wikidata: it has a root of a domain, and most ids begin as those of items do."""
    is_item = letters == ord("Q")
    return bool(2 * is_item.sum() > len(known) and _positions(known, dict.fromkeys(SYNSETS, "")))


def refine(known: Numbers, classes: Classes) -> Classes:
    """Return what is kept of the links, with types and what is hidden."""
    roots = _positions(known, {root: name for name, domain in DOMAINS.items() for root in domain.roots})
    passed = _positions(known, {root: name for name, domain in DOMAINS.items() for root in domain.passed})
    size, bits = len(known), {name: 1 << place for place, name in enumerate(DOMAINS)}
    child, parent, kind = classes.children, classes.parents, classes.kinds
    sub, instance, occupation = kind == SUBCLASS, kind == INSTANCE, kind == OCCUPATION
    has_broader, has_narrower = np.zeros(size, np.bool_), np.zeros(size, np.bool_)
    has_broader[child[sub]] = True
    has_narrower[parent[sub | instance]] = True
    is_root, is_passed = (np.isin(np.arange(size), list(places)) for places in (roots, passed))

    every = roots | passed
    starts = {place: (bits[name], DOMAINS[name].behind) for place, name in every.items()}
    mask = _spread(starts, child[sub], parent[sub], size)
    # What is an instance alone is of the domain that most of its classes are of.
    named = instance & (~has_broader | (mask == 0))[child] & (mask[parent] != 0)
    _set_majority(mask, child[named], mask[parent[named]])
    working = occupation & (mask[child] == 0) & ((mask[parent] & bits[PEOPLE]) != 0)
    mask[child[working]] = bits[PEOPLE]  # who has a job is a person, even if nothing says so
    work = {place: (2 if place in passed else 1, DOMAINS[name].behind) for place, name in every.items()}
    by_work = (_spread(work, child[sub], parent[sub], size) == 2) & (mask == bits[PEOPLE])
    meta = _classes_of_classes(known, classes, mask, has_broader, by_work) & ~is_root & ~is_passed
    stands = is_passed | (meta & by_work)

    above = _ancestors(is_root, child[sub], parent[sub])
    same = (mask[child] & mask[parent]) != 0
    shown = ~meta[parent]
    keep = np.ones(len(child), np.bool_)
    keep[sub] = (same & shown & ~is_root[child] & ~(by_work[parent] & ~by_work[child]))[sub]
    individual = ~has_broader[child]
    through = individual & stands[parent] & same  # a writer is an instance of profession alone: a kind of persons, then
    gone = _is_gone(known, child, parent, sub, instance)
    # What a class is an instance of is said of it where that is a root: English is a language, a statue no genre.
    direct = shown & ~is_passed[parent] & same & (individual | is_root[parent]) & ~gone
    keep[instance] = (through | direct)[instance]
    keep[occupation] = (shown & ((mask[parent] & bits[PEOPLE]) != 0))[occupation]
    placed = sum(bits[name] for name in PLACES)
    kind = np.where((kind == LOCATED) & ((mask[child] & placed) == 0), RELATED, kind).astype(np.uint8)
    firsts = {name: place for place, name in reversed(roots.items())}
    people = firsts.get(PEOPLE, 0)
    is_kind = has_broader | has_narrower
    is_kind[child[instance & through]] = True
    parent = np.where(instance & through, people, parent)

    count = np.bincount(parent[sub | instance], minlength=size)
    abstract = np.isin(np.arange(size), find_positions(known, _signed(list(TABLE["abstract"]))))
    hidden = classes.hidden.astype(np.bool_) | abstract | meta | is_passed | (above & (mask == 0))
    tops = _links_to_firsts(roots, firsts, child[sub], classes.parents[sub], size)
    # Who has a job of which nothing is said is a person.
    has_link = np.isin(np.arange(size), child[keep & np.isin(kind, (SUBCLASS, INSTANCE))])
    alone = np.flatnonzero((mask == bits[PEOPLE]) & ~has_link & ~is_root & ~stands & ~by_work)
    tops = (np.append(tops[0], alone), np.append(tops[1], np.full(len(alone), people)))
    child, parent = np.append(child[keep], tops[0]), np.append(parent[keep], tops[1])
    kind = np.append(kind[keep], np.full(len(tops[0]), SUBCLASS, np.uint8))
    order = np.argsort(child, kind="stable")
    return Classes(
        _types(classes.types, mask, is_kind, bits), (classes.weights + np.log2(1 + count)).astype(np.float32),
        hidden.astype(np.uint8), child[order], parent[order], kind[order],
    )  # fmt: skip


def _signed(ids: list[str]) -> Numbers:
    return hash_keys(ids).view(np.int64)


def _positions(known: Numbers, names: Mapping[str, str]) -> dict[int, str]:
    """Return where the roots are that a store has, with the names of their domains."""
    places = find_positions(known, _signed(list(names)))
    return {int(place): name for place, name in zip(places, names.values(), strict=True) if place >= 0}


def _is_gone(known: Numbers, child: Numbers, parent: Numbers, sub: Flags, instance: Flags) -> Flags:
    """Return the links to what is no more, of what is something else today."""
    places = find_positions(known, _signed(list(TABLE["former"])))
    former = np.isin(np.arange(len(known)), places[places >= 0])
    while (reached := sub & former[parent] & ~former[child]).any():
        former[child[reached]] = True
    today = np.zeros(len(known), np.bool_)
    today[child[instance & ~former[parent]]] = True
    return former[parent] & today[child]


def _first(mask: Numbers) -> Numbers:
    """Return the first domain of several, in the order of the table."""
    return mask & -mask


def _set_majority(mask: Numbers, child: Numbers, votes: Numbers) -> None:
    """Set the domain of concepts to that which most votes are for; of as many to the first of the table."""
    places = np.log2(votes).astype(np.int64)
    pairs, counts = np.unique(child * 64 + places, return_counts=True)
    owners, domains = pairs // 64, pairs % 64
    order = np.lexsort((domains, -counts, owners))
    first = np.append(True, np.diff(owners[order]) != 0)[: len(order)]
    chosen = order[first]
    mask[owners[chosen]] = np.left_shift(1, domains[chosen])


def _spread(roots: Mapping[int, tuple[int, int]], child: Numbers, parent: Numbers, size: int) -> Numbers:
    """Return the domain of each class, as a bit: that of the nearest root above it, of several the first.

    Roots have their bit, and the distance at which they begin.
    """
    distance, mask = np.full(size, FAR), np.zeros(size, np.int64)
    is_root = np.zeros(size, np.bool_)
    for place, (bit, begin) in roots.items():
        distance[place], mask[place], is_root[place] = begin, bit, True
    free = ~is_root[child]
    for level in range(FAR - 1):
        reached = (distance[parent] == level) & (distance[child] > level) & free
        if not reached.any() and not (distance[is_root] > level).any():
            break
        distance[child[reached]] = level + 1
        np.bitwise_or.at(mask, child[reached], mask[parent[reached]])
        mask = _first(mask)
    return mask


def _classes_of_classes(known: Numbers, classes: Classes, mask: Numbers, has_broader: Flags, by_work: Flags) -> Flags:
    """Return what has an order of classes for a class, or for the most part instances that are classes of elsewhere.

    Of what is said of people by their work (a legal profession), classes of the same domain count as well.
    """
    size = len(known)
    orders = find_positions(known, _signed(list(TABLE["orders"])))
    orders = orders[orders >= 0]
    instance = classes.kinds == INSTANCE
    child, parent = classes.children[instance], classes.parents[instance]
    meta = np.zeros(size, np.bool_)
    meta[child[np.isin(parent, orders)]] = True
    meta[orders] = True
    every = np.bincount(parent, minlength=size)
    elsewhere = has_broader[child] & (((mask[child] & mask[parent]) == 0) | by_work[parent])
    strange = np.bincount(parent[elsewhere], minlength=size)
    least = np.where(by_work, 1, LEAST_INSTANCES)
    return meta | ((every >= least) & (2 * strange >= every))


def _ancestors(below: Flags, child: Numbers, parent: Numbers) -> Flags:
    """Return concepts and all that is above them."""
    above = below.copy()
    while (reached := above[child] & ~above[parent]).any():
        above[parent[reached]] = True
    return above


def _links_to_firsts(
    roots: Mapping[int, str], firsts: Mapping[str, int], child: Numbers, parent: Numbers, size: int
) -> tuple[Numbers, Numbers]:
    """Return links from roots to the first root of their domain, where that is above them: there ladders end."""
    pairs = []
    for root, name in roots.items():
        first = firsts[name]
        if root != first and _ancestors(np.arange(size) == root, child, parent)[first]:
            pairs.append((root, first))
    columns = np.array(pairs, np.int64).reshape(-1, 2)
    return columns[:, 0], columns[:, 1]


def _types(types: NDArray[np.uint8], mask: Numbers, is_kind: Flags, bits: Mapping[str, int]) -> NDArray[np.uint8]:
    """Return the type of each concept, of which all its domains are; that of its source where it has no domain."""
    codes = {name: code for code, name in enumerate(TYPES)} | {"": NO_TYPE}
    refined = types.copy()
    for kinds in (True, False):
        part = (is_kind == kinds) & (mask != 0)
        first, several = np.full(len(mask), -1), np.zeros(len(mask), np.bool_)
        for name, bit in bits.items():
            code = codes[DOMAINS[name].kinds if kinds else DOMAINS[name].instances]
            here = part & ((mask & bit) != 0)
            several |= here & (first >= 0) & (first != code)
            first[here] = code
        refined[part] = np.where(several, NO_TYPE, first)[part]
    return refined
