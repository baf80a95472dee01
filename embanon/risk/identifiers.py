"""Say in the words of the field what a phrase is: a direct or a quasi-identifier, and whether it is confidential."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from embanon.config import PRESETS
from embanon.document import TYPES
from embanon.risk.score import ScoredPhrases

DIRECT, QUASI = "DIRECT", "QUASI"
DIRECT_LIMIT, QUASI_LIMIT = (PRESETS[name][0] for name in ("standard", "strict"))
"""From these risks on, a code is a direct identifier, and anything else a quasi-identifier."""
CODE: Final = TYPES.index("CODE")
CONFIDENTIAL_KINDS: Final = {
    "DEM.illness": "health", "DEM.treatment": "health", "DEM.disability": "health", "DEM.religion": "belief",
    "ORG.church": "belief", "DEM.politics": "politics", "ORG.party": "politics", "DEM.union": "union",
    "ORG.union": "union", "DEM.sexuality": "sexuality", "DEM.origin": "origin", "DEM.nationality": "origin",
    "DEM.offense": "offense",
}  # fmt: skip
"""The kinds of phrases that the law protects above others, and as what."""


def identifiers(scored: ScoredPhrases) -> list[str | None]:
    """Return of each phrase whether it singles out alone, helps to, or neither.

    What names a protected entity, and a code that is likely theirs, singles out alone.
    """
    risk = np.nan_to_num(scored.risk, nan=1.0)
    direct: NDArray[Any] = scored.named | ((scored.phrases.type == CODE) & (risk >= DIRECT_LIMIT))
    quasi = risk >= QUASI_LIMIT
    pairs = zip(direct.tolist(), quasi.tolist(), strict=True)
    return [DIRECT if alone else QUASI if helps else None for alone, helps in pairs]


def confidential_category(kind: str) -> str | None:
    """Return what a phrase of a kind tells that is confidential: health, belief, politics …; `None` for all else."""
    return CONFIDENTIAL_KINDS.get(kind)
