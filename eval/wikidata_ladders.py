"""Draw ladders through Wikidata for readers: `python -m eval.wikidata_ladders --data ../shared/data --seed 11`.

The store is compiled from the part of Wikidata in the data. Phrases are those that embanon finds in English letters,
biographies and summaries of actors, each once. Known are those that an item is called that is an instance or a subclass
of more than *human*: its main label, or an alias of it alone, as written or in the singular. Of those to which Wikidata
adds a rung, so many are drawn, seeded: as many from each set as it has, those that are masked (everyone,
strictly) first.

Without `--sheet` the rows are printed: phrase, type, ladder. A sheet has the sentence as well: it quotes texts, so it
belongs outside the repository. Readers mark it in a column each, `first` and `second`: nothing, `wrong` where a rung is
false of the phrase, `empty` where all rungs say nothing; `--marked SHEET.tsv` counts them. *Known, no rung* are known
phrases to which Wikidata adds nothing; *no rung at all*, those of which nothing is computed either.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from embanon.anonymizer import load
from embanon.config.load import load as load_config
from embanon.document import Document
from embanon.entities.protected import ProtectedEntities, ProtectionRules
from embanon.language.lemmas import Lemmatizer
from embanon.language.normalize import key
from embanon.taxonomy.build import build
from embanon.taxonomy.climb import COMPUTED, COMPUTED_ONLY_TYPES, Climber
from embanon.taxonomy.ladders.tables import Context
from embanon.taxonomy.sources import read_concepts
from embanon.taxonomy.store import Store
from eval.wikidata_dump import real

SETS: Final = ("letters/dev", "wikibios/gold", "wikiactors/gold")
TABLES: Final = ("labels.en", "aliases.en", "derived.P31", "derived.P279")
HUMAN: Final = "Q5"
STRICT: Final = load_config(None, {"score.preset": "strict", "language": "en"}, {}).config
EVERYONE: Final = ProtectedEntities(everyone=True)
SHORTEST: Final = 3
"""Letters of a name that an item is expected to be meant by."""
READERS: Final = ("first", "second")
MARKS: Final = ("wrong", "empty")
COLUMNS: Final = ("number", "set", "type", "phrase", "sentence", "wikidata", "computed", *READERS)
END: Final = re.compile(r"[.!?\n]")


@dataclass(frozen=True, slots=True)
class Drawn:
    """A phrase in its text, as it is climbed."""

    set: str
    phrase: str
    type: str
    kind: str
    form: str
    context: Context
    sentence: str
    is_masked: bool


def compiled(data: Path, folder: Path) -> Store:
    """Compile the part of Wikidata."""
    paths = [str(data / "wikidata" / f"{name}.tsv.gz") for name in TABLES]
    build(read_concepts(paths, "wikidata", ("en",)), folder, {})
    return Store.open(folder)


def expected_keys(data: Path) -> frozenset[str]:
    """Return the main labels, and the aliases of one item alone, of what is more than an instance of human."""
    items = real(data)
    named = {
        id: item for id, item in items.items()
        if any(parent != HUMAN for property, parent in item.links if property in ("P31", "P279"))
    }  # fmt: skip
    called = Counter(name for item in items.values() for name in {key(label) for label in item.labels})
    return frozenset(
        name
        for item in named.values()
        for place, name in enumerate(map(key, item.labels))
        if len(name) >= SHORTEST and (place == 0 or called[name] == 1)
    )


def texts(data: Path, name: str, most: int, seed: int) -> Iterator[Document]:
    """Return the English texts of a set, at most so many by chance."""
    with gzip.open(data / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows: list[dict[str, Any]] = [row for row in map(json.loads, lines) if row.get("language", "en") == "en"]
    if len(rows) > most:
        rows = random.Random(seed).sample(rows, most)
    for number, row in enumerate(rows):
        yield Document(f"{name}-{number}", row["text"])


def candidates(documents: Iterator[Document], name: str, keys: frozenset[str]) -> Iterator[Drawn]:
    """Return the phrases of a set that an item is called, each once."""
    lemma, met = Lemmatizer.load("en").lemma, set[str]()
    for scored in load(config=STRICT).score_all(documents, ProtectionRules(EVERYONE)):
        text, risky = scored.text, scored.scored.at_least(scored.limits).tolist()
        for phrase, is_masked in zip(scored.scored.phrases, risky, strict=True):
            written = text[phrase.start : phrase.end]
            *before, last = written.split() or [""]
            called = {key(written), key(" ".join((*before, lemma(last))))}
            is_asked = phrase.type not in COMPUTED_ONLY_TYPES and (phrase.type != "PERSON" or " " in written)
            if not is_asked or not called & keys or called & met:
                continue
            met |= called
            around = Context.of_line(text, phrase.start, phrase.end, text[phrase.head_start : phrase.head_end])
            begin = max((found.end() for found in END.finditer(text, 0, phrase.start)), default=0)
            stop = END.search(text, phrase.end)
            sentence = " ".join(text[begin : stop.end() if stop else len(text)].split())
            yield Drawn(name, written, phrase.type, phrase.kind, phrase.form, around, sentence, is_masked)


def row(drawn: Drawn, climber: Climber) -> dict[str, str]:
    """Climb from a phrase."""
    rungs = climber.climb(drawn.phrase, drawn.type, drawn.kind, drawn.form, drawn.context).rungs
    stores = [rung.label for rung in rungs if rung.source != COMPUTED]
    computed = [rung.label for rung in rungs if rung.source == COMPUTED and not rung.is_bare]
    return dict(zip(COLUMNS, (
        "", drawn.set, f"{drawn.type} {drawn.form}", drawn.phrase, drawn.sentence, " > ".join(stores),
        " > ".join(computed), *("" for _ in READERS),
    ), strict=True))  # fmt: skip


def draw(rows: Sequence[dict[str, str]], size: int) -> list[dict[str, str]]:
    """Return so many of the rows to which Wikidata adds a rung, as many of each set, the first ones."""
    drawn: list[dict[str, str]] = []
    names = list(dict.fromkeys(line["set"] for line in rows))
    known = [[line for line in rows if line["set"] == name and line["wikidata"]] for name in names]
    for place, here in enumerate(sorted(known, key=len)):
        drawn += here[: round((size - len(drawn)) / (len(known) - place))]
    return sorted(drawn, key=lambda line: names.index(line["set"]))


def share(count: int, total: int) -> str:
    """Write a share."""
    return f"{count:6} {count / total:6.1%}" if total else f"{count:6} {'-':>6}"


def formatted(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table."""
    lines = [f"{titles[0]:18}" + "".join(f"{title:>19}" for title in titles[1:])]
    lines += [f"{first:18}" + "".join(f"{cell:>19}" for cell in cells) for first, *cells in rows]
    return "\n".join(lines)


def coverage(rows: Sequence[Mapping[str, str]], drawn: Sequence[Mapping[str, str]]) -> str:
    """Count what is known, and what has no rung; and the rungs of what is drawn."""
    table = []
    for name in (*sorted({line["set"] for line in rows}), "all"):
        here = [line for line in rows if name in (line["set"], "all")]
        silent = [line for line in here if not line["wikidata"]]
        sizes = [line["wikidata"].count(" > ") + 1 for line in drawn if name in (line["set"], "all")]
        mean = f"{sum(sizes) / len(sizes):.1f} to {max(sizes)}" if sizes else "-"
        bare = sum(not line["computed"] for line in silent)
        table.append((
            name, str(len(here)), share(len(silent), len(here)), share(bare, len(here)), str(len(sizes)), mean
        ))  # fmt: skip
    return formatted(("set", "known", "known, no rung", "no rung at all", "drawn", "rungs"), table)


def judged(rows: Sequence[Mapping[str, str]]) -> str:
    """Count what readers have marked, and in how many rows they agree."""
    table = []
    for name in (*sorted({line["set"] for line in rows}), "all"):
        here = [line for line in rows if name in (line["set"], "all")]
        marks = [[line[reader].strip() for line in here] for reader in READERS]
        cells = [share(column.count(mark), len(here)) for column in marks for mark in MARKS]
        either = [share(sum(mark in pair for pair in zip(*marks, strict=True)), len(here)) for mark in MARKS]
        agreed = share(sum(one == other for one, other in zip(*marks, strict=True)), len(here))
        table.append((name, str(len(here)), *cells, *either, agreed))
    titles = [f"{reader}: {mark}" for reader in READERS for mark in MARKS]
    return formatted(("set", "drawn", *titles, *(f"either: {mark}" for mark in MARKS), "agreed"), table)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print rows and tables, or write the sheet."""
    parser = argparse.ArgumentParser(prog="python -m eval.wikidata_ladders", description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--sheet", type=Path, help="file to write, outside the repository: it quotes texts")
    parser.add_argument("--marked", type=Path, help="a sheet that readers have marked, to count")
    parser.add_argument("--size", type=int, default=300, help="phrases to draw")
    parser.add_argument("--sets", nargs="+", help="other sets, such as letters/train actors/corpus")
    parser.add_argument("--documents", type=int, default=60, help="texts of a set, at most, by chance")
    parser.add_argument("--seed", type=int, default=11)
    options = parser.parse_args(arguments)
    csv.field_size_limit(1 << 24)
    if options.marked:
        with options.marked.open(encoding="utf-8", newline="") as file:
            print(judged(list(csv.DictReader(file, delimiter="\t"))))
        return 0
    keys, rows = expected_keys(options.data), list[dict[str, str]]()
    with tempfile.TemporaryDirectory() as folder:
        climber = Climber({"wikidata": compiled(options.data, Path(folder) / "wikidata")}, "en")
        for name in options.sets or SETS:
            documents = texts(options.data, name, options.documents, options.seed)
            known = list(candidates(documents, name, keys))
            random.Random(options.seed).shuffle(known)
            known.sort(key=lambda one: not one.is_masked)
            here = [row(one, climber) for one in known]
            rows += here
    drawn = [line | {"number": str(number)} for number, line in enumerate(draw(rows, options.size), 1)]
    if options.sheet:
        with options.sheet.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, delimiter="\t")
            writer.writeheader()
            writer.writerows(drawn)
    else:
        for line in drawn:
            print("\t".join((line["number"], line["type"], line["phrase"], line["wikidata"])))
    print(coverage(rows, drawn), file=sys.stderr if options.sheet is None else sys.stdout)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
