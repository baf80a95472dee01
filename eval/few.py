"""Find what a small collection tells of, from five documents or three samples on.

    python -m eval.few --data ../shared/data

A collection has 5, 10, 30 or 100 diplomatic papers. A fifth of them are about one of the ten things of `planted.toml`,
with all names taken out (*planted*); they are to be told from those that do not mention it. What finds them is given
the names, a description of two sentences, and either a fifth more papers that name the thing, which lie in the
collection (*named*), or three samples from elsewhere, while no document names it (*samples*). Vectors are those of a
model that has read no such paper, trained on actors and court cases. Each line is the mean over ten things, three draws
each with fixed seeds, and intervals over these; things and papers alike were drawn by chance.

The area is that of planted papers against papers without a mention: as scored by embanon, by TF-IDF (the cosine to the
description, and to the samples or the papers that name it), and by a search for names, which finds none. *All* counts
the papers that name it among those that are to be found, which every search finds. Last stands which share of planted
papers and of others has a risk of one half or more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from embanon.entities.entity import Entity
from embanon.language.normalize import key, words_of
from embanon.leak.collection import Collection
from embanon.leak.fitting import learn_entity
from embanon.leak.hints import NAME_MARK, NameMasker, TextRows
from embanon.model.model import Model
from eval.boundaries import rows
from eval.frequencies import area
from eval.planted import Secret, own, secrets
from eval.printing import print_tables

SIZES: Final = (5, 10, 30, 100)
SHARE: Final = 0.2
SAMPLES: Final = 3
DRAWS: Final = 3
READ: Final = ("actors/corpus", "tab/background")
CERTAIN: Final = 0.5
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Draw:
    """A small collection about a thing, and which of its texts are planted and which name it."""

    entity: Entity
    texts: Sequence[str]
    planted: NDArray[np.bool_]
    names: NDArray[np.bool_]

    @classmethod
    def by_chance(cls, secret: Secret, papers: Sequence[str], size: int, seed: int, samples: bool) -> Draw:
        """Draw one."""
        mentions = np.array([len(secret.counted.findall(text)) for text in papers])
        chance, count = np.random.default_rng(seed), max(round(SHARE * size), 1)
        about = chance.permutation(np.flatnonzero(mentions >= 3)).tolist()
        others = chance.permutation(np.flatnonzero(mentions == 0)).tolist()
        planted, rest = about[:count], about[count:]
        naming = [] if samples else rest[:count]
        given = tuple(papers[number] for number in rest[:SAMPLES]) if samples else ()
        chosen = [*planted, *naming, *others[: size - len(planted) - len(naming)]]
        texts = [secret.removed.sub("", papers[number]) if number in planted else papers[number] for number in chosen]
        places = np.arange(len(chosen))
        is_named = (places >= len(planted)) & (places < len(planted) + len(naming))
        return cls(replace(secret.entity, samples=given), texts, places < len(planted), is_named)

    def without_names(self, texts: Sequence[str]) -> list[str]:
        """Return texts without the names."""
        mentions = NameMasker(self.entity, "en")
        return [mentions.mask(text)[0].replace(NAME_MARK, " ") for text in texts]

    def risks(self, model: Model) -> Floats:
        """Return what embanon says of each text without the names."""
        described = [self.entity.description, *self.entity.samples]
        collection = Collection(self.texts, model, "en", described)
        learnt = learn_entity(collection, self.entity)
        words = [words_of(key(text)) for text in self.without_names(self.texts)]
        return learnt.risk(TextRows.from_words(words, collection.vocabulary))

    def similar(self, description_alone: bool = False) -> Floats:
        """Return the cosine of TF-IDF to what is given."""
        from sklearn.feature_extraction.text import TfidfVectorizer

        left = self.without_names(self.texts)
        named = [text for text, names in zip(left, self.names, strict=True) if names]
        asked = [self.entity.description]
        asked += [] if description_alone else [*self.without_names(self.entity.samples), *named]
        table = TfidfVectorizer(sublinear_tf=True, stop_words="english").fit([*left, *asked])
        return np.asarray(table.transform(left) @ np.asarray(table.transform(asked).mean(axis=0)).ravel())

    def areas(self, scores: Floats) -> tuple[float, float]:
        """Return the area of planted papers against others, and that of all papers about the thing."""
        unnamed = ~self.names
        every = np.where(self.names, scores.max() + 1, scores)
        return area(scores[unnamed], self.planted[unnamed]), area(every, self.planted | self.names)


def interval(values: Floats) -> str:
    """Return a mean with its interval, drawn anew from the draws."""
    drawn = np.random.default_rng(1).integers(0, len(values), (1000, len(values)))
    low, high = np.quantile(values[drawn].mean(axis=1), [0.025, 0.975])
    return f"{values.mean():.3f} ({low:.3f}-{high:.3f})".rjust(22)


def report(data: Path, folder: Path) -> Iterator[str]:
    """Return the lines of the table."""
    papers = list(dict.fromkeys(row["text"] for row in rows(data / "frus/documents.jsonl.gz")))
    model = own((row["text"] for name in READ for row in rows(data / f"{name}.jsonl.gz")), folder)
    heads = ("embanon", "TF-IDF", "its description", "embanon - TF-IDF", "all: embanon", "all: TF-IDF")
    yield f"{'papers':8}{'given':9}{''.join(f'{head:>22}' for head in heads)}{'names':>7}{'found':>7}{'false':>7}"
    for size in SIZES:
        for samples in (False, True):
            table = np.array(list(_measure(papers, model, size, samples)))
            ours, theirs, described, all_ours, all_theirs, names, found, false = table.T
            each = (ours, theirs, described, ours - theirs, all_ours, all_theirs)
            shares = f"{names.mean():7.3f}{found.mean():7.2f}{false.mean():7.3f}"
            yield f"{size:<8}{'samples' if samples else 'named':9}{''.join(map(interval, each))}{shares}"


def _measure(papers: Sequence[str], model: Model, size: int, samples: bool) -> Iterator[tuple[float, ...]]:
    for secret in secrets():
        for seed in range(DRAWS):
            draw = Draw.by_chance(secret, papers, size, seed, samples)
            risks = draw.risks(model)
            ours, theirs, described = map(draw.areas, (risks, draw.similar(), draw.similar(description_alone=True)))
            named = draw.areas(draw.names.astype(np.float64))[1] if draw.names.any() else 0.5
            others = ~draw.planted & ~draw.names
            high = risks >= CERTAIN
            yield (ours[0], theirs[0], described[0], ours[1], theirs[1], named,
                   high[draw.planted].mean(), high[others].mean())  # fmt: skip


if __name__ == "__main__":
    raise SystemExit(print_tables("few", __doc__, ("numpy", "gensim", "scikit-learn"), report))
