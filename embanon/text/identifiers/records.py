"""Recognize numbers of cases, files, patients, members and vehicles by what stands directly before them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from embanon.document import Identifier
from embanon.text.identifiers.anchors import AnchorWindow, compile_pattern, context_words, word_set

# label (words directly before the number, in lower case, without dots) -> kind
RECORD_LABELS: Final = {
    "record-number": "nhc|nhcl|nº hc|hc|historia clínica|historia clinica|historia|hcl|episodio|nº"
    " episodio|mrn|medical record|patient record"
    "|patient|patient id|patient identifier|chart|record|file|files|docket file|case file|file reference"
    "|ref|reference|our ref|your ref|nuestra ref"
    "|referencia|referência|expediente|exp|expte|processo|prontuário|prontuario|registro clínico"
    "|patientennummer|patienten id"
    "|fallnummer|fall id|aktenzeichen|geschäftszeichen|akte|aktennummer|vorgangsnummer|kundennummer"
    "|mitgliedsnummer|membership|member|member id"
    "|customer|customer id|client id|account|acct|policy|claim|employee|employee id|badge|student|student"
    " id|subscriber|nº socio|socio"
    "|matrícula de alumno|nºcol|nº col|n col|ncol|colegiado|nº colegiado|crm|cédula profesional|colegiada"
    "|licencia|license|licence|permit|specimen|accession|muestra"
    "|biopsia|protocolo nº|beneficiary|beneficiario|asegurado|póliza|poliza|apólice|versicherungsschein"
    "|personalnummer|serial|service"
    "|fir|booking|prisoner|inmate|detainee|registration|incident|crime reference|investigation|invoice"
    " account|konto|kontonummer"
    "|plot|parcel|sheet plan|title deed"
    "|nhc nhc|cipa nhc|nº historia|número de historia|sample|study id|subject id|subject|participant"
    "|participant id|proband",
    "social-security.es": "nass|nº ss|nss|afiliación",
    "health-id.es": "cipa|cip|tarjeta sanitaria|tis",
    "case-number": "case|cases|application|applications|app|apps|appeal|appeals|petition|complaint|docket"
    "|suit|claim|asunto|asuntos|causa|autos"
    "|recurso|rollo|procedimiento|diligencias|processos|apelação|acórdão|az|aktenzeichen|rechtssache"
    "|verfahren|beschwerde|requête|affaire|rg",
}
NUMBER_WORDS: Final = word_set(
    "no nos nº n° num number numbers número números numero nr nrn nummer id núm nums núms code"
)
LAW_WORDS: Final = word_set(
    "law laws act acts decree decrees directive directives regulation regulations order"
    " orders ordinance resolution resolutions"
    " recommendation recommendations opinion statute ley leyes decreto decretos directiva directivas"
    " reglamento lei leis portaria regulamento"
    " resolución resolução orden gesetz verordnung richtlinie richtlinien loi lois décret article articles"
    " rule rules section sections"
    " paragraph paragraphs protocol protocols convention chapter circular bill treaty code note notes page"
    " pages volume vol issue series"
    " eec ec eu cee ce eg ue euratom ordenanza instrucción instruction amendment proclamation pub public"
    " telegram bgbl stat cfr usc"
)
CASE_WORDS: Final = word_set(
    "application applications app apps case cases appeal petition complaint file files"
    " gc asunto requête requêtes beschwerde"
    " beschwerden demanda demandas queixa"
)

_VALUE = re.compile(
    r"(?=[A-Z]{0,6}[-/ ]?[0-9A-Z.]{0,12}[0-9])[A-Z]{0,6}[-/ ]?[0-9A-Z]{1,24}+"
    r"(?:[./\-][0-9A-Z]{1,16}){0,5}+(?:[ \u00a0][0-9][0-9\-]{1,11}(?![\w/]|[.:][0-9])){0,4}+"
)
_NUMBER_AND_YEAR = re.compile(r"(?<![\w/.,\-§])([0-9]{1,6})/([0-9]{2,4})(?![\w/]|[.,\-][0-9])")
_LIST_SEPARATOR = re.compile(r"(?:,? ?(?:and|und|y|e|et|&|to|or)? )|, ?|; ?")
_DATE = re.compile(
    r"[0-3]?[0-9][-/.][0-3]?[0-9][-/.](?:[12][0-9])?[0-9]{2}"
    r"|[12][0-9]{3}[-/.][01]?[0-9][-/.][0-3]?[0-9]"
)

# kind, gate, pattern (group 1 is the number); these shapes speak for themselves
UNLABELED_SHAPES: Final = (
    (
        "case-number",
        "-",
        r"(?<![\w-])((?:Joined Cases )?[CTF][-\u2010\u2011\u2013][0-9]{1,4}/[0-9]{2})"
        r"(?![\w/])",
    ),
    (
        "case-number",
        " ",
        r"(?<![\w/])([0-9]{1,3} (?:BvR|BvL|BvF|BvE|BvQ|StR|ZR|ZB|AZR|ABR|AR|Ws|Ss|Ls|Ds"
        r"|KLs|Js|OWi|Cs|UF|WF|VG|K|L|A|B|C|F|O|S|T|U|W|RE) [0-9]{1,6}/[0-9]{2})(?![\w/])",
    ),
    ("case-number", "/", r"(?<![\w/])([12][0-9]{3}/[A-Z]{1,4}/[0-9]{1,6})(?![\w/])"),
    ("case-number", "/", r"(?<![\w/])([0-9]{1,4}/(?:19|20)[0-9]{2}/[0-9]{2,4}/[0-9]{2,5})(?![\w/])"),
    (
        "case-number",
        "-",
        r"(?<![\w:-])([0-9]:[0-9]{2}-(?:cv|cr|mc|md|mj|bk|ap|po)-[0-9]{3,6}"
        r"(?:-[A-Z]{2,4}){0,3})(?![\w])",
    ),
    (
        "case-number",
        "-",
        r"(?<![\w-])([0-9]{7}-[0-9]{2}\.(?:19|20)[0-9]{2}\.[0-9]\.[0-9]{2}\.[0-9]{4})"
        r"(?![\w])",
    ),
    (
        "case-number",
        "[",
        r"(\[(?:19|20)[0-9]{2}\] (?:EWHC|EWCA|UKHL|UKSC|UKPC|UKUT|UKFTT|NICA|CSIH|CSOH"
        r"|IESC|IEHC)(?: (?:Civ|Crim|Admin))? [0-9]{1,5}(?: \([A-Z][A-Za-z]{1,6}\))?)",
    ),
    (
        "record-number",
        "/",
        r"(?<![\w/.])([0-9]{3}[A-Z]{0,2}\.[0-9A-Z]{1,6}"
        r"(?:\.[0-9A-Z]{1,4})?/[0-9]{1,2}-[0-9]{2,5})(?![\w/])",
    ),
    ("plate", " ", r"(?<![\w])([A-HJ-PR-Y][A-HJ-PR-Y](?:0[1-9]|[1-7][0-9]) [A-HJ-PR-Z]{3})(?![\w])"),
    ("plate", "-", r"(?<![\w-])([A-HJ-NP-TV-Z]{2}-[0-9]{3}-[A-HJ-NP-TV-Z]{2})(?![\w-])"),
)

PLATE_WORDS: Final = word_set(
    "plate plates registration reg vehicle car van truck motorcycle matrícula"
    " matricula matrículas vehículo vehiculo coche turismo furgoneta"
    " placa placas veículo carro moto automóvel kennzeichen fahrzeug pkw lkw auto nummernschild wagen"
    " immatriculé immatriculation targa targata"
    " kenteken numberplate licence license patente"
)
_PLATE = re.compile(
    r"(?<![\w-])(?:[0-9]{4}[ -]?[BCDFGHJKLMNPRSTVWXYZ]{3}|[A-Z]{1,2}[ -][0-9]{4}[ -][A-Z]{1,2}"
    r"|[A-Z]{3}[ -]?[0-9][A-Z][0-9]{2}"
    r"|[A-Z]{3}[ -][0-9]{3,4}|[A-ZÄÖÜ]{1,3}[- ][A-Z]{1,2}[ -]?[0-9]{1,4}[EH]?"
    r"|[A-Z]{2}[ -]?[0-9]{2}[ -]?[A-Z]{2,3}|[A-Z]{2} ?[0-9]{3} ?[A-Z]{2}"
    r"|[A-Z][0-9]{1,3} [A-Z]{3}|[0-9]{2}-[A-Z]{2}-[0-9]{2}|[0-9]{1,2}-[A-Z]{3}-[0-9]{1,2}"
    r"|[0-9][A-Z]{3}[0-9]{3})(?![\w-])"
)


def find_records(window: AnchorWindow, previous: int) -> Iterator[Identifier]:
    """Find the case and record numbers of a window; `previous` is where the last case ended."""
    text = window.text
    left, right = max(0, window.start - 24), window.end + 36
    near = text[left:right]
    for kind, gate, pattern in UNLABELED_SHAPES:
        if gate in near:
            for match in compile_pattern(pattern).finditer(text, left, right):
                if match.end(1) > window.start and match.start(1) < window.end:
                    yield _record(window, match.start(1), match.end(1), kind)
    if "/" in near:
        yield from _find_numbered_cases(window, previous)
    if not PLATE_WORDS.isdisjoint(window.words):
        for match in _PLATE.finditer(text, max(0, window.start - 8)):
            words = context_words(window.before(match.start(), 40))
            if match.start() < window.end and PLATE_WORDS.intersection(words[-4:]):
                yield _record(window, match.start(), match.end(), "plate")
    yield from _find_labeled(window)


def _find_numbered_cases(window: AnchorWindow, previous: int) -> Iterator[Identifier]:
    """Find numbers such as `17582/04`: after a word for a case, a number sign, or in a list of them."""
    text = window.text
    previous -= window.offset
    for match in _NUMBER_AND_YEAR.finditer(text, max(0, window.start - 8), window.end + 10):
        start, end = match.span()
        if end <= window.start or start >= window.end:
            continue
        number, year = match.groups()
        if len(year) == 3 or (len(year) == 4 and not year.startswith(("19", "20"))):
            continue
        listed = 0 <= previous < start and _LIST_SEPARATOR.fullmatch(text, previous, start) is not None
        if listed or _is_case(context_words(window.before(start, 60)), number, year):
            previous = end
            yield _record(window, start, end, "case-number")


def _is_case(words: list[str], number: str, year: str) -> bool:
    """Return whether the words before a pair of numbers make it a case; the nearest word that decides wins."""
    numbered = bool(words) and words[-1] in NUMBER_WORDS
    for word in words[: -9 if len(words) < 9 else None : -1][:8]:
        if word in LAW_WORDS:
            return False
        if word in CASE_WORDS:
            return numbered or len(number) > 2
    if numbered:
        return len(number) > 2 or len(year) == 4
    # five digits and a year are an application to Strasbourg; fewer may be a fraction or a month
    return len(number) >= 5 and len(year) == 2


_KIND_OF_LABEL: Final = {label: kind for kind, labels in reversed(RECORD_LABELS.items()) for label in labels.split("|")}
_LAST_WORDS: Final = frozenset(label.split()[-1] for label in _KIND_OF_LABEL)


def _find_labeled(window: AnchorWindow) -> Iterator[Identifier]:
    """Find `NHC: 2594890`, `file no. 4711/B`: a label, perhaps a word for number, and the number."""
    text = window.text
    if _LAST_WORDS.isdisjoint(window.words[-6:]) and not "".join(window.words[-1:]).endswith("nºcol"):
        return
    for match in compile_pattern(r"(?<![\w])[A-Z]{0,4}[-/]?[0-9]").finditer(text, max(0, window.start - 8)):
        start = match.start()
        if start > window.start:
            return
        before = window.before(start, 48).lower()
        kind = _kind_of(before)
        if kind is None:
            continue
        value = _VALUE.match(text, start)
        if value is None or text[value.end() : value.end() + 1].isalnum():
            continue
        found = value[0]
        digits = sum(map(str.isdigit, found))
        if (
            digits < 4
            or (digits == 4 and found.isdigit() and found[:2] in ("18", "19", "20"))
            or _DATE.fullmatch(found)
        ):
            continue
        yield _record(window, start, value.end(), kind)


def _kind_of(before: str) -> str | None:
    """Return the kind of the label that ends a context, or `None`."""
    stem = before.rstrip(" \u00a0")
    marked = stem.endswith((":", "#", "=", "-"))
    words = re.findall(r"[\wº°]+", stem.replace(".", " "))[-6:]
    numbered = "#" in stem[-3:]
    while words and (words[-1] in NUMBER_WORDS or words[-1] in ("is", "es", "o")):
        numbered = numbered or words[-1] in NUMBER_WORDS
        words.pop()
    if words and words[-1].endswith("nºcol"):
        words[-1] = "nºcol"
    for length in (3, 2, 1):
        label = " ".join(words[-length:])
        kind = _KIND_OF_LABEL.get(label) if len(words) >= length else None
        if kind and (marked or numbered or label in _STANDALONE_LABELS):
            return kind
    return None


_STANDALONE_LABELS: Final = frozenset(
    # labels that need neither a colon nor a word for number; the others are also plain words
    [
        "sheet plan",
        "nhc",
        "nhcl",
        "mrn",
        "nass",
        "nss",
        "cipa",
        "cip",
        "nºcol",
        "ncol",
        "aktenzeichen",
        "az",
        "patientennummer",
        "fallnummer",
        "kundennummer",
        "mitgliedsnummer",
        "kontonummer",
        "personalnummer",
        "aktennummer",
        "geschäftszeichen",
        "docket",
        "expediente",
        "episodio",
        "expte",
    ]
)


def _record(window: AnchorWindow, start: int, end: int, kind: str) -> Identifier:
    return Identifier(window.offset + start, window.offset + end, "CODE", kind)
