"""Whom a document is about: the patient and not the doctor, the applicant and not the judge, as learnt from documents.

Everybody whom a text names is a candidate. What is seen of each (words beside its names, where they stand, how many
they are) is weighed, and candidates compete: a score is the probability that the document is about this one rather than
about the others. `python -m embeddings.build.about` learns the weights.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from embanon.data import read_toml
from embanon.document import Phrases
from embanon.entities.candidates import Candidate, find_candidates
from embanon.entities.cues import Layout, candidate_features, class_pattern
from embanon.entities.entity import Entity
from embanon.entities.folding import fold_text
from embanon.entities.words import Span
from embanon.language import Cue, Lexicon

RUNNER_UP_SHARE: Final = 0.25
"""The share of the highest score from which a text is about another one as well."""
ALIAS_REACH: Final = 45
"""Characters behind a name in which another name of the same one may be given."""
QUOTED_NAME: Final = re.compile(r"^[\s,(]{0,3}[\"“„«‘']([^\W\d_][\w'’-]{1,20}(?: [^\W\d_][\w'’-]{1,20})?)[\"”“»’']")
INNER_QUOTED_NAME: Final = re.compile(r"[\"“„«‘]([^\W\d_][\w'’-]{1,20})[\"”“»’]")
NAME_AFTER: Final = re.compile(
    r"\W{1,3}(?:(?:as|als|como|por|is|de|o|a|el|la|name|war)\W{1,2}){0,2}([^\W\d_][\w'’-]+(?: [^\W\d_][\w'’-]+)?)"
)
"""The name behind a word such as alias."""
WORD_BEFORE: Final = re.compile(r"([^\W\d_][\w-]*)[ \"“„«]{1,2}$")
MAX_SEARCHED: Final = 20
"""Of how many of the likeliest a text is searched for other names."""
MAX_ACRONYM: Final = 4
"""Letters of initials that may name a person: J. R. R. T."""


@dataclass(frozen=True, slots=True)
class ProposedEntity:
    """One whom a document may be about, with how likely that is."""

    entity: Entity
    score: float
    spans: tuple[Span, ...]
    proposed: bool
    """Whether it is the likeliest, or nearly so; others are only mentioned."""


def propose_entities(text: str, phrases: Phrases, language: str) -> list[ProposedEntity]:
    """Return whom a text may be about, the likeliest first."""
    layout = Layout.from_text(text, language)
    candidates = find_candidates(text, phrases, language)
    scores = score_candidates(candidate_features(layout, candidates, phrases, language))
    ranked = sorted(zip(scores, candidates, strict=True), key=lambda row: (-row[0], row[1].spans[0]))
    proposals, known = list[ProposedEntity](), set[str]()
    for rank, (score, candidate) in enumerate(ranked):
        entity = _entity_of(layout, candidate, language, searched=rank < MAX_SEARCHED)
        if fold_text(entity.name) in known:  # an alias of one before it
            continue
        known.update(map(fold_text, entity.aliases))
        proposed = score >= RUNNER_UP_SHARE * ranked[0][0]
        proposals.append(ProposedEntity(entity, score, candidate.spans, proposed))
    return proposals


def score_candidates(rows: Sequence[Mapping[str, float]]) -> list[float]:
    """Return how likely a text is about each candidate, by what is seen of them; the sum is one."""
    weights: Mapping[str, float] = read_toml("embeddings", "about", "weights.toml")["weights"]
    sums = [sum(weights.get(name, 0.0) * value for name, value in row.items()) for row in rows]
    shares = [math.exp(value - max(sums)) for value in sums]
    return [share / sum(shares) for share in shares]


def _entity_of(layout: Layout, candidate: Candidate, language: str, *, searched: bool) -> Entity:
    """Return a candidate as an entity to protect: its fullest name, and what else it is called."""
    names = [name for name in candidate.names if any(map(str.isalnum, name))]
    names = names or [" ".join(layout.text[slice(*candidate.spans[0])].split())]
    if projects := list(dict.fromkeys(_project_names(layout, candidate))):
        return Entity(names[0], tuple(dict.fromkeys((*names[1:], *projects))), "MISC")
    if candidate.type == "PERSON":
        names = _person_names(names, language)
        if searched:
            names = list(dict.fromkeys((*names, *_aliases(layout, candidate, names[0]))))
    return Entity(names[0], tuple(names[1:]), candidate.type)


def _project_names(layout: Layout, candidate: Candidate) -> Iterator[str]:
    """Return the names of what is called a project wherever it is named by one word: Project Heron."""
    if any(" " in name for name in candidate.names) or not (projects := class_pattern("project", layout.language)):
        return
    for start, end in candidate.spans:
        word = WORD_BEFORE.search(layout.text, max(start - ALIAS_REACH, 0), start)
        if word and word[1][0].isupper() and projects.fullmatch(layout.low, word.start(1), word.end(1)):
            yield f"{word[1]} {layout.text[start:end]}"


def _person_names(written: Sequence[str], language: str) -> list[str]:
    """Return the names of a person without titles, the fullest first, as written and in their usual order."""
    lexicon = Lexicon.load(language)
    names = [plain for name in written if (plain := _without_title(name, lexicon))] or written
    usual = [_usual_order(name) for name in names]
    ordered = sorted(dict.fromkeys((*usual, *names)), key=_fullness)
    return [ordered[0], *(name for name in ordered[1:] if len(name.strip(".")) > 1 and not name.islower())]


def _usual_order(name: str) -> str:
    """Return a name without a nickname in quotes, and with its given names first: Berger, Ada is Ada Berger."""
    surname, comma, given = INNER_QUOTED_NAME.sub("", name).partition(",")
    return " ".join(f"{given} {surname}".split()) if comma and given.strip() else " ".join(surname.split())


def _fullness(name: str) -> tuple[bool, int, int, str]:
    """Return what orders names: the usual ones, the fullest, the longest first."""
    return bool(set(name) & set(',"“„«‘(')), -_full_words(name), -len(name), name


def _full_words(name: str) -> int:
    """Return how many words of a name are no initials."""
    return sum(len(word.rstrip(".")) > 1 for word in name.split())


def _without_title(name: str, lexicon: Lexicon) -> str:
    """Return a name without the titles before it."""
    words = name.split()
    while len(words) > 1 and lexicon.flags(words[0]) & Cue.TITLE:
        words = words[1:]
    return " ".join(words).rstrip(",;:")


def _aliases(layout: Layout, candidate: Candidate, name: str) -> Iterator[str]:
    """Return what else a person is called: nicknames in quotation marks, names of birth, initials."""
    known_as = class_pattern("known_as", layout.language)
    for start, end in candidate.spans:
        line = layout.line_at(start)
        if match := INNER_QUOTED_NAME.search(layout.text, start, end):
            yield match[1]
        behind = layout.text[end : min(end + ALIAS_REACH, line[1])]
        if match := QUOTED_NAME.match(behind):
            yield match[1]
        if known_as and (word := known_as.search(layout.low, end, end + len(behind))):
            between = layout.text[end : word.start()]
            after = NAME_AFTER.match(layout.text, word.end(), line[1])
            if not re.search(r"[.;!?]\s", between) and after and after[1][0].isupper():
                yield after[1]
    yield from _initials(layout.text, name)


def _initials(text: str, name: str) -> Iterator[str]:
    """Return how a text writes the initials of a full name: with points, or between brackets."""
    letters = [word[0] for word in re.findall(r"[^\W\d_][\w'’-]*", name) if word[0].isupper()]
    if not 2 <= len(letters) <= MAX_ACRONYM:
        return
    spaced = r"\. ?".join(map(re.escape, letters)) + r"\."
    joined = rf"(?<=[(\[/]){''.join(map(re.escape, letters))}(?=[)\]/])"
    for match in re.finditer(rf"(?<![\w.]){spaced}|{joined}", text):
        if not text[match.end() : match.end() + 2].strip()[:1].isupper():  # else of a longer name: A. B. Smith
            yield match[0]
