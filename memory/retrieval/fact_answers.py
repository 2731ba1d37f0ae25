"""Which facts answer a question: those that it asks for by attribute or by words of theirs, never those that merely stand in what
was found. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from ...schemas import Fact
from ..text.analyzer import fold, query_terms, terms, words
from ..text.language import likely_languages

_ASKED: Mapping[str, str] = {
    "home": r"\bwhere\b.*\b(?:live[sd]?|living|home|based|reside[sd]?|mov(?:e|ed|ing))\b|\b(?:address|hometown|what city|which city)\b"
    r"|\bwo(?:hin)?\b.*\b(?:(?:ge)?wohn\w*|(?:ge)?leb\w*|zieh\w*|zog\w*|gezogen)\b|\bwohnort\b|\bdonde\b.*\b(?:viv\w+|mud\w+)\b",
    "location": r"\bwhere\b.*\b(?:is|are|was|were|now|staying)\b(?!.*\bfrom\b)|\bwo (?:ist|bist|sind|war\w*|steckte?)\b|\bdonde est[au]",
    "origin": r"\bwhere\b.*\bfrom\b|\b(?:grow|grew) up\b|\bwoher\b|\bde donde\b",
    "employer": r"\b(?:job|work(?:s|ed|ing)?|employer|company|employed|career)\b|\b(?:(?:ge)?arbeite\w*|beruf|firma|arbeitgeber)\b"
    r"|\b(?:trabaj\w+|empresa)\b",
    "occupation": r"\b(?:job|profession|occupation|career|for a living|work(?:s|ed|ing)? as|what does .* do)\b"
    r"|\b(?:beruf\w*|(?:ge)?arbeite\w*)\b|\b(?:trabaj\w+|profesion|se dedica\w*)\b",
    "study": r"\b(?:stud(?:y|ies|ied|ying)|university|college|school|major|degree)\b|\b(?:studier\w*|uni)\b|\bestudi\w+\b",
    "age": r"\bhow old\b|\bage\b|\bwie alt\b|\bcuantos anos\b|\bedad\b",
    "birthday": r"\b(?:birthday|bday|born|date of birth)\b|\b(?:geburtstag|geboren)\b|\b(?:cumpleanos|nacio)\b",
    "name": r"\b(?:called|full name|real name|nickname)\b|\b(?:heisst|hiess|geheissen)\b|\bse llama\w*\b",
    "phone": r"\b(?:phone|mobile|cell|number)\b|\b(?:telefon\w*|handynummer|nummer)\b|\b(?:telefono|movil)\b",
    "email": r"\b(?:e-?mail|mail address|correo)\b",
    "marital_status": r"\b(?:married|single|divorced|marital|relationship status|wedding)\b|\b(?:verheiratet|geschieden|ledig)\b"
    r"|\b(?:casad[oa]|solter[oa])\b",
    "partner": r"\b(?:partner|wife|husband|spouse|girlfriend|boyfriend|fiance\w*|married|dating)\b"
    r"|\b(?:frau|mann|freundin|freund|verheiratet)\b|\b(?:casad[oa]|pareja|espos[oa]|novi[oa]|marido|mujer)\b",
    "child": r"\b(?:child|children|kids?|sons?|daughters?|baby)\b|\b(?:kind(?:er)?|sohn|tochter)\b|\bhij[oa]s?\b",
    "parent": r"\b(?:parents?|mother|father|mom|mum|dad)\b|\b(?:eltern|mutter|vater)\b|\b(?:padres?|madre)\b",
    "sibling": r"\b(?:siblings?|brothers?|sisters?)\b|\b(?:geschwister|bruder|schwester)\b|\bherman[oa]s?\b",
    "relative": r"\b(?:relatives?|uncle|aunt|cousin|grandm\w+|grandf\w+|family)\b|\b(?:oma|opa|onkel|tante|familie)\b|\b(?:abuel[oa]|ti[oa]|familia)\b",
    "friend": r"\bfriends?\b|\bfreunde?\b|\bamig[oa]s?\b",
    "pet": r"\b(?:pets?|dogs?|cats?|animals?)\b|\b(?:haustier\w*|hund|katze)\b|\b(?:mascotas?|perr[oa]|gat[oa])\b",
    "car": r"\b(?:cars?|drives?|drove|driven|driving)\b|\b(?:auto|wagen)\b|\bcoche\b",
    "possession": r"\b(?:own(?:s|ed)?|bought|have got|has got|possess\w*)\b|\b(?:gekauft|besitzt|besass|besessen)\b|\bcompr\w+\b",
    "diet": r"\b(?:vegan|vegetarian|diet|eats?|ate|meat)\b|\b(?:isst|ernahr\w*|vegetari\w+)\b|\b(?:come|dieta|vegan[oa])\b",
    "allergy": r"\ballerg\w+\b|\balergi\w*\b",
    "health": r"\b(?:health|ill|illness|sick|disease|diagnos\w+|injur\w+|surgery|condition)\b|\b(?:krank\w*|gesund\w*)\b|\b(?:salud|enferm\w+)\b",
    "likes": r"\b(?:like[sd]?|love[sd]?|enjoy(?:s|ed)?|fond|prefers?|preferred|preferences?|into)\b|\b(?:mag|mochte|gemocht|liebte?|geliebt|gern)\b|\ble gusta\w*\b",
    "dislikes": r"\b(?:dislike[sd]?|hate[sd]?|like[sd]?|avoid\w*|can'?t stand)\b|\b(?:hasste?|gehasst|mag|mochte)\b|\b(?:odia\w*|le gusta\w*)\b",
    "favourite": r"\bfavou?rites?\b|\blieblings\w+\b|\bfavorit[oa]s?\b",
    "hobby": r"\b(?:hobb(?:y|ies)|free time|spare time|for fun|weekends?|pastimes?)\b|\b(?:freizeit|wochenende)\b|\b(?:tiempo libre|aficion\w*)\b",
    "habit": r"\b(?:habits?|routines?|every (?:day|morning|week)|usually|regularly|weekends?)\b|\b(?:gewohnheit\w*|jeden)\b",
    "plan": r"\b(?:plans?|planning|going to|will|intends?|upcoming|next)\b|\b(?:plan[te]?|vor|will)\b|\b(?:planes|planea|va a)\b",
    "event": r"\b(?:happened|events?|when did)\b|\bpassiert\b|\bpaso\b",
    "goal": r"\b(?:goals?|wants? to|dreams?|aims?)\b|\bziele?\b|\bmetas?\b",
    "need": r"\b(?:needs?|looking for)\b|\b(?:braucht|sucht)\b|\b(?:necesita|busca)\b",
    "skill": r"\b(?:skills?|can .* do|good at|able to)\b|\bkann\b|\bsabe\b",
    "language": r"\b(?:languages?|speaks?|spoke|fluent)\b|\b(?:sprach\w*|spricht)\b|\b(?:idiomas?|habla(?:ban?)?)\b",
    "mood": r"\b(?:feel(?:s|ing)?|mood|how is|how are)\b|\b(?:fuhlt|laune)\b|\bse siente\b",
    "belief": r"\b(?:thinks?|thought|believes?|believed|opinion|religio\w+)\b|\b(?:glaubte?|geglaubt|meinung)\b|\b(?:cree|creia|opina\w*)\b",
}
"""By attribute, the folded words by which a question asks for it, in English, German and Spanish."""
LONGEST = 1_000
"""Characters of a question that are read for it: "where … live" takes the square of a text that says "where" again and again."""
_ASKED_NAME = re.compile(
    r"(?<![^\W_])(?:does|did|do|is|was|has|had|will|can|could|would|should|of|about|with) ([^\W\d_]+)(?![^\W_])"
    r"|(?<= )([^\W\d_]+)['’]s(?![^\W_])"
)
_FIRST_PERSON = frozenset({"i", "me", "my", "mine", "we", "us", "our", "ours"})
_PATTERNS = {attribute: re.compile(pattern) for attribute, pattern in _ASKED.items()}


def asked_attributes(question: str) -> frozenset[str]:
    """The attributes that a question asks for."""
    folded = fold(question[:LONGEST])
    return frozenset(name for name, pattern in _PATTERNS.items() if pattern.search(folded))


@dataclass(frozen=True, slots=True)
class FactQuestion:
    """What a question asks of facts."""

    about: frozenset[str]
    """Folded words of the names of whom it names."""
    words: frozenset[str]
    """Its other terms."""
    attributes: frozenset[str]
    own: frozenset[str] = frozenset()
    """The folded names of whom it names."""
    speakers: AbstractSet[str] = frozenset()
    """The folded names of everybody who wrote."""
    strangers: frozenset[str] = frozenset()
    """Where it names nobody known: folded names of whom it asks, of whom nothing is known."""

    def names(self, fact: Fact) -> bool:
        """Whether a fact is about somebody whom the question names, or names them; any is, where it names nobody. What is known
        of Bob Lee Jr is not known of Bob Lee, and where Bob is nobody known, only what holds his name may be of him.
        """
        if not self.about:
            texts = (fact.subject, fact.value, fact.content, *(each.quote for each in fact.evidence))
            return not self.strangers or any(not self.strangers.isdisjoint(words(text)) for text in texts)
        subject = fold(fact.subject)
        somebody_else = subject in self.speakers and subject not in self.own
        return bool(self.about & _words_of(fact.value if somebody_else else f"{fact.subject} {fact.value}"))

    def asks_for(self, fact: Fact) -> bool:
        """Whether a question asks for this: by its attribute, by words of its subject, attribute or value; or for all about
        somebody, where it says nothing but a name.
        """
        if not self.words or fact.attribute in self.attributes:
            return True
        own = {*terms(f"{fact.attribute.replace('_', ' ')}. {fact.value}")}
        if not self.about:
            own |= {*terms(fact.subject)}
        return bool(self.words & own)

    def order(self, fact: Fact) -> tuple[bool, bool]:
        """What is asked for by its attribute comes first, and of that what is about the one who is named."""
        return fact.attribute not in self.attributes, not self.about & _words_of(fact.subject)


def fact_question(
    question: str,
    names: Collection[str],
    speakers: AbstractSet[str] = frozenset(),
    capitals: Collection[str] = (),
) -> FactQuestion:
    """What a question asks of facts.

    Args:
        question: as it was asked.
        names: the people whom it names.
        speakers: all who wrote, in folded case.
        capitals: its words that may be names.
    """
    about = frozenset(word for name in names for word in _words_of(name))
    named = {term for name in names for term in terms(name)} | about
    other = frozenset(query_terms(question)) - named
    strangers = frozenset[str]() if about else _strangers(question, capitals)
    return FactQuestion(about, other, asked_attributes(question), frozenset(map(fold, names)), speakers, strangers)


def _strangers(question: str, capitals: Collection[str]) -> frozenset[str]:
    """Folded words that name whom an English question asks about: "does Bert live", "Bert's job", "the age of Bert". In other
    languages nouns have capitals and names have endings, and what is asked of oneself asks of nobody else: none there.
    """
    text = question[:LONGEST]
    asked = [match[1] or match[2] for match in _ASKED_NAME.finditer(text)] if capitals else []
    own = not _FIRST_PERSON.isdisjoint(words(text))
    if not asked or own or likely_languages(text, words(text)) != ("en",):
        return frozenset()
    folded = [fold(name) for name in asked if name in capitals and name.istitle()]
    return frozenset(word for word in folded if not any(pattern.search(word) for pattern in _PATTERNS.values()))


def in_order(facts: Iterable[Fact], question: FactQuestion) -> Sequence[Fact]:
    """Facts, each once, those that are asked for by their attribute first, else as they came."""
    return sorted({fact.id: fact for fact in facts}.values(), key=question.order)


def _words_of(text: str) -> frozenset[str]:
    return frozenset(fold(text).replace("'", " ").replace("’", " ").split())
