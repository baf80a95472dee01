"""Rating sheets: whether a replacement is suitable and true, and the agreement of several raters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Final

import numpy as np

from embanon.attack import IntervalEstimate
from embanon.io import replace_unsafe
from embanon.measure.agreement import Agreement, cohen, fleiss, krippendorff
from embanon.measure.annotations import DocumentPair, Mention
from embanon.measure.metrics.chunks import informative_part
from embanon.measure.metrics.coreference import relevance
from embanon.measure.metrics.intervals import share_bounds
from embanon.measure.metrics.share import rounded

QUESTIONS: Final = ("suitable", "true")
"""Columns that are filled in."""
COLUMNS: Final = ("row", "original in context", "replacement", *QUESTIONS)
CONTEXT_CHARACTERS: Final = 80
"""Characters to either side of what was replaced."""
OPEN, CLOSE = "[[", "]]"
PAIR: Final = 2
"""Raters whom Cohen's kappa compares."""

Answers = Mapping[str, bool | None]
"""Of each row; `None` is no answer."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """What one person says, question by question."""

    name: str
    answers: Mapping[str, Answers] = field(repr=False)


@dataclass(frozen=True, slots=True)
class RatingSummary:
    """What raters say together of one question."""

    question: str
    raters: int
    rows: int
    missing: int
    """Answers that are not there."""
    share: float | None
    """Of yes among all answers."""
    bounds: IntervalEstimate | None
    kappa: Agreement | None
    """Cohen's of two raters, Fleiss' of more, `None` of one."""
    alpha: Agreement | None
    """Krippendorff's, which rows with a rating too few are part of."""

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name."""
        shown: dict[str, Any] = {
            "question": self.question, "raters": self.raters, "rows": self.rows, "missing": self.missing,
            "share": rounded(self.share),
        }  # fmt: skip
        if self.bounds:
            shown |= {"low": rounded(self.bounds.low), "high": rounded(self.bounds.high)}
        if self.kappa:
            shown |= {"kappa": rounded(self.kappa.value), "agreement": rounded(self.kappa.observed)}
            shown["of"] = "Cohen" if self.raters == PAIR else "Fleiss"
        if self.alpha:
            shown["alpha"] = rounded(self.alpha.value)
        return shown


def choose_rows(pairs: Sequence[DocumentPair], count: int, seed: int) -> list[dict[str, str]]:
    """Choose replacements that say more than a type, by chance, and lay each out as a row to be filled in."""
    every = [(pair, one) for pair in pairs for one in pair.output.mentions if informative_part(one.replacement)]
    chosen = np.random.default_rng(seed).permutation(len(every))[:count].tolist()
    return [_row(*every[place]) for place in chosen]


def _row(pair: DocumentPair, mention: Mention) -> dict[str, str]:
    text = pair.gold.text
    before = text[max(mention.start - CONTEXT_CHARACTERS, 0) : mention.start]
    after = text[mention.end : mention.end + CONTEXT_CHARACTERS]
    context = f"{before}{OPEN}{text[mention.start : mention.end]}{CLOSE}{after}"
    shown = (" ".join(replace_unsafe(part).split()) for part in (context, mention.replacement or ""))
    return dict(zip(COLUMNS, (row_id(pair, mention), *shown, "", ""), strict=True))


def row_id(pair: DocumentPair, mention: Mention) -> str:
    """Name a row by what it is of, so that sheets of different people can be joined; a letter keeps it a word."""
    said_of = f"{pair.gold.id}\0{mention.start}\0{mention.end}\0{mention.replacement}"
    return "r" + blake2b(said_of.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()


def summarize_ratings(sheets: Sequence[Sheet], seed: int = 1) -> Iterator[RatingSummary]:
    """Put the answers of all sheets together, question by question."""
    names = list(dict.fromkeys(name for one in sheets for some in one.answers.values() for name in some))
    for question in QUESTIONS:
        table = [[one.answers[question].get(name) for one in sheets] for name in names]
        share = relevance(table)
        kappa = alpha = None
        if len(sheets) >= PAIR:
            kappa, alpha = (cohen if len(sheets) == PAIR else fleiss)(table), krippendorff(table)
        missing = sum(answer is None for row in table for answer in row)
        yield RatingSummary(
            question, len(sheets), len(names), missing, share.value, share_bounds(share, seed=seed), kappa, alpha
        )
