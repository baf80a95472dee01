"""Checks of a sentence-transformers folder before it is loaded: data only, complete, and known.

The library would import the classes that a folder names, read pickles and follow references to other models. So
the folder is read here first, without the library, and refused where it asks for more than weights and settings.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from embanon.errors import DataError, InputError

MODULE_CLASS: Final = re.compile(
    r"sentence_transformers(?:\.[a-z_]+)*\.(Transformer|Pooling|Normalize|Dense|LayerNorm|Dropout)"
)
"""Classes of the library that hold data only; a Router or a class of the folder would name further classes."""

CLASSES_WITH_WEIGHTS: Final = frozenset({"Transformer", "Dense", "LayerNorm"})

ALLOWED_SETTINGS: Final[Mapping[str, tuple[Any, ...]]] = {
    "transformer_task": ("feature-extraction",),
    "modality_config": ({"text": {"method": "forward", "method_output_name": "last_hidden_state"}},),
    "module_output_name": ("token_embeddings",),
}
"""What the settings of a transformer may say, beside a length and lower case; else they could name a method or path."""

ALLOWED_ATTENTION: Final = ("eager", "sdpa", None)
"""Every other attention is a library, or code fetched from the network."""

SETTING_FILES: Final = tuple(
    f"sentence_{name}_config.json"
    for name in ("bert", "roberta", "distilbert", "camembert", "albert", "xlm-roberta", "xlnet")
)

MAX_JSON_BYTES: Final = 100 << 20
"""Bytes of a JSON file, and of the header of a file of weights."""

SAVE_COMMAND: Final = (
    """python -c "from sentence_transformers import SentenceTransformer as S; S('OLD').save('NEW')\""""
)


def check_folder(folder: Path) -> Path:
    """Refuse a folder that is broken, is of another kind, or would run code; else return that of its transformer."""
    if not folder.is_dir():
        what = "is a file" if folder.exists() else "does not exist"
        raise InputError(f"{folder}: {what}; name the folder of a sentence-transformers model")
    modules = _modules(folder)
    if (folder / "config_sentence_transformers.json").exists():
        kind = _read_object(folder / "config_sentence_transformers.json").get("model_type", "SentenceTransformer")
        if kind != "SentenceTransformer":
            raise InputError(f"{folder}: is a {str(kind)[:40]!r}, which gives no vectors; name a SentenceTransformer")
    for name, place in modules:
        if name == "Transformer":
            _check_transformer(place)
        if name in CLASSES_WITH_WEIGHTS:
            _check_weights(place)
    return modules[0][1]


def check_transformer(folder: Path) -> None:
    """Refuse a folder of a transformer alone on the same grounds."""
    _check_transformer(folder)
    _check_weights(folder)


def _modules(folder: Path) -> list[tuple[str, Path]]:
    """Return the class and the folder of each module."""
    file = folder / "modules.json"
    if not file.is_file():
        raise InputError(f"{folder}: has no modules.json, so is no folder of sentence-transformers; save it as one")
    rows = _read_json(file)
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise DataError(f"{file}: is not a list of modules; fetch the model again")
    modules = [(_module_class(file, row), _module_folder(file, row)) for row in rows]
    names = [name for name, _ in modules]
    if names[:2] != ["Transformer", "Pooling"] or {"Transformer", "Pooling"} & set(names[2:]):
        raise InputError(f"{file}: must begin with one Transformer and one Pooling; use another model")
    return modules


def _module_class(file: Path, row: dict[str, Any]) -> str:
    match = MODULE_CLASS.fullmatch(str(row.get("type")))
    if match is None:
        raise InputError(
            f"{file}: names {str(row.get('type'))[:80]!r}, and classes are not imported; use another model"
        )
    return match[1]


def _module_folder(file: Path, row: dict[str, Any]) -> Path:
    path = row.get("path")
    if not isinstance(path, str) or path.startswith("/") or ".." in re.split(r"[/\\]", path) or ":" in path:
        raise InputError(f"{file}: a path leads out of the folder; use another model")
    return file.parent / path


def _check_transformer(place: Path) -> None:
    for name in ("config.json", "tokenizer.json"):
        if not (place / name).is_file():
            raise DataError(f"{place}: has no {name}; fetch the model again, or save it anew: {SAVE_COMMAND}")
        _read_object(place / name)
    if (place / "adapter_config.json").exists():
        raise InputError(f"{place}: is an adapter to another model; merge it into that model first")
    for key, value in _nested_items(_read_object(place / "config.json")):
        if key.endswith("attn_implementation") and value not in ALLOWED_ATTENTION:
            raise InputError(f"{place / 'config.json'}: {key} asks for code from elsewhere; remove that key")
    for file in (place / name for name in SETTING_FILES if (place / name).exists()):
        _check_settings(file)


def _check_settings(file: Path) -> None:
    for key, value in _read_object(file).items():
        if key == "do_lower_case" and isinstance(value, bool):
            continue
        if key == "max_seq_length" and (value is None or (type(value) is int and value > 0)):
            continue
        if value not in (None, {}) and value not in ALLOWED_SETTINGS.get(key, ()):
            raise InputError(
                f"{file}: {key[:40]!r} has a value that is not understood; remove it, or use another model"
            )


def _check_weights(place: Path) -> None:
    """Refuse weights that are missing, a pickle, or cut short."""
    index = place / "model.safetensors.index.json"
    if (place / "model.safetensors").is_file():
        files = [place / "model.safetensors"]
    elif index.is_file():
        names = _read_object(index).get("weight_map")
        if not isinstance(names, dict) or not all(isinstance(name, str) for name in names.values()):
            raise DataError(f"{index}: does not say where the weights are; fetch the model again")
        if any(re.search(r"[/\\:]", name) for name in names.values()):
            raise InputError(f"{index}: a path leads out of the folder; use another model")
        files = [place / name for name in sorted(set(names.values()))]
    elif any(place.glob("*.bin")) or any(place.glob("*.pt")) or any(place.glob("*.pth")):
        raise InputError(
            f"{place}: has its weights as a pickle, which can run code when it is read; "
            f"where you trust it, convert it: {SAVE_COMMAND}"
        )
    else:
        raise DataError(f"{place}: has no model.safetensors; fetch the model again")
    for file in files:
        _check_weights_file(file)


def _check_weights_file(file: Path) -> None:
    """Refuse a file of weights whose size is not what its header says."""
    try:
        size = file.stat().st_size
        with file.open("rb") as stream:
            length = int.from_bytes(stream.read(8), "little")
            if length > min(size - 8, MAX_JSON_BYTES):
                raise ValueError
            header = json.loads(stream.read(length))
        ends = [entry["data_offsets"][1] for name, entry in header.items() if name != "__metadata__"]
        if not ends or max(ends) != size - 8 - length:
            raise ValueError
    except (OSError, ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError) as error:
        raise DataError(f"{file}: is truncated, or is not a safetensors file; fetch the model again") from error


def _read_object(file: Path) -> dict[str, Any]:
    value = _read_json(file)
    if not isinstance(value, dict):
        raise DataError(f"{file}: is not an object of JSON; fetch the model again")
    return value


def _read_json(file: Path) -> Any:
    try:
        if file.stat().st_size > MAX_JSON_BYTES:
            raise DataError(f"{file}: has more than {MAX_JSON_BYTES >> 20} MB; fetch the model again")
        return json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(f"{file}: is truncated, or is not JSON; fetch the model again") from error


def _nested_items(value: Any) -> Iterator[tuple[str, Any]]:
    """Return all keys with their values, however deep."""
    if isinstance(value, dict):
        yield from value.items()
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _nested_items(inner)
