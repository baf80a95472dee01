"""A recognizer and an operator of Presidio.

A result of the recognizer is what is to be replaced, with its risk as score: a phrase, with the article before it where
that changes, or several places or years that become one. Names to protect are given to the recognizer, or for some
calls alone by `with protecting(names):`. Presidio asks ad-hoc recognizers only for types that its registry knows, so an
ad-hoc `EmbanonRecognizer` needs `entities=recognizer.supported_entities` in the call.

Presidio shows an operator one phrase at a time, without the text, while what can stand there depends on the text. So
the recognizer chooses, and `replacing(text, results)` gives an operator what was chosen: where the same words have
several replacements, the first. What is not among them (other recognizers' results, and what Presidio made of
overlapping ones) becomes `<TYPE>`, as Presidio has it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from embanon.anonymizer import Anonymized, Protect, load, rules_for, warn_remaining
from embanon.config import Config
from embanon.document import Document
from embanon.entities import EVERYONE, ProtectionRules
from embanon.errors import MissingExtraError
from embanon.report import edit_rows

try:
    from presidio_analyzer import AnalysisExplanation, EntityRecognizer, RecognizerResult
    from presidio_anonymizer.entities import InvalidParamError, OperatorConfig
    from presidio_anonymizer.operators import Operator, OperatorType
except ImportError as exc:
    raise MissingExtraError("presidio-analyzer or presidio-anonymizer", "presidio") from exc

NAMES: Final[Mapping[str, str]] = MappingProxyType({
    "PERSON": "PERSON", "ORG": "ORGANIZATION", "LOC": "LOCATION", "DATETIME": "DATE_TIME", "QUANTITY": "QUANTITY",
    "MISC": "MISC", "DEM": "DEM", "DEM.nationality": "NRP", "DEM.origin": "NRP", "DEM.group": "NRP", "DEM.age": "AGE",
    "CODE": "ID", "CODE.e-mail": "EMAIL_ADDRESS", "CODE.phone": "PHONE_NUMBER", "CODE.url": "URL",
    "CODE.ip": "IP_ADDRESS",
    "CODE.mac": "MAC_ADDRESS", "CODE.uuid": "UUID", "CODE.iban": "IBAN_CODE", "CODE.card": "CREDIT_CARD",
    "CODE.bitcoin": "CRYPTO", "CODE.social-security.us": "US_SSN", "CODE.health-id.us": "US_MBI",
    "CODE.health-id.gb": "UK_NHS", "CODE.social-security.gb": "UK_NINO", "CODE.health-id.au": "AU_MEDICARE",
    "CODE.tax-id.au": "AU_TFN", "CODE.national-id.fi": "FI_PERSONAL_IDENTITY_CODE", "CODE.national-id.in": "IN_AADHAAR",
    "CODE.tax-id.in": "IN_PAN", "CODE.national-id.kr": "KR_RRN", "CODE.national-id.pl": "PL_PESEL",
    "CODE.national-id.sg": "SG_NRIC_FIN", "CODE.national-id.th": "TH_TNIN",
})  # fmt: skip
"""Our types and kinds -> Presidio's; the longest that fits. What Presidio has no name for keeps ours."""
OPERATOR: Final = "embanon"
REPLACEMENTS: Final = "replacements"
"""Of the operator: the replacement of each phrase."""
REPLACEMENT: Final = "replacement"
ENTITY: Final = "entity"
"""Of the metadata of a result: its replacement, and the protected entity it is about."""

_PROTECTED: ContextVar[ProtectionRules | None] = ContextVar("embanon_protected", default=None)


@contextmanager
def protecting(protect: Protect, others: Protect | None = None) -> Iterator[None]:
    """Protect these, and nobody else, in the calls inside, whatever the recognizers were given."""
    token = _PROTECTED.set(rules_for(protect, others))
    try:
        yield
    finally:
        _PROTECTED.reset(token)


class EmbanonRecognizer(EntityRecognizer):
    """Find what gives away whom to protect, at or above the limit; of one language, as Presidio has it.

    `names` changes the table of types; further options are those of `embanon.load` and of Presidio's recognizers.
    """

    def __init__(
        self, protect: Protect = EVERYONE, others: Protect | None = None, *,
        names: Mapping[str, str] = MappingProxyType({}), model: str | Path | None = None,
        config: str | Path | Config | None = None, preset: str | None = None,
        limit: float | None = None, method: str | None = None, supported_language: str = "en", **presidio: Any,
    ) -> None:  # fmt: skip
        self.given = rules_for(protect, others)
        self.names = {**NAMES, **names}
        self.anonymizer = load(
            model, config, preset=preset, limit=limit, method=method,
            language=None if isinstance(config, Config) else supported_language,
        )  # fmt: skip
        presidio = {"supported_entities": sorted(set(self.names.values())), **presidio}
        super().__init__(supported_language=supported_language, **presidio)

    def load(self) -> None:
        """Do nothing: all is open."""

    def analyze(self, text: str, entities: Sequence[str] = (), nlp_artifacts: Any = None) -> list[RecognizerResult]:
        """Return what is to be replaced, of the types that are asked for; of all where none is."""
        document = Document("text", text, self.supported_language)
        [anonymized] = self.anonymizer.anonymize_all([document], _PROTECTED.get() or self.given)
        warn_remaining([anonymized])
        wanted = set(entities or self.supported_entities) & set(self.supported_entities)
        return [result for result in self._results(anonymized) if result.entity_type in wanted]

    def _results(self, anonymized: Anonymized) -> Iterator[RecognizerResult]:
        kinds = {phrase.end: phrase.kind for phrase in anonymized.scored_document.scored.phrases}
        for edit, row in zip(anonymized.edits, edit_rows(anonymized), strict=True):
            kind = kinds[edit.end] if kinds[edit.end].startswith(f"{edit.type}.") else edit.type
            score = 1.0 if edit.risk is None else edit.risk  # of what nothing is known, the riskiest
            yield RecognizerResult(
                self._name(kind), edit.start, edit.end, score,
                AnalysisExplanation(self.name, score, pattern_name=kind, textual_explanation=row["why"]),
                {
                    RecognizerResult.RECOGNIZER_NAME_KEY: self.name,
                    RecognizerResult.RECOGNIZER_IDENTIFIER_KEY: self.id,
                    REPLACEMENT: edit.replacement, ENTITY: row["entity"],
                },
            )  # fmt: skip

    def _name(self, kind: str) -> str:
        while kind not in self.names:
            kind = kind.rpartition(".")[0]
        return self.names[kind]


def replacing(text: str, results: Sequence[RecognizerResult]) -> OperatorConfig:
    """Return an operator with the replacements of a text's results.

    Presidio makes one of neighbors of the same type with spaces between, so all that it may join are there as well.
    """
    replacements: dict[str, str] = {}
    ours = [one for one in results if REPLACEMENT in (one.recognition_metadata or {})]
    ours.sort(key=lambda one: (one.start, one.end))
    for place, first in enumerate(ours):
        replacement, end = "", first.start
        for result in ours[place:]:
            between = text[end : result.start]
            if result is not first and (result.entity_type != first.entity_type or not between or between.strip(" ")):
                break
            replacement, end = f"{replacement}{between}{result.recognition_metadata[REPLACEMENT]}", result.end
            replacements.setdefault(text[first.start : end], replacement)
    return OperatorConfig(OPERATOR, {REPLACEMENTS: replacements})


class EmbanonOperator(Operator):
    """Put there what the recognizer chose: `{"DEFAULT": replacing(text, results)}`."""

    def operate(self, text: str, params: Mapping[str, Any]) -> str:
        """Return the replacement of a phrase."""
        known: str | None = params[REPLACEMENTS].get(text)
        return f"<{params['entity_type']}>" if known is None else known

    def validate(self, params: Mapping[str, Any]) -> None:
        """Refuse settings that were not made for a text."""
        if not isinstance(params.get(REPLACEMENTS), Mapping):
            raise InvalidParamError(f"the operator {OPERATOR} has no {REPLACEMENTS}; use replacing(text, results)")

    def operator_name(self) -> str:
        """Return the name by which it is asked for."""
        return OPERATOR

    def operator_type(self) -> OperatorType:
        """Return whether it anonymizes."""
        return OperatorType.Anonymize
