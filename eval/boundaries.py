"""Measure phrase boundaries against gold spans: `python -m eval.boundaries --data ../shared/data`.

*Exact*: the gold span is exactly one phrase. *Bounds*: a phrase begins where it begins and one ends where it ends.
Leading articles and possessives are left aside on both sides. The floor is a chunker as NLTK's book writes it,
`<DT>?<JJ>*<NN.*>+`, over the same tags.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from embanon.text.analyzer import Analyzer, TaggedText, load_analyzer
from embanon.text.find import text_phrases
from embanon.text.joins import CorpusStatistics, StatisticsCounter

LEADING = re.compile(
    r"(?:(?:the|a|an|his|her|their|its|our|my|your|el|la|los|las|un|una|su|sus|o|a|os|as|um|uma|der|die|das|den|dem|des"
    r"|ein|eine|einen|einem|einer|eines)\s+)+",
    re.IGNORECASE,
)
TRAILING = re.compile(r"(?:['\u2019]s?|\s)+$")

Span = tuple[int, int]


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """Read gzipped JSON Lines."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def bare(text: str, span: Span) -> Span:
    """Leave leading articles and possessives, and a trailing possessive, aside."""
    start, end = span
    if match := LEADING.match(text, start, end):
        start = match.end()
    if match := TRAILING.search(text[start:end]):
        end = start + match.start()
    return start, end


def gold(data: Path, name: str) -> Iterator[tuple[str, list[Span]]]:
    """Return texts with their gold spans."""
    folder, file = {"meddocan": ("meddocan", "dev"), "tab": ("tab", "gold")}.get(name, (name, "gold"))
    for row in rows(data / folder / f"{file}.jsonl.gz"):
        if "spans" in row:
            spans = {(start, end) for start, end, *_ in row["spans"]}
        else:
            mentions = (m for a in row["annotations"].values() for m in a["entity_mentions"])
            spans = {(m["start_offset"], m["end_offset"]) for m in mentions}
        yield row["text"], sorted(bare(row["text"], span) for span in spans if span[0] < span[1])


def texts(data: Path, name: str) -> Iterator[str]:
    """Return the texts that statistics are gathered from: the set itself and its domain, each article once."""
    seen = set()
    domain = {"wikiactors": "actors/corpus", "wikibios": "actors/corpus", "tab": "tab/background"}.get(name)
    for text, _ in gold(data, name):
        seen.add(text.strip()[:40])
        yield text
    for row in rows(data / f"{domain}.jsonl.gz") if domain else ():
        if row["text"].strip()[:40] not in seen:
            yield row["text"]


def phrases(reader: Analyzer, text: str, statistics: CorpusStatistics) -> list[Span]:
    """Return the phrases' offsets."""
    found = text_phrases(reader, text, statistics)
    return list(zip(found.start.tolist(), found.end.tolist(), strict=True))


def chunks(reader: Analyzer, text: str, statistics: CorpusStatistics) -> list[Span]:
    """Return the floor's chunks."""
    analyzed = reader.tag(text)
    kinds = {"DET": "d", "ADJ": "j", "NOUN": "n", "PROPN": "n"}
    line = "".join(kinds.get(reader.tagger.tags[tag], ".") for tag in analyzed.tags.tolist())
    tokens = analyzed.tokens
    return [(int(tokens.start[m.start()]), int(tokens.end[m.end() - 1])) for m in re.finditer("d?j*n+", line)]


@dataclass(frozen=True, slots=True)
class Recall:
    """Shares of gold spans, and of phrases: how many are exactly a gold span."""

    exact: float
    bounds: float
    precision: float
    missed: tuple[tuple[str, Span, tuple[Span, ...]], ...]


def recall(found: Iterable[tuple[str, Sequence[Span], Sequence[Span]]]) -> Recall:
    """Measure (text, gold, phrases)."""
    total = exact = bounds = count = 0
    missed = []
    for text, wanted, given in found:
        spans = {bare(text, span) for span in given}
        starts, ends = (
            {a for a, _ in spans} | {a for a, _ in given},
            {b for _, b in spans} | {b for _, b in given},
        )
        count += len(spans)
        for span in wanted:
            total += 1
            exact += span in spans
            bounds += span[0] in starts and span[1] in ends
            if span not in spans:
                near = tuple(s for s in sorted(given) if s[0] < span[1] and s[1] > span[0])
                missed.append((text, span, near))
    return Recall(exact / total, bounds / total, exact / max(count, 1), tuple(missed))


def main(arguments: Sequence[str] | None = None) -> int:
    """Print exact and bounds recall of phrases and of the floor."""
    parser = argparse.ArgumentParser(prog="python -m eval.boundaries", description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--show", type=int, default=0, help="print this many of the spans that are no phrase")
    parser.add_argument("sets", nargs="*", default=["wikiactors", "wikibios", "tab", "meddocan"])
    options = parser.parse_args(arguments)
    for name in options.sets:
        reader = load_analyzer("es" if name == "meddocan" else "en")
        gathering = StatisticsCounter()
        for text in texts(options.data, name):
            analyzed: TaggedText = reader.tag(text)
            gathering.add([(analyzed.tokens, reader.cut(analyzed))])
        statistics = gathering.statistics()
        for label, how in (("phrases", phrases), ("floor", chunks)):
            result = recall((text, spans, how(reader, text, statistics)) for text, spans in gold(options.data, name))
            print(f"{name:11} {label:8} exact {result.exact:.3f} bounds {result.bounds:.3f}", flush=True)
            if label == "phrases":
                for text, (start, end), near in result.missed[:: max(1, len(result.missed) // (options.show or 1))][
                    : options.show
                ]:
                    around = " | ".join(text[a:b] for a, b in near)
                    print(
                        f"   {text[max(0, start - 15) : start]!r} [{text[start:end]!r}] <- {around!r}",
                        file=sys.stderr,
                    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
