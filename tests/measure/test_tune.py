"""The limit that is chosen: by annotations, by attackers, by what is kept, and what is said of how sure that is."""

from __future__ import annotations

import json
import math
import re
import subprocess
import tomllib
import xml.etree.ElementTree as Tree
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from embanon.attack.attack import PublicTexts, Target, attack as attack_all
from embanon.attack.masks import AttackerWords
from embanon.config.load import load, write_limits
from embanon.config.settings import Config, RiskLimits, ScoreSettings
from embanon.document import TYPES, Document
from embanon.entities.entity import Entity
from embanon.entities.protected import ProtectedEntities, ProtectionRules
from embanon.errors import ConfigError
from embanon.linkage.attackers import AdditiveAttacker
from embanon.linkage.baselines import remove_spans, spans_where
from embanon.measure.annotations import Annotation, GoldDocument, Mention
from embanon.measure.curve import (
    EVERY_PHRASE_LIMIT,
    LIMITS,
    NAME_LEVEL,
    NAMES_ONLY_LIMIT,
    NOTHING_MASKED_LIMIT,
    LimitCurve,
    LinkageAttack,
    Sample,
    f_score,
    measure_limits,
)
from embanon.measure.tune import (
    AgreementGoal,
    BalanceGoal,
    Goal,
    HidingGoal,
    RetentionGoal,
    best_limit_index,
    curve_rows,
    tune,
)
from embanon.report.charts import Series, line_chart, line_chart_png
from embanon.risk.score import ScoredPhrases
from embanon.scoring import ScoredDocument, score_all
from tests.conftest import SECRET

Done = subprocess.CompletedProcess[str]
Run = Callable[..., Done]

NAMED = ["Ada Berger", "Ben Marsk", "Cora Tolland", "Dan Imbry", "Eve Orlan", "Finn Zell", "Gus Quill", "Hal Wendt",
         "Ida Vorn", "Jon Pask", "Kim Drell", "Lea Hust"]  # fmt: skip
HINTS = ["arias", "enzymes", "rafts", "horses", "glaciers", "violins", "orchids", "submarines", "chess", "beehives",
         "volcanoes", "lighthouses"]  # fmt: skip
TEXTS = {
    name: f"{name} was born in 19{40 + number} and has always loved {hint}. The old {hint} of the town were kept by "
    f"the family. Many people came to see the {hint}, and wrote about the work in the city."
    for number, (name, hint) in enumerate(zip(NAMED, HINTS, strict=True))
}
PUBLIC = {name: f"{name}, known for {hint}, lives with {hint}." for name, hint in zip(NAMED, HINTS, strict=True)}


def gold(id: str, text: str, *words: str) -> GoldDocument:
    found = [(text.index(word), text.index(word) + len(word)) for word in words]
    return GoldDocument(id, text, (Annotation("one", tuple(Mention(start, end) for start, end in found)),))


GOLDS = {name: gold(name, text, name, text[text.index("19") :][:4]) for name, text in TEXTS.items()}


@pytest.fixture(scope="module")
def judged() -> list[ScoredDocument]:
    of = {name: ProtectedEntities((Entity(name),)) for name in TEXTS}
    documents = [Document(name, text, "en") for name, text in TEXTS.items()]
    return list(score_all(documents, ProtectionRules(by_document=of), config=Config(language="en")))


@pytest.fixture(scope="module")
def samples(judged: list[ScoredDocument]) -> list[Sample]:
    return [Sample.from_scored(one, GOLDS[one.analysis.document.id]) for one in judged]


@pytest.fixture(scope="module")
def attack(samples: list[Sample]) -> LinkageAttack:
    return attack_on(samples, PUBLIC)


def attack_on(samples: list[Sample], texts: dict[str, str]) -> LinkageAttack:
    found = LinkageAttack.from_samples(samples, texts)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def whole(samples: list[Sample], attack: LinkageAttack) -> LimitCurve:
    return measure_limits(samples, attack, limits=(EVERY_PHRASE_LIMIT, *LIMITS, NAMES_ONLY_LIMIT, NOTHING_MASKED_LIMIT))


def test_a_curve_goes_from_every_phrase_to_nothing(whole: LimitCurve) -> None:
    kept, information = whole.share_kept, whole.information_kept
    assert (np.diff(kept) >= 0).all()
    assert (np.diff(information) >= 0).all()
    assert kept[-1] == pytest.approx(1.0)
    assert information[-1] == pytest.approx(1.0)
    assert information[0] == 0.0
    assert kept[-2] < 1.0, "names are masked"
    assert whole.share_found()[-1] == pytest.approx(1.0)
    assert whole.share_found()[0] < 1.0


def test_counts_are_those_of_a_loop_over_words(
    samples: list[Sample], whole: LimitCurve, judged: list[ScoredDocument]
) -> None:
    place = list(whole.limits).index(0.5)
    right = wrong = missed = 0
    for one in judged:
        text, flags = one.analysis.document.text, one.scored.at_least(0.5)
        phrases = [phrase for phrase, flag in zip(one.scored.phrases, flags, strict=True) if flag]
        wanted = GOLDS[one.analysis.document.id].annotations[0].mentions_to_mask
        for word in re.finditer(r"\w+", text):
            is_masked = any(phrase.start < word.end() and word.start() < phrase.end for phrase in phrases)
            is_gold = any(mention.start < word.end() and word.start() < mention.end for mention in wanted)
            right += is_masked and is_gold
            wrong += is_masked and not is_gold
            missed += is_gold and not is_masked
    assert whole.counts is not None
    assert whole.counts[:, place].sum(axis=0).tolist() == [right, wrong, missed]


def test_annotators_are_counted_apart(judged: list[ScoredDocument]) -> None:
    one = judged[0]
    text = one.analysis.document.text
    both = GoldDocument("x", text, (Annotation("a", (Mention(0, 10),)), Annotation("b", ())))
    found = measure_limits([Sample.from_scored(one, both)], limits=(EVERY_PHRASE_LIMIT, NOTHING_MASKED_LIMIT))
    assert found.counts is not None
    assert found.counts[0, 1].tolist() == [0, 0, 2], "two words, marked by one of two"
    assert found.counts[0, 0, 0] == 2
    assert found.counts[0, 0, 1] > 2


def test_what_needs_no_mask_is_not_gold(judged: list[ScoredDocument]) -> None:
    harmless = GoldDocument(
        "x", judged[0].analysis.document.text, (Annotation("a", (Mention(0, 10, identifier="NO_MASK"),)),)
    )
    found = Sample.from_scored(judged[0], harmless)
    assert found.marked is not None
    assert found.marked.sum() == 0


def test_a_background_that_knows_nobody_is_others(samples: list[Sample], attack: LinkageAttack) -> None:
    assert attack.known_texts == "the background"
    other = attack_on(samples, {"Zoe Nemo": "nothing of all this", "Yan Nemo": "neither"})
    assert (other.known_texts, other.candidates, other.attacked_count) == ("the other half of each text", 14, 12)


def test_a_name_in_brackets_and_an_id_find_their_candidate(samples: list[Sample]) -> None:
    public = {f"{name} (person)": text for name, text in PUBLIC.items()}
    assert attack_on(samples, public).attacked_count == 12
    assert attack_on([replace(samples[0], names=())], PUBLIC).attacked_count == 1


def test_brackets_tell_candidates_of_one_name_apart() -> None:
    names = {"1": "Ada Berger (sailor)", "2": "Ada Berger (singer)"}
    documents = [Document(id, text, "en") for id, text in zip(names, TEXTS.values(), strict=False)]
    of = {id: ProtectedEntities((Entity(name),)) for id, name in names.items()}
    rules = ProtectionRules(by_document=of)
    samples = [Sample.from_scored(one) for one in score_all(documents, rules, config=Config(language="en"))]
    assert attack_on(samples, dict.fromkeys(names.values(), "a text")).attacked_count == 2
    assert attack_on(samples, {}).candidates == 2


def test_one_text_alone_has_no_attacker(samples: list[Sample]) -> None:
    assert LinkageAttack.from_samples(samples[:1], {}) is None
    with pytest.raises(ConfigError, match="--background"):
        tune(samples[:1], BalanceGoal())


def test_texts_about_the_same_are_about_one_candidate(samples: list[Sample]) -> None:
    same = [samples[0], replace(samples[1], names=("ada  BERGER",)), *samples[2:]]
    assert attack_on(same, {}).candidates == 11
    assert attack_on([replace(one, names=()) for one in samples], {}).candidates == 12, "everyone is protected"
    assert LinkageAttack.from_samples([replace(one, names=("Ada Berger",)) for one in samples], {}) is None


def test_the_words_of_most_texts_are_read_in_their_language(samples: list[Sample]) -> None:
    german = [replace(one, language="de") for one in samples[:8]]
    texts = {name: f"{text} und weil" for name, text in PUBLIC.items()}
    known = attack_on([*german, *samples[8:]], texts).groups[0].attackers[0]
    assert isinstance(known, AdditiveAttacker)
    assert not {"und", "weil"} & set(known.postings.terms)


def test_two_candidates_are_enough(samples: list[Sample]) -> None:
    found = tune(samples[:2], BalanceGoal(), LinkageAttack.from_samples(samples[:2], {}))
    assert found.limit is not None
    assert all(1 <= row["rank"] <= 2 for row in curve_rows(found.curve))


def test_who_ties_is_found_by_chance(samples: list[Sample]) -> None:
    empty = [replace(one, levels=np.full(len(one), NAME_LEVEL)) for one in samples]
    found = measure_limits(empty, LinkageAttack.from_samples(empty, PUBLIC), limits=(0.5,))
    assert found.share_found(1).tolist() == [pytest.approx(1 / 12)]
    assert found.share_found(5).tolist() == [pytest.approx(5 / 12)]
    assert 2**found.mean_log_rank == pytest.approx([6.5])


def test_the_curve_finds_what_an_attack_on_the_texts_finds(samples: list[Sample], judged: list[ScoredDocument]) -> None:
    """What `tune` expects is what `attack` measures of texts without what is masked."""
    found = measure_limits(samples, attack_on(samples, PUBLIC), limits=(0.2, 0.5, NOTHING_MASKED_LIMIT))
    public = PublicTexts.from_texts(list(PUBLIC), list(PUBLIC.values()))
    for place, limit in enumerate((0.2, 0.5, NOTHING_MASKED_LIMIT)):
        texts = []
        for one in judged:
            scored, text = one.scored, one.analysis.document.text
            flags = np.zeros(len(scored.phrases), np.bool_) if limit == NOTHING_MASKED_LIMIT else scored.at_least(limit)
            texts.append(Target("", remove_spans(text, spans_where(scored.phrases, flags)), one.analysis.document.id))
        done = attack_all(texts, public, ("tfidf", "bm25", "grams"), top=5)
        assert found.share_found(1)[place] == pytest.approx(np.mean([one.top_1.value for one in done if one.top_1]))
        assert found.share_found(5)[place] == pytest.approx(np.mean([one.top_n.value for one in done if one.top_n]))
        ranks = [row.rank for one in done for row in one.results if row.rank is not None]
        assert found.mean_log_rank[place] == pytest.approx(np.log2(ranks).mean())


@pytest.mark.parametrize(
    "goal",
    [AgreementGoal(), AgreementGoal(2.0), HidingGoal(0.5), HidingGoal(0.9, 3), RetentionGoal(0.3), BalanceGoal()],
    ids=lambda goal: str(goal),
)
def test_goals_choose_what_a_search_finds(
    goal: Goal, samples: list[Sample], attack: LinkageAttack, whole: LimitCurve
) -> None:
    found = tune(samples, goal, attack, draws=20)
    inside = [place for place, limit in enumerate(whole.limits) if EVERY_PHRASE_LIMIT < limit < NAMES_ONLY_LIMIT]
    match goal:
        case AgreementGoal(beta):
            wanted = max(inside, key=lambda place: (round(whole.precision_recall_f(beta)[place, 2], 9), place))
        case HidingGoal(share, first):
            wanted = max((place for place in inside if whole.share_found(first)[place] <= share), default=-1)
        case RetentionGoal(share):
            wanted = min(place for place in inside if whole.information_kept[place] >= share)
        case BalanceGoal():
            inside = [place for place in inside if 0.2 <= whole.limits[place] <= 0.5]
            assert whole.ranks is not None
            value = whole.share_kept + 0.11 * np.log2(whole.ranks).mean(axis=(0, 2))
            wanted = max(inside, key=lambda place: (round(value[place], 9), place))
    assert found.limit_index == (None if wanted < 0 else wanted)
    if found.interval and found.limit is not None:
        assert found.interval[0] <= found.interval[1]


def test_without_a_limit_that_reaches_the_goal(samples: list[Sample], attack: LinkageAttack) -> None:
    found = tune(samples, HidingGoal(0.0, 12), attack, draws=10)
    assert (found.limit, found.interval, found.held_out) == (None, None, None)
    assert found.share_unreached == 1.0
    assert found.to_dict()["limit"] is None


@pytest.mark.parametrize("goal", [HidingGoal(0.1), BalanceGoal()])
def test_goals_that_need_an_attacker(goal: Goal, samples: list[Sample]) -> None:
    with pytest.raises(ConfigError, match="attacker"):
        tune(samples, goal)


def test_agreement_needs_annotations_of_every_text(samples: list[Sample], judged: list[ScoredDocument]) -> None:
    some = [*samples[:3], Sample.from_scored(judged[3])]
    with pytest.raises(ConfigError, match="--gold"):
        tune(some, AgreementGoal())
    with pytest.raises(ConfigError, match="no texts"):
        tune([], AgreementGoal())


def test_the_same_seed_says_the_same(samples: list[Sample], attack: LinkageAttack) -> None:
    one, two = (tune(samples, BalanceGoal(), attack, draws=30).to_dict() for _ in range(2))
    assert one == two


def test_held_out_texts_are_under_a_limit_that_others_choose(samples: list[Sample]) -> None:
    found = tune(samples, AgreementGoal(), draws=5)
    assert found.held_out is not None
    row = next(curve_rows(found.held_out))
    assert row["limit"] is None
    assert 0 < row["f1"] <= max(one["f1"] or 0 for one in curve_rows(found.curve))


def typed(level: float, type: str, marked: bool, count: int = 30) -> Sample:
    """A text of words that are phrases of one type."""
    levels, kind = np.full(count, level), np.full(count, TYPES.index(type))
    return Sample(
        f"{type} {level}", "en", (), False, AttackerWords.from_words(["w"] * count), levels, kind,
        np.full(count, float(marked)), 1, levels, np.ones(count),
    )  # fmt: skip


def test_types_get_limits_of_their_own_where_that_helps_on_texts_held_out() -> None:
    texts = []
    for _ in range(12):
        texts += [typed(0.8, "MISC", False), typed(0.3, "ORG", True), typed(0.7, "LOC", True)]
    found = tune(texts, AgreementGoal(), by_type=True, draws=5)
    assert found.by_type_score == (pytest.approx(0.8, abs=0.02), 1.0)
    chosen = {"MISC": found.limit, "ORG": found.limit} | dict(found.by_type)
    assert chosen["MISC"] > 0.8
    assert chosen["ORG"] <= 0.3


def test_types_get_none_where_nothing_is_gained(samples: list[Sample]) -> None:
    texts = [typed(0.8, "ORG", True), typed(0.3, "MISC", False)] * 12
    assert tune(texts, AgreementGoal(), by_type=True, draws=5).by_type == {}
    with pytest.raises(ConfigError, match="--gold"):
        tune(samples, RetentionGoal(0.1), by_type=True)


@given(st.floats(0, 1) | st.just(math.nan), st.sampled_from(TYPES), st.floats(0.01, 1), st.floats(0.01, 1))
def test_a_phrase_is_masked_from_the_limit_of_its_type_on(risk: float, type: str, own: float, default: float) -> None:
    empty: Any = [np.zeros(0)] * len(fields(ScoredPhrases))
    phrases: Any = SimpleNamespace(type=np.array([TYPES.index(type), TYPES.index("ORG")], np.uint8))
    scored = replace(ScoredPhrases(*empty), phrases=phrases, risk=np.array([risk, risk]))
    limits = RiskLimits(default, ((type, own),))
    wanted = [not risk < (own if one == type else default) for one in (type, "ORG")]
    assert scored.at_least(limits).tolist() == wanted
    assert scored.at_least(default).tolist() == [not risk < default] * 2


@given(st.floats(0.05, 1), st.floats(0.05, 1), st.sampled_from(TYPES), st.floats(0.05, 1))
@settings(max_examples=15, deadline=None)
def test_a_higher_limit_never_masks_more(one: float, two: float, type: str, own: float) -> None:
    text, asked = TEXTS["Ada Berger"], ProtectionRules(ProtectedEntities((Entity("Ada Berger"),)))

    def masked(limit: float, of_type: float) -> set[tuple[int, int]]:
        values = {"score.limit": limit, f"score.limits.{type}": of_type, "language": "en"}
        config = load(flags=values, environment={}).config
        scored = next(iter(score_all([Document("x", text, "en")], asked, config=config))).scored
        flags = scored.at_least(config.score.effective_limits)
        return {(phrase.start, phrase.end) for phrase, flag in zip(scored.phrases, flags, strict=True) if flag}

    low, high = sorted((one, two))
    assert masked(high, own) <= masked(low, own)
    assert masked(own, high) <= masked(own, low)


def test_a_type_of_its_own_limit_is_scored_by_it(judged: list[ScoredDocument]) -> None:
    text = TEXTS["Ada Berger"]
    config = load(flags={"score.limits.MISC": 0.05, "language": "en"}, environment={}).config
    asked = ProtectionRules(ProtectedEntities((Entity("Ada Berger"),)))
    found = next(iter(score_all([Document("x", text, "en")], asked, config=config)))
    masked = {
        (text[phrase.start : phrase.end], phrase.type)
        for phrase, flag in zip(found.scored.phrases, found.scored.at_least(found.limits), strict=True)
        if flag
    }
    assert ("Ada Berger", "PERSON") in masked
    scored = judged[0].scored
    before = [phrase for phrase, risk in zip(scored.phrases, scored.risk, strict=True) if risk >= 0.05]
    before = [phrase for phrase in before if phrase.type == "MISC"]
    assert before
    assert {text[phrase.start : phrase.end] for phrase in before} <= {one for one, _ in masked}


def test_settings_keep_what_else_is_in_them(tmp_path: Path) -> None:
    file = tmp_path / "embanon.toml"
    file.write_text('# ours\nlanguage = "en"  # only\n\n[score]\npreset = "strict"\nlimits = {ORG = 0.2}\n')
    write_limits(file, 0.4, {"MISC": 0.8})
    assert "# ours" in file.read_text()
    assert "# only" in file.read_text()
    wanted = {"preset": "strict", "limit": 0.4, "scorer": "risk", "limits": {"MISC": 0.8}}
    assert tomllib.loads(file.read_text()) == {"language": "en", "score": wanted}
    write_limits(file, 0.5, {})
    assert tomllib.loads(file.read_text())["score"] == {"preset": "strict", "limit": 0.5, "scorer": "risk"}
    cosine = ScoreSettings(scorer="cosine")
    write_limits(file, 0.3, {}, cosine)
    assert load(file, environment={}).config.score == replace(cosine, preset="strict", limit=0.3)
    write_limits(file, 0.3, {}, ScoreSettings(scorer="contextual", encoder="encoder"))
    assert load(file, environment={}).config.score.encoder == str(Path("encoder").resolve())
    write_limits(file, 0.5, {})
    write_limits(tmp_path / "new.toml", 0.5, {})
    assert load(tmp_path / "new.toml", environment={}).config.score.effective_limit == 0.5


@pytest.mark.parametrize(
    "content",
    [
        "",
        'language = "en"\n',
        '\ufefflanguage = "en"\n',
        'language = "en"\r\n[score]\r\nlimit = 0.5\r\n',
        '[[patterns]]\nname = "w"\ntype = "LOC"\nwords = ["a",  # one\n  "b"]\n',
        'score = {limit = 0.2, preset = "strict", limits = {LOC = 0.3}}\nlanguage = "en"\n',
        'score.limit = 0.2\nscore.limits.ORG = 0.4\nlanguage = "en"\n',
        "[score.limits]\nORG = 0.2\n\n[phrases]\nidentifiers = true\n",
        '[score]\nlimit = 0.3\n[anonymize]\nmethod = "tag"\n[score.limits]\nORG = 0.3\n',
    ],
)
@pytest.mark.parametrize("by_type", [{}, {"PERSON": 0.5, "MISC": 0.9}])
def test_settings_of_any_look_get_limits_and_nothing_else(
    tmp_path: Path, content: str, by_type: dict[str, float]
) -> None:
    file = tmp_path / "embanon.toml"
    file.write_bytes(content.encode())
    before = tomllib.loads(content.replace("\r\n", "\n").lstrip("\ufeff"))
    write_limits(file, 0.4, by_type)
    score = {name: value for name, value in before.get("score", {}).items() if name != "limits"}
    score |= {"limit": 0.4, "scorer": "risk"} | ({"limits": by_type} if by_type else {})
    assert tomllib.loads(file.read_bytes().decode("utf-8-sig")) == before | {"score": score}
    assert [one.name for one in tmp_path.iterdir()] == ["embanon.toml"]


def test_settings_behind_a_link_keep_their_place_and_who_may_read_them(tmp_path: Path) -> None:
    file, link = tmp_path / "ours.toml", tmp_path / "embanon.toml"
    file.write_text("")
    file.chmod(0o640)
    link.symlink_to(file)
    write_limits(link, 0.4, {})
    assert link.is_symlink()
    assert file.stat().st_mode & 0o777 == 0o640
    assert tomllib.loads(file.read_text()) == {"score": {"limit": 0.4, "scorer": "risk"}}


def test_settings_that_the_limit_was_not_chosen_under_are_said(here: Run) -> None:
    Path("other.toml").write_text('[score]\npreset = "maximal"\n')
    words = "texts.jsonl", "--background", "public.jsonl", "-o", "other.toml"
    assert "other settings than those" in here(*words).stderr
    assert "other settings" not in here(*words, "--config", "other.toml").stderr


def test_limits_by_type_that_go_are_said(here: Run) -> None:
    words = "texts.jsonl", "--background", "public.jsonl", "-o", "own.toml"
    Path("own.toml").write_text("[score.limits]\nDATETIME = 0.8\n")
    assert "own.toml: its limits by type are no longer there" in here(*words).stderr
    assert "by type" not in here(*words).stderr


def test_limits_by_type_that_others_replace_are_not_missed(here: Run) -> None:
    rows = [
        {"id": name, "text": text, "spans": [list(one.span()) for one in re.finditer(f"{name}|{hint}|family", text)]}
        for (name, text), hint in zip(TEXTS.items(), HINTS, strict=True)
    ]  # years are to stay, which tell more
    write(Path("marked.jsonl"), rows)
    Path("own.toml").write_text("[score.limits]\nLOC = 0.8\n")
    done = here("--gold", "marked.jsonl", "--entities", "who.jsonl", "--by-type", "-o", "own.toml")
    limits = tomllib.loads(Path("own.toml").read_text())["score"]["limits"]
    assert limits
    assert limits.get("LOC") != 0.8  # what stood there was not measured
    assert "by type" not in done.stderr


@pytest.mark.parametrize("content", ["score = 3\n", "[score\n", "[score]\nlimt = 2\n", "\xff"])
def test_settings_that_are_wrong_stay(tmp_path: Path, content: str) -> None:
    file = tmp_path / "embanon.toml"
    file.write_bytes(content.encode("latin-1"))
    with pytest.raises(ConfigError):
        write_limits(file, 0.4, {})
    assert file.read_bytes() == content.encode("latin-1")


def test_a_curve_is_readable_without_color_and_said_in_words() -> None:
    found = line_chart(
        ["0", "<1>", "2"], [Series("kept & found", [0.0, float("nan"), 1.0]), Series("b", [1, 0, 1])], 2, "C"
    )
    assert "kept &amp; found: 0.00 at 0, 1.00 at 2" in found
    assert "Marked: 2" in found
    assert "<1>" not in found
    assert "stroke-dasharray" in found
    assert "nan" not in found
    Tree.fromstring(line_chart(["0"], [Series("a", [0.5])], None, "C", alone=True))


def test_a_curve_shows_how_sure_its_mark_is() -> None:
    names, lines = ["0", "1", "2", "3"], [Series("a", [0.1, 0.2, 0.3, 0.4])]
    assert "<rect" not in line_chart(names, lines, 1, "<C>")
    drawn = Tree.fromstring(line_chart(names, lines, 1, "<C>", alone=True, around=(1, 3)))
    (band,) = drawn.findall("{*}rect")
    assert (band.get("x"), band.get("width")) == ("220.0", "320.0")
    assert "<C>" in [one.text for one in drawn.findall("{*}text")]
    assert line_chart_png(names, lines, 1, "C", around=(1, 3)) != line_chart_png(names, lines, 1, "C")


# The command


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inside: Run) -> Run:
    monkeypatch.chdir(tmp_path)
    rows = [{"id": name, "text": text, "protect": [name]} for name, text in TEXTS.items()]
    write(tmp_path / "texts.jsonl", rows)
    write(tmp_path / "public.jsonl", [{"name": name, "text": text} for name, text in PUBLIC.items()])
    write(tmp_path / "who.jsonl", [{"id": name, "protect": [name]} for name in TEXTS])
    spans = [
        {"id": one.id, "text": one.text, "spans": [[m.start, m.end] for m in one.annotations[0].mentions]}
        for one in GOLDS.values()
    ]
    write(tmp_path / "gold.jsonl", spans)
    return lambda *words: inside("tune", *words)


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_tune_shows_the_curve_and_writes_the_limit(here: Run) -> None:
    done = here("texts.jsonl", "--background", "public.jsonl", "-o", "embanon.toml", "--plot", "curve.svg")
    assert done.returncode == 0, done.stderr
    assert "attackers know the background: 12 of 12 texts, 12 candidates" in done.stdout
    assert "every phrase" in done.stdout
    assert "nothing masked" in done.stdout
    limit = tomllib.loads(Path("embanon.toml").read_text())["score"]["limit"]
    assert f"\nlimit {limit:g}; from texts drawn anew" in done.stdout
    assert Path("curve.svg").read_text().startswith("<svg xmlns=")
    assert f"chosen: {limit:g}; from texts drawn anew" in Path("curve.svg").read_text()


def test_tune_by_annotations_and_as_if_there_were_none(here: Run) -> None:
    done = here("--gold", "gold.jsonl", "--entities", "who.jsonl", "--json", "--plot", "curve.png")
    found = json.loads(done.stdout)
    assert done.returncode == 0, done.stderr
    assert found["goal"].startswith("agree")
    assert found["curve"][0]["limit"] == "every phrase"
    assert found["held_out"]["f1"] > 0
    assert Path("curve.png").read_bytes().startswith(b"\x89PNG")
    done = here("--gold", "gold.jsonl", "--entities", "who.jsonl", "--balance")
    assert "goal: between strict and standard" in done.stdout
    assert "F1" in done.stdout
    done = here("--gold", "gold.jsonl", "--entities", "who.jsonl", "--by-type")
    assert "limits by type" in done.stdout


def test_a_background_that_has_the_texts_is_said(here: Run) -> None:
    write(Path("same.jsonl"), [{"name": name, "text": text} for name, text in TEXTS.items()])
    assert (
        "same.jsonl: has 12 of 12 documents nearly as they were"
        in here("texts.jsonl", "--background", "same.jsonl").stderr
    )
    assert "nearly" not in here("texts.jsonl", "--background", "public.jsonl").stderr


def test_no_text_is_shown(here: Run) -> None:
    done = here("texts.jsonl", "--json", "--keep", "0.1")
    assert not any(hint in done.stdout + done.stderr for hint in (*HINTS, *NAMED))


def test_how_often_no_limit_reaches_the_goal_is_drawn_too(here: Run) -> None:
    done = here("texts.jsonl", "--keep", "0.84", "--plot", "curve.svg")
    said = next(line for line in done.stdout.splitlines() if line.startswith("limit "))
    assert re.search(r"drawn anew: .* to .*, none in [1-9]\d?% of the drawings$", said)
    assert f"; chosen: {said.removeprefix('limit ')}<" in Path("curve.svg").read_text()


def test_a_goal_that_no_limit_reaches_writes_nothing(here: Run) -> None:
    done = here("texts.jsonl", "--attack-below", "0", "--anonymity", "12", "-o", "embanon.toml")
    assert done.returncode == 1
    assert "no limit reaches the goal" in done.stderr
    assert not Path("embanon.toml").exists()


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ([], 2, "--gold"),
        (["texts.jsonl", "--gold", "gold.jsonl"], 2, "one of them"),
        (["texts.jsonl", "--attack-below", "1.5"], 2, "--attack-below must be from 0 to 1"),
        (["texts.jsonl", "--keep", "nan"], 2, "--keep must be from 0 to 1"),
        (["texts.jsonl", "--anonymity", "0"], 2, "from 1"),
        (["texts.jsonl", "--beta", "-1"], 2, "--beta"),
        (["texts.jsonl", "--plot", "curve.pdf"], 2, ".svg or .png"),
        (["texts.jsonl", "--by-type"], 2, "--gold"),
        (["texts.jsonl", "--attack-below", "0.1", "--keep", "0.1"], 2, "not allowed with"),
        (["--gold", "gold.jsonl"], 2, "nobody to protect"),
        (["nothing.jsonl"], 3, "nothing.jsonl"),
        (["texts.jsonl", "--background", "nothing.jsonl"], 3, "nothing.jsonl"),
        (["texts.jsonl", "-o", "-"], 2, "embanon.toml"),
        (["texts.jsonl", "-o", "same.svg", "--plot", "same.svg"], 2, "another output"),
        (["texts.jsonl", "-o", "public.jsonl", "--background", "public.jsonl"], 2, "name of an input"),
        (["texts.jsonl", "-o", "texts.jsonl"], 2, "name of an input"),
        (["texts.jsonl", "-o", "wrong.toml"], 2, "unknown key 'score.limt'"),
        (["-", "--entities", "-"], 2, "more than once"),
        (["texts.jsonl", "--anonymity", "5", "--balance"], 2, "goes with --attack-below"),
        (["--gold", "gold.jsonl", "--anonymity", "5", "--beta", "2"], 2, "goes with --attack-below"),
        (["texts.jsonl", "--beta", "2"], 2, "--gold"),
        (["texts.jsonl", "--gold-format", "tab"], 2, "--gold"),
        (["--gold", "gold.jsonl", "--by-type", "--keep", "0.5"], 2, "by annotations alone"),
        (["--gold", "gold.jsonl", "--by-type", "--balance"], 2, "by annotations alone"),
        (["--gold", "gold.jsonl", "--protect-field", "id"], 2, "--entities"),
        (["--gold", "unmarked.jsonl", "--protect", "everyone"], 2, "mark nothing"),
        (["empty.jsonl"], 2, "no words"),
        (["plain.jsonl", "--keep", "0.5"], 2, "no phrases"),
        (["bad.jsonl"], 3, "bad.jsonl"),
        (["one.jsonl"], 2, "attacker"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)  # fmt: skip
def test_what_is_wrong_is_said(here: Run, words: list[str], code: int, said: str) -> None:
    Path("bad.jsonl").write_bytes(b'{"id": "a", "text": "' + SECRET.encode() + b'\xff"}\n')
    Path("wrong.toml").write_text("[score]\nlimt = 2\n")
    rows = [{"id": name, "text": text, "protect": [name]} for name, text in TEXTS.items()]
    write(Path("empty.jsonl"), [row | {"text": ""} for row in rows])
    write(Path("plain.jsonl"), [row | {"text": "and so it was then that they did"} for row in rows])
    write(Path("unmarked.jsonl"), [{"id": row["id"], "text": row["text"], "spans": []} for row in rows])
    write(Path("one.jsonl"), [{"id": "a", "text": "Ada Berger sang.", "protect": ["Ada Berger"]}])
    done = here(*words)
    assert done.returncode == code, done.stderr
    assert said in done.stderr
    assert SECRET not in done.stderr


@pytest.mark.parametrize("words", [["--plot", "no/curve.svg"], ["-o", "no/embanon.toml"]])
def test_what_cannot_be_written_is_said_before_any_work(here: Run, embanon: Run, words: list[str]) -> None:
    done = embanon("tune", "../texts.jsonl", *words)
    assert done.returncode == 141
    assert f"{words[1]}: its folder is not there" in done.stderr
    assert done.stdout == ""


def test_levels_of_names_are_above_all_limits(samples: list[Sample]) -> None:
    assert all(sample.levels.max() == NAME_LEVEL for sample in samples)
    assert all(limit < NAME_LEVEL for limit in (*LIMITS, NAMES_ONLY_LIMIT))
    assert (
        best_limit_index(AgreementGoal(), measure_limits(samples, limits=(EVERY_PHRASE_LIMIT, NOTHING_MASKED_LIMIT)))
        is None
    )
    assert np.isnan(f_score(np.zeros((1, 3)))).all()
