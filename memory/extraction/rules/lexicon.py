"""Words that the rules know: what people work as and where, whom they are related to, what is no name and no liking."""

from __future__ import annotations

import re

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
vicar curate bishop deacon chaplain gp ceo cfo cto coo tuner joiner childminder doula groomer scaffolder plasterer postie headteacher
schoolteacher au_pair barmaid croupier dj blogger podcaster cameraman cinematographer stuntman puppeteer animator tester seamstress milliner
thatcher glassblower luthier cabinet_maker farrier jockey physio osteopath chiropractor acupuncturist oncologist cardiologist dermatologist
registrar actuary auditor underwriter civil_servant councillor guard paratrooper sergeant skipper deckhand train_driver flight_attendant
air_hostess controller cabbie worker farmhand shearer crofter tree_surgeon arborist biochemist geneticist neuroscientist epidemiologist
microbiologist sociologist anthropologist undergrad trainee housewife househusband homemaker stay-at-home_mum stay-at-home_dad
stay-at-home_mom contractor landlord landlady publican restaurateur caterer fishmonger greengrocer cheesemonger chimney_sweep window_cleaner
personal_trainer organist guitarist bassist percussionist songwriter fitter gas_fitter funeral_director embalmer missionary hairstylist
masseuse minister keeper handler agent dog_walker sheep_farmer sparky chippy tattoo_artist tour_guide guide youth_worker care_worker dealer
bookie signaller air_traffic_controller freelance_writer web_designer ux_designer barman bellboy concierge hotelier naturalist oceanographer
volcanologist seismologist geophysicist hydrologist engraver printer typesetter lorry_driver truck_driver bus_driver delivery_driver
tram_driver dog_trainer nail_technician dental_nurse vet_nurse health_visitor teaching_assistant lollipop_lady bin_man paediatric_nurse
speech_pathologist occupational_therapist radiotherapist magician clown dance_teacher rickshaw_driver crane_operator steelworker shipbuilder
stonecutter groundsman park_ranger lumberjack
bus_conductor harpist flautist cellist costume_designer set_designer set_builder sound_engineer lighting_technician stage_manager shop_assistant sales_assistant
store_manager branch_manager warehouse_operative forklift_driver machine_operator site_manager quantity_surveyor town_planner estate_manager property_manager lettings_agent mortgage_broker
financial_advisor insurance_broker call_handler legal_secretary court_clerk probation_officer prison_officer police_officer customs_officer traffic_warden paramedic_student ward_sister
charge_nurse district_nurse staff_nurse healthcare_assistant pharmacy_technician dental_hygienist dental_technician audiologist orthodontist orthoptist dietician prosthetist chiropodist
sonographer veterinary_nurse riding_instructor ski_instructor driving_instructor fitness_instructor yoga_teacher swimming_teacher piano_teacher music_teacher maths_teacher science_teacher
english_teacher primary_teacher supply_teacher special_needs_teacher lunchtime_supervisor nursery_nurse nursery_worker foster_carer support_worker social_care_worker refuse_collector
street_cleaner park_keeper landscape_gardener fencer drystone_waller hedge_layer dairy_farmer cheesemaker winemaker cidermaker distiller chocolatier pastry_chef sous_chef line_cook
kitchen_porter dishwasher bar_manager events_manager wedding_planner event_planner content_creator copy_editor sub_editor speechwriter ghostwriter screenwriter game_developer
software_developer data_analyst data_scientist data_engineer business_analyst product_manager project_manager scrum_master product_owner network_engineer civil_engineer structural_engineer
mechanical_engineer electrical_engineer chemical_engineer aerospace_engineer sound_designer product_designer interior_designer fashion_designer signwriter screen_printer
picture_framer piano_tuner organ_builder instrument_maker clockmaker silversmith coppersmith sheet_metal_worker pipefitter rigger oil_rig_worker lock_keeper harbourmaster
trawlerman fish_farmer nail_tech lash_technician makeup_artist wigmaker life_coach hypnotherapist reflexologist herbalist homeopath celebrant registrar_of_births verger
sexton imam youth_leader scout_leader trade_unionist lobbyist
"""
JOBS_DE = """
Marktleiter Marktleiterin
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
Mechatroniker Mechatronikerin Hausmeister Hausmeisterin Diabetologe Kinderarzt Kinderärztin Hausarzt Hausärztin Chirurg Chirurgin Radiologe
Radiologin Pflegekraft Pflegefachkraft Krankengymnast Heilpraktiker Heilpraktikerin Rechtsanwalt Rechtsanwältin Staatsanwalt Staatsanwältin
Professor Professorin Dozent Dozentin Doktorand Doktorandin Sportlehrer Sportlehrerin Musiklehrer Musiklehrerin Fahrlehrer Fahrlehrerin
Sozialpädagoge Sozialpädagogin Tagesmutter Kindergärtnerin Feuerwehrfrau Soldat Soldatin Kapitän Matrose Fischer Fischerin Schäfer Schäferin
Tierpfleger Tierpflegerin Florist Floristin Gärtnermeister Landschaftsgärtner Landschaftsgärtnerin Zimmermann Zimmerin Schweißer Schweißerin
Industriemechaniker Gas-Wasser-Installateur Heizungsbauer Fliesenleger Stuckateur Glaser Steinmetz Steinmetzin Orgelbauer Geigenbauer
Geigenbauerin Instrumentenbauer Klavierbauer Buchbinder Buchbinderin Buchhändler Buchhändlerin Drucker Grafiker Grafikerin Grafikdesigner
Grafikdesignerin Webdesigner Webentwickler Webentwicklerin Systemadministrator Administrator Datenanalystin Statistiker Statistikerin
Mathematiker Mathematikerin Geologe Geologin Historiker Historikerin Archäologe Archäologin Archivar Archivarin Kurator Kuratorin Dirigent
Dirigentin Sänger Sängerin Pianist Pianistin Cellist Cellistin Tänzer Tänzerin Regisseur Regisseurin Tontechniker Tontechnikerin Kameramann
Kamerafrau Moderator Moderatorin Lektor Lektorin Texter Texterin Projektleiter Projektleiterin Projektmanager Projektmanagerin Teamleiter
Teamleiterin Abteilungsleiter Abteilungsleiterin Geschäftsführer Geschäftsführerin Filialleiter Filialleiterin Einzelhandelskauffrau
Einzelhandelskaufmann Bürokauffrau Bürokaufmann Industriekauffrau Industriekaufmann Versicherungsmakler Versicherungskauffrau
Immobilienmakler Immobilienmaklerin Bankerin Banker Controller Controllerin Sachbearbeiter Sachbearbeiterin Verwaltungsangestellte
Angestellte Paketbote Briefträger Briefträgerin Postbote Zusteller LKW-Fahrer Straßenbahnfahrer Straßenbahnfahrerin Zugbegleiter
Zugbegleiterin Flugbegleiter Flugbegleiterin Fluglotse Fluglotsin Rettungssanitäter Rettungssanitäterin Notfallsanitäter Notfallsanitäterin
Zahntechniker Zahntechnikerin Hörakustiker Hörakustikerin Orthopädietechniker Kosmetikerin Friseurmeister Barkeeper Barkeeperin Barista
Sommelier Hotelfachfrau Hotelfachmann Wirt Wirtin Bäckermeister Bäckereiverkäuferin Metzgermeister Müller Brauer Braumeister Hausfrau
Hausmann Freiberufler Freiberuflerin Pensionär Pensionärin Pastor Pastorin Diakon Mönch Nonne Bestatter Bestatterin Schornsteinfeger
Schornsteinfegerin Detektiv Türsteher Praktikant Praktikantin Trainer Trainerin Yogalehrerin Yogalehrer Hochzeitsfotograf
Hochzeitsfotografin Heilerziehungspfleger Heilerziehungspflegerin Straßenbauer Bauarbeiter Bauingenieur Bauingenieurin Maschinenbauer
Maschinenbauerin Elektroingenieur Elektroniker Elektronikerin Kfz-Mechatroniker Kfz-Mechatronikerin Lagerist Lageristin Gabelstaplerfahrer
Reinigungskraft Putzfrau Kassierer Kassiererin Imkermeister
Sommelière Pflegehelfer Pflegehelferin Altenpflegehelferin Heilpädagoge Heilpädagogin Erzieherhelferin Schulbegleiter Schulbegleiterin Schulleiter Schulleiterin Rektor Rektorin
Lehrerin_für_Deutsch Referendar Referendarin Nachhilfelehrer Nachhilfelehrerin Justizvollzugsbeamter Zollbeamter Zollbeamtin Kommissar Kommissarin Rechtspfleger Rechtspflegerin
Notarfachangestellte Steuerfachangestellte Steuerfachangestellter Bürokraft Empfangsdame Rezeptionist Rezeptionistin Disponent Disponentin Speditionskauffrau Medizinische_Fachangestellte MFA
Arzthelferin Zahnarzthelferin Tiermedizinische_Fachangestellte OP-Schwester Intensivpfleger Intensivpflegerin Stationsleiterin Hebammenschülerin Podologin Podologe Augenoptiker
Augenoptikerin Hörgeräteakustiker Schichtleiter Schichtleiterin Vorarbeiter Vorarbeiterin Lagerarbeiter Lagerarbeiterin Kommissionierer Staplerfahrer Baggerfahrer Kranführer Gerüstbauer
Trockenbauer Parkettleger Bodenleger Raumausstatter Raumausstatterin Polsterer Sattler Sattlerin Küchenhilfe Küchenchef Küchenchefin Konditormeister Konditormeisterin Brauerin Winzermeister
Käser Käserin Müllerin Hofverkäuferin Bademeister Bademeisterin Rettungsschwimmer Rettungsschwimmerin Skilehrer Skilehrerin Reitlehrerin Tanzlehrer Tanzlehrerin Klavierlehrer Klavierlehrerin
Chorleiter Chorleiterin Organist Organistin Kantor Kantorin Musiktherapeutin Kunsttherapeutin Bühnenbildner Bühnenbildnerin Maskenbildner Maskenbildnerin Requisiteur Requisiteurin
Kostümbildnerin Souffleuse Dramaturg Dramaturgin Produktmanager Produktmanagerin Datenanalyst Data_Scientist Netzwerktechniker Fachinformatiker Fachinformatikerin IT-Berater IT-Beraterin
Testerin Scrum_Master Personalerin Personaler Einkäufer Einkäuferin Vertriebler Vertrieblerin Außendienstler
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
auxiliar celador celadora pediatra cirujano cirujana cardióloga cardiólogo oculista óptico óptica podólogo podóloga nutricionista entrenador
entrenadora monitor monitora socorrista guardia vigilante soldado militar marinero marinera capitán pastor pastora apicultor apicultora
florista carnicero carnicera frutero frutera charcutero pastelero pastelera barista chef pinche repostero repostera hostelero gerente
encargado encargada director directora jefe_de_obra administrativo administrativa oficinista funcionario funcionaria recepcionista
teleoperador teleoperadora informático informática desarrollador desarrolladora analista científico científica matemático matemática geólogo
geóloga historiador historiadora arqueólogo arqueóloga restaurador restauradora archivero archivera editor editora corrector correctora
guionista cantante bailarín bailarina pianista violinista guitarrista compositor compositora director_de_orquesta escultor escultora
ilustrador ilustradora ceramista artesano artesana soldador soldadora tornero herrero cerrajero cerrajera chapista peón obrero obrera minero
estibador estibadora chófer chofer maquinista conserje portero portera niñera canguro ama_de_casa amo_de_casa empresario empresaria becario
becaria opositor opositora doctorando doctoranda catedrático catedrática profe seño pedagogo pedagoga orientador orientadora
trabajador_social trabajadora_social mediador mediadora fiscal procurador procuradora gestor gestora asesor asesora agente_inmobiliario
agente_inmobiliaria azafato cartero cartera mensajero mensajera tatuador tatuadora masajista esteticista guía_turístico guía_turística guía
sumiller sommelier maître coctelero coctelera heladero heladera quesero quesera churrero pizzero pizzera jefa_de_cocina jefe_de_cocina ayudante_de_cocina lavaplatos reponedor
reponedora dependiente dependienta cajero_de_banco mozo_de_almacén moza_de_almacén carretillero transportista taxidermista guardabosques guarda_forestal bombero_forestal jefe_de_turno
jefa_de_turno jefe_de_estudios jefa_de_estudios profesor_de_música profesora_de_música profesor_particular docente neurólogo neuróloga traumatólogo traumatóloga anestesista ginecóloga
ginecólogo dermatólogo dermatóloga psiquiatra odontóloga odontólogo ortodoncista higienista_dental protésico terapeuta terapeuta_ocupacional osteópata quiropráctico acupuntor acupuntora
asistente_social educadora_social educador_social psicopedagoga psicopedagogo intérprete locutor locutora presentador presentadora cámara montador montadora productor productora realizador
realizadora maquillador maquilladora estilista modista yesero escayolista electricista_industrial instalador instaladora pintor_de_brocha_gorda techador encofrador ferrallista topógrafo
topógrafa aparejador aparejadora delineante perito perita inspector inspectora aduanero guardia_civil mosso bedel ordenanza enólogo enóloga viticultor viticultora olivarero jornalero
jornalera temporero temporera vaquero pastelero_artesano granjero granjera percebeiro mariscador mariscadora luthier orfebre relojero relojera encuadernador encuadernadora librero librera
kiosquero community_manager diseñadora_gráfica diseñador_gráfico desarrolladora_web desarrollador_web administrador_de_sistemas ingeniero_de_software analista_de_datos científica_de_datos
"""
WORKPLACES = """
academy agency airport archive bakery bank bar bookshop bookstore brewery café cafe call_centre cinema city_council clinic
college council court dairy embassy factory farm foundation garage garden_centre gym hospital hospice hotel institute
kindergarten lab laboratory law_firm library ministry museum newspaper nursery nursing_home opera pharmacy police
post_office prison pub publisher radio_station restaurant school shelter shipyard start-up startup supermarket theatre
theater town_hall trust university vineyard warehouse winery workshop zoo
commission infirmary surgery dentist's vet's practice depot quarry mill salon studio railway port docks harbour butcher's florist's
garden_center call_center charity co-op firm company shop store dealership refinery care_home day_centre planetarium aquarium observatory
courthouse fire_station police_station campsite sawmill orchard coffee_shop flower_shop pet_shop chip_shop swimming_pool leisure_centre
tax_office job_centre housing_association publishing_house insurance_company power_plant uni airline bike_shop theatre_company
hardware_store clothes_shop shoe_shop record_shop charity_shop primary_school secondary_school high_school grocery_store retirement_home
children's_home boatyard golf_club tennis_club youth_club cathedral church parish health_centre medical_centre blood_bank food_bank
tv_station trade_union union navy army air_force coastguard fire_brigade ambulance_service probation_service civil_service health_service
home_office tax_authority local_authority auction_house laundry launderette nursery_school film_studio recording_studio design_studio
consultancy solicitors solicitor's bookmaker's baker's greengrocer's chemist's optician's hairdresser's barber's takeaway pizzeria canteen
trust credit_union ambulance_trust water_board housing_office job_shop pawn_shop garden_shop fish_plant community_hall village_hall diner steelworks brickworks waterworks print_shop pottery tannery smithy chocolate_factory car_plant
"""
SPOUSES = "husband wife boyfriend girlfriend partner fiancé fiancée fiance fiancee spouse"
CHILDREN = "daughter son"
SIBLINGS = "brother sister"
PARENTS = "mother father mom mum dad mama papa"
OTHERS = "grandmother grandfather grandma grandpa aunt uncle cousin niece nephew parents kids children grandparents"
FRIENDS = "friend flatmate roommate boss colleague"
ILLNESSES = """
asthma diabetes type_1_diabetes type_2_diabetes arthritis rheumatoid_arthritis migraine migraines chronic_migraines epilepsy celiac coeliac celiac_disease coeliac_disease hay_fever hayfever
adhd anxiety depression postnatal_depression insomnia high_blood_pressure low_blood_pressure high_cholesterol tinnitus crohn's crohns crohn's_disease colitis ulcerative_colitis ibs
multiple_sclerosis ms parkinson's parkinsons cancer breast_cancer bowel_cancer skin_cancer prostate_cancer leukaemia leukemia lymphoma sleep_apnoea sleep_apnea endometriosis pcos eczema psoriasis
rosacea dyslexia dyspraxia dyscalculia autism ptsd ocd scoliosis a_slipped_disc slipped_disc sciatica anaemia anemia long_covid lupus bipolar bipolar_disorder fibromyalgia gout osteoporosis
osteoarthritis vertigo glaucoma cataracts kidney_stones kidney_disease gallstones copd emphysema angina a_heart_murmur heart_murmur heart_disease heart_failure a_pacemaker hepatitis hiv
hypothyroidism hyperthyroidism an_underactive_thyroid hashimoto's raynaud's tourette's narcolepsy dementia alzheimer's vitiligo alopecia sickle_cell cystic_fibrosis haemophilia hemophilia
carpal_tunnel tennis_elbow frozen_shoulder a_hernia hernia an_ulcer stomach_ulcers reflux acid_reflux aphantasia prosopagnosia synaesthesia vaginismus chronic_fatigue shingles
prediabetes pre-diabetes gestational_diabetes plantar_fasciitis atrial_fibrillation afib arrhythmia a_blood_clot deep_vein_thrombosis pots hypermobility ehlers-danlos lymphoedema lymphedema
diverticulitis gastritis gerd a_hiatus_hernia hiatus_hernia stage_one_cancer stage_two_cancer stage_three_cancer lung_cancer ovarian_cancer cervical_cancer thyroid_cancer pancreatic_cancer
melanoma myeloma adenomyosis fibroids pmdd menopause_symptoms macular_degeneration keratoconus astigmatism diabetic_neuropathy neuropathy restless_legs restless_legs_syndrome
trigeminal_neuralgia cluster_headaches bursitis tendonitis tendinitis rotator_cuff_tear ankylosing_spondylitis psoriatic_arthritis polymyalgia sarcoidosis graves'_disease addison's
myasthenia_gravis me/cfs lyme_disease bronchiectasis pulmonary_fibrosis rhinitis sinusitis panic_disorder generalised_anxiety bpd borderline_personality_disorder schizophrenia anorexia
bulimia dermatitis perioral_dermatitis hidradenitis seborrheic_dermatitis hearing_loss bells_palsy
"""
AILING = """
diabetic asthmatic epileptic anaemic anemic coeliac celiac dyslexic dyspraxic autistic bipolar deaf blind colour-blind colourblind color-blind colorblind short-sighted long-sighted
hard_of_hearing hiv_positive claustrophobic agoraphobic insomniac an_insomniac partially_sighted partially_deaf half_deaf half_blind hypermobile haemophiliac
a_diabetic a_type_1_diabetic a_type_2_diabetic a_coeliac an_asthmatic a_recovering_alcoholic in_remission
pre-diabetic prediabetic anorexic bulimic arthritic neurodivergent dyscalculic anosmic
"""
SUBJECTS = """
law medicine physics chemistry biology marine_biology maths math mathematics applied_maths history art_history history_of_art archaeology anthropology philosophy theology english english_literature linguistics
french german spanish italian russian japanese chinese latin classics geography geology economics politics political_science international_relations sociology psychology criminology
social_work education primary_education nursing midwifery dentistry pharmacy veterinary_science veterinary_medicine vet_med engineering mechanical_engineering civil_engineering electrical_engineering
chemical_engineering software_engineering aerospace_engineering computer_science computing data_science statistics artificial_intelligence architecture urban_planning interior_design
graphic_design fashion_design fashion fine_art photography film film_studies media media_studies journalism creative_writing music music_production drama theatre acting dance
business business_studies business_administration management accounting accountancy finance marketing human_resources tourism hospitality sports_science physiotherapy nutrition
food_science agriculture forestry horticulture environmental_science environmental_studies oceanography astronomy astrophysics biochemistry biomedical_science neuroscience genetics microbiology
public_health speech_therapy occupational_therapy radiography paramedic_science animal_behaviour zoology ecology conservation museum_studies library_science translation education_studies carpentry
joinery plumbing electrical_installation hairdressing beauty_therapy catering bricklaying counselling game_design animation robotics
"""
SUBJECTS_DE = """
Jura Medizin Physik Chemie Biologie Meeresbiologie Mathe Mathematik Geschichte Kunstgeschichte Archäologie Philosophie Theologie Anglistik Germanistik Romanistik Slawistik Linguistik Geographie Geografie
Geologie BWL VWL Betriebswirtschaft Wirtschaftsinformatik Wirtschaftsingenieurwesen Politik Politikwissenschaft Soziologie Psychologie Soziale_Arbeit Sozialpädagogik Pädagogik Lehramt Grundschullehramt
Sonderpädagogik Pharmazie Zahnmedizin Tiermedizin Pflege Pflegewissenschaft Hebammenwissenschaft Maschinenbau Elektrotechnik Bauingenieurwesen Informatik Medieninformatik Statistik Architektur
Stadtplanung Innenarchitektur Grafikdesign Design Modedesign Kunst Fotografie Filmwissenschaft Medienwissenschaft Journalistik Journalismus Musik Musikwissenschaft Schulmusik Schauspiel Tanz
Theaterwissenschaft Tourismus Sport Sportwissenschaft Ernährungswissenschaft Landwirtschaft Agrarwissenschaft Forstwissenschaft Umwelttechnik Umweltwissenschaften Astronomie Biochemie Ethnologie
Religionswissenschaft Sinologie Japanologie Verfahrenstechnik Luft-_und_Raumfahrttechnik Mechatronik Materialwissenschaft Logopädie Ergotherapie Physiotherapie
"""
SUBJECTS_ES = """
derecho medicina biología física química historia filosofía psicología arquitectura economía ingeniería enfermería periodismo informática matemáticas arte música filología magisterio bellas_artes
historia_del_arte geografía geología veterinaria farmacia odontología fisioterapia logopedia trabajo_social educación_infantil educación_social pedagogía sociología ciencias_políticas
antropología arqueología traducción turismo comunicación_audiovisual publicidad marketing administración_de_empresas ade contabilidad estadística telecomunicaciones ingeniería_civil ingeniería_industrial
teleco diseño_gráfico diseño diseño_de_moda fotografía cine teatro danza nutrición ciencias_ambientales biotecnología bioquímica criminología relaciones_internacionales gastronomía electrónica mecánica electricidad peluquería
"""
ILLNESSES_DE = """
Diabetes Diabetes_Typ_1 Diabetes_Typ_2 Asthma Heuschnupfen Rheuma Migräne Epilepsie Zöliakie Krebs Brustkrebs Bluthochdruck hohen_Blutdruck Arthrose Arthritis Neurodermitis ADHS ADS Depressionen Depression Tinnitus
Rückenprobleme Flugangst Höhenangst Platzangst Klaustrophobie Angststörung Panikattacken Schlafstörungen Schlafapnoe Parkinson MS Multiple_Sklerose Demenz Alzheimer Morbus_Crohn Reizdarm Endometriose
Schuppenflechte Gicht Osteoporose Skoliose Bandscheibenvorfall Hashimoto Schilddrüsenunterfunktion Anämie Long_Covid Lupus Borderline Burnout Legasthenie Herzrhythmusstörungen Herzfehler Herzschrittmacher
Schlaganfall Herzinfarkt Lungenentzündung Nierensteine Gallensteine Thrombose Hexenschuss Ischias Tennisarm Lumbago Lungenembolie Hörsturz Grauer_Star Fibromyalgie Rosacea Lipödem
Gürtelrose Hämophilie Glaukom Laktoseintoleranz Karpaltunnelsyndrom Prothese künstliche_Hüfte neue_Hüfte Hörgerät Hörgeräte Rosazea COPD HIV
Vorhofflimmern Kreuzbandriss Meniskusriss Herzinsuffizienz Restless_Legs Reizmagen Gastritis Divertikulitis Prädiabetes Schwangerschaftsdiabetes Schilddrüsenüberfunktion Basedow
Colitis_ulcerosa Multiples_Myelom Leukämie Lymphdrüsenkrebs Hautkrebs Darmkrebs Prostatakrebs Lungenkrebs Eierstockkrebs Myome Wechseljahresbeschwerden Polyneuropathie Karpaltunnel
Kalkschulter Fersensporn Sehnenscheidenentzündung Tennisellenbogen Bechterew Psoriasis-Arthritis Sarkoidose Borreliose Bulimie Magersucht Zwangsstörung PTBS Autismus Asperger Tourette
Narkolepsie Trigeminusneuralgie Clusterkopfschmerzen Makuladegeneration Schwerhörigkeit chronische_Schmerzen Hausstauballergie
"""
ILLNESSES_ES = """
diabetes asma migraña migrañas epilepsia artritis artrosis ansiedad depresión cáncer hipertensión celiaquía TDAH dislexia insomnio anemia fibromialgia esclerosis_múltiple alzheimer párkinson demencia vértigo
vértigos ciática hernia una_hernia escoliosis osteoporosis gota psoriasis dermatitis colitis crohn endometriosis tiroides hipotiroidismo apnea tinnitus acúfenos autismo lupus covid_persistente colesterol
bruxismo lumbago mioma miomas quiste quistes nódulo pólipos soplo_en_el_corazón piedras_en_el_riñón halos infarto ictus trombosis bronquitis_crónica sinusitis_crónica túnel_carpiano fascitis gastritis reflujo úlcera
la_tensión_alta tensión_alta marcapasos audífonos claustrofobia pánico_a_volar miedo_a_volar rinitis sinusitis cataratas glaucoma vitiligo
arritmia fibrilación_auricular prediabetes diabetes_gestacional diabetes_tipo_1 diabetes_tipo_2 hernia_de_disco hernia_discal hernia_de_hiato esguince rotura_de_menisco menisco_roto
tendinitis bursitis leucemia linfoma melanoma cáncer_de_mama cáncer_de_colon cáncer_de_próstata hipertiroidismo ovario_poliquístico fibromas menopausia_precoz intestino_irritable
colon_irritable esofagitis hígado_graso cálculos_renales cálculos_biliares neuropatía neuralgia espondilitis artritis_reumatoide artritis_psoriásica trastorno_bipolar trastorno_de_ansiedad
TOC anorexia bulimia esquizofrenia autismo_leve narcolepsia degeneración_macular EPOC enfisema rosácea urticaria dermatitis_atópica alopecia parálisis_facial
"""
PLAYED_DE = """
Klavier Gitarre E-Gitarre Geige Bratsche Cello Kontrabass Schlagzeug Flöte Querflöte Blockflöte Klarinette Oboe Fagott Trompete Posaune Tuba Horn Waldhorn Saxophon Saxofon Akkordeon Mundharmonika Harfe Orgel
Ukulele Banjo Mandoline Bass Keyboard Dudelsack Cajón Zither Alphorn Fußball Tennis Schach Handball Volleyball Beachvolleyball Basketball Tischtennis Badminton Squash Rugby Hockey Eishockey Golf Minigolf
Skat Doppelkopf Poker Bridge Go Darts Billard Padel Boule Bowling Football Wasserball Theater Rollenspiele Brettspiele
"""
PLAYED_ES = """
guitarra guitarra_eléctrica piano violín viola violonchelo chelo contrabajo batería bajo flauta flauta_travesera saxo saxofón trompeta trombón tuba clarinete oboe fagot acordeón armónica arpa órgano ukelele ukulele cajón
gaita bandoneón charango pandereta fútbol tenis ajedrez pádel baloncesto básquet golf balonmano voleibol vóley rugby hockey ping-pong tenis_de_mesa bádminton squash petanca dominó mus póker billar béisbol futbolín
"""
FOODS_DE = """
Fisch Fleisch Schweinefleisch Rindfleisch Hühnchen Wurst Speck Schinken Lamm Leber Innereien Karpfen Lachs Thunfisch Meeresfrüchte Muscheln Garnelen Schalentiere Eier Ei Milch Kuhmilch Hafer Hafermilch Laktose Käse
Joghurt Quark Sahne Butter Gluten Weizen Brot Nüsse Erdnüsse Haselnüsse Walnüsse Mandeln Soja Tofu Zucker Süßes Schokolade Honig Knoblauch Zwiebeln Pilze Champignons Tomaten Paprika Gurken Sellerie Spinat Brokkoli
Blumenkohl Rosenkohl Kohl Sauerkraut Spargel Oliven Kapern Koriander Kümmel Zimt Dill Chili Scharfes Äpfel Bananen Erdbeeren Kiwi Ananas Mango Rosinen Avocado Kokos Kaffee Koffein Tee Alkohol Bier Wein Schnaps Cola
Lakritz Marzipan Ingwer Senf Mayo Linsen Bohnen Kichererbsen Reis Kartoffeln Nudeln
"""
FOODS_ES = """
carne pescado cerdo pollo cordero jamón chorizo marisco mariscos gambas atún salmón huevos huevo leche lactosa lácteos queso yogur nata mantequilla gluten trigo pan harina frutos_secos cacahuetes nueces almendras soja
azúcar chocolate dulces miel ajo cebolla setas champiñones tomate tomates pimiento pimientos pepino apio espinacas brócoli coliflor coles aceitunas cilantro comino canela picante piña mango plátano fresas kiwi aguacate
palta coco café cafeína té mate alcohol cerveza vino refrescos cola lentejas garbanzos judías arroz patatas papas pasta
"""
FOODS = """
dairy milk cheese butter cream gluten wheat bread carbs pasta rice sugar sweets chocolate chips crisps crackers cake junk_food fast_food processed_food alcohol booze wine beer gin whisky coffee caffeine tea fizzy_drinks meat red_meat pork
beef lamb chicken bacon ham veal venison fish seafood shellfish prawns tuna salmon eggs egg nuts peanuts soy soya tofu onions onion garlic mushrooms tomatoes peppers aubergine spinach broccoli sprouts beans lentils mayo mayonnaise
honey salt spicy_food fried_food offal liver
"""
NATIONALITIES = """
scottish welsh irish english british american canadian australian aussie kiwi german french spanish italian portuguese polish romanian bulgarian hungarian czech slovak croatian serbian bosnian albanian greek turkish cypriot maltese
dutch belgian swiss austrian danish swedish norwegian finnish icelandic estonian latvian lithuanian ukrainian russian georgian armenian lebanese syrian palestinian israeli iranian persian iraqi kurdish egyptian moroccan algerian
tunisian nigerian ghanaian kenyan ugandan ethiopian eritrean somali zimbabwean zambian indian pakistani bangladeshi nepali lankan filipino filipina indonesian malaysian singaporean thai vietnamese chinese taiwanese japanese
korean mexican cuban colombian venezuelan peruvian chilean argentinian brazilian jamaican trinidadian catalan basque londoner glaswegian geordie scouser mancunian brummie dubliner yorkshireman cornishman texan new_yorker
"""
NATIONALITIES_DE = """
Deutscher Deutsche Österreicher Österreicherin Schweizer Schweizerin Italiener Italienerin Franzose Französin Spanier Spanierin Portugiese Portugiesin Pole Polin Tscheche Tschechin Ungar Ungarin Rumäne Rumänin Bulgare Bulgarin
Grieche Griechin Türke Türkin Kurde Kurdin Kroate Kroatin Serbe Serbin Bosnier Bosnierin Albaner Albanerin Russe Russin Ukrainer Ukrainerin Däne Dänin Schwede Schwedin Norweger Norwegerin Finne Finnin Niederländer Niederländerin
Holländer Holländerin Belgier Belgierin Engländer Engländerin Schotte Schottin Ire Irin Amerikaner Amerikanerin Kanadier Kanadierin Brasilianer Brasilianerin Syrer Syrerin Iraner Iranerin Iraker Afghane Afghanin Vietnamesin
Rheinländer Rheinländerin Westfale Westfälin Schwabe Schwäbin Bayer Bayerin Franke Fränkin Hesse Hessin Sachse Sächsin Saarländer Saarländerin Friese Friesin Badener Badenerin Tiroler Tirolerin Steirer Steirerin Kärntner Kärntnerin
"""
NATIONALITIES_ES = """
español española gallego gallega catalán catalana vasco vasca andaluz andaluza asturiano asturiana canario canaria valenciano valenciana madrileño madrileña sevillano sevillana mexicano mexicana argentino argentina chileno chilena
colombiano colombiana venezolano venezolana peruano peruana ecuatoriano ecuatoriana boliviano boliviana uruguayo uruguaya paraguayo paraguaya cubano cubana dominicano dominicana guatemalteco guatemalteca hondureño hondureña
salvadoreño salvadoreña nicaragüense costarricense panameño panameña puertorriqueño puertorriqueña brasileño brasileña portugués portuguesa italiano italiana francés francesa alemán alemana inglés inglesa polaco polaca rumano rumana
marroquí porteño porteña cordobés cordobesa tucumano tucumana chilango chilanga gaditano gaditana malagueño malagueña
"""
WORKPLACES_DE = """
Kindergarten Kita Hort Krippe Schule Grundschule Gesamtschule Gymnasium Musikschule Uni Universität Hochschule Bibliothek Bücherei Museum Archiv Theater Kino Oper Krankenhaus Klinik Klinikum Spital Altenheim Pflegeheim
Hospiz Praxis Arztpraxis Zahnarztpraxis Tierarztpraxis Apotheke Labor Kaffeehaus Café Gasthaus Wirtshaus Restaurant Kneipe Bar Hotel Pension Bäckerei Metzgerei Konditorei Gärtnerei Baumschule Baumarkt Supermarkt
Drogerie Buchladen Buchhandlung Blumenladen Weltladen Bioladen Laden Werkstatt Autohaus Tankstelle Spedition Lager Fabrik Werk Druckerei Brauerei Molkerei Mühle Reederei Werft Sparkasse Bank Versicherung Kanzlei
Notariat Gericht Rathaus Stadtverwaltung Landratsamt Finanzamt Jugendamt Standesamt Arbeitsamt Jobcenter Polizei Feuerwehr Rettungsdienst Bundeswehr Post Bahn Flughafen Zoo Tierheim Schwimmbad Freibad Fitnessstudio
Callcenter Verlag Zeitung Redaktion Agentur Startup Gemeinde Pfarramt Bauhof Forstamt Friseursalon Reisebüro Callcenter Weingut Reiterhof Bauernhof
"""
WORKPLACES_ES = """
hospital clínica ambulatorio consultorio farmacia residencia geriátrico colegio cole instituto insti escuela guardería universidad facultad academia biblioteca museo archivo teatro cine ayuntamiento juzgado comisaría
banco gestoría notaría despacho bufete oficina agencia inmobiliaria empresa fábrica taller almacén nave puerto aeropuerto estación gasolinera supermercado súper mercado tienda librería panadería pastelería carnicería
pescadería frutería peluquería estética zapatería ferretería floristería bar cafetería restaurante hotel hostal cocina bodega granja finca invernadero gimnasio piscina imprenta editorial periódico radio tele astillero
mina laboratorio protectora parroquia call_center
"""
ACTIVITIES_DE = """
Chor Chorprobe Bandprobe Probe Orchester Theaterprobe Training Fußballtraining Handballtraining Yoga Pilates Zumba Judo Karate Turnen Schwimmen Klettern Tanzen Tanzkurs Reiten Reitstunde Töpfern Töpferkurs Nähkurs
Sprachkurs Malkurs Stammtisch Skatrunde Spieleabend Lauftreff Gitarrenunterricht Klavierunterricht Geigenunterricht Kegeln Volleyball Badminton Tischtennis Feuerwehrübung Abendschule Bibelkreis Lesekreis Sauna Fitness
"""
PETS_DE = """
Hund Hunde Hündin Welpe Welpen Dackel Labrador Golden_Retriever Schäferhund Pudel Mops Husky Terrier Jack_Russell Beagle Boxer Dogge Collie Spitz Chihuahua Mischling Schnauzer Windhund Katze Katzen Kater Kätzchen Hase
Hasen Kaninchen Hamster Meerschweinchen Maus Mäuse Ratten Wellensittich Wellensittiche Kanarienvogel Papagei Papageien Nymphensittich Nymphensittiche Pferd Pferde Pony Ponys Esel Huhn Hühner Enten Gänse Ziege Ziegen
Schaf Schafe Schwein Schweine Kühe Schildkröte Schildkröten Schlange Schlangen Echse Gecko Goldfisch Goldfische Fische Aquarium Bienen Bienenvölker Frettchen Chinchillas Igel Alpakas Lamas Axolotl Tauben
"""
PETS_ES = """
perro perra perrito perrita perros perras cachorro cachorra cachorros gato gata gatito gatita gatos gatas conejo coneja conejos loro loros periquito periquitos canario canarios tortuga tortugas hámster hámsters caballo
caballos yegua burro burros gallina gallinas cabra cabras oveja ovejas pez peces galgo galga podenco mastín bulldog caniche chihuahua labrador pastor_alemán border_collie beagle hurón hurones cobaya cobayas serpiente iguana
abejas palomas cerdos vacas ponis poni erizo
"""
THINGS = """
lathe kiln telescope kayak canoe caravan campervan camper_van motorhome boat narrowboat houseboat rowing_boat sailing_boat dinghy motorbike motorcycle scooter moped van tractor drum_kit drums sewing_machine
piano grand_piano upright_piano guitar electric_guitar violin cello banjo ukulele accordion keyboard harp allotment greenhouse vegetable_patch summerhouse treehouse hot_tub sauna wood_burner
bike e-bike ebike racing_bike mountain_bike cargo_bike tandem unicycle surfboard paddleboard snowboard skis tent telly tv television dishwasher tumble_dryer 3d_printer record_player
record_collection stamp_collection coin_collection loom spinning_wheel potter's_wheel workshop darkroom metal_detector drone binoculars microscope typewriter holiday_home beach_hut
holiday_flat lock-up cottage vineyard smallholding farm orchard trampoline pool pool_table snooker_table pinball_machine jukebox vespa harley land_rover tuk-tuk cabin
"""
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
lurcher schnauzer cockerpoo cavapoo labradoodle cockapoo pomeranian chihuahua rottweiler alsatian german_shepherd golden_retriever
border_collie springer pointer setter mastiff great_dane dalmatian weimaraner vizsla akita shiba boxer staffie jack_russell westie yorkie
mongrel mutt rescue_dog rescue_cat maine_coon siamese_cat ginger_cat moggy axolotl tarantula stick_insects parakeet lovebirds canaries
pigeons doves quails geese turkeys cow cows mule pot-bellied_pig terrapin koi stick_insect degus guinea-pig guinea-pigs tortoiseshell
cockatoo macaw budgies cockatiels finches bearded_dragon chameleon frog frogs newt tropical_fish lambs
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
Plattdeutsch Platt Schweizerdeutsch Kurdisch Persisch Farsi Hebräisch Vietnamesisch Serbisch Bosnisch Albanisch Bulgarisch Slowakisch Slowenisch Isländisch Latein Esperanto Gebärdensprache Hindi Thailändisch
Norwegisch Finnisch Griechisch Arabisch Chinesisch Japanisch Koreanisch Ukrainisch Tschechisch Ungarisch Rumänisch Kroatisch
"""
LANGUAGES_ES = """
español castellano inglés francés alemán italiano portugués catalán gallego euskera polaco ruso turco neerlandés sueco árabe
quechua guaraní náhuatl valenciano mallorquín aranés búlgaro checo danés noruego hebreo persa wolof
chino japonés coreano griego ucraniano rumano
"""
INSTRUMENTS_AND_GAMES = """
accordion badminton banjo baseball basketball bass bassoon bridge cello chess clarinet cricket darts drums fiddle flute football
go golf guitar handball harmonica harp hockey keyboard lacrosse mandolin oboe organ padel piano poker recorder rugby sax
saxophone snooker soccer softball squash table_tennis tennis trombone trumpet tuba ukulele viola violin volleyball water_polo
bagpipes bodhran double_bass french_horn pipe_organ church_organ tin_whistle sitar tabla marimba vibraphone theremin synth electric_guitar
bass_guitar classical_guitar flugelhorn cornet euphonium bugle concertina melodica lute lyre zither dulcimer djembe bongos cajon steel_drums
didgeridoo pickleball padel_tennis walking_football five-a-side netball lawn_bowls bowls boules petanque croquet ultimate ultimate_frisbee
shogi backgammon mahjong scrabble dominoes roller_derby ice_hockey
"""
SPORTS = """
bouldering bowling camping climbing cycling dancing diving fishing fly-fishing geocaching hiking hunting jogging kayaking
kitesurfing rowing running sailing skating skiing snowboarding surfing swimming windsurfing birdwatching orienteering
sea_swimming wild_swimming open-water_swimming paddleboarding paddle_boarding canoeing rock_climbing fell_running trail_running horse_riding
roller_skating ice_skating skateboarding mountain_biking scuba_diving snorkelling sky_diving skydiving paragliding gliding archery fencing
trampolining weightlifting powerlifting
cold-water_swimming coasteering canyoning caving potholing ice_climbing mountaineering hillwalking hill_walking rambling nordic_walking parkrunning spinning ballroom_dancing salsa_dancing
line_dancing morris_dancing ceilidh_dancing ice_fishing sea_fishing carp_fishing foraging metal_detecting stargazing beachcombing motorcycling rally_driving karting go-karting bodybuilding
roller_blading rollerblading longboarding wakeboarding kayak_fishing dragon_boating
"""
PLANNED = """
adopt apply attend book build buy celebrate change climb cycle emigrate enrol enroll fly found foster get_a get_an get_married
hike hire host invite join launch learn marry move organise organize paint propose publish quit redecorate register
renovate rent repair resign retire return run sail sell sign_up spend start stop study switch train travel
visit volunteer
apprentice come_back go_back open take_part take_early retrain start_up train_as finish graduate give_up
"""
PLANNING = """
attending celebrating emigrating flying getting_married going having hosting leaving meeting moving opening retiring returning
running sailing seeing spending starting travelling traveling visiting
relocating moving_back quitting driving_to sailing_to taking doing marrying adopting joining graduating expecting
"""
NO_NAME = """
a always am an and are as asked at ate be because been but called calls can cant could did didnt do does dont even for from
get gets going got had has have he her here his how i if in into is isnt it its jokes just keeps kept knows last law let lets
like likes lost loves made makes may me might my needs never new no not now of off on once only or our out please really said
sat saw says seems she should sits so still such take takes tells texted than that the their them then there they thinks this
to today told tomorrow too used very wants was wasnt we went were what when where which who whose why will with without would
dr mr mrs ms prof yesterday you your later soon back busy late fine tired sick angry crazy mad monday tuesday wednesday thursday friday saturday
scottish welsh american british canadian australian brazilian mexican indian african european asian catholic jewish muslim christian buddhist hindu aries taurus gemini virgo libra scorpio sagittarius capricorn aquarius pisces
sunday january february march april june july august september october november december
"""
"""What follows a relation and is no name, even in title case. (Whoever is called April or June is missed.)"""
CLOSING = """
all_well all_good all_fine all_is_well all's_well all_healthy everyone's_well everyone's_fine loving_it love_it so_happy so_excited so_chuffed over_the_moon in_love can't_wait can't_believe_it finally at_last yay yayy woohoo woo_hoo wow phew omg lol lmao btw tbh thanks thank_you
alle_gesund alle_wohlauf alles_gut alles_bestens alles_super juhu juhuu hurra endlich so_glücklich überglücklich freu_mich freu_mich_so ich_freu_mich ich_freue_mich wahnsinn lg danke
todo_bien todo_perfecto todo_genial todos_bien qué_ilusión qué_alegría qué_felicidad qué_pasada qué_nervios por_fin yupi besos un_beso besitos gracias muy_feliz muy_felices
x xx xxx xxxx xoxo xd haha hahaha jaja jajaja jeje hihi hehe
"""
"""What may end a message without saying more of what it tells: "she's here! Anaya, born this morning. All well xx"."""
CALLED_KIN = """
sis bro mum mom mummy mommy mama mamma dad daddy papa pops nan nana nanna gran granny grandma grandmother grandpa grandad granddad grandfather auntie aunty aunt uncle cousin
oma omi opa mutti mutter vati vater mami papi tante onkel schwester bruder abuela abuelo mamá papá tía tío hermana hermano
"""
"""How people speak to their family, and so no name of a partner: "we celebrated our wedding, Sis"."""
BRANDS = """
lego google facebook instagram netflix amazon ikea uber twitter whatsapp zoom tesla apple spotify youtube tiktok venmo paypal photoshop skype
xbox playstation nintendo mercedes toyota volvo audi bmw ford honda fiat volkswagen skoda christmas easter
"""
"""What follows "my son" or "my mom" without being a name."""
NO_LIKING = """
you him her them me us it this that these those how when what where why who whom which whoever whatever everything anything
nothing something someone somebody anyone anybody everyone nobody myself yourself himself herself being to one your his their
its my our if the a an some any being more most both each every another other such too so all half here there not having
getting seeing knowing hearing none no work people at better hard up still cuando que como cómo esa ese esos esas este esta estos estas aquel aquella diese dieser dieses wenn dass wie eso esto ello todo nada das
"""
"""A first word after which a liking tells of a moment or a person present, and of no lasting taste."""
NO_PLACE = """
hope fear peace denial chaos pain paris-mode sin style luxury poverty silence constant work home bed love trouble
danger hiding front town bulk limbo exile isolation harmony squalor agony terror ruins anticipation misery darkness
sweatpants pajamas pyjamas gym office shower future heaven hell good bad experience above below abroad tears downtown
paro obras casa zucker beton stahl eisen holz stein glas papier pappe plastik gummi watte fleisch blut teflon marzipan wachs knast paradies angst stress armut
scheidung trennung rente urlaub azúcar hierro acero piedra cristal barro hielo papel goma mantequilla madera oro plomo trapo luna nubes paz pecado sueños cielo infierno gloria vilo
pijama bata ascuas letras ciencias fiar armas ideas costumbres pocas buena nowhere school church hospital mars wonderland narnia atlantis someone people
frieden luxus wohlstand harmonie sünde camp campus base basecamp barracks civilization civilisation reality basics hq
marte venus plutón saturno babia café té mordor hogwarts gotham krypton azkaban westeros tatooine nimmerland entenhausen takatukaland
"""
"""Where one lives or comes from without its being a place."""
ONLINE = """
excel outlook gmail email slack teams discord reddit zoom twitter facebook instagram tiktok tumblr bluesky mastodon whatsapp youtube linux windows vim emacs photoshop figma jira
minecraft skyrim stardew azeroth tamriel kanto oz anarchie demokratie freude saus höhlen häusern trümmern zelten schwarz weiss word
"""
"""Where one lives in jest, some of them employers, and nouns that German writes like a town; ß as ss."""
NO_EMPLOYER = """
night once least last free fun money living random heart best worst first large nothing myself peanuts hours nine
eight noon midnight times speed scale weekends days christmas night-time office present him cash charity
this that it us them everyone everybody somebody someone anybody anyone dawn sea two three four five six seven ten eleven twelve midday all
any other another full half max maximum minimum pace today tomorrow tonight now ages years months weeks minutes her me you our your their
his its
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
eis döner bier brötchen kaffee kuchen pizza karte karten getränk wein brot pommes burger wurst bratwurst schokolade kippe kippen zigarette zigaretten fahrkarte fahrkarten fahrschein lotto los lose milch wasser cola tee
helado pan entrada entradas café cerveza cervezas bocata bocadillo billete billetes bebida copa vino agua leche chicle chuches tarta churros boleto boletos décimo tabaco pizza croissant bollo
"""
"""What is bought and gone."""


_EVERYDAY = (
    "great", "good", "time", "work", "house", "home", "stay", "family", "friend", "from", "with", "down", "back",
)  # fmt: skip
"""In an order that does not change: the lists of this file are a part of the version of the rules."""


def cues_of(*lists: str) -> str:
    """One cue word of each entry of such lists, the longest that is not in every other text; of an entry with an apostrophe
    also what it is without.
    """
    found: dict[str, None] = {}
    for text in lists:
        for entry in words(text):
            found[max(re.findall(r"[^\W\d_]+", entry), key=lambda word: (word not in _EVERYDAY, len(word)))] = None
            found.update(dict.fromkeys(re.findall(r"[^\W\d_]+s\b", entry.replace("'", "")) if "'" in entry else ()))
    return " ".join(found)


def words(text: str) -> tuple[str, ...]:
    """The words of such a list; an underscore stands for a space."""
    return tuple(word.replace("_", " ") for word in text.split())
