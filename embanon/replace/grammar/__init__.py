"""Fit a label into a sentence: its article, gender, number and case, a capital, and no word twice."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache, partial
from importlib import import_module
from typing import Any, Final, NamedTuple

from embanon.data import read_toml
from embanon.document import Phrase
from embanon.language import Cue, Lemmatizer, Lexicon, word_share

INDEFINITE_ARTICLE: Final = re.compile(r"^(?:a|an|un|una|um|uma|ein|eine) ")
DEFINITE_ARTICLE: Final = re.compile(r"^(?:the|el|la|los|las|o|a|os|as|der|die|das) ")
WORD_BEFORE: Final = re.compile(r"([^\W_][\w'’.-]*)[ \u00a0]+[\"“‘«„]?$")
PERSONS: Final = frozenset(("person", "persona", "pessoa", "people", "personas", "pessoas", "personen"))
WORD_AFTER: Final = re.compile(r"['’]?[\"”’»“]?[ \u00a0]+([^\W\d_]+)")
TYPE_NOUNS: Final = int(
    Cue.WORK_HEAD | Cue.PLACE_HEAD | Cue.ORG_HEAD | Cue.AWARD_HEAD | Cue.EVENT_HEAD | Cue.LAW_HEAD | Cue.ROLE | Cue.KIN
)
"""Words that say what the name behind them is: the film X."""
AHEAD: Final = re.compile(r"(?:(?:([^\W\d_]+)[ \u00a0])?([^\W\d_]+)[ \u00a0])?([^\W\d_]+)[ \u00a0]$")


class Rendering(NamedTuple):
    """How a label stands: in how many characters before its phrase as well, as what, and that without articles."""

    absorbed: int
    text: str
    bare: str = ""


@dataclass(frozen=True, slots=True)
class FittedLabel:
    """What stands from `start` on instead of a phrase; `counted` if two of the same need telling apart.

    `place` is that of its rung among those it was chosen from; -1 where there was no choice.
    """

    start: int
    text: str = field(repr=False)
    rung: str
    risk: float
    needs_number: bool = False
    rung_index: int = -1
    bare: str = field(default="", repr=False)
    """The text without articles and prepositions, where it has some."""
    label: str = field(default="", repr=False)
    """What it says whatever stands around it and however many there are."""


@dataclass(frozen=True, slots=True)
class Slot:
    """Where a label is to stand."""

    phrase: Phrase
    written: str = field(repr=False)
    head: str = field(repr=False)
    before: str = field(repr=False)
    """What the line has before it, as it is written by now."""
    after: str = field(repr=False)
    editable_before: int
    """How many of the last characters before it may change."""
    starts_sentence: bool
    """Whether a sentence starts here."""
    is_modifier: bool
    """Whether a common noun follows that it belongs to."""
    follows_phrase: bool
    """Whether a phrase that belongs to it precedes it."""
    stands_alone: bool = False
    """Whether it is the value of a field, a heading, an entry of a list: no sentence goes on there."""
    precedes_name: bool = False
    """Whether the name of a person follows."""


def words_before(slot: Slot) -> tuple[tuple[str, int], ...]:
    """Return up to three words before a slot, the nearest first, each with how many characters lie behind its start."""
    return _words(slot.before)


@lru_cache(maxsize=65_536)
def _words(before: str) -> tuple[tuple[str, int], ...]:
    match = AHEAD.search(before)
    if not match:
        return ()
    return tuple((match[group], len(before) - match.start(group)) for group in (3, 2, 1) if match[group])


@lru_cache(maxsize=65_536)
def lemma(word: str, language: str) -> str:
    """Return the dictionary form of a word."""
    return Lemmatizer.load(language).lemma(word.lower())


def word_flags(word: str, language: str = "en") -> int:
    """Return what the lexicon knows of a word."""
    return Lexicon.load(language).flags(word)


def without_article(label: str) -> str:
    """Return a label without the article that it begins with."""
    return DEFINITE_ARTICLE.sub("", INDEFINITE_ARTICLE.sub("", label, count=1), count=1)


def match_capital(text: str, like: str) -> str:
    """Begin a text with a capital where another begins with one."""
    return text[:1].upper() + text[1:] if like[:1].isupper() else text


def replacement_table(name: str) -> Mapping[str, Any]:
    """Return a table of words: `ontologies/replacement/*.toml`."""
    return read_toml("ontologies", "replacement", f"{name}.toml")


@cache
def listed_words(name: str, key: str) -> frozenset[str]:
    """Return the words of a list of a table."""
    return frozenset(replacement_table(name)[key].split())


@dataclass(frozen=True, slots=True)
class ContextBefore:
    """The words before a slot that belong to it."""

    words: tuple[str, ...] = field(repr=False)
    """The nearest first."""
    preposition: str
    contracted: bool
    """Whether the preposition is one word with the article."""
    length: int
    """Characters, without a preposition of its own."""
    length_with_preposition: int


def rewrite_determiners(
    slot: Slot, before: ContextBefore, preposition: str, determiners: str, bare: str, contraction: str
) -> Rendering | None:
    """Write preposition, article and what else agrees anew, as far as they change.

    `contraction` is what the preposition and the first determiner become, empty where they stay apart.
    """
    length, text = before.length, f"{determiners} {bare}" if determiners else bare
    if preposition and (contraction or before.contracted or preposition != before.preposition):
        length = before.length_with_preposition
        rest = text[len(determiners.partition(" ")[0]) :]
        text = f"{contraction}{rest}" if contraction else f"{preposition} {text}"
    written = slot.before[len(slot.before) - length :] if length else ""
    if length and text.lower().startswith(written.lower()) and len(text) > length:
        return Rendering(0, text[length:], bare)  # what stands there already stays
    return Rendering(length, match_capital(text, written), bare) if length <= slot.editable_before else None


GRAMMARS: Final[Mapping[str, tuple[str, str]]] = {
    "en": ("english", "fit_english"), "es": ("romance", "fit_romance"), "pt": ("romance", "fit_romance"),
    "de": ("german", "fit_german"),
}  # fmt: skip
"""The language -> the module of its grammar, which is imported when a text is in it, and the function."""


@cache
def _load_grammar(language: str) -> Callable[[Slot, str], Rendering | None] | None:
    if language not in GRAMMARS:
        return None
    module, name = GRAMMARS[language]
    fit: Callable[..., Rendering | None] = getattr(import_module(f"{__name__}.{module}"), name)
    return partial(fit, language=language) if module == "romance" else fit


def place_within(place: str, language: str) -> str:
    """Return a place as where something is: in Norway, no Brasil, in der Schweiz; empty where that is unsure."""
    name = {"es": "romance", "pt": "romance", "de": "german"}.get(language)
    if name is None:
        return f"in {place}" if language == "en" else ""
    within: Callable[[str, str], str] = import_module(f"{__name__}.{name}").place_within
    return within(place, language)


PERSON_ARTICLES: Final[Mapping[str, Mapping[str, str]]] = {
    "es": {"el": "", "la": "", "del": "de", "al": "a"},
    "pt": {"o": "", "do": "de", "no": "em", "ao": "a", "pelo": "por", "da": "de", "na": "em", "à": "a", "pela": "por"},
    "de": {
        "der": "",
        "die": "",
        "den": "",
        "dem": "",
        "des": "von",
        "vom": "von",
        "beim": "bei",
        "zum": "zu",
        "zur": "zu",
    },
}
"""What stands before a name that has an article, and before a number that has none."""
GENITIVE: Final = re.compile(r"[A-ZÄÖÜ][a-zäöüß]+ der[ \u00a0]$")
"""The daughter of somebody."""
LAST_LABEL: Final = re.compile(r"([^\W\d_]+): *$")
"""The label of a field: Lugar: lugar."""
CLAUSE_BEFORE: Final = re.compile(r"(?:[.,;:!?(–—\n]|\b(?:e|mas|que|com|ou|porque|quando|se))\s*$")
LAST_WORD: Final = re.compile(r"(?<!\w)([^\W\d_]+)[ \u00a0]$")


def strip_person_article(before: str, language: str, name: str = "") -> tuple[int, str]:
    """Return how many characters before a name its article takes, and what stands there instead.

    The Portuguese `a` is an article where a sentence begins, and before a woman a clause; elsewhere it may be *to*.
    """
    match = LAST_WORD.search(before)
    word = match[1].lower() if match else ""
    known = PERSON_ARTICLES.get(language, {})
    if match is not None and language == "en" and word == "a" and word_flags(name.split(" ")[0]) & Cue.TITLE:
        return (len(match[0]), "") if match[1] == "a" else (0, "")  # a Mr Berger
    if match is not None and language == "pt" and word == "a":
        is_woman = Lexicon.load(language).flags(name.split(" ")[0]) & Cue.FEMALE
        opens = match[1] == "A" or bool(is_woman and CLAUSE_BEFORE.search(before[: match.start()]))
        return (len(match[0]), "") if opens else (0, "")
    if match is not None and language == "es" and word in ("e", "u"):  # e Ignacio is y Persona 2
        return len(match[0]), "y " if word == "e" else "o "
    if match is None or word not in known:
        return 0, ""
    is_genitive = language == "de" and word == "der" and GENITIVE.search(before)
    instead = match_capital("von" if is_genitive else known[word], match[1])
    return len(match[0]), f"{instead} " if instead else ""


def fit_label(slot: Slot, label: str, language: str) -> FittedLabel | None:
    """Return a label as fitted into a slot; nothing where it would be wrong, or repeat a word."""
    if slot.stands_alone:
        repeats = LAST_LABEL.search(slot.before)
        return None if repeats and repeats[1].lower() == without_article(label).lower() else _fit_alone(slot, label)
    if slot.phrase.type == "DATETIME" and slot.written.lower().startswith(f"{label.lower()} "):  # el martes 26
        return FittedLabel(slot.phrase.start, slot.written[: len(label)], "", 0.0)
    grammar = _load_grammar(language)
    rendering = grammar(slot, label) if grammar else Rendering(0, label, label)
    if rendering is None or _repeats_neighbor(slot, rendering, language):
        return None
    text, absorbed = rendering.text, rendering.absorbed
    if slot.precedes_name and text.split(" ")[-1].lower() in PERSONS:
        return None  # person Person 1
    if slot.starts_sentence and not absorbed and not _goes_on(slot, language):
        text = text[:1].upper() + text[1:]
    return FittedLabel(slot.phrase.start - absorbed, text, "", 0.0, bare=rendering.bare)


def keep_noun(slot: Slot, noun: str, language: str) -> tuple[int, str]:
    """Return where a noun of the phrase itself begins that stays of it, and how it is written."""
    begins = slot.stands_alone or slot.written.lower().startswith(noun.lower())
    is_capital = slot.starts_sentence or (begins and slot.written[:1].isupper())
    text = noun[:1].upper() + noun[1:] if is_capital else noun
    if language != "en" or slot.stands_alone:
        return slot.phrase.start, text
    absorbed, article = import_module(f"{__name__}.english").article_before(slot, text)
    return slot.phrase.start - absorbed, f"{article}{text}"


ABBREVIATED: Final = re.compile(r"\b([^\W\d_]{1,8})\.[ \u00a0]$")
VOWEL_AT_END: Final = re.compile(r"[aeiouyäöüáéíóú]$|(?:en|er|el|em|es|ed|et|as|os|ar|ir|or|ão|ing)$")
RARE: Final = 1e-6
"""What words that end a sentence mostly end in, and the share up to which others are abbreviations: verm., einschl."""
LONGEST_SHORT: Final = 3
"""Signs of an abbreviation in capitals that ends no sentence: Fa., Pat."""


def _goes_on(slot: Slot, language: str) -> bool:
    """Return whether a sentence goes on, whatever period stands there: Tel. 555 0172, Pat. (62 J.), einschl. Haus."""
    first, before = slot.written[:1], slot.before.rstrip('("“„«‘')
    match = ABBREVIATED.search(before if before.endswith((" ", "\u00a0")) else f"{before} ")
    if first.islower() or match is None:
        return first.islower()
    known = word_flags(match[1], language) & (Cue.ABBREVIATION | Cue.NUMBER_ABBREVIATION)
    is_short = len(match[1]) <= LONGEST_SHORT and match[1][:1].isupper()
    is_short |= match[1].islower() and not VOWEL_AT_END.search(match[1]) and word_share(match[1], language) <= RARE
    is_label = len(match[1]) > LONGEST_SHORT and not known and word_share(match[1].lower(), language) > RARE
    counts = first.isdecimal() and not is_label  # Tel. 555 0172, but: Renta. Unos 500 €
    return bool(known) or is_short or counts or slot.phrase.type == "CODE"


def _fit_alone(slot: Slot, label: str) -> FittedLabel:
    """Return a label as the value of a field or a heading: without article, with a capital where the line begins."""
    bare = without_article(label)
    is_first = not slot.before.strip() and not slot.written[:1].islower()
    return FittedLabel(slot.phrase.start, bare[:1].upper() + bare[1:] if is_first else bare, "", 0.0, bare=bare)


def _repeats_neighbor(slot: Slot, rendering: Rendering, language: str) -> bool:
    """Return whether the label begins or ends with the word beside it, in the singular or plural."""
    words = (rendering.bare or rendering.text).lower().split()
    if not words:
        return True
    previous = WORD_BEFORE.search(slot.before[: len(slot.before) - rendering.absorbed])
    following = WORD_AFTER.match(slot.after)
    before, behind = (lemma(match[1], language) if match else None for match in (previous, following))
    first, last = lemma(words[0], language), lemma(words[-1], language)
    return before in (first, last) or last == behind  # but not: in the 1960s in
