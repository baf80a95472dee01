"""Measure what authors disclose of themselves: `python -m eval.authors --data ../shared/data`.

Sixteen of the letters are mails, complaints, posts, interviews and family letters whose author is the one that the
gold is about: what identifies them, directly or not, is theirs, what identifies somebody else (OTHER) is not.
*Recall*: of the things that the author says of themself in the gold, those that are found; *precision*: of the things
that are found, those that the gold has. Both are means over authors, with an interval of resampled authors. *Found*:
things found, to an author; *others*: those of them that are somebody else's.

*One by one*: what an author wrote, in one text, or in the turns of a chat among those of others. *Split*: what an
author wrote in three mails, in each of which a paragraph of another author is quoted, with who wrote it and when.

*About others*: letters by doctors, judges, social workers and so on about somebody: all things of that one that are
counted for whoever writes are wrong.

Floors: every phrase that identifies, whoever it speaks of, in all of the text; the same in sentences in the first
person.

`--fit` learns whom phrases speak of from the letters to train, and prints the weights.
"""

from __future__ import annotations

import json
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np

from embanon.config import Config
from embanon.document import Document
from embanon.entities import Entity, Layout, class_pattern, fold_text
from embanon.leak.exposure.authored import Author, AuthoredText
from embanon.leak.exposure.measure import LEAST_RISK, measure_exposure
from embanon.leak.exposure.ownership import FEATURES, gather_evidence
from embanon.leak.exposure.quotes import split_text
from embanon.measure.annotations import DIRECT, QUASI
from embanon.risk import Scorer
from embanon.text import find_all, with_repeats
from eval.boundaries import rows
from eval.letters import OTHER, Letter
from eval.printing import print_tables

UNTIL: Final = {
    "de-01-grievance": "", "en-01-grievance": "", "es-01-rrhh-queja": "", "pt-01-grievance": "-----Mensagem",
    "de-13-reklamation": "- - - -", "en-13-stove-complaint": "----- Reply", "es-13-reclamacion-sillon": "--------",
    "pt-13-reclamacao": "-- RESPOSTA", "es-23-carta-herencia": "", "pt-23-carta-asilo": "",
}  # fmt: skip
"""Letters -> where what others wrote begins."""
TURNS: Final = {
    "de-21-forum": (r"^(\w+)(?: ·[^\n]*|:)", "moselmaus_87"), "es-21-foro-salud": (r"^(\w+) ·[^\n]*", "xuxo_77"),
    "pt-21-forum": (r"^(?:por|re:) (\w+) »[^\n]*", "mafaldinha_91"), "en-19-oral-history": (r"^(MT|JF):", "MT"),
    "es-19-entrevista-jornalera": (r"^(E|R):", "R"), "pt-19-entrevista": (r"^(E|A):", "A"),
}  # fmt: skip
"""Posts and interviews -> what stands before a turn, and who the author is."""
PARTS: Final = 3
SAMPLES: Final = 2_000
INTRODUCTIONS: Final = {
    "de": "Am 14.03.2023 um 21:47 schrieb {}:", "en": "On 14 March 2023 at 21:47, {} wrote:",
    "es": "El 14 de marzo de 2023, 21:47, {} escribió:", "pt": "Em 14 de março de 2023 às 21:47, {} escreveu:",
}  # fmt: skip
ADDRESS: Final = "{}@mail.example"


@dataclass(frozen=True, slots=True)
class Piece:
    """A text of an author, and where it stands in the letter; what is behind its end is another's."""

    id: str
    author: Author = field(repr=False)
    text: str = field(repr=False)
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Written:
    """A letter with what its author wrote of it."""

    letter: Letter
    author: Author = field(repr=False)
    pieces: tuple[Piece, ...]

    def gold(self) -> dict[str, list[tuple[int, int]]]:
        """Return the places of each thing that the author says of themself."""
        places = defaultdict[str, list[tuple[int, int]]](list)
        for one in self.letter.those(DIRECT, QUASI):
            if any(piece.start <= one.start and one.end <= piece.end for piece in self.pieces):
                places[str(one.entity)].append((one.start, one.end))
        return dict(places)


Found = Callable[[Sequence[AuthoredText]], dict[str, list[list[tuple[str, int, int]]]]]
"""Returns for each author the places of each thing that is found."""


def by_turns(letter: Letter, pattern: str, author: str, who: Author) -> Iterator[Piece]:
    """Yield the turns of a conversation."""
    starts = [*re.finditer(pattern, letter.text, re.MULTILINE)]
    for number, match in enumerate(starts):
        end = starts[number + 1].start() if number + 1 < len(starts) else len(letter.text)
        speaker = who if match[1] == author else Author(match[1].lower(), (match[1],))
        yield Piece(f"{letter.id}:{number}", speaker, letter.text[match.end() : end], match.end(), end)


def read_written(data: Path) -> list[Written]:
    """Return the letters of authors."""
    written = []
    for row in rows(data / "letters" / "dev.jsonl.gz"):
        letter = Letter.from_row(row)
        if letter.id not in UNTIL and letter.id not in TURNS:
            continue
        person = letter.protected[0]
        who = Author(ADDRESS.format(letter.id), person.names)
        if letter.id in UNTIL:
            marker = UNTIL[letter.id]
            end = letter.text.index(marker) if marker else len(letter.text)
            pieces = [Piece(letter.id, who, letter.text[:end], 0, end)]
        else:
            pieces = list(by_turns(letter, *TURNS[letter.id], who))
        written.append(Written(letter, who, tuple(pieces)))
    return written


def split(written: Written, other: Written) -> Written:
    """Return a letter in several mails, each of which quotes another author."""
    own = [piece for piece in written.pieces if piece.author == written.author]
    cuts = [
        (piece.start + match.start(), piece) for piece in own for match in re.finditer(r"(?<=\n)(?=\S)", piece.text)
    ]
    stretches = list[tuple[int, int]]()
    for piece in own:
        inside = [place for place, one in cuts if one is piece]
        bounds = [piece.start, *(inside[len(inside) * n // PARTS] for n in range(1, PARTS) if inside), piece.end]
        bounds = sorted(set(bounds)) if len(own) == 1 else [piece.start, piece.end]
        stretches += pairwise(bounds)
    quoted = [
        part
        for piece in other.pieces
        if piece.author == other.author
        for part in piece.text.split("\n\n")
        if part.strip()
    ]
    introduction = INTRODUCTIONS[written.letter.language].format(f"{other.author.names[0]} <{other.author.key}>")
    pieces = []
    for number, (start, end) in enumerate(stretches):
        lines = quoted[number % len(quoted)].strip("\n").split("\n")
        text = "\n".join(
            [written.letter.text[start:end].rstrip("\n"), "", introduction, *(f"> {line}" for line in lines)]
        )
        kept = len(written.letter.text[start:end].rstrip("\n"))
        pieces.append(Piece(f"{written.letter.id}:{number}", written.author, text, start, start + kept))
    return Written(written.letter, written.author, tuple(pieces))


def found_by_embanon(texts: Sequence[AuthoredText]) -> dict[str, list[list[tuple[str, int, int]]]]:
    """Return what embanon finds."""
    return {
        one.author.key: [[(at.document, at.start, at.end) for at in disclosed.places] for disclosed in one.ranked()]
        for one in measure_exposure(texts, Config())
    }  # fmt: skip


def floor(*, first_person: bool) -> Found:
    """Return what counts every phrase that identifies for the author."""

    def find(texts: Sequence[AuthoredText]) -> dict[str, list[list[tuple[str, int, int]]]]:
        every: dict[str, dict[str, list[tuple[str, int, int]]]] = defaultdict(lambda: defaultdict(list))
        for text, (analysis, scored) in zip(texts, _scored(texts), strict=True):
            assert text.author
            words, ends = analysis.document.text, [*analysis.sentences[1:].tolist(), len(analysis.document.text)]
            pattern = class_pattern("first_person", analysis.language)
            risk = np.where(scored.named, 1.0, np.nan_to_num(scored.measured.risk, nan=1.0))
            for place in np.flatnonzero(risk >= LEAST_RISK).tolist():
                phrase = scored.phrases[place]
                number = int(np.searchsorted(analysis.sentences, phrase.start, side="right")) - 1
                sentence = fold_text(words[int(analysis.sentences[number]) : ends[number]])
                if first_person and not (pattern and pattern.search(sentence)):
                    continue
                key = fold_text(words[phrase.start : phrase.end])
                every[text.author.key][key].append((analysis.document.id, phrase.start, phrase.end))
        return {author: list(things.values()) for author, things in every.items()}

    return find


def _scored(texts: Iterable[AuthoredText]) -> Iterator[Any]:
    config, scorers = Config(), dict[str, Scorer]()
    for text, analysis in zip(texts, find_all([one.document for one in texts], config=config), strict=True):
        phrases = with_repeats(analysis.document.text, analysis.phrases, analysis.language)
        settings = replace(config.score, others="keep")
        scorer = scorers.setdefault(analysis.language, Scorer(analysis.language, None, settings))
        author = text.author
        assert author
        names = author.names or (author.key,)
        entity = Entity(names[0], names[1:])
        yield analysis, scorer.score(analysis.document.text, phrases, analysis.sentences, [entity])


METHODS: Final[dict[str, Found]] = {
    "floor: every phrase": floor(first_person=False), "floor: first person": floor(first_person=True),
    "embanon leak exposure": found_by_embanon,
}  # fmt: skip


def measure(written: Sequence[Written], find: Found) -> list[tuple[float, float, int, int]]:
    """Return recall, precision, things found and things of others, of each author."""
    texts = [
        AuthoredText(Document(piece.id, piece.text, one.letter.language), piece.author)
        for one in written for piece in one.pieces
    ]  # fmt: skip
    found, measured = find(texts), []
    for one in written:
        gold, pieces = one.gold(), {piece.id: piece for piece in one.pieces}
        mentions = [(entity, *span) for entity, spans in gold.items() for span in spans]
        others = [(mention.start, mention.end) for mention in one.letter.those(OTHER)]
        hit, true, wrong = set[str](), 0, 0
        things = found.get(one.author.key, [])
        for places in things:
            spans = [(pieces[id].start + start, pieces[id].start + end, pieces[id]) for id, start, end in places]
            own = [span for span in spans if span[0] < span[2].end]
            touched = {entity for entity, start, end in mentions for low, high, _ in own if low < end and start < high}
            hit |= touched
            true += bool(touched)
            wrong += not touched and (
                not own or any(low < end and start < high for start, end in others for low, high, _ in own)
            )
        measured.append((len(hit) / len(gold), true / max(len(things), 1), len(things), wrong))
    return measured


def table(title: str, written: Sequence[Written]) -> Iterator[str]:
    """Return the lines of a table."""
    yield f"{title}: {len(written)} authors, {sum(len(one.gold()) for one in written)} things"
    yield f"{'':26}{'recall':>8}{'interval':>14}{'precision':>11}{'interval':>14}{'F1':>7}{'found':>8}{'others':>8}"
    chance = np.random.default_rng(1)
    drawn = chance.integers(0, len(written), (SAMPLES, len(written)))
    for name, find in METHODS.items():
        measured = np.array(measure(written, find))
        means = measured.mean(axis=0)
        low, high = np.quantile(measured[drawn].mean(axis=1), [0.025, 0.975], axis=0)
        both = 2 * means[0] * means[1] / (means[0] + means[1])
        bounds = [f"{low[n]:.2f}-{high[n]:.2f}" for n in (0, 1)]
        yield (f"{name:26}{means[0]:8.3f}{bounds[0]:>14}{means[1]:11.3f}{bounds[1]:>14}{both:7.3f}"
               f"{means[2]:8.1f}{means[3]:8.1f}")  # fmt: skip
    yield ""


def about_others(data: Path) -> Iterator[str]:
    """Return the lines of the table of letters about somebody else than who wrote them."""
    letters = [Letter.from_row(row) for row in rows(data / "letters" / "dev.jsonl.gz")]
    letters = [one for one in letters if one.id not in UNTIL and one.id not in TURNS and one.person]
    texts = [AuthoredText(Document(one.id, one.text, one.language), Author(ADDRESS.format(one.id))) for one in letters]
    yield f"About others: {len(letters)} letters"
    yield f"{'':26}{'wrong':>8}{'interval':>14}"
    drawn = np.random.default_rng(1).integers(0, len(letters), (SAMPLES, len(letters)))
    for name, find in METHODS.items():
        found = find(texts)
        wrong = np.array([_count_theirs(one, found.get(ADDRESS.format(one.id), [])) for one in letters])
        low, high = np.quantile(wrong[drawn].mean(axis=1), [0.025, 0.975])
        bounds = f"{low:.1f}-{high:.1f}"
        yield f"{name:26}{wrong.mean():8.1f}{bounds:>14}"


def _count_theirs(letter: Letter, things: Sequence[Sequence[tuple[str, int, int]]]) -> int:
    """Count the things that are of whom a letter is about."""
    spans = [(one.start, one.end) for one in letter.those(DIRECT, QUASI)]
    return sum(any(low < end and start < high for _, low, high in places for start, end in spans) for places in things)


def report(data: Path, _: Path) -> Iterator[str]:
    """Return the lines of the tables."""
    written = read_written(data)
    yield from table("One by one", written)
    by_language = defaultdict[str, list[Written]](list)
    for one in written:
        by_language[one.letter.language].append(one)
    pairs = [(one, some[(number + 1) % len(some)]) for some in by_language.values() for number, one in enumerate(some)]
    yield from table("Split, and quoting each other", [split(*pair) for pair in pairs])
    yield from about_others(data)


# Learning whom phrases speak of

FIRST_SHARE: Final = 0.008
"""Words in the first person from which a text that its subject signs is of that one's own hand."""
OTHERS_WEIGHT: Final = 0.2
"""What a phrase of a text about somebody else counts."""
REGULARIZATION: Final = 0.1
CONVERSATIONS: Final = re.compile("interview|chat|post|CV|advert|leaflet|form|review|sick|appeal|objection")
"""Kinds of texts of which nobody knows who wrote which part."""


def is_author(row: dict[str, Any], names: Sequence[str]) -> bool | None:
    """Return whether the one whom a text is about wrote it; `None` where that is not clear."""
    text, every = row["text"], "|".join(map(re.escape, names))
    signs = re.search(rf"^\W*(?:{every})\W*$", text[len(text) * 4 // 5 :], re.MULTILINE)
    sends = re.search(rf"^(?:From|Von|De|Absender|Name)\b[^\n]*(?:{every})", text[:400], re.MULTILINE)
    pattern = class_pattern("first_person", row["language"])
    speaks = pattern and len(pattern.findall(fold_text(text))) / len(text.split()) > FIRST_SHARE
    if (signs or sends) and speaks:
        return True
    return None if signs or CONVERSATIONS.search(row["genre"]) or names[0] not in text else False


def fit(data: Path) -> Iterator[str]:
    """Learn the weights, and return them as TOML."""
    from sklearn.linear_model import LogisticRegression

    features, labels, weights = list[Any](), list[bool](), list[float]()
    for row in rows(data / "letters" / "train.jsonl.gz"):
        people = [one for one in row["protect"] if one["type"] == "PERSON"] if isinstance(row["protect"], list) else []
        names = [people[0]["name"], *people[0]["aliases"]] if len(people) == 1 else []
        theirs = is_author(row, names) if names else None
        if theirs is None:
            continue
        author = Author("author", tuple(names) if theirs else ("Qqzx Wwvk",))  # whom no text names
        document = Document(row["id"], row["text"], row["language"])
        [(analysis, scored)] = _scored([AuthoredText(document, author)])
        parts = split_text(document.text, analysis.language)
        evidence = gather_evidence(
            Layout.from_text(document.text, analysis.language), scored, analysis.sentences, parts
        )
        for place, phrase in enumerate(scored.phrases):
            kinds = {
                one["identifier"] for one in row["mentions"] if one["start"] < phrase.end and phrase.start < one["end"]
            }
            mixed = OTHER in kinds and (len(kinds) > 1 or not theirs)
            unasked = scored.named[place] or (evidence.is_person[place] and not evidence.is_family[place])
            if kinds and not (mixed or unasked or parts.is_quoted(phrase.start)):
                features.append(evidence.features[place])
                labels.append(theirs and OTHER not in kinds)
                weights.append(1.0 if theirs else OTHERS_WEIGHT)
    learnt = LogisticRegression(C=REGULARIZATION, max_iter=2000)
    learnt.fit(np.array(features)[:, 1:], labels, sample_weight=weights)
    yield "[weights]"
    for name, value in zip(FEATURES, [learnt.intercept_[0], *learnt.coef_[0]], strict=True):
        yield f"{json.dumps(name) if ' ' in name else name} = {value:.2f}"


if __name__ == "__main__":
    if "--fit" in sys.argv:
        sys.argv.remove("--fit")
        raise SystemExit(print_tables("authors", __doc__, ("numpy", "scikit-learn"), lambda data, _: fit(data)))
    raise SystemExit(print_tables("authors", __doc__, ("numpy",), report))
