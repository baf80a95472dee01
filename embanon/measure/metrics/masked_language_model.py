"""Information of words in context: how badly a masked language model predicts them from their surroundings.

As the Text Anonymization Benchmark weighs them: all spans that are asked for are masked at once and not attended to,
the text is read in windows, and a span tells -log2 p of its least likely piece. The model is a folder on this machine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from embanon.errors import DataError, InputError, MissingExtraError
from embanon.model import (
    BATCH_SIZE,
    DEFAULT_WINDOW,
    LONE_SURROGATE,
    TokenWindow,
    _cut_windows,
    _integer_or_missing,
    _silence_library,
    _special_tokens,
    check_transformer,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MAX_WINDOW_PIECES: Final = 100
"""Pieces that are read at once at most, as the benchmark has it."""


@dataclass(frozen=True, slots=True)
class MaskedLanguageModel:
    """A masked language model that is read from its folder alone."""

    folder: Path
    window_pieces: int
    """Pieces of a window, without the marks around it."""
    model: Any = field(repr=False, compare=False)
    tokenizer: Any = field(repr=False, compare=False)

    @classmethod
    def open(cls, folder: Path) -> MaskedLanguageModel:
        """Open a folder: its weights as safetensors, its classes those of the library, never the network."""
        if not folder.is_dir():
            what = "is a file" if folder.exists() else "does not exist"
            raise InputError(f"{folder}: {what}; name the folder of a masked language model")
        check_transformer(folder)
        try:
            library = import_module("transformers")
        except ImportError as error:
            raise MissingExtraError("transformers", "contextual") from error
        alone = {"local_files_only": True, "trust_remote_code": False}
        try:
            with _silence_library():
                tokenizer = library.AutoTokenizer.from_pretrained(str(folder), **alone)
                model, loaded = library.AutoModelForMaskedLM.from_pretrained(
                    str(folder), use_safetensors=True, output_loading_info=True, **alone
                )
        except Exception as error:  # what the library raises for a broken folder is of any kind
            raise DataError(f"{folder}: cannot be loaded ({type(error).__name__}); fetch the model again") from error
        # The library fills weights that a file lacks with random ones: a model that was not trained to predict.
        if loaded["missing_keys"]:
            raise InputError(f"{folder}: has no weights that predict words; use a masked language model")
        if not tokenizer.is_fast or tokenizer.mask_token_id is None:
            raise InputError(f"{folder}: its tokenizer has no mask or gives no offsets; use another model")
        model.eval()
        before, after = _special_tokens(tokenizer)
        positions = _integer_or_missing(getattr(model.config, "max_position_embeddings", None))
        room = min(MAX_WINDOW_PIECES, (positions if positions > 0 else DEFAULT_WINDOW) - len(before) - len(after) - 2)
        if room < 1:
            raise DataError(f"{folder}: reads {positions} pieces at once, which leaves none for a text; use another")
        return cls(folder, room, model, tokenizer)

    @property
    def name(self) -> str:
        """Name the model."""
        return f"masked language model {self.folder.name}"

    def __reduce__(self) -> tuple[Callable[[Path], MaskedLanguageModel], tuple[Path]]:
        """Let another process open the folder itself, rather than send it the weights."""
        return MaskedLanguageModel.open, (self.folder,)

    def weigh(self, text: str, spans: Ints, language: str) -> Floats:
        """Return the bits of each span; one without any piece has as many as the most informative."""
        encoded = self.tokenizer(
            LONE_SURROGATE.sub("\ufffd", text), add_special_tokens=False, truncation=False, return_offsets_mapping=True,
            return_attention_mask=False, verbose=False,
        )  # fmt: skip
        ids = np.asarray(encoded["input_ids"], np.int64)
        offsets = np.asarray(encoded["offset_mapping"], np.int64).reshape(-1, 2)
        first = np.searchsorted(offsets[:, 1], spans[:, 0], "right")
        last = np.searchsorted(offsets[:, 0], spans[:, 1], "left")
        hidden = np.zeros(len(ids), np.bool_)
        for start, end in zip(first.tolist(), last.tolist(), strict=True):
            hidden[start:end] = True
        bits = self._bits(ids, hidden)
        weights = [bits[a:b].max() if a < b else np.nan for a, b in zip(first, last, strict=True)]
        known = np.array(weights, np.float64)
        return np.where(np.isnan(known), np.nanmax(known) if (known == known).any() else 1.0, known)

    def _bits(self, ids: Ints, hidden: NDArray[np.bool_]) -> Floats:
        """Return -log2 p of each hidden piece, 0 of the others."""
        bits = np.zeros(len(ids))
        windows = [one for one in _cut_windows(len(ids), self.window_pieces) if hidden[one.first : one.last].any()]
        for number in range(0, len(windows), BATCH_SIZE):
            self._predict(ids, hidden, windows[number : number + BATCH_SIZE], bits)
        return np.where(hidden, np.maximum(bits, 0.0), 0.0)

    def _predict(self, ids: Ints, hidden: NDArray[np.bool_], windows: Sequence[TokenWindow], bits: Floats) -> None:
        """Let the model predict some windows, and note the bits of their pieces."""
        torch = import_module("torch")
        before, after = _special_tokens(self.tokenizer)
        longest = max(one.end - one.start for one in windows) + len(before) + len(after)
        asked = np.full((len(windows), longest), max(_integer_or_missing(self.tokenizer.pad_token_id), 0), np.int64)
        seen = np.zeros((len(windows), longest), np.int64)
        for row, window in enumerate(windows):
            inner = np.where(
                hidden[window.start : window.end], self.tokenizer.mask_token_id, ids[window.start : window.end]
            )
            whole = [*before, *inner.tolist(), *after]
            asked[row, : len(whole)] = whole
            seen[row, : len(whole)] = (
                [1] * len(before) + (~hidden[window.start : window.end]).tolist() + [1] * len(after)
            )
        with torch.inference_mode():
            logits = self.model(input_ids=torch.from_numpy(asked), attention_mask=torch.from_numpy(seen)).logits
            logs = torch.log_softmax(logits.double(), dim=-1)
        for row, window in enumerate(windows):
            places = np.arange(window.first, window.last)
            index = torch.from_numpy(places - window.start + len(before)), torch.from_numpy(ids[places])
            bits[places] = -logs[row, index[0], index[1]].numpy() / np.log(2)
