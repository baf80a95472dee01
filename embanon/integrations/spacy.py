"""A component of spaCy: `nlp.add_pipe("embanon", config={"protect": ["Ada Berger"]})`, on any pipeline.

It needs nothing of what stands before it in the pipeline. `doc.spans["embanon"]` has the phrases with their risks;
where embanon cuts a phrase inside a token, the span is the whole token.

spaCy imports this file wherever it is used and embanon is installed: it names nothing, and opens nothing, before a
pipeline has the component.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from embanon.document import Document
from embanon.errors import MissingExtraError

if TYPE_CHECKING:
    from embanon.anonymizer import Anonymized, Anonymizer
    from embanon.entities import ProtectionRules
    from embanon.replace import Solution

try:
    from spacy.language import Language
    from spacy.pipeline import Pipe
    from spacy.tokens import Doc, Span
    from spacy.util import minibatch
except ImportError as exc:
    raise MissingExtraError("spacy", "spacy") from exc

NAME: Final = "embanon"
"""Of the component, and of its group of spans."""
SOLUTIONS_KEY: Final = "embanon.replace.solutions"
"""Where a document keeps its table of solutions: as values that it can be written with."""
MULTILINGUAL_CODES: Final = frozenset(("xx", "mul"))
"""What spaCy calls the language of texts in any."""
DEFAULT_CONFIG: Final = {
    "protect": None, "others": None, "model": None, "config": None, "preset": None, "limit": None,
    "method": None,
}  # fmt: skip


def register_extensions() -> None:
    """Register what the component adds to documents and spans."""
    for name in ("protect", "others", "anonymized", "risk"):
        Doc.set_extension(name, default=None, force=True)
    Doc.set_extension("solutions", getter=_solutions, force=True)
    for name in ("risk", "replacement", "entity"):
        Span.set_extension(name, default=None, force=True)


def _solutions(doc: Doc) -> tuple[Solution, ...]:
    """Return what undoes the replacements; nothing where none were made."""
    from embanon.replace import Solution

    return tuple(Solution(**row) for row in doc.user_data.get(SOLUTIONS_KEY, ()))


@Language.factory(
    NAME, default_config=DEFAULT_CONFIG, assigns=["doc.spans", "doc._.anonymized", "doc._.risk", "doc._.solutions"]
)  # fmt: skip
def create(
    nlp: Language, name: str, protect: Any, others: Any, model: Any, config: Any, preset: Any, limit: Any, method: Any
) -> EmbanonComponent:
    """Make the component of its settings: those of `embanon.load`, and whom to protect in all documents.

    Their types are ours to check: spaCy's errors quote what is wrong, which may be a name.
    """
    from embanon.anonymizer import load, rules_for

    register_extensions()
    language = None if nlp.lang in MULTILINGUAL_CODES else nlp.lang
    opened = load(model, config, preset=preset, limit=limit, language=language, method=method)
    return EmbanonComponent(name, opened, rules_for(protect, others))


class EmbanonComponent(Pipe):
    """Scores and anonymizes documents; the text of a document stays as it is.

    A document may say whom to protect besides, in `doc._.protect` or `doc.user_data["protect"]`, and so for `others`.
    Names among the settings of the component are written by `nlp.to_disk`, those of a document by `doc.to_disk`.
    """

    def __init__(self, name: str, anonymizer: Anonymizer, given: ProtectionRules) -> None:
        self.name = name
        self.anonymizer = anonymizer
        self.given = given

    def __call__(self, doc: Doc) -> Doc:
        """Add to a document what was found in it."""
        self._add([doc])
        return doc

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """Add to documents what was found in them, many together, which is several times faster."""
        for docs in minibatch(stream, batch_size):
            try:
                self._add(docs)
            except Exception:  # one of them: spaCy's handler is told which
                yield from super().pipe(docs)
            else:
                yield from docs

    def _add(self, docs: Sequence[Doc]) -> None:
        from embanon.anonymizer import warn_remaining

        documents = [Document("text", doc.text, fields=_fields(doc)) for doc in docs]
        results = list(self.anonymizer.anonymize_all(documents, self.given))
        warn_remaining(results)
        for doc, anonymized in zip(docs, results, strict=True):
            _store_results(doc, anonymized)


def _fields(doc: Doc) -> dict[str, Any]:
    """Return what a document itself says of whom to protect."""
    own_values = {name: doc._.get(name) for name in ("protect", "others")}
    return {name: doc.user_data.get(name) if value is None else value for name, value in own_values.items()}


def _by_risk(row: dict[str, Any]) -> tuple[float, bool]:
    return 1.0 if row["risk"] is None else row["risk"], row["why"]["named"]


def _store_results(doc: Doc, anonymized: Anonymized) -> None:
    """Write the results to a document as plain values, so that it can be sent to another process."""
    scored = anonymized.scored_document.to_dict()
    starts = [edit.start for edit in anonymized.edits]
    spans = list[Span]()
    # two phrases may stand in one token: the riskier is told last
    for row in sorted(scored["phrases"], key=_by_risk):
        span = doc.char_span(row["start"], row["end"], label=row["type"], alignment_mode="expand")
        place = bisect_right(starts, row["start"]) - 1
        edit = anonymized.edits[place] if place >= 0 and row["start"] < anonymized.edits[place].end else None
        span._.risk, span._.entity = row["risk"], row["entity"]
        span._.replacement = edit.replacement if edit else None
        spans.append(span)
    doc.spans[NAME] = sorted(spans, key=lambda span: (span.start, span.end))
    doc._.anonymized, doc._.risk = anonymized.text, scored["risk"]
    doc.user_data[SOLUTIONS_KEY] = [solution.to_dict() for solution in anonymized.solutions]
