"""Articles, genders, cases and numbers of labels in Spanish, Portuguese and German, and lists in all four languages."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

import embanon
from embanon.language.inflection import agreeing_form, noun_gender, plural_form
from embanon.measure.metrics.faults import new_faults
from embanon.replace.rewrite import rewrite
from tests.anonymized import anonymized, edits, judge, masker

SPANISH = {
    "Ada Berger, nacida el 3 de mayo de 1961 en Oslo, canta.":
        "Persona 1, nacida en la década de 1960 en Europa, canta.",
    "El 4 de julio de 2003 Berger cantó.": "En la década de 2000 Persona 1 cantó.",
    "Berger murió el lunes 3 de marzo.": "Persona 1 murió el [fecha].",
    "Desde 1987 canta Berger.": "Desde la década de 1980 canta Persona 1.",
    "Berger trabajó del 3 de mayo de 1961 al 5 de junio de 1999.":
        "Persona 1 trabajó de la década de 1960 a la década de 1990.",
    "La violinista vio a Berger.": "La profesional de la música vio a Persona 1.",
    "Berger vendió el clavecín a un coleccionista.": "Persona 1 vendió el instrumento de teclado a una persona.",
    "Berger habló con los coleccionistas.": "Persona 1 habló con las personas.",
    "Berger habló del coleccionista.": "Persona 1 habló de la persona.",
    "Berger escribió al coleccionista.": "Persona 1 escribió a la persona.",
    "La antigua coleccionista y el primer coleccionista vieron a Berger.":
        "La antigua persona y una persona vieron a Persona 1.",
    "Berger estuvo en el Japón y en las Filipinas.": "Persona 1 estuvo en Asia.",
    "Berger vio glaciares suizos y una cabaña noruega.":
        "Persona 1 vio lugares europeos y una cabaña europea.",
    "Las casas noruegas gustan a Berger.": "Las casas europeas gustan a Persona 1.",
    "La casa de Berger es buena.": "La casa de Persona 1 es buena.",
    "Berger canta el lunes en la casa.": "Persona 1 canta el lunes en la casa.",
}  # fmt: skip
PORTUGUESE = {
    "Ada Berger nasceu em 3 de maio de 1961.": "Pessoa 1 nasceu na década de 1960.",
    "Em 4 de julho de 2003 Berger cantou.": "Na década de 2000 Pessoa 1 cantou.",
    "Berger morreu na segunda-feira.": "Pessoa 1 morreu num dia de semana.",
    "Desde 1987 Berger canta.": "Desde a década de 1980 Pessoa 1 canta.",
    "Berger veio às 17h30.": "Pessoa 1 veio às 17h30.",
    "Berger foi ao Japão, e voltou da Noruega.": "Pessoa 1 foi à Ásia, e voltou da Europa.",
    "Berger vive em Oslo.": "Pessoa 1 vive na Europa.",
    "Oslo agrada a Berger.": "A Europa agrada a Pessoa 1.",
    "Berger deu um livro ao flautista.": "Pessoa 1 deu um livro ao instrumentista.",
    "A astrofísica viu Berger.": "A cientista viu Pessoa 1.",
    "As violinistas norueguesas viram Berger.": "As instrumentistas europeias viram Pessoa 1.",
    "Berger falou com os astrofísicos.": "Pessoa 1 falou com os cientistas.",
    "Berger falou do Museu Velland.": "Pessoa 1 falou de um museu.",
    "Berger trabalhou entre 1990 e 2005.": "Pessoa 1 trabalhou entre a década de 1990 e a década de 2000.",
    "Um dos colecionadores viu Berger na fronteira canadense.":
        "Um dos colecionadores viu Pessoa 1 na fronteira norte-americana.",
    "A casa de Berger é boa.": "A casa de Pessoa 1 é boa.",
    "Berger canta com o grupo na casa.": "Pessoa 1 canta com o grupo na casa.",
}  # fmt: skip
GERMAN = {
    "Ada Berger kam am 3. Mai 1961.": "Person 1 kam in den 1960er Jahren.",
    "Im Mai 1961 kam Ada Berger.": "In den 1960er Jahren kam Person 1.",
    "Ada Berger war 1990 in Peru.": "Person 1 war in den 1990er Jahren in einem Land.",
    "Seit 1987 singt Berger.": "Seit den 1980er Jahren singt Person 1.",
    "Berger sang zwischen 1988 und 1995.": "Person 1 sang zwischen den 1980er Jahren und den 1990er Jahren.",
    "Berger las die Ausgabe vom 3. Mai 1961.": "Person 1 las die [Titel] aus den 1960er Jahren.",
    "Am Samstag sang Berger.": "Am Samstag sang Person 1.",
    "Das Haus des Arztes gehört Berger.": "Das Haus der Person gehört Person 1.",
    "Berger wohnt mit ihrem Piloten in der Schweiz.": "Person 1 wohnt mit ihrem Piloten in Europa.",
    "Berger traf den Biologen und die Biologen.": "Person 1 traf den Wissenschaftler und die Wissenschaftler.",
    "Berger fuhr zum Händler.": "Person 1 fuhr zur Person.",
    "Seit sieben Jahren lebt Berger im Iran.": "Seit mehreren Jahren lebt Person 1 im Land.",
    "Berger kam aus Japan.": "Person 1 kam aus einem Land.",
    "Berger verkaufte das Cello an einen Händler.": "Person 1 verkaufte das Streichinstrument an eine Person.",
    "Einer der Biologen traf Berger, eine der Biologinnen nicht.":
        "Einer der Wissenschaftler traf Person 1, eine der Wissenschaftlerinnen nicht.",
    "Berger sang in ganz Norwegen.": "Person 1 sang in ganz Europa.",
    "Die Lampe von Berger ist gut.": "Die Lampe von Person 1 ist gut.",
    "Im Haus singt Berger am Tisch.": "Im Haus singt Person 1 am Tisch.",
}  # fmt: skip
STANDING = {"es": SPANISH, "pt": PORTUGUESE, "de": GERMAN}


@pytest.mark.parametrize(
    ("language", "text"), [(language, text) for language, cases in STANDING.items() for text in cases]
)
def test_how_a_label_stands(language: str, text: str) -> None:
    assert anonymized(text, masker(0.28, language=language))[0] == STANDING[language][text]


LISTS = {
    ("en", "Ada Berger is an oboist, violinist and harpist."): "Person 1 is a musician.",
    ("en", "Berger met oboists, violinists and harpists."): "Person 1 met musicians.",
    ("en", "Berger met an oboist and a violinist."): "Person 1 met a musician and a musician.",
    ("en", "Berger was in Oslo, Stavanger and Trondheim."): "Person 1 was in Northern Europe.",
    ("en", "Berger left (May 1994 – June 1998)."): "Person 1 left (1990s).",
    ("en", "An oboist, violinist and harpist met Berger. The violinist met Berger."):
        "A musician met Person 1. The musician met Person 1.",
    ("es", "Berger vio oboístas, violinistas y arpistas."): "Persona 1 vio músicos y […].",
    ("es", "Berger estuvo en Noruega y en Dinamarca."): "Persona 1 estuvo en Europa.",
    ("pt", "Berger viveu na Noruega e na Dinamarca."): "Pessoa 1 viveu na Europa.",
    ("de", "Berger war in Norwegen, Dänemark und in Schweden."): "Person 1 war in Europa.",
}  # fmt: skip


@pytest.mark.parametrize(("language", "text"), LISTS)
def test_equal_labels_in_a_list_are_said_once(language: str, text: str) -> None:
    assert anonymized(text, masker(0.28, language=language))[0] == LISTS[language, text]


GENDERS = {
    ("es", "f"): "persona ciudad organización región mano agua especie noche revista costumbre ley imagen",
    ("es", "m"): "lugar día problema sistema país idioma mes avión animal libro continente órgano",
    ("es", "c"): "artista habitante atleta",
    ("pt", "f"): "pessoa cidade organização viagem mão ordem lei revista capital",
    ("pt", "m"): "lugar dia problema país homem animal órgão coração número",
    ("pt", "c"): "artista habitante cientista",
    ("de", "f"): "Person Stadt Organisation Krankheit Universität Musik Ärztin Bildungseinrichtung Kleinstadt",
    ("de", "m"): "Ort Monat Arbeiter Zeitraum Professor Bundesstaat Sportverein",
    ("de", "n"): "Land Gebäude Mädchen Unternehmen Museum Instrument Saiteninstrument Bundesland",
    ("de", ""): "Verwandter Xyz",
}


@pytest.mark.parametrize(
    ("language", "noun", "expected"),
    [(language, noun, of) for (language, of), nouns in GENDERS.items() for noun in nouns.split()],
)
def test_gender(language: str, noun: str, expected: str) -> None:
    assert noun_gender(noun, language) == expected


PLURALS = {
    "es": "persona=personas lugar=lugares región=regiones país=países pez=peces artista=artistas mes=meses",
    "pt": "pessoa=pessoas lugar=lugares região=regiões país=países animal=animais homem=homens órgão=órgãos",
    "de": "Person=Personen Stadt=Städte Ort=Orte Gebäude=Gebäude Einrichtung=Einrichtungen Arbeiter=Arbeiter "
    "Tier=Tiere Saiteninstrument=Saiteninstrumente Xyz=",
}


@pytest.mark.parametrize(
    ("language", "row"), [(language, row) for language, rows in PLURALS.items() for row in rows.split()]
)
def test_plural(language: str, row: str) -> None:
    noun, _, many = row.partition("=")
    assert plural_form(noun, language) == many


@pytest.mark.parametrize(
    ("language", "adjective", "forms"),
    [
        ("es", "europeo", "europeo europea europeos europeas"),
        ("es", "español", "español española españoles españolas"),
        ("es", "estadounidense", "estadounidense estadounidense estadounidenses estadounidenses"),
        ("pt", "sul-americano", "sul-americano sul-americana sul-americanos sul-americanas"),
        ("pt", "alemão", "alemão alemã alemães alemãs"),
    ],
)
def test_adjectives_agree(language: str, adjective: str, forms: str) -> None:
    found = [agreeing_form(adjective, language, of, many) for many in (False, True) for of in "mf"]
    assert found == forms.split()


PARTS = {
    "es": (
        "La El Una Un Su Esta Los Las Del".split(),
        "oboísta violinista coleccionista cabaña clavecín astrofísicos arpistas abogado glaciar pediatra".split(),
        "en el Japón/al Perú/de Oslo/en las Filipinas/el 3 de mayo de 1961/en 1994/desde el lunes/del 5 de mayo/"
        "con siete arpistas/a un cirujano noruego/por la aldea".split("/"),
    ),
    "pt": (
        "A O Uma Um Sua Esta Os As Da No Pelo".split(),
        "oboísta violinista colecionador cabana cravo astrofísicos harpistas advogado geleira pediatra".split(),
        "no Japão/ao Peru/de Oslo/nas Filipinas/em 3 de maio de 1961/em 1994/desde segunda-feira/do dia 5 de maio/"
        "com sete harpistas/a um cirurgião norueguês/pela aldeia".split("/"),
    ),
    "de": (
        "Der Die Das Ein Eine Ihr Dem Des Im Zur".split(),
        "Arzt Pilotin Geige Cello Ärzte Biologen Anwalts Händlerin Hütte Chirurg".split(),
        "in Japan/im Iran/aus Oslo/in den USA/am 3. Mai 1961/1994/seit Montag/vom 5. Mai/mit sieben Ärzten/"
        "zu einem Chirurgen/durch das Dorf".split("/"),
    ),
}


@given(st.sampled_from(sorted(PARTS)), st.sampled_from((0.645, 0.28, 0.1)), st.data())
def test_no_faults_in_composed_sentences(language: str, limit: float, data: st.DataObject) -> None:
    determiners, nouns, places = (st.sampled_from(part) for part in PARTS[language])
    seen = {"es": "vio a", "pt": "viu", "de": "sah"}[language]
    one, other, where, when = (data.draw(part) for part in (determiners, determiners, places, places))
    text = f"{one} {data.draw(nouns)} {where} {seen} Ada Berger {when}. {other} {data.draw(nouns)}, {where}."
    shown = rewrite("x", text, edits(text, masker(limit, language=language)))[0]
    assert not new_faults(text, shown, language), f"{text}\n{shown}"


@given(st.sampled_from(sorted(PARTS)), st.data())
def test_an_edit_begins_no_more_than_a_few_words_before_its_phrase(language: str, data: st.DataObject) -> None:
    determiners, nouns, places = (st.sampled_from(part) for part in PARTS[language])
    text = f"Ada Berger: {data.draw(determiners).lower()} {data.draw(nouns)} {data.draw(places)} {data.draw(places)}."
    starts = {phrase.start for phrase in judge(text, language=language).analysis.phrases}
    for edit in edits(text, masker(0.28, language=language)):
        start = min(start for start in starts if start >= edit.start)
        ahead = text[edit.start : start]
        assert ahead == "" or (ahead.endswith(" ") and ahead.replace(" ", "").isalpha() and len(ahead.split()) <= 3)


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("es", "El pasado 11 de noviembre llamó.", "A mediados de noviembre llamó."),
        ("es", "Vino el día 3 de mayo de 2023.", "Vino en mayo de 2023."),
        ("es", "El plazo dura hasta el día 4 de mayo de 2023.", "El plazo dura hasta mayo de 2023."),
        ("pt", "No dia 17 de outubro de 2023, caiu.", "Em outubro de 2023, caiu."),
        ("pt", "O ofício do dia 3 de março de 2022 chegou.", "O ofício de março de 2022 chegou."),
    ],
)
def test_the_word_for_a_day_goes_with_it(language: str, text: str, expected: str) -> None:
    assert embanon.load(language=language).anonymize(text, protect="everyone").text == expected
