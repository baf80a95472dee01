"""Compare ladders with the generalizations that people were offered and chose.

    python -m eval.ladders --data ../shared/data

Available: mentions with a rung below `***`; a bare type label (`an organization`) does not count, `PERSON n` does; and
with type labels. Agreement is over mentions with an option that generalizes: not `***`, not the phrase itself, not
empty. `chosen`: what people chose is among our labels, or another name of a concept on our ladder. `offered`: that or
another option is. Both count letters without case, article and the words "date in", which the options have before a
decade. The placeholders `DATE`, `X` and `Person 1` mean our rung of the type or person; `text` leaves them out of the
count. A mention's kind and form are those that embanon gives where it finds the same phrase with the gold's type.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from embanon.document import FORMS, TYPES
from embanon.taxonomy.climb import Climber, Rung
from embanon.taxonomy.ladders import Context
from embanon.taxonomy.store import SHIPPED, open_taxonomy
from embanon.text.analyzer import load_analyzer
from embanon.text.coreference import group_names
from embanon.text.kinds import KINDS, assign_kinds
from eval.boundaries import Span, bare, rows

PLACEHOLDER: Final = re.compile(r"DATE|X|(?:PERSON|Person) \d+|\[[^\[\]]*\]")


@dataclass(frozen=True, slots=True)
class Mention:
    """A masked mention: its phrase, its type, kind and form, what stands around it, what was offered and chosen.

    `group` is shared by the mentions of a text that mean the same.
    """

    group: tuple[int, int]
    phrase: str
    type: str
    kind: str
    form: str
    context: Context
    offered: frozenset[str]
    chosen: frozenset[str]


def comparable(option: str) -> str:
    """Return an option or a label without case, article and the words before a decade."""
    return re.sub(r"^(?:date in )?(?:(?:a|an|the) )?", "", " ".join(option.casefold().split()))


def kinds(text: str) -> dict[Span, tuple[str, str, str]]:
    """Return type, kind and form of the phrases of a text."""
    reader = load_analyzer("en")
    analyzed = reader.tag(text)
    cut = reader.cut(analyzed)
    typed = assign_kinds(analyzed.tokens, analyzed.features, cut, reader.lexicon)
    starts, ends = analyzed.tokens.start[cut.first].tolist(), analyzed.tokens.end[cut.last - 1].tolist()
    codes = zip(typed.type.tolist(), typed.kind.tolist(), typed.form.tolist(), strict=True)
    return {
        bare(text, (start, end)): (TYPES[type], KINDS[kind], FORMS[form])
        for start, end, (type, kind, form) in zip(starts, ends, codes, strict=True)
    }


def mentions(data: Path) -> Iterator[Mention]:
    """Return the masked mentions of the biographies with their ladders."""
    for number, row in enumerate(rows(data / "wikibios" / "gold.jsonl.gz")):
        known = kinds(row["text"])
        masked = [
            found
            for annotation in row["annotations"].values()
            for found in annotation["entity_mentions"]
            if found["identifier_type"] in ("DIRECT", "QUASI")
        ]
        names = [(row["text"][one["start_offset"] : one["end_offset"]], one["entity_type"]) for one in masked]
        for found, place in zip(masked, group_names(names, "en"), strict=True):
            yield mention(row["text"], found, known, (number, place))


def mention(
    text: str, found: dict[str, Any], known: dict[Span, tuple[str, str, str]], group: tuple[int, int]
) -> Mention:
    """Return one mention."""
    start, end, name = found["start_offset"], found["end_offset"], found["entity_type"]
    phrase = text[start:end]
    guess = "name" if phrase[:1].isupper() else "common"
    ours, kind, form = known.get(bare(text, (start, end)), ("", "", guess))
    replacement = found.get("replacement") or {}
    options = [option for some in (replacement.get("generalizations") or {}).values() for option in some]
    chosen = list(replacement.get("generalization_selection") or {})
    around = Context.of_line(text, start, end)
    kind = kind if ours == name else ""
    return Mention(group, phrase, name, kind, form, around, useful(options, phrase), useful(chosen, phrase))


def useful(options: Sequence[str], phrase: str) -> frozenset[str]:
    """Return the options that generalize the phrase."""
    same = comparable(phrase)
    return frozenset(option for option in options if "***" not in option and comparable(option) not in ("", same))


def ladders(found: Sequence[Mention], climber: Climber) -> list[tuple[Rung, ...]]:
    """Climb from each mention; where that says nothing, what is said of the first other mention of the same counts."""
    climbed = [climber.climb(one.phrase, one.type, one.kind, one.form, one.context).rungs for one in found]
    told: dict[tuple[tuple[int, int], str], tuple[Rung, ...]] = {}
    for one, rungs in zip(found, climbed, strict=True):
        if any(not rung.is_bare for rung in rungs):
            told.setdefault((one.group, one.type), rungs)
    return [
        rungs if any(not rung.is_bare for rung in rungs) else told.get((one.group, one.type), rungs)
        for one, rungs in zip(found, climbed, strict=True)
    ]


def names(rung: Rung, climber: Climber) -> Iterator[str]:
    """Return a rung's label, and what else its concept is called."""
    yield rung.label
    store = climber.stores.get(rung.source)
    number = store.find(rung.concept) if store and rung.concept else None
    if store and number is not None:
        yield from store.labels(number, climber.language)


def agrees(some: frozenset[str], rungs: Sequence[Rung], climber: Climber, *, placeholders: bool) -> bool:
    """Return whether one of the options is among the labels."""
    labels = {comparable(name) for rung in rungs for name in names(rung, climber)}
    typed = any(rung.kind in ("type", "person", "ordinal") for rung in rungs)
    return any(
        placeholders and typed if PLACEHOLDER.fullmatch(option) else comparable(option) in labels for option in some
    )


def share(counted: Counter[bool]) -> str:
    """Write a share and what it is of."""
    total = counted.total()
    return f"{counted[True] / total:8.3f}/{total:<5}" if total else f"{'-':>8}{'':6}"


def report(found: Sequence[Mention], climber: Climber) -> str:
    """Write a row for each type, and one for all."""
    climbed = list(zip(found, ladders(found, climber), strict=True))
    lines = [f"{'type':10}{'available':>14}{'with types':>14}{'chosen':>14}{'offered':>14}{'text':>14}"]
    for name in ("all", *TYPES):
        here = [(one, rungs) for one, rungs in climbed if name in ("all", one.type)]
        if not here:
            continue
        cells = [
            share(Counter(any(not rung.is_bare for rung in rungs) for _, rungs in here)),
            share(Counter(bool(rungs) for _, rungs in here)),
        ]
        for attribute, placeholders in (("chosen", True), ("offered", True), ("offered", False)):
            counted: Counter[bool] = Counter()
            for one, rungs in here:
                some = getattr(one, attribute) | one.chosen
                some = some if placeholders else frozenset(o for o in some if not PLACEHOLDER.fullmatch(o))
                if some:
                    counted[agrees(some, rungs, climber, placeholders=placeholders)] += 1
            cells.append(share(counted))
        lines.append(f"{name:10}" + "".join(cells))
    return "\n".join(lines)


def chains(names: Sequence[str]) -> Mapping[str, Climber]:
    """Return the whole chain, and each of its sources alone beside what is computed."""
    stores = {Path(name).name: open_taxonomy(name) for name in names}
    found = {"computed and " + ", ".join(stores): Climber(stores, "en"), "computed alone": Climber({}, "en")}
    return found | {f"computed and {name}": Climber({name: store}, "en") for name, store in stores.items()}


def main(arguments: Sequence[str] | None = None) -> int:
    """Print availability and agreement."""
    parser = argparse.ArgumentParser(prog="python -m eval.ladders", description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--stores", nargs="*", default=SHIPPED, help="taxonomies, in order")
    parser.add_argument("--show", default="", help="print the mentions of this type with their ladders")
    options = parser.parse_args(arguments)
    found = list(mentions(options.data))
    for name, climber in chains(options.stores).items():
        print(f"{name}\n\n{report(found, climber)}\n")
        for one, rungs in zip(found, ladders(found, climber), strict=True) if options.show else ():
            if one.type == options.show:
                bare = "" if any(not rung.is_bare for rung in rungs) else "BARE "
                print(
                    f"   {bare}{one.phrase!r} {[rung.label for rung in rungs]} {sorted(one.offered)[:4]}",
                    file=sys.stderr,
                )
        if options.show:
            break
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
