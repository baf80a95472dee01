"""The measures of the Text Anonymization Benchmark (Pilán et al. 2022, section 6), as its evaluation computes them.

An entity is what one annotator gave one id. It is to be masked if any of its mentions is, and it is direct if its
first mention is, in the order of the annotation: so it is decided there, also where its mentions differ. It is masked
if all its mentions are that need it. A mention is masked if nothing of it is seen but punctuation and tokens that tell
nothing. Words (`\\w+`) are what recall and precision count; tokens only say which parts of speech tell nothing.

Recall counts every word of every mention of an entity to be masked, those of words that tell nothing as masked.
A word counts for precision once for each annotator who has it in a single mention that is to be masked. An annotator
who marked nothing in a document counts too: whatever is masked there is wrong for that one. In both the paper's formula
is followed, not the published script: that leaves out annotators without any mention, and counts a word of several
masks once for each of them. On the published documents, and masks that do not overlap, it is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from embanon.measure.annotations import DIRECT, NO_MASK, Annotation, Gold, Mention, Pair
from embanon.measure.metrics.information import Information, Uniform
from embanon.measure.metrics.share import Share, columns
from embanon.measure.metrics.spans import Flags, bounds, counted, held, language_of, marked, merged, within, words
from embanon.measure.metrics.tags import Shipped, Tags
from embanon.text.tokens import characters

SILENT_TAGS: Final = frozenset(("ADP", "PART", "CCONJ", "DET"))
SILENT_WORDS: Final = frozenset(("mr", "mrs", "ms", "no", "nr", "about"))
SILENT_CHARACTERS: Final = frozenset(" ,.-;:/&()[]–'\"’“”")
_SILENT: Final = np.array([chr(code) in SILENT_CHARACTERS for code in range(0x2020)])
"""By code point; the last stands for all above."""
UNIFORM: Final = Uniform()
SHIPPED: Final = Shipped()

Floats = NDArray[np.float64]
Silent = Callable[[str, str, Tags], Flags]
"""Says which characters of a text in a language tell nothing, by parts of speech."""


@dataclass(frozen=True, slots=True, eq=False)
class Tab:
    """What the benchmark reports, and where parts of speech and information come from."""

    direct: Share
    """ER_di; of gold that does not tell identifiers apart, nothing."""
    quasi: Share
    """ER_qi, as well."""
    entities: Share
    """Both, and entities of which nobody said what they are."""
    recall: Share
    """R: words of mentions, micro over annotators."""
    mentions: Share
    """Mentions that are wholly masked, micro over annotators."""
    precision: Share
    """P: each word the same."""
    weighted: Share
    """WP: by information."""
    tags: str
    information: str


@dataclass(frozen=True, slots=True)
class Entity:
    """The mentions of one thing by one annotator."""

    mentions: tuple[Mention, ...]

    @property
    def is_masked(self) -> bool:
        """Say that it is to be masked."""
        return any(one.identifier != NO_MASK for one in self.mentions)

    @property
    def is_direct(self) -> bool | None:
        """Say that it is direct, by its first mention; `None` where nobody said."""
        first = self.mentions[0].identifier
        return None if first is None else first == DIRECT


def entities(annotation: Annotation) -> Iterator[Entity]:
    """Give the entities of an annotator that are to be masked, in the order of their first mentions."""
    found: dict[str | int, list[Mention]] = {}
    for number, one in enumerate(annotation.mentions):
        found.setdefault(number if one.entity is None else one.entity, []).append(one)
    for mentions in found.values():
        if (entity := Entity(tuple(mentions))).is_masked:
            yield entity


def silent(text: str, language: str, tags: Tags) -> Flags:
    """Say which characters tell nothing, so that they may be seen."""
    tagged = tags.tag(text, language)
    mute = [
        tag in SILENT_TAGS or word.casefold().rstrip(".") in SILENT_WORDS
        for word, tag in zip(tagged.words, tagged.tags, strict=True)
    ]
    found = marked(len(text), tagged.spans[np.array(mute, np.bool_)])
    codes, _ = characters(text)
    return np.asarray(found | _SILENT[np.minimum(codes, len(_SILENT) - 1)], np.bool_)


def tab(
    pairs: Sequence[Pair], tags: Tags = SHIPPED, information: Information = UNIFORM, by: Silent = silent
) -> Tab:  # fmt: skip
    """Measure documents."""
    direct, quasi, both, recall, mentions, precision, weighted = columns(
        (_row(pair, by(pair.gold.text, language_of(pair.gold), tags), information) for pair in pairs), 7
    )
    return Tab(direct, quasi, both, recall, mentions, precision, weighted, tags.name, information.name)


def _row(pair: Pair, tells_nothing: Flags, information: Information) -> list[tuple[float, float]]:
    """Give hits and their number, in the order of the fields of `Tab`."""
    gold, spans = pair.gold, bounds(pair.output.mentions)
    every = words(gold.text)
    seen = ~marked(len(gold.text), spans) & ~tells_nothing
    return [*_recalls(gold, seen, every), *_precisions(gold, merged(spans), every, information)]


def _recalls(gold: Gold, seen: Flags, every: NDArray[np.int64]) -> list[tuple[float, float]]:
    """Count entities that are masked (direct, quasi, all), words and mentions."""
    found = np.zeros((5, 2))
    for annotation in gold.annotations:
        some = list(entities(annotation))
        spans = bounds(one for entity in some for one in entity.mentions)
        hidden = counted(seen, spans) == 0
        tokens, _ = within(every, spans)
        found[3] += (np.count_nonzero(counted(seen, tokens) == 0), len(tokens))
        found[4] += (np.count_nonzero(hidden), len(hidden))
        at = 0
        for entity in some:
            needed = zip(entity.mentions, hidden[at : (at := at + len(entity.mentions))].tolist(), strict=True)
            whole = all(is_hidden or one.identifier == NO_MASK for one, is_hidden in needed)
            found[2] += (whole, 1)
            if entity.is_direct is not None:
                found[0 if entity.is_direct else 1] += (whole, 1)
    return [(hits, of) for hits, of in found.tolist()]


def _precisions(
    gold: Gold, spans: NDArray[np.int64], every: NDArray[np.int64], information: Information
) -> Iterator[tuple[float, float]]:
    """Weigh masked words, once for each annotator: the same each, and by information."""
    tokens, _ = within(every, spans)
    by = np.zeros(len(tokens))
    for annotation in gold.annotations:
        by += held(tokens, bounds(annotation.masked))
    weights: Floats = information.weigh(gold.text, tokens, language_of(gold))
    for some in (np.ones(len(tokens)), weights):
        yield float(by @ some), float(len(gold.annotations) * some.sum())
