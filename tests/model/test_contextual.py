"""Folders of sentence-transformers: nothing but data is read from them, and what they say stands where it is said."""

from __future__ import annotations

import json
import pickle
import shutil
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.typing import NDArray

from embanon.errors import DataError, EmbanonError, InputError, MissingExtraError
from embanon.model.contextual import Contextual, _cut_windows
from embanon.model.contextual_folder import check_folder

TRANSFORMER = "sentence_transformers.models.Transformer"
POOLING = "sentence_transformers.models.Pooling"
WORDS = "the an actress was born in berlin and played a role of queen ma ##ria ##s lived old town ü , . a b c".split()
SECRET = "Geheimnis"


def weights(tensors: int = 1) -> bytes:
    """Return a file of weights: its length, its header, its numbers."""
    shape = {"dtype": "F32", "shape": [1]}
    header = {f"t{n}": {**shape, "data_offsets": [4 * n, 4 * n + 4]} for n in range(tensors)}
    text = json.dumps({"__metadata__": {"format": "pt"}, **header}).encode()
    return len(text).to_bytes(8, "little") + text + bytes(4 * tensors)


def modules(*types: str, **paths: str) -> list[dict[str, Any]]:
    return [{"idx": n, "name": str(n), "path": paths.get(f"p{n}", ""), "type": t} for n, t in enumerate(types)]


def put(folder: Path, files: dict[str, Any]) -> Path:
    """Write files: bytes as they are, None removes one, everything else as JSON."""
    for name, value in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        if value is None:
            file.unlink()
        else:
            file.write_bytes(value if isinstance(value, bytes) else json.dumps(value).encode())
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder that passes the check, but holds no model."""
    files = {
        "modules.json": modules(TRANSFORMER, POOLING, p1="1_Pooling"),
        "config.json": {"model_type": "bert"},
        "tokenizer.json": {},
        "model.safetensors": weights(),
    }
    return put(tmp_path / "folder", files)


# name: files, which replace those of a good folder; error; what its message says
REFUSED: dict[str, tuple[dict[str, Any], type[EmbanonError], str]] = {
    "no modules": ({"modules.json": None}, InputError, "has no modules.json"),
    "modules cut short": ({"modules.json": b'[{"idx": 0, '}, DataError, "modules.json: is truncated"),
    "modules not UTF-8": ({"modules.json": b"\xff\xfe"}, DataError, "modules.json: is truncated"),
    "modules nested": ({"modules.json": b"[" * 200_000}, DataError, "modules.json: is truncated"),
    "modules an object": ({"modules.json": {}}, DataError, "is not a list"),
    "modules of strings": ({"modules.json": ["a"]}, DataError, "is not a list"),
    "no module": ({"modules.json": []}, InputError, "must begin with one Transformer"),
    "only a transformer": ({"modules.json": modules(TRANSFORMER)}, InputError, "must begin with one Transformer"),
    "two transformers": (
        {"modules.json": modules(TRANSFORMER, POOLING, TRANSFORMER)},
        InputError,
        "must begin with one Transformer",
    ),
    "a class of the folder": ({"modules.json": modules("custom.Transformer", POOLING)}, InputError, "custom.Transf"),
    "a class of Python": ({"modules.json": modules("os.system", POOLING)}, InputError, "'os.system'"),
    "a name that begins alike": (
        {"modules.json": modules("sentence_transformers_evil.Transformer", POOLING)},
        InputError,
        "sentence_transformers_evil",
    ),
    "a module that names further ones": (
        {"modules.json": modules(TRANSFORMER, POOLING, "sentence_transformers.models.Router")},
        InputError,
        "Router",
    ),
    "a line end after a class": ({"modules.json": modules(TRANSFORMER + "\n", POOLING)}, InputError, "not imported"),
    "no type": ({"modules.json": [{"path": ""}]}, InputError, "'None'"),
    "path up": ({"modules.json": modules(TRANSFORMER, POOLING, p0="../other")}, InputError, "leads out of the folder"),
    "path from the root": ({"modules.json": modules(TRANSFORMER, POOLING, p0="/etc")}, InputError, "leads out"),
    "path of Windows": ({"modules.json": modules(TRANSFORMER, POOLING, p0="..\\other")}, InputError, "leads out"),
    "path no string": ({"modules.json": [{"type": TRANSFORMER, "path": 1}]}, InputError, "leads out"),
    "another kind": (
        {"config_sentence_transformers.json": {"model_type": "CrossEncoder"}},
        InputError,
        "is a 'CrossEncoder'",
    ),
    "no config": ({"config.json": None}, DataError, "has no config.json"),
    "config no object": ({"config.json": []}, DataError, "config.json: is not an object"),
    "no tokenizer": ({"tokenizer.json": None}, DataError, "has no tokenizer.json"),
    "tokenizer cut short": ({"tokenizer.json": b'{"a'}, DataError, "tokenizer.json: is truncated"),
    "adapter": ({"adapter_config.json": {}}, InputError, "merge it"),
    "attention of the network": (
        {"config.json": {"text_config": [{"attn_implementation": "someone/kernel"}]}},
        InputError,
        "attn_implementation asks for code",
    ),
    "settings with a path": (
        {"sentence_bert_config.json": {"tokenizer_name_or_path": "someone/else"}},
        InputError,
        "'tokenizer_name_or_path' has a value",
    ),
    "settings with a method": (
        {"sentence_bert_config.json": {"modality_config": {"text": {"method": "save_pretrained"}}}},
        InputError,
        "'modality_config' has a value",
    ),
    "settings with arguments": (
        {"sentence_bert_config.json": {"max_seq_length": 9, "model_args": {"use_safetensors": False}}},
        InputError,
        "'model_args' has a value",
    ),
    "settings with a length below 0": ({"sentence_bert_config.json": {"max_seq_length": -1}}, InputError, "'max_seq_"),
    "no weights": ({"model.safetensors": None}, DataError, "has no model.safetensors"),
    "weights as a pickle": (
        {"model.safetensors": None, "pytorch_model.bin": pickle.dumps({})},
        InputError,
        r"can run code.*convert it: python -c",
    ),
    "weights empty": ({"model.safetensors": b""}, DataError, "model.safetensors: is truncated"),
    "weights cut in the header": ({"model.safetensors": weights()[:20]}, DataError, "is truncated"),
    "weights cut in the numbers": ({"model.safetensors": weights(3)[:-1]}, DataError, "is truncated"),
    "weights of terabytes": (
        {"model.safetensors": (1 << 42).to_bytes(8, "little") + b"{}"},
        DataError,
        "is truncated, or is not a safetensors file",
    ),
    "weights that are a pointer": (
        {"model.safetensors": b"version https://git-lfs.github.com/spec/v1\noid sha256:00\n"},
        DataError,
        "is not a safetensors file",
    ),
    "weights without tensors": ({"model.safetensors": (2).to_bytes(8, "little") + b"{}"}, DataError, "is truncated"),
    "weights with a foreign header": (
        {"model.safetensors": (9).to_bytes(8, "little") + b'{"a": []}'},
        DataError,
        "is not a safetensors file",
    ),
    "a part that is missing": (
        {"model.safetensors": None, "model.safetensors.index.json": {"weight_map": {"t0": "part-1.safetensors"}}},
        DataError,
        "part-1.safetensors: is truncated",
    ),
    "a part elsewhere": (
        {"model.safetensors": None, "model.safetensors.index.json": {"weight_map": {"t0": "../x.safetensors"}}},
        InputError,
        "leads out of the folder",
    ),
    "an index without parts": (
        {"model.safetensors": None, "model.safetensors.index.json": {}},
        DataError,
        "does not say where",
    ),
    "a later layer as a pickle": (
        {
            "modules.json": modules(TRANSFORMER, POOLING, "sentence_transformers.models.Dense", p2="2_Dense"),
            "2_Dense/pytorch_model.bin": b"",
        },
        InputError,
        "2_Dense: has its weights as a pickle",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_folder_is_refused_before_anything_of_it_is_loaded(case: str, folder: Path) -> None:
    files, error, message = REFUSED[case]
    with pytest.raises(error, match=message) as caught:
        Contextual.open(put(folder, files))
    assert type(caught.value) is error


# name: files which, added to a good folder, leave it good
ACCEPTED: dict[str, dict[str, Any]] = {
    "as it is": {},
    "a pickle beside": {"pytorch_model.bin": b""},
    "new class names": {
        "modules.json": modules(
            "sentence_transformers.base.modules.transformer.Transformer",
            "sentence_transformers.sentence_transformer.modules.pooling.Pooling",
            "sentence_transformers.base.modules.normalize.Normalize",
        )
    },
    "weights in parts": {
        "model.safetensors": None,
        "model.safetensors.index.json": {"weight_map": {"t0": "a.safetensors"}},
        "a.safetensors": weights(),
    },
    "settings": {"sentence_bert_config.json": {"max_seq_length": 256, "do_lower_case": False, "model_args": {}}},
    "its kind": {"config_sentence_transformers.json": {"model_type": "SentenceTransformer"}},
}


@pytest.mark.parametrize("case", ACCEPTED)
def test_a_folder_of_data_passes(case: str, folder: Path) -> None:
    check_folder(put(folder, ACCEPTED[case]))


def test_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for name, message in (("none", "does not exist"), ("file", "is a file")):
        with pytest.raises(InputError, match=message):
            Contextual.open(tmp_path / name)


def test_without_the_library_its_extra_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'embanon\[contextual\]'"):
        Contextual.open(folder)


@given(st.integers(1, 3000), st.integers(1, 300))
def test_windows_count_each_token_once(tokens: int, room: int) -> None:
    windows = _cut_windows(tokens, room)
    assert [n for w in windows for n in range(w.first, w.last)] == list(range(tokens))
    assert all(w.start <= w.first < w.last <= w.end and w.end - w.start == min(room, tokens) for w in windows)
    far = room // 4  # a token has that many tokens on each side, or the end of the text
    assert all(w.start == 0 or w.first - w.start >= far for w in windows)
    assert all(w.end == tokens or w.end - w.last >= far - 1 for w in windows)


# From here on a real model, of two layers and random weights: made on the spot, saved and opened.

# Marks of the end and the beginning stand around a text; each word below is a token, "ma ##ria ##s" are three.
TEXT = "Marias lived in old Berlin, the town of a Queen 😀 and Maria."
LONG = "the actress was born in berlin . a queen lived in the old town of berlin and played a role , " * 9


def save(folder: Path, pooling: Any = "mean", length: int = 16, dense: bool = False) -> Path:
    """Save a model with random weights as the library does."""
    library = pytest.importorskip("sentence_transformers")
    import torch
    from sentence_transformers.sentence_transformer.modules import Dense, Normalize, Pooling, Transformer
    from transformers import BertConfig, BertModel, BertTokenizerFast

    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]
    torch.manual_seed(7)
    small = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64}
    config = BertConfig(vocab_size=len(words), **{"max_position_embeddings": 64, "initializer_range": 0.3, **small})
    BertModel(config).save_pretrained(folder)
    BertTokenizerFast(vocab={word: n for n, word in enumerate(words)}, do_lower_case=True).save_pretrained(folder)
    parts: list[Any] = [Transformer(str(folder)), Pooling(32, pooling)]
    parts[0].max_seq_length = length
    if dense:
        parts.append(Dense(32, 8))
    library.SentenceTransformer(modules=[*parts, Normalize()], device="cpu").save(str(folder), create_model_card=False)
    put(folder, {"sentence_bert_config.json": {"max_seq_length": length, "do_lower_case": False}})
    return folder


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save(tmp_path_factory.mktemp("model"))


@pytest.fixture(scope="module")
def model(saved: Path) -> Contextual:
    return Contextual.open(saved)


def unit(row: NDArray[np.float32]) -> NDArray[np.float32]:
    return row / np.linalg.norm(row)


def test_a_model_is_opened_without_the_network(saved: Path, monkeypatch: pytest.MonkeyPatch, capfd: Any) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise RuntimeError("asked the network")

    for name in ("connect", "connect_ex", "sendto"):
        monkeypatch.setattr(socket.socket, name, refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    opened = Contextual.open(saved)
    assert (opened.dimensions, opened.window_size, opened.folder) == (32, 14, saved)
    assert opened.vectors([TEXT]).shape == (1, 32)
    assert capfd.readouterr() == ("", "")  # no bars of progress
    assert "BertModel" not in repr(opened)


def test_vectors_are_those_of_the_library(model: Contextual) -> None:
    texts = ["Maria", "the old town", "born in Berlin, a queen", "😀 town", "\ud800 town"]
    rows = model.vectors(texts)
    assert rows.dtype == np.float32
    expected = model.model.encode([text.replace("\ud800", "\ufffd") for text in texts], show_progress_bar=False)
    np.testing.assert_allclose(rows, expected, atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)


@pytest.mark.parametrize("text", ["", "  \n", "😀", "日本 😀", "\x00\u200b"])
def test_a_text_without_a_known_token_is_unknown(model: Contextual, text: str) -> None:
    rows = model.vectors([text, "town", text])
    assert np.isnan(rows[[0, 2]]).all()
    assert np.isfinite(rows[1]).all()
    assert np.isnan(model.in_context(text, [(0, len(text))])).all()


def test_no_texts_and_no_spans(model: Contextual) -> None:
    assert model.vectors([]).shape == model.in_context(TEXT, []).shape == model.in_context("", []).shape == (0, 32)


# what stands in TEXT: the numbers of its tokens
SPANS = {
    "Marias": (0, 1, 2),
    "lived": (3,),
    "old Berlin": (5, 6),
    " Berlin,": (6, 7),
    "erl": (6,),  # part of a token
    "ria": (1,),
    "Berlin, the town": (6, 7, 8, 9),
    "a Queen 😀 and Maria": (11, 12, 14, 15, 16),  # 13 is not known
    "😀": (),
    " 😀 ": (),
    "": (),
}


@pytest.mark.parametrize("span", SPANS)
def test_a_span_is_the_mean_of_its_tokens(span: str, tmp_path: Path, saved: Path) -> None:
    wide = Contextual.open(save(tmp_path / "wide", length=64))
    states = wide.model.encode([TEXT], output_value="token_embeddings", show_progress_bar=False)[0].numpy()[1:-1]
    start = TEXT.index(span)
    (row,) = wide.in_context(TEXT, [(start, start + len(span))])
    if SPANS[span]:
        np.testing.assert_allclose(row, unit(states[list(SPANS[span])].mean(0)), atol=1e-6)
    else:
        assert np.isnan(row).all()


@pytest.mark.parametrize("kind", ["bytes", "unigram", "wordpiece"])
def test_offsets_are_those_of_words_with_any_tokenizer(kind: str) -> None:
    pytest.importorskip("sentence_transformers")
    import tokenizers as library
    from transformers import PreTrainedTokenizerFast

    models, before, trainers = library.models, library.pre_tokenizers, library.trainers
    made, cut, trainer = {
        "bytes": (
            models.BPE(),
            before.ByteLevel(add_prefix_space=True),
            trainers.BpeTrainer(vocab_size=320, initial_alphabet=before.ByteLevel.alphabet(), show_progress=False),
        ),
        "unigram": (
            models.Unigram(),
            before.Metaspace(),
            trainers.UnigramTrainer(vocab_size=60, unk_token="<unk>", special_tokens=["<unk>"], show_progress=False),
        ),
        "wordpiece": (
            models.WordPiece(unk_token="<unk>"),
            before.BertPreTokenizer(),
            trainers.WordPieceTrainer(vocab_size=90, special_tokens=["<unk>"], show_progress=False),
        ),
    }[kind]
    tokenizer = library.Tokenizer(made)
    tokenizer.pre_tokenizer = cut
    tokenizer.train_from_iterator([LONG, TEXT.replace("😀", "")], trainer)
    unknown = None if kind == "bytes" else "<unk>"
    wrapped = PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token=unknown)
    (tokens,) = Contextual(Path(), 1, 1, SimpleNamespace(tokenizer=wrapped))._tokens([TEXT])
    pairs = [*zip(tokens.starts[tokens.known], tokens.ends[tokens.known], strict=True)]
    assert pairs == sorted(pairs)
    assert all(TEXT[start:end].strip() == TEXT[start:end] != "" for start, end in pairs)
    covered = {at for start, end in pairs for at in range(start, end)}
    assert {at for at, character in enumerate(TEXT) if character.isalpha()} <= covered
    assert (TEXT.index("😀") in covered) == (kind == "bytes")


@pytest.mark.parametrize("span", [(-1, 2), (3, 2), (0, len(TEXT) + 1)])
def test_a_span_outside_of_the_text_is_an_error_without_the_text(model: Contextual, span: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="is not within a text of") as caught:
        model.in_context(TEXT, [span])
    assert "Maria" not in str(caught.value)


def test_one_word_is_told_apart_by_its_text(model: Contextual) -> None:
    one, other = (model.in_context(text, [(4, 8)])[0] for text in ("the town of queen", "old town was born"))
    assert one @ other < 0.99


def test_a_long_text_is_read_in_windows(model: Contextual) -> None:
    assert len(LONG.split()) > 10 * model.window_size
    (row,) = model.vectors([LONG])
    (cut,) = model.model.encode([LONG], show_progress_bar=False)
    assert np.linalg.norm(row) == pytest.approx(1, abs=1e-6)
    assert row @ cut < 0.9999  # the library reads the beginning only
    spans = [(at, at + 6) for at in range(len(LONG)) if LONG.startswith("berlin", at)]
    rows = model.in_context(LONG, spans)
    assert len(spans) == 18
    assert np.isfinite(rows).all()
    # What stands further off than a window changes nothing.
    later = model.in_context(LONG + "the queen . " * 50, spans[:9])
    np.testing.assert_allclose(rows[:9], later, atol=1e-5)


def test_a_token_counts_where_it_stands_furthest_from_an_edge(model: Contextual) -> None:
    tokens = LONG.split()
    for number in (0, 6, 10, 11, 50, len(tokens) - 1):
        (window,) = (w for w in _cut_windows(len(tokens), model.window_size) if w.first <= number < w.last)
        start = len(" ".join([*tokens[:number], ""]))
        text = " ".join(tokens[window.start : window.end])
        at = len(" ".join([*tokens[window.start : number], ""]))
        (row,) = model.in_context(LONG, [(start, start + len(tokens[number]))])
        (same,) = model.in_context(text, [(at, at + len(tokens[number]))])
        np.testing.assert_allclose(row, same, atol=1e-5)


PIECES = ("town", "Maria", "queen", " ", "  ", ",", "ü", "Ü", "😀", "e\u0301", "İ", "\ud800", "\n", "日")


@settings(max_examples=30)
@given(st.lists(st.sampled_from(PIECES), max_size=60).map("".join), st.data())
def test_spans_do_not_depend_on_each_other(model: Contextual, text: str, data: st.DataObject) -> None:
    span = st.tuples(st.integers(0, len(text)), st.integers(0, len(text))).map(lambda two: (min(two), max(two)))
    spans = data.draw(st.lists(span, max_size=6))
    rows = model.in_context(text, spans)
    alone = [model.in_context(text, [span])[0] for span in spans]
    np.testing.assert_allclose(rows, np.reshape(alone, (-1, model.dimensions)), atol=1e-5)
    whole = model.in_context(text, [(0, len(text))])
    assert np.isnan(whole).all() == np.isnan(model.vectors([text])).all()


def test_what_follows_pooling_is_done_in_context_too(tmp_path: Path) -> None:
    dense = Contextual.open(save(tmp_path / "dense", dense=True))
    assert dense.dimensions == 8
    assert dense.in_context(TEXT, [(0, 6)]).shape == dense.vectors(["a"]).shape == (1, 8)


def test_another_process_opens_the_folder_itself(model: Contextual) -> None:
    sent = pickle.dumps(model)
    assert len(sent) < 1000
    np.testing.assert_allclose(pickle.loads(sent).vectors([TEXT]), model.vectors([TEXT]), atol=1e-6)


def test_the_transformer_may_have_a_folder_of_its_own(model: Contextual, saved: Path, tmp_path: Path) -> None:
    inner = tmp_path / "outer" / "0_BERT"
    shutil.copytree(saved, inner)
    for name in ("modules.json", "1_Pooling", "2_Normalize"):
        if (inner / name).exists():
            (inner / name).rename(inner.parent / name)
    rows = json.loads((inner.parent / "modules.json").read_text())
    rows[0]["path"] = inner.name
    opened = Contextual.open(put(inner.parent, {"modules.json": rows}))
    np.testing.assert_allclose(opened.vectors([TEXT, LONG]), model.vectors([TEXT, LONG]), atol=1e-6)


def edited(**changes: Any) -> Callable[[Path], None]:
    def edit(folder: Path) -> None:
        config = json.loads((folder / "config.json").read_text())
        put(folder, {"config.json": {**config, **changes}})

    return edit


def fewer_tokens(folder: Path) -> None:
    tokenizer = json.loads((folder / "tokenizer.json").read_text())
    tokenizer["model"]["vocab"] |= {f"new{n}": 100 + n for n in range(9)}
    put(folder, {"tokenizer.json": tokenizer})


def broken_numbers(folder: Path) -> None:
    file = folder / "model.safetensors"
    data = file.read_bytes()
    length = 8 + int.from_bytes(data[:8], "little")
    file.write_bytes(data[:length] + b"\xff" * (len(data) - length))


# name: what is done to a saved model; error; what its message says
BROKEN: dict[str, tuple[Callable[[Path], Any], type[EmbanonError], str]] = {
    "more layers than weights": (edited(num_hidden_layers=3), DataError, "asks for weights that"),
    "another width": (edited(hidden_size=64), DataError, "cannot be loaded"),
    "another family": (edited(model_type="nothing"), DataError, "cannot be loaded"),
    "code of the folder": (
        edited(model_type="own", auto_map={"AutoConfig": "own.Config", "AutoModel": "own.Model"}),
        DataError,
        "cannot be loaded",
    ),
    "more tokens than weights": (fewer_tokens, DataError, "more tokens than the weights"),
    "a longer text than positions": (
        lambda folder: put(folder, {"sentence_bert_config.json": {"max_seq_length": 100}}),
        DataError,
        "says it reads 100 tokens, but its weights have 64",
    ),
    "no room": (
        lambda folder: put(folder, {"sentence_bert_config.json": {"max_seq_length": 2}}),
        DataError,
        "leaves none for a text",
    ),
    "a foreign tokenizer": (lambda folder: put(folder, {"tokenizer.json": {}}), DataError, "cannot be loaded"),
    "numbers that are none": (broken_numbers, DataError, "no finite vectors"),
    "weights cut short": (
        lambda folder: (folder / "model.safetensors").write_bytes((folder / "model.safetensors").read_bytes()[:-1]),
        DataError,
        "is truncated",
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_model_is_refused(case: str, saved: Path, tmp_path: Path, capfd: Any) -> None:
    change, error, message = BROKEN[case]
    folder = tmp_path / "broken"
    shutil.copytree(saved, folder)
    put(folder, {"own.py": f"open({str(tmp_path / SECRET)!r}, 'w')".encode()})
    change(folder)
    with pytest.raises(error, match=message):
        Contextual.open(folder)
    assert not (tmp_path / SECRET).exists()
    assert capfd.readouterr() == ("", "")  # the error says it


def test_several_poolings_at_once_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="pools in several ways"):
        Contextual.open(save(tmp_path / "both", pooling=("mean", "max")))
