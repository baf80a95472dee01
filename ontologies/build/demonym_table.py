"""What the people of each country, region and part of the world are called, written by hand."""

from __future__ import annotations

from typing import Final

COUNTRIES: Final = """
AD 039 | Andorran | andorrano | andorrano | andorranisch | Andorraner
AE 145 | Emirati, Emirian | emiratí | emiradense, emirático | emiratisch | Emirater
AF 034 | Afghan, Afghani | afgano | afegão | afghanisch | Afghane
AG 029 | Antiguan, Barbudan | antiguano | antiguano | antiguanisch | Antiguaner
AI 029 | Anguillan | anguilense | anguilano | anguillanisch | Anguillaner
AL 039 | Albanian | albanés | albanês | albanisch | Albaner
AM 145 | Armenian | armenio | armênio, arménio | armenisch | Armenier
AO 017 | Angolan | angoleño, angolano | angolano | angolanisch | Angolaner
AR 005 | Argentine, Argentinian, Argentinean | argentino | argentino | argentinisch | Argentinier
AS 061 | American Samoan | samoano americano | samoano americano | amerikanisch-samoanisch | Amerikanisch-Samoaner
AT 155 | Austrian | austriaco, austríaco | austríaco | österreichisch | Österreicher
AU 053 | Australian, Aussie | australiano | australiano | australisch | Australier
AW 029 | Aruban | arubeño | arubano | arubanisch | Arubaner
AZ 145 | Azerbaijani, Azeri | azerbaiyano, azerí | azerbaijano, azeri | aserbaidschanisch | Aserbaidschaner
BA 039 | Bosnian, Herzegovinian | bosnio, bosnioherzegovino | bósnio | bosnisch, bosnisch-herzegowinisch | Bosnier
BB 029 | Barbadian, Bajan | barbadense | barbadiano | barbadisch | Barbadier
BD 034 | Bangladeshi | bangladesí | bangladeshiano | bangladeschisch | Bangladescher
BE 155 | Belgian | belga | belga | belgisch | Belgier
BF 011 | Burkinabe, Burkinabé, Burkinese | burkinés | burquinês, burquinabê | burkinisch | Burkiner
BG 151 | Bulgarian | búlgaro | búlgaro | bulgarisch | Bulgare
BH 145 | Bahraini | bareiní | bareinita | bahrainisch | Bahrainer
BI 014 | Burundian | burundés | burundinês, burundiano | burundisch | Burundier
BJ 011 | Beninese | beninés | beninense | beninisch | Beniner
BM 021 | Bermudian, Bermudan | bermudeño | bermudense | bermudisch | Bermuder
BN 035 | Bruneian | bruneano | bruneano | bruneiisch | Bruneier
BO 005 | Bolivian | boliviano | boliviano | bolivianisch | Bolivianer
BR 005 | Brazilian | brasileño, brasilero | brasileiro | brasilianisch | Brasilianer
BS 029 | Bahamian | bahameño | baamiano, bahamense | bahamaisch | Bahamaer
BT 034 | Bhutanese | butanés | butanês, butanense | bhutanisch | Bhutaner
BW 018 | Botswanan, Motswana, Batswana | botsuano | botsuano | botsuanisch | Botsuaner
BY 151 | Belarusian, Belarussian, Byelorussian | bielorruso | bielorrusso | belarussisch, weißrussisch, belarusisch \
| Belarusse, Weißrusse
BZ 013 | Belizean | beliceño | belizenho | belizisch | Belizer
CA 021 | Canadian | canadiense | canadense, canadiano | kanadisch | Kanadier
CD 017 | Congolese | congoleño, congolés | congolês | kongolesisch | Kongolese
CF 017 | Central African | centroafricano | centro-africano | zentralafrikanisch | Zentralafrikaner
CG 017 | Congolese | congoleño, congolés | congolês | kongolesisch | Kongolese
CH 155 | Swiss | suizo | suíço | schweizerisch, Schweizer | Schweizer
CI 011 | Ivorian | marfileño | marfinense | ivorisch | Ivorer
CK 061 | Cook Islander | cookiano | cookense | cookinsulanisch | Cookinsulaner
CL 005 | Chilean | chileno | chileno | chilenisch | Chilene
CM 017 | Cameroonian | camerunés | camaronês | kamerunisch | Kameruner
CN 030 | Chinese | chino | chinês | chinesisch | Chinese
CO 005 | Colombian | colombiano | colombiano | kolumbianisch | Kolumbianer
CR 013 | Costa Rican | costarricense | costa-riquenho, costarriquenho, costa-ricense | costa-ricanisch | Costa-Ricaner
CU 029 | Cuban | cubano | cubano | kubanisch | Kubaner
CV 011 | Cape Verdean, Cabo Verdean | caboverdiano | cabo-verdiano | kapverdisch | Kapverdier
CW 029 | Curaçaoan | curazoleño | curaçauense | curaçaoisch | Curaçaoer
CY 145 | Cypriot | chipriota | cipriota | zypriotisch, zyprisch | Zypriot, Zyprer
CZ 151 | Czech | checo | checo, tcheco | tschechisch | Tscheche
DE 155 | German | alemán | alemão | deutsch, bundesdeutsch | Deutsche, Deutscher
DJ 014 | Djiboutian | yibutiano | djibutiano | dschibutisch | Dschibutier
DK 154 | Danish, Dane | danés | dinamarquês | dänisch | Däne
DM 029 | Dominican | dominiqués | dominiquense | dominicanisch | Dominicaner
DO 029 | Dominican | dominicano | dominicano | dominikanisch | Dominikaner
DZ 015 | Algerian | argelino | argelino | algerisch | Algerier
EC 005 | Ecuadorian, Ecuadorean | ecuatoriano | equatoriano | ecuadorianisch | Ecuadorianer
EE 154 | Estonian | estonio | estoniano, estónio, estônio | estnisch | Este
EG 015 | Egyptian | egipcio | egípcio, egipcio | ägyptisch | Ägypter
EH 015 | Sahrawi, Western Saharan | saharaui | saaraui | sahrauisch | Sahraui
ER 014 | Eritrean | eritreo | eritreu | eritreisch | Eritreer
ES 039 | Spanish, Spaniard | español | espanhol | spanisch | Spanier
ET 014 | Ethiopian | etíope | etíope | äthiopisch | Äthiopier
FI 154 | Finnish, Finn | finlandés, finés | finlandês | finnisch | Finne
FJ 054 | Fijian | fiyiano | fijiano | fidschianisch | Fidschianer
FK 005 | Falkland Islander | malvinense | malvinense | falkländisch | Falkländer
FM 057 | Micronesian | micronesio | micronésio | mikronesisch | Mikronesier
FO 154 | Faroese | feroés | feroês | färöisch | Färinger
FR 155 | French, Frenchman, Frenchwoman | francés | francês | französisch | Franzose, Französin
GA 017 | Gabonese | gabonés | gabonês | gabunisch | Gabuner
GB 154 | British, Briton, Brit | británico | britânico | britisch | Brite
GD 029 | Grenadian | granadino | granadino | grenadisch | Grenader
GE 145 | Georgian | georgiano | georgiano | georgisch | Georgier
GF 005 | French Guianan, French Guianese | francoguayanés | franco-guianense | französisch-guayanisch | \
Französisch-Guayaner
GG 154 | Guernseyman, Guernseywoman | guerneseyés |  |  |
GH 011 | Ghanaian | ghanés | ganês, ganense | ghanaisch | Ghanaer
GI 039 | Gibraltarian | gibraltareño | gibraltino | gibraltarisch | Gibraltarer
GL 021 | Greenlandic, Greenlander | groenlandés | groenlandês | grönländisch | Grönländer
GM 011 | Gambian | gambiano | gambiano | gambisch | Gambier
GN 011 | Guinean | guineano | guineano | guineisch | Guineer
GP 029 | Guadeloupean | guadalupeño | guadalupense | guadeloupisch | Guadeloupianer
GQ 017 | Equatorial Guinean, Equatoguinean | ecuatoguineano | guinéu-equatoriano | äquatorialguineisch | \
Äquatorialguineer
GR 039 | Greek, Hellenic | griego, helénico | grego, helênico | griechisch | Grieche
GT 013 | Guatemalan | guatemalteco | guatemalteco | guatemaltekisch | Guatemalteke
GU 057 | Guamanian | guameño | guamês | guamisch | Guamer
GW 011 | Bissau-Guinean | guineano de Bisáu | guineense, bissau-guineense | bissau-guineisch | Guinea-Bissauer
GY 005 | Guyanese | guyanés | guianense | guyanisch | Guyaner
HK 030 | Hong Konger, Hongkonger | hongkonés | honconguês | Hongkonger | Hongkonger
HN 013 | Honduran | hondureño | hondurenho | honduranisch | Honduraner
HR 039 | Croatian, Croat | croata | croata | kroatisch | Kroate
HT 029 | Haitian | haitiano | haitiano | haitianisch | Haitianer
HU 151 | Hungarian, Magyar | húngaro, magiar | húngaro, magiar | ungarisch, magyarisch | Ungar
ID 035 | Indonesian | indonesio | indonésio | indonesisch | Indonesier
IE 154 | Irish, Irishman, Irishwoman | irlandés | irlandês | irisch | Ire, Irin
IL 145 | Israeli | israelí | israelense, israelita | israelisch | Israeli
IM 154 | Manx, Manxman, Manxwoman | manés | manês | manx |
IN 034 | Indian | indio | indiano | indisch | Inder
IQ 145 | Iraqi | iraquí | iraquiano | irakisch | Iraker
IR 034 | Iranian, Persian | iraní, persa | iraniano, persa | iranisch, persisch | Iraner, Perser
IS 154 | Icelandic, Icelander | islandés | islandês | isländisch | Isländer
IT 039 | Italian | italiano | italiano | italienisch | Italiener
JE 154 | Jerseyman, Jerseywoman | jerseyés |  |  |
JM 029 | Jamaican | jamaicano, jamaiquino | jamaicano | jamaikanisch | Jamaikaner
JO 145 | Jordanian | jordano | jordaniano, jordano | jordanisch | Jordanier
JP 030 | Japanese | japonés, nipón | japonês, nipônico, nipónico | japanisch | Japaner
KE 014 | Kenyan | keniano, keniata | queniano | kenianisch | Kenianer
KG 143 | Kyrgyz, Kyrgyzstani, Kirghiz | kirguís | quirguiz | kirgisisch | Kirgise
KH 035 | Cambodian | camboyano | cambojano | kambodschanisch | Kambodschaner
KI 057 | I-Kiribati | kiribatiano | quiribatiano | kiribatisch | Kiribatier
KM 014 | Comorian, Comoran | comorense, comorano | comorense, comoriano | komorisch | Komorer
KN 029 | Kittitian, Nevisian | sancristobaleño | são-cristovense |  |
KP 030 | North Korean | norcoreano | norte-coreano | nordkoreanisch | Nordkoreaner
KR 030 | South Korean | surcoreano | sul-coreano | südkoreanisch | Südkoreaner
KW 145 | Kuwaiti | kuwaití | kuwaitiano | kuwaitisch | Kuwaiter
KY 029 | Caymanian | caimanés | caimanês | kaimanisch | Kaimaner
KZ 143 | Kazakh, Kazakhstani | kazajo, kazako | cazaque | kasachisch | Kasache
LA 035 | Laotian, Lao | laosiano | laosiano, laociano | laotisch | Laote
LB 145 | Lebanese | libanés | libanês | libanesisch | Libanese
LC 029 | Saint Lucian, St. Lucian | santalucense | santa-lucense | lucianisch | Lucianer
LI 155 | Liechtensteiner | liechtensteiniano | liechtensteinense | liechtensteinisch | Liechtensteiner
LK 034 | Sri Lankan | esrilanqués, ceilanés | cingalês | sri-lankisch | Sri-Lanker
LR 011 | Liberian | liberiano | liberiano | liberianisch | Liberianer
LS 018 | Basotho, Mosotho | lesotense | lesotiano | lesothisch | Lesother
LT 154 | Lithuanian | lituano | lituano | litauisch | Litauer
LU 155 | Luxembourgish, Luxembourger, Luxembourgian | luxemburgués | luxemburguês | luxemburgisch | Luxemburger
LV 154 | Latvian | letón | letão, leto | lettisch | Lette
LY 015 | Libyan | libio | líbio | libysch | Libyer
MA 015 | Moroccan | marroquí | marroquino | marokkanisch | Marokkaner
MC 155 | Monegasque, Monacan | monegasco | monegasco | monegassisch | Monegasse
MD 151 | Moldovan, Moldavian | moldavo | moldavo, moldávio | moldauisch, moldawisch | Moldauer, Moldawier
ME 039 | Montenegrin | montenegrino | montenegrino | montenegrinisch | Montenegriner
MG 014 | Malagasy, Madagascan | malgache | malgaxe | madagassisch | Madagasse
MH 057 | Marshallese | marshalés | marshallino | marshallisch | Marshaller
MK 039 | North Macedonian, Macedonian | macedonio, normacedonio | macedônio, macedónio, norte-macedônio | \
mazedonisch, nordmazedonisch | Mazedonier, Nordmazedonier
ML 011 | Malian | maliense, malí | malinês, maliano | malisch | Malier
MM 035 | Burmese, Myanma | birmano | birmanês, mianmarense | burmesisch, birmanisch, myanmarisch | Burmese, \
Birmane, Myanmare
MN 030 | Mongolian | mongol | mongol | mongolisch | Mongole
MO 030 | Macanese | macaense | macaense | macauisch | Macauer
MQ 029 | Martinican, Martiniquais | martiniqués | martinicano | martinikanisch | Martinikaner
MR 011 | Mauritanian | mauritano | mauritano | mauretanisch | Mauretanier
MT 039 | Maltese | maltés | maltês | maltesisch | Malteser
MU 014 | Mauritian | mauriciano | mauriciano | mauritisch | Mauritier
MV 034 | Maldivian | maldivo | maldivo, maldívio | maledivisch | Malediver
MW 014 | Malawian | malauí | malauiano | malawisch | Malawier
MX 013 | Mexican | mexicano, mejicano | mexicano | mexikanisch | Mexikaner
MY 035 | Malaysian | malasio | malaio, malásio | malaysisch | Malaysier
MZ 014 | Mozambican | mozambiqueño | moçambicano | mosambikanisch | Mosambikaner
NA 018 | Namibian | namibio | namibiano | namibisch | Namibier
NC 054 | New Caledonian | neocaledonio | neocaledónio | neukaledonisch | Neukaledonier
NE 011 | Nigerien | nigerino | nigerino | nigrisch | Nigrer
NG 011 | Nigerian | nigeriano | nigeriano | nigerianisch | Nigerianer
NI 013 | Nicaraguan | nicaragüense | nicaraguense | nicaraguanisch | Nicaraguaner
NL 155 | Dutch, Dutchman, Dutchwoman, Netherlander | neerlandés, holandés | neerlandês, holandês | niederländisch, \
holländisch | Niederländer, Holländer
NO 154 | Norwegian | noruego | norueguês | norwegisch | Norweger
NP 034 | Nepalese, Nepali | nepalí, nepalés | nepalês | nepalesisch | Nepalese
NR 057 | Nauruan | nauruano | nauruano | nauruisch | Nauruer
NU 061 | Niuean | niueano | niueano | niueanisch | Niueaner
NZ 053 | New Zealand, New Zealander, Kiwi | neozelandés | neozelandês | neuseeländisch | Neuseeländer
OM 145 | Omani | omaní | omanense | omanisch | Omaner
PA 013 | Panamanian | panameño | panamenho | panamaisch | Panamaer
PE 005 | Peruvian | peruano | peruano | peruanisch | Peruaner
PF 061 | French Polynesian | francopolinesio | franco-polinésio | französisch-polynesisch | Französisch-Polynesier
PG 054 | Papua New Guinean, Papuan | papú, papúa | papua, papuásio | papua-neuguineisch | Papua-Neuguineer
PH 035 | Philippine, Filipino, Filipina | filipino | filipino | philippinisch | Philippiner, Filipino
PK 034 | Pakistani | pakistaní, paquistaní | paquistanês | pakistanisch | Pakistaner, Pakistani
PL 151 | Polish, Pole | polaco | polonês, polaco | polnisch | Pole
PR 029 | Puerto Rican | puertorriqueño, boricua | porto-riquenho | puerto-ricanisch | Puerto-Ricaner
PS 145 | Palestinian | palestino | palestino, palestiniano | palästinensisch | Palästinenser
PT 039 | Portuguese | portugués, luso | português, luso, lusitano | portugiesisch | Portugiese
PW 057 | Palauan | palauano | palauano | palauisch | Palauer
PY 005 | Paraguayan | paraguayo | paraguaio | paraguayisch | Paraguayer
QA 145 | Qatari | catarí, qatarí | catariano, catarense | katarisch | Katarer
RE 014 | Réunionese | reunionés | reunionense | réunionesisch | Réunioner
RO 151 | Romanian, Rumanian | rumano | romeno | rumänisch | Rumäne
RS 039 | Serbian, Serb | serbio | sérvio | serbisch | Serbe
RU 151 | Russian | ruso | russo | russisch | Russe
RW 014 | Rwandan | ruandés | ruandês | ruandisch | Ruander
SA 145 | Saudi, Saudi Arabian | saudí, saudita | saudita | saudisch, saudi-arabisch | Saudi, Saudi-Araber
SB 054 | Solomon Islander | salomonense | salomônico | salomonisch | Salomoner
SC 014 | Seychellois | seychellense | seichelense | seychellisch | Seycheller
SD 015 | Sudanese | sudanés | sudanês | sudanesisch | Sudanese
SE 154 | Swedish, Swede | sueco | sueco | schwedisch | Schwede
SG 035 | Singaporean | singapurense | singapurense, cingapuriano | singapurisch | Singapurer
SI 039 | Slovenian, Slovene | esloveno | esloveno | slowenisch | Slowene
SK 151 | Slovak, Slovakian | eslovaco | eslovaco | slowakisch | Slowake
SL 011 | Sierra Leonean | sierraleonés | serra-leonês | sierra-leonisch | Sierra-Leoner
SM 039 | Sammarinese, San Marinese | sanmarinense | são-marinhense | san-marinesisch | San-Marinese
SN 011 | Senegalese | senegalés | senegalês | senegalesisch | Senegalese
SO 014 | Somali, Somalian | somalí | somali, somaliano | somalisch | Somalier
SR 005 | Surinamese | surinamés | surinamês | surinamisch | Surinamer
SS 014 | South Sudanese | sursudanés | sul-sudanês | südsudanesisch | Südsudanese
ST 017 | São Toméan, Santomean | santotomense | são-tomense | são-toméisch | São-Toméer
SV 013 | Salvadoran, Salvadorian | salvadoreño | salvadorenho | salvadorianisch | Salvadorianer
SY 145 | Syrian | sirio | sírio | syrisch | Syrer
SZ 018 | Swazi, Eswatini | suazi | suazi | swasiländisch, eswatinisch | Swasi
TD 017 | Chadian | chadiano | chadiano | tschadisch | Tschader
TG 011 | Togolese | togolés | togolês | togoisch | Togoer
TH 035 | Thai | tailandés | tailandês | thailändisch | Thailänder
TJ 143 | Tajik, Tajikistani | tayiko | tajique, tadjique | tadschikisch | Tadschike
TL 035 | Timorese, East Timorese | timorense | timorense | osttimoresisch, timoresisch | Osttimorese
TM 143 | Turkmen | turcomano, turkmeno | turcomeno, turquemeno | turkmenisch | Turkmene
TN 015 | Tunisian | tunecino | tunisiano, tunisino | tunesisch | Tunesier
TO 061 | Tongan | tongano | tonganês | tongaisch | Tongaer
TR 145 | Turkish, Turk | turco | turco | türkisch | Türke
TT 029 | Trinidadian, Tobagonian | trinitense | trinitário, trinitino | trinidadisch | Trinidader
TV 061 | Tuvaluan | tuvaluano | tuvaluano | tuvaluisch | Tuvaluer
TW 030 | Taiwanese | taiwanés | taiwanês | taiwanisch | Taiwaner
TZ 014 | Tanzanian | tanzano | tanzaniano | tansanisch | Tansanier
UA 151 | Ukrainian | ucraniano | ucraniano | ukrainisch | Ukrainer
UG 014 | Ugandan | ugandés | ugandês, ugandense | ugandisch | Ugander
US 021 | American, US American | estadounidense, norteamericano | americano, norte-americano, \
estadunidense, estado-unidense, estadounidense | amerikanisch, US-amerikanisch | Amerikaner, US-Amerikaner
UY 005 | Uruguayan | uruguayo | uruguaio | uruguayisch | Uruguayer
UZ 143 | Uzbek, Uzbekistani | uzbeko | uzbeque, usbeque | usbekisch | Usbeke
VA 039 | Vatican | vaticano | vaticano | vatikanisch |
VC 029 | Vincentian | sanvicentino | são-vicentino | vincentisch | Vincenter
VE 005 | Venezuelan | venezolano | venezuelano | venezolanisch | Venezolaner
VN 035 | Vietnamese | vietnamita | vietnamita | vietnamesisch | Vietnamese
VU 054 | Ni-Vanuatu, Vanuatuan | vanuatuense | vanuatuano | vanuatuisch | Vanuatuer
WS 061 | Samoan | samoano | samoano | samoanisch | Samoaner
XK 039 | Kosovar, Kosovan | kosovar | kosovar | kosovarisch | Kosovare
YE 145 | Yemeni, Yemenite | yemení | iemenita | jemenitisch | Jemenit
ZA 018 | South African | sudafricano | sul-africano | südafrikanisch | Südafrikaner
ZM 014 | Zambian | zambiano | zambiano | sambisch | Sambier
ZW 014 | Zimbabwean | zimbabuense | zimbabuano, zimbabueano | simbabwisch | Simbabwer
"""
"""Code, part of the world | English | Spanish | Portuguese | German adjectives | German nouns; the first is shown."""

PARTS: Final = """
002 - | African | africano | africano | afrikanisch | Afrikaner
142 - | Asian | asiático | asiático | asiatisch | Asiate
150 - | European | europeo | europeu | europäisch | Europäer
009 - | Oceanian | oceánico | oceânico, oceaniano | ozeanisch | Ozeanier
003 - | North American | norteamericano | norte-americano | nordamerikanisch | Nordamerikaner
419 - | Latin American | latinoamericano, iberoamericano, hispanoamericano | latino-americano, ibero-americano | \
lateinamerikanisch | Lateinamerikaner
005 419 | South American | sudamericano, suramericano | sul-americano | südamerikanisch | Südamerikaner
013 419 003 | Central American | centroamericano | centro-americano | zentralamerikanisch, mittelamerikanisch | \
Zentralamerikaner, Mittelamerikaner
029 - | Caribbean | caribeño | caribenho | karibisch |
011 002 | West African | africano occidental | oeste-africano | westafrikanisch | Westafrikaner
014 002 | East African | africano oriental | leste-africano | ostafrikanisch | Ostafrikaner
015 002 | North African | norteafricano | norte-africano | nordafrikanisch | Nordafrikaner
017 002 | Central African | centroafricano | centro-africano | zentralafrikanisch | Zentralafrikaner
018 002 | Southern African | africano austral | sul-africano | südafrikanisch |
030 142 | East Asian | asiático oriental | leste-asiático | ostasiatisch | Ostasiate
034 142 | South Asian | surasiático | sul-asiático | südasiatisch | Südasiate
035 142 | Southeast Asian | sudesteasiático | sudeste-asiático | südostasiatisch | Südostasiate
143 142 | Central Asian | centroasiático | centro-asiático | zentralasiatisch | Zentralasiate
145 142 | West Asian, Western Asian | asiático occidental | oeste-asiático | westasiatisch | Westasiate
039 150 | Southern European | europeo meridional | sul-europeu | südeuropäisch | Südeuropäer
151 150 | Eastern European | europeo oriental | leste-europeu | osteuropäisch | Osteuropäer
154 150 | Northern European | europeo septentrional | norte-europeu | nordeuropäisch | Nordeuropäer
155 150 | Western European | europeo occidental | oeste-europeu | westeuropäisch | Westeuropäer
053 009 | Australasian | australasiático | australasiático | australasiatisch |
054 009 | Melanesian | melanesio | melanésio | melanesisch | Melanesier
057 009 | Micronesian | micronesio | micronésio | mikronesisch | Mikronesier
061 009 | Polynesian | polinesio | polinésio | polynesisch | Polynesier
"""
"""The same for the parts of the world, with the ones above them."""

OTHERS: Final = """
GB-ENG iso:GB GB | English, Englishman, Englishwoman | inglés | inglês | englisch | Engländer
GB-SCT iso:GB GB | Scottish, Scot, Scots, Scotsman, Scotswoman | escocés | escocês | schottisch | Schotte
GB-WLS iso:GB GB | Welsh, Welshman, Welshwoman | galés | galês | walisisch | Waliser
GB-NIR iso:GB 154 | Northern Irish | norirlandés | norte-irlandês | nordirisch | Nordire
ES-CT iso:ES 039 | Catalan, Catalonian | catalán | catalão | katalanisch | Katalane
ES-GA iso:ES 039 | Galician | gallego | galego | galicisch | Galicier
ES-AN iso:ES ES | Andalusian | andaluz, andaluza | andaluz | andalusisch | Andalusier
ES-AS iso:ES ES | Asturian | asturiano | asturiano | asturisch | Asturier
ES-AR iso:ES ES | Aragonese | aragonés | aragonês | aragonesisch | Aragonier
ES-VC iso:ES ES | Valencian | valenciano | valenciano | valencianisch | Valencianer
ES-CN iso:ES ES | Canarian | canario | canário, canarino | kanarisch | Kanarier
ES-EX iso:ES ES | Extremaduran | extremeño | estremenho | extremadurisch |
ES-MD iso:ES ES | Madrilenian | madrileño | madrilenho | |
FR-BRE iso:FR 155 | Breton | bretón | bretão | bretonisch | Bretone
FR-20R iso:FR 155 | Corsican | corso | corso | korsisch | Korse
IT-82 iso:IT IT | Sicilian | siciliano | siciliano | sizilianisch | Sizilianer
IT-88 iso:IT IT | Sardinian | sardo | sardo | sardisch | Sarde
IT-52 iso:IT IT | Tuscan | toscano | toscano | toskanisch | Toskaner
IT-25 iso:IT IT | Lombard | lombardo | lombardo | lombardisch | Lombarde
BE-VLG iso:BE BE | Flemish, Fleming | flamenco | flamengo | flämisch | Flame
BE-WAL iso:BE BE | Walloon | valón | valão | wallonisch | Wallone
DE-BY iso:DE DE | Bavarian | bávaro | bávaro | bayerisch, bairisch | Bayer
DE-SN iso:DE DE | Saxon | sajón | saxão | sächsisch | Sachse
DE-HE iso:DE DE | Hessian | hessiano | hessiano | hessisch | Hesse
DE-TH iso:DE DE | Thuringian | turingio | turíngio | thüringisch | Thüringer
DE-SL iso:DE DE | Saarlander | sarrense | | saarländisch | Saarländer
DE-BB iso:DE DE | Brandenburger | brandeburgués | brandemburguês | brandenburgisch | Brandenburger
AT-7 iso:AT 155 | Tyrolean, Tyrolese | tirolés | tirolês | tirolerisch | Tiroler
AT-6 iso:AT AT | Styrian | estirio | estírio | steirisch | Steirer
AT-2 iso:AT AT | Carinthian | carintio | caríntio | kärntnerisch | Kärntner
US-CA iso:US US | Californian | californiano | californiano | kalifornisch | Kalifornier
US-TX iso:US US | Texan | texano | texano | texanisch | Texaner
US-HI iso:US - | Hawaiian | hawaiano | havaiano | hawaiianisch | Hawaiianer
US-AK iso:US US | Alaskan | alasqueño | alasquiano | |
US-FL iso:US US | Floridian | floridano | floridiano | |
CA-QC iso:CA CA | Quebecois, Québécois, Quebecer | quebequés | quebequense | |
CN-XZ iso:CN 142 | Tibetan | tibetano | tibetano | tibetisch | Tibeter
BR-SP iso:BR BR | | | paulista | |
BR-MG iso:BR BR | | | mineiro | |
BR-RS iso:BR BR | | | gaúcho | |
BR-BA iso:BR BR | | bahiano | baiano | |
BR-PE iso:BR BR | | pernambucano | pernambucano | |
BR-CE iso:BR BR | | | cearense | |
BR-PA iso:BR BR | | | paraense | |
BR-PR iso:BR BR | | | paranaense | |
BR-SC iso:BR BR | | | catarinense | |
PT-20 iso:PT PT | Azorean | azoriano | açoriano, açorense | azorisch |
PT-30 iso:PT PT | Madeiran | madeirense | madeirense | madeirisch |
"""
"""The same for regions: their code, the country they are in, and which people they are a part of."""

PEOPLES: Final = """
basque 150 | Basque | vasco | basco | baskisch | Baske
kurdish 145 | Kurdish, Kurd | kurdo | curdo | kurdisch | Kurde
arab - | Arab, Arabian | árabe | árabe | arabisch | Araber
scandinavian 154 | Scandinavian, Nordic | escandinavo, nórdico | escandinavo, nórdico | skandinavisch, nordisch | \
Skandinavier
baltic 154 | Baltic | báltico | báltico | baltisch | Balte
balkan 150 | Balkan | balcánico | balcânico | balkanisch |
iberian 039 | Iberian | ibérico | ibérico | iberisch | Iberer
korean 030 | Korean | coreano | coreano | koreanisch | Koreaner
bosniak 150 | Bosniak, Bosniac | bosniaco | bosníaco | bosniakisch | Bosniake
sovietic - | Soviet | soviético | soviético | sowjetisch | Sowjetbürger
yugoslav 150 | Yugoslav, Yugoslavian | yugoslavo | iugoslavo, jugoslavo | jugoslawisch | Jugoslawe
czechoslovak 151 | Czechoslovak, Czechoslovakian | checoslovaco | checoslovaco, tchecoslovaco | tschechoslowakisch \
| Tschechoslowake
eastgerman DE | East German | alemán oriental, germanooriental | alemão oriental | ostdeutsch | Ostdeutsche
westgerman DE | West German | alemán occidental, germanooccidental | alemão ocidental | westdeutsch | Westdeutsche
prussian 150 | Prussian | prusiano | prussiano | preußisch | Preuße
bengali 034 | Bengali | bengalí | bengali, bengalês | bengalisch | Bengale
punjabi 034 | Punjabi | panyabí | punjabi | | Punjabi
tamil 034 | Tamil | tamil | tâmil | tamilisch | Tamile
chechen 150 | Chechen | checheno | checheno | tschetschenisch | Tschetschene
crimeantatar 151 | Crimean Tatar | tártaro de Crimea | tártaro da Crimeia | krimtatarisch | Krimtatar
malay 035 | Malay | malayo | | malaiisch | Malaie
maori 009 | Maori, Māori | maorí | maori | | Maori
silesian 150 | Silesian | silesio | silesiano | schlesisch | Schlesier
bohemian 151 | Bohemian | bohemio | boêmio, boémio | böhmisch | Böhme
moravian 151 | Moravian | moravo | morávio | mährisch |
southtyrolean 039 | South Tyrolean | surtirolés | sul-tirolês | südtirolerisch | Südtiroler
"""
"""Peoples that are of no one country of today, and of which others they are a part."""

TOWNSPEOPLE: Final = """
2643743 GB | Londoner | londinense | londrino | Londoner
2988507 FR | Parisian | parisino, parisiense | parisiense | Pariser
2950159 DE | Berliner | berlinés | berlinense | Berliner
2761369 AT | Viennese | vienés | vienense | Wiener
3169070 IT | Roman | romano | romano | Römer
3164603 IT | Venetian | veneciano | veneziano | Venezianer
3176959 IT | Florentine | florentino | florentino | Florentiner
3172394 IT | Neapolitan | napolitano | napolitano | Neapolitaner
524901 RU | Muscovite | moscovita | moscovita | Moskauer
5128581 US | New Yorker | neoyorquino | nova-iorquino | New Yorker
264371 GR | Athenian | ateniense | ateniense | Athener
2964574 IE | Dubliner | dublinés | dublinense | Dubliner
2911298 DE | Hamburger | hamburgués | hamburguês | Hamburger
2867714 DE | Municher | muniqués | muniquense | Münchner, Münchener
2267057 PT | Lisboner | lisboeta | lisboeta, alfacinha | Lissabonner
2735943 PT | | portuense | portuense, tripeiro |
3117735 ES | | madrileño | madrilenho | Madrilene
3128760 ES | Barcelonian | barcelonés | barcelonês |
2510911 ES | Sevillian | sevillano | sevilhano |
3104324 ES | | zaragozano | saragoçano |
3451190 BR | | carioca | carioca |
3448439 BR | | | paulistano |
3435910 AR | Porteño | porteño, bonaerense | portenho |
3936456 PE | | limeño | limenho |
3688689 CO | | bogotano | bogotano |
3646738 VE | | caraqueño | caraquenho |
3553478 CU | | habanero | havanês |
3871336 CL | | santiaguino | santiaguino |
"""
"""What the people of a town are called, by the number of GeoNames and the country."""
