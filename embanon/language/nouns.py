"""Say the gender and the plural of a noun, by lists and endings: a label has an article that agrees, or none.

No store and no lemma knows genders; what neither a list nor an ending tells is unknown, and then no article is changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from embanon.language.inflection import inflect_adjective, inflect_noun

GENDER_ENDINGS: Final[Mapping[str, Mapping[str, str]]] = {
    "es": {
        "f": "a ión dad tad tud umbre ez triz itis tis xis ie",
        "m": "o ma aje or l n r í ú é á ó e és ín ón us ás",
        "c": "ista ante ente crata nauta patra",
    },
    "pt": {
        "f": "a ção são gião nião tão ssão dade tude gem ez triz ite ã ície",
        "m": "o ma or l r í i u é ô ão ês im om um us e",
        "c": "ista ante ente crata nauta",
    },
    "de": {
        "f": "ung heit keit schaft ion tät ik ei in ie enz anz ur e",
        "m": "er ismus or ling ist ent ant",
        "n": "chen lein ment um tier zeug nis",
    },
}
"""A gender -> endings; the longest that fits says it, unless a list knows the noun."""

NOUNS_BY_GENDER: Final[Mapping[str, Mapping[str, str]]] = {
    "es": {
        "m": """dios día mapa planeta tranvía ambiente continente diamante accidente incidente puente diente
        expediente restaurante instante volante medicamento avión camión gorrión guion pez juez ajedrez análisis
        énfasis paréntesis oasis chasis arroz maíz lápiz país mes gas bus césped autobús pie jefe nombre hombre padre
        aceite informe viaje traje baile bosque límite bronce coche aporte soporte ente continente fluorescente
        recipiente ingrediente componente sueldo gen""",
        "f": """revista lista pista vista entrevista conquista mano foto moto radio forma firma llama arma norma crema
        goma alma cama lágrima plataforma víctima rama trama yema cima toma reforma alarma esgrima enzima broma clase
        gente parte madre sangre carne nave calle llave noche nieve nube leche muerte suerte serie base fase frase
        sede torre fuente mente corriente clave ave fe fiebre tarde serpiente especie superficie índole hambre
        costumbre lente cárcel sal señal miel piel catedral capital central sucursal razón imagen orden sartén flor
        labor mujer luz paz voz cruz vez raíz nariz red pared sed salud virtud ley crisis diócesis tesis dosis
        hipótesis síntesis prótesis clase editorial res mente web afección diarrea""",
        "c": """artista atleta poeta intérprete intérpretes cónyuge líder habitante agente cantante estudiante militar
        policía guía joven mártir testigo familiar piloto burgués profesional albañil rival auxiliar pariente ayudante
        representante comerciante periodista deportista especialista instrumentista gerente dirigente gobernante
        inmigrante presidente residente paciente cliente""",
    },
    "pt": {
        "m": """deus dia mapa planeta homem ambiente continente diamante acidente incidente dente expediente
        restaurante instante juiz arroz nariz país mês gás pão cão grão coração órgão irmão cidadão chão avião
        caminhão vulcão cartão padrão milhão feijão algodão verão salão botão porão limão lápis tênis cais balão
        pulmão cinturão esquadrão período leite nome filme clube time esporte transporte corte peixe continente
        recipiente ingrediente contêiner""",
        "f": """revista lista pista vista entrevista conquista foto moto forma firma arma norma cama lágrima
        plataforma vítima rama trama gema reforma alma mão região religião opinião união reunião questão gestão razão
        prisão televisão decisão pensão profissão expressão missão comissão lesão visão ordem nuvem margem viagem
        origem imagem cor dor flor mulher luz paz voz vez cruz raiz lei fé sede fase base frase classe parte gente
        morte sorte noite tarde rede série espécie superfície ave carne fonte chave nave torre ponte mente corrente
        semente serpente febre fome árvore arte crise análise tese dose síntese hipótese prótese neve capital moral
        catedral sucursal face sala virgem pele""",
        "c": """artista atleta poeta intérprete cônjuge líder habitante agente estudante militar policial guia jovem
        mártir familiar colega rival auxiliar parente ajudante representante comerciante especialista cientista
        instrumentista gerente dirigente governante imigrante presidente residente paciente cliente viajante""",
    },
    "de": {
        "m": """Ort=Orte Körperteil=Körperteile Arbeiter=Arbeiter Vogel=Vögel Einwohner=Einwohner Container=Container
        Mittelpunkt=Mittelpunkte Anführer=Anführer Baum=Bäume Gott=Götter Weg=Wege Fisch=Fische Europäer=Europäer
        Künstler=Künstler Buchstabe=Buchstaben Mechanismus=Mechanismen Sprechakt=Sprechakte Hafen=Häfen Staat=Staaten
        Himmelskörper=Himmelskörper Strauch=Sträucher Raum=Räume Unterhalter=Unterhalter
        Wissenschaftler=Wissenschaftler Mann=Männer Wiederkäuer=Wiederkäuer Knochenfisch=Knochenfische Asiate=Asiaten
        Alkohol Abschnitt=Abschnitte Knochen=Knochen Kapitalist=Kapitalisten Amerikaner=Amerikaner Afrikaner=Afrikaner
        Handel Experte=Experten Beweis=Beweise Fluss=Flüsse Stoff=Stoffe Hund=Hunde Aristokrat=Aristokraten
        Wächter=Wächter Kampf=Kämpfe Verbrecher=Verbrecher Motor=Motoren Prozess=Prozesse Kanal=Kanäle Glaube
        Schriftsteller=Schriftsteller Primat=Primaten Schaden=Schäden Vorfahr=Vorfahren Stern=Sterne Körper=Körper
        Name=Namen Christ=Christen Arzt=Ärzte Souverän Sportler=Sportler Offizier=Offiziere Nachkomme=Nachkommen
        Mord=Morde Wettbewerb=Wettbewerbe Zucker Laden=Läden Kristall=Kristalle Block=Blöcke Benutzer=Benutzer
        Text=Texte Befürworter=Befürworter Handwerker=Handwerker Pfarrer=Pfarrer Assistent=Assistenten Satz=Sätze
        Tanz=Tänze Wein=Weine Hebel=Hebel Gang=Gänge Kuchen=Kuchen Philosoph=Philosophen Sprecher=Sprecher
        Kaufmann=Kaufleute Geist=Geister Politiker=Politiker Monat=Monate Kasten=Kästen Plan=Pläne Planet=Planeten
        Käfer=Käfer Finger=Finger Schmerz=Schmerzen Umfang Zug=Züge Konzern=Konzerne Stamm=Stämme Wind=Winde
        Mörder=Mörder Tumor=Tumoren Bahnhof=Bahnhöfe Biologe=Biologen Freund=Freunde König=Könige Priester=Priester
        Soldat=Soldaten Pilz=Pilze Widerstand=Widerstände Ton=Töne Orden=Orden Tisch=Tische Besitzer=Besitzer
        Sturm=Stürme Kaiser=Kaiser Kontinent=Kontinente Engel=Engel Niederschlag=Niederschläge Schlag=Schläge
        Angriff=Angriffe Turm=Türme Hügel=Hügel Schluss=Schlüsse Krebs Mantel=Mäntel Tag=Tage Bruch=Brüche
        Durchgang=Durchgänge Zahn=Zähne Spieler=Spieler Film=Filme Computer=Computer Wert=Werte Fehler=Fehler
        Charakter=Charaktere Vertrag=Verträge Kämpfer=Kämpfer Verband=Verbände Käse Bruder=Brüder Krieg=Kriege
        Empfänger=Empfänger Stuhl=Stühle Versuch=Versuche Hut=Hüte Physiker=Physiker Verein=Vereine Sinn=Sinne
        Sänger=Sänger Tank=Tanks Verwalter=Verwalter Feiertag=Feiertage Unfall=Unfälle Griff=Griffe Beruf=Berufe
        Prozentsatz=Prozentsätze Zeitraum=Zeiträume Geldbetrag=Geldbeträge Teil=Teile Titel=Titel Verweis=Verweise
        Code=Codes Verlag=Verlage Bezirk=Bezirke Landkreis=Landkreise Kanton=Kantone Preis=Preise Roman=Romane
        Artikel=Artikel Paragraf=Paragrafen Schlüssel=Schlüssel Benutzername=Benutzernamen Hashwert=Hashwerte
        Friedhof=Friedhöfe Flughafen=Flughäfen Ehepartner=Ehepartner Konflikt=Konflikte Nobelpreis=Nobelpreise
        Vormittag=Vormittage Nachmittag=Nachmittage Abend=Abende Druck Mensch=Menschen Bahnhof=Bahnhöfe Nutzer=Nutzer
        Staatsmann=Staatsmänner Gerichtshof=Gerichtshöfe Leiter=Leiter Abgrund=Abgründe Vorsitz Rat=Räte Chef=Chefs
        Kunde=Kunden Nachbar=Nachbarn Park=Parks Club=Clubs Berg=Berge Krieger=Krieger Fall=Fälle Grund=Gründe
        Dollar=Dollar Franken=Franken See=Seen Bau=Bauten Sitz=Sitze Dienst=Dienste Stein=Steine Gatte=Gatten
        Affe=Affen Vorsprung=Vorsprünge Konsument=Konsumenten Einfaltspinsel=Einfaltspinsel Zustand=Zustände
        Stab=Stäbe Auswuchs=Auswüchse Habicht=Habichte Erwerb Apparat=Apparate Beutel=Beutel Ahn=Ahnen Wal=Wale
        Archipel=Archipele Hirsch=Hirsche Hass Poet=Poeten Clan=Clans Ausstoß Prophet=Propheten Pfad=Pfade
        Semit=Semiten Winkel=Winkel Schwan=Schwäne Anfall=Anfälle Muslim=Muslime Impuls=Impulse Satellit=Satelliten""",
        "f": """Stadt=Städte Nahrung Person=Personen Krankheit=Krankheiten Form=Formen Droge=Drogen Erde
        Arbeit=Arbeiten Musik Schrift=Schriften Frucht=Früchte Art=Arten Maschine=Maschinen Moral Frau=Frauen
        Energie=Energien Farbe=Farben Tugend=Tugenden Tube=Tuben Zeit=Zeiten Hand=Hände Nuss=Nüsse Angst=Ängste
        Macht=Mächte Kraft=Kräfte Schnur=Schnüre Uhr=Uhren Wurzel=Wurzeln Insel=Inseln Wildkatze=Wildkatzen
        Partei=Parteien Zahl=Zahlen Nacht=Nächte Show=Shows Software Membran=Membranen Explosion=Explosionen
        Universität=Universitäten Fabrik=Fabriken Steuer=Steuern Bank=Banken Schlacht=Schlachten Mutter=Mütter
        Tochter=Töchter Schwester=Schwestern Polizei Regierung=Regierungen Reihenfolge=Reihenfolgen Firma=Firmen
        Band=Bands Wahl=Wahlen Welt=Welten Burg=Burgen Wand=Wände Luft Woche=Wochen Stunde=Stunden Minute=Minuten
        Sekunde=Sekunden Gefahr=Gefahren Ära=Ären Mark=Mark Natur Kultur=Kulturen Figur=Figuren Tatsache=Tatsachen
        Justiz Substanz=Substanzen Faser=Fasern Ziffer=Ziffern Kugel=Kugeln Nachricht=Nachrichten Wortart=Wortarten
        Tafel=Tafeln Praxis=Praxen Geschwulst=Geschwulste Oberschicht=Oberschichten Ankunft=Ankünfte
        Abfahrt=Abfahrten""",
        "n": """Tier=Tiere Gerät=Geräte Wirbeltier=Wirbeltiere Säugetier=Säugetiere Feld=Felder Instrument=Instrumente
        Land=Länder Gebiet=Gebiete Gefühl=Gefühle Fahrzeug=Fahrzeuge Element=Elemente Nahrungsmittel=Nahrungsmittel
        Gewebe=Gewebe Gebäude=Gebäude Metall=Metalle Getränk=Getränke Schiff=Schiffe Organ=Organe Werkzeug=Werkzeuge
        Kleidungsstück=Kleidungsstücke Insekt=Insekten Gericht=Gerichte Wort=Wörter Gewürz=Gewürze Spiel=Spiele
        Gefäß=Gefäße Molekül=Moleküle Dokument=Dokumente Bindegewebe=Bindegewebe Mineral=Minerale Fluid=Fluide
        Möbel=Möbel Weibchen=Weibchen Ende=Enden Werk=Werke Papier=Papiere Geschirr Gemüse=Gemüse Blatt=Blätter
        Gas=Gase Fleisch Buch=Bücher Muster=Muster Flugzeug=Flugzeuge Verbrechen=Verbrechen Nagetier=Nagetiere
        Spielzeug=Spielzeuge Milchprodukt=Milchprodukte Haar=Haare Meer=Meere Konfekt Zeichen=Zeichen Boot=Boote
        Brot=Brote Pech Recht=Rechte Salz=Salze Unternehmen=Unternehmen Geschäft=Geschäfte Haus=Häuser
        Hilfsmittel=Hilfsmittel System=Systeme Monster=Monster Programm=Programme Pferd=Pferde Lied=Lieder Kind=Kinder
        Messer=Messer Licht=Lichter Wild Elternteil=Elternteile Protein=Proteine Projekt=Projekte Foto=Fotos
        Oberhaupt=Oberhäupter Staatsoberhaupt=Staatsoberhäupter Gedicht=Gedichte Loch=Löcher Gesetz=Gesetze
        Wasser=Wasser Auto=Autos Schicksal=Schicksale Verhalten Gelenk=Gelenke Kraut=Kräuter Schwert=Schwerter
        Gift=Gifte Fett=Fette Eigentum Hormon=Hormone Gras=Gräser Bett=Betten Dach=Dächer Öl=Öle Merkmal=Merkmale
        Glied=Glieder Alter Volumen=Volumen Gewicht=Gewichte Museum=Museen Theater=Theater Orchester=Orchester
        Ensemble=Ensembles Krankenhaus=Krankenhäuser Gymnasium=Gymnasien Ministerium=Ministerien Amt=Ämter
        Parlament=Parlamente Kreditinstitut=Kreditinstitute Gefängnis=Gefängnisse Hotel=Hotels Restaurant=Restaurants
        Gewässer=Gewässer Gebirge=Gebirge Stadion=Stadien Schutzgebiet=Schutzgebiete Sportereignis=Sportereignisse
        Treffen=Treffen Abkommen=Abkommen Erdbeben=Erdbeben Album=Alben Bühnenwerk=Bühnenwerke Kunstwerk=Kunstwerke
        Festival=Festivals Musikensemble=Musikensembles Dorf=Dörfer Datum=Daten Jahrzehnt=Jahrzehnte
        Jahrhundert=Jahrhunderte Jahr=Jahre Familienmitglied=Familienmitglieder Enkelkind=Enkelkinder
        Geschwisterteil=Geschwisterteile Großelternteil=Großelternteile Aktenzeichen=Aktenzeichen Postfach=Postfächer
        Volk=Völker Bundesland=Bundesländer Departement=Departements Gouvernement=Gouvernements Wetter
        Königreich=Königreiche Ereignis=Ereignisse Ergebnis=Ergebnisse Geld Zimmer=Zimmer Bild=Bilder Team=Teams
        Leben=Leben Thema=Themen Ziel=Ziele Problem=Probleme Kloster=Klöster Konzept=Konzepte Wochenende=Wochenenden
        Euro=Euro Latein Polymer=Polymere Holz=Hölzer Aussehen Intervall=Intervalle Vieleck=Vielecke
        Substantiv=Substantive Begehren Mahl=Mahle Missgeschick=Missgeschicke Heilmittel=Heilmittel Vermögen=Vermögen
        Saccharid=Saccharide Besteck=Bestecke Geflügel Oxid=Oxide Alkaloid=Alkaloide Abteil=Abteile Sex Model=Models""",
    },
}  # fmt: skip
"""Nouns whose ending misleads; in German with their plurals, where there are any."""

STRESSED_FEMININES: Final = frozenset(
    "agua arma área ave arte hambre alma hada ala aula acta asma águila arpa ancla habla".split()
)
"""Spanish feminines whose article in the singular is that of the other gender."""
IRREGULAR_PLURALS: Final = {
    "es": {"país": "países", "mes": "meses", "gas": "gases", "interés": "intereses", "dios": "dioses",
           "orden": "órdenes",
           "imagen": "imágenes", "joven": "jóvenes", "origen": "orígenes", "examen": "exámenes", "capital": "capitales",
           "carácter": "caracteres", "líder": "líderes", "software": "software", "huracán": "huracanes",
           "chasis": "chasis", "res": "reses", "album": "álbumes", "álbum": "álbumes"},
    "pt": {"país": "países", "mês": "meses", "deus": "deuses", "gás": "gases", "móvel": "móveis", "mão": "mãos",
           "pão": "pães", "cão": "cães", "cidadão": "cidadãos", "irmão": "irmãos", "órgão": "órgãos",
           "software": "software", "automóvel": "automóveis", "imóvel": "imóveis", "réptil": "répteis",
           "fóssil": "fósseis", "alemão": "alemães", "catalão": "catalães"},
}  # fmt: skip
GERMAN_PLURAL_ENDINGS: Final = {
    "in": "innen", "nis": "nisse", "chen": "chen", "lein": "lein", "er": "er", "e": "en", "ik": "iken", "ion": "ionen",
    "ung": "ungen", "heit": "heiten", "keit": "keiten", "schaft": "schaften", "tät": "täten", "ei": "eien",
    "ist": "isten", "ent": "enten", "ant": "anten", "ment": "mente", "ling": "linge", "or": "oren", "enz": "enzen",
    "anz": "anzen", "ur": "uren", "tier": "tiere", "zeug": "zeuge", "ie": "ien",
}  # fmt: skip
ADJECTIVAL_NOUNS: Final = frozenset(
    "Verwandter Angestellter Reisender Gleichaltriger Heiliger Beamte Gelehrte Keltisch".split()
)
"""German nouns that change as adjectives do."""
PLURAL_LABELS: Final = frozenset(
    "Leute Eltern Kräfte Geschwister Kosten Waffen Unterlagen Ferien Nachkommen Teigwaren".split()
)
"""German labels that are plurals."""


PLURAL_UNITS: Final = frozenset(
    """Sekunden Minuten Stunden Tage Wochen Monate Quartale Jahre Jahrzehnte Jahrhunderte Nächte Inseln Koordinaten
    Tausende Millionen Kinder Jahren""".split()
)
SINGULAR_S_ENDINGS: Final = {
    "es": ("sis", "tis", "xis", "us", "és", "ís", "ás", "dios"), "pt": ("sis", "us", "ês", "ás", "deus"),
}  # fmt: skip
"""Endings in -s of nouns in the singular."""
SINGULAR_RULES: Final = {
    "es": (("ces", "z"), ("iones", "ión"), ("dades", "dad"), ("tades", "tad"), ("tudes", "tud"), ("ores", "or"),
           ("ales", "al"), ("s", "")),
    "pt": (("ções", "ção"), ("sões", "são"), ("ões", "ão"), ("ns", "m"), ("ais", "al"), ("éis", "el"), ("óis", "ol"),
           ("uis", "ul"), ("eis", "el"), ("is", "il"), ("ores", "or"), ("zes", "z"), ("s", "")),
}  # fmt: skip
NAMES_WITH_ARTICLE: Final = {
    "f": """Schweiz Türkei Ukraine Slowakei Mongolei Lombardei Toskana Karibik Bretagne Normandie Krim Steiermark
    Vatikanstadt""",
    "p": "Niederlande Philippinen Malediven Komoren Seychellen Salomonen Bahamas Marshallinseln USA",
    "m": "Irak Iran Libanon Jemen Sudan Tschad Niger Senegal Oman Südsudan",
}
"""German names of countries and regions that have an article, by gender; p of plurals."""
ARTICLE_GENDER: Final = {name: of for of, names in NAMES_WITH_ARTICLE.items() for name in names.split()}
PLACE_NOUNS: Final = frozenset(
    """Hauptstadt Bundesstaat Bundesland Landesteil Ortschaft Weltregion Region Provinz Republik Grafschaft
    Gemeinschaft Präfektur Gemeinde Kleinstadt Großstadt Halbinsel Inseln""".split()
)
"""Nouns for places, beside those that are listed with their gender."""

UNKNOWN_GENDER: Final = ""
COMMON_GENDER: Final = "c"
"""Of nouns that are of either gender: el artista, la artista."""
MAX_ENDING_LENGTH: Final = 6
MIN_PART_LENGTH: Final = 4
"""Characters of a German noun that counts at the end of a compound too."""


def _parse_nouns(language: str) -> dict[str, tuple[str, str]]:
    return {
        noun: (gender, plural)
        for gender, rows in NOUNS_BY_GENDER.get(language, {}).items()
        for noun, _, plural in (row.partition("=") for row in rows.split())
    }


LISTED_NOUNS: Final = {language: _parse_nouns(language) for language in NOUNS_BY_GENDER}
GENDER_BY_ENDING: Final = {
    language: {ending: gender for gender, rows in of.items() for ending in rows.split()}
    for language, of in GENDER_ENDINGS.items()
}


@lru_cache(maxsize=65_536)
def noun_gender(noun: str, language: str) -> str:
    """Return the gender of a noun in the singular: m, f, n, c; nothing where it is not known."""
    known = LISTED_NOUNS.get(language, {})
    if language != "de":
        noun = singular_form(noun.lower(), language) if is_plural(noun.lower(), language) else noun.lower()
    if noun in known:
        return known[noun][0]
    if language == "de" and noun in ADJECTIVAL_NOUNS:
        return UNKNOWN_GENDER
    if language == "de" and (part := _last_compound_part(noun)):
        return known[part][0]
    endings = GENDER_BY_ENDING.get(language, {})
    return next(
        (endings[noun[-size:]] for size in range(MAX_ENDING_LENGTH, 0, -1) if noun[-size:] in endings), UNKNOWN_GENDER
    )


def _last_compound_part(noun: str) -> str:
    """Return the noun that is listed in which a German compound ends."""
    low, known = noun.lower(), LISTED_NOUNS["de"]
    parts = (low[start:].capitalize() for start in range(3, len(low) - MIN_PART_LENGTH + 1))
    return next((part for part in parts if part in known), "")


@lru_cache(maxsize=65_536)
def plural_form(noun: str, language: str) -> str:
    """Return a noun in the plural; nothing where it is not known."""
    if language == "de":
        return _german_plural(noun)
    if noun in IRREGULAR_PLURALS[language]:
        return IRREGULAR_PLURALS[language][noun]
    return next(iter(inflect_noun(noun, language)), noun)


def _german_plural(noun: str) -> str:
    if noun in PLURAL_LABELS:
        return noun
    known = LISTED_NOUNS["de"]
    part = noun if noun in known else _last_compound_part(noun)
    if part:
        many = known[part][1]
        return many if noun == part or not many else noun[: len(noun) - len(part)] + many.lower()
    for size in range(MAX_ENDING_LENGTH, 0, -1):
        if noun[-size:] in GERMAN_PLURAL_ENDINGS:
            return noun[:-size] + GERMAN_PLURAL_ENDINGS[noun[-size:]]
    return ""


@lru_cache(maxsize=65_536)
def is_plural(noun: str, language: str) -> bool:
    """Return whether a noun, as a label has it, is in the plural."""
    if language == "de":
        return noun in PLURAL_LABELS or noun in PLURAL_UNITS
    return noun.endswith("s") and noun not in LISTED_NOUNS[language] and not noun.endswith(SINGULAR_S_ENDINGS[language])


@lru_cache(maxsize=65_536)
def singular_form(noun: str, language: str) -> str:
    """Return a Spanish or Portuguese noun in the singular."""
    for ending, other in SINGULAR_RULES[language]:
        if noun.endswith(ending):
            return noun[: len(noun) - len(ending)] + other
    return noun


def agreeing_form(adjective: str, language: str, of: str, many: bool) -> str:
    """Return a Spanish or Portuguese adjective, which is in its dictionary form, as it agrees."""
    forms = tuple(inflect_adjective(adjective, language))
    if many and of != "f" and adjective in IRREGULAR_PLURALS[language]:
        return IRREGULAR_PLURALS[language][adjective]
    if len(forms) > 2:  # feminine, plural, feminine plural
        return forms[(of == "f") + (many << 1) - 1] if of == "f" or many else adjective
    return forms[0] if many and forms else adjective
