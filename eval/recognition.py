"""Measure whether phrases are found with their bounds and types: `python -m eval.recognition --data ../shared/data`.

*Letters*: mentions of letters/dev against typed phrases: those of any type but MISC, and names of type MISC. *Exact*:
offsets and type are the same; *bounds*: the offsets are; *words*: a word has the type on both sides. Leading articles
and possessives are left aside. By type, precision is of phrases that are given the type, recall of mentions that have
it. People mark only what may identify somebody, so that phrases of ordinary roles and numbers count as wrong: compare
two states by these figures, not two sets. The floor gives each phrase the most frequent type of its form.

*Names*: people, places and organizations of the test files in strict spans (offsets and type are the same). Each
sentence is a text of its own, its tokens put together as one writes: by the treebank that has the same sentence, else
by rule. Titles before names are left aside. The floor gives each token the most frequent tag of a file to develop or
train on. spaCy is its small English model.

*Records*: MEDDOCAN, as eval.boundaries and eval.typed measure it, on phrases as embanon finds them. *Speed*: as
eval.speed measures it, on fewer texts.
"""

from __future__ import annotations

import gzip
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from embanon.config.load import load
from embanon.document import TYPES, Document, Phrase
from embanon.language import Cue, Lexicon
from embanon.measure.metrics.share import Scores, Share
from embanon.measure.metrics.spans import word_spans
from embanon.text import is_guess
from embanon.text.find import Analysis, find_all, gather_statistics
from embeddings.build.treebank import read_treebank
from eval.boundaries import bare, gold, recall
from eval.letters import Letter, read_letters
from eval.peers import named_entities
from eval.printing import print_tables
from eval.quality import cell
from eval.speed import SPACY, alone, speed_table
from eval.typed import typed_gold

LIBRARIES: Final = ("numpy", "spacy")
CONFIG: Final = load(environment={}).config
MISC: Final = "MISC"
NAMES: Final = frozenset({"name", "title"})
"""Forms of names."""
WIDE: Final = 32
MEASURES: Final = ("P", "R", "F1")
SPEEDS: Final = ("find_phrases ", "find_all", "spaCy")
"""How the lines on speed begin that are shown."""

TESTS: Final = {
    "ewt-test": ("en", "ewt-dev"),
    "bosque-test": ("pt", "bosque-train"),
    "germeval-test": ("de", "germeval-dev"),
    "lener-test": ("pt", "lener-train"),
    "ler-test": ("de", "ler-dev"),
}
"""File -> its language, and the file that its floor knows."""
TAGS: Final = {"PERSON": "PER", "ORG": "ORG", "LOC": "LOC"}
"""Our types, and their tags."""
SPACY_TYPES: Final = {
    "PERSON": "PERSON", "ORG": "ORG", "GPE": "LOC", "LOC": "LOC", "FAC": "LOC", "DATE": "DATETIME", "TIME": "DATETIME",
    "NORP": "DEM", "CARDINAL": "QUANTITY", "ORDINAL": "QUANTITY", "MONEY": "QUANTITY", "PERCENT": "QUANTITY",
    "QUANTITY": "QUANTITY", "PRODUCT": MISC, "WORK_OF_ART": MISC, "EVENT": MISC, "LAW": MISC, "LANGUAGE": MISC,
}  # fmt: skip
"""Labels of spaCy, and our types."""
JOINED_BEFORE: Final = re.compile(r"[.,;:!?…%)\]}»”’]+|''|n't|['’](?:s|S|re|ve|ll|d|m)")
"""Tokens before which no space is written."""
JOINED_AFTER: Final = frozenset(("(", "[", "{", "«", "„", "``", "$", "#", "@"))
"""Tokens after which none is."""

Typed = frozenset[tuple[int, int, str]]
"""Spans with types."""
Sides = tuple[frozenset[Any], frozenset[Any]]
"""What is given, and gold."""


def span_scores(pairs: Iterable[Sides]) -> Scores:
    """Compare what is given with gold, document by document."""
    counts = [(len(given & wanted), len(given), len(wanted)) for given, wanted in pairs]
    precision = Share.from_rows((hits, given) for hits, given, _ in counts)
    return Scores(precision, Share.from_rows((hits, wanted) for hits, _, wanted in counts))


def written(scores: Scores) -> str:
    """Write precision, recall and F1."""
    return "".join(f"{cell(value):>8}" for value in (scores.precision.value, scores.recall.value, scores.f()))


LIKELY: Final = 0.5
"""From this chance on, a phrase is taken for a mention."""


def named(analysis: Analysis, text: str) -> list[tuple[int, int, str]]:
    """Return the names of a text, whether they identify somebody or not, without the titles before them."""
    lexicon = Lexicon.load(analysis.language)
    return [
        (_behind_titles(text, phrase.start, phrase.end, phrase.type, lexicon), phrase.end, phrase.type)
        for phrase in analysis.phrases
        if phrase.form in NAMES and phrase.type in TAGS and not is_guess(phrase.kind)
    ]


def _behind_titles(text: str, start: int, end: int, type: str, lexicon: Lexicon) -> int:
    """Return where the name of somebody begins behind the titles before it; others begin where they do."""
    for word in TITLE_LIKE.finditer(text, start, end) if type == "PERSON" else ():
        if not lexicon.flags(word[1]) & Cue.TITLE or word.end() >= end or word.start() != start:
            break
        start = word.end()
    return start


TITLE_LIKE: Final = re.compile(r"(\w+\.?)\s+")


def recognized(analysis: Analysis) -> list[Phrase]:
    """Return the phrases of a text that are mentions; without a labeler, those that say what they are."""
    phrases, chance = analysis.phrases, analysis.phrases.chance
    if chance is not None:
        return [phrase for phrase, one in zip(phrases, chance, strict=True) if one >= LIKELY]
    return [phrase for phrase in phrases if phrase.type != MISC or phrase.form in NAMES]


@dataclass(frozen=True, slots=True)
class Read:
    """A text with gold, and what a system gives, each with types."""

    language: str
    text: str = field(repr=False)
    given: Typed = field(repr=False)
    wanted: Typed = field(repr=False)

    def exact(self, type: str | None = None) -> Sides:
        """Return both sides, of one type or all."""
        return of_type(self.given, type), of_type(self.wanted, type)

    def words(self, type: str | None = None) -> Sides:
        """Return the words of both sides with their types."""
        every = word_spans(self.text).tolist()
        given, wanted = self.exact(type)
        return typed_words(every, given), typed_words(every, wanted)


def of_type(spans: Typed, type: str | None) -> Typed:
    """Return the spans of a type; all where it is `None`."""
    return frozenset(span for span in spans if type in (None, span[2]))


def typed_words(words: Sequence[Sequence[int]], spans: Typed) -> frozenset[tuple[int, str]]:
    """Return where each word of some spans starts, with the type of its span."""
    return frozenset(
        (first, kind) for start, end, kind in spans for first, last in words if first < end and last > start
    )


def bounds_scores(reads: Sequence[Read], type: str | None) -> Scores:
    """Compare offsets: what is given as of a type with all of gold, and gold of a type with all that is given."""
    counts = []
    for read in reads:
        (given, wanted), (given_all, wanted_all) = (
            [frozenset((start, end) for start, end, _ in spans) for spans in read.exact(kind)] for kind in (type, None)
        )
        counts.append(((len(given & wanted_all), len(given)), (len(wanted & given_all), len(wanted))))
    return Scores(Share.from_rows(row for row, _ in counts), Share.from_rows(row for _, row in counts))


def line(label: str, reads: Sequence[Read], type: str | None = None) -> str:
    """Write exact, bounds and words."""
    count = sum(type in (None, kind) for read in reads for _, _, kind in read.wanted)
    exact, words = span_scores(read.exact(type) for read in reads), span_scores(read.words(type) for read in reads)
    return f"   {label:{WIDE - 3}}{count:8,}" + "".join(map(written, (exact, bounds_scores(reads, type), words)))


def trimmed(text: str, spans: Iterable[tuple[int, int, str]], language: str) -> Typed:
    """Leave leading articles, titles of people and possessives aside, on both sides: annotators differ in them."""
    lexicon = Lexicon.load(language)
    return frozenset(
        (*bare(text, (_behind_titles(text, start, end, kind, lexicon), end)), kind) for start, end, kind in spans
    )


def marked(letter: Letter) -> Typed:
    """Return the mentions of a letter, of whomever they speak."""
    spans = ((one.start, one.end, str(one.type)) for one in letter.mentions)
    return trimmed(letter.text, spans, letter.language)


def letter_phrases(letters: Sequence[Letter]) -> list[list[Phrase]]:
    """Return the typed phrases of letters."""
    documents = [Document(one.id, one.text, one.language) for one in letters]
    return [recognized(one) for one in find_all(documents, config=CONFIG)]


def by_form(letters: Sequence[Letter], phrases: Sequence[Sequence[Phrase]]) -> Mapping[str, str]:
    """Return the most frequent type of mentions that are a phrase, by the form of the phrase."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for letter, typed in zip(letters, phrases, strict=True):
        kinds = {(start, end): kind for start, end, kind in marked(letter)}
        for phrase in typed:
            if kind := kinds.get(bare(letter.text, (phrase.start, phrase.end))):
                counts[phrase.form][kind] += 1
    return {form: count.most_common(1)[0][0] for form, count in counts.items()}


def systems(letters: Sequence[Letter]) -> Iterator[tuple[str, list[Read]]]:
    """Return what embanon, the floor and spaCy read in letters."""
    phrases = letter_phrases(letters)
    frequent = by_form(letters, phrases)

    given = [[(phrase.start, phrase.end, phrase.type) for phrase in typed] for typed in phrases]
    yield "embanon", compared(letters, given)
    given = [[(phrase.start, phrase.end, frequent.get(phrase.form, MISC)) for phrase in typed] for typed in phrases]
    yield "floor: type by form", compared(letters, given)
    if spacy_is_installed():
        english = [one for one in letters if one.language == "en"]
        yield "spaCy", compared(english, spacy_spans([one.text for one in english]))


def compared(letters: Sequence[Letter], given: Sequence[Iterable[tuple[int, int, str]]]) -> list[Read]:
    """Put letters and what is given of them together."""
    return [
        Read(letter.language, letter.text, trimmed(letter.text, spans, letter.language), marked(letter))
        for letter, spans in zip(letters, given, strict=True)
    ]


def spacy_is_installed() -> bool:
    """Return whether spaCy and its small English model are there."""
    return bool(find_spec("spacy") and find_spec(SPACY))


def spacy_spans(texts: Sequence[str]) -> list[list[tuple[int, int, str]]]:
    """Return what spaCy finds, with our types."""
    return [[(start, end, SPACY_TYPES[kind]) for start, end, kind in spans] for spans in named_entities()(texts)]


def of_letters(data: Path) -> Iterator[str]:
    """Return the lines on letters."""
    yield " " * (WIDE + 8) + "".join(f"{name:<24}" for name in ("   exact", "   bounds", "   words"))
    yield f"{'':{WIDE}}{'spans':>8}" + "".join(f"{side:>8}" for side in MEASURES * 3)
    for label, reads in systems(read_letters(data)):
        yield label
        yield line("all", reads)
        for language in sorted({read.language for read in reads}):
            yield line(language, [read for read in reads if read.language == language])
        if not label.startswith("floor"):
            yield from (line(type, reads, type) for type in TYPES)


Token = tuple[str, str]
"""A form with its tag."""


def read_sentences(path: Path) -> Iterator[list[Token]]:
    """Read sentences of two columns."""
    sentence: list[Token] = []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for row in lines:
            form, _, tag = row.rstrip("\n").partition("\t")
            if tag:
                sentence.append((form, tag))
            elif sentence:
                yield sentence
                sentence = []
    if sentence:
        yield sentence


@dataclass(frozen=True, slots=True)
class Writer:
    """Puts tokens together as the treebank of a language has them."""

    known: Mapping[tuple[str, ...], Sequence[tuple[str, int, bool]]] = field(default_factory=dict, repr=False)
    """Syntactic words of a sentence -> its surface words, how many of those each is, and whether a space follows."""

    @classmethod
    def from_treebank(cls, path: Path, *, split: bool) -> Writer:
        """Read a treebank."""
        return cls(
            {
                tuple(part[1] for word in sentence for part in word.parts): [
                    (word.form, len(word.parts), word.space_after) for word in sentence
                ]
                for sentence in read_treebank(path, split=split)
            }
        )

    def write(self, sentence: Sequence[Token]) -> tuple[str, list[tuple[int, int, str]]]:
        """Return a sentence as text, and where each of its surface words stands, with the last tag of its parts."""
        surface = self.known.get(tuple(form for form, _ in sentence)) or by_rule([form for form, _ in sentence])
        text, words, place = "", list[tuple[int, int, str]](), 0
        for form, parts, has_space in surface:
            words.append((len(text), len(text) + len(form), sentence[place + parts - 1][1]))
            text += form + " " * has_space
            place += parts
        return text.rstrip(), words


def by_rule(forms: Sequence[str]) -> list[tuple[str, int, bool]]:
    """Return words, and whether a space follows each: as one writes signs, straight quotes in turns."""
    spaces, is_open = [True] * len(forms), False
    for number, form in enumerate(forms):
        opens = form in JOINED_AFTER or (form in ('"', "'", "“") and not is_open)
        closes = JOINED_BEFORE.fullmatch(form) is not None or (form in ('"', "'", "“") and is_open)
        if opens:
            spaces[number] = False
        elif closes and number:
            spaces[number - 1] = False
        if form in ('"', "'", "“", "„"):
            is_open = not is_open
    return [(form, 1, has_space) for form, has_space in zip(forms, spaces, strict=True)]


def spans_of(words: Iterable[tuple[int, int, str]]) -> Typed:
    """Return the spans of people, places and organizations; a tag that goes on from nothing opens a span."""
    spans, last = list[tuple[int, int, str]](), ""
    for start, end, tag in words:
        kind = tag[2:]
        if tag.startswith("I-") and kind == last and spans:
            spans[-1] = (spans[-1][0], end, kind)
        elif kind:
            spans.append((start, end, kind))
        last = kind
    return frozenset(span for span in spans if span[2] in TAGS.values())


@dataclass(frozen=True, slots=True)
class NamesFile:
    """A file of sentences: their texts, the words of each, and what the floor says of these."""

    name: str
    language: str
    texts: list[str] = field(repr=False)
    words: list[list[tuple[int, int, str]]] = field(repr=False)
    frequent: Mapping[str, str] = field(repr=False)

    @classmethod
    def read(cls, data: Path, name: str) -> NamesFile:
        """Read a file, and the one that its floor knows."""
        language, known = TESTS[name]
        writer = Writer()
        if name.startswith(("ewt", "bosque")):
            path = data / "treebanks" / language / "test.conllu.gz"
            writer = Writer.from_treebank(path, split=language == "en")
        sentences = [writer.write(one) for one in read_sentences(data / "ner" / language / f"{name}.conll.gz")]
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        for sentence in read_sentences(data / "ner" / language / f"{known}.conll.gz"):
            for form, tag in sentence:
                counts[form][tag] += 1
        frequent = {form: count.most_common(1)[0][0] for form, count in counts.items()}
        return cls(name, language, [text for text, _ in sentences], [words for _, words in sentences], frequent)

    def systems(self) -> Iterator[tuple[str, list[Typed]]]:
        """Return what each system gives."""
        documents = [Document("", text, self.language) for text in self.texts]
        analyses = find_all(documents, config=CONFIG)
        yield "embanon", [tagged(named(one, text)) for one, text in zip(analyses, self.texts, strict=True)]
        floor = [
            [(start, end, self.frequent.get(text[start:end], "O")) for start, end, _ in words]
            for text, words in zip(self.texts, self.words, strict=True)
        ]
        yield "floor: most frequent tag", list(map(spans_of, floor))
        if self.language == "en" and spacy_is_installed():
            yield "spaCy", [tagged(spans) for spans in spacy_spans(self.texts)]


def tagged(spans: Iterable[tuple[int, int, str]]) -> Typed:
    """Return spans of three of our types with the tags of these."""
    return frozenset((start, end, TAGS[kind]) for start, end, kind in spans if kind in TAGS)


def of_names(data: Path) -> Iterator[str]:
    """Return the lines on names."""
    heads = (*TAGS.values(), "all")
    yield f"{'':{WIDE}}{'spans':>8}" + "".join(f"{f'{head} {side}':>8}" for head in heads for side in MEASURES)
    for name in TESTS:
        file = NamesFile.read(data, name)
        wanted = list(map(spans_of, file.words))
        yield file.name
        for label, given in file.systems():
            reads = [Read(file.language, "", *both) for both in zip(given, wanted, strict=True)]
            scores = (span_scores(read.exact(tag) for read in reads) for tag in (*TAGS.values(), None))
            yield f"   {label:{WIDE - 3}}{sum(map(len, wanted)):8,}" + "".join(map(written, scores))


def of_records(data: Path) -> Iterator[str]:
    """Return the lines on clinical records."""
    wanted = list(typed_gold(data, "meddocan"))
    documents = [Document("", text, "es") for text, _ in wanted]
    statistics = gather_statistics(documents, config=CONFIG)
    phrases = [list(one.phrases) for one in find_all(documents, config=CONFIG, statistics=statistics)]
    shares = recall(
        (text, spans, [(one.start, one.end) for one in given])
        for (text, spans), given in zip(gold(data, "meddocan"), phrases, strict=True)
    )
    pairs = [
        (kinds[span], one.type)
        for (text, kinds), given in zip(wanted, phrases, strict=True)
        for one in given
        if (span := bare(text, (one.start, one.end))) in kinds
    ]
    right = sum(kind == type for kind, type in pairs) / len(pairs)
    yield f"{'':{WIDE}}{'exact':>8}{'bounds':>8}{'type':>8}"
    yield f"   {'meddocan':{WIDE - 3}}{shares.exact:8.3f}{shares.bounds:8.3f}{right:8.3f}"


def of_speed(data: Path) -> Iterator[str]:
    """Return the lines on speed."""
    settings = {"data": data, "rounds": 3, "megabytes": 2, "sample": 0.2}
    arguments = (str(part) for name, value in settings.items() for part in (f"--{name}", value))
    size, *lines = speed_table(alone("speed", *arguments, core=None))
    yield size
    yield from (each for each in lines if each.startswith((" ", *SPEEDS)))


PARTS: Final[Mapping[str, Callable[[Path], Iterator[str]]]] = {
    "Letters": of_letters, "Names": of_names, "Records": of_records, "Speed": of_speed,
}  # fmt: skip


def report(data: Path, _: Path) -> Iterator[str]:
    """Return all lines."""
    for heading, part in PARTS.items():
        yield f"{heading}\n"
        yield from part(data)
        yield ""


if __name__ == "__main__":
    sys.exit(print_tables("recognition", __doc__, LIBRARIES, report))
