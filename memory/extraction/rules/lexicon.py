"""Words that the rules know: what people work as and where, whom they are related to, what is no name and no liking."""

from __future__ import annotations

JOBS = """
accountant actor actress administrator analyst anaesthetist apprentice archaeologist architect archivist artist astronomer
author baker banker barber barista bartender beautician beekeeper biologist blacksmith bookkeeper bookseller botanist brewer
bricklayer broadcaster broker builder butcher carer caretaker carpenter cartographer cashier ceramicist chef chemist
choreographer cleaner clerk climatologist coach comedian composer conductor consultant cook copywriter counsellor counselor
courier curator dancer decorator dentist designer developer dietitian diplomat director diver doctor dramaturge
dressmaker driver ecologist economist editor electrician engineer entrepreneur estate_agent farmer filmmaker firefighter
fisherman florist forester freelancer gardener geographer geologist goldsmith hairdresser handyman historian
housekeeper illustrator instructor interpreter investigator janitor jeweller journalist judge lab_technician landscaper lawyer
lecturer librarian lifeguard linguist locksmith machinist magistrate manager marketer mason massage_therapist mathematician
mechanic mediator meteorologist midwife miller miner musician nanny neurologist notary novelist nurse nutritionist
officer operator optician optometrist paediatrician painter paralegal paramedic pastor pathologist pediatrician pharmacist
philosopher photographer physicist physiotherapist pianist pilot plumber podiatrist poet policeman policewoman
policy_advisor politician porter postman potter priest producer professor programmer prosecutor psychiatrist psychologist
publicist radiographer radiologist realtor receptionist recruiter referee researcher roofer sailor salesman saleswoman
scientist sculptor secretary security_guard shepherd shopkeeper singer social_worker soldier solicitor speech_therapist
statistician stonemason student_nurse surgeon surveyor tailor tattooist tax_advisor taxi_driver teacher technician therapist
toolmaker trainer translator tutor typist undertaker vet veterinarian violinist waiter waitress watchmaker web_developer
restorer lead barrister bouncer chauffeur conservator dispatcher drummer executive foreman glazier groundskeeper gamekeeper
hygienist innkeeper labourer laborer mayor monk nun planner phlebotomist playwright proofreader ranger rabbi reporter saddler
sommelier steward stewardess stylist supervisor tiler trucker upholsterer warden assistant zookeeper picker packer roadie
signalman stagehand swimming_instructor bookbinder cobbler falconer ferryman gravedigger harbour_master lighthouse_keeper
welder writer zoologist postdoc intern sysadmin pensioner retiree
"""
JOBS_DE = """
Arzt Ärztin Lehrer Lehrerin Krankenpfleger Krankenpflegerin Krankenschwester Ingenieur Ingenieurin Informatiker Informatikerin
Anwalt Anwältin Bäcker Bäckerin Tischler Tischlerin Schreiner Elektriker Elektrikerin Mechaniker Mechanikerin Koch Köchin
Kellner Kellnerin Verkäufer Verkäuferin Erzieher Erzieherin Buchhalter Buchhalterin Architekt Architektin Apotheker
Apothekerin Journalist Journalistin Polizist Polizistin Hebamme Friseur Friseurin Übersetzer Übersetzerin Physiotherapeut
Physiotherapeutin Programmierer Programmiererin Designer Designerin Zahnarzt Zahnärztin Tierarzt Tierärztin Student Studentin
Sozialarbeiter Sozialarbeiterin Gärtner Gärtnerin Musiker Musikerin Beamter Beamtin Pilot Pilotin Rentner Rentnerin
Goldschmied Goldschmiedin Gymnasiallehrer Gymnasiallehrerin Grundschullehrer Grundschullehrerin Maurer Maurerin Maler Malerin Dachdecker
Klempner Installateur Schlosser Schlosserin Fahrer Busfahrer Busfahrerin Taxifahrer Lokführer Lokführerin Steuerberater Steuerberaterin
Notar Notarin Richter Richterin Pfarrer Pfarrerin Schauspieler Schauspielerin Schriftsteller Schriftstellerin Autor Autorin Fotograf
Fotografin Optiker Optikerin Logopädin Logopäde Ergotherapeutin Ergotherapeut Psychologe Psychologin Chemiker Chemikerin Biologe Biologin
Physiker Physikerin Altenpfleger Altenpflegerin Sanitäter Sanitäterin Feuerwehrmann Förster Försterin Winzer Winzerin Landwirt Landwirtin
Bauer Bäuerin Metzger Metzgerin Konditor Konditorin Bibliothekar Bibliothekarin Sekretärin Makler Maklerin Berater Beraterin Azubi
Schneider Schneiderin Uhrmacher Schuster Kfz-Mechaniker Kraftfahrer Bankkaufmann Bankkauffrau Entwickler Entwicklerin
Softwareentwickler Softwareentwicklerin Redakteur Redakteurin Dolmetscher Dolmetscherin Imker Imkerin
"""
JOBS_ES = """
profesor profesora médico médica enfermero enfermera abogado abogada ingeniero ingeniera maestro maestra arquitecto arquitecta
fisioterapeuta albañil taxista conductor conductora camionero camionera secretario secretaria contable cajero cajera
limpiador limpiadora jardinero jardinera mecánico mecánica pintor pintora escritor escritora actor actriz fotógrafo fotógrafa biólogo bióloga
químico química físico física juez jueza notario notaria cura bibliotecario bibliotecaria azafata piloto agricultor agricultora ganadero
pescador pescadora costurera sastre zapatero joyero joyera logopeda cuidador cuidadora educador educadora investigador investigadora
consultor consultora vendedor vendedora comercial repartidor repartidora autónomo técnico técnica matrona comadrona
periodista dentista cocinero cocinera camarero camarera electricista fontanero fontanera programador programadora contador
contadora psicólogo psicóloga veterinario veterinaria traductor traductora diseñador diseñadora músico música policía bombero
bombera carpintero carpintera farmacéutico farmacéutica panadero panadera peluquero peluquera economista estudiante jubilado
jubilada
"""
WORKPLACES = """
academy agency airport archive bakery bank bar bookshop bookstore brewery café cafe call_centre cinema city_council clinic
college council court dairy embassy factory farm foundation garage garden_centre gym hospital hospice hotel institute
kindergarten lab laboratory law_firm library ministry museum newspaper nursery nursing_home opera pharmacy police
post_office prison pub publisher radio_station restaurant school shelter shipyard start-up startup supermarket theatre
theater town_hall university vineyard warehouse winery workshop zoo
"""
SPOUSES = "husband wife boyfriend girlfriend partner fiancé fiancée fiance fiancee spouse"
CHILDREN = "daughter son"
SIBLINGS = "brother sister"
PARENTS = "mother father mom mum dad mama papa"
OTHERS = "grandmother grandfather grandma grandpa aunt uncle cousin niece nephew parents kids children grandparents"
FRIENDS = "friend flatmate roommate boss colleague"
KIN = """
uncle aunt auntie cousin niece nephew grandma grandpa grandmother grandfather granny gran nan grandson granddaughter mother
father sister brother stepmother stepfather stepmum stepdad stepson stepdaughter
"""
GOALS = """
learn run_a run_my become write_a write_my start_my visit travel live_in move_to study get_fit lose_weight save open_a build finish_my quit_smoking
stop_smoking adopt climb publish retire read_more master speak own_a
"""
PETS = """
dog dogs cat cats puppy kitten rabbit rabbits hamster hamsters parrot parrots tortoise tortoises turtle turtles horse horses
pony goldfish fish budgie canary chickens hens goat goats ferret gecko snake lizard iguana guinea_pig guinea_pigs ducks donkey
cockatiel hedgehog chinchilla puppies kittens bunny bunnies gerbil gerbils rats mice labrador husky poodle beagle dachshund corgi
terrier greyhound collie retriever spaniel pug bulldog whippet tabby tomcat llama alpaca alpacas sheep pig pigs hen bees
"""
LANGUAGES = """
afrikaans albanian amharic arabic armenian azerbaijani basque bengali bosnian breton bulgarian burmese cantonese catalan
chinese croatian czech danish dutch english estonian farsi finnish flemish french frisian galician georgian german greek
gujarati hausa hebrew hindi hungarian icelandic igbo indonesian irish italian japanese javanese kazakh khmer korean kurdish
lao latin latvian lithuanian luxembourgish macedonian malay malayalam maltese mandarin maori marathi mongolian nepali norwegian
occitan pashto persian polish portuguese punjabi quechua romanian russian serbian sinhala slovak slovene slovenian somali
spanish swahili swedish tagalog tamil telugu thai tibetan turkish ukrainian urdu uzbek vietnamese welsh xhosa yiddish yoruba
zulu
"""
LANGUAGES_DE = """
Deutsch Englisch Französisch Spanisch Italienisch Portugiesisch Polnisch Russisch Türkisch Niederländisch Schwedisch Dänisch
Norwegisch Finnisch Griechisch Arabisch Chinesisch Japanisch Koreanisch Ukrainisch Tschechisch Ungarisch Rumänisch Kroatisch
"""
LANGUAGES_ES = """
español castellano inglés francés alemán italiano portugués catalán gallego euskera polaco ruso turco neerlandés sueco árabe
chino japonés coreano griego ucraniano rumano
"""
INSTRUMENTS_AND_GAMES = """
accordion badminton banjo baseball basketball bass bassoon bridge cello chess clarinet cricket darts drums fiddle flute football
go golf guitar handball harmonica harp hockey keyboard lacrosse mandolin oboe organ padel piano poker recorder rugby sax
saxophone snooker soccer softball squash table_tennis tennis trombone trumpet tuba ukulele viola violin volleyball water_polo
"""
SPORTS = """
bouldering bowling camping climbing cycling dancing diving fishing fly-fishing geocaching hiking hunting jogging kayaking
kitesurfing rowing running sailing skating skiing snowboarding surfing swimming windsurfing birdwatching orienteering
"""
PLANNED = """
adopt apply attend book build buy celebrate change climb cycle emigrate enrol enroll fly found foster get_a get_an get_married
hike hire host invite join launch learn marry move organise organize paint propose publish quit redecorate register
renovate rent repair resign retire return run sail sell sign_up spend start stop study switch train travel
visit volunteer
"""
PLANNING = """
attending celebrating emigrating flying getting_married going having hosting leaving meeting moving opening retiring returning
running sailing seeing spending starting travelling traveling visiting
"""
NO_NAME = """
a always am an and are as asked at ate be because been but called calls can cant could did didnt do does dont even for from
get gets going got had has have he her here his how i if in into is isnt it its jokes just keeps kept knows last law let lets
like likes lost loves made makes may me might my needs never new no not now of off on once only or our out please really said
sat saw says seems she should sits so still such take takes tells texted than that the their them then there they thinks this
to today told tomorrow too used very wants was wasnt we went were what when where which who whose why will with without would
dr mr mrs ms prof yesterday you your later soon back busy late fine tired sick angry crazy mad monday tuesday wednesday thursday friday saturday
sunday january february march april june july august september october november december
"""
"""What follows a relation and is no name, even in title case. (Whoever is called April or June is missed.)"""
BRANDS = """
lego google facebook instagram netflix amazon ikea uber twitter whatsapp zoom tesla apple spotify youtube tiktok venmo paypal photoshop skype
xbox playstation nintendo christmas easter
"""
"""What follows "my son" or "my mom" without being a name."""
NO_LIKING = """
you him her them me us it this that these those how when what where why who whom which whoever whatever everything anything
nothing something someone somebody anyone anybody everyone nobody myself yourself himself herself being to one your his their
its my our if the a an some any being more most both each every another other such too so all half here there not having
getting seeing knowing hearing none no work people at better hard eso esto ello todo nada das
"""
"""A first word after which a liking tells of a moment or a person present, and of no lasting taste."""
NO_PLACE = """
hope fear peace denial chaos pain paris-mode sin style luxury poverty silence constant work home bed love trouble
danger hiding front town bulk limbo exile isolation harmony squalor agony terror ruins anticipation misery darkness
sweatpants pajamas pyjamas gym office shower future heaven hell good bad experience above below abroad tears downtown
nowhere school church hospital mars wonderland narnia atlantis someone people
"""
"""Where one lives or comes from without its being a place."""
NO_EMPLOYER = """
night once least last free fun money living random heart best worst first large nothing myself peanuts hours nine
eight noon midnight times speed scale weekends days christmas night-time office present him cash charity
"""
MOVED_TO = """
slack gmail python github gitlab teams zoom signal telegram whatsapp linux windows mac macos android iphone notion discord outlook
spotify chrome firefox aws azure linkedin mastodon bluesky twitter plan phase chapter team level hr it marketing sales legal
finance accounting row seat table page
"""
"""Where one moves, or comes from, without leaving home."""
JUDGED = """
bad terrible good great horrible awful decent lousy slow fast better worse worst best huge big little proud happy lucky natural
born true real bit poor keen nervous cautious careful safe excellent amazing mediocre shit crap frustrated wannabe would-be failed
backseat secret
"""
"""A first word that makes an occupation a judgement: a terrible driver."""
FLEETING = """
round coffee tea ticket drink beer meal pizza sandwich cake bunch couple lot bit bottle pack present gift card copy thing bag box
bus train loaf pint snack soul few ton load kilo dozen slice cup glass piece
"""
"""What is bought and gone."""


def words(text: str) -> tuple[str, ...]:
    """The words of such a list; an underscore stands for a space."""
    return tuple(word.replace("_", " ") for word in text.split())
