"""Measure how much meaning anonymized texts keep, against labels of entities on the same masks.

    python -m eval.meaning --data ../shared/data

TPS: the information of phrases times how near to the original is what stands there, over all information. A phrase
that is kept is 1, one that is suppressed 0. The vectors are of a word2vec model that is trained here on the actors and
the biographies (100 dimensions, 5 epochs; the texts are among them), less the mean of all, as any two would be near
otherwise; a cosine below 0 is 0. *Words*: the mean of the words' vectors, weighted by rarity. *Phrases*: the vector
of the phrase itself where the model has one. *Wu-Palmer*: in WordNet 3.0, the nearest of the senses of both; only
where both are nouns, as phrases or by the noun that they end in: names are not, so these are few. *Masked*: over
the replaced phrases alone, *of*: how many. *Labels*: what the letters of `[PERSON]`, `[ORG]` .. stand for (person,
organization, location, date time, demographic, code, quantity, miscellaneous) wherever a text is masked; *plain
words*: person, organization, place, date, characteristic, code, number, thing. *Generalized*: what stands there,
tags, bare types and `PERSON n` read as their label, or in the last line as nothing.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

from embanon.measure.metrics.similarity import VectorSimilarity
from embanon.model.model import Model
from eval.information import LABELS, LITERAL, Information, Nouns, said
from eval.published import STANDARD, UNSAID, Published, annotated, masked, scored, trained
from eval.speed import machine

SETS: Final = ("wikiactors", "wikibios")
LIMITS: Final = {"standard": STANDARD, "strict": 0.28}
OWN: Final = (*UNSAID, "person")
"""Rungs of edits that say no more than the type."""
LIBRARIES: Final = ("numpy", "gensim")
WAYS: Final = ("suppressed", "labels", "plain words", "generalized", "generalized, else nothing")

Similarity = Callable[[str, str], float | None]
"""Gives nothing where it cannot say."""


def shares(
    found: Sequence[Published], information: Information, similarity: Similarity, way: str
) -> tuple[float, float, int]:
    """Give TPS over all phrases, over those that are replaced, and how many of these could be compared."""
    kept = replaced = of_replaced = 0.0
    compared = 0
    for one in found:
        text, own, gone = one.case.text, information.before(one), set[int]()
        for edit in one.edits:
            places = list(one.inside(edit))
            gone.update(places)
            weight = sum(own[place] for place in places)
            new = instead(said(edit), edit.type, edit.rung, way)
            original = text[edit.start : edit.end]
            value = similarity(original, new or LABELS[edit.type])
            value = similarity(original, LABELS[edit.type]) if value is None else value  # miscellaneous is no noun
            if value is None:
                continue
            compared += 1
            replaced, of_replaced = replaced + weight * (value if new else 0.0), of_replaced + weight
        kept += sum(bits for place, bits in enumerate(own) if place not in gone)
    whole = kept + of_replaced
    return (kept + replaced) / whole, replaced / of_replaced, compared


def near(model: Model, *, whole: bool) -> Similarity:
    """Compare by the vectors of a model; what it does not know is like nothing."""
    vectors = VectorSimilarity(model, uses_phrases=whole)
    return lambda one, other: vectors.similarity(one, other) or 0.0


def instead(new: str, type: str, rung: str, way: str) -> str:
    """Return what stands there by one of the ways."""
    match way:
        case "suppressed":
            return ""
        case "plain words":
            return LABELS[type]
        case "labels":
            return LITERAL[type]
        case "generalized":
            return LITERAL[type] if rung in OWN else new
    return "" if rung in OWN else new


def report(data: Path, model: Model) -> Iterator[str]:
    """Return the table."""
    information = Information.of(model)
    measures: dict[str, Similarity] = {
        "words": near(model, whole=False), "phrases": near(model, whole=True),
        "Wu-Palmer": Nouns(data / "wordnet").similarity,
    }  # fmt: skip
    for name in SETS:
        cases = list(scored(annotated(data, name), model))
        for preset, limit in LIMITS.items():
            found = masked(cases, model, limit)
            yield f"{name + ', ' + preset:34}" + "".join(
                f"{one + ': all':>15}{'masked':>9}{'of':>7}" for one in measures
            )
            for way in WAYS:
                cells = [shares(found, information, one, way) for one in measures.values()]
                yield f"   {way:31}" + "".join(f"{all:15.3f}{some:9.3f}{size:7}" for all, some, size in cells)
            yield ""
    yield "bar: generalized above labels by .03"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m eval.meaning", description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    options = parser.parse_args(arguments)
    print(f"{machine(LIBRARIES)}\n")
    with tempfile.TemporaryDirectory() as folder:
        model = trained(options.data, Path(folder), epochs=5, dimensions=100)
        for line in report(options.data, model):
            print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
