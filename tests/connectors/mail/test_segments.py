"""The parts of a mail's text: nothing is lost, and nobody's words are another one's."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.connectors.formats.mail.mailbox import parse_message, segment_text
from memd.tests.cases import for_each
from memd.tests.connectors.mail.reading import mail, parts

ATTRIBUTIONS = [
    "On Mon, Apr 7, 2025 at 2:31 PM Bob Example <bob@example.com> wrote:",
    "On Mon, Apr 7, 2025 at 2:31 PM Bob Example\n<bob@example.com> wrote:",
    "On 07/04/2025 14:31, Bob Example wrote:",
    "Bob Example wrote:",
    "Am 07.04.2025 um 14:31 schrieb Bob Example:",
    "Am Mo., 7. Apr. 2025 um 14:31 Uhr schrieb Bob <bob@example.com>:",
    "Le lun. 7 avr. 2025 à 14:31, Bob <bob@example.com> a écrit :",
    "El lun, 7 abr 2025 a las 14:31, Bob (<bob@example.com>) escribió:",
    "Em seg., 7 de abr. de 2025 às 14:31, Bob <bob@example.com> escreveu:",
    "Il giorno lun 7 apr 2025 alle ore 14:31 Bob <bob@example.com> ha scritto:",
    "Op ma 7 apr 2025 om 14:31 schreef Bob <bob@example.com>:",
    "Den mån 7 apr. 2025 kl 14:31 skrev Bob <bob@example.com>:",
    "pon., 7 kwi 2025 o 14:31 Bob <bob@example.com> napisał(a):",
    "po 7. 4. 2025 v 14:31 odesílatel Bob <bob@example.com> napsal:",
    "пн, 7 апр. 2025 г. в 14:31, Bob <bob@example.com>:",
    "7 апреля 2025, 14:31 от Bob <bob@example.com>:",
    "Bob <bob@example.com>, 7 Nis 2025 Pzt, 14:31 tarihinde şunu yazdı:",
    "Bob <bob@example.com> ezt írta (időpont: 2025. ápr. 7., H, 14:31):",
    "ma 7.4.2025 klo 14.31 Bob (bob@example.com) kirjoitti:",
    "Στις Δευ 7 Απρ 2025 στις 2:31 μ.μ., ο χρήστης Bob <bob@example.com> έγραψε:",
    "Bob <bob@example.com> 于2025年4月7日周一 14:31写道：",
    "2025年4月7日(月) 14:31 Bob <bob@example.com>:",
    "2025년 4월 7일 (월) 오후 2:31, Bob <bob@example.com>님이 작성:",
    "\u202bבתאריך יום ב׳, 7 באפר׳ 2025 ב-14:31 מאת \u202aBob\u202c\u200f <\u202abob@example.com\u202c\u200f>:\u202c",
]


@for_each(ATTRIBUTIONS)
def test_attributions_in_many_languages(attribution: str) -> None:
    """They belong to what is quoted below them, not to the words above."""
    body = f"I will come at nine.\n\n{attribution}\n\n> Will you come?\n> Bob\n"
    assert parts(body) == [
        ("text", 0, "I will come at nine.\n\n"),
        ("attribution", 1, f"{attribution}\n\n"),
        ("quote", 1, "> Will you come?\n> Bob\n"),
    ]


@for_each([each for each in ATTRIBUTIONS if "@" in each])
def test_attributions_before_unmarked_text(attribution: str) -> None:
    """Where nothing marks the lines below, date and address or a known verb tell that they are quoted."""
    body = f"I will come.\n\n{attribution}\n\nWill you come?\n"
    assert parts(body)[0] == ("text", 0, "I will come.\n\n")
    assert [kind for kind, *_ in parts(body)] == ["text", "attribution", "quote"]


@for_each(
    [
        ("From", "Sent", "To", "Subject"),
        ("*From*", "*Sent*", "*To*", "*Subject*"),
        ("Von", "Gesendet", "An", "Betreff"),
        ("De", "Envoyé", "À", "Objet"),
        ("De", "Enviado el", "Para", "Asunto"),
        ("De", "Enviada em", "Para", "Assunto"),
        ("Da", "Inviato", "A", "Oggetto"),
        ("Van", "Verzonden", "Aan", "Onderwerp"),
        ("Från", "Skickat", "Till", "Ämne"),
        ("Lähettäjä", "Lähetetty", "Vastaanottaja", "Aihe"),
        ("Od", "Wysłano", "Do", "Temat"),
        ("От", "Отправлено", "Кому", "Тема"),
        ("Kimden", "Gönderildi", "Kime", "Konu"),
        ("发件人", "发送时间", "收件人", "主题"),
        ("差出人", "送信日時", "宛先", "件名"),
        ("보낸 사람", "보낸 날짜", "받는 사람", "제목"),
        ("מאת", "נשלח", "אל", "נושא"),
    ]
)
def test_header_blocks_of_outlook(sender: str, sent: str, to: str, subject: str) -> None:
    """What follows headers in the text is quoted up to the end, and its author is known."""
    block = f"{sender}: Bob <bob@example.com>\n{sent}: Monday, 7 April 2025 14:31\n{to}: Ann\n{subject}: the boat\n"
    body = f"I will come.\n\n________________________________\n{block}\nWill you come?\n"
    first, second = segment_text(body, "Re: the boat")
    assert (body[first.start : first.end], second.kind) == ("I will come.\n\n", "quote")
    assert (second.author, second.date) == ("Bob <bob@example.com>", "Monday, 7 April 2025 14:31")
    assert segment_text(body, "WG: the boat")[1].kind == "forward"


@for_each(
    [
        "---------- Forwarded message ---------",
        "-------- Original Message --------\n(forwarded)",
        "-------- Weitergeleitete Nachricht --------",
        "---------- Message transféré ---------",
        "-------- Mensaje reenviado --------",
        "Begin forwarded message:",
        "Anfang der weitergeleiteten Nachricht:",
        "Début du message transféré :",
        "---------- 转发的邮件 ---------",
    ]
)
def test_forwards_are_not_their_senders_words(mark: str) -> None:
    """Whatever the language of the program that forwards."""
    body = f"See below.\n\n{mark}\n\nFrom: Dee <dee@x.org>\nDate: 7 April 2025\nSubject: house\nTo: Bob\n\nI live in Oslo.\n"
    found = parse_message(mail(body, Subject="Fwd: house"))
    assert found.reply_text == "See below.\n\n"
    assert "".join((*found.forwarded_blocks, *found.quoted_blocks)).endswith("I live in Oslo.\n")


def test_the_parts_of_a_mail_by_their_kinds() -> None:
    """As `docs/mail.md` names them; together they are its text."""
    quoted = "On 7 April 2025 at 10:00, Dee <dee@x.org> wrote:\n> When?\n"
    disclaimer = "This e-mail is confidential. If you are not the intended recipient, please delete it.\n"
    found = parse_message(mail(f"At nine.\n\n-- \nAnn\n\n{disclaimer}\n{quoted}"))
    assert found.reply_text.strip() == "At nine."
    assert found.signature.strip() == "-- \nAnn"
    assert "".join(found.disclaimer_blocks).strip() == disclaimer.strip()
    assert "".join(found.quoted_blocks).strip() == quoted.strip()
    assert found.forwarded_blocks == ()


def test_quoted_forwards_of_apple_mail() -> None:
    """Its forwards are marked like quotes, too."""
    body = "see below\n\nBegin forwarded message:\n\n> From: Dee <dee@x.org>\n> Subject: x\n> Date: today\n> \n> I live in Rome\n"
    assert [(kind, text) for kind, _, text in parts(body)] == [
        ("text", "see below\n\n"),
        ("forward", body[len("see below\n\n") :]),
    ]


def test_answers_between_quotes() -> None:
    """Each answer stays between the lines that it answers."""
    body = "Hi,\n\nBob wrote:\n> one?\nYes.\n\n> two?\n>\n>> three\nNo.\n"
    assert parts(body) == [
        ("text", 0, "Hi,\n\n"),
        ("attribution", 1, "Bob wrote:\n"),
        ("quote", 1, "> one?\n"),
        ("text", 0, "Yes.\n\n"),
        ("quote", 1, "> two?\n>\n"),
        ("quote", 2, ">> three\n"),
        ("text", 0, "No.\n"),
    ]


def test_answers_below_the_quote() -> None:
    """The older way to answer."""
    assert [kind for kind, *_ in parts("On 7 Apr 2025, Bob wrote:\n> one?\n\nYes, I think so.\n")] == [
        "attribution",
        "quote",
        "text",
    ]


def test_a_chain_of_mails_without_marks_has_depths() -> None:
    """Each header block in the quoted text is one step deeper."""
    block = "From: {0}\nSent: Monday\nTo: x\nSubject: y\n\n{0} says so.\n\n"
    body = "Top.\n\n" + block.format("Bob") + "-----Original Message-----\n" + block.format("Cy")
    found = segment_text(body)
    assert [(each.kind, each.depth, each.author) for each in found] == [
        ("text", 0, ""),
        ("quote", 1, "Bob"),
        ("quote", 2, "Cy"),
    ]


@for_each(
    [
        "-- \nAnn\nACME\n",
        "--\nAnn\n",
        "Sent from my iPhone\n",
        "Von meinem iPhone gesendet\n",
        "Envoyé de mon iPhone\n",
        "Get Outlook for iOS<https://aka.ms/x>\n",
        "从我的 iPhone 发送\n",
        "Отправлено с iPhone\n",
        "Best regards,\nAnn\n",
        "Mit freundlichen Grüßen\nAnn Beispiel\nTel. 123\n",
        "Cordialement,\nAnn\n",
        "Saludos,\nAnn\n",
        "С уважением,\nАнна\n",
        "此致\n安\n",
        "Download Outlook for Android<https://aka.ms/x>\n",
        "Outlook für iOS beziehen<https://aka.ms/x>\n",
        "Outlook for iOS を入手<https://aka.ms/x>\n",
        "Sent wirelessly from my BlackBerry device on the network.\nEnvoyé sans fil par mon terminal BlackBerry.\n",
        "(sent from a phone)\n",
        "Sent from my cell, please excuse any typos.\n",
        "Inviato dal mio iPhone\n",
        "Von Yahoo Mail auf Android gesendet\n",
        "Provenance : Courrier pour Windows 10\n",
        "发送自 Windows 10 版邮件应用\n",
        "Kind regards,\n\n\n\n\n\nAnn\n\nBoat builder\n\n**Example Boats**\n\n01234 567\n",
        "Cheers 🎉\nAnn\n\n—————\nAnn Example\nBoat builder\n",
        "Thanks & Regards,\nAnn\n",
        "Mit freundlichen Grüßen / Best regards\nAnn\n",
        "Tisztelettel,\nAnna\n",
        "Bästa hälsningar\nAnn\n",
        "--\nTo have or to have not, that is the question.\n",
        "Cheers,\nAnn Example, Engineer I\nHead of Sales at We Build Boats\nA company registered in England under number 123.\n",
        "Best regards,\nAnn Example\nProfessor of Boats, University of Oslo\nPlease consider the environment before printing.\n",
    ]
)
def test_signatures(signature: str) -> None:
    """Behind the delimiter, below a closing formula, and those that telephones add."""
    assert parts(f"I will come at nine.\n\n{signature}") == [
        ("text", 0, "I will come at nine.\n\n"),
        ("signature", 0, signature),
    ]


def test_a_mail_that_only_thanks_is_no_signature() -> None:
    """A closing formula closes something."""
    assert [kind for kind, *_ in parts("Thanks!\n")] == ["text"]


@for_each(
    [
        "Hi Bob,\n\nThanks!\n\nI will be there at nine.\nDo you want the oars?\n",
        "Hello Bob\nthank you\n\nthe boat is red\nwe meet on friday at the harbour",
        "Hi\n\nBest\nI ever saw was the blue one.\nAnn",
        "I liked it.\n\nCheers,\n\nI nearly forgot: I moved to Oslo last week.\n",
        "I looked at it:\n-- the mast is old\n\nThanks!",
        "Here is another one\n\nSent from my desk, is much easier than my telephone.\n",
        "Here it is.\n\nSent from my new flat. I will call you later.\n",
        "Hej\n\nSendt med posten i går.\n",
        "I was in Rome.\n--\nThe boat is still in the water.\nWe take it out in May.\n",
    ]
)
def test_sentences_are_no_signature(body: str) -> None:
    """What follows a formula of thanks, or begins like the line of a telephone, is still said by the mail's author."""
    assert parts(body) == [("text", 0, body)]


@pytest.mark.parametrize(
    "said", ["PS: I moved to Oslo.\n", "P.S. the boat is red\n", "I nearly forgot: we moved to Oslo.\n", "Coming?\n"]
)
def test_postscripts_are_their_authors_words(said: str) -> None:
    """They stand below the name, and above the line of a telephone."""
    assert parts(f"I liked it.\n\nCheers,\nAnn\n\n{said}\nSent from my iPhone\n") == [
        ("text", 0, "I liked it.\n\n"),
        ("signature", 0, "Cheers,\nAnn\n\n"),
        ("text", 0, f"{said}\n"),
        ("signature", 0, "Sent from my iPhone\n"),
    ]


@for_each(
    [
        (
            "Disclaimer\n\nThis message is confidential and intended solely for its addressee. Whoever else reads it may not keep it.\n\n"
            "This email has been scanned for viruses and malware, and may have been archived by Example Ltd, who do that.\n"
        ),
        (
            "----------\nThis message is confidential and intended solely for its addressee. Whoever else reads it may not keep it.\n----------\n\n"
            "We read all mail. It is confidential, and whoever is not the intended recipient has received it in error.\n\n-------\n"
        ),
        "This e-mail is confidential and intended solely for the addressee. If you have received it in error, please tell us.\n",
        "Diese E-Mail ist vertraulich. Sind Sie nicht der richtige Empfänger oder haben Sie sie irrtümlich erhalten, sagen Sie es.\n",
        "Ce message est confidentiel et destiné à son destinataire. Si vous l'avez reçu par erreur, merci d'en avertir l'auteur.\n",
    ]
)
def test_disclaimers(disclaimer: str) -> None:
    """Whole paragraphs at the end, below the signature or without one."""
    body = f"I will come.\n\n-- \nAnn\n\n{disclaimer}"
    assert [(kind, text) for kind, _, text in parts(body)][-2:] == [
        ("signature", "-- \nAnn\n\n"),
        ("disclaimer", disclaimer),
    ]


def test_footers_of_lists() -> None:
    """Below a mail of its own words, and below a quote."""
    footer = (
        "_______________________________________________\nBoats mailing list\nhttps://x.org/mailman/listinfo/boats\n"
    )
    assert parts(f"Hello.\n{footer}") == [("text", 0, "Hello.\n"), ("footer", 0, footer)]
    assert parts(f"Yes.\n> Hello?\n{footer}")[-1] == ("footer", 0, footer)


@for_each(
    [
        "Dear Bob,\n\nplease note: the boat is sold.\nFrom: here we go on.\n",
        "I wrote to him:\n\nnothing\n",
        "Agenda:\n- one: two\n- three: four\n",
        "To: do\nFrom: Monday\n",
        "a --- b\n---\nc\n",
        "Time: 10:30\nPlace: Rome\nDate: 2025-04-07\n",
    ]
)
def test_plain_words_stay_their_authors(body: str) -> None:
    """Colons, dashes and words of headers alone make no quote."""
    assert parts(body) == [("text", 0, body)]


@given(
    lines=st.lists(
        st.sampled_from(
            ["", ">", "> a", ">> b", "-- ", "From: a <a@b.c>", "Sent: x", "Subject: y", "To: z", "-----Original Message-----",
             "On 7 Apr 2025, Bob wrote:", "Begin forwarded message:", "words", "Sent from my iPhone", "Best,", "_____", " \t", "\u2028x", "a\r"]
        )
        | st.text(max_size=20),
        max_size=30,
    )
)  # fmt: skip
def test_no_character_is_lost(lines: list[str]) -> None:
    """The parts follow each other without gaps, whatever the lines are."""
    parts("\n".join(lines), "Fwd: x")


@pytest.mark.slow
@for_each(
    [
        ">",
        "> a\nb\n",
        "From: a\n\n",
        "a:\n",
        "-----\n\n",
        "On 2024 ",
        " ",
        "\n",
        "-",
        "_\n",
        "From: a@b\nSent: x\nSubject: y\n\n",
    ]
)
def test_long_texts_are_cut_in_linear_time(line: str) -> None:
    """Tens of thousands of any line come to an end."""
    body = line * (100_000 // len(line)) + "wrote:\n> x"
    assert "".join(body[each.start : each.end] for each in segment_text(body)) == body


TOLD_APART = [
    ("Fine.\n\nOriginal Message processed by david®\nBoat 9. August 2022, 12:44 Uhr\nVon Bob Example\nAn Ann\n\nI live in Rome.\n", "Fine.\n\n"),
    ("Fine.\n\nOn Aug 22, 2011, at 7:37 PM, Bob<bob@example.com> wrote:\n\n\n\n\n> I live in Rome.\n", "Fine.\n\n"),
    ("Fine.\n\n---- On Wed, 24 Feb 2021 14:02:50 +0530 bob@example.com wrote ----\n\nI live in Rome.", "Fine.\n\n"),
    ("Fine.\n\n---- Bob Example wrote ----\n\n> I live in Rome.\n", "Fine.\n\n"),
    ("Fine.\n\n-----Antwort Nachricht-----\n\nI live in Rome.", "Fine.\n\n"),
    ("Fine.\n\nBob Example <bob@example.com> wrote:\n\nI live in Rome.\n", "Fine.\n\n"),
    ("Fine.\n\nOp 17-feb.-2025, om 13:18 heeft Bob <bob@example.com> het volgende geschreven:\n\nIk woon in Rome.\n", "Fine.\n\n"),
    ("Fine.\n\nBob Example <bob@example.com> schrieb am So., 23.\nJuni 2024, 21:08:\n\n> Hi\n", "Fine.\n\n"),
    ("Fine.\n\nOn Wed, 14 Nov 2018 08:14:43 -0200 Bob Example <bob@example.com> wrote\n\nI live in Rome", "Fine.\n\n"),
    ("Fine.\n\nBob Example (bob@example.com) wrote:\nI live in Rome", "Fine.\n\n"),
    ("Fine.\n\n2016-03-03 17:21 GMT+01:00 Bob Example\n\n> I live in Rome", "Fine.\n\n"),
    ("Fine.\n\n2022. 11. 20. 오후 5:00, Bob <bob@example.com> 작성:\n\nI live in Rome", "Fine.\n\n"),
    ("Fine.\n\nсуббота, 14 марта 2015 г. пользователь Bob написал:\nI live in Rome", "Fine.\n\n"),
    ("Fine.\n\n---- 回复的原邮件 ----\n| 发件人 | Bob<bob@example.com> |\n| 日期 | 2022年11月20日 17:00 |\nI live in Rome", "Fine.\n\n"),
    ("Fine.\n\n-------- Oprindelig besked --------\n\nI live in Rome", "Fine.\n\n"),
    ("Fine.\n2011/4/7 Bob Example <bob@example.com>\n\n>  I live in Rome", "Fine.\n"),
    ("Fine.\nFrån: Bob [mailto:bob@example.com]\nSkickat: den 26 augusti 2015 14:45\nTill: Ann\nÄmne: RE: Boat\n\nHej\n", "Fine.\n"),
    ("Fine.\n\nOn Tue, Apr 11, 2017 at 10:07 PM Bob\n\n<\nmailto:Bob <bob@example.com>\n> wrote:\nI live in Rome\n", "Fine.\n\n"),
    ("Fine. On Wed, Apr 4, 2012 at 3:59 PM, bob@example.com wrote:\n> I live in Rome", "Fine."),
    ("So -\nfine--- On Wed, Apr 4, 2012 at 3:59 PM, bob@example.com wrote:\n> I live in Rome", "So -\nfine"),
    (
        "Fine.\n\nOn Sep 21, 2016 3:18 PM, Bob wrote:\n> The boat needs a new mast, new sails and, as soon as all that is done,\npaint.\n> Yes\n",
        "Fine.\n\n",
    ),
]  # fmt: skip


@for_each(TOLD_APART)
def test_what_programs_write_before_and_into_quotes(body: str, own: str) -> None:
    """However the quote is introduced, nothing of it is the author's own, and all that he wrote is."""
    assert "".join(text for kind, _, text in parts(body) if kind == "text") == own


def test_lists_of_places_are_no_headers() -> None:
    """Lines with the names of headers that name no mail stay their author's words."""
    body = "Schedule for the trip:\nFrom: Berlin\nTo: Rome\nDate: 5 May\nBring water."
    assert [kind for kind, *_ in parts(body)] == ["text"]
