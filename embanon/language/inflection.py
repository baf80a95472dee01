"""Return the other forms of nouns and adjectives by their endings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

InflectionRule = tuple[str, tuple[str, ...]]

NOUN_RULES: Final[Mapping[str, tuple[InflectionRule, ...]]] = {
    "en": (
        ("quy", ("quies",)), ("ay", ("ays",)), ("ey", ("eys",)), ("oy", ("oys",)), ("y", ("ies",)),
        ("sis", ("ses",)), ("woman", ("women",)), ("man", ("men",)), ("wife", ("wives",)),
        ("s", ("ses",)), ("x", ("xes",)), ("z", ("zes",)), ("ch", ("ches",)), ("sh", ("shes",)), ("", ("s",)),
    ),
    "es": (
        ("z", ("ces",)), ("ión", ("iones",)), ("ón", ("ones", "ona", "onas")),
        ("án", ("anes", "ana", "anas")), ("és", ("eses", "esa", "esas")), ("ín", ("ines", "ina", "inas")),
        ("dor", ("dores", "dora", "doras")),
        ("tor", ("tores", "tora", "toras")), ("sor", ("sores", "sora", "soras")), ("s", ()),
        ("a", ("as",)), ("e", ("es",)), ("o", ("os",)), ("í", ("íes", "ís")), ("", ("es",)),
    ),
    "pt": (
        ("ção", ("ções",)), ("são", ("sões",)), ("ão", ("ões", "ãos", "ães", "ã", "ãs", "oa", "oas")),
        ("al", ("ais",)), ("el", ("éis",)), ("ol", ("óis",)), ("il", ("is", "eis")), ("m", ("ns",)),
        ("dor", ("dores", "dora", "doras")), ("tor", ("tores", "tora", "toras")),
        ("sor", ("sores", "sora", "soras")), ("ês", ("eses", "esa", "esas")), ("r", ("res",)),
        ("z", ("zes",)), ("s", ()), ("", ("s",)),
    ),
    "de": (
        ("erin", ("erinnen",)), ("in", ("innen", "ins")), ("chen", ("chens",)), ("en", ("ens",)),
        ("er", ("ers", "ern")), ("el", ("els", "eln")), ("um", ("ums", "en")), ("us", ("usse", "en")),
        ("e", ("en", "es")),
        ("ung", ("ungen",)), ("heit", ("heiten",)), ("keit", ("keiten",)), ("schaft", ("schaften",)),
        ("ion", ("ionen",)), ("tät", ("täten",)), ("ik", ("iken",)), ("or", ("ors", "oren")),
        ("ist", ("isten",)), ("ent", ("enten", "ents", "ente")), ("ant", ("anten",)),
        ("mann", ("manns", "männer", "leute")),
        ("", ("s", "es", "e", "en")),
    ),
}  # fmt: skip
"""The other forms of a noun by its ending, the first that fits: too many do less harm than a missing one."""

FEMININE_RULES: Final[Mapping[str, tuple[InflectionRule, ...]]] = {
    "es": (("o", ("a", "as")), ("or", ("ora", "oras")), ("ín", ("ina",)), ("ante", ("anta",))),
    "pt": (("o", ("a", "as")), ("or", ("ora", "oras")), ("ês", ("esa", "esas"))),
    "de": (("e", ("in", "innen")), ("in", ()), ("er", ("erin", "erinnen")), ("ist", ("istin", "istinnen")),
           ("or", ("orin", "orinnen")), ("ent", ("entin", "entinnen")), ("ant", ("antin", "antinnen")),
           ("at", ("atin", "atinnen")), ("mann", ("frau", "frauen")), ("", ("in", "innen"))),
}  # fmt: skip
"""The forms that a noun for a person takes for women, added to those of `NOUNS`."""

ADJECTIVE_RULES: Final[Mapping[str, tuple[InflectionRule, ...]]] = {
    "es": (
        ("o", ("a", "os", "as")), ("és", ("esa", "eses", "esas")), ("án", ("ana", "anes", "anas")),
        ("ón", ("ona", "ones", "onas")), ("ín", ("ina", "ines", "inas")), ("ol", ("ola", "oles", "olas")),
        ("dor", ("dora", "dores", "doras")), ("a", ("as",)), ("e", ("es",)), ("í", ("íes", "ís")),
        ("ú", ("úes", "ús")),
        ("s", ()), ("", ("es",)),
    ),
    "pt": (
        ("ão", ("ã", "ãos", "ãs", "ães", "ões")), ("eu", ("eia", "eus", "eias")), ("o", ("a", "os", "as")),
        ("ês", ("esa", "eses", "esas")), ("al", ("ais",)), ("el", ("éis",)), ("ol", ("ola", "óis", "olas")),
        ("dor", ("dora", "dores", "doras")), ("a", ("as",)), ("s", ()), ("", ("s",)),
    ),
    "de": (("e", ("n", "r", "s", "m")), ("", ("e", "en", "er", "es", "em"))),
}  # fmt: skip
"""The other forms of an adjective by its ending; English has none. German `-e` only takes what follows it."""


def inflect(word: str, rules: Iterable[InflectionRule]) -> Iterator[str]:
    """Return the other forms of a word by the first rule whose ending fits."""
    for ending, others in rules:
        if word.endswith(ending):
            stem = word[: len(word) - len(ending)]
            yield from (stem + other for other in others)
            return


NOT_FEMININES: Final = frozenset((
    "botánica", "botânica", "carretera", "carteira", "crítica", "estadística", "estatística", "física",
    "gramática", "informática", "lógica", "marina", "matemática", "mecánica",
    "mecânica", "música", "política", "química",
    "retórica", "tática", "táctica", "técnica",
))  # fmt: skip
"""What the rules take for women and is none: música is not a musician."""


def inflect_noun(word: str, language: str, *, person: bool = False) -> Iterator[str]:
    """Return the other number, case and, for persons, gender forms of a noun."""
    yield from inflect(word, NOUN_RULES.get(language, ()))
    if person:
        women = inflect(word, FEMININE_RULES.get(language, ()))
        yield from (form for form in women if form.removesuffix("s") not in NOT_FEMININES)


def inflect_adjective(word: str, language: str) -> Iterator[str]:
    """Return the other gender, number and case forms of an adjective."""
    rules = ADJECTIVE_RULES.get(language, ())
    if language == "de" and word.endswith("e"):
        yield from (word + other for other in rules[0][1])
    else:
        yield from inflect(word, rules)
