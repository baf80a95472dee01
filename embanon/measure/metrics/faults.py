"""Check the grammar of anonymized text by rule: what no sentence may have that had none of it before.

The nouns are the labels that stand there most often, by their gender as a dictionary has it: the check must not ask the
lists that it checks.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from embanon.measure.annotations import DocumentPair
from embanon.measure.metrics.share import Share
from embanon.measure.metrics.spans import base_language
from embanon.replace import SUPPRESSION_MARK

NOUNS_BY_GENDER: Final[Mapping[str, Mapping[str, str]]] = {
    "es": {
        "m": """lugar país número código porcentaje período día mes siglo hospital museo club libro premio conflicto
        departamento municipio estado continente animal alimento dispositivo órgano producto trabajo vehículo
        documento instrumento edificio movimiento medicamento síntoma trastorno trabajador escritor científico médico
        hombre tribunal servicio banco festival tratado equipo grupo""",
        "f": """persona organización ciudad fecha región cantidad empresa obra dirección década edad institución
        universidad escuela característica ocupación función afección lengua nacionalidad mujer hora estación época
        sustancia enfermedad droga planta construcción parte localidad guerra norma revista película ley isla
        carretera competición región fundación asociación provincia población música""",
    },
    "pt": {
        "m": """lugar país número código período dia mês século hospital museu clube livro prémio conflito
        departamento município estado continente animal aparelho produto trabalho veículo documento instrumento
        edifício movimento remédio transtorno trabalhador escritor médico homem tribunal banco festival jornal""",
        "f": """pessoa organização cidade data região quantidade empresa obra década idade instituição universidade
        escola característica ocupação função condição língua nacionalidade mulher hora estação época percentagem
        quantia substância doença droga planta localização guerra norma revista lei ilha estrada competição fundação
        associação província vila música""",
    },
    "de": {
        "m": """Ort Monat Zeitraum Tag Staat Beruf Geldbetrag Prozentsatz Titel Code Bezirk Verein Verband Verlag
        Konflikt Krieg Preis Fluss Kontinent Bundesstaat Vertrag""",
        "f": """Person Organisation Stadt Region Zahl Menge Adresse Einrichtung Universität Schule Funktion Erkrankung
        Krankheit Sprache Uhrzeit Jahreszeit Auszeichnung Behörde Stiftung Regierung Partei Zeitung Straße Insel
        Provinz Gemeinde Bewegung Substanz Verbindung Hauptstadt Nationalität Institution Publikation""",
        "n": """Land Werk Datum Jahrzehnt Jahrhundert Unternehmen Gebäude Gerät Tier Merkmal Gebiet Instrument Fahrzeug
        Gericht Krankenhaus Museum Ministerium Dorf Gesetz Abkommen Buch Element Dokument""",
    },
}  # fmt: skip


def _alternatives(words: str) -> str:
    return f"(?:{'|'.join(words.split())})"


def _romance_rules(language: str, masculine: str, feminine: str, masculines: str, feminines: str) -> dict[str, str]:
    nouns = _alternatives(" ".join(NOUNS_BY_GENDER[language].values()))
    labels = {of: _alternatives(words) for of, words in NOUNS_BY_GENDER[language].items()}
    return {
        "gender": rf"\b(?:{_alternatives(masculine)} {labels['f']}|{_alternatives(feminine)} {labels['m']})\b",
        "gender of several": rf"\b(?:{_alternatives(masculines)} {labels['f']}"
        rf"|{_alternatives(feminines)} {labels['m']})(?:e?s)\b",
        "number": rf"\b{_alternatives(f'{masculines} {feminines}')} {nouns}\b(?!-)",
    }


_GERMAN_NOUNS: Final = _alternatives(" ".join(NOUNS_BY_GENDER["de"].values()))
_GERMAN: Final = {of: _alternatives(words) for of, words in NOUNS_BY_GENDER["de"].items()}
_NEVER_FEMININE: Final = _alternatives(
    "das dem des den ein einen einem eines kein seinem seinen am im zum vom beim ins"
)
_NEVER_MASCULINE: Final = _alternatives("die das eine einer seine seiner keine zur ins")
_NEVER_NEUTER: Final = _alternatives("die den der eine einen einer seine seiner zur")
_ENGLISH: Final = _alternatives(
    "person organization place location region company document instrument award date number code"
)
_ENDS: Final = r"\b(?=[.,;:!?)]|$| (?:and|or|in|of|on|at|to|from|with|by|who|that|which|were|are|was|is|have|had)\b)"
"""Behind a noun that no other one follows: three place names are not three place."""
_DATIVE: Final = _alternatives("aus bei mit nach seit von zu")
RULES: Final[Mapping[str, Mapping[str, str]]] = {
    "en": {
        "a/an": r"\b(?:a (?!eu|one\b|uni[^nm])[aeio]\w|an (?!hour|hono|heir)[b-df-hj-np-tv-z]\w)",
        "doubled": r"\b(\w+) \1\b",
        "article twice": r"\b(?:a|an|the|his|her|its|their) (?:a|an|the)\b",
        "number": rf"\b(?:two|three|four|five|six|seven|eight|nine|ten|several|many|these|those) {_ENGLISH}{_ENDS}"
        rf"|\b(?:an?|one|this) {_ENGLISH}s{_ENDS}",
    },
    "es": {
        "doubled": r"\b([^\W\d_]+) \1\b",
        "article twice": r"\b(?:el|la|los|las|un|una|unos|unas|del|al|su|sus|este|esta) "
        r"(?:el|la|los|las|un|una|unos|unas)\b",
        "not contracted": r"\b(?:de|a) el\b",
        "algo": r"\b(?:el|la|los|las|un|una|del|al|su|sus|este|esta|\d+) algo\b",
        "range": r"\b(?:de|en|a|entre|los|las|el) de \d",
        "date": r"\bnacid[oa]s? (?:una|un|la|el)\b|\bel (?:una|la)\b",
        "bare": r"\b(?:en|de) (?:país|lugar|ciudad|departamento)\b",
        **_romance_rules("es", "el un del al este ese otro", "la una esta esa otra", "los unos estos",
        "las unas estas"),
    },
    "pt": {
        "doubled": r"\b([^\W\d_]+) \1\b",
        "article twice": r"\b(?:o|os|as|um|uma|do|da|dos|das|no|na|nos|nas|ao|aos|à|às|pelo|pela|seu|sua) "
        r"(?:o|os|as|um|uma)\b",
        "not contracted": r"\b(?:de|em|por) (?:o|os|as)\b|\b(?:em|por) a\b",
        "algo": r"\b(?:o|os|as|um|uma|do|da|dos|das|no|na|ao|seu|sua|\d+) algo\b",
        "range": r"\b(?:de|em|entre|os|as|dos|das) de \d",
        "date": r"\bnascid[oa]s? (?:uma|um|a|o)\b",
        "bare": r"\b(?:em|de) (?:país|lugar|cidade|departamento)\b",
        **_romance_rules(
            "pt", "o um do no ao pelo este esse outro", "uma da na à pela esta essa outra", "os uns dos nos aos pelos",
            "umas das nas às pelas",
        ),
    },
    "de": {
        "doubled": r"\b([^\W\d_]+) (?<!\bdie )(?<!\bder )(?<!\bdas )\1\b",
        "article twice": r"\b(?:am|im|zum|zur|vom|beim|ins|des|dem|den|eine?|einem|einen|einer|eines|seine[rmn]?) "
        r"(?:der|die|das|dem|den|des|ein|eine|einen|einem|einer)\b",
        "not contracted": r"\b(?:in|an|zu|von|bei) dem (?=[A-ZÄÖÜ])",
        "etwas": r"\b(?:der|das|dem|den|des|ein|eine[rmns]?|am|im|zum|zur|vom|mehrere|\d+) etwas\b",
        "date": r"\b[Aa]m (?:\d+\. Jahrhundert|\d+er)|\bzur? die\b|"
        r"\b(?:seit|von|vor|nach|zwischen) (?:die )?\d+er Jahre\b",
        "bare": r"\b(?:in|aus) (?:Land|Ort|Stadt|Gebiet)\b",
        "gender": rf"\b(?:{_NEVER_FEMININE} {_GERMAN['f']}|{_NEVER_MASCULINE} {_GERMAN['m']}"
        rf"|{_NEVER_NEUTER} {_GERMAN['n']})\b",
        "case": rf"\b{_DATIVE} (?:die|das|ein|eine|einen) {_GERMAN_NOUNS}\b|"
        rf"\b(?:durch|für|gegen|ohne|um) (?:dem|einem|der|einer) {_GERMAN_NOUNS}\b",
        "number": r"\b(?:zwei|drei|mehrere|viele|einige) (?:Person|Organisation|Stadt|Region|Zahl|Ort|Land)\b",
    },
}  # fmt: skip
CAPITAL: Final = (
    r"(?<!\w\.\w\. )(?<=[a-zß]{3}[.!?] )\b(?:der|die|das|ein|eine|in den|el|la|un|una|en la|um|uma|na|the|an?) "
)
"""A sentence that begins small."""
FAULTS: Final = {
    language: {name: re.compile(rule, re.IGNORECASE if language != "de" else 0) for name, rule in rules.items()}
    | {"no capital": re.compile(CAPITAL)}
    for language, rules in RULES.items()
}


def new_faults(before: str, after: str, language: str = "en") -> dict[str, int]:
    """Count what is wrong in an anonymized text and was not in the original, by rule."""
    found = {name: len(rule.findall(after)) - len(rule.findall(before)) for name, rule in FAULTS[language].items()}
    return {name: count for name, count in found.items() if count > 0}


@dataclass(frozen=True, slots=True, eq=False)
class GrammarFaults:
    """New faults for each mention that is masked."""

    faults: Share
    """Of documents in a language that has rules; others have nothing to count."""
    by_rule: Mapping[str, int] = field(default_factory=dict)
    unknown: int = 0
    """Documents in other languages."""


def grammar_faults(pairs: Sequence[DocumentPair]) -> GrammarFaults:
    """Count faults by rule."""
    rows, by_rule, unknown = list[tuple[float, float]](), Counter[str](), 0
    for pair in pairs:
        language = base_language(pair.gold)
        if language not in FAULTS:
            unknown += 1
            rows.append((0.0, 0.0))
            continue
        found = new_faults(pair.gold.text, masked_text(pair), language)
        by_rule.update(found)
        rows.append((float(sum(found.values())), float(len(pair.output.mentions))))
    return GrammarFaults(Share.from_rows(rows), dict(sorted(by_rule.items())), unknown)


def masked_text(pair: DocumentPair) -> str:
    """Return the text as it reads when it is masked; of mentions that overlap the first stays."""
    text, parts, last = pair.gold.text, list[str](), 0
    for one in sorted(pair.output.mentions, key=lambda one: (one.start, -one.end)):
        if one.start >= last:
            parts += (text[last : one.start], SUPPRESSION_MARK if one.replacement is None else one.replacement)
            last = one.end
    return "".join((*parts, text[last:]))
