"""Substitutes: of the same type and shape, the same throughout a text, and never what stands there."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache

import pytest
from hypothesis import given, settings, strategies as st

from embanon.config.settings import RiskLimits
from embanon.document import Phrase
from embanon.entities.entity import Entity, distinctive_words, fold_text
from embanon.entities.present import PresentEntity
from embanon.language.lexicon import Cue, Lexicon
from embanon.replace.checks import ForbiddenWords
from embanon.replace.edit import Edit, mask_characters
from embanon.replace.methods import KeyedChoice, Methods
from embanon.replace.plan import Replacer
from embanon.replace.rewrite import restore, rewrite
from embanon.replace.surrogates import SubstituteRegistry, Substitutes
from embanon.replace.surrogates.codes import code_candidates, mask_with_checksum, number_candidates
from embanon.replace.surrogates.invented_words import invent_word
from embanon.replace.surrogates.pools import listed_names, name_pools
from embanon.replace.surrogates.siblings import containing_places
from embanon.risk.score import rarity_of
from embanon.taxonomy.climb import climber
from embanon.taxonomy.store import SHIPPED
from embanon.text.identifiers.anchors import load_validator
from tests.anonymized import ADA, anonymized, edits, judge, masker
from tests.replace.test_plan import PIECES

KEYED = KeyedChoice(b"a secret of this test")
MORE = """an oboist|two oboists|the Velland Bank Ltd|the VBL|University of Lisbon|in Lisbon|Lisbon, Portugal
Ms Tolland's|A. Berger|A.B. Berger|Adas|Cora|MARSK|on 4 July 2003|July 2003|£12,500|3.5 kg|aged 42|12 Main Street
GB82 WEST 1234 5698 7654 32|+47 22 00 00 00|c.tolland@velland.example|https://velland.example/marsk?x=1""".replace(
    "\n", "|"
).split("|")
TEXTS = st.lists(st.sampled_from([*PIECES, *MORE, "\n"]), max_size=25).map(" ".join)
LANGUAGES = st.sampled_from(["en", "es", "pt", "de", "fr"])


@cache
def substituting(secret: bytes = b"key", valid: bool = False, language: str = "en", limit: float = 0.3) -> Replacer:
    methods = Methods("substitute", keyed=KeyedChoice(secret), valid=valid)
    return Replacer(climber(SHIPPED, language), rarity_of(None, language), RiskLimits(limit), methods)


def everyone(text: str, mask: Replacer) -> list[Edit]:
    judged = judge(text, (), mask.climber.language, everyone=True)
    return mask.plan_edits(text, judged.scored, judged.analysis.sentences.tolist(), ())


def shown(text: str, mask: Replacer | None = None) -> str:
    return rewrite("x", text, everyone(text, mask or substituting()))[0]


# Laws


@given(TEXTS, LANGUAGES, st.binary(min_size=1, max_size=4))
@settings(max_examples=70)
def test_a_key_and_a_text_decide(text: str, language: str, secret: bytes) -> None:
    found = everyone(text, substituting(secret, language=language))
    methods = Methods("substitute", keyed=KeyedChoice(secret))
    again = Replacer(climber(SHIPPED, language), rarity_of(None, language), RiskLimits(0.3), methods)
    assert everyone(text, again) == found
    new, solutions = rewrite("x", text, found)
    assert restore("x", new, solutions).text == text


@given(TEXTS, LANGUAGES)
@settings(max_examples=70)
def test_nothing_that_stands_there(text: str, language: str) -> None:
    low = fold_text(text)
    known = set(re.findall(r"\w+", low))
    groups, originals = defaultdict[str, set[tuple[int, str]]](set), defaultdict[str, set[str]](set)
    for edit in everyone(text, substituting(language=language)):
        if edit.rung != "substitute":
            continue
        new, old = fold_text(edit.replacement), fold_text(text[edit.start : edit.end])
        assert new != old
        groups[new].add((edit.group, edit.type))
        originals[new].add(old)
        if edit.type == "PERSON":
            words = {word for word in re.findall(r"[^\W\d_]{2,}", new) if not is_title(word, language)}
            assert not words & known
        elif edit.type in ("LOC", "CODE", "DEM"):
            assert not re.search(rf"(?<!\w){re.escape(re.sub('^(an?|the) ', '', new))}(?!\w)", low)
    assert all(len(of) == 1 or len(originals[new]) == 1 for new, of in groups.items() if len(new) > 3)


def is_title(word: str, language: str) -> bool:
    return word in ("dr", "ms", "mr") or bool(Lexicon.load(language).flags(word.capitalize()) & Cue.TITLE)


@given(TEXTS, st.sampled_from(["substitute", "shift"]), st.sampled_from([0.1, 0.645, 1.0]))
@settings(max_examples=50)
def test_no_part_of_the_name_is_left(text: str, method: str, limit: float) -> None:
    new, _ = anonymized(text, masker(limit, method))
    assert not distinctive_words(Entity(ADA), "en").intersection(re.findall(r"[^\W_]+", fold_text(new)))


def test_edited_texts_are_restored() -> None:
    text = "Ada Berger is an oboist in Lisbon. Berger left Acme Ltd on 4 July 2003. Ada wrote to Ben Marsk."
    found = everyone(text, substituting())
    new, solutions = rewrite("x", text, found)
    first, second, third = new.split(". ")
    turned = f"{second}. {third.removesuffix('.')}. {first}."
    back = restore("x", turned, solutions)
    assert not back.missing
    first, second, third = text.split(". ")
    assert back.text == f"{second}. {third.removesuffix('.')}. {first}."
    assert restore("x", new.upper(), solutions).restored_count == len(solutions)


# Persons

PEOPLE = [
    ("en", "Ada Berger saw Ben Marsk. Dr Berger and Mr Marsk left. Berger wrote to Ben. Berger's car.",
     r"(\w+) (\w+) saw (\w+) (\w+)\. Dr \2 and Mr \4 left\. \2 wrote to \3\. \2's car\."),
    ("en", "Angelina Jolie came. A. Jolie left. Jolie, Angelina was there.",
     r"(\w)(\w+) (\w+) came\. \1\. \3 left\. \3, \1\2 was there\."),
    ("en", "Ludwig van Beethoven played. Beethoven's hands.", r"(\w+) (\w+) played\. \2's hands\."),
    ("de", "Frau Anna von Stein lachte. Dann ging Frau von Stein.", r"Frau (\w+) (\w+) lachte\. Dann ging Frau \2\."),
    ("es", "Gabriel García Márquez vino. Gabriel García salió.", r"(\w+) (\w+) (\w+) vino\. \1 \2 salió\."),
    ("en", "Ada Berger-Lind is the sister of Ben Berger.", r"(\w+) (\w+)-(?!\2)(\w+) is .* of (\w+) \2\."),
    ("en", "Ada Berger (chair), Ben Berger. The Bergers moved.", r"(\w+) (\w+), (\w+) \2\. The \2s moved\."),
    ("es", "Lucía García Marsk vino.", r"(\w+) (\w+) (?!\2)(\w+) vino\."),
    ("en", "王小明 came.", r"Person 1 came\."),
]  # fmt: skip


@pytest.mark.parametrize(("language", "text", "pattern"), PEOPLE)
@pytest.mark.parametrize("secret", [b"1", b"2", b"3"])
def test_one_substitute_for_one_person(language: str, text: str, pattern: str, secret: bytes) -> None:
    new = shown(text, substituting(secret, language=language))
    assert re.fullmatch(pattern, new), new
    for word in ("Berger", "Ada", "Marsk", "Jolie", "Beethoven", "Stein", "Anna", "García"):
        assert word not in new


GENDERS = {
    "Angelina Keller left.": Cue.FEMALE,
    "Robert Keller left.": Cue.MALE,
    "Vrilka Keller stayed. Mrs Keller left.": Cue.FEMALE,
    "Vrilka Keller left. He slept, and his dog barked.": Cue.MALE,
    "Vrilka Keller left. She slept.": Cue.FEMALE,
}


@pytest.mark.parametrize("text", GENDERS)
@pytest.mark.parametrize("secret", [b"1", b"2", b"3", b"4"])
def test_genders_are_kept(text: str, secret: bytes) -> None:
    made = next(edit for edit in everyone(text, substituting(secret)) if " " in edit.replacement)
    given = made.replacement.split()[-2]
    flags = Lexicon.load("en").flags(given)
    assert flags & GENDERS[text]
    assert not flags & (Cue.FEMALE | Cue.MALE) & ~GENDERS[text]


MENTIONS = {
    "ANNA VON STEIN": "{0} {1}", "Steins": "{1}s", "A. Stein": "{0[0]}. {1}", "Annas": "{0}s", "anna stein": "{0} {1}",
    "Stein, Anna": "{1}, {0}", "Frau Dr. von Stein": "Frau Dr. {1}", "Anna Stein's": "{0} {1}'s", "Annastein": "{0}{1}",
}  # fmt: skip


def test_mentions() -> None:
    some, whose = (
        substitutes(language="de"),
        PresentEntity(-1, frozenset(("anna", "stein")), (), longest_name="Anna von Stein"),
    )
    parts = some.substitute_for("Anna Stein", phrase("PERSON"), whose)
    assert parts
    for written, wanted in MENTIONS.items():
        made = some.substitute_for(written, phrase("PERSON"), whose)
        assert made
        assert made.lower().replace("ss", "s") == wanted.format(*parts.split()).lower().replace("ss", "s")
        assert (made.isupper(), made.islower()) == (written.isupper(), written.islower())


def test_what_stands_beside_a_name() -> None:
    some, whose = substitutes(), PresentEntity(-1, frozenset(("berger",)), (), protected_name="Ada Berger")
    name = some.substitute_for("Ada Berger", phrase("PERSON"), whose)
    assert some.substitute_for("Present: Ada Berger (chair)", phrase("PERSON"), whose) == f"Present: {name}"


def test_a_maiden_name_is_another() -> None:
    some, whose = substitutes(language="pt"), PresentEntity(-1, frozenset(("berger",)), (), protected_name="Ada Berger")
    whole = some.substitute_for("Maria Ada Marsk Berger", phrase("PERSON"), whose)
    assert whole
    assert len(set(whole.split())) == 4
    assert [some.substitute_for(one, phrase("PERSON"), whose) for one in ("Ada", "Marsk", "Berger", "Bergr")] == [
        *whole.split()[1:], whole.split()[-1]
    ]  # fmt: skip


TITLED = [
    ("es", "Vino la Sra. Vrilka Keller. Ayer murió el Sr. Keller.", Cue.FEMALE),
    ("es", "Ayer llegó Dña. Vrilka Keller.", Cue.FEMALE),
    ("pt", "Veio a Sra. D. Vrilka Keller.", Cue.FEMALE),
    ("en", "Robert Keller left. Ms Keller left.", Cue.MALE),
]  # fmt: skip


@pytest.mark.parametrize(("language", "text", "gender"), TITLED)
def test_forms_of_address_tell_genders(language: str, text: str, gender: Cue) -> None:
    made = next(edit for edit in everyone(text, substituting(language=language)) if edit.type == "PERSON")
    flags = Lexicon.load(language).flags(made.replacement.split()[-2])
    assert flags & (Cue.FEMALE | Cue.MALE) == gender


def test_a_family_stays_one_and_a_given_name_does_not() -> None:
    new = shown("Ada Berger met Tom Berger. Ada Marsk did not.")
    found = re.fullmatch(r"(\w+) (\w+) met (\w+) \2\. (\w+) (\w+) did not\.", new)
    assert found
    assert len(set(found.groups())) == 5


@pytest.mark.parametrize("language", ["en", "es", "pt", "de", "fr"])
def test_pools(language: str) -> None:
    lexicon = Lexicon.load(language)
    for sort, pool in name_pools(language).items():
        assert len(pool.names) == len(set(pool.names)) == len(pool.shares)
        assert list(pool.shares) == sorted(pool.shares)
        assert not [name for name in pool.names if lexicon.flags(name) & Cue.AMBIGUOUS]
        if sort != "either":
            assert len(pool.similar_to(None)) > 50
            assert len(pool.similar_to(1e-5)) > 50


# Other types

TEXTS_OF_TYPES = [
    ("She left Acme Ltd for Acme Bank.", r"She left (\w+) Ltd for \1 Bank\."),
    ("She left the University of Lisbon for Lisbon.", r"She left the University of ([\w ’'-]+) for \1\."),
    ("He lives at 12 Main Street.", r"He lives at \d\d \w+ Street\."),
    ("He lives at 7 Harbour Road.", r"He lives at \d (?!Harbour)\w+ Road\."),
    ("She was raised in Bergen, Norway.", r"She was raised in [^,.]+, [^,.]+\."),
    ("She is 42 years old.", r"She is [345]\d years old\."),
    ("She is 42 years old, and was born in May 1961.", r"She is (?!\d).* born in \w+ 196\d\."),
    ("He lives at 481 Harbour Road, Apt 3B.", r"He lives at \d+ \w+ Road, \w+ \d[A-Z]\."),
    ("It cost £12,500.", r"It cost £1\d,\d00\."),
    ("She is an oboist. Two oboists came.", r"She is an? (\w{4})\w*\. \w+ \1\w+ came\."),
    ("A Polish lawyer.", r"An? [A-Z]\w+ \w+\."),
]


@pytest.mark.parametrize(("text", "pattern"), TEXTS_OF_TYPES)
@pytest.mark.parametrize("secret", [b"1", b"2"])
def test_types(text: str, pattern: str, secret: bytes) -> None:
    new = shown(text, substituting(secret, limit=0.05))
    assert re.fullmatch(pattern, new), new
    assert not re.search("Acme|Lisbon|Main|Bergen|Norway|12,500|oboist|Polish", new)
    assert not re.search(r"\b[Aa] [aeio]|\b[Aa]n [bcdfgklmnpqrst]", new)


@cache
def phrase(type: str, kind: str = "", form: str = "name") -> Phrase:
    return Phrase(0, 1, type, f"{type}.{kind}", form, 0, 1, 0)


def substitutes(
    text: str = "", words: frozenset[str] = frozenset(), language: str = "en", secret: bytes = KEYED.secret
) -> Substitutes:
    taken = SubstituteRegistry(text, ForbiddenWords(words, ()))
    return Substitutes(
        text, climber(SHIPPED, language), rarity_of(None, language), KeyedChoice(secret), taken, valid=False
    )


def kind_of(place: str) -> set[str]:
    store = climber().stores["places"]
    found = (store.broader(sense.concept) for sense in store.senses(place, "en"))
    return {store.id(link.concept) for links in found for link in links if link.kind == "instance"}


@pytest.mark.parametrize(
    ("place", "kind"), [("Lisbon", "kind:city"), ("Norway", "kind:country"), ("Ohio", "kind:state")]
)
def test_places_keep_their_kind(place: str, kind: str) -> None:
    made = substitutes().substitute_for(place, phrase("LOC"))
    assert made
    assert made != place
    assert kind in kind_of(made)


def test_a_place_within_a_place() -> None:
    some = substitutes()
    made = some.substitute_for("Bergen, Norway", phrase("LOC"))
    assert made
    city, country = made.split(", ")
    store = climber().stores["places"]
    whole = climber().climb(made, "LOC", "", "name").senses
    assert whole, made
    assert some.substitute_for("Norway", phrase("LOC")) == country
    assert some.substitute_for("BERGEN", phrase("LOC")) == city.upper()
    assert store


def test_postcodes() -> None:
    some = substitutes()
    for written, shape in (("SW1A 2AA", "XX9X 9XX"), ("4020", "9999"), ("4000-123", "9999-999")):
        made = some.substitute_for(written, phrase("LOC", "postcode"))
        assert made
        assert (mask_characters(made), mask_characters(written)) == (shape, shape)
        assert made[0] != written[0] or made[0].isdecimal()
    assert some.substitute_for("Harbour 7", phrase("LOC", "address")) is None


def country_of(place: str, language: str) -> set[str]:
    store = climber(SHIPPED, language).stores["places"]
    around = (containing_places(store, sense.concept) for sense in store.senses(place, language))
    return {id for places in around for id in map(store.id, places) if re.fullmatch("iso:[A-Z]{2}", id)}


TOWNS = [
    ("es", "Sevilla", "", "iso:ES"), ("de", "Augsburg", "", "iso:DE"), ("de", "Waldkirchen", "", "iso:DE"),
    ("de", "Halle", "", "iso:DE"), ("es", "Alhucemas", "", "iso:MA"), ("en", "Freiburg", "", "iso:DE"),
    ("pt", "Évora", "", "iso:PT"), ("en", "Dornie", "town", "iso:GB"), ("es", "Navantia", "town", "iso:ES"),
    ("pt", "Caxinas", "town", "iso:PT"), ("de", "Dagebüll", "town", "iso:DE"), ("de", "Lemgo", "address", "iso:DE"),
]  # fmt: skip


@pytest.mark.parametrize(("language", "written", "kind", "country"), TOWNS)
def test_towns_stay_in_their_country(language: str, written: str, kind: str, country: str) -> None:
    made = substitutes(language=language).substitute_for(written, phrase("LOC", kind))
    assert made not in (None, written)
    assert country in country_of(str(made), language)


@pytest.mark.parametrize(
    ("written", "language"), [("UK", "en"), ("Portugal", "pt"), ("España", "es"), ("PORTUGAL", "pt")]
)
def test_countries_stay_on_their_continent(written: str, language: str) -> None:
    made = substitutes(language=language).substitute_for(written, phrase("LOC"))
    store = climber(SHIPPED, language).stores["places"]
    assert made not in (None, written)
    around = {
        store.id(one) for sense in store.senses(str(made), language) for one in containing_places(store, sense.concept)
    }
    assert "m49:150" in around
    assert str(made).isupper() is (len(written) > 2 and written.isupper())


def test_the_article_of_an_acronym_goes() -> None:
    assert re.fullmatch(r"He left (?!the)[A-Z][A-Za-z ]+\.", shown("He left the UK."))


FIRMS = [
    ("de", "Aufstieg Liftsysteme GmbH", r"(?!Aufstieg)[A-Z]\w+ Liftsysteme GmbH"),
    ("de", "Tierpark Löwitz gGmbH", r"Tierpark (?!Löwitz)[A-Z]\w+ gGmbH"),
    ("de", "Passauer Blatt", r"(?!Passau)[A-Z]\w+er Blatt"),
    ("de", "FFW Waldkirchen", r"FFW (?!Wald)[A-Z][a-zäöüß]+.*"),
    ("de", "AOK NordWest", r"AOK [A-Z]\w+"), ("de", "Hotel Elephant", r"Hotel (?!Eleph)[A-Z]\w+"),
    ("de", "Klinik Lippstrand, Depression", r"Klinik [A-Z]\w+, (?!Depression)[A-Z]\w+"),
    ("de", "DONAUISAR Klinikum", r"(?!DONAU)[A-ZÄÖÜ]+ Klinikum"),
    ("pt", "Herdade do Rouxinol – Hotel Rural & Vinhos", r"Herdade do (?!Roux)[A-Z]\w+ – Hotel Rural & Vinhos"),
    ("pt", "Hospital de São Telmo", r"Hospital de São (?!Telmo)[A-Z]\w+"),
    ("pt", "EB1 da Fonte Santa", r"EB[2-9] da \w+ Santa"),
    ("es", "Hospital Virgen de la Luz", r"Hospital Virgen de la (?!Luz)[A-Z]\w+"),
    ("es", "JUZGADO DE LO SOCIAL N.º 3 DE TERUEL", r"JUZGADO DE LO SOCIAL N\.º [^3] DE (?!TERUEL)\D+"),
    ("en", "Tarren Haulage & Storage Ltd", r"(?!Tarren)[A-Z]\w+ Haulage & Storage Ltd"),
    ("en", "Gardeners' World", r"(?!Gardeners)[A-Z]\w+'s World"), ("en", "Guardian", r"(?!Guardian)[A-Z]\w+"),
    ("en", "St Chad's Church", r"St (?!Chad)\w+'s Church"), ("fr", "Velland SA", r"(?!Velland)[A-Z]\w+ SA"),
]  # fmt: skip


@pytest.mark.parametrize(("language", "written", "pattern"), FIRMS)
@pytest.mark.parametrize("secret", [b"1", b"2"])
def test_firms_keep_what_says_what_they_are(language: str, written: str, pattern: str, secret: bytes) -> None:
    some = substitutes(language=language, secret=secret)
    made = some.substitute_for(written, phrase("ORG"), full=written)
    assert re.fullmatch(pattern, str(made)), made
    assert some.substitute_for(written, phrase("ORG"), full=written) == made


def test_a_firm_has_no_word_that_is_protected() -> None:
    some = substitutes(words=frozenset(("liftsysteme", "ffw")), language="de")
    for written in ("Aufstieg Liftsysteme GmbH", "FFW Waldkirchen"):
        assert not re.search("(?i)lift|ffw", some.substitute_for(written, phrase("ORG"), full=written) or "")


def test_a_word_that_tells_stays_nowhere() -> None:
    some, full = substitutes(language="de"), "Aufstieg Liftsysteme GmbH"
    made = some.substitute_for(full, phrase("ORG"), full=full)
    assert made
    assert some.substitute_for("Aufstieg", phrase("ORG"), full=full) == made.split()[0]


ADDRESSES = [
    ("de", "Sankt-Anna-Gasse 3", r"\w+gasse \d"), ("de", "Mittelstr. 88", r"\w+str\. \d\d"),
    ("de", "Holm 57", r"\w+weg \d\d"),
    ("de", "Genthiner Str. 7", r"\w+er Str\. \d"), ("de", "32657 Lemgo", r"\d{5} (?!Lemgo)[A-ZÄÖÜ]\D+"),
    ("de", "Genthiner Str. 9 in 39110 Magdeburg", r"\w+er Str\. \d in \d{5} (?!Magdeburg)[A-ZÄÖÜ]\D+"),
    ("de", "Jena, Werk 2, R 3.07", r"(?!Jena)[A-ZÄÖÜ]\D+, Werk \d, R \d\.\d\d"),
    ("es", "C/ del Horno, 9", r"C/ del (?!Horno)\w+[^as], \d"),
    ("es", "Avda. Ruiz Jarabo s/n", r"Avda\. [A-ZÁÉÍÓÚ]\w+ s/n"),
    ("es", "c/ Isilla, 18, 2.º A", r"c/ [A-ZÁÉÍÓÚ]\w+, \d\d, \d\.º [A-Z]"),
    ("es", "N-320, km 112,4", r"N-\d{3}, km \d{3},\d"),
    ("pt", "R. do Souto, 118, 2.º Esq.", r"R\. do [A-Z]\w+, \d{3}, \d\.º Esq\."),
    ("pt", "Rua da Carreira, 215", r"Rua da \w+[ae], \d{3}"),
    ("pt", "7350-102 Elvas", r"\d{4}-\d{3} (?!Elvas)[A-ZÁÉÍÓÚ]\D+"),
    ("en", "Flat 2, 19 Tenter Street, Sheffield", r"Flat [^2], \d\d [A-Z]\w+ Street, (?!Sheff)[A-Z]\D+"),
    ("en", "A87", r"A\d\d"),
]  # fmt: skip


@pytest.mark.parametrize(("language", "written", "pattern"), ADDRESSES)
@pytest.mark.parametrize("secret", [b"1", b"2"])
def test_addresses_could_be(language: str, written: str, pattern: str, secret: bytes) -> None:
    made = substitutes(language=language, secret=secret).substitute_for(written, phrase("LOC", "address"))
    assert re.fullmatch(pattern, str(made)), made
    assert made != written


def test_each_part_of_an_address_has_its_own() -> None:
    new = shown("Sie wohnt: Mittelstr. 88, 32657 Lemgo.", substituting(language="de"))
    assert re.fullmatch(r"Sie wohnt: \w+str\. \d\d, \d{5} (?!Lemgo)[^\d,]+\.", new), new


ODD = [
    "",
    " ",
    "x",
    "Q",
    "-",
    "😀",
    "😀 😀",
    "🏠 12",
    "’s",
    "A",
    "ß",
    "7",
    ",",
    "a, b",
    ". . .",
    "王小明",
    "Ñ Ñ",
    "\ud800",
    "\n",
    "DER",
    "la",
]


@pytest.mark.parametrize("language", ["en", "es", "pt", "de", "fr", "xx"])
@pytest.mark.parametrize("written", ODD)
def test_odd_values(language: str, written: str) -> None:
    for type, kind in (
        ("ORG", ""),
        ("LOC", ""),
        ("LOC", "town"),
        ("LOC", "address"),
        ("LOC", "postcode"),
        ("MISC", ""),
    ):
        for full in (written, "Velland Bank"):
            made = substitutes(language=language).substitute_for(written, phrase(type, kind), full=full)
            assert made is None or made != written


@pytest.mark.parametrize("language", ["en", "es", "pt", "de"])
def test_listed_names(language: str) -> None:
    lexicon, names = Lexicon.load(language), listed_names(language, "names")
    assert len(names) == len(set(names)) > 45
    assert not [name for name in names if lexicon.place_cues(name) or not name.isalpha()]
    for sort in ("trees", "trees_f", "trees_m"):
        trees = listed_names(language, sort)
        assert len(trees) == len(set(trees))
        assert bool(trees) is ((sort == "trees") is (language in ("en", "de")))


def test_nothing_is_made_up_of_what_is_not_known() -> None:
    some = substitutes()
    for type, kind, written in (
        ("MISC", "work", "Velvet Dawn"), ("LOC", "place", "Zorblaxia"), ("ORG", "organization", "the University"),
        ("DEM", "illness", "diabetes"), ("DEM", "kin", "uncle"), ("QUANTITY", "count", "1"),
        ("QUANTITY", "count", "5 to 10"), ("QUANTITY", "ordinal", "3rd"), ("PERSON", "surname", "Ли"),
    ):  # fmt: skip
        assert some.substitute_for(written, phrase(type, kind)) is None


def test_protected_words_are_avoided() -> None:
    first = substitutes().substitute_for("Lisbon", phrase("LOC"))
    assert first
    other = substitutes(words=frozenset(re.findall(r"\w+", fold_text(first)))).substitute_for("Lisbon", phrase("LOC"))
    assert other not in (None, first)
    assert substitutes(f"She saw {first.lower()}.").substitute_for("Lisbon", phrase("LOC")) not in (None, first)


def test_acronyms_follow_their_names() -> None:
    some = substitutes()
    full = "Velland Harp Society"
    made, short = (
        some.substitute_for(full, phrase("ORG"), full=full),
        some.substitute_for("VHS", phrase("ORG"), full=full),
    )
    assert made
    assert made.endswith(" Society")
    assert short == "".join(word[0] for word in made.split())


@pytest.mark.parametrize("language", ["en", "es", "pt", "de"])
@pytest.mark.parametrize("written", ["12", "12.500", "12,500", "3,5 kg", "7", "0,25", "1999", "90%", "£ 100"])
def test_numbers_keep_magnitude_and_precision(language: str, written: str) -> None:
    for made in list(number_candidates(written, language, KEYED))[:20]:
        assert made != written
        assert mask_characters(made) == mask_characters(written)
        for one, other in zip(made, written, strict=True):
            assert (one == "0") >= (other == "0" and not written.endswith("90%"))


def test_words_for_numbers() -> None:
    assert set(number_candidates("two", "en", KEYED)) == {"three"}
    assert set(number_candidates("Twelve", "en", KEYED)) == {"Nine", "Ten", "Eleven", "Thirteen", "Fourteen", "Fifteen"}
    assert not list(number_candidates("one", "en", KEYED))
    assert not list(number_candidates("two", "fr", KEYED))


# Codes

CODES = {
    "iban": ("GB82 WEST 1234 5698 7654 32", "iban"),
    "card": ("4111-1111-1111-1111", "luhn"),
    "national.es": ("12345678Z", ""),
    "uuid": ("123e4567-e89b-12d3-a456-426614174000", ""),
}


@pytest.mark.parametrize("kind", CODES)
@pytest.mark.parametrize("valid", [True, False])
def test_codes_keep_their_shape(kind: str, valid: bool) -> None:
    written, check = CODES[kind]
    made = next(code_candidates(written, kind, KEYED, valid=valid))
    assert made != written
    assert mask_characters(made) == mask_characters(written)
    assert not check or load_validator(check)(re.sub(r"\W", "", made)) is valid
    if check:
        mask = mask_with_checksum(written, kind, KEYED)
        assert mask
        assert load_validator(check)(re.sub(r"\W", "", mask))
        assert mask_characters(mask) == mask_characters(written)


@pytest.mark.parametrize("written", ["+47 22 00 00 00", "(030) 1234567", "+1-202-555-0143"])
@pytest.mark.parametrize("valid", [True, False])
def test_phones_are_nobodys(written: str, valid: bool) -> None:
    import phonenumbers

    made = next(code_candidates(written, "phone", KEYED, valid=valid))
    assert mask_characters(made) == mask_characters(written)
    for region in ("US", "DE", "NO", "GB", "ES", "BR"):
        try:
            number = phonenumbers.parse(made, region)
        except phonenumbers.NumberParseException:
            continue
        assert not phonenumbers.is_valid_number(number)


@pytest.mark.parametrize(
    ("kind", "written", "pattern"),
    [
        ("e-mail", "ada.berger7@velland.com", r"[a-z]+\.[a-z]+\d@example\.(com|org|net)"),
        ("handle", "@adaberger", r"@[a-z]+"),
        ("url", "https://www.velland.com/Ada/7?x=1", r"https://www\.example\.\w+/[A-Z][a-z]+/\d\?[a-z]+=\d"),
    ],
)
def test_addresses_of_the_net(kind: str, written: str, pattern: str) -> None:
    made = next(code_candidates(written, kind, KEYED, valid=True))
    assert re.fullmatch(pattern, made), made
    assert not re.search("ada|berger|velland", made, re.IGNORECASE)


@given(st.integers(0, 2**256), st.integers(1, 30))
def test_invented_words(number: int, length: int) -> None:
    assert re.fullmatch("[a-z]{4,15}", invent_word(number, length))


def test_masks_with_checksums() -> None:
    text = "Ada Berger has GB82 WEST 1234 5698 7654 32 and mail@velland.example."
    for valid in (True, False):
        methods = Methods("mask", keyed=KEYED, valid=valid)
        found = edits(text, Replacer(climber(), rarity_of(None, "en"), RiskLimits(0.645), methods))
        iban = next(edit.replacement for edit in found if len(edit.replacement) == 27)
        assert load_validator("iban")(iban) is valid


@given(st.binary(min_size=1), st.text(), st.text())
def test_choices_need_the_secret(secret: bytes, name: str, other: str) -> None:
    one, two = KeyedChoice(secret), KeyedChoice(secret + b"x")
    assert next(one.numbers("a", name)) == next(one.numbers("a", f" {name.strip()} ")) or name != name.strip()
    assert next(one.numbers("a", name)) != next(two.numbers("a", name))
    assert next(one.numbers("a", name)) != next(one.numbers("b", name))
    assert str(secret) not in repr(one)
