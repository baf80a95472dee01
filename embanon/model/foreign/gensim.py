"""gensim's `.kv` and `.model`: loaded by gensim, which unpickles them, in a child process.

Only arrays and strings come back, in a file that runs nothing when it is read.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from embanon.errors import InputError
from embanon.model.foreign import GENSIM_ADVICE, ForeignEmbeddings, check_embeddings, open_embeddings, refuse_dimensions
from embanon.model.subwords import Subwords

MAX_NGRAM_LENGTH: Final = 1 << 10


def read_gensim(path: Path) -> ForeignEmbeddings:
    """Read what gensim saved: words with their vectors, and counts, output weights and subwords if they are there."""
    with open_embeddings(path) as stream:
        if not stream.read(1):
            raise InputError(f"{path}: is empty; save it again")
    with TemporaryDirectory(prefix="embanon-") as folder:
        target = Path(folder) / "arrays.npz"
        command = [sys.executable, "-P", "-m", __name__, str(path), str(target)]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        if done.returncode or not target.is_file():  # what gensim wrote may quote words
            raise InputError(f"{path}: gensim cannot load it, or a file that belongs beside it; {GENSIM_ADVICE}")
        with np.load(target, allow_pickle=False) as saved:
            arrays = {name: saved[name] for name in saved.files}
    return check_embeddings(_check_arrays(arrays, path), path)


def _check_arrays(arrays: dict[str, NDArray[Any]], path: Path) -> ForeignEmbeddings:
    kind, keys, minimum, maximum, has_own_counts = json.loads(arrays["texts"].tobytes())
    for number, key in enumerate(keys, 1):
        if not isinstance(key, str):
            raise InputError(f"{path}: record {number} is no word; only vectors of words can be read")
    vectors = _rows(arrays, "vectors", path)
    if vectors is None or len(vectors) != len(keys):
        raise InputError(f"{path}: has not a vector a word; {GENSIM_ADVICE}")
    output, grams, subwords = _rows(arrays, "output", path), _rows(arrays, "grams", path), None
    if grams is not None and len(grams) and maximum:
        if not 0 <= minimum <= maximum < MAX_NGRAM_LENGTH:
            raise InputError(f"{path}: has impossible sizes of n-grams; {GENSIM_ADVICE}")
        subwords = Subwords(minimum, maximum, grams)
    counts = arrays.get("counts")
    if counts is not None and (counts.shape != (len(keys),) or counts.dtype.kind not in "iu" or (counts < 0).any()):
        counts = None
    # gensim makes up counts for what it reads from word2vec files: as many as there are words, and down to 1.
    if not has_own_counts and counts is not None and np.array_equal(counts, np.arange(len(keys), 0, -1)):
        counts = None
    output = output if output is not None and output.shape == vectors.shape else None
    counts = None if counts is None else counts.astype(np.int64)
    return ForeignEmbeddings(f"gensim {kind}", keys, vectors, counts, output, subwords)


def _rows(arrays: dict[str, NDArray[Any]], name: str, path: Path) -> NDArray[np.float32] | None:
    rows = arrays.get(name)
    if rows is None:
        return None
    if rows.ndim != 2 or rows.dtype.kind != "f":
        raise InputError(f"{path}: its {name} are no rows of numbers; {GENSIM_ADVICE}")
    refuse_dimensions(rows.shape[1], path)
    with np.errstate(over="ignore"):  # what does not fit is infinite, and refused as such
        return np.asarray(rows, np.float32, order="C")


def _save_arrays(path: str, target: str) -> None:
    """Load a file with gensim, and write its arrays and strings: in a process that does nothing else."""
    from gensim.utils import SaveLoad

    model = SaveLoad.load(path)
    words = getattr(model, "wv", model)
    grams = getattr(words, "vectors_ngrams", None)
    sizes = (words.min_n, words.max_n) if grams is not None else (0, 0)
    texts = json.dumps([type(model).__name__, list(words.index_to_key), *sizes, words is not model])
    arrays = {
        "texts": np.frombuffer(texts.encode(), np.uint8), "vectors": words.vectors, "grams": grams,
        "counts": words.expandos.get("count"), "output": getattr(model, "syn1neg", None),
    }  # fmt: skip
    np.savez(target, allow_pickle=False, **{name: array for name, array in arrays.items() if array is not None})


if __name__ == "__main__":
    _save_arrays(*sys.argv[1:])
