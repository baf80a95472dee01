"""What the gate lets pass: harmless sentences and mails, and sentences that tell what they do not name.

    python -m eval.gate --data ../shared/data

Every other diplomatic paper is what a company has; the ten things of `planted.toml` are what it protects, by names and
descriptions of two sentences. From these papers, with vectors trained on them, it is learnt what hints at each thing.

Harmless are 200 texts of each of three genres, half of them sentences, that name none of the ten: e-mails of a company
that failed, reviews and answers of the web (both of the English Web Treebank; its weblogs and newsgroups are left out,
which speak of wars), and letters. They were drawn by chance with a fixed seed, before any score was seen. One is
refused if it is for any of the ten.

Telling are sentences of 8 to 60 words that name a thing in papers with at least three mentions of it, with all names
taken out: of papers that were learnt from (*known*), and of the other half (*unseen*). Each is found if it is refused
for that thing. Many say nothing that anybody could find: *we have suspended action on the request for more planes*.

The limit of a hundredth is the lowest at which at most one in a hundred harmless texts is refused. Floors: the risk as
if each text were a document (which ours was before); the cosine of TF-IDF to papers that name the thing.

True are probabilities if as many passages name the thing as they say: of the unseen papers, of each length; passages of
a paper that names it elsewhere count as neither.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from embanon.language.normalize import key, words_of
from embanon.leak.collection import Collection
from embanon.leak.fitting import learn_entity
from embanon.leak.hints import NAME_MARK, EntityHints, TextRows
from embanon.leak.ordinary import Strangeness
from eval.boundaries import rows
from eval.planted import Secret, own, secrets
from eval.printing import print_tables

EACH: Final = 200
SEED: Final = 1
BOUNDS: Final = (8, 60)
MOST: Final = 300
"""Telling sentences of a thing."""
LIMITS: Final = (0.5, 0.3, 0.2)
FALSE: Final = 0.01
LENGTHS: Final = (12, 25, 60, 150, 400, 0)
WINDOWS: Final = 2
GENRES: Final = {"e-mails": ("email",), "reviews and answers": ("reviews", "answers"), "letters": ()}
SENTENCE_END: Final = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[A-Z\"(\[])")
Floats = NDArray[np.float64]


def sentences(text: str) -> list[str]:
    """Cut a text where a sentence ends and another begins."""
    return [part.strip() for part in SENTENCE_END.split(" ".join(text.split())) if part.strip()]


def web_documents(data: Path) -> dict[str, list[str]]:
    """Return the sentences of each document of the treebank."""
    found, name = dict[str, list[str]](), ""
    for part in ("train", "dev", "test"):
        with gzip.open(data / f"treebanks/en/{part}.conllu.gz", "rt", encoding="utf-8") as lines:
            for line in lines:
                if line.startswith("# sent_id ="):
                    name = line.partition("=")[2].strip().rpartition("-")[0]
                elif line.startswith("# text ="):
                    found.setdefault(name, []).append(line.partition("=")[2].strip())
    return found


def harmless(data: Path, known: Sequence[Secret]) -> dict[str, list[str]]:
    """Draw harmless texts of each genre, half of them sentences as far as there are as many longer ones."""
    web, chance, drawn = web_documents(data), np.random.default_rng(SEED), dict[str, list[str]]()
    letters = [sentences(row["text"]) for part in ("train", "dev") for row in rows(data / f"letters/{part}.jsonl.gz")
               if row["language"] == "en"]  # fmt: skip
    for genre, starts in GENRES.items():
        documents = [some for name, some in web.items() if name.startswith(starts)] if starts else letters
        short = [one for some in documents for one in some if 4 <= len(one.split()) <= 60]
        joined = [" ".join(some) for some in documents] if starts else [
            " ".join(some[place : place + 3]) for some in documents for place in range(0, len(some), 3)
        ]  # fmt: skip
        mails = [one for one in joined if 15 <= len(one.split()) <= 120]
        kinds = [[one for one in dict.fromkeys(kind) if not any(each.removed.search(one) for each in known)]
                 for kind in (mails, short)]  # fmt: skip
        chosen = [kinds[0][place] for place in chance.permutation(len(kinds[0]))[: EACH // 2].tolist()]
        rest = EACH - len(chosen)
        drawn[genre] = chosen + [kinds[1][place] for place in chance.permutation(len(kinds[1]))[:rest].tolist()]
    return drawn


def telling(papers: Sequence[str], secret: Secret) -> list[str]:
    """Return sentences that named a thing, without the names."""
    found = [
        secret.removed.sub("", one) for paper in papers if len(secret.counted.findall(paper)) >= 3
        for one in sentences(paper)
        if secret.counted.search(one) and BOUNDS[0] <= len(one.split()) <= BOUNDS[1]
    ]  # fmt: skip
    order = np.random.default_rng(SEED).permutation(len(found))[:MOST]
    return [found[place] for place in order.tolist()]


@dataclass(frozen=True, eq=False)
class Gate:
    """What was learnt of each thing."""

    collection: Collection = field(repr=False)
    papers: Sequence[str] = field(repr=False)
    secrets: Sequence[Secret]

    @cached_property
    def learnt(self) -> list[EntityHints]:
        """Learn."""
        return [learn_entity(self.collection, one.entity) for one in self.secrets]

    def rows(self, texts: Sequence[str]) -> TextRows:
        """Return texts as the words that are known."""
        return TextRows.from_words([words_of(key(text)) for text in texts], self.collection.vocabulary)

    def risks(self, number: int, texts: Sequence[str]) -> Floats:
        """Return what embanon says."""
        return self.learnt[number].risk(self.rows(texts))

    def as_documents(self, number: int, texts: Sequence[str]) -> Floats:
        """Return what it says of documents, whatever the length."""
        learnt = self.learnt[number]
        return learnt.document_risk(learnt.scales(*self.rows(texts).scores(learnt.weights)))

    @cached_property
    def _tfidf(self) -> tuple[Any, list[Any]]:
        from sklearn.feature_extraction.text import TfidfVectorizer

        left = [[one.removed.sub("", text) for text in self.papers if one.counted.search(text)] for one in self.secrets]
        table = TfidfVectorizer(sublinear_tf=True, stop_words="english").fit(self.papers)
        return table, [np.asarray(table.transform(some).mean(axis=0)).ravel() for some in left]

    def similar(self, number: int, texts: Sequence[str]) -> Floats:
        """Return the cosine to the papers that name the thing."""
        table, middles = self._tfidf
        return np.asarray(table.transform(texts) @ middles[number])

    def unknown(self, texts: Sequence[str]) -> float:
        """Return the share of texts of which nothing is said."""
        strange = Strangeness.build(self.collection.vocabulary.places, "en")
        return float(np.mean([strange.count(words_of(key(text)))[1] for text in texts]))


Score = Callable[[int, Sequence[str]], Floats]


def found_shares(gate: Gate, score: Score, texts: Sequence[Sequence[str]], limit: float) -> Floats:
    """Return which share of the telling sentences of each thing is found."""
    return np.array([(score(number, some) >= limit).mean() for number, some in enumerate(texts)])


def passages(papers: Sequence[str], secret: Secret, length: int) -> Iterator[tuple[str, bool]]:
    """Draw passages of a length, whole papers for 0, and say whether they named the thing."""
    chance = np.random.default_rng(SEED)
    for paper in papers:
        words = words_of(key(secret.removed.sub(f" {NAME_MARK} ", paper)))
        names = NAME_MARK in words
        if length == 0:
            yield " ".join(word for word in words if word != NAME_MARK), names
        elif len(words) >= length:
            for start in chance.integers(0, len(words) - length + 1, WINDOWS).tolist():
                part = words[start : start + length]
                if not names or NAME_MARK in part:
                    yield " ".join(word for word in part if word != NAME_MARK), names


def calibration(gate: Gate, papers: Sequence[str], length: int) -> str:
    """Return a line: how many passages, how many of them name a thing, and how true probabilities are."""
    stated, names = list[Floats](), list[bool]()
    for number, secret in enumerate(gate.secrets):
        drawn = list(passages(papers, secret, length))
        stated.append(gate.risks(number, [text for text, _ in drawn]))
        names += [about for _, about in drawn]
    risks, about = np.concatenate(stated), np.array(names)
    bins = np.minimum((risks * 10).astype(int), 9)
    error = sum(abs(risks[bins == one].sum() - about[bins == one].sum()) for one in range(10)) / len(risks)
    high = risks >= LIMITS[0]
    shown = f"{risks[high].mean():10.2f}{about[high].mean():10.2f}{int(high.sum()):8}"
    return f"{f'{length} words' if length else 'whole papers':16}{len(risks):8,}{about.mean():8.3f}{error:8.4f}{shown}"


def report(data: Path, folder: Path) -> Iterator[str]:
    """Return the lines of the tables."""
    known, papers = secrets(), list(dict.fromkeys(row["text"] for row in rows(data / "frus/documents.jsonl.gz")))
    half = np.random.default_rng(SEED).permutation(len(papers)) % 2
    ours, unseen = ([paper for paper, part in zip(papers, half, strict=True) if part == one] for one in (0, 1))
    gate = Gate(Collection(ours, own(ours, folder)), ours, known)
    drawn = harmless(data, known)
    every = [text for some in drawn.values() for text in some]
    yield f"{len(ours)} papers; of {len(every)} harmless texts: refused at a limit for any of {len(known)} things\n"
    yield f"{'':24}" + "".join(f"{limit:8.1f}" for limit in LIMITS) + f"{'unknown':>10}"
    for genre, texts in [*drawn.items(), ("all", every)]:
        risks = np.max([gate.risks(number, texts) for number in range(len(known))], axis=0)
        shares = "".join(f"{(risks >= limit).mean():8.3f}" for limit in LIMITS)
        yield f"{genre:24}{shares}{gate.unknown(texts):10.3f}"
    sets = {name: [telling(some, one) for one in known] for name, some in (("known", ours), ("unseen", unseen))}
    yield f"\nTelling sentences found: {', '.join(f'{sum(map(len, some))} {name}' for name, some in sets.items())}\n"
    yield f"{'':44}{'limit':>8}{'refused':>10}{'known':>8}{'unseen':>8}    unseen, each"
    scores: list[tuple[str, Score]] = [
        ("embanon", gate.risks), ("floor: as documents are", gate.as_documents), ("floor: TF-IDF", gate.similar),
    ]  # fmt: skip
    for name, score in scores:
        highest = np.max([score(number, every) for number in range(len(known))], axis=0)
        hundredth = float(np.nextafter(np.sort(highest)[-1 - int(FALSE * len(highest))], np.inf))
        for limit in [*(LIMITS if name == "embanon" else LIMITS[:1] if "documents" in name else ()), hundredth]:
            seen, new = (found_shares(gate, score, some, limit) for some in sets.values())
            at = f"{name}{', a hundredth refused' if limit == hundredth else f', from {limit}'}"
            each = " ".join(f"{share:.2f}" for share in new.tolist())
            refused = (highest >= limit).mean()
            yield f"{at:44}{limit:8.3f}{refused:10.3f}{seen.mean():8.3f}{new.mean():8.3f}    {each}"
    columns = f"{'texts':>8}{'naming':>8}{'error':>8}{'from .5':>10}{'name it':>10}{'texts':>8}"
    yield f"\nTrue probabilities, unseen papers\n\n{'':16}{columns}"
    for length in LENGTHS:
        yield calibration(gate, unseen, length)


if __name__ == "__main__":
    raise SystemExit(print_tables("gate", __doc__, ("numpy", "gensim", "scikit-learn"), report))
