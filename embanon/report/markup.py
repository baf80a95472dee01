"""Write the parts of a page that stands alone: its head, tables, and texts with what is marked in them."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from html import escape
from typing import Any, Final

from embanon.io import replace_unsafe
from embanon.report.charts import shade

STYLE: Final = """
:root{color-scheme:light dark;--ink:#1c1c1c;--page:#fff;--line:#c4c4c4;--dim:#555;--b:#a33a36;--a:#1f5f9e;
--h0:#e9f3e9;--h1:#f4f3c4;--h2:#fde3a7;--h3:#fbc79c;--h4:#f5aaa6}
@media(prefers-color-scheme:dark){:root{--ink:#e8e8e8;--page:#161616;--line:#4a4a4a;--dim:#b5b5b5;--b:#e07f7a;
--a:#7fb4ea;--h0:#1d2b1d;--h1:#3a3a12;--h2:#4d3a08;--h3:#5c3410;--h4:#6b2320}}
body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:64rem;padding:0 1rem;color:var(--ink);
background:var(--page)}
h1{font-size:1.6rem}h2{font-size:1.2rem;margin-top:2.5rem;border-bottom:1px solid var(--line);overflow-wrap:anywhere}
h3{font-size:1rem}a{color:inherit}
section{content-visibility:auto;contain-intrinsic-size:auto 60rem}
table{border-collapse:collapse;width:100%;margin:.5rem 0 1rem;font-size:.9rem}
caption{text-align:left;font-weight:600;padding:.3rem 0}
td,th{border-bottom:1px solid var(--line);padding:.2rem .5rem;text-align:left;vertical-align:top;
unicode-bidi:plaintext;overflow-wrap:break-word;max-width:24rem}
th{font-weight:600}tbody th{font-weight:400}.n{text-align:right;font-variant-numeric:tabular-nums}
.text{white-space:pre-wrap;overflow-wrap:anywhere;border:1px solid var(--line);padding:1rem;border-radius:.3rem;
unicode-bidi:plaintext}
ins{text-decoration:none;border:1px solid var(--dim);border-radius:.2rem;padding:0 .15rem;unicode-bidi:isolate}
span.h1,span.h2,span.h3,span.h4{unicode-bidi:isolate;border-bottom:2px dotted var(--dim)}
.h0{background:var(--h0)}.h1{background:var(--h1)}.h2{background:var(--h2)}.h3{background:var(--h3)}
.h4{background:var(--h4)}
.h1::after{content:"1"}.h2::after{content:"2"}.h3::after{content:"3"}.h4::after{content:"4"}
.h1::after,.h2::after,.h3::after,.h4::after{font-size:.65em;vertical-align:super;color:var(--dim)}
.wide{overflow-x:auto}summary{cursor:pointer;white-space:nowrap}
details{display:inline-block}details ul{margin:.2rem 0;padding-left:1.2rem}
.note{color:var(--dim);font-size:.9rem}.caution{border-left:.3rem solid var(--b);padding-left:.7rem}
svg{max-width:44rem;width:100%;height:auto;font-size:10px;fill:var(--ink)}
svg path{stroke:var(--ink)}.l{stroke-dasharray:3}
.b{fill:var(--b)}.a{fill:none;stroke:var(--a);stroke-width:2}
.s0{fill:var(--h0)}.s1{fill:var(--h1)}.s2{fill:var(--h2)}.s3{fill:var(--h3)}.s4{fill:var(--h4)}
@media print{body{margin:0;max-width:none;font-size:10pt}section{content-visibility:visible}
h2,h3,caption{break-after:avoid}tr,svg,.caution{break-inside:avoid}
ins,span,td,rect{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
"""
HASH: Final = base64.b64encode(sha256(STYLE.encode()).digest()).decode()
POLICY: Final = f"default-src 'none'; style-src 'sha256-{HASH}'; base-uri 'none'; form-action 'none'"
"""What a browser may load for the page: its own style, and nothing else."""
END: Final = "</main>\n</body></html>\n"
Mark = tuple[int, int, float, str]
"""What is marked in a text: from where to where, its risk, and the element that does it."""


def page_head(title: str, promise: str, secret: str = "") -> str:
    """Begin a page: what it promises, and where it shows originals, how secret it is."""
    warning = f'<p class="caution"><strong>{escape(secret)}</strong></p>\n' if secret else ""
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="referrer" content="no-referrer"><meta name="robots" content="noindex">'
        '<meta name="viewport" content="width=device-width">\n'
        f"<style>{STYLE}</style></head>\n<body><main>\n<h1>{title}</h1>\n"
        f'<p class="note">{escape(promise)}</p>\n{warning}'
    )


def highlight_risks(text: str, marks: Iterable[Mark]) -> Iterator[str]:
    """Shade what is marked by its risk; where marks overlap, the first counts."""
    last = 0
    for start, end, risk, element in marks:
        if start >= last:
            yield escape_text(text[last:start])
            yield f'<{element} class="h{shade(risk)}">{escape_text(text[start:end])}</{element}>'
            last = end
    yield escape_text(text[last:])


NUMERIC: Final = ' class="n"'


@dataclass(frozen=True, slots=True)
class LinkCell:
    """A cell that leads to a place on the same page."""

    anchor: str
    text: str


@dataclass(frozen=True, slots=True)
class ExpandableCell:
    """A cell that opens to more of what it says; with a shade, where it has a risk."""

    summary: Any
    lines: tuple[str, ...] = field(default=(), repr=False)
    risk: float | None = None


def table(caption: str, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Lay out rows under their caption; the first cell of a row names it."""
    lines = list(rows)
    numeric = [any(map(_is_number, column)) for column in zip(*lines, strict=True)] or [False] * len(header)
    columns = zip(header, numeric, strict=True)
    head = "".join(f'<th scope="col"{NUMERIC if right else ""}>{escape_text(one)}</th>' for one, right in columns)
    body = "".join(f"<tr>{_cell(row[0], row=True)}{''.join(map(_cell, row[1:]))}</tr>\n" for row in lines)
    title = f"<caption>{escape_text(caption)}</caption>"
    return f"<table>{title}<thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table>\n"


def _cell(value: Any, *, row: bool = False) -> str:
    opening, closing = ('th scope="row"', "th") if row else ("td", "td")
    if isinstance(value, LinkCell):
        return f'<{opening}><a href="#{value.anchor}">{escape_text(value.text)}</a></{closing}>'
    if isinstance(value, ExpandableCell):
        shaded = "" if value.risk is None else f' class="h{shade(value.risk)}"'
        return f"<{opening}{shaded}>{_details(value)}</{closing}>"
    if value is None:
        value = "not known"
    return f"<{opening}{NUMERIC if _is_number(value) else ''}>{escape_text(format_value(value))}</{closing}>"


def _details(value: ExpandableCell) -> str:
    said = escape_text(format_value(value.summary))
    if not value.lines:
        return said
    items = "".join(f"<li>{escape_text(one)}</li>" for one in value.lines)
    return f"<details><summary>{said}</summary><ul>{items}</ul></details>"


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float))


def format_value(value: Any) -> str:
    """Say a count, a share or risk, or any other value."""
    return f"{value:.2f}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)


def warning_paragraph(said: str) -> str:
    """Return a warning."""
    return f'<p class="caution"><strong>Warning:</strong> {escape_text(said)}.</p>\n'


def escape_text(value: Any) -> str:
    """Return a value as it may stand in a page."""
    return escape(replace_unsafe(str(value)))
