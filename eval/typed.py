"""Measure the types of phrases: `python -m eval.typed --data ../shared/data`.

Gold spans that are exactly one phrase (leading articles aside) are compared with its type. The floor gives
each phrase the most frequent gold type of its pattern, known from the same set. Spanish types of protected
information are mapped coarsely.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from embanon.document import TYPES
from embanon.text.analyzer import Analyzer, TaggedText, load_analyzer
from embanon.text.grammar import PATTERNS
from embanon.text.joins import StatisticsCounter
from embanon.text.kinds import KINDS, assign_kinds
from embeddings.build.annotated import type_of
from eval.boundaries import Span, bare, rows, texts


def typed_gold(data: Path, name: str) -> Iterator[tuple[str, dict[Span, str]]]:
    """Return texts with the type of each gold span; the most frequent of those that annotators gave."""
    folder, file = {"meddocan": ("meddocan", "dev"), "tab": ("tab", "gold")}.get(name, (name, "gold"))
    for row in rows(data / folder / f"{file}.jsonl.gz"):
        if "spans" in row:
            found = [(start, end, kind) for start, end, kind in row["spans"]]
        else:
            mentions = [m for a in row["annotations"].values() for m in a["entity_mentions"]]
            found = [(m["start_offset"], m["end_offset"], m["entity_type"]) for m in mentions]
        votes: dict[Span, Counter[str]] = defaultdict(Counter)
        for start, end, kind in found:
            if start < end and (ours := type_of(kind)):
                votes[bare(row["text"], (start, end))][ours] += 1
        yield row["text"], {span: count.most_common(1)[0][0] for span, count in votes.items()}


@dataclass(frozen=True, slots=True)
class Result:
    """Counts of (gold, given) and (pattern, gold), the mistakes, and the time for each word."""

    pairs: Counter[tuple[str, str]]
    patterns: Counter[tuple[str, str]]
    wrong: tuple[tuple[str, Span, str, str], ...]
    microseconds: float

    @property
    def accuracy(self) -> float:
        """Return the share of spans whose type is right."""
        return sum(n for (gold, given), n in self.pairs.items() if gold == given) / self.pairs.total()

    @property
    def floor(self) -> float:
        """Return the accuracy of the most frequent type of each pattern."""
        best: Counter[str] = Counter()
        for (pattern, _), n in self.patterns.items():
            best[pattern] = max(best[pattern], n)
        return best.total() / self.patterns.total()


def measure(data: Path, name: str) -> Result:
    """Compare the types of one set."""
    reader: Analyzer = load_analyzer("es" if name == "meddocan" else "en")
    gathering = StatisticsCounter()
    for text in texts(data, name):
        analyzed: TaggedText = reader.tag(text)
        gathering.add([(analyzed.tokens, reader.cut(analyzed))])
    statistics = gathering.statistics()
    pairs: Counter[tuple[str, str]] = Counter()
    patterns: Counter[tuple[str, str]] = Counter()
    wrong = []
    seconds, words = 0.0, 0
    for text, wanted in typed_gold(data, name):
        analyzed = reader.tag(text)
        cut = reader.cut(analyzed, statistics)
        tokens = analyzed.tokens
        begin = time.perf_counter()
        typed = assign_kinds(tokens, analyzed.features, cut, reader.lexicon)
        seconds += time.perf_counter() - begin
        words += len(tokens)
        starts = tokens.start[cut.first].tolist()
        ends = tokens.end[cut.last - 1].tolist()
        for start, end, pattern, kind, code in zip(
            starts, ends, cut.pattern.tolist(), typed.kind.tolist(), typed.type.tolist(), strict=True
        ):
            span = bare(text, (start, end))
            expected = wanted.get(span)
            if expected is None:
                continue
            given = TYPES[code]
            pairs[expected, given] += 1
            patterns[PATTERNS[pattern], expected] += 1
            if given != expected:
                wrong.append((text, span, expected, f"{PATTERNS[pattern]} {given}.{KINDS[kind]}"))
    return Result(pairs, patterns, tuple(wrong), seconds / max(words, 1) * 1e6)


def report(result: Result) -> str:
    """Write the confusion table with precision and recall."""
    table = np.array([[result.pairs[gold, given] for given in TYPES] for gold in TYPES])
    lines = ["gold \\ given".ljust(12) + "".join(name[:8].rjust(9) for name in TYPES) + "   recall"]
    for name, row, hit in zip(TYPES, table, table.diagonal(), strict=True):
        share = f"{hit / row.sum():9.3f}" if row.sum() else "        -"
        lines.append(name.ljust(12) + "".join(str(n).rjust(9) for n in row) + share)
    given = table.sum(axis=0)
    shares = (f"{hit / n:9.3f}" if n else "        -" for hit, n in zip(table.diagonal(), given, strict=True))
    return "\n".join([*lines, "precision".ljust(12) + "".join(shares)])


def main(arguments: Sequence[str] | None = None) -> int:
    """Print accuracy, floor and confusion."""
    parser = argparse.ArgumentParser(prog="python -m eval.typed", description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--show", type=int, default=0, help="print this many of the mistakes")
    parser.add_argument("sets", nargs="*", default=["tab", "wikibios", "meddocan"])
    options = parser.parse_args(arguments)
    for name in options.sets:
        result = measure(options.data, name)
        print(
            f"{name:9} accuracy {result.accuracy:.3f} floor {result.floor:.3f}"
            f" of {result.pairs.total()} spans, {result.microseconds:.2f} us a word\n{report(result)}\n",
            flush=True,
        )
        for text, (start, end), expected, given in result.wrong[:: max(1, len(result.wrong) // (options.show or 1))][
            : options.show
        ]:
            around = f"{text[max(0, start - 25) : start]!r} [{text[start:end]!r}] {text[end : end + 15]!r}"
            print(f"   {expected:8} given {given:24} {around}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
