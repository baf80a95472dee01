"""How much words and phrases tell, in bits: what precision is weighed by, and what is kept. Each way has its name."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Information(Protocol):
    """Says how much each span of a text tells."""

    @property
    def name(self) -> str:
        """Name where that comes from, for tables."""

    def weigh(self, text: str, spans: Ints, language: str) -> Floats:
        """Give a number of 0 or more for each span; the most for what is not known."""


class Uniform:
    """Every span tells the same."""

    name = "uniform"

    def weigh(self, text: str, spans: Ints, language: str) -> Floats:
        """Give 1 for each."""
        return np.ones(len(spans))
