"""The table of national identity, tax, social-security and health numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class NationalNumber:
    """A row of the table: `pattern` is for the number without separators, in capitals."""

    kind: str
    stdnum_module: str | None
    pattern: str
    context_phrases: str
    standalone_shapes: str = ""
    """Written shapes that need no context: 9 is a digit, A a capital; separated by bars."""


IDENTITY_PHRASES: Final = (
    "national id|national identity|national identification|identity number|identity card|identity document"
    "|id card|id number"
    "|id no|personal identification|personal number|personal id|documento de identidad|documento nacional"
    "|número de identidad"
    "|cédula|cedula|carnet de identidad|identificación|documento de identidade|bilhete de identidade"
    "|identificação"
    "|número de identificação|ausweis|personalausweis|ausweisnummer|ausweisnr|personennummer"
    "|identitätsnummer|identifikationsnummer"
)
TAX_PHRASES: Final = (
    "tax id|tax number|tax no|tax identification|taxpayer|tax file|tax code|vat|vat no|vat number|vat id"
    "|tin|número fiscal"
    "|identificación fiscal|contribuyente|impuestos|número de contribuinte|contribuinte|identificação"
    " fiscal|steuernummer"
    "|steuer id|steuerid|steueridentifikationsnummer|steuernr|ust idnr|ustid|ust id|umsatzsteuer"
)
SOCIAL_SECURITY_PHRASES: Final = (
    "social security|social insurance|national insurance|seguridad social|número de afiliación|segurança"
    " social"
    "|sozialversicherung|sozialversicherungsnummer|versicherungsnummer|sv nummer|sécurité sociale"
)
HEALTH_PHRASES: Final = (
    "health number|health card|health id|health care number|tarjeta sanitaria|número sanitario|cartão de"
    " saúde"
    "|número de utente|krankenversicherung|krankenversichertennummer|versichertennummer|krankenkasse"
)
FAMILY_PHRASES: Final = {
    "national-id": IDENTITY_PHRASES,
    "tax-id": TAX_PHRASES,
    "social-security": SOCIAL_SECURITY_PHRASES,
    "health-id": HEALTH_PHRASES,
}

NATIONAL_NUMBERS: Final = (
    # Spain and Portugal
    NationalNumber(
        "national-id.es",
        "es.dni",
        r"[0-9]{8}[A-Z]",
        "dni|nif|d n i",
        "99999999A|99999999-A|99.999.999-A|99.999.999A",
    ),
    NationalNumber(
        "national-id.es",
        "es.nie",
        r"[XYZ][0-9]{7}[A-Z]",
        "nie|extranjero",
        "A9999999A|A-9999999-A|A9999999-A|A-9999999A",
    ),
    NationalNumber("tax-id.es", "es.cif", r"(?:ES)?[ABCDEFGHJNPQRSUVW][0-9]{7}[0-9A-J]", "cif|nif|b"),
    NationalNumber("social-security.es", None, r"[0-9]{11,12}", "nass|naf|nuss|número de la seguridad social|ss"),
    NationalNumber("health-id.es", None, r"[A-Z]{4}[0-9]{10,12}", "cip|cipa|sip|tsi|sns"),
    NationalNumber(
        "national-id.pt",
        "pt.cc",
        r"[0-9]{9}[A-Z]{2}[0-9]",
        "cc|cartão de cidadão|cartão do cidadão|citizen card|bi",
    ),
    NationalNumber("tax-id.pt", "pt.nif", r"(?:PT)?[1235689][0-9]{8}", "nif|contribuinte|nipc|número de contribuinte"),
    NationalNumber("social-security.pt", None, r"[12][0-9]{10}", "niss"),
    NationalNumber("health-id.pt", None, r"[0-9]{9}", "utente|sns|número de utente"),
    # Brazil and Spanish America
    NationalNumber("tax-id.br", "br.cpf", r"[0-9]{11}", "cpf|cadastro de pessoas", "999.999.999-99"),
    NationalNumber("tax-id.br", "br.cnpj", r"[0-9]{14}", "cnpj", "99.999.999/9999-99"),
    NationalNumber("social-security.br", None, r"[0-9]{11}", "pis|pasep|nis|nit|pis pasep"),
    NationalNumber("health-id.br", None, r"[1-9][0-9]{14}", "cns|cartão nacional de saúde|sus|cartão sus"),
    NationalNumber("national-id.br", None, r"[0-9]{7,9}[0-9X]?", "rg|registro geral|carteira de identidade"),
    NationalNumber("tax-id.ar", "ar.cuit", r"[0-9]{11}", "cuit|cuil"),
    NationalNumber("national-id.ar", "ar.dni", r"[0-9]{7,8}", "dni|documento"),
    NationalNumber("national-id.cl", "cl.rut", r"[0-9]{7,8}[0-9K]", "rut|run|r u t"),
    NationalNumber("tax-id.co", "co.nit", r"[0-9]{8,10}", "nit"),
    NationalNumber("national-id.co", None, r"[0-9]{6,10}", "cédula de ciudadanía|cedula de ciudadania"),
    NationalNumber(
        "national-id.mx",
        "mx.curp",
        r"[A-Z]{4}[0-9]{6}[A-Z]{6}[0-9A-Z][0-9]",
        "curp",
        "AAAA999999AAAAAA99|AAAA999999AAAAAAA9",
    ),
    NationalNumber("tax-id.mx", "mx.rfc", r"[A-ZÑ&]{3,4}[0-9]{6}[0-9A-Z]{3}", "rfc"),
    NationalNumber("social-security.mx", None, r"[0-9]{11}", "nss|imss"),
    NationalNumber("national-id.ec", "ec.ci", r"[0-9]{10}", "ci|cédula|cedula"),
    NationalNumber("national-id.pe", "pe.cui", r"[0-9]{8}[0-9A-Z]?", "cui|dni"),
    NationalNumber("tax-id.pe", "pe.ruc", r"[0-9]{11}", "ruc"),
    NationalNumber("tax-id.uy", "uy.rut", r"[0-9]{12}", "rut"),
    NationalNumber("tax-id.ve", "ve.rif", r"[VEJPG][0-9]{9}", "rif"),
    NationalNumber("national-id.do", "do.cedula", r"[0-9]{11}", "cédula|cedula"),
    NationalNumber("national-id.cu", "cu.ni", r"[0-9]{11}", "ni|carné|carnet"),
    NationalNumber("national-id.cr", "cr.cpf", r"[0-9]{9,10}", "cédula|cedula|cpf"),
    # German-speaking countries
    NationalNumber(
        "tax-id.de",
        "de.idnr",
        r"[1-9][0-9]{10}",
        "idnr|steuer id|steuerid|id nr|steuer identifikationsnummer|steuer idnr",
    ),
    NationalNumber("tax-id.de", "de.vat", r"(?:DE)?[0-9]{9}", "ust|ust idnr|ust id nr|ustidnr|ust id|umsatzsteuer id"),
    NationalNumber("tax-id.de", "de.stnr", r"[0-9]{10,13}", "steuernummer|st nr|stnr|steuer nr"),
    NationalNumber(
        "social-security.de",
        None,
        r"[0-9]{8}[A-Z][0-9]{3}",
        "rvnr|sozialversicherungsnummer|rentenversicherungsnummer|sv nummer|svnr",
    ),
    NationalNumber(
        "health-id.de",
        None,
        r"[A-Z][0-9]{9}",
        "kvnr|krankenversichertennummer|versichertennummer|kv nummer|versicherten nr",
    ),
    NationalNumber(
        "national-id.de",
        None,
        r"[CFGHJKLMNPRTVWXYZ0-9]{9}[0-9]?D?",
        "personalausweis|personalausweisnummer|ausweisnummer|ausweisnr",
    ),
    NationalNumber(
        "social-security.at",
        "at.vnr",
        r"[1-9][0-9]{9}",
        "svnr|vnr|vsnr|sv nr|sozialversicherungsnummer|versicherungsnummer",
    ),
    NationalNumber("tax-id.at", "at.tin", r"[0-9]{9}", "abgabenkontonummer|steuernummer"),
    NationalNumber("social-security.ch", "ch.ssn", r"756[0-9]{10}", "ahv|avs|ahv nr|ahvn13|avs nr", "999.9999.9999.99"),
    # English-speaking countries
    NationalNumber("social-security.us", "us.ssn", r"[0-9]{9}", "ssn|social security|soc sec"),
    NationalNumber("tax-id.us", "us.itin", r"9[0-9]{8}", "itin"),
    NationalNumber("tax-id.us", "us.ein", r"[0-9]{9}", "ein|employer identification"),
    NationalNumber("health-id.us", None, r"[1-9][A-Z][A-Z0-9][0-9][A-Z][A-Z0-9][0-9][A-Z]{2}[0-9]{2}", "mbi|medicare"),
    NationalNumber(
        "social-security.gb",
        "",
        r"(?!BG|GB|KN|NK|NT|TN"
        r"|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z][0-9]{6}[A-D]",
        "nino|national insurance|ni number|ni no",
        "AA999999A|AA 99 99 99 A",
    ),
    NationalNumber("health-id.gb", "gb.nhs", r"[0-9]{10}", "nhs"),
    NationalNumber("tax-id.gb", "gb.utr", r"[0-9]{10}", "utr|unique taxpayer"),
    NationalNumber("national-id.gb", "gb.upn", r"[A-Z][0-9]{11}[0-9A-Z]", "upn|pupil"),
    NationalNumber("national-id.ie", "ie.pps", r"[0-9]{7}[A-W][A-IW]?", "pps|ppsn|personal public service"),
    NationalNumber("social-security.ca", "ca.sin", r"[0-9]{9}", "sin|nas"),
    NationalNumber("health-id.ca", "ca.bc_phn", r"9[0-9]{9}", "phn|care card"),
    NationalNumber("tax-id.au", "au.tfn", r"[0-9]{8,9}", "tfn|tax file"),
    NationalNumber("health-id.au", None, r"[2-6][0-9]{9,10}", "medicare"),
    NationalNumber("tax-id.nz", "nz.ird", r"(?:NZ)?[0-9]{8,9}", "ird"),
    NationalNumber("national-id.za", "za.idnr", r"[0-9]{13}", "rsa id|south african id|sa id"),
    # France, Italy, the Low Countries
    NationalNumber(
        "social-security.fr",
        "fr.nir",
        r"[12][0-9]{4}(?:[0-9]{2}|2[AB])[0-9]{8}",
        "nir|insee|sécurité sociale|numéro de sécu|ss",
        "9 99 99 99 999 999 99|9 99 99 9A 999 999 99",
    ),
    NationalNumber("tax-id.fr", "fr.nif", r"[0-3][0-9]{12}", "nif|spi|numéro fiscal|immatriculation fiscale"),
    NationalNumber(
        "tax-id.it",
        "it.codicefiscale",
        r"[A-Z]{6}[0-9LMNPQRSTUV]{2}[ABCDEHLMPRST][0-9LMNPQRSTUV]{2}[A-Z][0-9LMNPQRSTUV]{3}[A-Z]",
        "codice fiscale|cf",
        "AAAAAA99A99A999A",
    ),
    NationalNumber("tax-id.it", "it.iva", r"(?:IT)?[0-9]{11}", "partita iva|piva|p iva|iva"),
    NationalNumber("national-id.nl", "nl.bsn", r"[0-9]{8,9}", "bsn|burgerservicenummer|sofinummer|sofi"),
    NationalNumber(
        "national-id.be",
        "be.nn",
        r"[0-9]{11}",
        "nn|niss|insz|rijksregisternummer|registre national|rrn",
        "99.99.99-999.99|99.99.99-999 99",
    ),
    NationalNumber("tax-id.be", "be.vat", r"(?:BE)?0?[0-9]{9}", "btw|tva|ondernemingsnummer"),
    NationalNumber("tax-id.lu", "lu.tva", r"(?:LU)?[0-9]{8}", "tva"),
    # The North
    NationalNumber(
        "national-id.se",
        "se.personnummer",
        r"(?:[0-9]{2})?[0-9]{10}",
        "personnummer|personnr|pnr|samordningsnummer",
    ),
    NationalNumber(
        "national-id.no",
        "no.fodselsnummer",
        r"[0-9]{11}",
        "fødselsnummer|fodselsnummer|fnr|personnummer|fødselsnr",
    ),
    NationalNumber("national-id.dk", "dk.cpr", r"[0-9]{10}", "cpr|personnummer|cpr nr"),
    NationalNumber(
        "national-id.fi",
        "fi.hetu",
        r"[0-9]{6}A?[0-9]{3}[0-9A-Z]",
        "hetu|henkilötunnus|henkilotunnus",
        "999999-999A|999999A999A",
    ),
    NationalNumber("national-id.is", "is_.kennitala", r"[0-9]{10}", "kennitala|kt"),
    NationalNumber("national-id.ee", "ee.ik", r"[1-6][0-9]{10}", "isikukood|ik"),
    NationalNumber("national-id.lt", "lt.asmens", r"[1-6][0-9]{10}", "asmens kodas|asmens"),
    NationalNumber("national-id.lv", "lv.pvn", r"(?:LV)?[0-9]{11}", "personas kods|pvn"),
    # The East
    NationalNumber("national-id.pl", "pl.pesel", r"[0-9]{11}", "pesel"),
    NationalNumber("tax-id.pl", "pl.nip", r"(?:PL)?[0-9]{10}", "nip"),
    NationalNumber("national-id.cz", "cz.rc", r"[0-9]{9,10}", "rodné číslo|rodne cislo|rč|birth number|rodného čísla"),
    NationalNumber("national-id.ro", "ro.cnp", r"[1-9][0-9]{12}", "cnp|cod numeric"),
    NationalNumber("national-id.bg", "bg.egn", r"[0-9]{10}", "egn|егн"),
    NationalNumber("social-security.gr", "gr.amka", r"[0-9]{11}", "amka|αμκα"),
    NationalNumber("tax-id.gr", "gr.vat", r"(?:EL|GR)?[0-9]{8,9}", "afm|αφμ"),
    NationalNumber("national-id.hr", "hr.oib", r"(?:HR)?[0-9]{11}", "oib"),
    NationalNumber("national-id.si", "si.emso", r"[0-9]{13}", "emšo|emso|jmbg|matična"),
    NationalNumber("tax-id.hu", "hu.anum", r"(?:HU)?[0-9]{8}", "anum|adószám|adoszam"),
    NationalNumber("national-id.tr", "tr.tckimlik", r"[1-9][0-9]{10}", "kimlik|tc kimlik|tckn"),
    NationalNumber("tax-id.ru", "ru.inn", r"[0-9]{10}(?:[0-9]{2})?", "inn|инн"),
    NationalNumber("tax-id.ua", "ua.rntrc", r"[0-9]{10}", "rntrc|рнокпп|іпн"),
    NationalNumber("national-id.il", "il.idnr", r"[0-9]{8,9}", "teudat zehut|mispar zehut|זהות"),
    # Asia
    NationalNumber("national-id.in", "in_.aadhaar", r"[2-9][0-9]{11}", "aadhaar|aadhar|uidai"),
    NationalNumber("tax-id.in", "in_.pan", r"[A-Z]{3}[ABCFGHLJPTK][A-Z][0-9]{4}[A-Z]", "pan|permanent account"),
    NationalNumber("national-id.cn", "cn.ric", r"[0-9]{17}[0-9X]", "ric|resident identity|身份证"),
    NationalNumber("national-id.kr", "kr.rrn", r"[0-9]{13}", "rrn|resident registration|주민등록번호"),
    NationalNumber("national-id.jp", "jp.in_", r"[0-9]{12}", "my number|kojin|マイナンバー|個人番号"),
    NationalNumber("national-id.my", "my.nric", r"[0-9]{12}", "nric|mykad"),
    NationalNumber("national-id.sg", "", r"[STFGM][0-9]{7}[A-Z]", "nric|fin"),
    NationalNumber("national-id.id", "id.nik", r"[0-9]{16}", "nik|ktp"),
    NationalNumber("national-id.th", "th.pin", r"[0-9]{13}", "thai id|บัตรประชาชน"),
    NationalNumber("national-id.pk", "pk.cnic", r"[0-9]{13}", "cnic|nic"),
    # Any country
    NationalNumber(
        "passport",
        "",
        r"[A-Z]{0,3}[0-9]{6,9}[A-Z]?",
        "passport|passport no|passport number|pasaporte"
        "|passaporte|reisepass|passnummer"
        "|reisepassnummer|passeport|passaporto|paspoort|paszport",
    ),
    NationalNumber(
        "driving-licence",
        "",
        r"(?=[A-Z]*[0-9])[A-Z0-9]{6,18}",
        "driving licence|driving license"
        "|driver license|driver licence"
        "|drivers license|drivers licence|s license|s licence|permiso de conducir|carnet de conducir"
        "|licencia de conducir"
        "|carta de condução|cnh|carteira de habilitação|führerschein|führerscheinnummer|permis de conduire",
    ),
    NationalNumber("device-id", "imei", r"[0-9]{14,16}", "imei"),
    NationalNumber(
        "plate",
        "",
        r"(?=[A-Z0-9]*[0-9])(?=[A-Z0-9]*[A-Z])[A-HJ-NPR-Z0-9]{17}",
        "vin|chassis|bastidor|fahrgestellnummer|chassi",
    ),
)
