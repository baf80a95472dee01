"""Measure restoring: `python -m eval.restoring --data ../shared/data`.

*Exact*: texts that hypothesis composes of names, dates, marks, emoji, accents and right-to-left pieces are anonymized
by every method in turn and restored; each has to come back to the sign.
*Edited*: the biographies and the first of the actors are anonymized, then edited in ways that people and machines edit
texts, and restored. *Placed*: replacements for which a place was found, of those that the edit has left there.
*Right*: those that were put where they belong. A placeholder (Person 1, [ORG 2]) stands for one entity; of two labels
that read the same (the 1990s) and stand in another order none can tell which was which.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from pathlib import Path
from typing import Final

from hypothesis import HealthCheck, given, settings, strategies as st

from embanon.anonymizer import Anonymizer, load as open_anonymizer
from embanon.config.settings import METHODS
from embanon.replace.rewrite import NUMBERED, Solution, restore
from eval.boundaries import rows
from eval.labeled import named, sources
from eval.speed import machine
from tests.replace.test_plan import TEXTS

SENTENCE: Final = re.compile(r"(?<=[.!?]) (?=[A-Z“])")
SIGNS: Final = re.compile("[\U000f0000-\U000ffffd]")
ACTORS: Final = 150


def shuffled(text: str) -> str:
    """Put sentences into another order."""
    parts = SENTENCE.split(text)
    random.Random(1).shuffle(parts)
    return " ".join(parts)


def deleted(text: str) -> str:
    """Leave every fourth sentence out."""
    return " ".join(part for number, part in enumerate(SENTENCE.split(text)) if number % 4 != 2)


def doubled(text: str) -> str:
    """Say every fourth sentence twice."""
    return " ".join(f"{part} {part}" if number % 4 == 1 else part for number, part in enumerate(SENTENCE.split(text)))


def inflected(text: str) -> str:
    """Return placeholders the endings that a sentence or another language asks for."""
    return re.sub(r"((?:PERSON|Person) \d+|\[[^\[\]]+ \d+\])(?!['’])", r"\1's", text)


EDITS: Final[dict[str, Callable[[str], str]]] = {
    "none": str,
    "sentences in another order": shuffled,
    "upper case": str.upper,
    "lower case": str.lower,
    "inflection": inflected,
    "every fourth sentence left out": deleted,
    "every fourth sentence doubled": doubled,
    "other words between": lambda text: re.sub(r"\b(is|was|and|in|for|with)\b", "so to say", text),
    "other spaces and quotes": lambda text: text.replace("’", "'").replace(" ", "\u00a0"),
    "lines broken": lambda text: re.sub(r"(.{40}\S*) ", r"\1\n", text),
}


def exact(anonymizer: Anonymizer, count: int) -> str:
    """Return how many composed texts come back."""
    done = Counter[bool]()

    all_of_them = settings(
        max_examples=count, database=None, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
    )

    @all_of_them
    @given(TEXTS, st.sampled_from(METHODS), st.sampled_from([0.1, 0.28, 0.645]))
    def there_and_back(text: str, method: str, limit: float) -> None:
        shown = anonymizer.anonymize(text, "Ada Berger", method=method, limit=limit)
        done[restore("text", shown.text, shown.solutions).text == text] += 1

    there_and_back()
    return f"{done[True]:,} of {done.total():,} composed texts restored exactly"


def counted(solutions: Sequence[Solution], shown: str, change: Callable[[str], str]) -> tuple[int, int, int]:
    """Count the replacements that an edit has left, those that were placed, and those put where they belong.

    A sign of private use behind each replacement, and in the place of each original, tells them apart.
    """
    signs, free = dict[str, str](), map(chr, range(0xF0000, 0xFFFFD))
    told = list[Solution]()
    for one in solutions:
        name = one.replacement if NUMBERED.fullmatch(one.replacement) else str(one.at)
        told.append(replace(one, original=signs.setdefault(name, next(free))))
    changed = change("".join(_marked(shown, told)))
    left = SIGNS.findall(changed)
    found = restore("", SIGNS.sub("", changed), told)
    got = SIGNS.findall(found.text)
    right = sum(block.size for block in SequenceMatcher(None, left, got, autojunk=False).get_matching_blocks())
    return len(left), min(len(got), len(left)), right


def _marked(shown: str, solutions: Sequence[Solution]) -> Iterator[str]:
    last = 0
    for one in solutions:
        yield shown[last : one.to] + one.original
        last = one.to
    yield shown[last:]


def edited(documents: Sequence[tuple[str, str]], anonymizer: Anonymizer) -> Iterator[str]:
    """Return a line for each edit and method."""
    for method in ("generalize", "tag"):
        shown = [anonymizer.anonymize(text, name, method=method) for name, text in documents]
        for edit, change in EDITS.items():
            sums = [0, 0, 0]
            for one in shown:
                found = counted(one.solutions, one.text, change)
                sums = [sum(pair) for pair in zip(sums, found, strict=True)]
            tags = sum(bool(NUMBERED.fullmatch(some.replacement)) for one in shown for some in one.solutions)
            yield (
                f"{method:12}{edit:34}{sums[0]:7}{sums[1] / sums[0]:9.4f}{sums[2] / sums[0]:9.4f}"
                + (f"   {tags} placeholders" if edit == "none" else "")
            )  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m eval.restoring", description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--count", type=int, default=10_000, help="composed texts")
    options = parser.parse_args(arguments)
    print(f"{machine(('numpy', 'hypothesis'))}\n")
    anonymizer, begin = open_anonymizer("default", language="en"), time.perf_counter()
    print(f"{exact(anonymizer, options.count)} ({time.perf_counter() - begin:.0f} s)\n", flush=True)
    documents = [(named("wikibios", str(row["doc_id"])), row["text"])
                 for row in rows(options.data / "wikibios/gold.jsonl.gz")]  # fmt: skip
    actors = (one for one in sources(options.data, "actors/corpus") if one.entity)
    documents += [(one.entity or "", one.document.text) for one, _ in zip(actors, range(ACTORS), strict=False)]
    print(f"{len(documents)} documents\n\n{'method':12}{'edit':34}{'left':>7}{'placed':>9}{'right':>9}")
    for line in edited(documents, anonymizer):
        print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
