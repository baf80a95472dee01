"""How much concepts say: the share of all that each one covers, in bits."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]


def information_content(children: Numbers, parents: Numbers, size: int) -> NDArray[np.float32]:
    """Return how much each concept says: 0 for what covers all, the most a leaf. Links are in the order of children.

    A concept counts for all that are broader than it, on each way that leads there, so that what is broader never says
    more. Those of a ring are each broader than the others, and say the same.
    """
    rings = _cycle_representatives(children, parents, size)
    if rings is not None:
        children, parents = rings[children], rings[parents]
        links = np.flatnonzero(children != parents)
        links = links[np.argsort(children[links], kind="stable")]
        children, parents = children[links], parents[links]
    covered = np.ones(size) if rings is None else np.bincount(rings, minlength=size).astype(np.float64)
    for links in _waves(children, parents, size):
        above = parents[links]
        np.add.at(covered, above, covered[children[links]])
        covered[above] = np.minimum(covered[above], size)  # ways are many where diamonds stand on diamonds
    if rings is not None:
        covered = covered[rings]
    return (0.0 - np.log2(covered / max(size, 1))).astype(np.float32)


def _waves(children: Numbers, parents: Numbers, size: int) -> Iterator[Numbers]:
    """Return the places of links, first of those from leaves, then of those from what has no other child left."""
    starts = np.append(0, np.cumsum(np.bincount(children, minlength=size)))
    waiting = np.bincount(parents, minlength=size)
    ready = np.flatnonzero(waiting == 0)
    while len(ready):
        links = _ranges(starts[ready], starts[ready + 1])
        yield links
        np.subtract.at(waiting, parents[links], 1)
        touched = np.unique(parents[links])
        ready = touched[waiting[touched] == 0]


def _ranges(starts: Numbers, ends: Numbers) -> Numbers:
    """Return all numbers of several half-open ranges."""
    sizes = ends - starts
    return np.repeat(starts - np.cumsum(sizes) + sizes, sizes) + np.arange(int(sizes.sum()))


def _cycle_representatives(children: Numbers, parents: Numbers, size: int) -> Numbers | None:
    """Return the least number of those of which each concept is broader and narrower; `None` where there are none."""
    for _ in range(2):  # what is not reached from below, and then not from above, is in a ring or between two
        held = np.ones(len(children), np.bool_)
        for links in _waves(children, parents, size):
            held[links] = False
        if not held.any():
            return None
        children, parents = parents[held], children[held]
        order = np.argsort(children, kind="stable")
        children, parents = children[order], parents[order]
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    links = coo_array((np.ones(len(children), np.bool_), (children, parents)), shape=(size, size))
    _, rings = connected_components(links.tocsr(), connection="strong")
    least: Numbers = np.full(size, size)
    np.minimum.at(least, rings, np.arange(size))
    representatives: Numbers = least[rings]
    return representatives
