"""A masked language model as the measure of information: only a whole folder of one, and its own predictions."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

import numpy as np
import pytest

from embanon.errors import DataError, InputError, MissingExtraError
from embanon.measure.metrics.masked_language_model import MaskedLanguageModel
from tests.model.test_contextual import WORDS, put, weights

TEXT = "An actress was born in old Berlin, Maria 😀 lived there and played the queen of the old town."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder that passes the check, but holds no model."""
    files = {"config.json": {"model_type": "bert"}, "tokenizer.json": {}, "model.safetensors": weights()}
    return put(tmp_path / "model", files)


def test_without_the_library_its_extra_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'embanon\[contextual\]'"):
        MaskedLanguageModel.open(folder)


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.safetensors"])
def test_a_folder_without_a_file(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(DataError, match="fetch the model again"):
        MaskedLanguageModel.open(folder)


def test_a_pickle_and_no_folder(folder: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        MaskedLanguageModel.open(folder / "none")
    with pytest.raises(InputError, match="is a file"):
        MaskedLanguageModel.open(folder / "config.json")
    (folder / "model.safetensors").rename(folder / "model.bin")
    with pytest.raises(InputError, match="pickle"):
        MaskedLanguageModel.open(folder)


# From here on a real model, of two layers and random weights: made on the spot, saved and opened.


def save(folder: Path, kind: str) -> Path:
    transformers = pytest.importorskip("transformers")
    import torch

    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]
    torch.manual_seed(7)
    small = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64}
    config = transformers.BertConfig(
        vocab_size=len(words), max_position_embeddings=24, initializer_range=0.3, **small
    )  # fmt: skip
    getattr(transformers, kind)(config).save_pretrained(folder)
    vocabulary = {word: number for number, word in enumerate(words)}
    transformers.BertTokenizerFast(vocab=vocabulary, do_lower_case=True).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> MaskedLanguageModel:
    return MaskedLanguageModel.open(save(tmp_path_factory.mktemp("small") / "model", "BertForMaskedLM"))


def test_a_model_that_does_not_predict(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no weights that predict words"):
        MaskedLanguageModel.open(save(tmp_path, "BertModel"))


def test_bits_are_those_of_the_least_likely_piece(model: MaskedLanguageModel) -> None:
    import torch

    text = "Maria was born in Berlin"  # ma ##ria was born in berlin
    found = model.weigh(text, np.array([(0, 5), (18, 24), (6, 9)]), "en")
    ids = model.tokenizer(text)["input_ids"]
    asked, seen = list(ids), [1] * len(ids)
    for place in (1, 2, 3, 6):
        asked[place], seen[place] = model.tokenizer.mask_token_id, 0
    with torch.inference_mode():
        logits = model.model(input_ids=torch.tensor([asked]), attention_mask=torch.tensor([seen])).logits[0]
    chances = [float(torch.softmax(logits[place].double(), -1)[ids[place]]) for place in range(len(ids))]
    expected = [-np.log2(min(chances[1], chances[2])), -np.log2(chances[6]), -np.log2(chances[3])]
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    assert model.name == "masked language model model"


def test_long_texts_and_spans_without_pieces(model: MaskedLanguageModel) -> None:
    text = TEXT * 9
    words = np.array([(place, place + 3) for place in range(0, len(text) - 3, 7)])
    found = model.weigh(text, words, "en")
    assert np.isfinite(found).all()
    assert (found > 0).all()
    assert model.weigh(text, words[:0], "en").shape == (0,)
    assert model.weigh(" ", np.array([(0, 1)]), "en").tolist() == [1.0]
    blank = text.index(" ")
    both = model.weigh(text, np.array([(0, 2), (blank, blank + 1)]), "en")
    assert both[0] == both[1]


def test_another_process_opens_the_folder_itself(model: MaskedLanguageModel) -> None:
    data = pickle.dumps(model)
    assert len(data) < 1000
    assert pickle.loads(data) == model
