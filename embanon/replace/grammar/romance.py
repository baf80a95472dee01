"""Fit a label into a Spanish or Portuguese sentence: the words before it agree with it, and contract with its article.

What stands before a phrase is read from the right: words that agree as adjectives do, an article, a preposition.
Where the label is of another gender than the phrase, all of it is written anew.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from typing import Final

from embanon.language import (
    COMMON_GENDER,
    UNKNOWN_GENDER,
    agreeing_form,
    fold_name,
    is_plural,
    is_stressed_feminine,
    noun_gender,
    plural_form,
)
from embanon.replace.grammar import (
    TYPE_NOUNS,
    ContextBefore,
    Rendering,
    Slot,
    listed_words,
    match_capital,
    replacement_table,
    rewrite_determiners,
    word_flags,
    words_before,
)
from embanon.taxonomy import load_inventory, load_tables

ALL_FORMS: Final = frozenset(range(4))
"""Forms by number, as the tables have them: m, f, and both in the plural."""
TIME_PREPOSITION: Final = {"es": "en", "pt": "em"}
"""Words before a duration."""
PARTICIPLE: Final = re.compile(r"[^\W\d_]{2,}[ai]d[oa]s?|nació|murió|falleció|nasceu|morreu|faleceu")
PARTS_OF_DECADES: Final = frozenset("principios mediados finales início meados final".split())
PART_OF_TIME: Final = re.compile(
    r"principios|mediados|finales|início|meados|final|\d{4}$"
    r"|(?:enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre"
    r"|janeiro|fevereiro|março|maio|junho|julho|setembro|outubro|novembro|dezembro)(?: de \d{4})?$"
)
TIME_NOUNS: Final = frozenset(
    "año años ano anos mes mês día dia década décadas siglo século siglos séculos".split()
)  # fmt: skip
"""Nouns behind which a time is a name: el año 1990."""
NATIONALITY: Final = "nacionali"
"""How labels begin that say what a word for a people is, and not what it means."""
PARTITIVE_PRONOUNS: Final = frozenset(("um", "uma", "uno", "una", "Um", "Uma", "Uno", "Una"))
"""Of several, with whose gender they agree."""
PEOPLES: Final = frozenset("lengua língua idioma persona pessoa pueblo povo grupo habitante cidadão ciudadano".split())
"""Nouns among the labels of words for peoples and languages, which are adjectives."""
NUMERIC: Final = re.compile(
    r"(?:(de|entre) )?\d|(?:menos|más|mais|unos|cerca|cientos|miles|centenas|milhares|decenas|dezenas) "
)
DAY_BEFORE: Final = re.compile(
    r"(?P<before>\b(?:desde|hasta|até|para|de|entre) )?\b(?:(?P<article>el|no|o|al|ao|do|del|pelo) )?"
    r"(?:(?:pasado|passado|próximo|mismo)(?: d[ií]a)?|d[ií]a) $",
    re.IGNORECASE,
)
"""What stands before a day, and not before a month: el pasado 11 de noviembre, no dia 17 de outubro."""
UNTIL: Final = re.compile(r"\d a[ \u00a0]$")
"""Before the end of a span of time."""
RANGE: Final = re.compile(r"de (?=\d)")
NUMBERS: Final = frozenset(("un número", "um número"))
COUNTED: Final = re.compile(r"[ \u00a0]([^\W\d_]{3,}s)\b")
WITHIN: Final = ("en la ", "na ")
SEVERAL: Final = re.compile(r"v[aá]ri[oa]s ")
APPROXIMATORS: Final = frozenset("más mais menos cerca alrededor".split())
COMPLEMENT_START: Final = re.compile(r" (?=(?:de|del|do|da|dos|das|en|em|a|al|por|para|con|com|o|ou|y|e) )")
"""Where what belongs to the noun of a label begins."""


@dataclass(frozen=True, slots=True)
class _RomanceLabel:
    """A label in its parts: its article's kind, its noun with what belongs to it, what is known of the noun."""

    article: str
    bare: str = field(repr=False)
    noun: str = field(repr=False)
    gender: str
    is_plural: bool
    is_name: bool


@dataclass(frozen=True, slots=True)
class _RomanceContext(ContextBefore):
    language: str
    article: str
    """definite, indefinite, or nothing."""
    rows: tuple[tuple[str, ...], ...]
    """Of what agrees and is no article, in the order of the text."""
    forms: frozenset[int]
    """What the phrase can be, by what agrees with it."""

    @property
    def has_agreement(self) -> bool:
        """Whether anything agrees with the phrase."""
        return bool(self.article or self.rows)


@cache
def _articles(language: str) -> dict[str, tuple[str, ...]]:
    """Return the forms of the articles of each kind."""
    return {kind: tuple(replacement_table(language)[kind].split()) for kind in ("definite", "indefinite")}


@cache
def _article_kinds(language: str) -> dict[str, str]:
    return {form: kind for kind, forms in _articles(language).items() for form in forms}


@cache
def _agreeing_forms(language: str) -> dict[str, tuple[str, ...]]:
    """Return the forms of a determiner or adjective that stands before nouns, by each of them."""
    rows = [tuple(row.split()) for row in replacement_table(language)["agreeing"].strip().splitlines()]
    return {form: row for row in reversed(rows) for form in row if form != "-"}


@cache
def _expansions(language: str) -> dict[str, tuple[str, ...]]:
    """Return the preposition and article of each contraction."""
    return {word: tuple(parts.split()) for word, parts in replacement_table(language)["contractions"].items()}


@cache
def _contractions(language: str) -> dict[tuple[str, ...], str]:
    return {parts: word for word, parts in _expansions(language).items()}


@cache
def _place_articles() -> dict[str, str]:
    """Return the articles of the first words of Portuguese names of places that have one."""
    rows = replacement_table("pt")["places"].items()
    return {name.replace("_", " "): article for article, names in rows for name in names.split()}


def fit_romance(slot: Slot, label: str, language: str) -> Rendering | None:
    """Return a label as fitted into a slot; nothing where it does not fit."""
    ahead = _read_context(words_before(slot), language, slot.head)
    if ahead.has_agreement and SEVERAL.match(label):
        if ahead.article:
            return None  # desde os 11 anos: the years alone say something else
        label = SEVERAL.sub("", label)
    if label.startswith(WITHIN):  # en la adolescencia
        return None if slot.is_modifier or ahead.has_agreement or ahead.preposition else Rendering(0, label)
    if label in NUMBERS and slot.phrase.type != "CODE" and (counted := COUNTED.match(slot.after)):
        return None if ahead.has_agreement else Rendering(0, _several_for(counted[1].lower(), language))
    if NUMERIC.match(label):
        return None if ahead.words and ahead.words[0].lower() in TIME_NOUNS else _fit_number(ahead, label)
    parsed = _parse_label(label, slot.phrase.type, language)
    if slot.phrase.kind.endswith("nationality"):
        if slot.before.endswith(("nacionalidad ", "nacionalidade ")):
            return Rendering(0, "extranjera" if language == "es" else "estrangeira")
        return None if parsed.noun.startswith(NATIONALITY) else _fit_nationality(slot, ahead, parsed)
    is_named = slot.phrase.form in ("name", "title") and (parsed.article or parsed.is_name)
    if is_named and _is_described(slot, ahead, language):
        return None  # el río X: what it is is said
    if slot.phrase.type == "DATETIME" and not parsed.article and (part := PART_OF_TIME.match(label)):
        return _fit_part_of_time(slot, ahead, label, part[0])
    if slot.phrase.type == "DATETIME" and parsed.article:
        return _fit_time(slot, ahead, parsed)
    return _fit_place_name(slot, ahead, parsed) if parsed.is_name else _fit_noun(slot, ahead, parsed)


def _is_described(slot: Slot, ahead: _RomanceContext, language: str) -> bool:
    if ahead.preposition or ahead.has_agreement or not ahead.words:
        return False
    if ahead.words[0].lower() in TIME_NOUNS:
        return True
    return slot.follows_phrase or (ahead.words[0].islower() and bool(word_flags(ahead.words[0], language) & TYPE_NOUNS))


@lru_cache(maxsize=16_384)
def _parse_label(label: str, type: str, language: str) -> _RomanceLabel:
    first, _, rest = label.partition(" ")
    article = _article_kinds(language).get(first, "") if rest else ""
    bare = rest if article else label
    is_name = type == "LOC" and not article and bare[:1].isupper()
    if not is_name and not article and bare[1:2].islower():
        bare = bare[:1].lower() + bare[1:]  # some nouns of the stores have capitals
    noun = bare.split(" ")[0]
    if article:
        form = _articles(language)[article].index(first)
        gender = "f" if form & 1 or is_stressed_feminine(noun) else "m"
        return _RomanceLabel(article, bare, noun, gender, form > 1, is_name)
    return _RomanceLabel(article, bare, noun, noun_gender(noun, language), is_plural(noun, language), is_name)


@lru_cache(maxsize=65_536)
def _read_context(words: tuple[tuple[str, int], ...], language: str, head: str) -> _RomanceContext:
    """Read the words before a slot, from the right."""
    rows, forms, place, size = list[tuple[str, ...]](), ALL_FORMS, 0, 0
    while place < len(words) and (row := _agreeing_forms(language).get(words[place][0].lower())):
        rows.insert(0, row)
        forms = _narrow_forms(forms, row, words[place][0].lower())
        place, size = place + 1, words[place][1]
    article, preposition, contracted, whole = "", "", False, size
    word, length = (words[place][0].lower(), words[place][1]) if place < len(words) else ("", 0)
    apart = _expansions(language).get(word, ("", word))
    if (kind := _article_kinds(language).get(apart[1])) and not (word == "a" and not _may_have_article(head, language)):
        article, preposition, contracted = kind, apart[0], bool(apart[0])
        forms = _narrow_forms(forms, _articles(language)[kind], apart[1])
        place, size, whole = place + 1, length, length
        word, length = (words[place][0].lower(), words[place][1]) if place < len(words) else ("", 0)
    if not contracted and word in listed_words(language, "prepositions"):
        preposition, whole = word, length
    near = tuple(word for word, _ in words)
    return _RomanceContext(near, preposition, contracted, size, whole, language, article, tuple(rows), forms)


def _may_have_article(head: str, language: str) -> bool:
    """Return whether the Portuguese `a` before a noun can be an article: it is a preposition too."""
    noun = head.lower()
    may_be_feminine = head[:1].isupper() or noun_gender(noun, language) in ("f", COMMON_GENDER, UNKNOWN_GENDER)
    return may_be_feminine and not is_plural(noun, language)


def _narrow_forms(forms: frozenset[int], row: tuple[str, ...], written: str) -> frozenset[int]:
    fitting = frozenset(number for number, form in enumerate(row) if form == written)
    return forms & fitting or fitting


def _rewrite_determiners(
    slot: Slot, ahead: _RomanceContext, preposition: str, determiners: str, bare: str
) -> Rendering | None:
    contraction = _contractions(ahead.language).get((preposition, determiners.partition(" ")[0]), "")
    return rewrite_determiners(slot, ahead, preposition, determiners, bare, contraction)


def _fit_noun(slot: Slot, ahead: _RomanceContext, parsed: _RomanceLabel) -> Rendering | None:
    """Make the words before a noun agree with it, and the noun with their number."""
    parsed = _of_her(slot, ahead, parsed)
    feminine, many = _agreement(slot, ahead, parsed.gender)
    is_one_of_many = many and slot.phrase.type == "QUANTITY" and not parsed.is_plural
    if ahead.has_agreement and (parsed.is_plural > many or is_one_of_many):
        return None
    many &= not is_one_of_many  # 275 horses are one amount
    bare = _plural(parsed.bare, ahead.language) if many and not parsed.is_plural else parsed.bare
    form = feminine + 2 * (many or parsed.is_plural)
    if ahead.has_agreement:
        rows = ahead.rows if not ahead.article else (*ahead.rows, _articles(ahead.language)[ahead.article])
        if parsed.gender == UNKNOWN_GENDER and not all(row[form] == row[form ^ 1] for row in rows):
            return None
        of_several = ahead.preposition == "de" and ahead.article == "definite" and min(ahead.forms) > 1
        if of_several and bool(min(ahead.forms) & 1) != feminine and not PARTITIVE_PRONOUNS.isdisjoint(ahead.words):
            return None  # um dos médicos
        first = slot.phrase.form in ("name", "title") and ahead.article == "definite" and form < 2
        is_new = first and (parsed.article == "indefinite" or (not parsed.article and parsed.gender != UNKNOWN_GENDER))
        determiners = _inflect_determiners(ahead, parsed, form, "indefinite" if is_new else ahead.article)
        return None if "-" in determiners else _rewrite_determiners(slot, ahead, ahead.preposition, determiners, bare)
    named = parsed.gender != UNKNOWN_GENDER and (slot.phrase.form in ("name", "title") or slot.phrase.type == "LOC")
    kind = parsed.article or ("indefinite" if named and not parsed.is_plural else "")
    if slot.phrase.form == "common" and slot.phrase.type in ("DEM", "MISC", "ORG"):
        kind = ""  # como cocinera: what had no article has none
    if kind != "definite" and (many or not kind):
        return Rendering(0, bare)
    return _rewrite_determiners(slot, ahead, ahead.preposition, _article(ahead.language, parsed, kind, form), bare)


def _of_her(slot: Slot, ahead: _RomanceContext, parsed: _RomanceLabel) -> _RomanceLabel:
    """Return what a woman is called by a label for people: a violinista is uma música where la violinista stands."""
    inventory = load_inventory(ahead.language)
    if parsed.gender != "m" or slot.phrase.type != "DEM" or not inventory or parsed.bare not in inventory.people:
        return parsed
    determined = {form & 1 for form in ahead.forms}
    head = slot.written.split(" ")[0].lower()
    is_hers = noun_gender(head, ahead.language) == "f" and not head.endswith(("ista", "istas", "ísta", "ístas"))
    if determined != {1} and (len(determined) == 1 or not is_hers):
        return parsed
    tables = load_tables(ahead.language)
    bare = tables.pairs("persons", "women").get(fold_name(parsed.bare), "") if tables else ""
    if not bare:
        noun, *rest = COMPLEMENT_START.split(parsed.bare, maxsplit=1)
        bare = " ".join((*(agreeing_form(word, ahead.language, "f", False) for word in noun.split(" ")), *rest))
    return replace(parsed, bare=bare, noun=bare.split(" ")[0], gender="f")


def _inflect_determiners(ahead: _RomanceContext, parsed: _RomanceLabel, form: int, kind: str) -> str:
    """Return what agrees with a noun in one of its forms, with an article of a kind."""
    rows = (row[form] for row in ahead.rows)
    if not kind:
        return " ".join(rows)
    return " ".join((_article(ahead.language, parsed, kind, form, alone=not ahead.rows), *rows))


def _article(language: str, parsed: _RomanceLabel, kind: str, form: int, *, alone: bool = True) -> str:
    if language == "es" and form == 1 and alone and is_stressed_feminine(parsed.noun):
        form = 0  # el agua
    return _articles(language)[kind][form]


def _agreement(slot: Slot, ahead: _RomanceContext, gender: str) -> tuple[bool, bool]:
    """Return whether the phrase in a slot is feminine, and whether it is in the plural."""
    head, many = slot.head.lower(), {form > 1 for form in ahead.forms}
    if gender in (COMMON_GENDER, UNKNOWN_GENDER):
        feminine = {form & 1 for form in ahead.forms}
        gender = ("m", "f")[min(feminine)] if len(feminine) == 1 else noun_gender(head, ahead.language)
    if len(many) == 1:
        return gender == "f", min(many)
    return gender == "f", slot.phrase.form == "common" and is_plural(head, ahead.language)


@lru_cache(maxsize=16_384)
def _plural(bare: str, language: str) -> str:
    """Return a noun with what belongs to it in the plural."""
    noun, *rest = COMPLEMENT_START.split(bare, maxsplit=1)
    many = " ".join(plural_form(word, language) for word in noun.split(" "))
    return " ".join((many, *rest))


def _fit_place_name(slot: Slot, ahead: _RomanceContext, parsed: _RomanceLabel) -> Rendering | None:
    """Return the name of a place: Spanish ones have no article, and some Portuguese ones have."""
    if ahead.article == "indefinite" or (ahead.rows and not ahead.article):
        return None
    articles = _place_articles() if ahead.language == "pt" else {}
    article = articles.get(parsed.bare) or articles.get(parsed.noun, "")
    if ahead.rows:
        feminine = article == "a" if article else parsed.noun.endswith(("a", "á"))
        article = _inflect_determiners(ahead, parsed, int(feminine), ahead.article)
    elif not (ahead.preposition or ahead.article or slot.starts_sentence):
        article = ""
    return _rewrite_determiners(slot, ahead, ahead.preposition, article, parsed.bare)


def place_within(place: str, language: str) -> str:
    """Return a place as where something is: de España, em Portugal, no Brasil."""
    if language == "es":
        return f"de {place}"
    article = _place_articles().get(place) or _place_articles().get(place.split(" ")[0], "")
    return f"{_contractions(language).get(('em', article), 'em')} {place}"


def _fit_nationality(slot: Slot, ahead: _RomanceContext, parsed: _RomanceLabel) -> Rendering | None:
    """Make a word for a people agree with its noun."""
    if parsed.article or parsed.noun in PEOPLES:
        return _fit_noun(slot, ahead, parsed)
    language, (feminine, many) = ahead.language, _agreement(slot, ahead, UNKNOWN_GENDER)
    if not ahead.has_agreement:
        many = is_plural(slot.head.lower(), language)
        # Else a label stands there by now.
        tells = slot.head.lower().endswith(("o", "a", "os", "as")) and slot.editable_before > 1
        noun = ahead.words[0] if ahead.words and not tells else ""
        if noun.islower() and noun_gender(noun, language) in ("m", "f"):
            feminine, many = noun_gender(noun, language) == "f", is_plural(noun, language)
    bare = " ".join(agreeing_form(word, language, "f" if feminine else "m", many) for word in parsed.bare.split(" "))
    determiners = _inflect_determiners(ahead, parsed, feminine + 2 * many, ahead.article)
    rendering = None if "-" in determiners else _rewrite_determiners(slot, ahead, ahead.preposition, determiners, bare)
    return rendering._replace(bare=parsed.bare) if rendering else None


SPAN_OF_YEARS: Final = re.compile(r"(?<=\d{4}) a (?=\d{4}$)")
AND_YEAR: Final = {"es": " y ", "pt": " e "}
"""Between the years of a span behind *entre*: entre as décadas de 2010 e 2020."""


def _fit_time(slot: Slot, ahead: _RomanceContext, parsed: _RomanceLabel) -> Rendering | None:
    """Return a time with its preposition: el 4 de julio is en la década de 2000."""
    place = int(bool(ahead.preposition and not ahead.has_agreement))
    if ahead.words[place : place + 1] and ahead.words[place].lower() in TIME_NOUNS:
        return None
    several = not ahead.forms & {0, 1}
    is_indefinite = ahead.article == "indefinite" or (several and parsed.article == "indefinite")
    if is_indefinite or (ahead.rows and not ahead.article):
        return None if parsed.article == "definite" else _fit_noun(slot, ahead, parsed)
    preposition = ahead.preposition
    if not preposition and (ahead.article or (ahead.words and PARTICIPLE.fullmatch(ahead.words[0].lower()))):
        preposition = TIME_PREPOSITION[ahead.language]
    article = _articles(ahead.language)[parsed.article][(parsed.gender == "f") + 2 * parsed.is_plural]
    bare = SPAN_OF_YEARS.sub(AND_YEAR[ahead.language], parsed.bare) if preposition == "entre" else parsed.bare
    return _rewrite_determiners(slot, ahead, preposition, article, bare)


def _fit_part_of_time(slot: Slot, ahead: _RomanceContext, label: str, part: str) -> Rendering | None:
    """Return a month or a part of a decade: el 4 de julio is en julio, desde 1991 is desde principios de la década."""
    place = int(bool(ahead.preposition and not ahead.has_agreement))
    if slot.written[:1].isdecimal() and (day := DAY_BEFORE.search(slot.before)):
        return _fit_month_for_day(slot, day, label, part, ahead.language)
    if ahead.rows or (ahead.words[place : place + 1] and ahead.words[place].lower() in TIME_NOUNS):
        return None
    if UNTIL.search(slot.before):
        return Rendering(0, label)
    default = TIME_PREPOSITION[ahead.language]
    at = "a" if ahead.language == "es" and part in PARTS_OF_DECADES else default
    article = "o" if part in ("início", "final") else ""
    preposition = ahead.preposition
    happened = bool(ahead.words) and bool(PARTICIPLE.fullmatch(ahead.words[0].lower()))
    if preposition in (default, "a") or (not preposition and (ahead.article or happened)):
        preposition = at
    return _rewrite_determiners(slot, ahead, preposition, article if preposition else "", label)


def _fit_month_for_day(slot: Slot, day: re.Match[str], label: str, part: str, language: str) -> Rendering | None:
    """Return a month or a part of it instead of a day: el pasado 11 de noviembre is en noviembre."""
    article = "o" if part in ("início", "final") else ""
    at = "a" if language == "es" and part in PARTS_OF_DECADES else TIME_PREPOSITION[language]
    if day["before"]:
        at = day["before"].strip().lower()
    elif (day["article"] or "").lower() in ("do", "del"):
        at = "de"
    ahead = _contractions(language).get((at, article)) or f"{at} {article}".rstrip()
    length = len(slot.before) - day.start()
    text = match_capital(f"{ahead} {label}", day[0])
    return Rendering(length, text, label) if length <= slot.editable_before else None


def _several_for(noun: str, language: str) -> str:
    """Return *several* as it agrees with a noun in the plural."""
    feminine = noun_gender(noun, language) == "f"
    return {"es": ("varios", "varias"), "pt": ("vários", "várias")}[language][feminine]


def _fit_number(ahead: _RomanceContext, label: str) -> Rendering | None:
    """Return a rounded number; behind an article or another word that says *about*, only a range fits."""
    if label.startswith("entre "):
        return None if ahead.has_agreement or ahead.preposition in ("em", "en", "a") else Rendering(0, label)
    if RANGE.match(label):
        return Rendering(0, RANGE.sub("", label) if ahead.preposition or ahead.has_agreement else label)
    about = APPROXIMATORS.intersection(word.lower() for word in ahead.words[:2])
    return None if (ahead.has_agreement or about) and not label[:1].isdecimal() else Rendering(0, label)
