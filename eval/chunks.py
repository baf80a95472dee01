"""Measure phrase bounds in four languages: `python -m eval.chunks --data ../shared/data`.

The gold phrases are derived from the heads of the test treebanks, which know nothing of our rules. A noun
or name, with the dependents that touch it: adjectives, compounds, parts of names, numerals, and nouns
joined without a preposition; articles, possessives and prepositions outside, coordinated phrases apart.
MEDDOCAN's spans, marked by people, stand in the same table. Measures and floor are those of
`eval.boundaries`; F1 is that of exact phrases, and means nothing where not all phrases are gold. *nltk* is the setting
`chunker = "nltk"` with the usual grammar of noun phrases; *grammar* and *chunker* are embanon's grammar and NLTK's
without the labeler, which otherwise decides most names. Time is that of all of finding phrases, as a multiple of
embanon's: the best of several passes by turns.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from embanon.config import PhraseSettings
from embanon.errors import DataError
from embanon.language import has_trait
from embanon.text.analyzer import TAGGED_LANGUAGES, Analyzer, load_analyzer, load_grammar
from embanon.text.find import text_phrases
from embanon.text.joins import CorpusStatistics, StatisticsCounter
from embanon.text.noun_chunker import NounChunker
from embeddings.build.treebank import Sentence, read_treebank
from eval import boundaries
from eval.boundaries import Recall, Span

HEADS = frozenset({"NOUN", "PROPN"})
JOINED = frozenset({"amod", "compound", "flat", "nummod", "nmod"})
OUTSIDE = frozenset({"DET", "PRON", "PUNCT"})
HYPHENS = frozenset("-\u2010\u2011/")

NOUN_PHRASES = "NP: {<DET>?<ADJ>*<NOUN|PROPN>+}"
ROMANCE_NOUN_PHRASES = "NP: {<DET>?<ADJ>*<NOUN|PROPN>+<ADJ>*}"
"""The usual grammar, and where adjectives follow."""
PASSES = 3

System = Callable[[Analyzer, str, CorpusStatistics], list[Span]]


@dataclass(frozen=True, slots=True)
class Node:
    """A syntactic word; one that has no letters of its own (the `de` in `del`) has no bounds."""

    form: str
    tag: str
    head: int
    relation: str
    bounds: Span | None


def nodes(sentence: Sentence, offset: int) -> dict[int, Node]:
    """Return the syntactic words of a sentence that begins at `offset`, by number."""
    found, place = {}, offset
    for word in sentence:
        bounds = (place, place + len(word.form)) if len(word.parts) == 1 else None
        for number, form, tag, head, relation in word.parts:
            found[number] = Node(form, tag, head, relation, bounds)
        place += len(word.form) + word.space_after
    return found


def members(head: int, tree: dict[int, Node], children: dict[int, list[int]]) -> Iterator[int]:
    """Return the words that belong to the phrase of a head, wherever they stand."""
    yield head
    for number in children[head]:
        child = tree[number]
        relation = child.relation.split(":")[0]
        marked = relation == "nmod" and any(tree[n].relation.startswith("case") for n in children[number])
        if relation == "punct" and child.form in HYPHENS:
            yield number
        elif relation in JOINED and child.tag not in OUTSIDE and not marked:
            yield from members(number, tree, children)


def noun_phrases(tree: dict[int, Node]) -> Iterator[Span]:
    """Return the bounds of a sentence's minimal noun phrases."""
    children = defaultdict(list)
    for number, node in tree.items():
        children[node.head].append(number)
    waiting, taken = [0], set[int]()
    for number in waiting:  # from the root down, so that a head comes before its dependents
        waiting += children[number]
        if number in taken or not number or tree[number].tag not in HEADS or tree[number].bounds is None:
            continue
        inside = {n for n in members(number, tree, children) if tree[n].bounds is not None}
        first = last = number
        while first - 1 in inside and first - 1 not in taken:
            first -= 1
        while last + 1 in inside and last + 1 not in taken:
            last += 1
        while tree[first].tag == "PUNCT":
            first += 1
        while tree[last].tag == "PUNCT":
            last -= 1
        taken.update(range(first, last + 1))
        start, end = tree[first].bounds, tree[last].bounds
        if start and end:
            yield start[0], end[1]


def text_of(sentence: Sentence) -> str:
    """Return the text of a sentence."""
    last = len(sentence) - 1
    return "".join(w.form + " " * (w.space_after and n < last) for n, w in enumerate(sentence))


def treebank(data: Path, language: str) -> Iterator[tuple[str, list[Span]]]:
    """Return the test treebank as one text, a paragraph a sentence, with its noun phrases."""
    parts, spans, length = list[str](), list[Span](), 0
    for sentence in read_treebank(data / "treebanks" / language / "test.conllu.gz", split=language == "en"):
        spans += noun_phrases(nodes(sentence, length))
        parts.append(text_of(sentence) + "\n\n")
        length += len(parts[-1])
    yield "".join(parts), sorted(spans)


def gathered(reader: Analyzer, texts: Iterable[str]) -> CorpusStatistics:
    """Return the statistics of texts, as the first of two passes does."""
    gathering = StatisticsCounter()
    for text in texts:
        analyzed = reader.tag(text)
        gathering.add([(analyzed.tokens, reader.cut(analyzed))])
    return gathering.statistics()


def chunked(reader: Analyzer, text: str, statistics: CorpusStatistics) -> list[Span]:
    """Return the phrases by a chunk grammar of NLTK."""
    romance = has_trait(reader.language, "adjectives_follow")
    grammar = ROMANCE_NOUN_PHRASES if romance else NOUN_PHRASES
    chunker = NounChunker.from_settings(PhraseSettings(chunker="nltk", grammar=grammar))
    found = text_phrases(reader, text, statistics, chunker=chunker)
    return list(zip(found.start.tolist(), found.end.tolist(), strict=True))


SYSTEMS: tuple[tuple[str, System, Callable[[str], Analyzer]], ...] = (
    ("embanon", boundaries.phrases, load_analyzer),
    ("nltk", chunked, load_analyzer),
    ("grammar", boundaries.phrases, load_grammar),
    ("chunker", chunked, load_grammar),
    ("floor", boundaries.chunks, load_grammar),
)


def timed(
    cases: Sequence[tuple[str, list[Span]]], language: str, statistics: CorpusStatistics
) -> dict[str, tuple[Recall, float]]:
    """Return how much each system recalls, and the seconds that it takes."""
    results: dict[str, tuple[Recall, float]] = {}
    for _ in range(PASSES):
        for name, how, load in SYSTEMS:
            reader = load(language)
            start = time.perf_counter()
            phrases = [how(reader, text, statistics) for text, _ in cases]
            seconds = time.perf_counter() - start
            if name in results:
                results[name] = (results[name][0], min(seconds, results[name][1]))
            else:
                pairs = zip(cases, phrases, strict=True)
                results[name] = (boundaries.recall((text, gold, spans) for (text, gold), spans in pairs), seconds)
    return results


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the recall of phrases and of the floor by language."""
    parser = argparse.ArgumentParser(prog="python -m eval.chunks", description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--show", type=int, default=0, help="print this many of the spans that are no phrase")
    parser.add_argument("sets", nargs="*", default=[*TAGGED_LANGUAGES, "meddocan"])
    options = parser.parse_args(arguments)
    print("Recall of noun phrases derived from the test treebanks' heads, and of MEDDOCAN's spans (dev)\n")
    print("set       spans  system   exact  bounds     F1   time")
    for name in options.sets:
        medical = name == "meddocan"
        language = "es" if medical else name
        try:
            reader = load_analyzer(language)
        except DataError as error:
            print(f"{name}: {error}", file=sys.stderr)
            continue
        cases = list(boundaries.gold(options.data, name) if medical else treebank(options.data, name))
        statistics = gathered(reader, (text for text, _ in cases))
        count = sum(len(spans) for _, spans in cases)
        results = timed(cases, language, statistics)
        for system, (found, seconds) in results.items():
            f1 = 2 * found.exact * found.precision / max(found.exact + found.precision, 1e-9)
            shown = "    -" if medical else f"{f1:.3f}"
            ratio = seconds / results["embanon"][1]
            print(
                f"{name:9} {count:5}  {system:8} {found.exact:.3f}  {found.bounds:.3f}   {shown}  {ratio:.2f}",
                flush=True,
            )
            if system == "embanon" and options.show:
                for text, (start, end), near in found.missed[:: len(found.missed) // options.show + 1]:
                    around = " | ".join(text[a:b] for a, b in near)
                    print(f"   {text[start:end]!r} <- {around!r}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
