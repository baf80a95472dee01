"""Measure the identifiers: false hits in three English corpora, recall on clinical records and court cases.

    python -m eval.identifiers --data ../shared/data
    python -m eval.identifiers --data ../shared/data --corpus frus --show

Texts are printed only with `--show`; otherwise a hit is its kind, the document's id and the offsets.
"""

from __future__ import annotations

import argparse
import gzip
import json
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from embanon.text.identifiers import identify

CORPORA: Final = {
    "frus": ("frus/documents.jsonl.gz",),
    "tab": ("tab/gold.jsonl.gz", "tab/background.jsonl.gz"),
    "actors": ("actors/corpus.jsonl.gz",),
}
MEDDOCAN_TYPES: Final = (
    "CORREO_ELECTRONICO",
    "NUMERO_TELEFONO",
    "NUMERO_FAX",
    "ID_SUJETO_ASISTENCIA",
    "ID_ASEGURAMIENTO",
    "ID_TITULACION_PERSONAL_SANITARIO",
    "CALLE",
)
Spans = list[tuple[int, int]]


def read(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the documents of a file, one JSON object a line."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def covered(start: int, end: int, spans: Spans) -> bool:
    """Return whether every character of a gold span lies in a span found, white space and punctuation aside."""
    return any(first <= start and end <= last for first, last in spans)


def hits(data: Path, corpus: str, *, show: bool) -> None:
    """Print the hits per million words of a corpus by kind, and each one outside the gold codes."""
    kinds: Counter[str] = Counter()
    words = outside = 0
    seconds = 0.0
    for name in CORPORA[corpus]:
        for doc in read(data / name):
            text = doc["text"]
            words += len(text.split())
            begin = time.perf_counter()
            found = identify(text, "en")
            seconds += time.perf_counter() - begin
            gold = [(start, end) for start, end, kind in doc.get("spans", ()) if kind == "CODE"]
            for hit in found:
                kinds[hit.kind] += 1
                if any(start < hit.end and hit.start < end for start, end in gold):
                    continue
                outside += 1
                if corpus == "tab" or show:
                    quote = repr(text[max(0, hit.start - 30) : hit.end + 15]) if show else ""
                    print(f"  {hit.kind:20} {doc['id']} {hit.start}:{hit.end} {quote}")
                    if show:
                        print(f"      {text[hit.start : hit.end]!r}")
    print(f"{corpus}: {words} words, {seconds / words * 1e6:.3f} s per million words, "
          f"{outside / words * 1e6:.1f} hits outside gold per million words")  # fmt: skip
    for kind, count in kinds.most_common():
        print(f"  {kind:24}{count:6}{count / words * 1e6:10.1f} per million words")


def meddocan(data: Path, part: str, *, show: bool) -> None:
    """Print the recall on clinical records by type, fully covered and exact."""
    total: Counter[str] = Counter()
    full: Counter[str] = Counter()
    exact: Counter[str] = Counter()
    codes = codes_full = 0
    for doc in read(data / "meddocan" / f"{part}.jsonl.gz"):
        text = doc["text"]
        spans = [(hit.start, hit.end) for hit in identify(text, "es")]
        for start, end, kind in doc["spans"]:
            if kind in MEDDOCAN_TYPES:
                total[kind] += 1
                exact[kind] += (start, end) in spans
                # words such as a patient's origin are annotated as identifiers too: no code, no address
                coded = any(mark.isdigit() or mark == "@" for mark in text[start:end])
                codes += coded
                if covered(start, end, spans):
                    full[kind] += 1
                    codes_full += coded
                elif show:
                    near = [text[first:last] for first, last in spans if first < end and start < last]
                    print(f"  {kind} {doc['id']} {start}:{end} {text[max(0, start - 20) : end + 20]!r} {near}")
    for kind in MEDDOCAN_TYPES:
        count = total[kind] or 1
        shares = f"covered {full[kind] / count:.3f} exact {exact[kind] / count:.3f}"
        print(f"meddocan {part} {kind:34}{total[kind]:5} {shares}")
    count = total.total() or 1
    print(f"meddocan {part} all: covered {full.total() / count:.4f} exact {exact.total() / count:.4f}")
    print(f"meddocan {part} written with a digit or @: {codes} covered {codes_full / (codes or 1):.4f}")


def tab_codes(data: Path, *, show: bool) -> None:
    """Print the recall on the codes of court cases."""
    total = full = exact = 0
    for doc in read(data / "tab" / "gold.jsonl.gz"):
        text = doc["text"]
        spans = [(hit.start, hit.end) for hit in identify(text, "en")]
        for start, end, kind in doc["spans"]:
            if kind != "CODE":
                continue
            total += 1
            exact += (start, end) in spans
            if covered(start, end, spans):
                full += 1
            elif show:
                print(f"  CODE {doc['id']} {start}:{end} {text[max(0, start - 30) : end + 10]!r}")
    print(f"tab CODE: {total} covered {full / total:.3f} exact {exact / total:.3f}")


def main() -> None:
    """Measure what the options ask for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--corpus", choices=(*CORPORA, "meddocan", "codes"), action="append")
    parser.add_argument("--part", choices=("train", "dev"), default="dev", help="of the clinical records")
    parser.add_argument("--show", action="store_true", help="print the texts of hits and misses")
    options = parser.parse_args()
    chosen = options.corpus or (*CORPORA, "meddocan", "codes")
    for corpus in chosen:
        if corpus in CORPORA:
            hits(options.data, corpus, show=options.show)
    if "meddocan" in chosen:
        meddocan(options.data, options.part, show=options.show)
    if "codes" in chosen:
        tab_codes(options.data, show=options.show)


if __name__ == "__main__":
    main()
