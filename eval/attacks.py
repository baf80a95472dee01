"""Measure what the attackers of `embanon attack` find: `python -m eval.attacks --data ../shared/data`.

The documents are the summaries of the actors of `background_500`, the rest of each one's article is what attackers
know, and all are candidates, as in eval.linkage, with whose numbers those of TF-IDF and BM25 agree. *Top-1* with its
interval over documents, MRR, and the effective number of candidates (eff.), which is e to the entropy of the posterior
that is calibrated on other documents. *Kept* is the share of words that are left; what is masked is taken out. The
embedding is trained on the collection, with the attacked documents in it.

Replaced: the texts as they would be published; tags do as marks do, as both say nothing to who knows them. For
replacements that are *weighed*, the defender has what the attackers have. In eval.replacement 22 of the 564 documents
are of somebody who has another one, and the model is also of the biographies, so that numbers differ a little.

Published: what people and other systems masked of the annotated ones of the actors, attacked by TF-IDF.

Infill: the share of originals that are guessed from the label that stands there, or from a tag that says the type, with
the phrases of the model, which has seen the documents, and of what attackers know of the candidates. *Guessable* are
originals that these have as a phrase of the type; the floor is the most frequent phrase of the type; *model alone* does
not know the candidates, *frequency alone* does not look at the words around either.

Classifiers (--classifiers): naive Bayes as it is, with a constant added to each count instead (that of scikit-learn),
and softmax regression on the sentences, TF-IDF weighted. The classes are the candidates.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

from embanon.attack.attack import (
    ATTACKERS,
    TOP,
    AttackSummary,
    PublicTexts,
    Target,
    attack,
    classify_phrases,
    read_background_phrases,
)
from embanon.attack.clues import TextAttacker
from embanon.attack.infill import Gap, InfillAttacker, attack_gaps, gaps_from_solutions
from embanon.attack.intervals import IntervalEstimate
from embanon.attack.learners import NaiveBayes, sentence_spans
from embanon.linkage.attackers import (
    AdditiveAttacker,
    AttackerView,
    Floats,
    Ints,
    TermPostings,
    WordCounts,
    count_words,
    ranks,
)
from embanon.linkage.baselines import remove_spans
from embanon.replace.rewrite import rewrite
from embanon.taxonomy.climb import climber
from embanon.taxonomy.store import SHIPPED
from eval import published
from eval.boundaries import rows
from eval.labeled import CONFIG
from eval.masked import WIDE, Case, Flags, Mask, Opened, covered, share_kept
from eval.published import Published, masker, scored
from eval.speed import machine

STANDARD: Final = 0.645
STRICT: Final = 0.28
MASKS: Final = (
    Mask("names only"),
    Mask("standard suppressed", STANDARD),
    Mask("strict suppressed", STRICT),
    Mask("every noun phrase", -1.0),
)
METHODS: Final = ("suppress", "generalize")
WEIGHED: Final = "weighed"
BACKGROUND: Final = "wikiactors/background_500.jsonl.gz"
FILLED: Final = 120
"""Documents whose replacements are guessed."""
ADDED: Final = (0.01, 0.1, 1.0)
EPOCHS: Final = 6
BATCH: Final = 256


def shown(one: IntervalEstimate | None) -> str:
    """Write a mean with its bounds."""
    return "" if one is None else f"{one.value:.3f} ({one.low:.3f}-{one.high:.3f})"


def cells(found: Sequence[AttackSummary]) -> str:
    """Write what some attackers found."""
    return "  ".join(
        f"{shown(one.top_1)} {one.mean_reciprocal_rank.value:.3f} {one.effective.value:5.1f}"
        for one in found if one.mean_reciprocal_rank and one.effective
    )  # fmt: skip


def head(label: str, names: Sequence[str]) -> str:
    """Write the head of a table."""
    return f"{label:{WIDE}}  kept  " + "  ".join(f"{name:19} MRR   eff.".ljust(31) for name in names).rstrip()


def left(cases: Sequence[Case], masked: Sequence[Flags]) -> list[str]:
    """Take the masked words out."""
    return [remove_spans(case.text, case.at[gone].tolist()) for case, gone in zip(cases, masked, strict=True)]


def attacked(
    names: Sequence[str], texts: Sequence[str], public: PublicTexts, readers: Mapping[str, TextAttacker]
) -> str:
    """Attack texts, and write what was found."""
    targets = [Target(name, text, name) for name, text in zip(names, texts, strict=True)]
    return cells(attack(targets, public, readers, clues=0))


def suppressed(opened: Opened, public: PublicTexts, readers: Mapping[str, TextAttacker]) -> Iterator[str]:
    """Return the lines of masks."""
    cases = opened.cases
    yield f"Masked, {len(cases)} documents and candidates; chance {1 / len(cases):.4f}\n\n{head('', list(readers))}"
    masks = {"nothing masked": [np.zeros(len(case.at), np.bool_) for case in cases]}
    masks |= {mask.label: [case.masked(mask) for case in cases] for mask in MASKS}
    for label, gone in masks.items():
        found = attacked(opened.names, left(cases, gone), public, readers)
        yield f"{label:{WIDE}} {share_kept(gone):.3f}  {found}"


@dataclass(frozen=True, slots=True, eq=False)
class Replaced:
    """Documents as they are published in several ways."""

    opened: Opened
    public: PublicTexts
    cases: list[published.Case]

    @classmethod
    def of(cls, opened: Opened, public: PublicTexts) -> Replaced:
        """Score them."""
        documents = [(name, case.text) for name, case in zip(opened.names, opened.cases, strict=True)]
        return cls(opened, public, list(scored(documents, opened.model)))

    def by(self, method: str, weighed: bool = False) -> list[Published]:
        """Replace what is risky."""
        one, known = masker(self.opened.model, STANDARD, method), self.public.background
        return [case.published(one, (known, place) if weighed else None) for place, case in enumerate(self.cases)]

    def attacked(self, readers: Mapping[str, TextAttacker]) -> Iterator[str]:
        """Return the lines of attacks."""
        names = self.opened.names
        yield f"Replaced at {STANDARD}, the same documents and candidates\n\n{head('', list(readers))}"
        for method in (*METHODS, WEIGHED):
            found = self.by("generalize" if method == WEIGHED else method, weighed=method == WEIGHED)
            kept, total = np.sum([some.kept() for some in found], axis=0).tolist()
            told = attacked(names, [one.after for one in found], self.public, readers)
            yield f"{method:{WIDE}} {kept / total:.3f}  {told}"

    def filled(self) -> Iterator[str]:
        """Return the lines of guesses."""
        model, documents = self.opened.model, dict[str, list[tuple[str, list[Gap]]]]()
        every, alone = (
            InfillAttacker.from_model(
                model, climber(SHIPPED, "en"), lambda phrases: classify_phrases(phrases, model, CONFIG), some
            )
            for some in (read_background_phrases(self.public, model, CONFIG), None)
        )
        yield (f"Infill, {FILLED} documents, {len(alone.keys)} phrases of the model, "
               f"{len(every.keys) - len(alone.keys)} more of what attackers know")  # fmt: skip
        for method, label, known in (
            ("generalize", "generalized", every), ("generalize", "generalized, model alone", alone),
            ("generalize", "generalized, frequency alone", replace(alone, near=0.0)),
            ("tag", "tagged", every), ("tag", "tagged, model alone", alone),
        ):  # fmt: skip
            if method not in documents:
                documents[method] = [_gaps(one) for one in self.by(method)[:FILLED]]
            yield f"\n{label:30} gaps  guessable  {'top-1':19}  {'top-5':19}  floor"
            for row in attack_gaps(known, documents[method], TOP):
                numbers = f"{row.guessable:9.3f}  {shown(row.top_1)}  {shown(row.top_n)}  {row.most_frequent_share:.3f}"
                yield f"{row.type:28} {row.gaps:6}  {numbers}"


def _gaps(one: Published) -> tuple[str, list[Gap]]:
    text, solutions = rewrite("", one.case.text, one.edits)
    return text, gaps_from_solutions(text, solutions, "")


def by_others(data: Path, opened: Opened, public: PublicTexts, readers: Mapping[str, TextAttacker]) -> Iterator[str]:
    """Return the lines of published masks."""
    given = [row for row in rows(data / "wikiactors/gold.jsonl.gz") if row["doc_id"] in set(opened.names)]
    names = [row["doc_id"] for row in given]
    cases, few = opened.cases_of(names, [row["text"] for row in given]), {"tfidf": readers["tfidf"]}
    yield f"Published masks of {len(cases)} of them, among the same candidates\n\n{head('', list(few))}"
    for row in rows(data / "wikiactors/peer_masks.jsonl.gz"):
        if all(name in row["spans"] for name in names):
            spans = [np.array([one[:2] for one in row["spans"][name]], np.int64).reshape(-1, 2) for name in names]
            gone = [covered(case.at, some) for case, some in zip(cases, spans, strict=True)]
            yield f"{row['system']:{WIDE}} {share_kept(gone):.3f}  {attacked(names, left(cases, gone), public, few)}"
    for mask in MASKS[1:]:
        gone = [case.masked(mask) for case in cases]
        yield f"{mask.label:{WIDE}} {share_kept(gone):.3f}  {attacked(names, left(cases, gone), public, few)}"


@dataclass(frozen=True, slots=True, eq=False)
class Matrix:
    """Documents as sorted places of terms with a weight each, 1 long."""

    places: list[Ints]
    weights: list[Floats]

    @classmethod
    def of(cls, postings: TermPostings, bags: Sequence[WordCounts]) -> Matrix:
        """Weigh the words of documents as TF-IDF does."""
        idf, places, weights = np.log((1 + postings.size) / (1 + postings.documents)) + 1, [], []
        for one in bags:
            _, found, counts = postings.look_up(one)
            weight = (1 + np.log(counts)) * idf[found]
            places.append(found)
            weights.append(weight / (np.linalg.norm(weight) or 1.0))
        return cls(places, weights)

    def dense(self, chosen: Sequence[int]) -> tuple[Ints, Floats]:
        """Return the terms of some documents, and the documents over these."""
        terms, where = np.unique(np.concatenate([self.places[one] for one in chosen]), return_inverse=True)
        found, at = np.zeros((len(chosen), len(terms))), 0
        for row, one in zip(found, chosen, strict=True):
            size = len(self.places[one])
            row[where[at : at + size]] = self.weights[one]
            at += size
        return terms, found


def softmax(postings: TermPostings, texts: Sequence[str], seed: int = 1) -> Floats:
    """Train a softmax regression on sentences by gradient descent: a row of weights for each term."""
    cut = [[text[start:end] for start, end in sentence_spans(text)] for text in texts]
    matrix = Matrix.of(postings, [count_words(one) for some in cut for one in some])
    owners = np.repeat(np.arange(len(texts)), [len(some) for some in cut])
    weights, draw = np.zeros((len(postings.terms), len(texts))), np.random.default_rng(seed)
    for _ in range(EPOCHS):
        order = draw.permutation(len(owners))
        for start in range(0, len(order), BATCH):
            chosen = order[start : start + BATCH]
            terms, some = matrix.dense(chosen.tolist())
            found = some @ weights[terms]
            found = np.exp(found - found.max(axis=1, keepdims=True))
            found /= found.sum(axis=1, keepdims=True)
            found[np.arange(len(chosen)), owners[chosen]] -= 1
            weights[terms] -= some.T @ found
    return weights


def constant(postings: TermPostings, added: float) -> tuple[Floats, Floats]:
    """Return naive Bayes with a constant added to each count: the weights of postings, and what each word costs."""
    lengths = np.bincount(postings.candidates, postings.counts, postings.size)
    return np.log1p(postings.counts / added), np.log(lengths + added * len(postings.terms))


def classifiers(opened: Opened, public: PublicTexts) -> Iterator[str]:
    """Return the lines of classifiers, their top-1 under each mask."""
    cases, postings = opened.cases, public.background.tfidf.postings
    gone = [[np.zeros(len(case.at), np.bool_) for case in cases]]
    gone += [[case.masked(mask) for case in cases] for mask in MASKS]
    bags = [[count_words(text) for text in left(cases, some)] for some in gone]
    true = np.arange(len(cases))
    labels = ("nothing", *(mask.label.split()[0] for mask in MASKS))
    yield f"{'Classifiers, top-1':{WIDE}} " + " ".join(f"{label:>9}" for label in labels)

    def row(label: str, score: Callable[[WordCounts], Floats]) -> str:
        tops = [(ranks(np.stack([score(one) for one in some]), true) < 2).mean() for some in bags]
        return f"{label:{WIDE}} " + " ".join(f"{top:9.3f}" for top in tops)

    yield row("TF-IDF", public.background.tfidf.scores)
    yield row("naive Bayes, mixed with all classes", NaiveBayes.from_postings(postings).scores)
    for added in ADDED:
        weights, costs = constant(postings, added)
        own = AdditiveAttacker(postings, weights, weights)

        def of_constant(words: WordCounts, own: AdditiveAttacker = own, costs: Floats = costs) -> Floats:
            _, found, counts = postings.look_up(words)
            return np.asarray(AttackerView.from_terms(own, found).sum_scores(counts) - counts.sum() * costs)

        yield row(f"naive Bayes, {added} added", of_constant)
    trained = softmax(postings, public.texts)

    def of_softmax(words: WordCounts) -> Floats:
        _, found, counts = postings.look_up(words)
        weight = (1 + np.log(counts)) * public.background.tfidf.idf[found]
        return np.asarray(weight @ trained[found], np.float64)

    yield row(f"softmax regression, {EPOCHS} epochs", of_softmax)


def report(data: Path, folder: Path, more: bool) -> Iterator[str]:
    """Return all lines; a model is trained in a folder."""
    opened = Opened.of(data, folder)
    public = PublicTexts.from_texts(opened.names, opened.texts)
    if more:
        yield from classifiers(opened, public)
        return
    readers = {name: public.create_attacker(name, opened.model) for name in ATTACKERS}
    yield from suppressed(opened, public, readers)
    yield ""
    replaced = Replaced.of(opened, public)
    yield from replaced.attacked(readers)
    yield ""
    yield from by_others(data, opened, public, readers)
    yield ""
    yield from replaced.filled()


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m eval.attacks", description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--classifiers", action="store_true", help="only the classifiers, beside others")
    options = parser.parse_args(arguments)
    begin = time.perf_counter()
    print(f"{machine(('numpy', 'gensim'))}\n", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for line in report(options.data, Path(folder), options.classifiers):
            print(line, flush=True)
    print(f"{time.perf_counter() - begin:.0f} s", file=sys.stderr)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
