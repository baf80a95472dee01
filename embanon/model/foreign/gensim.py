"""gensim's `.kv` and `.model`: pickles, read without running them, and the arrays in files beside them.

Read are KeyedVectors, Word2Vec, FastText and the words of Doc2Vec, as gensim 4 saves them, and most of older ones,
but for FastText before 3.8.
"""

from __future__ import annotations

import math
import mmap
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from embanon.errors import DataError, InputError
from embanon.model.foreign import ForeignEmbeddings
from embanon.model.foreign.pickled import ADVICE, RecordedCall, parse_pickle
from embanon.model.foreign.source import check_embeddings, is_gzipped, open_embeddings, refuse_dimensions
from embanon.model.subwords import Subwords

CLASSES: Final = {
    "gensim.models.keyedvectors": (
        "KeyedVectors Word2VecKeyedVectors Doc2VecKeyedVectors EuclideanKeyedVectors FastTextKeyedVectors "
        "Vocab CompatVocab"
    ),
    "gensim.models.word2vec": "Word2Vec Word2VecVocab Word2VecTrainables Vocab",
    "gensim.models.fasttext": "FastText FastTextKeyedVectors FastTextVocab FastTextTrainables",
    "gensim.models.doc2vec": "Doc2Vec Doc2VecVocab Doc2VecTrainables Doctag DocvecsArray",
    "gensim.utils": "call_on_class_only",
}
SUPPORT_CLASSES: Final = {
    "numpy": "ndarray dtype int32 int64 uint32 float32 float64",
    "numpy.core.multiarray": "_reconstruct scalar",
    "numpy._core.multiarray": "_reconstruct scalar",
    "numpy.core.numeric": "_frombuffer",
    "numpy._core.numeric": "_frombuffer",
    "numpy.random": "__RandomState_ctor",
    "numpy.random._pickle": "__randomstate_ctor __bit_generator_ctor",
    "numpy.random._mt19937": "MT19937",
    "collections": "OrderedDict defaultdict",
    "_codecs": "encode",
    "builtins": "bytes frozenset hash int long object",
    "__builtin__": "bytes frozenset hash int long object",
}
ALLOWED: Final = frozenset(
    f"{module}.{name}"
    for table in (CLASSES, SUPPORT_CLASSES)
    for module, names in table.items()
    for name in names.split()
)
"""All that models of gensim name, of Python 3 or 2. None of it is called."""

DTYPE_CODE: Final = re.compile("[fiu][248]|[iu]1")
BYTE_ORDERS: Final = "<>=|"
MAX_COUNT: Final = 1 << 62


@dataclass(frozen=True, slots=True, eq=False)
class _SavedObject:
    """An object of gensim: its attributes, and the file name that those beside it begin with."""

    name: str
    attributes: dict[str, Any] = field(repr=False)
    file_prefix: str
    path: Path

    def child(self, attribute: str) -> _SavedObject | None:
        """Return an object that is part of this one."""
        value = self.attributes.get(attribute)
        if isinstance(value, RecordedCall) and isinstance(value.state, dict):
            return _SavedObject(
                value.callable_name.rpartition(".")[2], value.state, f"{self.file_prefix}.{attribute}", self.path
            )
        return None

    def number(self, attribute: str) -> int:
        """Return an attribute that must be a number."""
        value = self.attributes.get(attribute)
        if isinstance(value, RecordedCall):
            value = _scalar(value)
        if not isinstance(value, int):
            raise self.unreadable_error(attribute)
        return value

    def rows(self, *attributes: str) -> NDArray[np.float32]:
        """Return the first of some arrays that is there: of two dimensions, mapped where it has its own file."""
        for attribute in attributes:
            array = self.array(attribute)
            if array is None:
                continue
            if array.ndim != 2 or array.dtype.kind != "f":
                raise self.unreadable_error(attribute)
            refuse_dimensions(array.shape[1], self.path)
            with np.errstate(over="ignore"):  # what does not fit is infinite, and refused as such
                return np.asarray(array, np.float32, order="C")
        raise self.unreadable_error(attributes[0])

    def array(self, attribute: str) -> NDArray[Any] | None:
        """Return an array of numbers, or `None` when there is none."""
        if attribute in _strings_in(self.attributes.get("__numpys")):
            return _load_side_array(self.path.with_name(f"{self.file_prefix}.{attribute}.npy"))
        value = self.attributes.get(attribute)
        if value is None:
            return None
        array = _array(value)
        if array is None:
            raise self.unreadable_error(attribute)
        return array

    def unreadable_error(self, attribute: str) -> InputError:
        """Return whether an attribute is not what it must be."""
        return InputError(f"{self.path}: has no {attribute} that could be read; save it with gensim 4, or {ADVICE}")


def read_gensim(path: Path) -> ForeignEmbeddings:
    """Read what gensim saved: words with their vectors, and counts, output weights and subwords if they are there."""
    with open_embeddings(path) as stream:
        if is_gzipped(stream):
            raise InputError(f"{path}: is packed; {ADVICE}")
        if not path.stat().st_size:
            raise InputError(f"{path}: is empty; save it again")
        with mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
            whole = parse_pickle(data, path, ALLOWED)
    if not isinstance(whole, RecordedCall) or not isinstance(whole.state, dict):
        raise InputError(f"{path}: holds no model; {ADVICE}")
    name = whole.callable_name.rpartition(".")[2]
    model = _SavedObject(name, whole.state, path.name, path)
    vectors = model.child("wv") or model
    return check_embeddings(_foreign(model, vectors), path)


def _foreign(model: _SavedObject, saved: _SavedObject) -> ForeignEmbeddings:
    keys = _keys(saved)
    subwords = None
    if "vectors_ngrams" in saved.attributes or "vectors_ngrams" in _strings_in(saved.attributes.get("__numpys")):
        subwords = _subwords(saved)
        own = _check_row_count(saved, saved.rows("vectors_vocab"), keys)
        with np.errstate(invalid="ignore", over="ignore"):
            vectors = own if subwords is None else subwords.compose(keys, own)
    else:
        vectors = _check_row_count(saved, saved.rows("vectors", "syn0"), keys)
    counts = _counts(saved, keys)
    # gensim makes up counts for what it reads from word2vec files: as many as there are words, and down to 1.
    if model is saved and counts is not None and np.array_equal(counts, np.arange(len(keys), 0, -1)):
        counts = None
    return ForeignEmbeddings(f"gensim {model.name}", keys, vectors, counts, _output(model, vectors), subwords)


def _keys(saved: _SavedObject) -> list[str]:
    keys = next((saved.attributes[name] for name in ("index_to_key", "index2word", "index2entity")
                 if name in saved.attributes), None)  # fmt: skip
    if not isinstance(keys, list):
        raise saved.unreadable_error("index_to_key")
    for place, key in enumerate(keys):
        if not isinstance(key, str):
            raise InputError(f"{saved.path}: record {place + 1} is no word; only vectors of words can be read")
    return keys


def _check_row_count(saved: _SavedObject, rows: NDArray[np.float32], keys: list[str]) -> NDArray[np.float32]:
    if len(rows) != len(keys):
        raise InputError(f"{saved.path}: has {len(rows):,} vectors for {len(keys):,} words; save it again, or {ADVICE}")
    return rows


def _subwords(saved: _SavedObject) -> Subwords | None:
    if saved.attributes.get("compatible_hash") is not True:
        raise InputError(f"{saved.path}: hashes subwords as gensim before 3.8 did, unlike fastText; train it again")
    minimum, maximum, buckets = (saved.number(name) for name in ("min_n", "max_n", "bucket"))
    if not buckets:
        return None
    rows = saved.rows("vectors_ngrams")
    if len(rows) != buckets or minimum < 0 or not 0 <= maximum < 1 << 10:
        raise saved.unreadable_error("vectors_ngrams")
    return Subwords(minimum, maximum, rows) if maximum else None


def _counts(saved: _SavedObject, keys: list[str]) -> NDArray[np.int64] | None:
    table = saved.attributes.get("expandos")
    if isinstance(table, dict) and "count" in table:
        counts = _array(table["count"])
        if counts is None or counts.dtype.kind not in "iu" or counts.shape != (len(keys),) or (counts < 0).any():
            return None
        return counts.astype(np.int64)
    old = saved.attributes.get("vocab")
    if not isinstance(old, dict):
        return None
    entries = (old.get(key) for key in keys)
    states = [
        entry.state if isinstance(entry, RecordedCall) and isinstance(entry.state, dict) else {} for entry in entries
    ]
    values = [_scalar(state.get("count")) for state in states]
    if not all(value is not None and 0 <= value < MAX_COUNT for value in values):
        return None
    return np.array(values, np.int64)


def _output(model: _SavedObject, vectors: NDArray[np.float32]) -> NDArray[np.float32] | None:
    for saved in (model, model.child("trainables")):
        if saved is None or saved.array("syn1neg") is None:
            continue
        output = saved.rows("syn1neg")
        if output.shape != vectors.shape:
            raise saved.unreadable_error("syn1neg")
        return output
    return None


def _strings_in(value: Any) -> list[str]:
    return [name for name in value if isinstance(name, str)] if isinstance(value, (list, tuple)) else []


def _load_side_array(path: Path) -> NDArray[Any]:
    """Map an array from its own file: a header that asks for more than the file holds makes no room."""
    with open_embeddings(path):
        pass  # for its messages
    try:
        return np.load(path, mmap_mode="r", allow_pickle=False)  # type: ignore[no-any-return]
    except (ValueError, OSError, EOFError, TypeError, OverflowError, MemoryError) as exc:
        raise DataError(f"{path}: is truncated, or no array of numbers; copy it again beside its model") from exc


def _array(value: Any) -> NDArray[Any] | None:
    """Return an array from its bytes, or `None` when it is none of numbers, or not of as many as it says."""
    if not isinstance(value, RecordedCall):
        return None
    if value.callable_name.endswith("._frombuffer"):
        match value.arguments:
            case (data, kind, tuple(shape), order):
                return _array_from_bytes(data, kind, shape, order == "F")
    elif value.callable_name.endswith("._reconstruct"):
        match value.state:
            case (int(), tuple(shape), kind, bool(fortran), data):
                return _array_from_bytes(data, kind, shape, fortran)
    return None


def _array_from_bytes(data: Any, kind: Any, shape: tuple[Any, ...], fortran: bool) -> NDArray[Any] | None:
    type_, data = _dtype(kind), _bytes(data)
    if type_ is None or data is None or not all(isinstance(size, int) and size >= 0 for size in shape):
        return None
    if math.prod(shape) * type_.itemsize != len(data) or not 1 <= len(shape) <= 2:
        return None
    return np.frombuffer(data, type_).reshape(shape, order="F" if fortran else "C")


def _dtype(value: Any) -> np.dtype[Any] | None:
    if isinstance(value, RecordedCall) and value.callable_name == "numpy.dtype" and isinstance(value.state, tuple):
        code = _text(value.arguments[0]) if isinstance(value.arguments, tuple) and value.arguments else None
        order = _text(value.state[1]) if len(value.state) > 1 else None
        if code and DTYPE_CODE.fullmatch(code) and order and order in BYTE_ORDERS:
            return np.dtype(order + code)
    return None


def _scalar(value: Any) -> int | None:
    if isinstance(value, RecordedCall) and value.callable_name.endswith(".scalar"):
        match value.arguments:
            case (kind, data):
                array = _array_from_bytes(data, kind, (1,), False)
                return int(array[0]) if array is not None and array.dtype.kind in "iu" else None
    return value if isinstance(value, int) else None


def _text(value: Any) -> str | None:
    if isinstance(value, bytes):  # Python 2
        return value.decode("latin-1")
    return value if isinstance(value, str) else None


def _bytes(value: Any) -> bytes | None:
    """Return bytes; protocol 2 has them as text of Latin-1."""
    if isinstance(value, RecordedCall) and value.callable_name == "_codecs.encode":
        match value.arguments:
            case (str(text), "latin1"):
                try:
                    return text.encode("latin-1")
                except UnicodeEncodeError:
                    return None
    if isinstance(value, RecordedCall) and value.callable_name.endswith(".bytes") and value.arguments == ():
        return b""
    return value if isinstance(value, bytes) else None
