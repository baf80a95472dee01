"""Judge whether what stands in anonymized texts is true: a sample of replacements to be read, and what was found.

    python -m eval.replaced sample --data ../shared/data --out FOLDER
    python -m eval.replaced report FOLDER/judged-1.tsv [FOLDER/judged-2.tsv]

`sample` masks the biographies (wikibios) and the actors (wikiactors) as the command does, with generalization and the
standard limit, and draws edits at random: tags, bare types and `PERSON n` as well, as they say of which type something
is. `replaced.tsv` has the text around each, before and after, for the judges alone; each judge writes `number`, a
tab, and `true`, `false` or `unclear`, and, if he likes, a tab and `grammar` where the sentence became wrong by it. A
replacement is false if it says something of the original that is not so: a film is no organization, and two people
are not one. The report names edits by text and offset, without their words.
"""

from __future__ import annotations

import argparse
import csv
import random
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from embanon.document import TYPES
from embanon.model.model import Model
from eval.published import Published, annotated, is_general, masked, scored, trained
from eval.truth import VERDICTS, agreement, verdicts, where

DRAWN: Final = {"wikibios": 300, "wikiactors": 300}
NEAR: Final = 90
COLUMNS: Final = ("number", "set", "text", "start", "end", "type", "rung", "says", "before", "after")
GRAMMAR: Final = "grammar"


def sample(data: Path, model: Model, seed: int) -> Iterator[dict[str, Any]]:
    """Draw edits."""
    chance, numbered = random.Random(seed), 0
    for name, drawn in DRAWN.items():
        found = masked(scored(annotated(data, name), model), model)
        every = [(text, place) for text, one in enumerate(found) for place in range(len(one.edits))]
        for text, place in sorted(chance.sample(every, drawn)):
            numbered += 1
            yield {"number": numbered, "set": name, "text": text, **shown(found[text], name, text, place)}


def shown(one: Published, name: str, text: int, place: int) -> dict[str, Any]:
    """Return an edit with what stands around it."""
    edit = one.edits[place]
    at = edit.start + sum(len(some.replacement) - (some.end - some.start) for some in one.edits[:place])
    to = at + len(edit.replacement)
    after = f"{one.after[max(0, at - NEAR) : at]}[[{one.after[at:to]}]]{one.after[to : to + NEAR]}"
    return {
        "start": edit.start, "end": edit.end, "type": edit.type, "rung": edit.rung,
        "says": "more" if is_general(edit) and edit.rung != "person" else "type",
        "before": where(name, text, one.case.text, edit.start, edit.end).around, "after": " ".join(after.split()),
    }  # fmt: skip


def faulty(path: Path) -> set[int]:
    """Read which sentences a judge found wrong."""
    lines = csv.reader(path.read_text("utf-8").splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
    return {int(row[0]) for row in lines if row and row[0].isdecimal() and GRAMMAR in row[2:]}


def report(steps: Sequence[dict[str, str]], judges: Sequence[tuple[dict[int, str], set[int]]]) -> Iterator[str]:
    """Write the shares and the list."""
    judged = [step for step in steps if all(int(step["number"]) in found for found, _ in judges)]
    yield f"{len(judged)} replacements, judges: {len(judges)} (bar: true .97)"
    if len(judges) == 2:
        pairs = [(judges[0][0][int(step["number"])], judges[1][0][int(step["number"])]) for step in judged]
        yield f"Cohen's kappa {agreement(pairs):.2f}"
    numbers = range(1, len(judges) + 1)
    yield f"\n{'':24}{'edits':>6}" + "".join(
        f"{f'true, {n}':>10}{f'false, {n}':>10}{f'unclear, {n}':>12}{f'grammar, {n}':>12}" for n in numbers
    )
    groups = {"all": "", "says more than the type": "more", "says the type": "type"}
    for name in (*groups, *DRAWN, *TYPES, *sorted({step["rung"] for step in judged})):
        of = groups.get(name, name)
        here = [step for step in judged if of in ("", step["says"], step["set"], step["type"], step["rung"])]
        if name == "type":
            here = [step for step in here if step["rung"] == name]
        if here:
            yield f"{name:24}{len(here):6}" + "".join(cells(here, *one) for one in judges)
    yield "\n" + "\t".join((*COLUMNS[1:8], *(f"judge {n}" for n in numbers)))
    for step in judged:
        number = int(step["number"])
        said = [found[number] + (f", {GRAMMAR}" if number in wrong else "") for found, wrong in judges]
        yield "\t".join((*(step[name] for name in COLUMNS[1:8]), *said))


def cells(here: Sequence[dict[str, str]], found: dict[int, str], wrong: set[int]) -> str:
    """Write the shares of one judge."""
    numbers = [int(step["number"]) for step in here]
    shares = [sum(found[number] == verdict for number in numbers) / len(numbers) for verdict in VERDICTS]
    grammar = sum(number in wrong for number in numbers) / len(numbers)
    return f"{shares[0]:10.3f}{shares[1]:10.3f}{shares[2]:12.3f}{grammar:12.3f}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw a sample, or report what judges wrote of it."""
    parser = argparse.ArgumentParser(prog="python -m eval.replaced", description=__doc__)
    parser.add_argument("action", choices=("sample", "report"))
    parser.add_argument("judged", nargs="*", type=Path)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--seed", type=int, default=6)
    parser.add_argument("--out", type=Path, help="the folder of replaced.tsv")
    options = parser.parse_args(arguments)
    if options.action == "sample":
        if options.out is None:
            parser.error("sample needs --out FOLDER, which is no part of the project: it holds texts")
        options.out.mkdir(parents=True, exist_ok=True)
        with (
            tempfile.TemporaryDirectory() as folder,
            (options.out / "replaced.tsv").open("w", encoding="utf-8", newline="") as file,
        ):
            writer = csv.DictWriter(file, COLUMNS, delimiter="\t")
            writer.writeheader()
            writer.writerows(sample(options.data, trained(options.data, Path(folder)), options.seed))
        return 0
    if len(options.judged) not in (1, 2):
        parser.error("report needs the file of one judge, or of two")
    with (options.judged[0].parent / "replaced.tsv").open(encoding="utf-8", newline="") as file:
        steps = list(csv.DictReader(file, delimiter="\t"))
    for line in report(steps, [(verdicts(path), faulty(path)) for path in options.judged]):
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
