"""Measure how far annotators of the same texts agree: `python -m eval.annotators GOLD…`.

GOLD is what `embanon evaluate` reads; of use where several people marked the same texts, as in the full Text
Anonymization Benchmark. Coefficients are those of NLTK (`embanon.measure.agreement`). *words, masked*: each word of a
text is an item, which an annotator masks or not; *words, type*: as what. *stretches*: words that stand together and
that anybody marks are an item, of which each annotator has masked a set of words; MASI and Jaccard are distances of
sets, so that masking half of a name agrees in part. Kappa is Cohen's of two annotators, Fleiss' of more, over the
items that as many have seen as most; alpha is Krippendorff's, over all that two have seen.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Hashable, Iterator, Sequence
from typing import Final

from embanon.errors import EmbanonError
from embanon.measure import GoldDocument, read_gold
from embanon.measure.agreement import NOMINAL, Ratings, cohen, fleiss, krippendorff
from embanon.measure.annotations import Annotation

WORD: Final = re.compile(r"\w+")
PAIR: Final = 2
UNMASKED: Final = ""
Row = tuple[Hashable | None, ...]


def annotators(golds: Sequence[GoldDocument]) -> tuple[str, ...]:
    """Return the names of all annotators."""
    return tuple(sorted({annotation.annotator for gold in golds for annotation in gold.annotations}))


def word_types(gold: GoldDocument, annotation: Annotation) -> list[str]:
    """Return as what each word is masked, "" where it is not."""
    words = [match.span() for match in WORD.finditer(gold.text)]
    types = [UNMASKED] * len(words)
    for mention in annotation.mentions_to_mask:
        for place, (start, end) in enumerate(words):
            if mention.start < end and start < mention.end:
                types[place] = mention.type or "MISC"
    return types


def rows_by_word(golds: Sequence[GoldDocument], names: Sequence[str]) -> Iterator[Row]:
    """Return the types that each annotator gives to a word, `None` where a text was not theirs."""
    for gold in golds:
        by_name = {annotation.annotator: word_types(gold, annotation) for annotation in gold.annotations}
        for place in range(len(WORD.findall(gold.text))):
            yield tuple(by_name[name][place] if name in by_name else None for name in names)


def rows_by_stretch(rows: Sequence[Row]) -> Iterator[Row]:
    """Return the sets of words that each annotator masks in stretches of words that anybody masks."""
    stretch = list[int]()
    for place, row in enumerate([*rows, ()]):
        if any(row):
            stretch.append(place)
        elif stretch:
            seen = rows[stretch[0]]
            yield tuple(
                None if seen[rater] is None else frozenset(place for place in stretch if rows[place][rater])
                for rater in range(len(seen))
            )
            stretch = []


def report(golds: Sequence[GoldDocument]) -> Iterator[str]:
    """Return the table."""
    names = annotators(golds)
    words = list(rows_by_word(golds, names))
    masked: list[Row] = [tuple(None if label is None else label != UNMASKED for label in row) for row in words]
    stretches = [
        row
        for gold in golds
        for row in rows_by_stretch(list(rows_by_word([gold], names)))
    ]  # fmt: skip
    yield f"{len(golds)} texts, {len(names)} annotators\n"
    yield f"{'':24}{'items':>8}{'observed':>10}{'kappa':>8}{'alpha':>8}"
    tables: tuple[tuple[str, Ratings, str], ...] = (
        ("words, masked", masked, NOMINAL),
        ("words, type", words, NOMINAL),
        ("stretches, exactly", stretches, NOMINAL),
        ("stretches, MASI", stretches, "masi"),
        ("stretches, Jaccard", stretches, "jaccard"),
    )
    for title, rows, distance in tables:
        alpha = krippendorff(rows, distance)
        is_pair = len(names) == PAIR
        kappa = cohen(rows, distance) if is_pair else fleiss(rows) if distance == NOMINAL else None
        cells = (kappa.observed if kappa else None, kappa.value if kappa else None, alpha.value)
        widths = (10, 8, 8)
        numbers = ("-" if cell is None else f"{cell:.3f}" for cell in cells)
        yield f"{title:24}{alpha.items:8}" + "".join(f"{n:>{w}}" for n, w in zip(numbers, widths, strict=True))


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m eval.annotators", description=__doc__)
    parser.add_argument("gold", nargs="+", help="files of gold, or folders of brat")
    options = parser.parse_args(arguments)
    try:
        golds = [gold for path in options.gold for gold in read_gold(path)]
    except EmbanonError as error:
        raise SystemExit(str(error)) from error
    if len(annotators(golds)) < PAIR:
        raise SystemExit("nobody could disagree: the texts have one annotator; name gold of several")
    for line in report(golds):
        print(line)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
