"""Statements in another language, wording or tense than their lines: the same is kept, what says more or otherwise is not."""

from __future__ import annotations

from memd.memory.extraction.rejection import Reason
from memd.memory.extraction.statement import Statement
from memd.tests.cases import for_each
from memd.tests.extraction.test_gates import ANN, BO, checked

THE_SAME = [
    ("Ich vertrage keine Nüsse", "allergy", "nuts"),
    ("Ich bin allergisch gegen Nüsse", "allergy", "nuts"),
    ("Ich bin gegen Erdnüsse allergisch", "allergy", "peanuts"),
    ("tengo dos gatos en casa", "pet", "two cats"),
    ("tengo un perro que se llama Max", "pet", "dog Max"),
    ("Wir haben drei Hunde", "pet", "three dogs"),
    ("Wir haben drei Hunde", "pet", "3 dogs"),
    ("Ich arbeite als Lehrerin", "occupation", "teacher"),
    ("Trabajo de enfermera en Sevilla", "occupation", "nurse"),
    ("soy abogada desde 2019", "occupation", "lawyer"),
    ("Soy alérgica a los mariscos", "allergy", "shellfish"),
    ("soy alérgico a las fresas", "allergy", "strawberries"),
    ("Ich spiele Geige im Orchester", "hobby", "violin"),
    ("toco la guitarra", "hobby", "guitar"),
    ("me encanta nadar", "likes", "swimming"),
    ("Me gusta mucho el senderismo", "likes", "hiking"),
    ("Ich liebe Schokolade", "likes", "chocolate"),
    ("Ich gehe gern wandern", "hobby", "hiking"),
    ("ich hasse Zwiebeln", "dislikes", "onions"),
    ("odio las aceitunas", "dislikes", "olives"),
    ("Meine Schwester Mia kommt", "sibling", "sister Mia"),
    ("mi hermano Luis vive lejos", "sibling", "brother Luis"),
    ("Meine Tochter Lea ist fünf", "child", "daughter Lea"),
    ("mi hijo Pablo tiene seis años", "child", "son Pablo"),
    ("Ich habe seit Jahren Migräne", "health", "migraine"),
    ("tengo asma desde niña", "health", "asthma"),
    ("Ich bin seit Mai verheiratet", "marital_status", "married"),
    ("estoy divorciada", "marital_status", "divorced"),
    ("ich spreche fließend Spanisch", "language", "Spanish"),
    ("hablo alemán y francés", "language", "German"),
    ("I have two cats", "pet", "zwei Katzen"),
    ("I am a nurse", "occupation", "enfermera"),
    ("I'm allergic to nuts", "allergy", "Nüsse"),
    ("I play the piano", "hobby", "Klavier"),
    ("Am Freitag gehe ich schwimmen", "plan", "swimming on Friday"),
    ("Seit dem 3. März wohne ich in Köln", "home", "Köln"),
    ("iki kedim var", "pet", "two cats"),
    ("Ben öğretmenim ve İzmir'de yaşıyorum", "occupation", "teacher"),
    ("Fıstığa alerjim var, fıstık yiyemem", "allergy", "peanuts"),
    ("Köpeğimin adı Max", "pet", "dog Max"),
    ("gitar çalıyorum", "hobby", "guitar"),
    ("猫を二匹飼っています", "pet", "two cats"),
    ("看護師として働いています", "occupation", "nurse"),
    ("ピアノを弾きます", "hobby", "piano"),
    ("卵アレルギーがあります", "allergy", "eggs"),
    ("I moved to Oslo, my biz is going great", "event", "business is going great"),
    ("we went on a trip to Rome", "event", "journey to Rome"),
]


@for_each(THE_SAME)
def test_the_same_in_another_language_or_word_is_kept(text: str, attribute: str, value: str) -> None:
    """English, German, Spanish, Turkish and Japanese lines."""
    made = checked(text, text, attribute, value)
    assert isinstance(made, Statement), made
    assert made.value == value


ANOTHER = [
    ("Ich bin allergisch gegen Milch", "allergy", "nuts"),
    ("Ich bin gegen Erdnüsse allergisch", "allergy", "walnuts"),
    ("I'm allergic to peanuts", "allergy", "walnuts"),
    ("tengo dos perros en casa", "pet", "two cats"),
    ("tengo dos gatos en casa", "pet", "three cats"),
    ("I have two cats", "pet", "drei Katzen"),
    ("Wir haben drei Hunde", "pet", "4 dogs"),
    ("Ich arbeite als Ärztin", "occupation", "teacher"),
    ("Trabajo de enfermera", "occupation", "lawyer"),
    ("I am a nurse", "occupation", "teacher"),
    ("soy alérgico a las fresas", "allergy", "raspberries"),
    ("Ich spiele Geige im Orchester", "hobby", "cello"),
    ("I play the piano", "hobby", "violin"),
    ("me encanta nadar", "likes", "running"),
    ("Ich liebe Schokolade", "likes", "cheese"),
    ("I love tea", "likes", "coffee"),
    ("I love apples", "likes", "oranges"),
    ("I was born in Rome", "origin", "Oslo"),
    ("Vivo en Roma", "home", "Oslo"),
    ("Ich wohne in Rom", "home", "Oslo"),
    ("Meine Schwester Mia kommt", "sibling", "brother Mia"),
    ("mi hermana Eva vive lejos", "sibling", "brother Eva"),
    ("my grandmother Rosa is ninety", "relative", "mother Rosa"),
    ("Meine Mutter Eva kommt", "parent", "father Eva"),
    ("my mother Mia and my sister Eva are here", "sibling", "Mia"),
    ("meine Mutter Mia und meine Schwester Eva sind da", "sibling", "Mia"),
    ("mi madre Mia y mi hermana Eva están aquí", "sibling", "Mia"),
    ("my sister Eva and my daughter Mia are here", "child", "Eva"),
    ("my friend Tom and my husband Bob are here", "partner", "Tom"),
    ("estoy divorciada", "marital_status", "married"),
    ("ich spreche fließend Spanisch", "language", "French"),
    ("Am Freitag gehe ich schwimmen", "plan", "swimming on Monday"),
    ("my car is red", "car", "blue car"),
    ("mein Auto ist rot", "car", "blue car"),
    ("I hate olives", "likes", "olives"),
    ("ich hasse Oliven", "likes", "olives"),
    ("odio las aceitunas", "likes", "olives"),
    ("I love olives", "dislikes", "olives"),
    ("ich liebe Oliven", "dislikes", "olives"),
    ("me encantan las aceitunas", "dislikes", "olives"),
    ("I love the olives of my village", "belief", "hates the olives of my village"),
    ("I hate the olives of my village", "belief", "likes the olives of my village"),
    ("I don't like olives", "likes", "olives"),
    ("Ich mag keine Oliven", "likes", "olives"),
    ("no me gustan las aceitunas", "likes", "olives"),
    ("I don't smoke any more", "habit", "smoke"),
    ("Ich habe keine Katze", "pet", "cat"),
    ("no tengo perro", "pet", "dog"),
    ("I went to Rome in spring", "event", "did not go to Rome in spring"),
    ("Ich war im Mai in Rom", "event", "war im Mai nicht in Rom"),
    ("fui a Roma en mayo", "event", "no fui a Roma en mayo"),
    ("I work at Aldi in Leeds", "event", "used to work at Aldi in Leeds"),
    ("ich arbeite bei Aldi in Jena", "event", "arbeitete früher bei Aldi in Jena"),
    ("trabajo en Aldi de Jaén", "event", "antes trabajaba en Aldi de Jaén"),
    ("I work at Aldi in Leeds", "event", "will work at Aldi in Leeds"),
    ("ich arbeite bei Aldi in Jena", "event", "wird bei Aldi in Jena arbeiten"),
    ("trabajo en Aldi de Jaén", "event", "va a trabajar en Aldi de Jaén"),
    ("I'm 41 now", "age", "14"),
    ("tengo treinta años", "age", "40"),
    ("ich bin einundvierzig", "age", "42"),
    ("my birthday is June 4", "birthday", "--06-14"),
    ("mein Geburtstag ist am 4. Juni", "birthday", "--07-04"),
    ("mi cumpleaños es el 4 de junio", "birthday", "--06-05"),
    ("iki kedim var", "pet", "two dogs"),
    ("猫を二匹飼っています", "pet", "two dogs"),
    ("看護師として働いています", "occupation", "teacher"),
    ("I gave the old bicycle to my brother in May", "event", "gave the old bicycle to my sister in May"),
    ("I met Tom in the park by the lake", "event", "met Bob in the park by the lake"),
    ("ich habe Tom im Park am See getroffen", "event", "hat Bob im Park am See getroffen"),
    ("encontré a Tom en el parque del lago", "event", "encontró a Bob en el parque del lago"),
    ("my dentist is called Tom", "friend", "Bob"),
    ("mein Freund heißt Tom", "partner", "Bob"),
    ("mi novio se llama Tom", "partner", "Bob"),
    ("I live in Rome", "home", "Oslo"),
    ("we flew to Rome for a week in May", "event", "flew to Oslo for a week in May"),
    ("wir sind im Mai nach Rom geflogen", "event", "sind im Mai nach Oslo geflogen"),
    ("volamos a Roma en mayo con amigos", "event", "volaron a Oslo en mayo con amigos"),
    ("I paid 20 euros for the old lamp", "event", "paid 30 euros for the old lamp"),
    ("ich habe zwanzig Euro für die Lampe bezahlt", "event", "hat 30 Euro für die Lampe bezahlt"),
    ("pagué veinte euros por la lámpara", "event", "pagó 30 euros por la lámpara"),
    ("meine Freundin Eva und meine Mutter Mia sind da", "parent", "Eva"),
    ("Ich bin verheiratet", "marital_status", "single"),
    ("I'm left-handed and my dog is black", "pet", "white dog"),
    ("ich kann am Montag nicht", "plan", "free on Monday"),
    ("mi padre es médico", "occupation", "médico"),
    ("meine Mutter ist Lehrerin", "occupation", "teacher"),
    ("we sold our house by the river last year", "event", "bought a boat by the river last year"),
]  # fmt: skip


@for_each(ANOTHER)
def test_another_thing_is_refused(text: str, attribute: str, value: str) -> None:
    """Things that are near each other as vectors: opposites, other numbers, places, people, relations, denials, tenses."""
    assert isinstance(checked(text, text, attribute, value), Reason)


SAYS_MORE = [
    ("I live in Oslo", "home", "Oslo", "Ann Vale lives in Oslo and likes it.", "Ann Vale lives in Oslo"),
    ("I live in Oslo", "home", "Oslo", "Ann Vale lives in Oslo and is happy there.", "Ann Vale lives in Oslo"),
    ("I live in Oslo", "home", "Oslo", "Ann Vale lives in Oslo, which she enjoys.", "Ann Vale lives in Oslo"),
    ("I live in Oslo", "home", "Oslo", "Ann Vale lives in Oslo because she works there.", "Ann Vale lives in Oslo"),
    ("I live in Oslo", "home", "Oslo", "Ann Vale lives in Oslo with her husband.", ""),
    ("I live in Oslo", "home", "Oslo", "Ann Vale loves living in Oslo.", ""),
    ("I live in Oslo", "home", "Oslo", "Ann Vale will live in Oslo.", ""),
    ("I live in Oslo", "home", "Oslo", "Ann Vale used to live in Oslo.", ""),
    ("I live in Oslo", "home", "Oslo", "Ann Vale does not live in Oslo.", ""),
    ("I live in Oslo", "home", "Oslo", "Bo Lind lives in Oslo.", ""),
    ("I live in Oslo, you know", "home", "Oslo", "Bo Lind lives in Oslo.", ""),
    ("We have a dog called Max", "pet", "dog Max", "Ann Vale has a dog, Max, and a cat.", "Ann Vale has a dog, Max"),
    ("I work at Aldi", "employer", "Aldi", "Ann Vale works at Aldi but hates it.", "Ann Vale works at Aldi"),
    ("I play the piano", "hobby", "piano", "Ann Vale plays the piano and has two sons.", "Ann Vale plays the piano"),
    ("I'm 41 now", "age", "41", "Ann Vale is 41 and still single.", "Ann Vale is 41"),
    ("Ich wohne in Jena", "home", "Jena", "Ann Vale wohnt in Jena und mag es.", "Ann Vale wohnt in Jena"),
    ("Ich wohne in Jena", "home", "Jena", "Ann Vale wohnt in Jena und ist dort glücklich.", "Ann Vale wohnt in Jena"),
    ("Ich wohne in Jena", "home", "Jena", "Ann Vale wohnt mit ihrer Schwester in Jena.", ""),
    ("Ich wohne in Jena", "home", "Jena", "Ann Vale wohnte früher in Jena.", ""),
    ("Ich wohne in Jena", "home", "Jena", "Ann Vale wird in Jena wohnen.", ""),
    ("Wir haben eine Katze", "pet", "Katze", "Ann Vale hat eine Katze, die sie liebt.", "Ann Vale hat eine Katze"),
    ("Ich spiele Geige", "hobby", "Geige", "Ann Vale spielt Geige, aber ungern.", "Ann Vale spielt Geige"),
    ("Vivo en Jaén", "home", "Jaén", "Ann Vale vive en Jaén y le gusta.", "Ann Vale vive en Jaén"),
    ("Vivo en Jaén", "home", "Jaén", "Ann Vale vive en Jaén y trabaja allí.", "Ann Vale vive en Jaén"),
    ("Vivo en Jaén", "home", "Jaén", "Ann Vale vive en Jaén con su marido.", ""),
    ("Vivo en Jaén", "home", "Jaén", "Ann Vale va a vivir en Jaén.", ""),
    ("Tengo un perro", "pet", "perro", "Ann Vale tiene un perro, pero lo odia.", "Ann Vale tiene un perro"),
    ("Soy enfermera", "occupation", "enfermera", "Ann Vale es enfermera y está contenta.", "Ann Vale es enfermera"),
]


@for_each(SAYS_MORE)
def test_a_sentence_that_says_more_is_cut_or_made_anew(
    text: str, attribute: str, value: str, content: str, kept: str
) -> None:
    """The clauses that the line carries stay; without any the sentence is made of subject, attribute and value."""
    made = checked(text, text, attribute, value, content=content)
    assert isinstance(made, Statement), made
    assert made.content == (f"{kept}." if kept else f"{ANN} — {attribute}: {value}")


def test_a_value_of_several_clauses_keeps_what_was_said() -> None:
    """Of a long value the clauses up to the first one of which nobody said anything."""
    text = "I'm allergic to most reptiles and animals with fur. It's a bit of a drag"
    whole = "most reptiles and animals with fur, causing her face to itch"
    made = checked(text, "allergic to most reptiles", "allergy", whole, content=f"{ANN} is allergic to {whole}.")
    assert isinstance(made, Statement), made
    assert made.value == "most reptiles and animals with fur"
    assert made.content == f"{ANN} is allergic to most reptiles and animals with fur."


def test_words_are_checked_where_they_stand() -> None:
    """Not only in the words that the proposal quotes: a harmless quote covers no question, and no denial elsewhere."""
    greeting = "Long time no see, how have you been? "
    told = checked(greeting + "I work as a nurse at Shelter.", "Long time no see", "event", "work as nurse at Shelter")
    assert isinstance(told, Statement), told
    for other, reason in (
        ("Should I work as a nurse at Shelter?", Reason.QUESTION),
        ("I never work as a nurse at Shelter.", Reason.NEGATION_DROPPED),
        ("If I work as a nurse at Shelter, we meet.", Reason.HYPOTHETICAL),
    ):
        made = checked("I love the garden here. " + other, "the garden here", "event", "work as nurse at Shelter")
        assert made is reason, other


def test_you_is_the_other_person_of_two() -> None:
    """So that the name need not be said; who is addressed is no subject."""
    kept = checked("I'd love to try your recipe", "try your recipe", "goal", "try the recipe of Bo")
    assert isinstance(kept, Statement), kept
    lied = checked("I live in Oslo, you know that", "I live in Oslo", "event", "Bo lives in Oslo, that is known")
    assert isinstance(lied, Reason)
    assert BO not in str(lied)


def test_what_was_is_stored_as_over() -> None:
    """In each attribute of what passes, and its sentence says so."""
    for text, attribute, value, content in (
        ("I used to play the violin", "hobby", "violin", "Ann Vale plays the violin."),
        ("I used to like olives", "likes", "olives", "Ann Vale likes olives."),
        ("Früher habe ich Geige gespielt", "hobby", "Geige", "Ann Vale spielt Geige."),
        ("antes tocaba la guitarra", "hobby", "guitarra", "Ann Vale toca la guitarra."),
    ):
        made = checked(text, text, attribute, value, content=content)
        assert isinstance(made, Statement), (text, made)
        assert made.valid_to == made.observed_at
        assert made.content == f"{ANN} — {attribute}: formerly {value}"
    learnt = checked("I'm going to learn Spanish next year", "going to learn Spanish", "language", "Spanish")
    assert isinstance(learnt, Statement)
    assert learnt.attribute == "plan"
