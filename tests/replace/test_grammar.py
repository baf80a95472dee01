"""How labels stand in sentences: what must not be read in any of many generated sentences."""

from __future__ import annotations

import random
import re

import pytest

from embanon.replace.grammar.english import takes_an
from embanon.taxonomy.ladders import bracket_word
from tests.anonymized import anonymized, masker

FAULTS = {
    "a word twice": r"\b([^\W\d_]{2,})s? \1s?\b",
    "two articles": r"\b(?:an?|the|his|her|its|their|my|our|some|every|\w's) (?:an?|the)\b",
    "an article behind a modifier": r"\b(?:leading|famous|renamed|beloved|small|first|two|three|Polish) (?:an?|the)\b",
    "a noun and its label": r"\b(?:films?|novels?|songs?|bands?|river|company|prize|city|actor) (?:an? |the )|"
    r"\b(?:the|her|his) \[\w+ \d\] an? ",
    "something belongs to nothing": r"\b(?:an?|the|his|her|its|first|leading|small|famous|two|three) something\b",
    "something that is one of others": r"\bsomething (?:pilot|actress|actor|grant|station|school|office)",
    "a number and one": r"\b(?:two|three|four|several|\d+) (?:award|film|work|novel|person|place|city|country|prize|"
    r"relative|musician|scientist|organization|foundation|university|company|something|child)\b(?! \w)",
    "a plural behind a": r"\ban? (?:awards|works|people|films|musicians|relatives|children)\b",
    "on a decade": r"\b(?:on|at) the \d+s",
    "born a decade": r"\b(?:born|died) the\b",
    "a instead of an": r"\b[Aa] (?!one\b|uni[^nm]|eu|us[eu]|ut[ei]|ur[aeiou])[aeiou8]",
    "an instead of a": r"\b[Aa]n (?!8|18\d\d|11|18|hour|honest|hono|heir|[AEFHILMNORSX][A-Z])"
    r"(?:[^\Waeiou_]|one\b|uni[^nm]|eu)",
    "a place in itself": r"(?<!between )(?<!from )(?<!ern )\b(?!European)"
    r"((?:in |the )?[A-Z][a-z]+(?: [A-Z][a-z]+)?)(?:, | in | and )(?:in )?\1\b(?! \d)",
    "no capital": r"(?:^|[.!?] )[“\"]?[a-z]",
    "a loose sign": r"  | [,.;]| ['’]s\b|\(\s",
    "numbers by number": r"\ba number (?!of\b|,|\.)\w+s\b",
}  # fmt: skip
"""What no sentence must have that had none of it before."""
RULES = {name: re.compile(rule) for name, rule in FAULTS.items()}


def faults(text: str) -> list[str]:
    """Name the faults of a text with what is wrong."""
    return [f"{name}: {found[0]!r}" for name, rule in RULES.items() for found in rule.finditer(text)]


def new_faults(before: str, after: str) -> list[str]:
    given = {fault.partition(":")[0] for fault in faults(before)}
    return [fault for fault in faults(after) if fault.partition(":")[0] not in given]


WORKS = ("Velvet Dawn", "Old Skinner (1994)", "“Moonlight Harbor”", "Red Otter (1998 film)", "The Amber Key (2003)")
PLACES = ("Oslo", "Bergen", "Zürich", "Geneva", "Ohio", "Lagos", "the Faroe Islands", "Uganda", "Gothenburg")
GROUPS = ("the Kestrel Foundation", "Velland University", "Imbry Records", "Orlan Bank", "the Tolland Institute")
PRIZES = ("an Oscar", "the Saturn Award", "two Saturn Awards", "an Emmy", "three Grammys", "the Velland Prize")
DATES = ("4 July 2003", "May 1994", "1994", "Monday", "5 May", "11 October 1811")
WHO = (
    "oboist", "astrophysicist", "violinist", "ornithologist", "actress", "heart surgeon", "umpire", "otter",
    "euphonium", "hermit", "unicyclist", "Norwegian", "Polish accountant", "uncle", "daughter", "goalkeeper", "harp",
)  # fmt: skip


def plural(noun: str) -> str:
    return f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}es" if noun.endswith("s") else f"{noun}s"


def on(date: str) -> str:
    return f"{'in' if date[-4:].isdecimal() and ' ' not in date[:-5] else 'on'} {date}"


def one(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiouAEIO' and not noun.startswith(('eu', 'uni')) else 'a'} {noun}"


def sentences(seed: int, count: int) -> list[str]:
    pick = random.Random(seed).choice
    rows = []
    for _ in range(count):
        who, other, place, there = pick(WHO), pick(WHO), pick(PLACES), pick(PLACES)
        work, more, group, prize, date = pick(WORKS), pick(WORKS), pick(GROUPS), pick(PRIZES), pick(DATES)
        name = group.removeprefix("the ")
        rows += [
            f"Ada Berger (born {pick(('3 March 1961', '1961'))}) is {one(who)} and {other}.",
            f"Berger is a leading {who}, and her {other} is a small {pick(WHO)} from {place}.",
            f"She wrote the film {work} and the novels {more} and {pick(WORKS)}.",
            f"{one(who).capitalize()} praised {work}, {more} and {pick(WORKS)}.",
            f"Her first {who} and his two {plural(other)} lived in {place}, {there} and {pick(PLACES)}.",
            f"She moved from {place} to {there} {on(date)}, and married in {place} in {there}.",
            f"{on(date)[0].upper()}{on(date)[1:]} Berger won {prize} for {work}.",
            f"Berger's {who} met {group} and {pick(GROUPS)} in {there}.",
            f"{place[0].upper()}{place[1:]} is where Dr Berger became {one(name)} fellow.",
            f"Her {name} grant paid three {plural(who)}, a {name} office and the famous {other}.",
            f"Ada's {pick(('renamed', 'beloved', 'second'))} {who} joined {group} between {place} and {there}.",
            f"{work} made Berger’s {other} {one(who)}. {who.capitalize()} or not, the {other} left.",
        ]  # fmt: skip
    return rows


@pytest.mark.parametrize("limit", [0.645, 0.4, 0.28, 0.1])
def test_no_faults_in_generated_sentences(limit: float) -> None:
    lines = sentences(int(limit * 1000), 20)
    changed = 0
    for line in lines:
        shown = anonymized(line, masker(limit))[0]
        assert not new_faults(line, shown), f"{line}\n{shown}\n{new_faults(line, shown)}"
        changed += shown != line
    assert changed > len(lines) * 0.9


CASES = {
    "Ada Berger met an oboist.": "Person 1 met a musician.",
    "Berger, born 3 March 1961 in Oslo, left.": "Person 1, born in the 1960s in Northern Europe, left.",
    "Dear Ada Berger, thank you.": "Dear Person 1, thank you.",
    "Berger, born 3 March 1961, left.": "Person 1, born in the 1960s, left.",
    "On 4 July 2003 Berger sang.": "In the 2000s Person 1 sang.",
    "Berger was in Oslo, Stavanger and Trondheim.": "Person 1 was in Northern Europe.",
    "Berger was raised in Chicago.": "Person 1 was raised in a city in the United States.",
    "Berger sang between Oslo and Stavanger.": "Person 1 sang between Northern Europe and a town in Northern Europe.",
    "Berger's oboist's car left.": "Person 1's musician's car left.",
    "Berger met two oboists.": "Person 1 met two musicians.",
    "Berger met 87 oboists.": "Person 1 met about 90 musicians.",
    "Berger met 1,200 oboists.": "Person 1 met more than 1,000 musicians.",
    "Berger met 12 oboists.": "Person 1 met more than 10 musicians.",
    "Berger met her two oboists.": "Person 1 met her two musicians.",
    "Her oboists met Berger.": "Her musicians met Person 1.",
    "Berger met an oboist and a violinist.": "Person 1 met a musician and a musician.",
    "Berger met an oboist. The oboist met a violinist.": "Person 1 met a musician. The musician met a musician.",
    "She said “Berger” and left.": "She said “Person 1” and left.",
    "Berger moved to the Faroe Islands.": "Person 1 moved to Northern Europe.",
    "Berger has three Saturn Awards.": "Person 1 has three awards.",
    "Berger wrote 1985's best film.": "Person 1 wrote the 20th century's best film.",
    "Berger sang more than seven times.": "Person 1 sang more than seven times.",
    "Berger met an American physicist.": "Person 1 met a North American scientist.",
    "Berger met an oboist, who left.": "Person 1 met a musician, who left.",
    "Berger thanked president Carla Molina.": "Person 1 thanked president Person 2.",
    "Berger's oboists' cars left.": "Person 1's musicians' cars left.",
}


CASES["Berger lives near Leeds. Leeds is nice."] = (
    "Person 1 lives near a city in the United Kingdom. A city in the United Kingdom is nice."
)
CASES["Berger met a diver."] = "Person 1 met a […]."  # who is no occupation


@pytest.mark.parametrize("text", CASES)
def test_how_a_label_stands(text: str) -> None:
    assert anonymized(text, masker(0.28))[0] == CASES[text]


@pytest.mark.parametrize("word", ["actor", "hour", "heir", "1800s", "18th", "80s", "unincorporated area", "IP address"])
def test_asks_for_an(word: str) -> None:
    assert takes_an(word)


@pytest.mark.parametrize(
    "word", ["film", "university", "European", "one", "1990s", "180", "unit", "user", "US city", "UK"]
)
def test_asks_for_a(word: str) -> None:
    assert not takes_an(word)


FOREIGN = {
    "es": "Ada Berger nació el 3 de mayo de 1961 en Oslo. Es una oboísta de la Universidad de Velland en el Perú.",
    "pt": "Ada Berger nasceu em 3 de maio de 1961 na Noruega. É uma oboísta da Universidade de Velland, no Porto.",
    "de": "Ada Berger wurde am 3. Mai 1961 in Oslo geboren. Sie war an der Universität Velland und im Museum Orlan.",
}
WRONG = re.compile(
    r"\b(?:el|la|los|un|una|del|al|der|die|das|dem|den|des|ein|eine|einer|am|im|zum|zur|vom|do|da|no|na|o|um|uma) "
    r"(?:el|la|los|un|una|der|die|das|ein|eine|einen|o|a|um|uma)\b|  ", re.IGNORECASE
)  # fmt: skip


@pytest.mark.parametrize("language", FOREIGN)
@pytest.mark.parametrize("limit", [0.645, 0.28, 0.1])
def test_no_two_articles_in_other_languages(language: str, limit: float) -> None:
    shown = anonymized(FOREIGN[language], masker(limit, language=language))[0]
    assert f"{bracket_word('PERSON', '', language)} 1" in shown
    assert not WRONG.search(shown), shown
