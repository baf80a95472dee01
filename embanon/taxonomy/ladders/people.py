"""Compute the ladders of people: what they are called beside their name, how old they are, how they are related.

The name itself says nothing. A form of address says a gender (`Mr`, `Frau`), and only that does: given names do not,
for nothing but a custom ties them to one. The number of `Person 1` is given later, over the whole text.
"""

from __future__ import annotations

import re
from typing import Final

from embanon.language import Cue, Lemmatizer, Lexicon, fold_name, fold_word as lemma_key
from embanon.taxonomy.ladders.numerals import find_number
from embanon.taxonomy.ladders.tables import Context, Step, Tables, section_labels

PERSON: Final[Step] = ("PERSON", "person")
ROLE_WINDOW: Final = 80
"""Characters before and after a name that are looked at."""

_WORD: Final = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
_AFTER: Final = re.compile(r"\s*(?:,\s*|\(\s*)((?:[^\W\d_]+(?:[-'’][^\W\d_]+)*[ \t]*){1,5})(?=[,.;:)]|$)?")
GENDER_ENDINGS: Final = {"masculine": ("or", "ón", "és", "ín", "ão", "ês"), "feminine": ("ora", "triz", "esa", "isa")}
"""Endings that tell the gender of a Spanish or Portuguese noun for a person; -o does not: modelo, testigo."""

_NO_NAME: Final = int(Cue.ORG_HEAD | Cue.PLACE_HEAD | Cue.ROLE | Cue.WORK_HEAD)
_NO_VOWEL: Final = ("uni", "eu", "one", "us", "ut", "u.")
_STRANGE_H: Final = ("hour", "honest", "heir", "honor", "honour")


def person_steps(phrase: str, tables: Tables, context: Context) -> list[Step]:
    """Return the steps of a person: a role stated beside the name, a title, a gender by form of address."""
    if _names_a_place(context.before, tables) or _names_a_family(context.after, tables):
        return [PERSON]
    words = [fold_name(word) for word in phrase.split()[:3]]
    ahead = context.before[-ROLE_WINDOW:].split(" ")
    part = len(ahead) > 1 and not ahead[-1] and ahead[-2][:1].isupper() and ahead[-2].isalpha()  # Attorney General X
    title = "" if part and tables.language == "en" else _role_of_title(words, tables)
    role = _role_before(context.before, tables) or _role_after(context.after, tables) or title
    steps: list[Step] = [(role, "role")] if role else []
    if not role and len(phrase.split()) > 1:
        for gender, name in (("man", "masculine"), ("woman", "feminine")):
            if words[0] in tables.words("persons", name):
                steps.append((tables.text("types", gender), "gender"))
    return [*steps, PERSON]


def role_of(phrase: str, tables: Tables) -> str:
    """Return what the head of a phrase is: an occupation, a role; empty where it is not known as one."""
    words = _WORD.findall(phrase)
    cut = tables.words("nouns", "cut")
    words = words[: next((place for place, word in enumerate(words) if place and fold_name(word) in cut), len(words))]
    head = words[0 if tables.text("nouns", "position") == "first" else -1] if words else ""
    flags = Lexicon.load(tables.language).flags(head)
    is_people = flags & (Cue.DEM | Cue.NATIONALITY)
    if not flags & Cue.ROLE or is_people or fold_name(head) in tables.words("persons", "no_roles"):
        return ""
    others = tables.words("persons", "no_occupations")
    is_one = bool(others) and fold_name(head) not in others and "-" not in head
    return tables.text("types", "occupation" if is_one else "role")


def _names_a_place(before: str, tables: Tables) -> bool:
    """Return whether a name is that of a street or a square: Rúa Profesor X."""
    words = before[-ROLE_WINDOW:].split()
    return bool(words) and bool(Lexicon.load(tables.language).flags(words[-1]) & Cue.PLACE_HEAD)


def _names_a_family(after: str, tables: Tables) -> bool:
    """Return whether a name is that of a family: the Niohuru clan."""
    match = _WORD.match(after.lstrip(" "))
    return match is not None and fold_name(match[0]) in tables.words("persons", "groups")


def _role_of_title(words: list[str], tables: Tables) -> str:
    """Return the role that a title before a name says: Professor, Senator."""
    if len(words) < 2:
        return ""
    titles = tables.pairs("persons", "titles")
    last = next((place for place, word in enumerate(words) if word not in titles), len(words))
    lexicon = Lexicon.load(tables.language)
    if not last or last == len(words) or lexicon.flags(words[last].capitalize()) & _NO_NAME:
        return ""
    name = titles[words[last - 1]]  # a lieutenant general is a general
    return add_article(name, tables) if tables.language == "en" and name else name


def _role_before(before: str, tables: Tables) -> str:
    """Return the role that ends what stands before a name: `the Danish actor X`."""
    text = before[-ROLE_WINDOW:]
    if not text or text[-1:] not in " \u00a0" or text.rstrip()[-1:].isalpha() is False:
        return ""
    words = _WORD.findall(text)
    return _role_with_article(words[-1], words[:-1], tables) if words else ""


def _role_after(after: str, tables: Tables) -> str:
    """Return the role in apposition behind a name: `X, a Danish actor,`; it must begin with an indefinite article."""
    match = _AFTER.match(after[:ROLE_WINDOW])
    if not match:
        return ""
    words = _WORD.findall(match[1])
    articles = tables.words("persons", "indefinite")
    if len(words) < 2 or fold_name(words[0]) not in articles:
        return ""
    lexicon = Lexicon.load(tables.language)
    for place, word in enumerate(words[1:], start=1):
        following = words[place + 1] if place + 1 < len(words) else ""
        ends = not following or bool(lexicon.flags(following) & (Cue.STOP | Cue.CONNECTOR | Cue.PRONOUN))
        if tables.text("nouns", "position") == "first" or ends:
            return _role_with_article(word, words[:place], tables)
        if lexicon.flags(word) & (Cue.STOP | Cue.CONNECTOR):
            return ""
    return ""


def _role_with_article(word: str, before: list[str], tables: Tables) -> str:
    """Return a role with its article; empty where its gender or number is not certain."""
    key, flags = fold_name(word), Lexicon.load(tables.language).flags(word)
    if not flags & Cue.ROLE or flags & Cue.KIN or key in tables.words("persons", "not_roles"):
        return ""
    if key.startswith("ex-") or any(fold_name(other) in tables.words("nouns", "privative") for other in before[-4:]):
        return ""
    titled = tables.language == "en" and flags & Cue.TITLE
    if not tables.flag("nouns", "capitalized") and not word.islower() and not titled:
        return ""
    return add_article(word if tables.flag("nouns", "capitalized") else key, tables, before)


def add_article(word: str, tables: Tables, before: list[str] | None = None) -> str:
    """Return a noun for a person with its indefinite article; empty where a table and the ending do not tell it."""
    if tables.language == "en":
        if word.endswith(("s", "men")):
            return ""
        vowel = (word[:1] in "aeiou" and not word.startswith(_NO_VOWEL)) or word.startswith(_STRANGE_H)
        return f"{'an' if vowel else 'a'} {word}"
    if tables.flag("nouns", "capitalized"):
        if word.endswith(("e", "innen")) or Lemmatizer.load(tables.language).lemma(word) != lemma_key(word):
            return ""
        feminine = word.endswith("in")
        return f"{'eine' if feminine else 'ein'} {word}"
    return _romance_article(word, tables, before or [])


def _romance_article(word: str, tables: Tables, before: list[str]) -> str:
    """Return a Spanish or Portuguese noun with its article, by its ending or by the article in the text.

    Where they differ, as in `la modelo`, nothing is given.
    """
    if word.endswith("s"):
        return ""
    keys = [fold_name(other) for other in before[-3:]]
    genders = {
        name for name, endings in GENDER_ENDINGS.items()
        if word.endswith(endings) or tables.words("persons", f"{name}_articles").intersection(keys)
    }  # fmt: skip
    return f"{tables.text('persons', f'a_{genders.pop()}')} {word}" if len(genders) == 1 else ""


ADULT, CHILD, OLD, OLDEST = 18, 13, 90, 120
CHILDREN: Final = (
    (range(1, 4), 0, 4), (range(4, 6), 3, 7), (range(6, 9), 5, 9), (range(9, 11), 8, 12), (range(11, 13), 10, 13),
)  # fmt: skip
"""Ages of children, and the range that is said of all of them."""
YOUNGEST_ROUGH: Final = 20
ROUGH, ADJECTIVE, STAGE = "rough", "adjective", "stage"
"""Kinds of steps that say about how old somebody is, as an adjective does it, and whether of age."""


def age_steps(phrase: str, tables: Tables) -> list[Step]:
    """Return the steps of an age: five years, ten years, whether of age.

    From 90 on there are so few people that nothing narrower than `90 or older` is said.
    """
    number, last = find_number(phrase, tables), tables.type("age")
    for part in tables.words("ages", "noun_parts") if number is None else ():  # siebenundvierzigjährige
        number = number or find_number(phrase.lower().partition(part)[0], tables)
    if number is None or number.has_others or number.value != int(number.value):
        return [last]
    words = {fold_name(word) for word in re.findall(r"[^\W\d_]+", phrase)}
    value = int(number.value)
    if words & tables.words("ages", "months") or words & tables.words("ages", "weeks"):
        years = value / 12 if words & tables.words("ages", "months") else value / 52
        young = "child" if years < CHILD else "minor" if years < ADULT else ""
        steps: list[Step] = [(tables.text("ages", young), STAGE)] if young else []
        return [*steps, *_stage("minor" if young else "", tables), last]
    if value > OLDEST:
        return [last]
    frame = _frame(phrase, number.start, words, tables)
    is_noun = any(part in fold_name(phrase) for part in tables.words("ages", "noun_parts"))
    adjectives = tables.content["ages"].get("describing", []) if is_noun else []
    describing = [(str(label), ADJECTIVE) for label, oldest in adjectives if value <= oldest][:1]
    rough = [] if is_noun else _rough(value, tables)
    return [*rough, *describing, *_ranges(value, frame, tables, is_noun=is_noun), last]


def _rough(value: int, tables: Tables) -> list[Step]:
    """Say an age as people do who do not tell theirs: early 60s, Mitte 60, sesenta y pico."""
    if not CHILD <= value < OLD:
        return []
    decade = value // 10 * 10
    labels = tables.content["ages"]["teens" if value < YOUNGEST_ROUGH else "rough"]
    label = next(str(label) for label, digits in labels if str(value % 10) in digits)
    return [(label.format(decade=decade, next=decade + 10), ROUGH)]


def _stage(name: str, tables: Tables) -> list[Step]:
    return [(tables.text("ages", name), STAGE)] if name else []


def _ranges(value: int, frame: str, tables: Tables, *, is_noun: bool) -> list[Step]:
    """Return the ranges that hold an age; none begins or ends with it."""
    if value >= OLD:
        return [(tables.text("ages", "oldest"), "range"), *_stage("adult", tables)]
    spans: list[tuple[int, int]]
    stages = ["adult"]
    if value >= YOUNGEST_ROUGH:
        spans = [] if is_noun else [(value // 10 * 10, value // 10 * 10 + 9)]
    elif value >= ADULT:
        spans = [(18, 29)]
    elif value >= CHILD:
        spans, stages = [(13, 17)], ["minor"]
    else:
        spans = [] if is_noun else [(low, high) for ages, low, high in CHILDREN if value in ages]
        stages = ["child", "minor"]
    steps: list[Step] = []
    for low, high in spans:
        if (low, high) == (value // 10 * 10, value // 10 * 10 + 9) and (decade := tables.text("ages", "decade")):
            steps.append((decade.format(decade=low), "range"))
        elif value not in (low, high):
            span = tables.text("ages", "range").format(low=low, high=high)
            steps.append((frame.format(range=span), "range"))
    return steps + [(tables.text("ages", stage), STAGE) for stage in stages]


def _frame(phrase: str, start: int, words: set[str], tables: Tables) -> str:
    """Return what stands around the range, so that it fits where the age stood."""
    before = fold_name(" ".join(phrase[:start].split()))
    if before in tables.words("ages", "prefixes"):
        return f"{before} {{range}}"
    if before:
        return "{range}"
    if words & tables.words("ages", "old_words"):
        return tables.text("ages", "old")
    if words & tables.words("ages", "year_words"):
        return tables.text("ages", "years")
    return tables.text("ages", "old") if words else "{range}"


def kin_steps(phrase: str, tables: Tables, head: str = "") -> list[Step]:
    """Return the steps of a relation, without the gender."""
    words = phrase.split()
    if not words or any(fold_name(word) in tables.words("nouns", "privative") for word in words):
        return []
    word = fold_name(head or words[0 if tables.text("nouns", "position") == "first" else -1])
    label = section_labels(tables, "kin").get(word)
    return [] if label is None else [(label, "relation"), tables.type("kin")]
