"""Attacks on documents: ranks, calibrated probabilities, bounds, floors, and what gave a document away."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import FrozenInstanceError
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.typing import NDArray

from embanon.attack.attack import (
    ANONYMIZED,
    ATTACKERS,
    NAMES_MASKED,
    ORIGINALS,
    AttackResult,
    AttackSummary,
    PublicTexts,
    Target,
    attack,
    certainty_order,
    probabilities,
    rank_documents,
    summarize_attack,
)
from embanon.attack.clues import SentenceAttacker, WordAttacker, blank_placeholders, word_contributions
from embanon.attack.intervals import estimate_mean, estimate_ratio
from embanon.attack.learners import EmbeddingAttacker, NaiveBayes, SentenceClassifier, mean_vector, sentence_spans
from embanon.attack.masks import AttackerWords, MaskedCounts, ranks_by_mask, scores_by_mask
from embanon.attack.public import are_copies
from embanon.errors import ConfigError
from embanon.linkage.attackers import CharacterGrams, TermPostings, best_rivals, count_words, ranks
from embanon.linkage.calibration import wilson_interval
from embanon.model.model import Model

NAMES = ("Ada Berger", "Ben Marsk (chemist)", "Ben Marsk (painter)", "Cora Imbry")
TEXTS = (
    "Ada Berger is an actress of Velland who won a golden prize in 1994. She sings in Torland.",
    "Ben Marsk is a chemist in Torland; he studies enzymes and acids there, and likes golden metals.",
    "Ben Marsk painted harbors and boats in Velland. His portraits hang in a museum.",
    "Cora Imbry is a sailor who crossed the ocean on a raft, in a storm, and wrote of harbors.",
)
DOCUMENTS = (
    Target("a", "[PERSON 1] is an actress who won a prize.", "Ada Berger", "Ada Berger is an actress who won a prize."),
    Target("b", "*** studies enzymes.", "Ben Marsk (chemist)", "Ben Marsk studies enzymes."),
    Target("c", "Person 1 crossed the ocean in a storm.", "Cora Imbry", "Imbry crossed the ocean in a storm."),
    Target("d", "A boat, and harbors.", None, "A boat, and harbors."),
)


@pytest.fixture(scope="module")
def public() -> PublicTexts:
    return PublicTexts.from_texts(NAMES, TEXTS)


def vectors(texts: Sequence[str]) -> NDArray[np.float64]:
    """Return three counted words as a vector; NaN for a text that has none."""
    found = np.array(
        [[count_words(text)[word] for word in ("ocean", "prize", "enzymes")] for text in texts], np.float64
    )
    found[~found.any(axis=1)] = np.nan
    return found.reshape(len(texts), 3)


# What is found


@pytest.mark.parametrize("name", sorted(ATTACKERS))
def test_each_attacker_finds_what_is_plain_and_says_by_what(name: str, public: PublicTexts, letters: Path) -> None:
    (*_, done) = (
        attack(DOCUMENTS[:3], public, [name], model=Model.open(letters)),
        attack([Target(one.id, one.text, one.truth) for one in DOCUMENTS], public, [name], model=Model.open(letters)),
    )
    (one,) = done
    assert (one.attacker, one.version, one.documents, one.known, one.candidates) == (name, ANONYMIZED, 4, 3, 4)
    assert one.top_1 is not None
    assert [found.id for found in one.results] == list("abcd")
    assert one.results[3].rank is None
    assert one.results[3].probability is None
    assert one.results[3].confidence is not None
    assert one.results[3].guess in (*NAMES, None)
    if name != "embedding":  # whose small model knows none of these words
        assert one.top_1.value == 1
        assert {DOCUMENTS[1].text[clue.start : clue.end] for clue in one.results[1].clues} == {"studies", "enzymes"}
    for document, found in zip(DOCUMENTS, one.results, strict=True):
        assert all(document.text[clue.start : clue.end] == clue.text for clue in found.clues)
        assert [clue.share for clue in found.clues] == sorted((clue.share for clue in found.clues), reverse=True)


def test_floors_stand_behind_each_attack(public: PublicTexts) -> None:
    found = attack(DOCUMENTS, public, ("tfidf", "bm25"), clues=0)
    assert [(one.attacker, one.version) for one in found] == [
        (name, version) for name in ("tfidf", "bm25") for version in (ANONYMIZED, ORIGINALS, NAMES_MASKED)
    ]
    assert all(one.chance == 0.25 for one in found)
    assert not any(clue for one in found for each in one.results for clue in each.clues)
    alone = attack([*DOCUMENTS[:2], Target("c", "", "Cora Imbry")], public)
    assert [one.version for one in alone] == [ANONYMIZED]  # one lacks its original


def test_a_name_that_is_masked_finds_nobody(public: PublicTexts) -> None:
    _, open_, masked = attack([Target("a", "", "Ada Berger", "Ada Berger, or Berger, spoke."),
                               Target("c", "", "Cora Imbry", "Imbry spoke.")], public)  # fmt: skip
    assert [one.rank for one in open_.results] == [1, 1]
    assert [one.rank for one in masked.results] == [2.5, 2.5]


def test_other_names_are_masked_too(public: PublicTexts) -> None:
    text = "Imbry, the Raft Lady, spoke."
    ranked = [
        attack([Target("c", "", "Cora Imbry", text, aliases), DOCUMENTS[0]], public)[2].results[0].rank
        for aliases in ((), ("Raft Lady",))
    ]
    assert ranked == [1, 2.5]


def test_who_ties_is_no_guess(public: PublicTexts) -> None:
    (found,) = attack([*DOCUMENTS[:2], Target("n", "zzz")], public)
    assert [one.guess for one in found.results] == ["Ada Berger", "Ben Marsk (chemist)", None]
    assert found.results[2].to_dict(original=True)["guess"] is None


def test_ready_attackers_are_taken(public: PublicTexts) -> None:
    ready = {
        "mine": SentenceAttacker(SentenceClassifier.from_texts(vectors, TEXTS)),
        "other": WordAttacker(public.background.tfidf),
    }
    found = attack([Target("b", "He likes enzymes. Nothing else.", "Ben Marsk (chemist)"),
                    Target("c", "Over the ocean!", "Cora Imbry")], public, ready)  # fmt: skip
    assert [one.attacker for one in found] == ["mine", "other"]
    assert [one.rank for one in found[0].results] == [1, 1]
    (clue,) = found[0].results[0].clues
    assert (clue.start, clue.end, clue.share) == (0, 17, 1)


def test_placeholders_are_no_words() -> None:
    text = "[PERSON 1] and Person 2 met *** at a mill [3], in [LOC 12]."
    assert set(count_words(blank_placeholders(text))) == {"and", "met", "at", "a", "mill", "in"}
    assert len(blank_placeholders(text)) == len(text)


# Ties, probabilities, sums


@pytest.mark.parametrize(
    ("rank", "ties", "first", "five"),
    [(1, 1, 1, 1), (1.5, 2, 0.5, 1), (2, 3, 1 / 3, 1), (2, 1, 0, 1), (5.5, 2, 0, 0.5), (6, 1, 0, 0),
     (10.5, 20, 0.05, 0.25)],
)  # fmt: skip
def test_ties_share_a_rank(rank: float, ties: int, first: float, five: float) -> None:
    found = AttackResult("a", rank, ties, None, None, None, "")
    assert found.probability_in_top(1) == pytest.approx(first)
    assert found.probability_in_top(5) == pytest.approx(five)
    assert AttackResult("a", None, 0, None, None, None, "").probability_in_top(1) is None


def test_probabilities_are_learnt_from_other_documents() -> None:
    draw = np.random.default_rng(3)
    rows, true = draw.normal(size=(60, 12)), np.arange(60) % 12
    rows[np.arange(60), true] += 2
    found = probabilities(rows, true)
    assert found is not None
    assert found.sum(axis=1) == pytest.approx(np.ones(60))
    changed = rows.copy()
    changed[0] = changed[0][::-1]  # a document of the first fold: its own fold's temperature stays
    again = probabilities(changed, true)
    assert again is not None
    assert again[2::2] == pytest.approx(found[2::2])
    assert not np.allclose(again[1::2], found[1::2])
    assert probabilities(rows[:1], true[:1]) is None
    unknown = np.where(np.arange(60) < 59, -1, true)
    assert probabilities(rows, unknown) is None


def test_of_one_document_no_probability_is_known(public: PublicTexts) -> None:
    (found,) = attack(DOCUMENTS[:1], public)[:1]
    assert found.effective is None
    assert found.confidence is None
    assert found.top_1 is not None
    assert (found.top_1.value, found.top_1.high) == (1, 1)
    assert found.top_1.low < 0.3  # one document says little
    assert found.to_dict()["effective"] is None


def test_sums_agree_with_the_documents() -> None:
    draw = np.random.default_rng(1)
    rows = draw.normal(size=(40, 9))
    true = draw.integers(9, size=40)
    found = rank_documents(rows, true, [str(place) for place in range(40)], [str(place) for place in range(9)])
    one = summarize_attack("x", ANONYMIZED, found, 9, 3)
    place = ranks(rows, true)
    assert one.top_1 is not None and one.top_n is not None and one.mean_reciprocal_rank is not None  # noqa: PT018
    assert one.top_1.value == pytest.approx((place == 1).mean())
    assert one.top_n.value == pytest.approx((place <= 3).mean())
    assert one.mean_reciprocal_rank.value == pytest.approx((1 / place).mean())
    assert one.effective is not None
    assert 1 <= one.effective.low <= one.effective.value <= one.effective.high <= 9


def test_what_is_given_tells_nobody_unless_asked(public: PublicTexts) -> None:
    (one, *_) = attack(DOCUMENTS, public)
    assert "Berger" not in repr(one)
    assert "enzymes" not in repr(one)
    shown = str(one.to_dict())
    assert "enzymes" not in shown
    assert "Marsk" not in shown
    assert "enzymes" in str(one.to_dict(original=True))
    assert "Marsk" in str(one.to_dict(original=True))
    with pytest.raises(FrozenInstanceError):
        one.top = 3  # type: ignore[misc]


def test_the_surest_comes_first() -> None:
    some = [AttackResult(id, rank, 1, sure, 0.5, 1, "") for id, rank, sure in
            (("a", 2, 0.4), ("b", None, None), ("c", 1, 0.2), ("d", 1, 0.9))]  # fmt: skip
    assert [one.id for one in sorted(some, key=certainty_order)] == list("dcab")


@pytest.mark.parametrize(
    ("names", "texts", "match"),
    [
        (["Ada"], ["one"], "one candidate"),
        ([], [], "no candidates"),
        (["Ada", "Ben", "ada"], ["one", "two", "three"], "1 and 3 .* same name"),
        (["Ada", "Ben"], ["", " "], "has a word"),
    ],
)
def test_a_background_that_says_nothing_is_refused(names: list[str], texts: list[str], match: str) -> None:
    with pytest.raises(ConfigError, match=match):
        PublicTexts.from_texts(names, texts)


@pytest.mark.parametrize(
    ("documents", "options", "match"),
    [
        ([Target("a", "text")], {}, "of no document"),
        ([Target("a", "text", "Nobody Known")], {}, "of no document"),
        ([Target("a", "text", "Ben Marsk")], {}, "a: several candidates"),
        (DOCUMENTS, {"attackers": ["tfidff"]}, "did you mean 'tfidf'"),
        (DOCUMENTS, {"attackers": ["embedding"]}, "--model"),
        (DOCUMENTS, {"top": 0}, "higher"),
    ],
)  # fmt: skip
def test_what_cannot_be_attacked_is_refused(
    documents: list[Target], options: dict[str, object], match: str, public: PublicTexts
) -> None:
    with pytest.raises(ConfigError, match=match):
        attack(documents, public, **options)  # type: ignore[arg-type]


# Bounds


@given(st.lists(st.sampled_from([0.0, 1.0]), min_size=1, max_size=50))
def test_bounds_hold_the_share(values: list[float]) -> None:
    found = estimate_mean(np.array(values))
    assert 0 <= found.low <= found.value <= found.high <= 1
    assert found.low < found.high


@given(st.lists(st.floats(1, 9), min_size=1, max_size=20))
@settings(max_examples=40)
def test_bounds_hold_a_mean(values: list[float]) -> None:
    found = estimate_mean(np.array(values), least=1, most=9, samples=50)
    assert 1 - 1e-9 <= found.low <= found.high <= 9 + 1e-9


def test_equals_have_the_bounds_of_a_share() -> None:
    found = estimate_mean(np.full(10, 5.0), least=1, most=9)
    assert (found.low, found.high) == pytest.approx(tuple(1 + 8 * one for one in wilson_interval(5, 10)))
    assert estimate_mean(np.ones(10)).high == 1
    assert estimate_mean(np.ones(10)).low == pytest.approx(wilson_interval(10, 10)[0])


def test_a_ratio_counts_cases_and_draws_documents() -> None:
    hits, cases = np.array([1, 0, 3, 0]), np.array([2, 0, 4, 4])
    found = estimate_ratio(hits, cases)
    assert found.value == 0.4
    assert 0 <= found.low < 0.4 < found.high <= 0.75
    assert math.isnan(estimate_ratio(np.zeros(2), np.zeros(2)).value)


# Attackers


def test_naive_bayes_is_the_formula() -> None:
    learnt = NaiveBayes.from_postings(TermPostings.from_bags([{"sea": 2, "raft": 1}, {"sea": 1, "acid": 4}]))
    found = learnt.scores({"sea": 1, "acid": 2, "x": 9})
    sea, acid = 3 / 8, 4 / 8  # shares of all classes
    mixed = [math.log(0.5 * 2 / 3 + 0.5 * sea) + 2 * math.log(0.5 * acid),
             math.log(0.5 * 1 / 5 + 0.5 * sea) + 2 * math.log(0.5 * 4 / 5 + 0.5 * acid)]  # fmt: skip
    assert found[1] - found[0] == pytest.approx(mixed[1] - mixed[0])


@pytest.mark.parametrize("name", ["tfidf", "grams", "classifier"])
def test_what_words_add_sums_up_to_the_score(name: str, public: PublicTexts) -> None:
    reader = public.create_attacker(name)
    assert isinstance(reader, WordAttacker)
    words = count_words("golden harbors of a sailor, and enzymes in a storm, harbors")
    scores = reader.attacker.scores(words)
    rivals = best_rivals(scores, 3)
    told = word_contributions(reader.attacker, words, 3, rivals)
    assert sum(told.values()) == pytest.approx(scores[3] - scores[rivals].mean())


def test_what_words_add_to_an_embedding_sums_up(letters: Path) -> None:
    about = ["the old mill in Paris", "the steam engine", "a garden and a company"]
    attacker = EmbeddingAttacker.from_texts(Model.open(letters), about)
    words = count_words("the mill and the garden of Paris")
    scores = attacker.scores(words)
    rivals = best_rivals(scores, 0)
    direction = attacker.means[0] - attacker.means[rivals].mean(axis=0)
    length = np.linalg.norm(mean_vector(attacker.model, words) - attacker.common)
    constant = direction @ attacker.common / length
    told = sum(attacker.telling(words, 0, rivals.tolist()).values())
    assert told - constant == pytest.approx(scores[0] - scores[rivals].mean())


def test_what_an_embedding_does_not_know_says_nothing(letters: Path) -> None:
    attacker = EmbeddingAttacker.from_texts(Model.open(letters), ["the old mill in Paris", "the steam engine", "zzz"])
    assert attacker.scores({"zzz": 1}).tolist() == [0, 0, 0]
    assert attacker.scores(count_words("the mill"))[2] == 0


def test_sentences_are_read_by_their_signs() -> None:
    text = "One, two. Three?\n\n- \nFour"
    assert [text[start:end] for start, end in sentence_spans(text)] == ["One, two.", "Three?", "Four"]
    assert sentence_spans("") == []


def test_a_discriminant_finds_its_own_sentences() -> None:
    learnt = SentenceClassifier.from_texts(vectors, ["ocean ocean. ocean", "prize. prize prize", "of nothing known"])
    assert learnt.score("the ocean").argmax() == 0
    assert learnt.score("a prize. a prize").argmax() == 1
    assert learnt.score("neither").tolist() == [0, 0, 0]
    assert learnt.score("the ocean")[2] == learnt.score("the ocean").min()
    assert SentenceAttacker(learnt).clues("neither", 0, np.zeros(3)) == []


def test_a_discriminant_of_few_sentences_finds_as_many_as_the_nearest_mean() -> None:
    draw, people, size = np.random.default_rng(1), 30, 150
    centers = draw.normal(size=(people, size)) * 0.3
    drawn = np.repeat(centers, 3, axis=0).reshape(people, 3, size) + draw.normal(size=(people, 3, size))
    rows = {f"{one} {number}.": drawn[one, number] for one in range(people) for number in range(3)}
    learnt = SentenceClassifier.from_texts(
        lambda some: np.stack([rows[one] for one in some]), [f"{one} 0.\n{one} 1." for one in range(people)]
    )
    means, asked = drawn[:, :2].mean(axis=1), drawn[:, 2]
    nearest = (asked @ means.T - 0.5 * (means**2).sum(axis=1)).argmax(axis=1) == np.arange(people)
    found = [learnt.score(f"{one} 2.").argmax() == one for one in range(people)]
    assert sum(found) >= 0.8 * nearest.sum()


LONG = "She was born by the sea and learnt to sail on a raft that her brothers had made of barrels and ropes."
OTHER = "He painted harbors, and boats that lay in them at night, for a museum that nobody ever went to see."


@pytest.mark.parametrize(
    ("text", "known", "copy"),
    [
        (LONG, [OTHER, f"{OTHER} {LONG} {OTHER}"], True),
        (LONG.upper(), [LONG], True),
        (LONG, [OTHER, LONG[:30]], False),
        (f"{OTHER} {OTHER.replace('a', 'e')} {LONG}", [LONG[:60]], False),
        ("A raft.", ["A raft."], True),
        ("", [LONG], False),
        (LONG, [""], False),
        (LONG, [], False),
    ],
)
def test_a_copy_of_a_text_is_told(text: str, known: list[str], copy: bool) -> None:
    assert are_copies([OTHER, text, ""], known)[1] == copy
    assert are_copies([], known).tolist() == []


# Many masks


SOME = st.lists(st.sampled_from("golden harbors sailor enzymes storm zzz".split()), max_size=6)


def masked_counts(bags: Sequence[Mapping[str, int]]) -> MaskedCounts:
    """Take what each mask leaves."""
    terms = tuple(dict.fromkeys(term for bag in bags for term in bag))
    return MaskedCounts(terms, np.array([[bag.get(term, 0) for term in terms] for bag in bags], np.float64))


@given(st.lists(SOME, min_size=1, max_size=6), st.integers(0, 3))
@settings(max_examples=60)
def test_ranks_under_masks_are_those_of_each_mask(masks: list[list[str]], target: int) -> None:
    public = PublicTexts.from_texts(NAMES, TEXTS)
    bags = [count_words(" ".join(words)) for words in masks]
    for attacker in (*public.background.attackers, CharacterGrams.from_texts(TEXTS)):
        rank, ties = ranks_by_mask(attacker, masked_counts(bags), target)
        scores = np.round(np.stack([attacker.scores(one) for one in bags]), 9)
        assert rank.tolist() == ranks(scores, np.full(len(masks), target)).tolist()
        assert ties.tolist() == (scores == scores[:, [target]]).sum(axis=1).tolist()


def test_masks_leave_what_is_read() -> None:
    words = AttackerWords.from_words(["Ada", "sailed", "a", "raft", "½", "Ada"])
    left = np.array([[False, True, False, True, True, True], [True] * 6, [False] * 6])
    found = words.apply_masks(left)
    counted = [{word: n for word, n in zip(found.terms, row, strict=True) if n} for row in found.counts.tolist()]
    assert counted[0] == count_words("sailed raft ½ Ada")
    assert counted[1] == count_words("Ada sailed a raft ½ Ada")
    assert counted[2] == {}
    assert words.unmasked_text(left[0]) == "sailed raft 1 2 ada"
    assert words.unmasked_text(left[2]) == ""


def test_nothing_left_ties_all(public: PublicTexts) -> None:
    masked = masked_counts([{}, {"enzymes": 1}, {"zzz": 1}, {"zzz": 1}])
    rank, ties = ranks_by_mask(public.background.tfidf, masked, 1)
    assert rank.tolist() == [2.5, 1, 2.5, 2.5]
    assert ties.tolist() == [4, 1, 4, 4]
    for attacker in (public.background.bm25, CharacterGrams.from_texts(TEXTS)):
        assert scores_by_mask(attacker, masked_counts([{}])).tolist() == [[0] * 4]


@pytest.mark.parametrize("attacker", ["tfidf", "bm25"])
def test_many_masks_cost_less_than_one_by_one(attacker: str) -> None:
    draw = np.random.default_rng(1)
    words = [f"w{place}" for place in range(3000)]
    public = PublicTexts.from_texts(
        [str(place) for place in range(300)], [" ".join(draw.choice(words, 200)) for _ in range(300)]
    )
    known = getattr(public.background, attacker)
    documents = [AttackerWords.from_words(draw.choice(words, 60).tolist()) for _ in range(30)]
    left = draw.random(60) < np.linspace(0, 1, 25)[:, None]
    begin = time.process_time()
    for one in documents:
        for mask in left:
            known.scores(count_words(one.unmasked_text(mask)))
    one_by_one = time.process_time() - begin
    begin = time.process_time()
    for one in documents:
        ranks_by_mask(known, one.apply_masks(left), 3)
    assert time.process_time() - begin < one_by_one * 1.5


def test_an_attack_is_a_value(public: PublicTexts) -> None:
    assert attack(DOCUMENTS, public) == attack(DOCUMENTS, public)
    assert isinstance(attack(DOCUMENTS, public), tuple)
    assert all(isinstance(one, AttackSummary) for one in attack(DOCUMENTS, public))
