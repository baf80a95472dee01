"""What a back-end is given to train on, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from embanon.config import TrainingSettings
from embanon.model.subwords import Subwords

SPACE_SIGN: Final = "_"
"""What stands for a space in phrases of which parts are learnt: fastText's words have none."""
END_OF_LINE: Final = "</s>"
"""A word that fastText reads as the end of a line."""
MAX_TEXT_LENGTH: Final = 1000  # a multiple of usual windows
"""Phrases that are trained as one text; gensim cuts at ten thousand, fastText at a thousand and some."""
FIRST_ENTITY_SIGN: Final = 0xF0000
"""Where the characters begin that stand for entities in a model of subwords, which have no part in common."""

Progress = Callable[[str, float, float], None]
"""Receives the task, the steps done, and their total (0: unknown); no steps at all: another message follows."""


@dataclass(frozen=True, slots=True, eq=False)
class TrainingTexts:
    """The corpus as lists of numbers, or of what `names` call them, as often as asked for.

    `places` bounds the documents. `entity` numbers the one of each document, behind all phrases, or -1; it stands
    before each run of `window` phrases, so that all of them see it.
    """

    sequence: NDArray[np.int32] = field(repr=False)
    bounds: NDArray[np.int64] = field(repr=False)
    entity: NDArray[np.int64] = field(repr=False)
    window: int
    progress: Callable[[int], None]
    failure: list[BaseException] = field(default_factory=list, repr=False)
    """Why nothing more is given: gensim would wait for ever for a thread that fails."""
    names: Sequence[str] | None = field(default=None, repr=False)

    @property
    def token_count(self) -> int:
        """Return how many numbers there are to learn from, with those of entities."""
        whole, rest = np.divmod(np.diff(self.bounds), MAX_TEXT_LENGTH)
        runs = whole * -(-MAX_TEXT_LENGTH // self.window) + -(-rest // self.window)
        return len(self.sequence) + int(runs[self.entity >= 0].sum())

    def __iter__(self) -> Iterator[list[int] | list[str]]:
        bounds, entities = self.bounds.tolist(), self.entity.tolist()
        done = 0
        for number, entity in enumerate(entities):
            for start in range(bounds[number], bounds[number + 1], MAX_TEXT_LENGTH):
                numbers = self.sequence[start : min(start + MAX_TEXT_LENGTH, bounds[number + 1])].tolist()
                if self.failure or not self._report_progress(done):
                    return
                done += len(numbers)
                numbers = numbers if entity < 0 else self._with_entity(numbers, entity)
                yield numbers if self.names is None else [self.names[number] for number in numbers]
        self._report_progress(done)

    def _report_progress(self, done: int) -> bool:
        try:
            self.progress(done)
        except BaseException as exc:
            self.failure.append(exc)
        return not self.failure

    def _with_entity(self, numbers: list[int], entity: int) -> list[int]:
        runs = (numbers[first : first + self.window] for first in range(0, len(numbers), self.window))
        return [number for run in runs for number in (entity, *run)]


@dataclass(frozen=True, slots=True, eq=False)
class PreviousWeights:
    """The weights that a model to grow brings for some numbers, and how much each may still move, from 0 to 1."""

    numbers: NDArray[np.int64]
    vectors: NDArray[np.float32] = field(repr=False)
    output: NDArray[np.float32] = field(repr=False)
    freedom: NDArray[np.float32] = field(repr=False)
    subwords: Subwords | None = field(default=None, repr=False)
    subword_freedom: NDArray[np.float32] | None = field(default=None, repr=False)

    def concatenate(self, other: PreviousWeights) -> PreviousWeights:
        """Put the weights of other numbers behind these."""
        return replace(
            self,
            numbers=np.concatenate([self.numbers, other.numbers]),
            vectors=np.concatenate([self.vectors, other.vectors]),
            output=np.concatenate([self.output, other.output]),
            freedom=np.concatenate([self.freedom, other.freedom]),
        )


@dataclass(frozen=True, slots=True, eq=False)
class TrainedVectors:
    """Vectors of phrases and then of entities, the weights to go on with, and those of subwords."""

    vectors: NDArray[np.float32] = field(repr=False)
    output: NDArray[np.float32] | None = field(default=None, repr=False)
    subwords: Subwords | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class TrainingTask:
    """What is to be learnt: texts, and how often each number occurs in them (and before); `names` spell them."""

    texts: TrainingTexts
    counts: NDArray[np.int64] = field(repr=False)
    names: Sequence[str] = field(repr=False)
    options: TrainingSettings
    before: PreviousWeights | None = None

    def tokens(self) -> list[str]:
        """Return what each number is called where parts of words are learnt: without spaces, in what UTF-8 can hold."""
        spaces = {ord(" "): SPACE_SIGN, 0: SPACE_SIGN}
        phrases = (name.translate(spaces).encode("utf-8", "replace").decode("utf-8") for name in self.names)
        entities = map(_entity_sign, range(len(self.counts) - len(self.names)))
        return [SPACE_SIGN if token == END_OF_LINE else token for token in (*phrases, *entities)]


def _entity_sign(number: int) -> str:
    # One character, so that its only part is itself.
    return chr(FIRST_ENTITY_SIGN + number % 65_000) + chr(FIRST_ENTITY_SIGN + number // 65_000) * (number >= 65_000)
