"""Fill the templates of self-contained pages; all values are escaped."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from html import escape
from typing import TYPE_CHECKING, Any, Final

from embanon.data import find_resource
from embanon.io import replace_unsafe

if TYPE_CHECKING:
    from jinja2 import Environment

SHADES: Final = 5
Mark = tuple[int, int, float, str]
"""What is marked in a text: from where to where, its risk, and the element that does it."""
Table = tuple[str, Sequence[str], Iterable[Sequence[Any]]]
"""Caption, header, rows; the first cell of a row names it."""


def shade(risk: float) -> int:
    """Return the step of a risk, from harmless to risky."""
    return min(int(risk * SHADES), SHADES - 1)


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table that opens to more lines, leads to a place on the same page, or is shaded."""

    value: Any
    lines: tuple[str, ...] = field(default=(), repr=False)
    risk: float | None = None
    anchor: str = ""

    @property
    def shade(self) -> int | None:
        """Return the step of the risk."""
        return None if self.risk is None else shade(self.risk)


def render(template: str, **values: Any) -> Iterator[str]:
    """Return a page, part by part."""
    return templates().get_template(template).generate(values)


def draw(chart: str, *values: Any) -> str:
    """Return a chart, ready to stand in a page."""
    drawn: str = getattr(templates().get_template("charts.html").module, chart)(*values)
    return drawn


@cache
def templates() -> Environment:
    """Return the templates with what all of them use."""
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    def finalize(value: Any) -> Markup:
        return value if isinstance(value, Markup) else Markup(escape(replace_unsafe(str(value))))

    environment = Environment(
        loader=PackageLoader("embanon.report"), autoescape=True, finalize=finalize, undefined=StrictUndefined,
        trim_blocks=True, keep_trailing_newline=True,
    )  # fmt: skip
    style = "\n" + find_resource("report", "templates", "page.css").read_text("utf-8")
    environment.globals |= {"style": style, "style_hash": base64.b64encode(sha256(style.encode()).digest()).decode()}
    environment.filters |= {"shown": format_value, "fixed": "{:.1f}".format, "short": "{:g}".format}
    environment.tests["cell"] = lambda value: isinstance(value, Cell)
    return environment


def text_pieces(text: str, marks: Iterable[Mark]) -> Iterator[tuple[str, str, int]]:
    """Yield the pieces of a text with their elements and shades; where marks overlap, the first counts."""
    last = 0
    for start, end, risk, element in marks:
        if start >= last:
            yield text[last:start], "", 0
            yield text[start:end], element, shade(risk)
            last = end
    yield text[last:], "", 0


def format_value(value: Any) -> str:
    """Return a count, a share or risk, or any other value as it is shown."""
    if value is None:
        return "not known"
    return f"{value:.2f}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)
