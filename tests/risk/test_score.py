"""Risks: names are always found, others are harmless, the unknown is risky; laws hold for any text."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from embanon.config.settings import PRESETS, Config, ScoreSettings
from embanon.document import FORMS, TYPES, Document, Phrases
from embanon.entities.entity import Entity, fold_text
from embanon.entities.mentions import EntityMentions
from embanon.errors import ConfigError
from embanon.model.model import Model
from embanon.risk.explain import others_caution
from embanon.risk.score import ScoredPhrases, Scorer, carry_risk
from embanon.risk.spans import add_name_phrases, add_rare_words, add_spans, overlaps_any
from embanon.text.find import find_phrases
from embanon.text.visible import VisibleText

ADA = Entity("Ada Berger")
BEN = Entity("Ben Marsk")
VELLAND = Entity("University of Velland", type="ORG")
DEFAULT = ScoreSettings(others="keep")
TWO = "Ada Berger is an actress. She won in Velland. Ben Marsk is a chemist. He lived in Torland."


def scored(
    text: str, *protect: Entity, others: tuple[Entity, ...] = (), everyone: bool = False, language: str = "en",
    model: Model | None = None, settings: ScoreSettings = DEFAULT,
) -> ScoredPhrases:  # fmt: skip
    found = find_phrases(Document("x", text, language), config=Config(language=language))
    scorer = Scorer(language, model, settings)
    return scorer.score(text, found.phrases, found.sentences, protect, others, everyone=everyone)


def risks(text: str, found: ScoredPhrases) -> dict[str, float]:
    return {text[one.start : one.end]: risk for one, risk in zip(found.phrases, found.risk.tolist(), strict=True)}


def owners(text: str, found: ScoredPhrases) -> dict[str, int]:
    return {text[one.start : one.end]: who for one, who in zip(found.phrases, found.owner.tolist(), strict=True)}


def made(*spans: tuple[int, int]) -> Phrases:
    """Return phrases at some places."""
    starts, ends = (np.array(column, np.int64) for column in zip(*spans, strict=True))
    codes = np.zeros(len(spans), np.uint8)
    form = np.full(len(spans), FORMS.index("common"), np.uint8)
    return Phrases(starts, ends, codes, codes, form, starts, ends, np.arange(len(spans)), ("PERSON.full-name",))


# Names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Here Ada Berger came.", "Ada Berger"),
        ("ADA BERGER came, aDa bErGeR left.", "ADA BERGER|aDa bErGeR"),
        ("Then ada berger came.", "ada berger"),
        ("Ádá Bérger came.", "Ádá Bérger"),
        ("A\u0301da\u0301 Be\u0301rger came.", "A\u0301da\u0301 Be\u0301rger"),
        ("Write to ada.berger@example.org today.", "ada.berger"),
        ("Write to xberger@example.org today.", "berger"),
        ("All of #AdaBerger and #adabergerfans and #TeamBergerRules.", "AdaBerger|adaberger|Berger"),
        ("The class AdaBergerFactory and teamBergerRules and MyBERGERfile.", "AdaBerger|Berger|BERGER"),
        ("Open scan-ada-berger-12.03.2020.jpg and berger_2020-05-01.pdf now.", "ada-berger|berger"),
        ("See https://example.org/~berger/2020/05.", "berger"),
        ("See x/berger/2020-05-01/12, and 12.5.2020/ada_berger.", "berger|ada_berger"),
        ("The Berger-led and Berger/Marsk teams met at Berger's.", "Berger|Berger|Berger"),
        ("Ada Berger London Hospital opened in Berger Street.", "Ada Berger|Berger"),
        ("The Bergers left.", "Berger"),
        ("A\u00adda Ber\u00adger came.", "A\u00adda Ber\u00adger"),
        ("A\u200bda Be\u2060r\ufeffger came.", "A\u200bda Be\u2060r\ufeffger"),
        ("A\u2068da\u2069 Be\u200drger came.", "A\u2068da\u2069 Be\u200drger"),
        ("Ａｄａ Ｂｅｒｇｅｒ came, Ⓐⓓⓐ 𝐁𝐞𝐫𝐠𝐞𝐫 left.", "Ａｄａ Ｂｅｒｇｅｒ|Ⓐⓓⓐ 𝐁𝐞𝐫𝐠𝐞𝐫"),
        ("Adа Bеrgеr came.", "Adа Bеrgеr"),  # Cyrillic letters
        ("Be\u0301rge\u0335r came.", "Be\u0301rge\u0335r"),
        ("Then Ada Ber-\nger came.", "Ada Ber-\nger"),
        ("Open scan-ber\u200bger-1.jpg now.", "ber\u200bger"),
    ],
)
def test_names_are_always_whole_risks(text: str, names: str) -> None:
    found, at = scored(text, ADA), 0
    for name in names.split("|"):
        at = text.index(name, at)
        (holder,) = [place for place, one in enumerate(found.phrases) if one.start <= at and at + len(name) <= one.end]
        assert (found.risk[holder], found.named[holder], found.owner[holder]) == (1.0, True, 0)
        at += len(name)


@pytest.mark.parametrize(
    ("name", "text", "named"),
    [
        ("Max Fisher", "Here Max ﬁsher and Fi\u00adsher came.", ["Max ﬁsher", "Fi\u00adsher"]),
        ("Nguyễn Nga", "Here Nguyen and Nguye\u0302\u0303n Nga came.", ["Nguyen", "Nguye\u0302\u0303n Nga"]),
        ("Сергей Минин", "Here Серге\u0438\u0306 Минин came.", ["Серге\u0438\u0306 Минин"]),
        ("An\u00adna\u200b Velde", "Here Anna Velde came.", ["Anna Velde"]),
        ("رضا محمدی", "Here رضا مح\u0640مدی came.", ["رضا مح\u0640مدی"]),
        ("Diabetes", "They saw dia\u200bbetes there.", ["dia\u200bbetes"]),
    ],
)
def test_names_are_found_as_they_are_seen(name: str, text: str, named: list[str]) -> None:
    found = scored(text, Entity(name))
    at = [text[one.start : one.end] for one, is_named in zip(found.phrases, found.named, strict=True) if is_named]
    assert at == named


@pytest.mark.parametrize("text", ["The Embergerx and adalbert came.", "The ad of Adam came."])
def test_what_is_no_name(text: str) -> None:
    assert not scored(text, ADA).named.any()


@pytest.mark.parametrize(
    ("phrases", "spans", "expected"),
    [
        ([(0, 3)], [(5, 9)], [(0, 3), (5, 9)]),
        ([(0, 9)], [(5, 9)], [(0, 9)]),
        ([(0, 6), (8, 12)], [(5, 9)], [(0, 12)]),
        ([(3, 6)], [(0, 4), (5, 9)], [(0, 9)]),
        ([(4, 8)], [(4, 6), (7, 9)], [(4, 9)]),
        ([(0, 2)], [(2, 4), (4, 6)], [(0, 2), (2, 4), (4, 6)]),
    ],
)
def test_no_phrase_cuts_a_name(
    phrases: list[tuple[int, int]], spans: list[tuple[int, int]], expected: list[tuple[int, int]]
) -> None:  # fmt: skip
    text = "x" * 20
    found = add_name_phrases(made(*phrases), [EntityMentions("PERSON", spans, [])], text)
    assert list(zip(found.start.tolist(), found.end.tolist(), strict=True)) == expected


def test_spans_are_added_where_no_phrase_is() -> None:
    found = add_spans(made((2, 4), (8, 9)), [(0, 3, "ORG"), (5, 7, "ORG"), (6, 8, "LOC")])
    assert [(one.start, one.end, one.type) for one in found] == [(2, 4, "PERSON"), (5, 7, "ORG"), (8, 9, "PERSON")]
    same = made((2, 4))
    assert add_spans(same, []) is same


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(1, 5))))
def test_overlapping_is_the_naive_count(pairs: list[tuple[int, int]]) -> None:
    spans = [(start, start + size) for start, size in pairs]
    phrases = made((0, 3), (3, 5), (9, 20), (25, 26))
    naive = [any(a < one.end and one.start < b for a, b in spans) for one in phrases]
    assert overlaps_any(phrases, spans).tolist() == naive


# Of whom


def test_another_persons_phrases_are_harmless() -> None:
    found = scored(TWO, ADA)
    assert found.subject_count == 2
    risk = risks(TWO, found)
    assert risk["Ada Berger"] == 1
    assert np.isnan(risk["Velland"])
    assert max(risk["Ben Marsk"], risk["chemist"], risk["Torland"]) < 0.05
    assert owners(TWO, found)["Ben Marsk"] == -1


def test_what_speaks_of_others_is_masked_unless_it_is_to_be_kept() -> None:
    masked = scored(TWO, ADA, settings=ScoreSettings())
    assert risks(TWO, masked)["Torland"] != pytest.approx(0, abs=0.1)
    assert set(masked.owner.tolist()) == {0}


def test_what_stays_because_it_speaks_of_others_is_known() -> None:
    text = "Ada Berger is an actress. She was born in Oslo. Ben Marsk is a chemist. He was born on 3 May 1961 in Leeds."
    kept = scored(text, ADA)
    stays = {
        text[one.start : one.end] for one, stays in zip(kept.phrases, kept.kept_for_others(0.5), strict=True) if stays
    }
    assert "3 May 1961" in stays
    assert not stays & {"Ada Berger", "Oslo"}
    assert not scored(text, ADA, settings=ScoreSettings()).kept_for_others(0.5).any()
    assert others_caution(1) == "1 risky phrase stays because it speaks of others; --others mask replaces what does"


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("es", "Ada Berger es una actriz. Ella vive en Velland. Ben Marsk es un químico. Él trabaja en Torland."),
        ("pt", "Ada Berger é uma atriz. Ela mora em Velland. Ben Marsk é um químico. Ele trabalha em Torland."),
        ("de", "Ada Berger ist eine Köchin. Sie wohnt in Velland. Ben Marsk ist ein Arzt. Er arbeitet in Torland."),
        ("fr", "Ada Berger vit à Velland."),
    ],
)
def test_other_languages(language: str, text: str) -> None:
    found = scored(text, ADA, language=language)
    risk = risks(text, found)
    assert risk["Ada Berger"] == 1
    assert np.isnan(risk["Velland"])
    if found.subject_count == 2:
        assert risk["Ben Marsk"] == 0
        assert risk["Torland"] < 0.05


def test_others_need_not_be_protected() -> None:
    text = "Ada Berger met the chemist Ben Marsk. She lived in Velland."
    free = risks(text, scored(text, ADA, others=(BEN,)))
    assert (free["Ada Berger"], free["Ben Marsk"]) == (1, 0)
    both = scored(text, ADA, BEN)
    assert risks(text, both)["Ben Marsk"] == 1
    assert owners(text, both)["Ben Marsk"] == 1


def test_each_risk_names_its_owner() -> None:
    found = scored(TWO, ADA, BEN)
    who = owners(TWO, found)
    assert who == {"Ada Berger": 0, "actress": 0, "Velland": 0, "Ben Marsk": 1, "chemist": 1, "Torland": 1}
    turned = owners(TWO, scored(TWO, BEN, ADA))
    assert turned == {phrase: 1 - one for phrase, one in who.items()}


def test_nobody_is_safer_because_many_are_protected() -> None:
    names = "Ada Berger|Ben Marsk|Cora Tolland|Dan Velmar|Eve Orrin|Finn Galdo|Gus Harlow|Hal Imbry".split("|")
    text = "".join(f"{name} is a chemist. " for name in names) + "Old metallurgy went on near Torland."
    protect = [Entity(name) for name in names]
    some, every = scored(text, *protect), scored(text, *protect, everyone=True)
    assert some.attribution[-1] < DEFAULT.attribution_limit
    assert np.isnan(risks(text, some)["Torland"])
    np.testing.assert_allclose(some.risk, every.risk)


def test_everyone() -> None:
    found = scored(TWO, everyone=True)
    risk = risks(TWO, found)
    assert (risk["Ada Berger"], risk["Ben Marsk"]) == (1, 1)
    assert np.isnan([risk["Velland"], risk["Torland"]]).all()
    assert found.unmentioned == ()
    assert set(found.owner.tolist()) == {0}


def test_as_if_all_were_about_whom_no_name_is_of() -> None:
    found = scored(TWO, Entity("Zita Orlan"), BEN)
    assert found.unmentioned == (0,)
    assert risks(TWO, found)["actress"] < 0.05
    absent = scored(TWO, Entity("Zita Orlan"))
    every = scored(TWO, everyone=True)
    plain = ~every.named
    assert (absent.unmentioned, absent.named.any()) == ((0,), False)
    np.testing.assert_array_equal(absent.risk[plain], every.risk[plain])


def test_nobody_at_all() -> None:
    found = scored(TWO)
    assert (set(found.owner.tolist()), found.unmentioned, found.named.any()) == ({-1}, (), False)


def test_an_organization() -> None:
    text = "The University of Velland grew. Velland won. The university won."
    found = scored(text, VELLAND)
    assert risks(text, found)["Velland"] == 1
    assert found.unmentioned == ()


# What is not known, and what stands again


def test_unknown_words_are_above_any_limit(letters: Path) -> None:
    text = "Ada Berger saw the grubblix at Torzzand, and the garden."
    for model in (None, Model.open(letters)):
        found = scored(text, ADA, model=model)
        assert np.isnan(risks(text, found)["Torzzand"])
        assert found.unknown_count == int(np.isnan(found.risk).sum()) >= 1
        assert found.highest_risk == 1
        assert found.at_least(1.0)[np.isnan(found.risk)].all()
        assert not np.isnan(risks(text, found)["garden"])


def test_a_name_carries_its_risk(letters: Path) -> None:
    text = "Ada Berger left the Tolland Steam Company. She sued Tolland Steam Company in Vienna. Vienna was far."
    found = scored(text, ADA, model=Model.open(letters))
    by_name: dict[str, set[float]] = {}
    for one, risk in zip(found.phrases, np.nan_to_num(found.risk, nan=-1).tolist(), strict=True):
        by_name.setdefault(text[one.start : one.end].removeprefix("the "), set()).add(risk)
    assert all(len(some) == 1 for some in by_name.values())

    text = "Ada Berger met Cora Zzorn. Later Zzorn left."
    found = scored(text, ADA)
    risk, place = risks(text, found), [text[one.start : one.end] for one in found.phrases].index("Zzorn")
    assert not np.isnan(risk["Cora Zzorn"])
    assert np.isnan(risk["Zzorn"]) or (risk["Zzorn"] >= risk["Cora Zzorn"] and found.is_repeated[place])


def test_a_larger_risk_is_carried_within_one_owner() -> None:
    text = "Kest Torland and Kest left"
    phrases = made((0, 12), (17, 21))
    phrases.form[:] = FORMS.index("name")
    risk, same, other = np.array([0.9, 0.4]), np.array([0, 0]), np.array([0, 1])
    assert [one.tolist() for one in carry_risk(text, phrases, (0, 0), risk, same, np.ones(2, bool))] == [
        [0.9, 0.9], [False, True]]  # fmt: skip
    for owner, owned, groups in (
        (other, np.ones(2, bool), (0, 0)), (same, np.array([True, False]), (0, 0)), (same, np.ones(2, bool), (0, 1)),
    ):  # fmt: skip
        assert carry_risk(text, phrases, groups, risk, owner, owned)[0].tolist() == [0.9, 0.4]


def test_the_maximal_preset_adds_rare_words() -> None:
    text = "Ada Berger sang mellifluously, and then it was."
    plain, maximal = scored(text, ADA), scored(text, ADA, settings=ScoreSettings(preset="maximal"))
    assert risks(text, maximal).keys() - risks(text, plain).keys() == {"sang", "mellifluously"}
    assert maximal.at_least(PRESETS["maximal"][0]).all()


def test_a_rare_word_has_its_accents() -> None:
    text = "Sang cafe\u0301zzly, \u0301."
    found = add_rare_words(text, made((0, 4)), Scorer("en").rarity, 0.5)
    assert [text[one.start : one.end] for one in found] == ["Sang", "cafe\u0301zzly"]


def test_the_cosine_scorer(letters: Path) -> None:
    model = Model.open(letters)
    text = "Ada Berger wrote about the steam engine. She saw Zzorzz."
    found = scored(text, ADA, model=model, settings=ScoreSettings(scorer="cosine"))
    risk = risks(text, found)
    assert risk["steam engine"] == pytest.approx(np.clip(model.similarity("Ada Berger", ["steam engine"])[0][0], 0, 1))
    assert np.isnan(risk["Zzorzz"])
    assert risk["Ada Berger"] == 1
    by_all = scored(text, everyone=True, model=model, settings=ScoreSettings(scorer="cosine"))
    assert np.isnan(risks(text, by_all)["steam engine"])  # nobody knows how near to Zzorzz it is
    ones = scored(text.partition(". ")[0], everyone=True, model=model, settings=ScoreSettings(scorer="cosine"))
    assert risks(text, ones)["steam engine"] == risk["steam engine"]
    with pytest.raises(ConfigError, match="--model MODEL"):
        scored(text, ADA, settings=ScoreSettings(scorer="cosine"))


def test_the_attribution_limit() -> None:
    safe, whole = scored(TWO, ADA, settings=ScoreSettings(attribution_limit=0.0)), scored(TWO, everyone=True)
    other = ~whole.named & ~np.isnan(whole.risk)
    assert (safe.risk[other] == whole.risk[other]).all()
    strict = scored(TWO, ADA, settings=ScoreSettings(attribution_limit=1.0))
    assert (np.nan_to_num(strict.risk, nan=2) <= np.nan_to_num(safe.risk, nan=2)).all()


# Laws

PIECES = st.sampled_from(
    ["Ada Berger", "BERGER", "#adaberger", "ada.berger@x.org", "Ben Marsk", " is a chemist. ", "She ", " in 1994",
     "\n\n", "🙂", "👩\u200d🔬", "e\u0301", "\u0301", "قال سعاد", "שלום", "Berger\u0301", "Velland",
     "#UniversityOfVellandNews", "-", "_", "/", "2020-05-01", "'s", "."]
)  # fmt: skip
TEXTS = st.lists(PIECES | st.text(max_size=8), max_size=14).map("".join)


@settings(max_examples=60)
@given(text=TEXTS, join=st.booleans())
def test_laws(text: str, join: bool) -> None:
    text = text if join else " ".join(text)[:200]
    found = scored(text, ADA, BEN, VELLAND, settings=ScoreSettings(preset="maximal" if join else "standard"))
    starts, ends = found.phrases.start, found.phrases.end
    assert (starts < ends).all()
    assert (ends[:-1] <= starts[1:]).all()
    assert not len(ends) or (starts[0] >= 0 and ends[-1] <= len(text))
    for column in (found.risk, found.owner, found.attribution, found.named, found.is_repeated, found.linked):
        assert len(column) == len(found.phrases)
    known = found.risk[~np.isnan(found.risk)]
    assert ((known >= 0) & (known <= 1)).all()
    assert (found.risk[found.named] == 1).all()
    assert 0 <= found.highest_risk <= 1
    visible = VisibleText.from_text(text)
    low = fold_text(visible.text)
    for entity in (ADA, BEN, VELLAND):
        mentions = EntityMentions.find(entity, visible.text, low, "en").in_original(visible)
        for start, end in (*mentions.spans, *mentions.embedded):
            inside = (found.phrases.start <= start) & (end <= found.phrases.end)
            assert inside.any(), "a name is cut"
            assert (found.risk[inside] == 1).all()
    previous = found.at_least(0.0)
    for limit in (0.1, 0.28, 0.645, 0.9, 1.0):
        masked = found.at_least(limit)
        assert not (masked & ~previous).any(), "a higher limit masks more"
        previous = masked


def test_an_empty_text() -> None:
    found = scored("", ADA)
    assert (len(found.phrases), found.highest_risk, found.unknown_count, found.unmentioned) == (0, 0.0, 0, (0,))


def test_time_grows_with_the_text() -> None:
    base = "Ada Berger sings in Velland. She lived in Torland since 1994. Ben Marsk is a chemist. He met Berger there. "
    seconds = []
    for count in (1_000, 5_000):  # 20 words each
        text = base * count
        part = find_phrases(Document("x", base, "en"), config=Config(language="en"))
        many, size = np.arange(count).repeat(len(part.phrases)) * len(base), len(part.phrases)
        whole = part.phrases.select(np.tile(np.arange(size), count)).shifted(0, 0)
        phrases = Phrases(
            whole.start + many, whole.end + many, whole.type, whole.kind, whole.form, whole.head_start + many,
            whole.head_end + many, np.arange(len(whole)), whole.kinds,
        )  # fmt: skip
        sentences = (np.arange(count)[:, None] * len(base) + part.sentences).ravel()
        begin = time.process_time()
        found = Scorer("en").score(text, phrases, sentences, [ADA])
        seconds.append(time.process_time() - begin)
        assert len(found.phrases) == size * count
    assert seconds[1] < 15 * max(seconds[0], 0.1)


def test_nothing_shows_a_text_or_a_name() -> None:
    shown = repr(scored(TWO, ADA, BEN))
    assert not any(word in shown for word in ("Ada", "Berger", "berger", "Marsk", "chemist"))
    assert {one.type for one in scored(TWO, ADA).phrases} <= set(TYPES)
