"""Vectors of texts, and of phrases where they stand, from a folder of sentence-transformers: on this machine, as data.

A text longer than the model reads is cut into windows that overlap by half, and each token counts in the window
where it stands furthest from an edge. A token that the vocabulary does not know is none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from embanon.errors import DataError, InputError, MissingExtraError
from embanon.model.contextual_folder import check_folder
from embanon.model.vectors import unit_rows

LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")
BATCH_SIZE: Final = 32
DEFAULT_WINDOW: Final = 512
"""Tokens of a window where the model names no limit."""


@dataclass(frozen=True, slots=True)
class TokenWindow:
    """Tokens from `start` to `end` are read together; those from `first` to `last` count here."""

    start: int
    end: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class TokenizedText:
    """The tokens of one text, with half-open offsets in code points."""

    ids: list[int]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    known: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Contextual:
    """A sentence-transformers model that is read from its folder alone."""

    folder: Path
    dimensions: int
    window_size: int
    """Tokens of a window, without the marks around it."""
    model: Any = field(repr=False, compare=False)

    @classmethod
    def open(cls, folder: Path) -> Contextual:
        """Open a folder: its weights as safetensors, its classes those of the library, never the network."""
        transformer = check_folder(folder)
        try:
            import_module("sentence_transformers")
        except ImportError as error:
            raise MissingExtraError("sentence-transformers", "contextual") from error
        try:
            with _silence_library():
                model = _load_model(folder, transformer)
                first = np.asarray(model.encode(["a"], show_progress_bar=False))
                opened = cls(folder, int(first.shape[1]), _window_size(model, folder), model)
                mean = opened._postprocess(np.ones((1, model[1].embedding_dimension), np.float32))
        except (DataError, InputError):
            raise
        except Exception as error:  # what the library raises for a broken folder is of any kind
            raise DataError(f"{folder}: cannot be loaded ({type(error).__name__}); fetch the model again") from error
        if first.shape != mean.shape or not np.isfinite(first).all():
            raise DataError(f"{folder}: gives no finite vectors; fetch the model again")
        return opened

    def __reduce__(self) -> tuple[Callable[[Path], Contextual], tuple[Path]]:
        """Let another process open the folder itself, rather than send it the weights."""
        return Contextual.open, (self.folder,)

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return a unit vector for each text, as a row; a text without a known token has NaN."""
        texts = [LONE_SURROGATE.sub("\ufffd", text) for text in texts]
        pieces, owners, weights = list[str](), list[int](), list[int]()
        for number, (text, tokens) in enumerate(zip(texts, self._tokens(texts), strict=True)):
            if not tokens.known.any():
                continue
            windows = _cut_windows(len(tokens.ids), self.window_size)
            for window in windows:
                whole = len(windows) == 1
                pieces.append(text if whole else text[tokens.starts[window.start] : tokens.ends[window.end - 1]])
                owners.append(number)
                weights.append(window.last - window.first)
        sums = np.full((len(texts), self.dimensions), np.nan, np.float32)
        if pieces:
            vectors = self.model.encode(pieces, batch_size=BATCH_SIZE, show_progress_bar=False)
            sums[owners] = 0
            np.add.at(sums, owners, unit_rows(vectors) * np.asarray(weights, np.float32)[:, None])
        return unit_rows(sums)

    def in_context(self, text: str, spans: Sequence[tuple[int, int]]) -> NDArray[np.float32]:
        """Return a unit vector for each span: the mean of its tokens as read in the text around them.

        NaN if it has none.

        Offsets are half-open code points of the text. What the model does after pooling is done to the mean too, so
        that these rows compare with those of `vectors`.
        """
        for start, end in spans:
            if not 0 <= start <= end <= len(text):
                raise ValueError(f"span {start}:{end} is not within a text of {len(text)} code points")
        (tokens,) = self._tokens([LONE_SURROGATE.sub("\ufffd", text)])
        places = np.flatnonzero(tokens.known)
        given = np.asarray(spans, np.int64).reshape(-1, 2)
        begin = np.searchsorted(tokens.ends[places], given[:, 0], "right")
        stop = np.searchsorted(tokens.starts[places], given[:, 1], "left")
        stop[given[:, 0] == given[:, 1]] = 0
        counts = np.maximum(stop - begin, 0)
        rows = np.full((len(given), self.dimensions), np.nan, np.float32)
        if counts.any():
            sums = self._sums(tokens, places, begin, begin + counts)
            rows[counts > 0] = self._postprocess(sums[counts > 0] / counts[counts > 0, None])
        return rows

    def _tokens(self, texts: Sequence[str]) -> Iterator[TokenizedText]:
        if not texts:
            return
        tokenizer = self.model.tokenizer
        encoded = tokenizer(
            list(texts),
            add_special_tokens=False,
            padding=False,
            truncation=False,
            return_offsets_mapping=True,
            return_attention_mask=False,
            verbose=False,  # it would warn of texts that are longer than the model reads
        )
        for text, ids, offsets in zip(texts, encoded["input_ids"], encoded["offset_mapping"], strict=True):
            starts, ends = np.asarray(offsets, np.int64).reshape(-1, 2).T.copy()
            for number in np.flatnonzero(starts < ends):  # some tokens begin with the space before their word
                while starts[number] < ends[number] and text[starts[number]].isspace():
                    starts[number] += 1
            known = (np.asarray(ids, np.int64) != _integer_or_missing(tokenizer.unk_token_id)) & (starts < ends)
            yield TokenizedText(ids, starts, ends, known)

    def _sums(
        self, tokens: TokenizedText, places: NDArray[np.int64], begin: NDArray[np.int64], stop: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """Add up the last hidden states of `places[begin:stop]`, for each span; windows without a span are not read."""
        wanted = np.zeros(len(places) + 1, np.int64)
        np.add.at(wanted, begin[begin < stop], 1)
        np.add.at(wanted, stop[begin < stop], -1)
        needed = np.zeros(len(tokens.ids), bool)
        needed[places] = np.cumsum(wanted[:-1]) > 0
        windows = [w for w in _cut_windows(len(tokens.ids), self.window_size) if needed[w.first : w.last].any()]
        sums = np.zeros((len(begin), self.model[1].embedding_dimension), np.float32)
        for window, states in self._states(tokens.ids, windows):
            low, high = np.searchsorted(places, (window.first, window.last))
            for span in np.flatnonzero((begin < high) & (stop > low)):
                chosen = places[max(begin[span], low) : min(stop[span], high)]
                sums[span] += states[chosen - window.start].sum(0)
        return sums

    def _states(
        self, ids: list[int], windows: Sequence[TokenWindow]
    ) -> Iterator[tuple[TokenWindow, NDArray[np.float32]]]:
        """Return the last hidden states of each window."""
        torch = import_module("torch")
        before, after = _special_tokens(self.model.tokenizer)
        blank = max(_integer_or_missing(self.model.tokenizer.pad_token_id), 0)
        for number in range(0, len(windows), BATCH_SIZE):
            batch = windows[number : number + BATCH_SIZE]
            rows = [[*before, *ids[window.start : window.end], *after] for window in batch]
            longest = max(map(len, rows))
            features = {
                "input_ids": torch.tensor([row + [blank] * (longest - len(row)) for row in rows]),
                "attention_mask": torch.tensor([[1] * len(row) + [0] * (longest - len(row)) for row in rows]),
            }
            with torch.inference_mode():
                states = self.model[0](features)["token_embeddings"].float().numpy()
            for window, row in zip(batch, states, strict=True):
                yield window, row[len(before) : len(before) + window.end - window.start]

    def _postprocess(self, means: NDArray[np.float32]) -> NDArray[np.float32]:
        """Do to the means what the model does after pooling."""
        torch = import_module("torch")
        features = {"sentence_embedding": torch.from_numpy(means).to(self.model.dtype)}
        with torch.inference_mode():
            for module in list(self.model)[2:]:
                features = module(features)
        return unit_rows(features["sentence_embedding"].float().numpy())


def _load_model(folder: Path, transformer: Path) -> Any:
    """Load a folder that has been checked, and refuse it where weights are missing or do not fit."""
    alone = {"local_files_only": True, "trust_remote_code": False}
    library = import_module("sentence_transformers")
    model = library.SentenceTransformer(str(folder), device="cpu", model_kwargs={"use_safetensors": True}, **alone)
    model.eval()
    inner = model[0].auto_model
    # The library fills weights that a file lacks with random ones and only logs it; asked again, it says which.
    _, loading_report = type(inner).from_pretrained(
        str(transformer), use_safetensors=True, output_loading_info=True, **alone
    )
    if any(not name.startswith("pooler.") for name in loading_report["missing_keys"]):  # a pooler is not asked
        raise DataError(f"{folder}: config.json asks for weights that model.safetensors lacks; fetch the model again")
    if not model.tokenizer.is_fast:
        raise InputError(f"{folder}: its tokenizer gives no offsets; use a model with a tokenizer.json")
    if len(model.tokenizer) > inner.get_input_embeddings().num_embeddings:
        raise DataError(f"{folder}: tokenizer.json has more tokens than the weights; fetch the model again")
    if not isinstance(model[1].pooling_mode, str):
        raise InputError(f"{folder}: pools in several ways at once, so has no vectors of phrases; use another model")
    return model


def _window_size(model: Any, folder: Path) -> int:
    before, after = _special_tokens(model.tokenizer)
    positions = _integer_or_missing(getattr(model[0].auto_model.config, "max_position_embeddings", None))
    limit = _integer_or_missing(model.max_seq_length)
    if limit > positions > 0 and limit < 1 << 20:  # tokenizers say 1e30 where they know no limit
        raise DataError(f"{folder}: says it reads {limit} tokens, but its weights have {positions}; fetch it again")
    room = (limit if 0 < limit < 1 << 20 else DEFAULT_WINDOW) - len(before) - len(after)
    if room < 1:
        raise DataError(f"{folder}: reads {limit} tokens at once, which leaves none for a text; use another model")
    return room


def _special_tokens(tokenizer: Any) -> tuple[list[int], list[int]]:
    """Return the tokens that stand before and after every text."""
    encoded = tokenizer("a", return_special_tokens_mask=True)
    ids, marks = encoded["input_ids"], encoded["special_tokens_mask"]
    inner = [number for number, mark in enumerate(marks) if not mark] or [len(ids) - 1]
    return ids[: inner[0]], ids[inner[-1] + 1 :]


def _cut_windows(tokens: int, room: int) -> list[TokenWindow]:
    """Cut tokens into windows that overlap by half; what counts in them is all tokens, each once."""
    last = max(tokens - room, 0)
    starts = [*range(0, last, max(room // 2, 1)), last]
    edges = [0, *((later + start + room) // 2 for start, later in pairwise(starts)), tokens]
    return [
        TokenWindow(start, min(start + room, tokens), first, end)
        for start, (first, end) in zip(starts, pairwise(edges), strict=True)
    ]


def _integer_or_missing(value: int | None) -> int:
    return -1 if value is None else int(value)


@contextmanager
def _silence_library() -> Iterator[None]:
    """Keep the bars and reports of the library off the terminal while it loads."""
    logging = import_module("transformers.utils.logging")
    shown, verbosity = logging.is_progress_bar_enabled(), logging.get_verbosity()
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if shown:
            logging.enable_progress_bar()
