"""Measure opening and climbing taxonomies, against NLTK and against the same in SQLite.

    python -m eval.climbing --data ../shared/data

*Opening* is in a process of its own: all shipped stores, and the first ladder. *Warm* is one known phrase over and
over. *Of texts*: the first 100,000 common phrases of the actors' corpus that WordNet knows, as they come. *Distinct*:
100,000 labels of WordNet, each once, in a random order. NLTK gives the synsets of a phrase and their paths to the
top, with the name of each step; embanon gives ladders from both stores and what is computed. *SQLite* holds the same
senses, links and labels as our WordNet store, indexed, and is asked for senses, what is above them, and labels.
Each round opens a climber and a reader anew, and asks twice: both remember what they were asked.
"""

from __future__ import annotations

import argparse
import gzip
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any, Final

from embanon.config.settings import Config
from embanon.io.read.corpus import CorpusDocument
from embanon.taxonomy.climb import Climber
from embanon.taxonomy.store import SHIPPED, Store, open_taxonomy
from embanon.text.find import find_all
from eval.labeled import sources
from eval.speed import machine

SIZE: Final = 100_000
ROUNDS: Final = 3
OPENING: Final = """
import time
import embanon.taxonomy.climb, embanon.taxonomy.store as shipped
from pathlib import Path
begin = time.perf_counter()
stores = {Path(name).name: shipped.open_taxonomy(name) for name in shipped.SHIPPED}
opened = time.perf_counter()
embanon.taxonomy.climb.Climber(stores, "en").climb("breast cancer")
print(opened - begin, time.perf_counter() - begin)
"""


def seconds(work: Callable[[], object]) -> float:
    """Time one call."""
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def for_nltk(data: Path, folder: Path) -> None:
    """Give NLTK the same nouns; its reader wants the files of the other parts of speech as well."""
    import nltk

    nltk.data.path.append(str(folder))  # it opens nothing elsewhere
    folder = folder / "corpora" / "wordnet"
    folder.mkdir(parents=True)
    for name in ("data", "index"):
        for part in ("adj", "adv", "verb"):
            (folder / f"{name}.{part}").touch()
    for source in (data / "wordnet").glob("*noun*.gz"):
        with gzip.open(source) as packed, (folder / source.stem).open("wb") as file:
            shutil.copyfileobj(packed, file)
    shutil.copy(data / "wordnet" / "lexnames", folder)
    for name in ("adj.exc", "adv.exc", "verb.exc", "cntlist.rev"):
        (folder / name).touch()
    (folder / "data.adj").write_text("  1 WordNet 3.0 Copyright\n", "utf-8")
    (folder / "index.sense.noun").rename(folder / "index.sense")


def opened_reader(folder: Path) -> Any:
    """Open NLTK's reader, which remembers no synset yet."""
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of other languages
        return WordNetCorpusReader(str(folder / "corpora" / "wordnet"), None)


def each(work: Callable[[str], object], phrases: Sequence[str]) -> None:
    """Climb from each phrase."""
    for phrase in phrases:
        work(phrase)


def nltk_ladder(reader: Any, phrase: str) -> list[str]:
    """Return the names of all that is above each synset of a phrase."""
    synsets = reader.synsets(phrase.replace(" ", "_"), "n")
    paths = [path for synset in synsets for path in synset.hypernym_paths()]
    return [synset.lemma_names()[0] for path in paths for synset in path[:-1]]


def in_sqlite(store: Store, path: Path) -> sqlite3.Connection:
    """Copy a store into SQLite."""
    base = sqlite3.connect(path)
    base.executescript("""
        CREATE TABLE sense (phrase TEXT, concept INTEGER, weight REAL);
        CREATE TABLE above (concept INTEGER, broader INTEGER, kind TEXT);
        CREATE TABLE label (concept INTEGER PRIMARY KEY, text TEXT, hidden INTEGER) WITHOUT ROWID;
    """)
    for number in range(len(store)):
        labels = store.labels(number, "en")
        base.executemany("INSERT INTO sense VALUES (?, ?, 1)", [(label.lower(), number) for label in labels])
        base.executemany(
            "INSERT INTO above VALUES (?, ?, ?)", [(number, link.concept, link.kind) for link in store.broader(number)]
        )
        base.execute("INSERT INTO label VALUES (?, ?, ?)", (number, labels[0] if labels else "", store.hidden(number)))
    base.executescript("CREATE INDEX senses ON sense (phrase); CREATE INDEX links ON above (concept);")
    base.commit()
    base.close()
    return sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)


def sqlite_ladder(base: sqlite3.Connection, phrase: str) -> list[str]:
    """Return the labels of all that is above each sense of a phrase."""
    found = []
    for (concept,) in base.execute("SELECT concept FROM sense WHERE phrase = ?", (phrase.lower(),)).fetchall():
        waiting, seen = [concept], {concept}
        while waiting:
            one = waiting.pop()
            for (broader,) in base.execute("SELECT broader FROM above WHERE concept = ?", (one,)).fetchall():
                if broader not in seen:
                    seen.add(broader)
                    waiting.append(broader)
                    found += base.execute("SELECT text FROM label WHERE concept = ?", (broader,)).fetchone()
    return found


def store_ladder(store: Store, phrase: str) -> list[str | None]:
    """Return the same from our arrays, without any cache."""
    found = []
    for sense in store.senses(phrase, "en"):
        waiting, seen = [sense.concept], {sense.concept}
        while waiting:
            for link in store.broader(waiting.pop()):
                if link.concept not in seen:
                    seen.add(link.concept)
                    waiting.append(link.concept)
                    found.append(store.label(link.concept, "en"))
    return found


def common_phrases(data: Path, store: Store) -> Iterator[str]:
    """Return the common phrases of the actors' corpus that WordNet knows."""
    texts: Iterator[CorpusDocument] = iter(sources(data, "actors/corpus"))
    for analysis in find_all((source.document for source in texts), config=Config(language="en")):
        text = analysis.document.text
        for one in analysis.phrases:
            if one.form == "common" and store.senses(phrase := text[one.start : one.end], "en"):
                yield phrase


def rate(name: str, size: int, took: Sequence[float]) -> str:
    """Write a row."""
    return f"{name:58}{median(took) / size * 1e6:12.2f}{size / median(took):14,.0f}"


def report(data: Path, folder: Path) -> Iterator[str]:
    """Measure, a row each."""
    opening = [
        [float(cell) * 1000 for cell in subprocess.check_output([sys.executable, "-c", OPENING], text=True).split()]
        for _ in range(7)
    ]
    first, ladder = (median(row[place] for row in opening) for place in (0, 1))
    names = ", ".join(Path(name).name for name in SHIPPED)
    yield f"Opening {names}: {first:.1f} ms (bar 50), first ladder {ladder:.1f} ms\n"
    stores = {Path(name).name: open_taxonomy(name) for name in SHIPPED}
    wordnet = stores["wordnet"]
    for_nltk(data, folder)
    base = in_sqlite(wordnet, folder / "store.db")
    yield f"{'':58}{'us a phrase':>12}{'phrases/s':>14}"

    climber = Climber(stores, "en")
    climber.climb("breast cancer")
    warm = [seconds(lambda: [climber.climb("breast cancer") for _ in range(SIZE)]) for _ in range(ROUNDS)]
    yield rate("warm: one known phrase (bar 20 us)", SIZE, warm)
    texts = list(islice(common_phrases(data, wordnet), SIZE))
    labels = sorted({label for number in range(len(wordnet)) for label in wordnet.labels(number, "en")})
    distinct = random.Random(1).sample(labels, min(SIZE, len(labels)))
    for name, phrases in (("of texts", texts), ("distinct", distinct)):
        took: dict[tuple[str, str], list[float]] = {}
        for _ in range(ROUNDS):
            climber, reader = Climber(stores, "en"), opened_reader(folder)
            for turn in ("first", "again"):
                ours = seconds(partial(each, climber.climb, phrases))
                theirs = seconds(partial(each, partial(nltk_ladder, reader), phrases))
                took.setdefault((turn, "embanon"), []).append(ours)
                took.setdefault((turn, "NLTK"), []).append(theirs)
        for turn in ("first", "again"):
            for who in ("embanon", "NLTK"):
                yield rate(f"{len(phrases):,} {name}, {turn}: {who}", len(phrases), took[turn, who])
            ratio = median(took[turn, "NLTK"]) / median(took[turn, "embanon"])
            yield f"{'   NLTK / embanon (bar 50)':58}{ratio:12.1f}"
    few = distinct[:10_000]
    for name, work in (
        ("arrays, no cache: senses, all above, labels", lambda: [store_ladder(wordnet, phrase) for phrase in few]),
        ("SQLite, the same", lambda: [sqlite_ladder(base, phrase) for phrase in few]),
    ):
        yield rate(name, len(few), [seconds(work) for _ in range(ROUNDS)])
    size = sum(file.stat().st_size for file in wordnet.path.iterdir())
    alone = (folder / "store.db").stat().st_size
    yield f"\nsize, MB: WordNet's store {size / 1e6:.1f}, English alone in SQLite {alone / 1e6:.1f}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m eval.climbing", description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    options = parser.parse_args(arguments)
    print(f"{machine(('numpy', 'nltk'))}\n")
    with tempfile.TemporaryDirectory() as folder:
        for line in report(options.data, Path(folder)):
            print(line, flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
