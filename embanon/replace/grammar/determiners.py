"""Words of Spanish and Portuguese that stand before nouns, agree with them, and contract with each other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

DEFINITE: Final = {"es": "el la los las", "pt": "o a os as"}
INDEFINITE: Final = {"es": "un una unos unas", "pt": "um uma uns umas"}
AGREEING: Final = {
    "es": """este esta estos estas/ese esa esos esas/aquel aquella aquellos aquellas/otro otra otros otras /algún
    alguna algunos algunas/ningún ninguna ningunos ningunas/mucho mucha muchos muchas/poco poca pocos pocas /nuestro
    nuestra nuestros nuestras/vuestro vuestra vuestros vuestras/todo toda todos todas/cuyo cuya cuyos cuyas /- -
    varios varias/- - ambos ambas/dicho dicha dichos dichas/mismo misma mismos mismas /primer primera primeros
    primeras/segundo segunda segundos segundas/tercer tercera terceros terceras /último última últimos últimas/antiguo
    antigua antiguos antiguas/nuevo nueva nuevos nuevas /próximo próxima próximos próximas/único única únicos
    únicas/pequeño pequeña pequeños pequeñas /su su sus sus/mi mi mis mis/tu tu tus tus/cada cada - -/gran gran
    grandes grandes/buen buena buenos buenas /mal mala malos malas/mayor mayor mayores mayores/mejor mejor mejores
    mejores/tanto tanta tantos tantas /cuánto cuánta cuántos cuántas/cualquier cualquier - -/pasado pasada pasados
    pasadas/actual actual actuales actuales /propio propia propios propias/principal principal principales
    principales/viejo vieja viejos viejas /cierto cierta ciertos ciertas/numeroso numerosa numerosos numerosas/diverso
    diversa diversos diversas""",
    "pt": """este esta estes estas/esse essa esses essas/aquele aquela aqueles aquelas/outro outra outros outras
    /algum alguma alguns algumas/nenhum nenhuma nenhuns nenhumas/muito muita muitos muitas/pouco pouca poucos poucas
    /nosso nossa nossos nossas/todo toda todos todas/cujo cuja cujos cujas/- - vários várias/- - ambos ambas /mesmo
    mesma mesmos mesmas/primeiro primeira primeiros primeiras/segundo segunda segundos segundas /terceiro terceira
    terceiros terceiras/último última últimos últimas/antigo antiga antigos antigas /novo nova novos novas/próximo
    próxima próximos próximas/único única únicos únicas/pequeno pequena pequenos pequenas /seu sua seus suas/meu minha
    meus minhas/cada cada - -/grande grande grandes grandes/bom boa bons boas /mau má maus más/maior maior maiores
    maiores/melhor melhor melhores melhores/tanto tanta tantos tantas /neste nesta nestes nestas/nesse nessa nesses
    nessas/deste desta destes destas/desse dessa desses dessas /naquele naquela naqueles naquelas/daquele daquela
    daqueles daquelas/noutro noutra noutros noutras /num numa nuns numas/dum duma duns dumas/qualquer qualquer
    quaisquer quaisquer/atual atual atuais atuais /próprio própria próprios próprias/principal principal principais
    principais/velho velha velhos velhas /certo certa certos certas/numeroso numerosa numerosos numerosas/diverso
    diversa diversos diversas /dois duas dois duas/quanto quanta quantos quantas/passado passada passados passadas""",
}  # fmt: skip
"""Determiners and adjectives that stand before nouns: m, f, and both in the plural."""
CONTRACTIONS: Final = {
    "es": {("de", "el"): "del", ("a", "el"): "al"},
    "pt": {
        (preposition, article): start + article
        for preposition, start in (("de", "d"), ("em", "n"), ("por", "pel"))
        for article in ("o", "a", "os", "as")
    } | {("a", "o"): "ao", ("a", "a"): "à", ("a", "os"): "aos", ("a", "as"): "às"},
}  # fmt: skip
PREPOSITIONS: Final = {
    "es": frozenset("""de a en por con para sin sobre desde hasta entre hacia según tras ante bajo contra durante
    mediante como""".split()),
    "pt": frozenset("""de a em por com para sem sobre desde até entre após ante sob contra durante mediante segundo
    como""".split()),
}  # fmt: skip
PLACES_WITH_ARTICLE: Final = {
    "m": """Brasil México Peru Chile Uruguai Paraguai Equador Japão Canadá Irã Iraque Egito Líbano Sudão Quênia
    Senegal Vietnã Camboja Nepal Paquistão Afeganistão Azerbaijão Cazaquistão Uzbequistão Quirguistão Tadjiquistão
    Turcomenistão Reino Caribe Sudeste Havaí Pará Ceará Piauí Paraná Maranhão Rio Amazonas Espírito Kuwait Catar Congo
    Gabão Malaui Mali Níger Chade Benin Togo Panamá Haiti Suriname Barein Tirol Butão Iêmen Lesoto Djibuti Texas
    Alabama Colorado Arizona Camarões Bangladesh Luxemburgo Laos Oriente Piemonte Veneto Lácio Zimbábue País
    Maurício""",
    "f": """África Albânia Alemanha Andaluzia Arábia Argélia Argentina Armênia Ásia Austrália Australásia Áustria
    América Bahia Baviera Bélgica Bielorrússia Bolívia Bósnia Bretanha Bulgária Calábria Califórnia Carolina Catalunha
    China Colômbia Colúmbia Coreia Costa_do_Marfim Crimeia Croácia Dinamarca Escócia Eslováquia Eslovênia Espanha
    Estônia Etiópia Europa Finlândia Flórida França Galiza Gâmbia Geórgia Grécia Guatemala Guiana Guiné Holanda
    Hungria Índia Indonésia Inglaterra Irlanda Islândia Itália Jamaica Jordânia Letônia Libéria Líbia Lituânia
    Lombardia Luisiana Macedônia Malásia Mauritânia Melanésia Micronésia Moldávia Mongólia Namíbia Nicarágua Nigéria
    Normandia Noruega Nova_Zelândia Nova_Escócia Nova_Gales_do_Sul Oceania Palestina Papua-Nova Paraíba Pensilvânia
    Polinésia Polônia República Romênia Rússia Sardenha Saxónia Sérvia Sicília Síria Somália Suécia Suíça Tailândia
    Tanzânia Tchéquia Toscana Tunísia Turíngia Turquia Ucrânia Valónia Venezuela Virgínia Zâmbia Eritreia Cidade""",
    "mp": "Estados Países Emirados Bahamas Barbados",
    "fp": "Filipinas Ilhas Maldivas Comores Seicheles",
}  # fmt: skip
"""Portuguese: the first words of names of places that have an article."""
PLACE_ARTICLES: Final = {
    name.replace("_", " "): article
    for article, names in zip(DEFINITE["pt"].split(), PLACES_WITH_ARTICLE.values(), strict=True)
    for name in names.split()
}


def _rows(language: str) -> dict[str, tuple[str, ...]]:
    rows = [tuple(row.split()) for row in AGREEING[language].split("/")]
    return {form: row for row in reversed(rows) for form in row if form != "-"}


AGREEING_FORMS: Final = {language: _rows(language) for language in AGREEING}
ARTICLES: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    language: {"definite": tuple(DEFINITE[language].split()), "indefinite": tuple(INDEFINITE[language].split())}
    for language in DEFINITE
}
ARTICLE_KINDS: Final = {
    language: {form: kind for kind, forms in of.items() for form in forms} for language, of in ARTICLES.items()
}
EXPANSIONS: Final = {language: {said: parts for parts, said in of.items()} for language, of in CONTRACTIONS.items()}
"""What is contracted -> preposition and article."""
