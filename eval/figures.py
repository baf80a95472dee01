"""Write the figures of the README and of docs/results.md from the results: `python -m eval.figures`, or `make readme`.

`eval/figures_readme.md` and `eval/figures.md` are the parts of these pages between their markers, with a reference
wherever a figure stands:
`{risk.txt: wikiactors / strict / 3}` is a file of eval/results, anchors, and which of the numbers behind the last one.

An anchor is how a line begins, in whole words, spaces counting as one. It is looked for in what belongs to the anchor
before it: the rest of its line and the lines below that are indented more; or, where it is a heading, a line by itself,
all up to the next heading. There it must be found exactly once. After `…` it may stand anywhere in a line, and all
numbers of the line are counted.

A figure is written as it is there, with a zero before the point. `| 1` rounds it to one decimal, `| -3` to
thousands; `| 1 e2` takes a hundred times it first.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Final

from embanon.errors import DataError

ROOT: Final = Path(__file__).parents[1]
README: Final = ROOT / "README.md"
TEMPLATES: Final = {
    README: ROOT / "eval" / "figures_readme.md",
    ROOT / "docs" / "results.md": ROOT / "eval" / "figures.md",
}
"""Page -> the template of its part between the markers."""
RESULTS: Final = ROOT / "eval" / "results"
PART: Final = re.compile(r"(?<=<!-- figures: begin -->\n).*(?=<!-- figures: end -->)", re.DOTALL)
REFERENCE: Final = re.compile(r"\{([^{}]+)\}")
FORM: Final = re.compile(
    r"(?P<file>[\w.]+): (?P<anchors>.+?) / (?P<column>[1-9]\d*)(?: \| (?P<places>-?\d)(?: e(?P<power>-?\d))?)?"
)
NUMBER: Final = re.compile(r"(?<![\w.,])[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?")
ANYWHERE: Final = "… "

Line = tuple[int, str]
"""How far it is indented, and its words with one space between them; "" of an empty one."""


@dataclass(frozen=True, slots=True)
class AnchorMatch:
    """What belongs to an anchor: the numbers of its line that count, and where further anchors are looked for."""

    numbers: tuple[str, ...]
    inside: tuple[Line, ...]


def lines_of(text: str) -> tuple[Line, ...]:
    """Cut a result into lines."""
    return tuple((len(line) - len(line.lstrip()), " ".join(line.split())) for line in text.splitlines())


def look(anchor: str, lines: Sequence[Line]) -> AnchorMatch:
    """Find the one line that an anchor stands in."""
    anywhere = anchor.startswith(ANYWHERE)
    wanted = re.compile((r"(?:^|.*\s)" if anywhere else "^") + re.escape(anchor.removeprefix(ANYWHERE)) + r"(?!\S)")
    places = [place for place, (_, line) in enumerate(lines) if wanted.match(line)]
    if len(places) != 1:
        raise DataError(f"{len(places) or 'no'} lines have {anchor!r}, where one must")
    place = places[0]
    indent, line = lines[place]
    end = wanted.match(line)
    rest = line if anywhere or end is None else line[end.end() :].strip()
    return AnchorMatch(tuple(NUMBER.findall(rest)), ((indent + 1, rest), *_below(lines, place)))


def _below(lines: Sequence[Line], place: int) -> Sequence[Line]:
    """Return the lines that belong to one."""
    if _is_heading(lines, place):
        last = next((n for n in range(place + 1, len(lines)) if _is_heading(lines, n)), len(lines))
    else:
        indent = lines[place][0]
        outside = (n for n in range(place + 1, len(lines)) if lines[n][0] <= indent or not lines[n][1])
        last = next(outside, len(lines))
    return lines[place + 1 : last]


def _is_heading(lines: Sequence[Line], place: int) -> bool:
    empty = [not 0 <= near < len(lines) or not lines[near][1] for near in (place - 1, place, place + 1)]
    return empty == [True, False, True]


def figure(reference: str, results: Path = RESULTS) -> str:
    """Return the figure that a reference stands for."""
    form = FORM.fullmatch(reference)
    if not form:
        raise DataError("not of the form {file: anchor / … / column | decimals e power}")
    path = results / form["file"]
    if not path.is_file():
        raise DataError(f"there is no {form['file']} in eval/results")
    match = AnchorMatch((), lines_of(path.read_text(encoding="utf-8")))
    for anchor in form["anchors"].split(" / "):
        match = look(anchor, match.inside)
    column = int(form["column"])
    if column > len(match.numbers):
        raise DataError(f"{len(match.numbers)} numbers stand there, none is number {column}")
    value = Decimal(match.numbers[column - 1].replace(",", "")).scaleb(int(form["power"] or 0))
    return written(value, None if form["places"] is None else int(form["places"]))


def written(value: Decimal, places: int | None) -> str:
    """Write a number, rounded to some decimals; `None` leaves it as it is."""
    if places is not None:
        value = value.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
    return f"{value:,f}"


def fill(template: Path, results: Path = RESULTS) -> str:
    """Return a template with figures where it refers to them."""
    text = template.read_text(encoding="utf-8")

    def value(reference: re.Match[str]) -> str:
        try:
            return figure(reference[1], results)
        except DataError as error:
            line = text.count("\n", 0, reference.start()) + 1
            raise DataError(
                f"{template.name}, line {line}, {reference[0]}: {error}; measure again (make bench) or correct it there"
            ) from error

    return REFERENCE.sub(value, text)


def renew(page: Path, template: Path, results: Path = RESULTS) -> str:
    """Return a page with the figures of the results."""
    text = page.read_text(encoding="utf-8")
    if not PART.search(text):
        raise DataError(
            f"{page.name} has lost its lines <!-- figures: begin --> and <!-- figures: end -->: put them back"
        )
    part = fill(template, results)
    return PART.sub(lambda _: part, text)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the pages."""
    argparse.ArgumentParser(prog="python -m eval.figures", description=__doc__).parse_args(arguments)
    for page, template in TEMPLATES.items():
        page.write_text(renew(page, template), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
