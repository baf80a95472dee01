"""Compile the shipped word frequencies from wordfreq: `python -m embeddings.build.frequencies --out FOLDER`.

All words that are frequent enough are taken as they are listed, names of persons too: how common a name is,
is what its rarity is read from. Left out are numbers, which wordfreq merges by their shape, and signs.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np

from embanon.language.detect import LANGUAGES
from embanon.language.frequencies import Frequencies, is_listed
from embanon.language.lemmas import fold_word

RAREST: Final = 185
"""Lowest frequency, in hundredths of the Zipf scale, on which 300 is once in a million words."""
STEP: Final = 5
"""Frequencies are rounded to these hundredths; wordfreq itself rounds to one."""
ZIPF: Final = 900
"""Hundredths of the Zipf scale of a word that is alone in its language."""


def build(language: str) -> Frequencies:
    """Read wordfreq's large list of a language, the most frequent words first."""
    from wordfreq import get_frequency_list

    found: dict[str, int] = {}
    for rank, words in enumerate(get_frequency_list(language, "large")[: ZIPF - RAREST + 1]):
        number = (ZIPF - rank - RAREST + STEP // 2) // STEP
        for word in filter(is_listed, words):
            found.setdefault(fold_word(word), number)
    # Six digits, so that the bytes are the same whatever the machine's last bit.
    zipf = range(RAREST, RAREST + STEP * max(found.values()) + 1, STEP)
    levels = [float(f"{10 ** ((hundredths - ZIPF) / 100):.6g}") for hundredths in zipf]
    return Frequencies(language, found, np.array([*levels, np.nan]))


def main(arguments: Sequence[str] | None = None) -> int:
    """Compile all languages, write them, and print their sizes."""
    parser = argparse.ArgumentParser(prog="python -m embeddings.build.frequencies", description=__doc__)
    parser.add_argument("-o", "--out", type=Path, default=Path("embeddings/frequencies"), help="folder to write into")
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    show = partial(print, flush=True)
    show("| language | words | bytes |\n|---|---|---|")
    total = 0
    for language in LANGUAGES:
        frequencies = build(language)
        data = frequencies.to_bytes()
        (options.out / f"{language}.npz").write_bytes(data)
        total += len(data)
        show(f"| {language} | {len(frequencies.words)} | {len(data)} |")
    show(f"| all | | {total} |")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
