"""Draw ladders through Wikidata for readers: `python -m eval.wikidata_ladders --data ../shared/data --sheet SHEET.tsv`.

The store is compiled from the part of Wikidata in the data. Phrases are drawn, seeded, from those that embanon finds in
English letters, biographies and summaries of actors, first of those that it masks (everyone, strictly), and that should
have a rung: as written or in the singular, they are
the main label of an item, or the alias of one alone, that is an instance or a subclass of more than *human*. The sheet has a row for each: set, phrase, type,
sentence, the rungs that Wikidata gives, and what is computed; it quotes texts, so it belongs outside the repository.

*No rung* counts ladders to which Wikidata adds nothing, *empty* those that have no rung at all, or a bare type alone.
A sheet that readers have marked (a column `wrong`: nothing, `first` where the first rung is wrong, `later` where another
is) is counted with `--marked SHEET.tsv`.
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
NEAR: Final = 240
SHORTEST: Final = 3
"""Letters of a name that an item is expected to be meant by."""
COLUMNS: Final = ("number", "set", "type", "phrase", "sentence", "wikidata", "computed", "wrong")
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


def texts(data: Path, name: str) -> Iterator[Document]:
    """Return the English texts of a set."""
    with gzip.open(data / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            row: dict[str, Any] = json.loads(line)
            if row.get("language", "en") == "en":
                yield Document(f"{name}-{number}", row["text"])


def candidates(data: Path, name: str, keys: frozenset[str]) -> Iterator[Drawn]:
    """Return the phrases of a set that an item is called, each once."""
    lemma, met = Lemmatizer.load("en").lemma, set[str]()
    for scored in load(config=STRICT).score_all(texts(data, name), ProtectionRules(EVERYONE)):
        text, risky = scored.text, scored.scored.at_least(scored.limits).tolist()
        for phrase, is_masked in zip(scored.scored.phrases, risky, strict=True):
            written = text[phrase.start : phrase.end]
            *before, last = written.split() or [""]
            called = {key(written), key(" ".join((*before, lemma(last))))}
            is_asked = phrase.type not in COMPUTED_ONLY_TYPES and (phrase.type != "PERSON" or " " in written)
            if not is_asked or not called & keys or called & met:
                continue
            met |= called
            around = Context(
                text[max(0, phrase.start - NEAR) : phrase.start].rpartition("\n")[2],
                text[phrase.end : phrase.end + NEAR].partition("\n")[0],
                text[phrase.head_start : phrase.head_end],
            )
            begin = max((found.end() for found in END.finditer(text, 0, phrase.start)), default=0)
            stop = END.search(text, phrase.end)
            sentence = " ".join(text[begin : stop.end() if stop else len(text)].split())
            yield Drawn(name, written, phrase.type, phrase.kind, phrase.form, around, sentence, is_masked)


def sheet_rows(drawn: Sequence[Drawn], climber: Climber) -> Iterator[dict[str, str]]:
    """Climb from each phrase."""
    for number, one in enumerate(drawn, 1):
        rungs = climber.climb(one.phrase, one.type, one.kind, one.form, one.context).rungs
        stores = [rung.label for rung in rungs if rung.source != COMPUTED]
        computed = [rung.label for rung in rungs if rung.source == COMPUTED and not rung.is_bare]
        yield dict(zip(COLUMNS, (
            str(number), one.set, f"{one.type} {one.form}", one.phrase, one.sentence, " > ".join(stores),
            " > ".join(computed), "",
        ), strict=True))  # fmt: skip


def share(count: int, total: int) -> str:
    """Write a share."""
    return f"{count:8} {count / total:6.1%}" if total else f"{count:8} {'-':>6}"


def table(rows: Sequence[Mapping[str, str]], *, marked: bool) -> str:
    """Count what is empty, long, and wrong where readers have marked it."""
    titles = ("ladders", "no rung", "empty", "rungs", *(("first wrong", "any wrong") if marked else ()))
    lines = [f"{'set':18}" + "".join(f"{title:>16}" for title in titles)]
    for name in (*SETS, "all"):
        here = [row for row in rows if name in (row["set"], "all")]
        silent = sum(not row["wikidata"] for row in here)
        empty = sum(not row["wikidata"] and not row["computed"] for row in here)
        longest = [len(row["wikidata"].split(" > ")) for row in here if row["wikidata"]]
        mean = f"{sum(longest) / len(longest):.1f} to {max(longest)}" if longest else "-"
        wrong = Counter(row.get("wrong", "").strip() for row in here)
        cells = [str(len(here)), share(silent, len(here)), share(empty, len(here)), mean]
        if marked:
            cells += [share(wrong["first"], len(here)), share(wrong["first"] + wrong["later"], len(here))]
        lines.append(f"{name:18}" + "".join(f"{cell:>16}" for cell in cells))
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the sheet and print the table."""
    parser = argparse.ArgumentParser(prog="python -m eval.wikidata_ladders", description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--sheet", type=Path, help="file to write, outside the repository: it quotes texts")
    parser.add_argument("--marked", type=Path, help="a sheet that readers have marked, to count")
    parser.add_argument("--size", type=int, default=100, help="phrases of a set")
    parser.add_argument("--seed", type=int, default=11)
    options = parser.parse_args(arguments)
    csv.field_size_limit(1 << 24)
    if options.marked:
        with options.marked.open(encoding="utf-8", newline="") as file:
            print(table(list(csv.DictReader(file, delimiter="\t")), marked=True))
        return 0
    keys, drawn = expected_keys(options.data), list[Drawn]()
    for name in SETS:
        known = list(candidates(options.data, name, keys))
        random.Random(options.seed).shuffle(known)
        known.sort(key=lambda one: not one.is_masked)
        drawn += known[: options.size]
        masked = sum(one.is_masked for one in known)
        print(f"{name}: {len(known)} phrases are called like an item, {masked} of them are masked", file=sys.stderr)
    with tempfile.TemporaryDirectory() as folder:
        store = compiled(options.data, Path(folder) / "wikidata")
        rows = list(sheet_rows(drawn, Climber({"wikidata": store}, "en")))
    if options.sheet:
        with options.sheet.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, delimiter="\t")
            writer.writeheader()
            writer.writerows(rows)
    print(table(rows, marked=False))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
