"""Words that say the same in another form or language: a value in one of them is grounded by a line with another. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from ..text.analyzer import fold

_GROUPS = """
sister schwester hermana soeur sorella irma zus kiz_kardes
brother bruder hermano frere fratello irmao broer
mother mom mum mama mutter mutti madre mere mae anne moeder
father dad papa vater vati padre pere pai baba vader
parents eltern padres
husband mann ehemann esposo marido mari marito koca
wife frau ehefrau esposa mujer femme moglie
partner partnerin pareja freund freundin novio novia boyfriend girlfriend
son sohn hijo fils figlio filho zoon oglum
daughter tochter hija fille figlia filha dochter
child children kid kids kind kinder hijos enfants bambini
grandmother grandma granny oma großmutter abuela mamie nonna
grandfather grandpa opa großvater abuelo papi nonno
aunt tante tia
uncle onkel tio
cousin cousine primo prima
friend freund freundin amigo amiga ami amie amico vriend
dog hund perro perra chien cane cachorro hond kopek
cat katze kater gato gata chat gatto kat kedi
horse pferd caballo cheval cavallo
married marry wedding verheiratet heirat geheiratet casado casada casarme casamos husband wife marie sposato evli
single alleinstehend ledig soltero soltera celibataire
divorced divorce geschieden scheidung divorciado divorciada
engaged verlobt prometido prometida
separated getrennt separado separada
widowed widow widower verwitwet viudo viuda
pregnant schwanger embarazada
vegetarian vegetarier vegetarierin vegetarisch vegetariano vegetariana
vegan veganer veganerin vegano vegana
english englisch ingles anglais inglese
german deutsch aleman allemand tedesco
spanish spanisch espanol castellano espagnol
french französisch frances francais
italian italienisch italiano italien
portuguese portugiesisch portugues
dutch niederländisch holländisch neerlandes
polish polnisch polaco
russian russisch ruso
turkish türkisch turco
japanese japanisch japones
chinese chinesisch chino
car auto wagen coche carro voiture macchina
bicycle bike fahrrad rad bici bicicleta velo
house haus casa maison
flat apartment wohnung piso departamento
teacher lehrer lehrerin profesor profesora maestro maestra professeur
doctor arzt ärztin medico medica
nurse krankenschwester krankenpfleger krankenpflegerin enfermero enfermera
university uni college universität universidad
phone telephone mobile cell number telefon handy telefono
monday montag lunes
tuesday dienstag martes
wednesday mittwoch miercoles
thursday donnerstag jueves
friday freitag viernes
saturday samstag sonnabend sabado
sunday sonntag domingo
2nd second zweite segundo
"""


def _table() -> Mapping[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for row in _GROUPS.strip().splitlines():
        words = {fold(word.replace("_", " ")) for word in row.split()}
        for word in words:
            found.setdefault(word, set()).update(words)
    return {word: frozenset(words) for word, words in found.items()}


EQUIVALENTS: Mapping[str, frozenset[str]] = _table()
"""Of a folded word the folded words that may stand for it, itself among them."""
