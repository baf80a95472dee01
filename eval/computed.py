"""Compare computed ladders with the generalizations that people were offered and chose.

    python -m eval.computed --data ../shared/data

Covered are mentions with a rung that says more than the type does. Agreement is over mentions with an option that
generalizes: not `***`, not the phrase itself, not empty. `chosen`: what people chose is among our labels. `offered`:
that or another option is. Both count letters without case, article and the words "date in", which the options have
before a decade. The placeholders `DATE`, `X` and `PERSON 1` mean our rung of the type or person; `text` leaves them
out of the count. A mention's kind is the one that embanon gives where it finds the same phrase with the gold's type,
else unknown.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from embanon.document import TYPES
from embanon.layer import layer
from embanon.taxonomy.computed import Context, Rung, ladder
from embanon.types import KINDS, assign
from eval.boundaries import Span, bare, rows

PLACEHOLDER: Final = re.compile(r"DATE|X|PERSON \d+")
NEAR: Final = 100


@dataclass(frozen=True, slots=True)
class Mention:
    """A masked mention: its phrase, its type, our ladder, what was offered and what was chosen."""

    phrase: str
    type: str
    rungs: tuple[Rung, ...]
    offered: frozenset[str]
    chosen: frozenset[str]


def comparable(option: str) -> str:
    """Give an option or a label without case, article and the words before a decade."""
    return re.sub(r"^(?:date in )?(?:(?:a|an|the) )?", "", " ".join(option.casefold().split()))


def kinds(text: str) -> dict[Span, str]:
    """Give `TYPE.kind` of the phrases of a text."""
    reader = layer("en")
    analyzed = reader.tag(text)
    cut = reader.cut(analyzed)
    typed = assign(analyzed.tokens, analyzed.found, cut, reader.lexicon)
    starts, ends = analyzed.tokens.start[cut.first].tolist(), analyzed.tokens.end[cut.last - 1].tolist()
    names = zip(typed.type.tolist(), typed.kind.tolist(), strict=True)
    return {
        bare(text, (start, end)): f"{TYPES[code]}.{KINDS[kind]}"
        for start, end, (code, kind) in zip(starts, ends, names, strict=True)
    }


def context(text: str, start: int, end: int) -> Context:
    """Give what stands around a phrase in its line."""
    before = text[max(0, start - NEAR) : start].rpartition("\n")[2]
    return Context(before, text[end : end + NEAR].partition("\n")[0])


def mentions(data: Path) -> Iterator[Mention]:
    """Give the masked mentions of the biographies with their ladders."""
    for row in rows(data / "wikibios" / "gold.jsonl.gz"):
        known = kinds(row["text"])
        for annotation in row["annotations"].values():
            for found in annotation["entity_mentions"]:
                if found["identifier_type"] in ("DIRECT", "QUASI"):
                    yield mention(row["text"], found, known)


def mention(text: str, found: dict[str, Any], known: dict[Span, str]) -> Mention:
    """Compute the ladder of one mention."""
    start, end, name = found["start_offset"], found["end_offset"], found["entity_type"]
    ours, _, kind = known.get(bare(text, (start, end)), "").partition(".")
    phrase = text[start:end]
    rungs = ladder(phrase, name, kind if ours == name else "", "en", context(text, start, end))
    replacement = found.get("replacement") or {}
    options = [option for some in (replacement.get("generalizations") or {}).values() for option in some]
    chosen = list(replacement.get("generalization_selection") or {})
    return Mention(phrase, name, rungs, useful(options, phrase), useful(chosen, phrase))


def useful(options: Sequence[str], phrase: str) -> frozenset[str]:
    """Give the options that generalize the phrase."""
    same = comparable(phrase)
    return frozenset(option for option in options if "***" not in option and comparable(option) not in ("", same))


def agrees(some: frozenset[str], rungs: Sequence[Rung], *, placeholders: bool) -> bool:
    """Say that one of the options is among the labels."""
    labels = {comparable(rung.label) for rung in rungs}
    typed = any(rung.kind in ("type", "person") for rung in rungs)
    return any(
        placeholders and typed if PLACEHOLDER.fullmatch(option) else comparable(option) in labels for option in some
    )


def report(found: Sequence[Mention]) -> str:
    """Write a row for each type."""
    lines = [f"{'type':10}{'mentions':>9}{'covered':>9}{'chosen':>14}{'offered':>14}{'text':>14}"]
    for name in TYPES:
        here = [one for one in found if one.type == name]
        if not here:
            continue
        covered = sum(any(rung.kind not in ("type", "person") for rung in one.rungs) for one in here)
        cells = [f"{name:10}{len(here):9}{covered / len(here):9.3f}"]
        for attribute, placeholders in (("chosen", True), ("offered", True), ("offered", False)):
            counted: Counter[bool] = Counter()
            for one in here:
                some = getattr(one, attribute) | one.chosen
                some = some if placeholders else frozenset(o for o in some if not PLACEHOLDER.fullmatch(o))
                if some:
                    counted[agrees(some, one.rungs, placeholders=placeholders)] += 1
            total = counted.total()
            cells.append(f"{counted[True] / total:8.3f}/{total:<5}" if total else f"{'-':>8}{'':6}")
        lines.append("".join(cells))
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print coverage and agreement."""
    parser = argparse.ArgumentParser(prog="python -m eval.computed", description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--show", default="", help="print the mentions of this type that disagree")
    options = parser.parse_args(arguments)
    found = list(mentions(options.data))
    print(report(found))
    for one in found:
        wrong = one.offered | one.chosen and not agrees(one.offered | one.chosen, one.rungs, placeholders=True)
        if one.type == options.show and wrong:
            labels = [rung.label for rung in one.rungs]
            print(f"   {one.phrase!r} {labels} {sorted(one.offered)[:4]}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
