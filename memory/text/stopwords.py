"""Words that say nothing in a question, by language. They also tell in which language a text is: see `language`.

Written as people write them; `stop_words` gives them as `analysis.fold` leaves them (``don't`` is ``dont``, ``für``
is ``fur``). The lists are memd's own: pronouns, articles, prepositions, auxiliaries, question words, particles.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

_ENGLISH = """
    a about after again all also am an and any are arent as at be because been before being between both but by can
    cant cannot could couldnt did didnt do does doesnt doing done dont down during each either else ever few for from
    further get gets getting got had hadnt has hasnt have havent having he her here hers herself him himself his how
    i if in into is isnt it its itself just let me might more most much must my myself no nor not of off on
    once one only or other our ours ourselves out over own please same shall she should shouldnt so some such tell
    than that the their theirs them themselves then there these they this those through to too under until up upon us
    very was wasnt we were werent what when where whether which while who whom whose why with wont would wouldnt
    you your yours yourself yourselves
"""
ENGLISH = frozenset(_ENGLISH.split())
"""English stop words, without may, will and like: a month, a name, and a frequent subject of queries."""

_OTHERS: Mapping[str, str] = MappingProxyType(
    {
        "de": """
            aber alle allem allen aller alles als also am an ander andere anderen auch auf aus bei beim bin bis bist da
            dabei dafür dann darf das dass davon dazu dein deine deinem deinen deiner dem den denn der des dich die dies
            diese diesem diesen dieser dieses dir doch dort du durch durfte dürfen ein eine einem einen einer eines er es
            etwas euch euer eure für gab ganz gegen gehabt geht gibt hab habe haben habt hast hat hatte hatten hattest
            hier hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in ins ist ja jede jedem jeden jeder jedes jetzt
            kann kannst kein keine keinem keinen keiner können könnt konnte konnten machen macht mal man mein meine meinem
            meinen meiner mich mir mit muss musst müssen nach nicht nichts noch nochmal nun nur ob oder ohne schon sehr
            seid sein seine seinem seinen seiner seit sich sie sind so soll sollen sollte sollten sondern über um und uns
            unser unsere unserem unseren unserer unter vom von vor wann war waren warst warum was weil welche welchem
            welchen welcher welches wem wen wenn wer werde werden weshalb weswegen wessen wie wieder wieso will wir wird
            wirst wo wohin woher wollen wollte wollten worüber wurde wurden würde würden zu zum zur zwischen bitte denn
            halt eben eigentlich
        """,
        "es": """
            a al algo algún alguna algunas alguno algunos ante antes así aún aunque como cómo con cual cuál cuales cuáles
            cuando cuándo cuánta cuántas cuánto cuántos cuyo de del desde donde dónde adónde dos durante e él el ella
            ellas ellos en entre era eran eras eres es esa esas ese eso esos esta está estaba estaban estado están estar
            estas este esto estos estoy fue fuera fueron fui ha había habían haber hace hacer han has hasta hay he hemos
            hubo iba iban ir la las le les lo los más me mi mí mis mucho muy nada ni no nos nosotros nuestra nuestras
            nuestro nuestros o os otra otras otro otros para pero por porque pues que qué quien quién quienes quiénes se
            sé sea ser si sí sido sin sobre somos son soy su sus también tan tanto te tenéis tenemos tener tengo ti tiene
            tienen tienes todo todos tu tú tus un una unas uno unos va vais vamos van vas voy vosotros vuestra vuestro y
            ya yo
        """,
        "fr": """
            a à ai aie ainsi alors as au aussi autre autres aux avaient avais avait avec avez avoir avons c ça car ce
            ceci cela celle celles celui ces cet cette ceux chez combien comme comment d dans de des donc dont du elle
            elles en encore es est et étaient étais était été êtes être eu eux fait faire font fut ici il ils j je la là
            laquelle le lequel les lesquels leur leurs lors lui m ma mais me mes mets moi mon n ne ni non nos notre nous
            on ont ou où oui par parce pas peu peut peux plus pour pourquoi puis qu quand que quel quelle quelles quels
            qui quoi s sa sais sait sans se sera ses si sien soi sommes son sont sous suis sur t ta te tes toi ton tous
            tout toute toutes très tu un une va vais vas vers vos votre vous vu y
        """,
        "it": """
            a abbia abbiamo ad agli ai al alla alle allo anche ancora avere avete aveva avevano avevi avevo c che chi ci
            cioè come con cosa cui d da dagli dai dal dalla dalle dallo degli dei del dell della delle dello di dove
            due e è ed era erano eri ero essere fa fai fanno fare faccio fatto fra già gli ha hai hanno ho i il in io
            l la le lei li lo loro lui ma me mi mia mie miei mio molto ne negli nei nel nella nelle nello no noi non
            nostra nostre nostri nostro o ogni per perché perciò però più poi qua qual quale quali quando quanta quante
            quanti quanto quella quelle quelli quello questa queste questi questo qui sarà se sei si sì sia siamo siete
            sono sta stai stato sto su sua sue sugli sui sul sulla suo suoi te ti tra tu tua tue tuo tuoi tutti tutto
            un una uno va vi voi vostro
        """,
        "pt": """
            a à ao aos aquela aquele aquilo as às até com como da das de dela delas dele deles depois do dos e é ela
            elas ele eles em entre era eram essa essas esse esses esta está estamos estão estar estas estava estavam
            este estes estou eu faz fazer foi fomos for foram há isso isto já lá lhe lhes mais mas me mesmo meu meus
            minha minhas muito na não nas nem no nos nós nossa nossas nosso nossos num numa o onde aonde os ou para
            pela pelas pelo pelos por porque porquê pra pro qual quais quando quanta quantas quanto quantos que quê quem
            se sem ser será seu seus só sobre sou somos são sua suas também te tem têm temos tenho ter teu teus ti tinha
            tinham tu tua tuas tudo um uma umas uns vai vais vamos vão você vocês vos vou
        """,
        "nl": """
            aan al alles als altijd andere ben bent bij daar dan dat de der deze die dit doch doe doen door dus een eens
            en er ga gaan gaat ge geen geweest had hadden heb hebben hebt heeft hem het hier hij hoe hoeveel hun iemand
            iets ik in is ja je jij jou jouw jullie kan kon kunnen maar me meer men met mij mijn moet moeten na naar
            niet niets nog nu of om omdat onder ons onze ook op over reeds te tegen toch toen tot u uit uw van veel voor
            waar waarom wanneer want waren was wat we wel welk welke werd wezen wie wij wil worden wordt zal ze zei zelf
            zich zij zijn zo zonder zou zouden
        """,
        "sv": """
            alla allt än är att av bara blev bli blir blivit då dag de dem den denna deras dess dessa det detta dig din
            dina ditt du där därför efter ej eller en er era ert ett från för får gick går gör ha hade han hans har
            hennes hon honom hur här i icke ifrån in ingen inget inom inte jag ju kan kunde kommer man med mellan men mig
            min mina mitt mot mycket ni nog nu när någon något några och om oss på samma sedan sig sin sina sitt själv
            ska skulle som så till under upp ut utan vad var vara varför varit varje vart vem vems vi vid vilka vilken
            vilket vår våra vårt åt över
        """,
        "da": """
            af alle alt anden at bare blev blive bliver da de dem den denne der deres det dette dig din dine disse dit dog
            du efter eller en end er et for fordi fra få får gik gør ham han hans har havde have hende hendes her hos hun
            hvad hvem hver hvilken hvilket hvis hvor hvordan hvorfor hvornår i ikke ind ingen intet jeg jer jo kan kom
            kunne man mange med meget men mig min mine mit mod må ned nej nogen noget nogle nok nu når og også om op os
            over på sammen se selv sig sin sine sit skal skulle som sådan så thi til ud uden under vi vil ville vor vores
            var være været
        """,
        "no": """
            alle at av bare begge ble blei bli blir da de deg dei dem den denne der dere deres det dette di din disse
            ditt du eller en enn er et ett etter for fordi fra få får før gikk gjør ha hadde han hans har henne hennes
            her hun hva hvem hver hvilke hvilken hvis hvor hvordan hvorfor hun i ikke ikkje ingen inn ja jeg kan kom
            korleis kunne kva kvar man mange med meg mellom men mer mi min mine mitt mot mye må ned nei noe noen nok nå
            når og også om opp oss over på så seg selv si sin sine sitt skal skulle slik som til ut uten vår våre vært
            var være ved vi vil ville
        """,
        "fi": """
            aina ei eikä eivät eli emme en enää että ette ehkä he heidän heille heitä hän häneen hänelle hänen hänet häntä
            ihan ilman itse ja jo joka jonka jos josta jotka joten kai kanssa kenelle kenen keneltä ketä ketkä koska
            kuin kuinka kuka kun kuitenkin kyllä me meidän meille meitä mihin mikä mikään millä milloin minkä minne minua
            minulla minulle minun minut minä missä mistä mitkä mitä miksi miten mua mulla mun mutta myös mä ne niiden
            niin niitä no noin nyt näin nämä oli olet oletko olemme olen oli olin olisi olit olivat olla ollut on onko
            ovat paljon se sekä sen siellä siihen siinä sillä silloin sinä sinua sinulla sinulle sinun sinut sitten sitä
            siis sun sulla sä tai tai te teidän teille tuo tuon tulee tämä tämän tähän tässä tästä täällä vaan vai vain
            vielä voi vähän
        """,
        "tr": """
            acaba ama ancak artık aslında az bana bazı belki ben benden beni benim bile bir biraz biri birkaç biz bizden
            bize bizi bizim böyle bu buna bunda bundan bunlar bunu bunun burada çok çünkü da daha de defa değil demek diye
            dolayı eğer en fakat falan filan gibi göre hangi hangisi hani hatta hem hep hepsi her hiç için ile ise işte
            kaç kadar ki kim kime kimi kimin kimler kimse mı mi mu mü mısın misin musun müsün nasıl ne neden nedir neler
            neleri nere nerede nereden nereye neye nesi neydi niçin niye o olan olarak oldu olduğu olmak olsa olsun olup
            olur ona ondan onlar onların onu onun orada oysa pek sana sanki sen senden seni senin siz sizden size sizi
            sizin sonra şey şimdi şöyle şu şuna şunu tabii tüm ve veya var vardı ya yani yine yok yoksa zaten
        """,
        "pl": """
            a aby ale ani bardzo bez bo być był była było były będzie będą chyba ci co coś czy czyli dla do gdy gdzie go
            i ich ile im ja jak jaka jaki jakie jako je jego jej jest jestem jesteś jeszcze jeśli już kiedy kim kogo komu
            kto która które który którzy lub ma mają mam masz mi mnie mną mogę może można mój moja moje mu my na nad nam
            nami nas nasz nie nic nich nim niż no o od on ona one oni ono oraz po pod po ponieważ przed przez przy są się
            skąd swój ta tak także tam te tego tej ten też to tobie tu tutaj twoja twój ty tych tylko tym u w was wam we
            więc wy z za ze że żeby
        """,
        "cs": """
            a aby ale ani asi až bez bude budou by byl byla byli bylo být co což či do ho i já jak jako jaká jaké jaký je
            jeho její jejich jen ještě jestli jsem jsi jsme jsou jste já jí jim už k kam kde kdo kdy kolik která které
            který kvůli ma má mají máme mám máš mezi mi mě mít moc moje možná můj my na nad nám nás náš ne nebo než nic
            o od odkud on ona oni ono pak po pod podle pokud pro proč protože před při s se si sice své svůj ta tak také
            tam te tě ten tedy to tobě toho tom tomu toto tu tvůj ty u v vám vás váš ve více vy z za ze že
        """,
        "ro": """
            a acea aceasta această acel acela acest acesta aceste acum ai aia al ale am ar are aș asta așa ați au ba ca
            că când care cât câtă câți ce cea cel cele cine cu cui da dacă dar de deci decât din după ea ei el ele era
            erau este eu face fi fie fiind fost i îi îl îmi în îi își ii îți la le li lor lui m mai mea mei mele meu mi
            mine mult n ne nici nimic noi nostru nu o ori pe pentru până prin s sa să sau se și sunt sub ta tau te ți tu
            un una unde unei unor unui va vă voi vom vor vostru
        """,
        "hu": """
            a abban ahhoz ahogy ahol aki akik akkor alatt amely ami amikor amit arra arról az azért azok azon azt aztán
            azzal be benne csak de e egy egyik el ehhez ekkor elég én ennek erre es ez ezek ezen ezért ezt ezzel és fel
            ha hány hanem hát hogy hol honnan hová ide igen ilyen itt jó kell ki kik kinek kit le legyen lehet lenne lesz
            lett maga már más meg mely melyik mennyi mert mi miért mikor milyen mind minden mint mit mivel most nagyon ne
            nekem neki nekünk nem nincs olyan ott ő pedig rá s saját sem se ső szerint te ti tud úgy utána vagy
            vagyok van vannak volna volt voltak voltam
        """,
        "id": """
            ada adalah agar aja akan aku anda apa apakah atau bagaimana bahwa banyak bisa bukan dalam dan dari dengan
            dengan di dia dimana gimana ini itu jadi juga kalau kalian kami kamu kapan karena ke kemana kenapa kita lagi
            lah lebih mana masih mau mengapa mereka nya oleh pada punya saja sama sangat saya sebagai sedang siapa sudah
            supaya telah tapi tetapi tidak untuk yang ya berapa
        """,
        "ru": """
            а без более был была были было быть в вам вас весь во вот все всё всего всех вы где да даже для до его ее её
            если есть еще ещё же за зачем здесь и из или им их к как какая какие какой какую кем когда кого кому которая
            которые который кто куда ли лишь меня мне мной много может можно мой моя мои мы на над надо наш наша не него
            нее неё нет ни них но ну о об он она они оно от откуда очень по под почему при про с сам свой себе себя сейчас
            сколько со так также такой там тебе тебя тем то тобой тогда того тоже только том тот ту тут ты у уже хотя чего
            чей чем что чтобы чье эта эти это этого этой этом этот эту я
        """,
        "uk": """
            а або але б без був була були було бути в вам вас вже ви від він вона вони воно все всі де для до є з за
            зі і із інші їх його її й коли кого кому куди лише мене мені ми мій моя на навіщо над нам нас наш не нема
            немає ні них ну о об от по під при про скільки с собі та так також такий там твій те тебе ти тільки то тобі
            того тоді тому тут у хто це цей ця цього чи чого чому ще що щоб як яка який які якщо я
        """,
        "el": """
            ένα ένας αλλά αν από αυτά αυτή αυτό αυτός για γιατί δε δεν είμαι είναι είχα είχαν είχε εγώ εμείς εσύ έχει
            έχεις έχουν έχω ή η ήταν θα και κάτι με μας μέσα μετά μια μία μη μην μου μπορεί να ο οι όμως όπως όταν ότι
            όχι πάλι πιο πια ποια ποιο ποιος πολύ που πού πόσο πότε πρέπει προς πώς σαν σας σε στα στη στην στις στο στον
            στους τα τη την της τι τις το τον του τους των ως
        """,
        "ar": """
            أن أنا أنت أو أي أين إلى إن الذي التي الذين إذا الى ان او اين بعد بين تلك ثم حتى حيث ذلك سوف على عن عند غير في
            قبل قد كان كانت كل كم كيف لا لكن لم لماذا لن له لها لو ليس ما ماذا متى مع من منذ نحن هذا هذه هل هم هنا هناك هو
            هي و يا
        """,
    }
)


LANGUAGES = ("en", *_OTHERS)
"""The ISO 639-1 codes of the lists."""


@lru_cache(maxsize=len(LANGUAGES))
def stop_words(language: str) -> frozenset[str]:
    """Return the folded stop words of a language; empty if there are none."""
    from .analyzer import fold

    if language == "en":
        return ENGLISH
    return frozenset(fold(word) for word in _OTHERS.get(language, "").split())
