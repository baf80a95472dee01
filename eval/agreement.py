"""Compare what stands in anonymized texts with what people chose instead of the same words.

    python -m eval.agreement --data ../shared/data

The masked mentions of the biographies (wikibios) for which people chose a generalization: not `***`, not the phrase
itself, not empty. *Ours*: texts as the command gives them, standard limit; a mention that no edit touches disagrees,
and `masked` is the share that one does. *People's masks*: their mentions are given as the phrases to mask, so only the
choice of the replacement is measured. Compared are letters without case, article, number behind a label and the words
"date in", as in eval.ladders. `X`, `DATE` and `PERSON n` are placeholders, and agree with what says no more than the
type: a tag, a bare type, a person, an ordinal, for `X` also "several". *Label*: the same label, or another name of its
concept in our taxonomies. *Noun*: the last word before any preposition is the same (a football club, an association
football club). *Offered*: the same label as any that people were offered. The floor says `PERSON n` for persons, `date
in the Ns` for a time with a year, `X` for numbers, nothing else.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from embanon.document import FORMS, TYPES, Phrases
from embanon.entities.entity import Entity
from embanon.entities.present import group_phrases
from embanon.language.lemmas import Lemmatizer
from embanon.model.model import Model
from embanon.replace.edit import Edit
from embanon.replace.grammar.english import POSTMODIFIER
from embanon.replace.plan import Replacer
from embanon.risk.spans import add_spans
from embanon.taxonomy.climb import Climber
from eval.boundaries import bare, rows
from eval.ladders import PLACEHOLDER, comparable, useful
from eval.published import STANDARD, Case, Published, annotated, masker, scored, trained
from eval.speed import machine

TOLD: Final = ("ORG", "LOC", "MISC", "DEM")
"""The types that rules alone say nothing of."""
PLACED: Final = ("tag", "type", "person", "ordinal", "suppress", "several")
NUMBERED: Final = re.compile(r" \[\d+\]$")
BEFORE: Final = re.compile(r"^(?:on|in|at) ", re.IGNORECASE)
FROM: Final = re.compile(r" (?:from|of) ")
YEAR: Final = re.compile(r"\b(1[0-9]|20)(\d)\d\b")


@dataclass(frozen=True, slots=True)
class Mention:
    """A masked mention, with what people were offered, and what they chose."""

    start: int
    end: int
    phrase: str = field(repr=False)
    type: str
    offered: frozenset[str] = field(repr=False)
    chosen: frozenset[str] = field(repr=False)


def mentions(row: dict[str, Any]) -> Iterator[Mention]:
    """Return the mentions of a text that are to be masked."""
    for annotation in row["annotations"].values():
        for found in annotation["entity_mentions"]:
            if found["identifier_type"] not in ("DIRECT", "QUASI"):
                continue
            start, end = found["start_offset"], found["end_offset"]
            phrase, replacement = row["text"][start:end], found.get("replacement") or {}
            offered = [option for some in (replacement.get("generalizations") or {}).values() for option in some]
            chosen = list(replacement.get("generalization_selection") or {})
            yield Mention(start, end, phrase, found["entity_type"], useful(offered, phrase), useful(chosen, phrase))


def with_mentions(case: Case, found: Sequence[Mention]) -> Case:
    """Return a case in which the mentions are the phrases to mask, and no others."""
    text, scored = case.text, case.scored
    phrases = scored.phrases
    own = {bare(text, (one.start, one.end)): one.type for one in phrases}
    added = [one for one in found if own.get(bare(text, (one.start, one.end))) != one.type]
    clear = np.ones(len(phrases), bool)
    for one in added:
        clear[(phrases.start < one.end) & (phrases.end > one.start)] = False
    whole = add_spans(phrases.select(clear), [(one.start, one.end, one.type) for one in added])
    lower = np.array([text[start].islower() for start in whole.start.tolist()], bool)
    new = ~np.isin(whole.start, phrases.start[clear])
    form = np.where(new & lower, FORMS.index("common"), whole.form).astype(np.uint8)
    kind = np.where(new, len(whole.kinds), whole.kind)  # nobody says of which kind they are
    whole = replace(whole, form=form, kind=kind, kinds=(*whole.kinds, ""))
    risk = np.array([any(one.start < end and start < one.end for one in found) for start, end in bounds(whole)], float)
    named = risk > 0
    owner = np.where(named, 0, -1)
    people = tuple(replace(one, phrases=()) for one in scored.people)
    _, groups = group_phrases(text, whole, people, [Entity(case.name)], np.full(len(whole), -1), "en")
    scored = replace(scored, phrases=whole, risk=risk, named=named, owner=owner, people=people, groups=groups)
    return replace(case, scored=scored)


def bounds(phrases: Phrases) -> list[tuple[int, int]]:
    """Return where phrases start and end."""
    return list(zip(phrases.start.tolist(), phrases.end.tolist(), strict=True))


@dataclass(frozen=True, slots=True)
class Said:
    """What stands instead of a mention."""

    label: str = field(repr=False)
    rung: str
    names: frozenset[str] = field(repr=False)


NOTHING: Final = Said("", "", frozenset())


def said(one: Mention, published: Published, climber: Climber) -> Said:
    """Return the replacement of the widest edit over a mention."""
    over = [edit for edit in published.edits if edit.start < one.end and one.start < edit.end]
    if not over:
        return NOTHING
    edit = max(over, key=lambda edit: min(edit.end, one.end) - max(edit.start, one.start))
    label = comparable(BEFORE.sub("", NUMBERED.sub("", edit.replacement)))
    names = {label, *named(label, edit, climber)}
    if edit.end - edit.start > one.end - one.start:  # Total Recall (1990): a work from the 1990s
        names |= set(map(comparable, FROM.split(label)))
    return Said(label, edit.rung, frozenset(names))


def named(label: str, edit: Edit, climber: Climber) -> Iterator[str]:
    """Return the other names of the concepts that have a label."""
    if edit.rung in PLACED or not label:
        return
    for store in climber.stores.values():
        for sense in store.senses(label, "en"):
            if comparable(store.label(sense.concept, "en") or "") == label:
                yield from map(comparable, store.labels(sense.concept, "en"))


def floor(one: Mention) -> Said:
    """Follow the three rules."""
    if one.type == "PERSON":
        return Said("", "person", frozenset())
    if one.type == "DATETIME" and (found := YEAR.search(one.phrase)):
        label = f"{found[1]}{found[2]}0s"
        return Said(label, "decade", frozenset((label,)))
    return Said("", "tag", frozenset()) if one.type == "QUANTITY" else NOTHING


def same_label(said: Said, options: frozenset[str]) -> bool:
    """Return whether one of the options is the label."""
    return any(_is_placed(said, option) or comparable(option) in said.names for option in options)


def _is_placed(said: Said, option: str) -> bool:
    """Return whether an option is a placeholder, and that no more stands there; for a person one that says so."""
    if not PLACEHOLDER.fullmatch(option):
        return False
    return said.rung in PLACED and (not option.startswith("PERSON") or said.rung == "person" or "person" in said.label)


def same_noun(said: Said, options: frozenset[str]) -> bool:
    """Return whether one of the options has the noun of the label."""
    return same_label(said, options) or bool(said.label and noun(said.label) in map(noun, map(comparable, options)))


def noun(label: str) -> str:
    """Return the last word before any preposition, in the singular."""
    words = POSTMODIFIER.split(f"{label} ")[0].split() or [""]
    return Lemmatizer.load("en").lemma(words[-1])


Judge = Callable[[Said, frozenset[str]], bool]


def row(name: str, found: Sequence[tuple[Mention, Said]]) -> str:
    """Write the shares of a type."""
    here = [(one, said) for one, said in found if one.type in ((name,) if name in TYPES else TOLD + REST[name])]
    if not here:
        return ""
    touched = sum(said is not NOTHING for _, said in here) / len(here)
    cells = [
        sum(judge(said, getattr(one, options)) for one, said in here) / len(here)
        for judge, options in ((same_label, "chosen"), (same_noun, "chosen"), (same_label, "offered"))
    ]
    return f"   {name:18}{len(here):6}{touched:9.3f}" + "".join(f"{cell:9.3f}" for cell in cells)


REST: Final[dict[str, tuple[str, ...]]] = {"all": TYPES, "four together": ()}


def report(data: Path, model: Model, show: str) -> Iterator[str]:
    """Return the tables."""
    one: Replacer = masker(model, STANDARD)
    cases = list(scored(annotated(data, "wikibios"), model))
    every = [list(mentions(row)) for row in rows(data / "wikibios" / "gold.jsonl.gz")]
    ways: dict[str, list[tuple[Mention, Said]]] = {"ours": [], "people's masks": [], "floor": []}
    for case, found in zip(cases, every, strict=True):
        told = {"ours": case.published(one), "people's masks": with_mentions(case, found).published(one)}
        for mention in found:
            if mention.chosen:
                ways["floor"].append((mention, floor(mention)))
                for name, published in told.items():
                    ways[name].append((mention, said(mention, published, one.climber)))
    for name, pairs in ways.items():
        yield f"{name:21}{'':6}{'masked':>9}{'label':>9}{'noun':>9}{'offered':>9}"
        for type in ("all", "four together", *TYPES):
            if line := row(type, pairs):
                yield line
        yield ""
    for mention, here in ways[show] if show else ():
        agrees = "=" if same_label(here, mention.chosen) else "~" if same_noun(here, mention.chosen) else " "
        print(agrees, mention.type, repr(mention.phrase), sorted(mention.chosen), "->", here.label, here.rung,
              file=sys.stderr)  # fmt: skip
    yield "bars: four together .45, all .72, each by its label"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m eval.agreement", description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--show", default="", help="print the pairs of one table to standard error")
    options = parser.parse_args(arguments)
    print(f"{machine(('numpy',))}\n")
    with tempfile.TemporaryDirectory() as folder:
        for line in report(options.data, trained(options.data, Path(folder)), options.show):
            print(line, flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
