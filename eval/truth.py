"""Judge whether what ladders say is true: a sample of steps to be read by two people, and what they found.

    python -m eval.truth sample --data ../shared/data --out FOLDER
    python -m eval.truth report FOLDER/judged-1.tsv FOLDER/judged-2.tsv

A step is a phrase and one rung of its ladder, in its sentence. `sample` draws steps at random, each phrase of a
text once: of the masked mentions of the biographies (wikibios), and of phrases that embanon finds within the
masks of court cases (tab). `PERSON n` and bare type labels are left out: they are true of what has the type.
`steps.tsv` has the text around each, for the judges alone; each judge writes `number`, a tab, and `true`, `false`
or `unclear`. A step is true if, in this text, what the phrase means is (a kind of, an instance of, in, or part of)
what the rung says. The report names steps by text and offset, without their words.
"""

from __future__ import annotations

import argparse
import csv
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from embanon.document import TYPES
from embanon.measure.agreement import cohen
from embanon.taxonomy.climb import Climber
from embanon.taxonomy.ladders import Context
from embanon.taxonomy.store import SHIPPED, open_taxonomy
from embanon.text.analyzer import load_analyzer
from embanon.text.coreference import group_names
from embanon.text.find import text_phrases
from eval.boundaries import rows
from eval.ladders import Mention, kinds, ladders, mention

DRAWN: Final = {"wikibios": 400, "tab": 200}
NEAR: Final = 120
VERDICTS: Final = ("true", "false", "unclear")
COLUMNS: Final = ("number", "set", "text", "start", "end", "type", "source", "kind", "rung", "phrase", "sentence")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a mention stands."""

    set: str
    text: int
    start: int
    end: int
    around: str


def biographies(data: Path) -> Iterator[tuple[Place, Mention]]:
    """Return the masked mentions."""
    for number, row in enumerate(rows(data / "wikibios" / "gold.jsonl.gz")):
        text, known = row["text"], kinds(row["text"])
        every = [one for some in row["annotations"].values() for one in some["entity_mentions"]]
        masked = [one for one in every if one["identifier_type"] in ("DIRECT", "QUASI")]
        names = [(text[one["start_offset"] : one["end_offset"]], one["entity_type"]) for one in masked]
        for one, of in zip(masked, group_names(names, "en"), strict=True):
            place = where("wikibios", number, text, one["start_offset"], one["end_offset"])
            yield place, mention(text, one, known, (number, of))


def cases(data: Path) -> Iterator[tuple[Place, Mention]]:
    """Return our phrases within the masks."""
    for number, row in enumerate(rows(data / "tab" / "gold.jsonl.gz")):
        text = row["text"]
        phrases = text_phrases(load_analyzer("en"), text)
        found = [one for one in phrases if any(start <= one.start and one.end <= end for start, end, _ in row["spans"])]
        names = [(text[one.start : one.end], one.type) for one in found]
        for one, of in zip(found, group_names(names, "en"), strict=True):
            around = Context.of_line(text, one.start, one.end)
            none = frozenset[str]()
            phrase = text[one.start : one.end]
            yield (
                where("tab", number, text, one.start, one.end),
                Mention((number, of), phrase, one.type, one.kind, one.form, around, none, none),
            )


def where(name: str, number: int, text: str, start: int, end: int) -> Place:
    """Return a place with the text around it, the phrase marked."""
    before, after = text[max(0, start - NEAR) : start], text[end : end + NEAR]
    return Place(name, number, start, end, " ".join(f"{before}[[{text[start:end]}]]{after}".split()))


def sample(data: Path, seed: int) -> Iterator[dict[str, Any]]:
    """Draw steps."""
    climber = Climber({Path(name).name: open_taxonomy(name) for name in SHIPPED}, "en")
    chance = random.Random(seed)
    numbered = 0
    for name, found in (("wikibios", biographies), ("tab", cases)):
        pairs = list(found(data))
        steps = {
            (place.text, one.phrase): (place, one, rungs)
            for (place, one), climbed in zip(pairs, ladders([one for _, one in pairs], climber), strict=True)
            if (rungs := [rung for rung in climbed if not rung.is_bare and rung.kind != "person"])
        }
        for place, one, rungs in chance.sample(sorted(steps.values(), key=lambda step: str(step[0])), DRAWN[name]):
            rung = chance.choice(rungs)
            numbered += 1
            yield {
                "number": numbered, "set": name, "text": place.text, "start": place.start, "end": place.end,
                "type": one.type, "source": rung.source, "kind": rung.kind, "rung": rung.label,
                "phrase": one.phrase, "sentence": place.around,
            }  # fmt: skip


def verdicts(path: Path) -> dict[int, str]:
    """Read what a judge wrote."""
    found = {}
    for row in csv.reader(path.read_text("utf-8").splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE):
        if row and row[0].isdecimal():
            if row[1].strip() not in VERDICTS:
                raise SystemExit(f"{path}: step {row[0]} has none of: {', '.join(VERDICTS)}")
            found[int(row[0])] = row[1].strip()
    return found


def agreement(pairs: Sequence[tuple[str, str]]) -> float:
    """Give Cohen's kappa; judges who all say the same agree."""
    found = cohen(pairs).value
    return 1.0 if found is None else found


def report(steps: Sequence[dict[str, str]], one: dict[int, str], other: dict[int, str]) -> Iterator[str]:
    """Write the shares and the list."""
    judged = [(step, one[n], other[n]) for step in steps if (n := int(step["number"])) in one and n in other]
    yield f"{len(judged)} steps, judged twice; Cohen's kappa {agreement([(a, b) for _, a, b in judged]):.2f}\n"
    yield f"{'':12}{'steps':>6}{'false, 1':>10}{'false, 2':>10}{'by both':>10}{'by either':>11}{'unclear':>9}"
    for name in ("all", "wikibios", "tab", *TYPES):
        here = [(a, b) for step, a, b in judged if name in ("all", step["set"], step["type"])]
        if here:
            size = len(here)
            shares = [
                sum(a == "false" for a, _ in here), sum(b == "false" for _, b in here),
                sum(a == b == "false" for a, b in here), sum("false" in (a, b) for a, b in here),
                sum("unclear" in (a, b) for a, b in here),
            ]  # fmt: skip
            wide = (10, 10, 10, 11, 9)
            cells = "".join(f"{count / size:{column}.3f}" for count, column in zip(shares, wide, strict=True))
            yield f"{name:12}{size:6}{cells}"
    yield "\nset\ttext\tstart\tend\ttype\tsource\tkind\trung\tfirst\tsecond"
    for step, a, b in judged:
        yield "\t".join((*(step[name] for name in COLUMNS[1:9]), a, b))


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw a sample, or report what judges wrote of it."""
    parser = argparse.ArgumentParser(prog="python -m eval.truth", description=__doc__)
    parser.add_argument("action", choices=("sample", "report"))
    parser.add_argument("judged", nargs="*", type=Path)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--out", type=Path, help="the folder of steps.tsv")
    options = parser.parse_args(arguments)
    if options.action == "sample":
        if options.out is None:
            parser.error("sample needs --out FOLDER, which is no part of the project: it holds texts")
        options.out.mkdir(parents=True, exist_ok=True)
        with (options.out / "steps.tsv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, delimiter="\t")
            writer.writeheader()
            writer.writerows(sample(options.data, options.seed))
        return 0
    if len(options.judged) != 2:
        parser.error("report needs the files of two judges")
    with (options.judged[0].parent / "steps.tsv").open(encoding="utf-8", newline="") as file:
        steps = list(csv.DictReader(file, delimiter="\t"))
    for line in report(steps, *map(verdicts, options.judged)):
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
