"""Have outputs read: sheets for readers who do not know the system, and the ledger of the faults that they found.

    python -m eval.reading sheets --data ../shared/data --out FOLDER [--documents 12] [--preset standard]
    python -m eval.reading ledger FOLDER READER-1.tsv READER-2.tsv

A sheet has texts whose places [[n: original -> replacement]] show what was changed; of each document there is one by
every system, in an order by chance, under a code that `key.tsv` explains. Systems are embanon, tags in place of what it
masks, and, in English, Presidio if it is installed. Each reader writes a line for each fault: the code, the number of
the place (or `left`), a category, and what else there is to say, with tabs between. A place has one fault, the worst:

DIRECT: something is left that singles the protected one out alone. TELLING: something that helps a stranger or tells an
acquaintance. FALSE: the replacement says something untrue. BROKEN: grammar, words or layout. UNNATURAL: nobody would
write so. OVER: something harmless is gone.

The ledger has faults per 1,000 words of the originals, by system, language and genre, of each reader, and Cohen's kappa
over the places: which fault each has, if any.
"""

from __future__ import annotations

import argparse
import csv
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, islice
from pathlib import Path
from typing import Final

from embanon.anonymizer import load
from embanon.config.settings import PRESETS
from embanon.document import Document
from embanon.measure.agreement import cohen
from eval.boundaries import rows
from eval.labeled import named
from eval.peers import installed, presidio_entities

CATEGORIES: Final = ("DIRECT", "TELLING", "FALSE", "BROKEN", "UNNATURAL", "OVER")
METHODS: Final = {"embanon": "generalize", "tags": "tag"}
"""What embanon writes, by system."""
PRESIDIO: Final = "presidio"
SYSTEMS: Final = (*METHODS, PRESIDIO)
SEED: Final = 7
COLUMNS: Final = ("code", "system", "document", "language", "genre", "words", "places")
SETS: Final = {"wikibios": 10, "tab": 5}
"""How many English documents of other sets are read."""


@dataclass(frozen=True, slots=True)
class Text:
    """A document to be read, and what it is."""

    document: Document
    language: str
    genre: str

    @property
    def words(self) -> int:
        """Return how many words it has."""
        return len(self.document.text.split())


@dataclass(frozen=True, slots=True)
class Output:
    """What a system made of a text: places and their replacements."""

    system: str
    text: Text
    edits: tuple[tuple[int, int, str], ...] = field(repr=False)


def texts(data: Path, count: int) -> Iterator[Text]:
    """Return the first letters of each language, and some documents of other sets."""
    letters = sorted(rows(data / "letters" / "dev.jsonl.gz"), key=lambda row: str(row["language"]))
    for language, some in groupby(letters, key=lambda row: str(row["language"])):
        for row in islice(some, count):
            document = Document(row["id"], row["text"], language, fields={"protect": row["protect"]})
            yield Text(document, language, row["genre"])
    for name, size in SETS.items():
        for row in islice(rows(data / name / "gold.jsonl.gz"), size if count else 0):
            id = str(row.get("doc_id") or row["id"])
            protect = [{"name": named(name, id)}] if named(name, id) else "everyone"
            yield Text(Document(id, row["text"], "en", fields={"protect": protect}), "en", name)


def outputs(read: Sequence[Text], preset: str, systems: Sequence[str]) -> Iterator[Output]:
    """Return what each system makes of each text."""
    for system in (name for name in METHODS if name in systems):
        doing = load(preset=preset, method=METHODS[system])
        for text, result in zip(read, doing.anonymize_all(one.document for one in read), strict=True):
            yield Output(system, text, tuple((one.start, one.end, one.replacement) for one in result.edits))
    if PRESIDIO in systems and any(peer.label.startswith("Presidio") for peer in installed()):
        find = presidio_entities()
        english = [text for text in read if text.language == "en"]
        for text, found in zip(english, find([one.document.text for one in english]), strict=True):
            yield Output(PRESIDIO, text, tuple(_apart((start, end, f"<{type}>") for start, end, type in found)))


def _apart(edits: Iterable[tuple[int, int, str]]) -> Iterator[tuple[int, int, str]]:
    """Yield the edits that do not overlap one before them, of those that start together the longest."""
    last = 0
    for start, end, replacement in sorted(edits, key=lambda edit: (edit[0], -edit[1])):
        if start >= last:
            yield start, end, replacement
            last = end


def sheet(code: str, output: Output) -> str:
    """Write an output with its places numbered."""
    text, last = output.text.document.text, 0
    protect = output.text.document.fields["protect"]
    names = [str(one["name"]) for one in protect if isinstance(one, dict)]
    parts = [f"##### {code} | protect: {', '.join(names) or 'everyone'}\n"]
    for number, (start, end, replacement) in enumerate(output.edits, 1):
        parts.append(f"{text[last:start]}[[{number}: {text[start:end]} -> {replacement}]]")
        last = end
    return "".join((*parts, text[last:], "\n\n"))


def write_sheets(data: Path, folder: Path, count: int, preset: str, systems: Sequence[str]) -> None:
    """Write a sheet for each language, and the key that says what is what."""
    folder.mkdir(parents=True, exist_ok=True)
    done = list(outputs(list(texts(data, count)), preset, systems))
    random.Random(SEED).shuffle(done)
    numbers, sheets, key = Counter[str](), defaultdict[str, list[str]](list), list[dict[str, str | int]]()
    for output in done:
        language = output.text.language
        numbers[language] += 1
        code = f"{language}-{numbers[language]:02}"
        sheets[language].append(sheet(code, output))
        values = (
            output.system,
            output.text.document.id,
            language,
            output.text.genre,
            output.text.words,
            len(output.edits),
        )
        key.append(dict(zip(COLUMNS, (code, *values), strict=True)))
    for language, parts in sheets.items():
        (folder / f"{language}.txt").write_text("".join(parts), "utf-8")
    with (folder / "key.tsv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, delimiter="\t")
        writer.writeheader()
        writer.writerows(key)


def read_key(path: Path) -> list[dict[str, str]]:
    """Read what the codes of sheets mean."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


Faults = Sequence[tuple[str, str, str]]
"""Codes of sheets, places and categories."""


def read_faults(path: Path, codes: frozenset[str]) -> Faults:
    """Read the faults that a reader found."""
    faults = []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        cells = [cell.strip() for cell in line.split("\t")]
        if not line.strip():
            continue
        if len(cells) < 3 or cells[0] not in codes or cells[2] not in CATEGORIES:
            raise SystemExit(f"{path}, line {number}: is not a code, a place and a category")
        faults.append((cells[0], cells[1], cells[2]))
    return faults


def ledger(key: Sequence[Mapping[str, str]], readers: Sequence[Faults]) -> Iterator[str]:
    """Yield the lines of the table."""
    yield f"{'per 1,000 words':34}{'texts':>6}{'words':>7}" + "".join(f"{name:>16}" for name in CATEGORIES)
    systems = dict.fromkeys(row["system"] for row in key)
    for system in systems:
        own = [row for row in key if row["system"] == system]
        groups = {"all": own}
        for column in ("language", "genre"):
            for row in own:
                groups.setdefault(f"{column} {row[column]}", []).append(row)
        for name, some in groups.items():
            words, codes = sum(int(row["words"]) for row in some), {row["code"] for row in some}
            cells = [_rates(readers, codes, category, words) for category in CATEGORIES]
            yield f"{system + ', ' + name:34.33}{len(some):6}{words:7}" + "".join(f"{cell:>16}" for cell in cells)
        yield f"{system}, kappa of each two readers: {', '.join(kappas(own, readers)) or '-'}"


def _rates(readers: Sequence[Faults], codes: set[str], category: str, words: int) -> str:
    counts = [sum(code in codes and one == category for code, _, one in faults) for faults in readers]
    return " ".join(f"{1000 * count / max(words, 1):.1f}" for count in counts)


def kappas(key: Sequence[Mapping[str, str]], readers: Sequence[Faults]) -> Iterator[str]:
    """Yield the agreement of every two readers over the places that were changed."""
    places = [(row["code"], str(number)) for row in key for number in range(1, int(row["places"]) + 1)]
    found = [{(code, place): category for code, place, category in faults} for faults in readers]
    for number, one in enumerate(found):
        for other in found[number + 1 :]:
            value = cohen([(one.get(place, ""), other.get(place, "")) for place in places]).value
            yield "1.00" if value is None else f"{value:.2f}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Write sheets, or report what readers wrote of them."""
    described = (__doc__ or "").splitlines()[0]
    parser = argparse.ArgumentParser(prog="python -m eval.reading", description=described)
    kinds = parser.add_subparsers(dest="action", required=True)
    writing = kinds.add_parser("sheets", help="write what is to be read")
    writing.add_argument("--data", type=Path, default=Path("../shared/data"))
    writing.add_argument("--out", type=Path, required=True, help="a folder outside of the project: it holds texts")
    writing.add_argument("--documents", type=int, default=12, help="letters of each language")
    writing.add_argument("--preset", choices=tuple(PRESETS), default="standard")
    writing.add_argument("--system", action="append", choices=SYSTEMS, help="repeatable; all by default")
    counting = kinds.add_parser("ledger", help="count what was found")
    counting.add_argument("folder", type=Path)
    counting.add_argument("readers", nargs="+", type=Path)
    options = parser.parse_args(arguments)
    if options.action == "sheets":
        write_sheets(options.data, options.out, options.documents, options.preset, options.system or SYSTEMS)
        return 0
    key = read_key(options.folder / "key.tsv")
    codes = frozenset(row["code"] for row in key)
    for line in ledger(key, [read_faults(path, codes) for path in options.readers]):
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
