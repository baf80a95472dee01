"""Find sentences that are copied, nearly, from papers that name what is protected: near copies.

    python -m eval.copies --data ../shared/data

Entities are the fifteen topics of eval.planted, in one policy. Three of four diplomatic papers are the collection;
the others lie outside. From 40 papers of the collection that name an entity, with the most mentions, a sentence each is
drawn, of 8 to 60 words, its names taken out: one that is the papers' own, of whose runs of three words at most half
stand in papers that do not name the entity (a heading, or *he did not say what he would do*, is nobody's secret). It is
asked for in six forms, as people pass it on:

* *verbatim*;
* *quoted*, in the middle of an English letter of the corpus, which is about something else;
* *numbers*: each digit is another;
* *reordered*: clauses change places (at a comma, else at the verb or in the middle), and of words that WordNet has as
  nouns, one in six, or one at least, is a synonym of its most usual sense;
* *merged*: with half of the sentence before it, its own end cut off by an eighth, and a full stop in the middle;
* *slips*: of one word in ten, two letters change places, or a letter is misread (rn for m, 1 for l).

It is found where the entity's risk reaches the standard limit. What must not be found: sentences of papers outside that
do not name the entity which is found, sentences of papers of the collection that do not name it, letters (as they are),
and texts of GUM. Floors, each at the rate of false alarms that embanon has on the sentences outside: the exact string
in a paper that names it; Jaccard similarity of runs of five words with the best passage of as many words; cosine of
TF-IDF with the best passage. Floors compare a whole letter with passages,
so that they never find what is quoted.

How far this is blind: the kind of shingles was chosen on papers of all entities, the standard score at last on even
ones and on the rows of what is refused, which are thus no held-out measure; misses of odd entities were looked at once,
after which the forms and what counts as a paper's own sentence were put as they are here. Other collections may have
other rates.

| bar | |
|---|---|
| near copies found, of each form | >= .97 |
| harmless sentences and mails that are refused | <= .01 |
"""

from __future__ import annotations

import gzip
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Final

import numpy as np

from embanon.config.settings import PRESETS
from embanon.leak.copies import CopyIndex
from embanon.leak.copy_search import find_copies
from embanon.leak.copy_sources import CopySources
from embanon.leak.regression import Flags
from eval.boundaries import rows
from eval.planted import Secret, secrets
from eval.printing import print_tables

LIMIT: Final = PRESETS["standard"][0]
SEED: Final = 1
EACH: Final = 40
APART: Final = 4
"""Of so many papers one lies outside of the collection."""
HARMLESS: Final = 3
"""Sentences of a paper that must not be found."""
WORDS: Final = (8, 60)
SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"“])")
WORD: Final = re.compile(r"\w+")
LONG: Final = 12
"""Words of a sentence that says more than a few common ones."""
BARS: Final = (0.97, 0.01)
MISREAD: Final = {"m": "rn", "l": "1", "o": "0", "e": "c", "u": "ii"}
SYNONYM_LETTERS: Final = 4
"""Letters of a word that is replaced: *at* is no astatine."""
PASSAGE: Final = 25
"""Words of a passage of a floor."""

Form = Callable[[str, Random], str]


# Forms


def renumbered(text: str, random: Random) -> str:
    """Change each digit."""
    return re.sub(r"\d", lambda found: str((int(found.group()) + random.randint(1, 9)) % 10), text)


def slipped(text: str, random: Random) -> str:
    """Mistype, or misread, one word in ten."""

    def slip(word: str) -> str:
        if len(word) < 4 or random.random() >= 0.1:
            return word
        place = random.randrange(len(word) - 1)
        if random.random() < 0.5 and word[place] in MISREAD:
            return word[:place] + MISREAD[word[place]] + word[place + 1 :]
        return word[:place] + word[place + 1] + word[place] + word[place + 2 :]

    return " ".join(map(slip, text.split()))


def reordered(text: str, random: Random, synonyms: Mapping[str, Sequence[str]]) -> str:
    """Let clauses change places, and say another word for one of six that have any, or for one at least."""
    clauses = re.split(r"[,;:]\s+", text.rstrip(".!? "))
    if len(clauses) < 2:
        words = clauses[0].split()
        middle = next((n for n, one in enumerate(words) if n > 2 and one in TURNED), len(words) // 2)
        clauses = [" ".join(words[:middle]), " ".join(words[middle:])]
    middle = len(clauses) // 2
    words = ", ".join([*clauses[middle:], *clauses[:middle]]).split()
    known = [n for n, word in enumerate(words) if len(word) >= SYNONYM_LETTERS and word in synonyms]
    chosen = [place for place in known if random.random() < 1 / 6] or random.sample(known, min(len(known), 1))
    for place in chosen:
        words[place] = random.choice(synonyms[words[place]])
    return " ".join(words) + "."


TURNED: Final = frozenset("is was are were has had have will would should could may that which".split())


def merged(text: str, before: str) -> str:
    """Put a sentence behind the half of the one before it; its end is cut off, and a full stop stands in the middle."""
    words, other = text.split(), before.split()
    kept = words[: len(words) - len(words) // 8]
    middle = len(kept) // 2
    first = f"{' '.join(other[len(other) // 2 :])} {' '.join(kept[:middle])}."
    return f"{first} {' '.join(kept[middle:])}"


def read_synonyms(data: Path) -> dict[str, list[str]]:
    """Read what else nouns of WordNet are called, in their most usual sense."""
    senses, first = dict[str, list[str]](), dict[str, str]()
    with gzip.open(data / "wordnet" / "data.noun.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            if not line.startswith(" "):
                parts = line.split()
                senses[parts[0]] = [parts[4 + 2 * n].lower() for n in range(int(parts[3], 16))]
    with gzip.open(data / "wordnet" / "index.noun.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            if not line.startswith(" "):
                parts = line.split()
                first[parts[0]] = next(one for one in parts if len(one) == 8 and one.isdecimal())
    known = {
        word: [one.replace("_", " ") for one in senses.get(sense, ()) if one != word] for word, sense in first.items()
    }
    return {word: others for word, others in known.items() if others}


# The collection


@dataclass(frozen=True, slots=True)
class Copied:
    """A sentence of a paper that names an entity, without its names."""

    entity: int
    text: str = field(repr=False)
    before: str = field(repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class Papers:
    """Papers with the entities that they name, and without their names."""

    texts: tuple[str, ...] = field(repr=False)
    named: tuple[frozenset[int], ...]
    masked: tuple[str, ...] = field(repr=False)
    runs: Mapping[tuple[str, ...], set[int]] = field(repr=False)

    @classmethod
    def read(cls, data: Path, protected: Sequence[Secret]) -> Papers:
        """Read them."""
        texts = tuple(dict.fromkeys(row["text"] for row in rows(data / "frus" / "documents.jsonl.gz")))
        named = tuple(
            frozenset(n for n, secret in enumerate(protected) if secret.removed.search(text)) for text in texts
        )
        masked = list(texts)
        for number, entities in enumerate(named):
            for entity in entities:
                masked[number] = protected[entity].removed.sub("", masked[number])
        runs = defaultdict[tuple[str, ...], set[int]](set)
        for number, text in enumerate(masked):
            for run in runs_of(text, 3):
                runs[run].add(number)
        return cls(texts, named, tuple(masked), runs)

    def collected(self) -> list[int]:
        """Return the papers of the collection."""
        return [number for number in range(len(self.texts)) if number % APART]

    def outside(self) -> list[int]:
        """Return those outside."""
        return [number for number in range(len(self.texts)) if not number % APART]

    def is_own(self, text: str, entity: int) -> bool:
        """Return whether a sentence is said by papers that name an entity alone."""
        runs = runs_of(text, 3)
        shared = sum(any(entity not in self.named[one] for one in self.runs.get(run, ())) for run in runs)
        return bool(runs) and shared <= len(runs) / 2

    def copied(self, protected: Sequence[Secret]) -> list[Copied]:
        """Draw sentences."""
        random, drawn = Random(SEED), list[Copied]()
        for entity, secret in enumerate(protected):
            written = whole_names(secret)
            counts = {number: len(written.findall(self.texts[number])) for number in self.collected()}
            naming = sorted((number for number, count in counts.items() if count), key=lambda number: -counts[number])
            for number in naming[:EACH]:
                cut = sentences(self.masked[number])
                own = [n for n, text in enumerate(cut) if n and is_usable(text) and self.is_own(text, entity)]
                if own:
                    place = random.choice(own)
                    drawn.append(Copied(entity, cut[place], cut[place - 1]))
        return drawn

    def harmless(self, numbers: Sequence[int]) -> list[tuple[str, frozenset[int]]]:
        """Draw sentences with the entities that their papers name."""
        random, drawn = Random(SEED), list[tuple[str, frozenset[int]]]()
        for number in numbers:
            usable = [text for text in sentences(self.masked[number]) if is_usable(text)]
            drawn += [(text, self.named[number]) for text in random.sample(usable, min(HARMLESS, len(usable)))]
        return drawn


def whole_names(secret: Secret) -> re.Pattern[str]:
    """Return what finds the names of an entity, as whole words: *Cuba*, not *Cubans*."""
    names = sorted(secret.entity.names, key=len, reverse=True)
    return re.compile(
        "|".join(rf"\b{re.escape(one)}\b" if one.isupper() else rf"(?i:\b{re.escape(one)}\b)" for one in names)
    )


def sentences(text: str) -> list[str]:
    """Cut a text into sentences."""
    return [" ".join(one.split()) for one in SENTENCE_END.split(text)]


def is_usable(text: str) -> bool:
    """Return whether a sentence is neither short nor a table."""
    return WORDS[0] <= len(text.split()) <= WORDS[1]


def runs_of(text: str, size: int) -> set[tuple[str, ...]]:
    """Return the runs of words of a text."""
    words = WORD.findall(re.sub(r"\d+", "0", text.lower()))
    return set(zip(*(words[at:] for at in range(size)), strict=False))


# What finds copies


class Floors:
    """What else could find them: each scores how near a text is to papers that name an entity."""

    def __init__(self, papers: Papers) -> None:
        from sklearn.feature_extraction.text import TfidfVectorizer

        passages, self.owners = list[str](), list[frozenset[int]]()
        for number in papers.collected():
            words = papers.masked[number].split()
            for start in range(0, max(len(words) - PASSAGE // 2, 1), PASSAGE // 2):
                passages.append(" ".join(words[start : start + PASSAGE]))
                self.owners.append(papers.named[number])
        self.texts = {
            entity: "\n".join(" ".join(papers.masked[n].lower().split()) for n in papers.collected()
                              if entity in papers.named[n])
            for entity in range(max(map(len, papers.named)) + 15)
        }  # fmt: skip
        self.vectorizer = TfidfVectorizer(sublinear_tf=True)
        self.table = self.vectorizer.fit_transform(passages).T.tocsc()
        self.wanted = dict[frozenset[int], Flags]()
        self.runs = [runs_of(text, 5) for text in passages]
        self.places = defaultdict[tuple[str, ...], list[int]](list)
        for number, some in enumerate(self.runs):
            for run in some:
                self.places[run].append(number)

    def exact(self, text: str, entities: Sequence[int]) -> float:
        """Return whether it stands in a paper, letter by letter."""
        return float(any(text.lower() in self.texts[entity] for entity in entities))

    def jaccard(self, text: str, entities: Sequence[int]) -> float:
        """Return the share of runs of five words that it has in common with the best passage."""
        mine, wanted = runs_of(text, 5), frozenset(entities)
        near = {place for run in mine for place in self.places.get(run, ()) if self.owners[place] & wanted}
        return max((len(mine & self.runs[one]) / len(mine | self.runs[one]) for one in near), default=0.0)

    def cosine(self, text: str, entities: Sequence[int]) -> float:
        """Return the cosine to the best passage."""
        wanted = frozenset(entities)
        if wanted not in self.wanted:
            self.wanted[wanted] = np.array([bool(one & wanted) for one in self.owners])
        row = (self.vectorizer.transform([text]) @ self.table).tocoo()
        return float(np.max(row.data[self.wanted[wanted][row.col]], initial=0.0))


def build(papers: Papers, protected: Sequence[Secret], folder: Path) -> CopyIndex:
    """Learn the collection as a scan does."""
    entities = [one.entity for one in protected]
    sources = CopySources(
        folder / "papers.copies", entities, "en", lambda name: name.encode().ljust(16), shows_names=True
    )
    for number in papers.collected():
        sources.read(f"paper {number}", papers.texts[number])
    sources.save()
    return CopyIndex.load(sources.path, entities, "en")


def report(data: Path, folder: Path) -> Iterator[str]:
    """Return the lines of the tables."""
    protected = secrets("entity") + secrets("later")
    papers = Papers.read(data, protected)
    index = build(papers, protected, folder)
    size = len(index.hashes) * 8 + len(index.bases) * 40
    letters = [row["text"] for name in ("train", "dev") for row in rows(data / "letters" / f"{name}.jsonl.gz")]
    english = [row["text"] for row in rows(data / "letters" / "train.jsonl.gz") if row["language"] == "en"]
    gum = [" ".join(row["tokens"]) for row in rows(data / "gum" / "documents.jsonl.gz")]
    drawn, synonyms = papers.copied(protected), read_synonyms(data)
    yield (f"{len(papers.collected()):,} papers, {len(index):,} name an entity: "
           f"{size / len(index) / 1e3:.1f} kB each; {len(drawn)} sentences\n")  # fmt: skip
    names = list(range(len(protected)))
    harmless = papers.harmless(papers.outside())
    inside = papers.harmless(papers.collected())

    def risk(text: str, entities: Sequence[int]) -> float:
        (near,) = find_copies(index, [text])
        return max((one.risk for one in near if one.entity in entities), default=0.0)

    def others(known: frozenset[int]) -> list[int]:
        return [one for one in names if one not in known]

    def quoted(text: str, random: Random) -> str:
        lines = random.choice(english).split("\n")
        return "\n".join([*lines[: len(lines) // 2], text, *lines[len(lines) // 2 :]])

    forms: dict[str, Callable[[Copied, Random], str]] = {
        "verbatim": lambda one, _: one.text,
        "quoted": lambda one, random: quoted(one.text, random),
        "numbers": lambda one, random: renumbered(one.text, random),
        "reordered": lambda one, random: reordered(one.text, random, synonyms),
        "merged": lambda one, _: merged(one.text, one.before),
        "slips": lambda one, random: slipped(one.text, random),
    }
    written = {name: [form(one, random) for one in drawn] for name, form in forms.items()
               for random in [Random(SEED)]}  # fmt: skip
    refused = [risk(text, others(known)) >= LIMIT for text, known in harmless]
    rate = float(np.mean(refused))
    floors = Floors(papers)
    halves = [np.array([one.entity % 2 == half for one in drawn]) for half in (0, 1)]
    yield f"{'found':28}" + "".join(f"{name:>11}" for name in forms)
    for label, half in zip(("embanon.leak, even entities", "embanon.leak, odd entities"), halves, strict=True):
        found = {
            name: np.array([risk(text, [one.entity]) >= LIMIT for text, one in zip(texts, drawn, strict=True)])[half]
            for name, texts in written.items()
        }
        yield f"{label:28}" + "".join(f"{some.mean():11.3f}" for some in found.values())
    long = np.array([len(one.text.split()) >= LONG for one in drawn])[half]
    yield f"{f'  of these, from {LONG} words on':28}" + "".join(f"{some[long].mean():11.3f}" for some in found.values())
    worst = min(some.mean() for some in found.values())
    yield f"  bar: >= {BARS[0]:.2f} of each; the worst has {worst:.3f}: {'reached' if worst >= BARS[0] else 'missed'}"
    for label, score in (
        ("floor: exact", floors.exact),
        ("floor: Jaccard", floors.jaccard),
        ("floor: TF-IDF", floors.cosine),
    ):
        scores = np.array([score(text, others(known)) for text, known in harmless])
        limit = max(float(np.quantile(scores, 1 - max(rate, 1 / len(scores)))), 1e-9)
        shares = [
            np.mean([score(text, [one.entity]) > limit or score(text, [one.entity]) == 1.0
                     for text, one, held in zip(texts, drawn, halves[1], strict=True) if held])
            for texts in written.values()
        ]  # fmt: skip
        yield f"{label + ', odd entities':28}" + "".join(f"{one:11.3f}" for one in shares)
    yield f"\n{'refused':44}{'texts':>7}{'share':>8}"
    mails = [risk(text, names) >= LIMIT for text in letters + gum]
    known_inside = [risk(text, others(known)) >= LIMIT for text, known in inside]
    for label, some in (
        ("sentences of papers outside", refused), ("sentences of papers of the collection", known_inside),
        ("letters, texts of GUM", mails),
    ):  # fmt: skip
        share = float(np.mean(some))
        state = "reached" if share <= BARS[1] else "missed"
        yield f"{label:44}{len(some):7,}{share:8.4f}  bar: <= {BARS[1]}: {state}"
    for label, numbers in (
        ("whole papers outside", papers.outside()),
        ("whole papers of the collection", papers.collected()),
    ):
        near = [risk(papers.masked[n], others(papers.named[n])) >= LIMIT for n in numbers]
        yield f"{label:44}{len(near):7,}{float(np.mean(near)):8.4f}  (they repeat each other: no bar)"


if __name__ == "__main__":
    raise SystemExit(print_tables("copies", __doc__, ("numpy", "scikit-learn"), report))
