"""Exposure as rows: for a table, JSON and CSV; names of authors and words of texts with originals alone."""

from __future__ import annotations

import hmac
from collections.abc import Iterator, Sequence
from typing import Any, Final

from embanon.io import format_rows, format_table
from embanon.leak.exposure.attributes import AuthorExposure, Disclosed, Place

EXPOSURE_COLUMNS: Final = (
    "author", "attribute", "of_family", "identifier", "confidential", "risk", "certainty", "times", "texts", "since",
    "until", "document", "start", "end", "text",
)  # fmt: skip
PSEUDONYM_BYTES: Final = 6


class AuthorLabels:
    """What stands for authors: their rank, a pseudonym by a key, or their address."""

    def __init__(self, authors: Sequence[AuthorExposure], key: bytes | None = None, *, original: bool = False) -> None:
        self._labels = {
            one.author.key: self._label(number, one, key, original=original) for number, one in enumerate(authors, 1)
        }

    @staticmethod
    def _label(number: int, exposure: AuthorExposure, key: bytes | None, *, original: bool) -> str:
        written = exposure.author.key
        if original:
            return written
        if key is None:
            return f"a{number}"
        digest = hmac.digest(key, b"embanon author\0" + written.encode("utf-8", "surrogatepass"), "sha256")
        return digest[:PSEUDONYM_BYTES].hex()

    def __call__(self, exposure: AuthorExposure) -> str:
        """Return what stands for an author."""
        return self._labels[exposure.author.key]


def author_row(exposure: AuthorExposure, label: str, *, original: bool = False) -> dict[str, Any]:
    """Return an author as JSON has them."""
    row: dict[str, Any] = {
        "author": label, "texts": exposure.texts, "since": exposure.since, "until": exposure.until,
        "exposure": round(exposure.exposure, 4), "bits": round(exposure.bits, 2), "direct": exposure.direct,
        "quasi": exposure.quasi, "confidential": list(exposure.confidential),
    }  # fmt: skip
    if original:
        row["names"] = list(exposure.author.names)
    row["disclosed"] = [_disclosed_row(one, original=original) for one in exposure.ranked()]
    return row


def _disclosed_row(disclosed: Disclosed, *, original: bool) -> dict[str, Any]:
    return {
        "attribute": disclosed.attribute, "of_family": disclosed.of_family,
        "identifier": "DIRECT" if disclosed.is_direct else "QUASI", "confidential": disclosed.confidential,
        "risk": round(disclosed.risk, 4), "certainty": round(disclosed.certainty, 4), "times": disclosed.times,
        "texts": disclosed.texts, "since": disclosed.since, "until": disclosed.until,
        "evidence": [_place_row(place, original=original) for place in disclosed.places],
    }  # fmt: skip


def _place_row(place: Place, *, original: bool) -> dict[str, Any]:
    row: dict[str, Any] = {"document": place.document, "start": place.start, "end": place.end, "day": place.day}
    return row | {"text": place.text} if original else row


def exposure_rows(
    authors: Sequence[AuthorExposure], labels: AuthorLabels, *, original: bool = False
) -> Iterator[dict[str, Any]]:
    """Yield a row for each thing that is disclosed, with its most certain place."""
    for exposure in authors:
        for disclosed in exposure.ranked():
            row = _disclosed_row(disclosed, original=original)
            place = _place_row(disclosed.places[0], original=original)
            yield {"author": labels(exposure), "text": "", **row, **place}


def exposure_table(
    authors: Sequence[AuthorExposure], labels: AuthorLabels, things: int, *, original: bool = False
) -> str:
    """Return authors as a table, and the most telling things that each has disclosed."""
    header = ("author", "texts", "since", "exposure", "bits", "direct", "quasi", "confidential")
    rows = [
        (labels(exposure), str(exposure.texts), exposure.since or "", f"{exposure.exposure:.2f}",
         f"{exposure.bits:.1f}", str(exposure.direct), str(exposure.quasi), ", ".join(exposure.confidential))
        for exposure in authors
    ]  # fmt: skip
    parts = [format_table(header, rows)]
    for exposure in authors if things > 0 else ():
        disclosed = exposure.ranked()
        lines = [_thing_line(one, original=original) for one in disclosed[:things]]
        lines += [("", f"… and {len(disclosed) - things:,} more", "", "", "")] if len(disclosed) > things else []
        if lines:
            widths = [-max(len(line[column]) for line in lines) for column in range(4)]
            parts += ["\n", f"{labels(exposure)}:\n", format_rows(lines, [*widths, 0])]
    return "".join(parts)


def _thing_line(disclosed: Disclosed, *, original: bool) -> tuple[str, ...]:
    place = disclosed.places[0]
    times = f"{disclosed.times}×" if disclosed.times > 1 else ""
    since = f"since {disclosed.since}" if disclosed.since else ""
    where = f"{place.document} {place.start}-{place.end}"
    return f"{disclosed.risk:.2f}", disclosed.label, times, since, f"{where} {place.text!r}" if original else where
