"""Learn how much what is seen of sentences tells of whom they speak, from texts that are joined.

    python -m embeddings.build.attribution --corpus ../shared/data/actors/corpus.jsonl.gz --without NAMES.txt

Documents about one person each (`title`, `text`) are joined two by two, behind each other or sentence by sentence, and
the sentences' own documents are whom they are about. A quarter are pairs that are linked: one of the two names the
other. Another quarter are documents that name others and stay single. Weights and ways are those that make the truth
likeliest.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np

from embanon.config.settings import Config
from embanon.document import Document
from embanon.entities.entity import Entity
from embanon.entities.present import PresentEntity, find_present_entities
from embanon.errors import DataError
from embanon.language.normalize import TRAILING_BRACKET, entity_key
from embanon.risk import attribution
from embanon.risk.attribution import AttributionParameters, SentenceEvidence, find_subjects
from embanon.text.coreference import words_of_name
from embanon.text.find import StatisticsByLanguage, find_all, gather_statistics

SHORTEST, LONGEST = 6, 40
"""Sentences of a document that is taken."""
SENTENCE: Final = re.compile(r"(?<=[.!?])[\"”]?\s+(?=[A-Z\"“])")
RIDGE: Final = 1.0


@dataclass(frozen=True, slots=True)
class JoinedText:
    """A joined text: whom its sentences are about, by where they begin."""

    text: str = field(repr=False)
    names: tuple[str, ...] = field(repr=False)
    sentence_starts: tuple[int, ...] = field(repr=False)
    owners: tuple[int, ...] = field(repr=False)
    kind: str = ""


def documents(path: Path, without: Iterable[str] = ()) -> list[tuple[str, str]]:
    """Read titles and texts, but for some names, whatever their case, and but for names of one word."""
    left = {entity_key(name) for name in without}
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    named = [(TRAILING_BRACKET.sub("", row["title"]).strip(), row["text"]) for row in rows]
    return [(name, text) for name, text in named if entity_key(name) not in left and " " in name]


def split_sentences(text: str) -> list[str]:
    """Cut a text into sentences, simply."""
    return SENTENCE.split(text.strip())


def join_sentences(pieces: Sequence[tuple[int, str]], names: Sequence[str], kind: str) -> JoinedText:
    """Join sentences, each with the number of whom it is about."""
    begins, at = list[int](), 0
    for _, sentence in pieces:
        begins.append(at)
        at += len(sentence) + 1
    text = " ".join(sentence for _, sentence in pieces)
    return JoinedText(text, tuple(names), tuple(begins), tuple(owner for owner, _ in pieces), kind)


def interleave(one: Sequence[str], other: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Take sentences of two documents in turn, then the rest of the longer."""
    for place in range(max(len(one), len(other))):
        for owner, some in enumerate((one, other)):
            if place < len(some):
                yield owner, some[place]


def make_texts(found: Sequence[tuple[str, str]], size: int, seed: int) -> list[JoinedText]:
    """Make texts: half joined, a quarter linked and a quarter single; behind each other and in turn."""
    chance = random.Random(seed)
    by_name = dict(found)
    usable = [(name, split_sentences(text)) for name, text in found]
    usable = [(name, some) for name, some in usable if SHORTEST <= len(some) <= LONGEST]
    if not usable:
        raise DataError(f"no document has {SHORTEST} to {LONGEST} sentences; give a corpus of others")
    chance.shuffle(usable)
    linked = list(_linked_pairs(usable, by_name))
    made = []
    for number in range(size):
        one, other = usable[2 * number % len(usable)], usable[(2 * number + 1) % len(usable)]
        kind = ("joined", "linked", "joined", "single")[number // 2 % 4]
        if kind != "joined" and linked:
            one, other = linked[number % len(linked)]
        names = (one[0], other[0])
        if kind == "single":
            made.append(join_sentences([(0, sentence) for sentence in one[1]], names, kind))
        elif number % 2:
            made.append(join_sentences(list(interleave(one[1], other[1])), names, kind))
        else:
            behind = [(0, sentence) for sentence in one[1]] + [(1, sentence) for sentence in other[1]]
            made.append(join_sentences(behind, names, kind))
    return made


def _linked_pairs(
    usable: Sequence[tuple[str, list[str]]], by_name: dict[str, str]
) -> Iterator[tuple[tuple[str, list[str]], tuple[str, list[str]]]]:
    """Return documents that name somebody who has one as well."""
    names = re.compile(r"\b[A-Z][a-z]+(?: [A-Z][a-z'-]+)+\b")
    for name, some in usable:
        for found in names.findall(" ".join(some)):
            if (
                found != name
                and found in by_name
                and SHORTEST <= len(other := split_sentences(by_name[found])) <= LONGEST
            ):
                yield (name, some), (found, other)
                break


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """What is seen of a text, and whom each sentence is about among its subjects; -1 where that is none of them."""

    seen: SentenceEvidence
    owners: np.ndarray
    kind: str


def build_cases(made: Sequence[JoinedText], statistics: StatisticsByLanguage) -> Iterator[Case]:
    """Look at texts as attribution does; the first document's person is protected, the other is found, or is not."""
    documents = [Document("", one.text, "en") for one in made]
    found = find_all(documents, config=Config(language="en"), statistics=statistics)
    for one, analysis in zip(made, found, strict=True):
        # Of a joined text one is protected and the other found; who is only mentioned is found by being protected.
        names = one.names[:1] if one.kind == "joined" else one.names
        people = find_present_entities(one.text, analysis.phrases, [Entity(name) for name in names], "en")
        subjects = find_subjects(one.text, people, analysis.sentences)
        if len(subjects) < 2 or 0 not in subjects:
            continue
        seen = SentenceEvidence.from_text(one.text, [people[place] for place in subjects], analysis.sentences, "en")
        home = np.searchsorted(np.array(one.sentence_starts), analysis.sentences, side="right") - 1
        wanted = [_place_of(name, people) for name in one.names]
        columns = {place: column for column, place in enumerate(subjects)}
        owners = np.array([columns.get(wanted[one.owners[place]], -1) for place in home])
        yield Case(seen, owners, one.kind)


def _place_of(name: str, people: Sequence[PresentEntity]) -> int:
    """Return whom of those present a name means; -1 where nobody."""
    words = set(words_of_name(name))
    return next((place for place, one in enumerate(people) if words <= one.words), -1)


def share_right(some: Sequence[Case], parameters: AttributionParameters, *, passing: bool = False) -> float:
    """Return the share of sentences whose likeliest owner is the right one; `passing`: of those that name another."""
    hits = total = 0
    for case in some:
        posterior, _ = case.seen.infer(parameters)
        known = case.owners >= 0
        if passing:
            named = case.seen.features[0]
            known &= named.sum(axis=1) > named[np.arange(len(named)), case.owners]
        hits += int((posterior.argmax(axis=1) == case.owners)[known].sum())
        total += int(known.sum())
    return hits / max(total, 1)


def loss(vector: np.ndarray, some: Sequence[Case], start: np.ndarray) -> float:
    """Return how unlikely the truth is, a mean over sentences, and how far the parameters are from where they began."""
    parameters = AttributionParameters.from_vector(vector)
    total, size = 0.0, 0
    for case in some:
        posterior, _ = case.seen.infer(parameters)
        known = np.flatnonzero(case.owners >= 0)
        total -= float(np.log(np.clip(posterior[known, case.owners[known]], 1e-6, 1)).sum())
        size += len(known)
    return total / max(size, 1) + RIDGE * float(((vector - start) ** 2).mean())


def main(arguments: Sequence[str] | None = None) -> int:
    """Learn, say what it brings on texts that were kept apart, and write the parameters."""
    from scipy.optimize import minimize

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--without", type=Path, help="a file of names whose documents are left out, a line each")
    parser.add_argument("--texts", type=int, default=300)
    parser.add_argument("--out", type=Path, default=Path("embeddings/attribution/en.toml"))
    options = parser.parse_args(arguments)
    names = options.without.read_text("utf-8").splitlines() if options.without else []
    found = documents(options.corpus, names)
    statistics = gather_statistics((Document("", text, "en") for _, text in found), config=Config(language="en"))
    made = list(build_cases(make_texts(found, 2 * options.texts, 1), statistics))
    some, kept = made[: len(made) // 2], made[len(made) // 2 :]  # not in turn: every other text is of one kind
    start = attribution.INITIAL_PARAMETERS.to_vector()
    print(f"{len(some)} texts to learn from, {len(kept)} kept apart; loss {loss(start, kept, start):.4f}")
    result = minimize(loss, start, args=(some, start), method="L-BFGS-B", options={"maxiter": 25})
    learnt = AttributionParameters.from_vector(result.x)
    print(f"loss on what was kept apart {loss(result.x, kept, result.x):.4f}")
    for kind in ("joined", "linked", "single"):
        here = [case for case in kept if case.kind == kind]
        shares = [share_right(here, one) for one in (attribution.INITIAL_PARAMETERS, learnt)]
        naming = [share_right(here, one, passing=True) for one in (attribution.INITIAL_PARAMETERS, learnt)]
        print(f"{kind:8}{shares[0]:8.3f}{shares[1]:8.3f}   naming another {naming[0]:8.3f}{naming[1]:8.3f}")
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(learnt.to_toml(), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
