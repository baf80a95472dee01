from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from embanon.errors import InputError
from embanon.text.tagger import Tagger, TaggerWeights
from embeddings.build.accuracy import compare, measure
from embeddings.build.tagger import WordClasses, add_recased_copies, fit, fit_context
from embeddings.build.treebank import Sentence, Word, read_treebank, recase

TREEBANK = """\
# sent_id = own-1
# text = She doesn't like the red house.
1	She	she	PRON	PRP	4	nsubj	_
2-3	doesn't	_	_	_	_	_	_
2	does	do	AUX	VBZ	4	aux	_
3	n't	not	PART	RB	4	advmod	_
4	like	like	VERB	VB	0	root	_
5	the	the	DET	DT	7	det	_
6	red	red	ADJ	JJ	7	amod	_
7	house	house	NOUN	NN	4	obj	SpaceAfter=No
8	.	.	PUNCT	.	4	punct	_

# sent_id = n01001011
# text = Peter viene del mar
1	Peter	Peter	PROPN	_	2	nsubj	_
2	viene	venir	VERB	_	0	root	_
3-4	del	_	_	_	_	_	_
3	de	de	ADP	_	5	case	_
4	el	el	DET	_	5	det	_
5	mar	mar	NOUN	_	2	obl	_

"""


def write(folder: Path, text: str) -> Path:
    path = folder / "train.conllu.gz"
    path.write_bytes(gzip.compress(text.encode()))
    return path


def test_contractions_are_cut_in_english_and_kept_elsewhere(tmp_path: Path) -> None:
    english, other = read_treebank(write(tmp_path, TREEBANK), split=True)
    assert [word.form for word in english] == ["She", "does", "n't", "like", "the", "red", "house", "."]
    assert [word.tag for word in other] == ["PROPN", "VERB", "ADP+DET", "NOUN"]
    assert other[2].lemmas == ("de", "el")
    assert not english[6].space_after
    assert [sentence[0].parallel for sentence in (english, other)] == [False, True]
    kept = next(iter(read_treebank(write(tmp_path, TREEBANK), split=False)))
    assert (kept[1].form, kept[1].tag) == ("doesn't", "AUX+PART")


@pytest.mark.parametrize("text", ["1\tShe\n", "one\ttwo\tthree\tfour\tfive\tsix\tseven\teight\n"])
def test_what_is_no_treebank_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError):
        list(read_treebank(write(tmp_path, text), split=True))
    (tmp_path / "plain.gz").write_bytes(b"no archive")
    with pytest.raises(InputError):
        list(read_treebank(tmp_path / "plain.gz", split=True))


def sentence(text: str, *, parallel: bool = False) -> Sentence:
    pairs = [pair.split("/") for pair in text.split()]
    return tuple(
        Word(form, tag, True, ((n, form, tag, 0, "dep"),), (), parallel) for n, (form, tag) in enumerate(pairs, 1)
    )


OWN = [
    sentence(text)
    for text in (
        "the/DET dog/NOUN sees/VERB a/DET red/ADJ house/NOUN",
        "a/DET cat/NOUN likes/VERB the/DET green/ADJ garden/NOUN",
        "the/DET old/ADJ cat/NOUN sees/VERB Rome/PROPN",
        "su/DET dog/NOUN likes/VERB Paris/PROPN",
        "the/DET run/NOUN ends/VERB",
        "dogs/NOUN run/VERB",
    )
] * 3
NOTHING = WordClasses(np.zeros(0, np.uint32), np.zeros((0, 1), np.uint16))


def trained(sentences: list[Sentence]) -> TaggerWeights:
    tags = sorted({word.tag for one in sentences for word in one})
    return fit(sentences, tags, NOTHING)


def test_the_first_pass_learns_what_it_is_shown() -> None:
    assert measure(Tagger(trained(OWN)), OWN).upos == 100


def test_the_second_pass_learns_on_what_the_first_has_not_seen() -> None:
    augmented, origin = add_recased_copies(OWN)
    weights = fit_context(augmented, origin, trained(augmented), NOTHING)
    assert len(weights.context)
    assert measure(Tagger(weights), OWN).upos > 90


def test_the_conventions_of_the_parallel_treebank_are_left_out() -> None:
    foreign = [sentence("su/PRON cat/NOUN sees/VERB Rome/PROPN", parallel=True)] * 4
    su = [sentence("su/DET cat/NOUN sees/VERB Paris/PROPN")]
    assert measure(Tagger(trained(OWN + foreign)), su).upos == 100


def test_training_twice_gives_the_same_bytes() -> None:
    assert trained(OWN).to_bytes() == trained(OWN).to_bytes()


def test_recased_copies_know_their_origin() -> None:
    augmented, origin = add_recased_copies(OWN)
    assert len(augmented) == len(origin) > len(OWN)
    for copy, number in zip(augmented, origin.tolist(), strict=True):
        assert [word.form.lower() for word in copy] == [word.form.lower() for word in OWN[number]]
    assert [word.form for word in recase(OWN[0], "title")][:2] == ["The", "Dog"]


def test_accuracy_counts_the_words_of_contractions() -> None:
    found = compare([("ADP+DET", "ADP+DET"), ("NOUN", "NOUN"), ("ADP", "ADP+DET"), ("NOUN", "VERB")])
    assert found.upos == pytest.approx(100 * 4 / 6)
    assert found.nominal == pytest.approx(200 / 3)
