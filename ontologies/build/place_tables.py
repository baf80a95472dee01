"""What no package says of places: kinds with their synsets, abbreviations, former states, areas, exonyms."""

from __future__ import annotations

from typing import Final

KINDS: Final = """
place | place | lugar | lugar | Ort | 00027167 | -
continent | continent | continente | continente | Kontinent | 09254614 | place
subcontinent | part of the world | región del mundo | região do mundo | Weltregion | 08630985 | place
country | country | país | país | Land | 08544813 | place
territory | country or territory | país o territorio | país ou território | Land oder Gebiet | 08630985 | place
formercountry | former country | antiguo país | antigo país | ehemaliges Land | 08544813 | place
area | region | región | região | Region | 08630985 | place
state | state | estado | estado | Bundesstaat | 08654360 | place
land | state | estado federado | estado federado | Bundesland | 08654360 | place
province | province | provincia | província | Provinz | 08654360 | place
region | region | región | região | Region | 08630985 | place
department | department | departamento | departamento | Departement | 08548733 | place
county | county | condado | condado | Grafschaft | 08546870 | place
district | district | distrito | distrito | Bezirk | 08552138 | place
municipality | municipality | municipio | município | Gemeinde | 08626283 | place
governorate | governorate | gobernación | província | Gouvernement | 08491826 | place
prefecture | prefecture | prefectura | prefeitura | Präfektur | 08626947 | place
canton | canton | cantón | cantão | Kanton | 08540770 | place
parish | parish | parroquia | freguesia | Gemeinde | 08615001 | place
emirate | emirate | emirato | emirado | Emirat | 08557396 | place
republic | republic | república | república | Republik | 08491826 | place
community | autonomous community | comunidad autónoma | comunidade autónoma | autonome Gemeinschaft | 08491826 | place
autonomous | autonomous region | región autónoma | região autónoma | autonome Region | 08491826 | place
borough | borough | distrito urbano | distrito urbano | Stadtbezirk | 08540532 | place
nation | country | nación | nação | Landesteil | 08544813 | place
capital | capital city | capital | capital | Hauptstadt | 08691669 | city
city | city | ciudad | cidade | Stadt | 08524735 | place
town | town | población | vila | Ortschaft | 08665504 | place
village | village | pueblo | povoação | Dorf | 08672738 | place
locality | locality | localidad | localidade | Ortschaft | 08641113 | place
nationality | nationality | nacionalidad | nacionalidade | Nationalität | 07949463 | -
language | language | idioma | língua | Sprache | 06904171 | -
"""
"""Id | English | Spanish | Portuguese | German | the synset that is broader | the kind that is broader."""

REGION_TYPES: Final = """
state: State, Federal state
land: Land
province: Province, Autonomous province, Voivodship
region: Region, Administrative region, Metropolitan region, Geographical region, Arctic region, Special region
department: Department, Metropolitan department
county: County, Two-tier county
district: District, Rayon
municipality: Municipality, Rural municipality, District municipality, Urban municipality, City municipality, Commune
municipality: Special municipality, Autonomous municipality
governorate: Governorate
prefecture: Prefecture
canton: Canton
parish: Parish
emirate: Emirate
republic: Republic, Autonomous republic
community: Autonomous community
autonomous: Autonomous region
borough: London borough, Borough
nation: Country
"""
"""What ISO 3166-2 calls a region, by kind; every other name is a region."""

NATIVE_LANGUAGES: Final = {
    **dict.fromkeys("ES MX AR CO PE VE CL EC GT CU BO DO HN PY SV NI CR PA UY GQ".split(), "es"),
    **dict.fromkeys("PT BR AO MZ CV GW ST TL".split(), "pt"),
    **dict.fromkeys("DE AT LI".split(), "de"),
}
"""The language of the native names of a country's regions."""

COUNTRY_NAMES: Final = """
US mul U.S. | US | USA | U.S.A. | U. S.
US en America | United States of America | the United States
US es EE. UU. | EE.UU. | EEUU | EUA | Estados Unidos de América
US pt EUA | E.U.A. | Estados Unidos da América | América
US de Vereinigte Staaten von Amerika | Amerika
GB mul UK | U.K.
GB en Great Britain | Britain
GB es Gran Bretaña
GB pt Grã-Bretanha
GB de Großbritannien | Vereinigtes Königreich von Großbritannien und Nordirland
AE mul UAE | U.A.E.
AE es EAU
DE de BRD | Bundesrepublik | Bundesrepublik Deutschland
DE en Federal Republic of Germany | FRG
DE es RFA | República Federal de Alemania
DE pt RFA | República Federal da Alemanha
NL en Holland | the Netherlands
NL es Holanda
NL pt Holanda
NL de Holland
MM en Burma
MM es Birmania
MM pt Birmânia | Mianmar
MM de Burma | Birma
CD en Zaire | DR Congo | DRC | Democratic Republic of Congo | Congo-Kinshasa | Belgian Congo
CD es Zaire | RDC | Congo Belga
CD pt Zaire | RDC | Congo Belga
CD de Zaire | Demokratische Republik Kongo | Belgisch-Kongo
LK mul Ceylon
LK es Ceilán
LK pt Ceilão
TH en Siam
TH es Siam
TH pt Sião
TH de Siam
IR en Persia
IR es Persia
IR pt Pérsia
IR de Persien
CI en Ivory Coast
CZ en Czech Republic
CZ es República Checa
CZ pt República Tcheca | República Checa
CZ de Tschechische Republik
MK en Macedonia
MK es Macedonia
MK pt Macedônia | Macedónia
MK de Mazedonien
SZ en Swaziland
SZ es Suazilandia
SZ pt Suazilândia
SZ de Swasiland
BY en Byelorussia
BY de Weißrussland | Weissrussland
ZW en Rhodesia | Southern Rhodesia
ZW es Rodesia
ZW pt Rodésia
ZW de Rhodesien
BF en Upper Volta
BF es Alto Volta
BF pt Alto Volta
BF de Obervolta
BJ mul Dahomey
KH mul Kampuchea
BD en East Pakistan
BD es Pakistán Oriental
BD de Ostpakistan
NA en South West Africa
TR en Turkey | Republic of Turkey
TR mul Türkiye
TL en East Timor
TL es Timor Oriental
TL pt Timor Leste
TL de Osttimor
CV en Cape Verde
RU en Russian Federation
KR en Republic of Korea
KP en Democratic People's Republic of Korea | DPRK
CN en People's Republic of China | PRC | Mainland China
CN de Volksrepublik China
"""
"""Further names and former names of today's countries; they find the country and are not shown."""

SHOWN: Final = """
AX mul Åland
BA en Bosnia and Herzegovina
CD en Democratic Republic of the Congo
CG en Republic of the Congo
HK en Hong Kong
HK es Hong Kong
HK pt Hong Kong
MO en Macao
MO es Macao
MO pt Macau
PS en Palestine
PS es Palestina
PS pt Palestina
TR en Turkey
"""
"""Names of countries that texts have, shown before those of CLDR."""

FORMER: Final = """
SU 150 | Soviet Union | Unión Soviética | União Soviética | Sowjetunion | USSR, U.S.S.R., URSS, UdSSR, Union of \
Soviet Socialist Republics
YU 039 | Yugoslavia | Yugoslavia | Iugoslávia | Jugoslawien | Jugoslávia
CSHH 151 | Czechoslovakia | Checoslovaquia | Checoslováquia | Tschechoslowakei | Tchecoslováquia, ČSSR, CSSR
CSXX 039 | Serbia and Montenegro | Serbia y Montenegro | Sérvia e Montenegro | Serbien und Montenegro |
DD 150 | East Germany | Alemania Oriental | Alemanha Oriental | Ostdeutschland | GDR, DDR, RDA, German Democratic \
Republic, República Democrática Alemana, República Democrática Alemã, Deutsche Demokratische Republik
FRG 155 | West Germany | Alemania Occidental | Alemanha Ocidental | Westdeutschland |
OTT - | Ottoman Empire | Imperio otomano | Império Otomano | Osmanisches Reich | Imperio Otomano
AUH 150 | Austria-Hungary | Austria-Hungría | Áustria-Hungria | Österreich-Ungarn | Austro-Hungarian Empire, \
Imperio austrohúngaro, Império Austro-Húngaro
PRU 150 | Prussia | Prusia | Prússia | Preußen | Kingdom of Prussia
NAZ 150 | Nazi Germany | Alemania nazi | Alemanha nazista | NS-Deutschland | Third Reich, Tercer Reich, Terceiro \
Reich, Drittes Reich, Alemanha nazi
RUE - | Russian Empire | Imperio ruso | Império Russo | Russisches Reich | Russisches Kaiserreich
SVN 035 | South Vietnam | Vietnam del Sur | Vietnã do Sul | Südvietnam | Vietname do Sul, Republic of Vietnam
NVN 035 | North Vietnam | Vietnam del Norte | Vietnã do Norte | Nordvietnam | Vietname do Norte
YMD 145 | South Yemen | Yemen del Sur | Iêmen do Sul | Südjemen |
TAN 014 | Tanganyika | Tanganica | Tanganica | Tanganjika |
BIN 034 | British India | India británica | Índia Britânica | Britisch-Indien |
AN 029 | Netherlands Antilles | Antillas Neerlandesas | Antilhas Holandesas | Niederländische Antillen |
INC 035 | French Indochina | Indochina francesa | Indochina Francesa | Französisch-Indochina |
"""
"""States that are no more, and the part of the world where all of them lay (- where no one part holds them)."""

AREAS: Final = """
kor m49:030 | Korea | Corea | Coreia | Korea
scandinavia m49:154 | Scandinavia | Escandinavia | Escandinávia | Skandinavien
balkans m49:150 | Balkans | Balcanes | Bálcãs | Balkan
baltics m49:154 | Baltic states | países bálticos | países bálticos | Baltikum
benelux m49:155 | Benelux | Benelux | Benelux | Benelux
iberia m49:039 | Iberian Peninsula | península ibérica | Península Ibérica | Iberische Halbinsel
maghreb m49:015 | Maghreb | Magreb | Magrebe | Maghreb
indochina m49:035 | Indochina | Indochina | Indochina | Indochina
kashmir m49:034 | Kashmir | Cachemira | Caxemira | Kaschmir
bengal m49:034 | Bengal | Bengala | Bengala | Bengalen
kurdistan m49:145 | Kurdistan | Kurdistán | Curdistão | Kurdistan
siberia iso:RU-ASIA | Siberia | Siberia | Sibéria | Sibirien
patagonia m49:005 | Patagonia | Patagonia | Patagônia | Patagonien
amazonia m49:005 | Amazonia | Amazonía | Amazônia | Amazonien
silesia m49:150 | Silesia | Silesia | Silésia | Schlesien
pomerania m49:150 | Pomerania | Pomerania | Pomerânia | Pommern
bohemia iso:CZ | Bohemia | Bohemia | Boêmia | Böhmen
moravia iso:CZ | Moravia | Moravia | Morávia | Mähren
transylvania iso:RO | Transylvania | Transilvania | Transilvânia | Siebenbürgen
anatolia iso:TR | Anatolia | Anatolia | Anatólia | Anatolien
rhineland iso:DE | Rhineland | Renania | Renânia | Rheinland
westphalia iso:DE | Westphalia | Westfalia | Vestfália | Westfalen
auvergne iso:FR | Auvergne | Auvernia | Auvérnia | Auvergne
burgundy iso:FR | Burgundy | Borgoña | Borgonha | Burgund
lorraine iso:FR | Lorraine | Lorena | Lorena | Lothringen
picardy iso:FR | Picardy | Picardía | Picardia | Picardie
aquitaine iso:FR | Aquitaine | Aquitania | Aquitânia | Aquitanien
provence iso:FR | Provence | Provenza | Provença | Provence
champagne iso:FR | Champagne | Champaña | Champanhe | Champagne
ulster m49:154 | Ulster | Úlster | Ulster | Ulster
yorkshire iso:GB-ENG | Yorkshire | Yorkshire | Yorkshire | Yorkshire
sussex iso:GB-ENG | Sussex | Sussex | Sussex | Sussex
middlesex iso:GB-ENG | Middlesex | Middlesex | Middlesex | Middlesex
eastanglia iso:GB-ENG | East Anglia | Anglia Oriental | Ânglia Oriental | East Anglia
newengland iso:US | New England | Nueva Inglaterra | Nova Inglaterra | Neuengland
midwest iso:US | Midwest | Medio Oeste | Centro-Oeste dos Estados Unidos | Mittlerer Westen
southernus iso:US | American South | Sur de Estados Unidos | Sul dos Estados Unidos | Südstaaten
bayarea iso:US-CA | San Francisco Bay Area | área de la bahía de San Francisco | Área da Baía de São Francisco | \
San Francisco Bay Area
siliconvalley iso:US-CA | Silicon Valley | Silicon Valley | Vale do Silício | Silicon Valley
longisland iso:US-NY | Long Island | Long Island | Long Island | Long Island
southtyrol iso:IT | South Tyrol | Tirol del Sur | Tirol do Sul | Südtirol
lapland m49:150 | Lapland | Laponia | Lapónia | Lappland
caucasus - | Caucasus | Cáucaso | Cáucaso | Kaukasus
middleeast - | Middle East | Oriente Medio | Oriente Médio | Naher Osten
"""
"""Areas that texts name and no standard has, and what all of each lies in (- where nothing holds it)."""

REGIONS_ELSEWHERE: Final = """
RU-ASIA RU 142 | RU-SVE RU-CHE RU-KGN RU-TYU RU-KHM RU-YAN RU-ALT RU-AL RU-BU RU-TY RU-KK RU-KYA RU-IRK RU-KEM RU-NVS
RU-ASIA RU 142 | RU-OMS RU-TOM RU-ZAB RU-SA RU-KAM RU-PRI RU-KHA RU-AMU RU-MAG RU-SAK RU-YEV RU-CHU
US-PACIFIC US 061 | US-HI
ES-AFRICA ES - | ES-CN ES-CE ES-ML
TR-EUROPE TR - | TR-34 TR-22 TR-39 TR-59
EG-ASIA EG - | EG-SIN EG-JS
"""
"""Regions that are not where M.49 has their country: they lie in a second concept of it, which is elsewhere."""

CONTESTED_TOWNS: Final = {"281184": "m49:145", "7498240": "m49:145"}
"""Towns of which no country is said: Jerusalem, West Jerusalem."""

CONTESTED_REGIONS: Final = frozenset(("IL.WE",))
"""Regions of GeoNames whose towns are given no country, but Western Asia."""

DROPPED_REGIONS: Final = frozenset(
    "RS-KM RS-25 RS-26 RS-27 RS-28 RS-29 GB-UKM GB-GBN GB-EAW MA-11 MA-12 NL-BQ1 NL-BQ2 NL-BQ3 NO-21 NO-22 "
    "CN-TW CN-HK CN-MO FI-01 US-AS US-GU US-MP US-PR US-UM US-VI NL-AW NL-CW NL-SX FR-971 FR-972 FR-973 FR-974 "
    "FR-976 FR-BL FR-MF FR-MQ FR-GP FR-GF FR-RE FR-YT FR-NC FR-PF FR-PM FR-TF FR-WF FR-CP SH-TA".split()
)
"""Entries of ISO 3166-2 that are countries or territories of their own there, or double others."""

MISNAMED: Final = frozenset(("albion", "deutschland", "sin city"))
"""Keys of names that mean something else in most texts than the region whose entry has them."""

MATCHED_REGIONS: Final = """
BA.01 BA-BIH | BA.02 BA-SRP | BY.03 BY-HR | CZ.81 CZ-41 | DO.34 DO-01 | DO.37 DO-32 | ES.60 ES-VC | GR.ESYE41 GR-K
GR.ESYE42 GR-L | HU.06 HU-CS | IR.42 IR-09 | KZ.12 KZ-35 | KZ.13 KZ-39 | KZ.15 KZ-63 | NZ.F3 NZ-MWT | QA.01 QA-DA
RU.03 RU-AL | RU.32 RU-KHM | RU.63 RU-SA | RU.87 RU-YAN | RU.93 RU-ZAB | RU.15 RU-CHU | RU.12 RU-CE
AZ.29 AZ-LAN | AZ.30 AZ-LA | AZ.67 AZ-YEV | AZ.68 AZ-YE | BG.42 BG-22 | BG.58 BG-23 | HU.23 HU-VE | KG.08 KG-O
KG.10 KG-GO | RU.47 RU-MOS | RU.48 RU-MOW | UZ.13 UZ-TK | UZ.14 UZ-TO
"""
"""Regions of GeoNames and their entries of ISO 3166-2 where names do not tell."""

TRANSCRIBED: Final = frozenset(("BG", "BY", "GR", "MK", "RS", "RU", "UA"))
"""Countries of Europe whose regions ISO 3166-2 has in scientific transliteration."""

BOROUGHS: Final = ("5110302", "5125771", "5133273", "5110266", "5139568")
"""Brooklyn, Manhattan, Queens, the Bronx, Staten Island: no cities, though GeoNames has them as seats."""

TOWN_NAMES: Final = """
1275339 Bombay | Bombaim
1264527 Madras
1275004 Calcutta | Calcuta | Calcutá | Kalkutta
1277333 Bangalore
1298824 Rangoon | Rangún | Rangun
1566083 Saigon | Saigón | Ho Chi Minh City | Ciudad Ho Chi Minh | Cidade de Ho Chi Minh | Ho-Chi-Minh-Stadt
1816670 Peking | Pekín | Pequim
1809858 Canton
498817 Leningrad | Leningrado | Petrograd | Petrogrado | St. Petersburg | San Petersburgo | São Petersburgo
472757 Stalingrad | Stalingrado
745044 Constantinople | Constantinopla | Konstantinopel
703448 Kiev | Kiew
2314302 Léopoldville | Leopoldville
1642911 Batavia
1880252 Singapore
2867714 Múnich | Munique | München
5128581 New York | NYC | N.Y.C. | Nueva York | Nova York | Nova Iorque
5368361 L.A. | Los Ángeles
4140963 Washington, D.C. | Washington D.C. | Washington DC
"""
"""Further and former names of towns, by the number of GeoNames."""

REGION_NAMES: Final = """
ES-CM en Castilla-La Mancha
ES-CL en Castile and León
ES-NC en Navarre
ES-VC en Valencian Community | Valencia
RU-SPE en Saint Petersburg
US-CA mul Calif.
US-NY mul N.Y. | New York State
US-NY es Nueva York
US-NY pt Nova Iorque | Nova York
US-NJ mul N.J.
US-NJ es Nueva Jersey
US-NJ pt Nova Jérsei | Nova Jersey
US-NM es Nuevo México
US-NM pt Novo México
US-NH es Nuevo Hampshire
US-PA es Pensilvania
US-PA pt Pensilvânia
US-NC mul N.C.
US-NC es Carolina del Norte
US-NC pt Carolina do Norte
US-SC es Carolina del Sur
US-SC pt Carolina do Sul
US-ND es Dakota del Norte
US-ND pt Dakota do Norte
US-SD es Dakota del Sur
US-SD pt Dakota do Sul
US-WV es Virginia Occidental
US-WV pt Virgínia Ocidental
US-VA pt Virgínia
US-CA pt Califórnia
US-CA de Kalifornien
US-FL pt Flórida
US-GA pt Geórgia
US-LA es Luisiana
US-LA pt Luisiana
US-MS es Misisipi
US-MS pt Mississípi
US-MO es Misuri
US-MI es Míchigan
US-TX es Texas | Tejas
US-OR es Oregón
US-HI es Hawái
US-HI pt Havaí
US-PA mul Pa.
US-MA mul Mass.
US-CT mul Conn.
US-DC mul D.C.
CA-BC es Columbia Británica
CA-BC pt Colúmbia Britânica
CA-NS es Nueva Escocia
CA-NS pt Nova Escócia
CA-NB es Nuevo Brunswick
CA-QC es Quebec
CA-QC pt Quebec
CA-QC mul Québec
GB-ENG es Inglaterra
GB-ENG pt Inglaterra
GB-SCT es Escocia
GB-SCT pt Escócia
GB-SCT de Schottland
GB-WLS es Gales | País de Gales
GB-WLS pt País de Gales | Gales
GB-NIR es Irlanda del Norte
GB-NIR pt Irlanda do Norte
GB-NIR de Nordirland
GB-CON es Cornualles
GB-CON pt Cornualha
GB-DEV mul Devonshire
DE-BY es Baviera
DE-BY pt Baviera
DE-BY de Bayern
DE-SN es Sajonia
DE-SN pt Saxónia | Saxônia
DE-SN de Sachsen
DE-NI es Baja Sajonia
DE-NI pt Baixa Saxónia | Baixa Saxônia
DE-NI de Niedersachsen
DE-ST es Sajonia-Anhalt
DE-ST pt Saxónia-Anhalt
DE-TH es Turingia
DE-TH pt Turíngia
DE-HE es Hesse
DE-HE pt Hesse
DE-NW es Renania del Norte-Westfalia
DE-NW pt Renânia do Norte-Vestfália
DE-NW de Nordrhein-Westfalen | NRW
DE-RP es Renania-Palatinado
DE-RP pt Renânia-Palatinado
DE-MV es Mecklemburgo-Pomerania Occidental
DE-BB es Brandeburgo
DE-BB pt Brandemburgo
DE-SL es Sarre
DE-SL pt Sarre
ES-AN pt Andaluzia
ES-AN de Andalusien
ES-AN es Andalucía
ES-AR pt Aragão
ES-AR de Aragonien
ES-CT es Cataluña
ES-CT pt Catalunha
ES-CT de Katalonien
ES-CL es Castilla y León
ES-CL pt Castela e Leão
ES-CL de Kastilien und León
ES-CM es Castilla-La Mancha
ES-CM pt Castela-Mancha
ES-CM de Kastilien-La Mancha
ES-GA es Galicia
ES-GA pt Galiza
ES-GA de Galicien
ES-PV es País Vasco | Euskadi
ES-PV pt País Basco
ES-PV de Baskenland
ES-VC es Comunidad Valenciana | Comunitat Valenciana
ES-VC pt Comunidade Valenciana
ES-VC de Valencianische Gemeinschaft
ES-MD es Comunidad de Madrid
ES-MD pt Comunidade de Madrid
ES-MD de Autonome Gemeinschaft Madrid
ES-MC es Región de Murcia
ES-MC pt Região de Múrcia
ES-NC es Comunidad Foral de Navarra | Navarra
ES-NC pt Navarra
ES-NC de Navarra
ES-IB es Islas Baleares | Baleares
ES-IB pt Ilhas Baleares
ES-IB de Balearen | Balearische Inseln
ES-CN es Canarias | Islas Canarias
ES-CN pt Ilhas Canárias | Canárias
ES-CN de Kanarische Inseln | Kanaren
ES-CN en Canary Islands
ES-AS es Asturias | Principado de Asturias
ES-RI es La Rioja
PT-20 en Azores
PT-20 es Azores
PT-20 pt Açores
PT-20 de Azoren
PT-30 en Madeira
PT-30 pt Madeira
IT-25 es Lombardía
IT-25 pt Lombardia
IT-25 de Lombardei
IT-52 es Toscana
IT-52 pt Toscana
IT-52 de Toskana
IT-82 es Sicilia
IT-82 pt Sicília
IT-82 de Sizilien
IT-88 es Cerdeña
IT-88 pt Sardenha
IT-88 de Sardinien
IT-21 es Piamonte
IT-21 pt Piemonte
IT-21 de Piemont
IT-62 es Lacio
IT-62 pt Lácio
IT-62 de Latium
FR-BRE es Bretaña
FR-BRE pt Bretanha
FR-BRE de Bretagne
FR-NOR es Normandía
FR-NOR pt Normandia
FR-NOR de Normandie
FR-20R es Córcega
FR-20R pt Córsega
FR-20R de Korsika
FR-6AE es Alsacia
FR-6AE pt Alsácia
FR-6AE de Elsass
BE-VLG es Flandes
BE-VLG pt Flandres
BE-VLG de Flandern
BE-WAL es Valonia
BE-WAL pt Valónia
AU-NSW es Nueva Gales del Sur
AU-NSW pt Nova Gales do Sul
CN-XZ es Tíbet
CN-XZ pt Tibete
UA-43 es Crimea
UA-43 pt Crimeia
UA-43 de Krim
BR-RJ es Río de Janeiro
MX-CMX es Ciudad de México
AT-7 de Tirol
AT-2 de Kärnten
AT-6 de Steiermark
"""
"""Names of regions in the four languages where packages have none; the first is shown."""
