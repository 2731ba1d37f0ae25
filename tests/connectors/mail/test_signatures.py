"""What ends a mail: a signature is none of its author's words, and a sentence there is no signature."""

from __future__ import annotations

from memd.connectors.formats.mail.mailbox import segment_text
from memd.tests.cases import for_each
from memd.tests.connectors.mail.reading import parts


@for_each(
    [
        "From my phone I can not open the file",
        "Get Outlook set up on the new Windows laptop.",
        "Download Outlook data for Android users by Friday.",
        "Von meinem Vater habe ich es gesendet bekommen.",
        "Provenance : Lyon",
        "发自上海的包裹星期一到。",
        "Ankara'daki ofisimden gönderildi, pazartesi gelir.",
        "Take care\n\nDad is in hospital since Monday",
        "Thanks\n\nLet me know whether Bob comes\n\nAnn",
        "Danke\nDie Rechnung ist bezahlt\nAnna",
        "Bonne journée\n\nOn se voit mardi à la gare\nAnne",
        "Gracias\nYa pagué la factura de abril\nAna",
        "Спасибо\nЯ оплатила счёт в апреле\nАнна",
    ]
)
def test_what_is_said_below_is_no_signature(said: str) -> None:
    """Sentences that begin like the line of a telephone, or stand where a name would."""
    body = f"The boat is ready.\n\n{said}\n"
    assert parts(body) == [("text", 0, body)]


@for_each(
    [
        "Get Outlook for iOS",
        "Sent from my iPhone, thank you",
        "发自我的iPhone",
        "Provenance : Courrier pour Windows 10",
        "iPhone'umdan gönderildi",
        "Kind regards\nJuan de la Cruz",
        "Viele Grüße\nAnna van der Berg",
        "Thanks\nThe Team at Example",
    ]
)
def test_names_and_devices_are_signatures(ending: str) -> None:
    """Names with small words in them, and lines that telephones write in many languages."""
    body = f"The boat is ready.\n\n{ending}\n"
    assert parts(body) == [("text", 0, "The boat is ready.\n\n"), ("signature", 0, f"{ending}\n")]


@for_each(
    [
        "/Ann\n",
        "-Ann\n",
        "- Ann Lee\n",
        "– Ann\n",
        "~ Ann\n",
        "——————————\n\n小满\n活动协调人\n",
        "____________________\nAnn Lee\nBoats Ltd\n+44 20 1234567\n",
    ]
)
def test_a_mark_with_a_name_and_a_card_below_a_rule_are_signatures(ending: str) -> None:
    """As people in the north and in China sign."""
    body = f"The boat is ready.\n\n{ending}"
    assert parts(body) == [("text", 0, "The boat is ready.\n\n"), ("signature", 0, ending)]


@for_each(
    [
        "We need:\n\n- Ann Lee\n",
        "Bring them.\n\n- Milk\n",
        "- Oslo Harbour\n\n- Rome Harbour\n",
        "See\n\n/home\n",
        "Lunch is as ever.\n\n----------\nSoup\nFish\n",
        "Lunch\n——————————\nSoup\nFish\n",
        "They come.\n\n——————————\nThe first will be in Oslo in May.\nAnn\n",
        "-Ann\n",
    ]
)
def test_lists_and_headings_are_no_signatures(body: str) -> None:
    """Items, one word behind a hyphen and a blank, and lines below a rule that reach nobody."""
    assert parts(body) == [("text", 0, body)]


@for_each(
    [
        "This e-mail is confidential and intended solely for the addressee.",
        "Diese E-Mail ist vertraulich und nur für den Empfänger bestimmt.",
        "Ce message est confidentiel et destiné exclusivement à son destinataire.",
    ]
)
def test_one_sentence_about_the_mail_is_a_disclaimer(sentence: str) -> None:
    """Below what somebody wrote; alone, or about something else, it is said."""
    kinds = [part.kind for part in segment_text(f"The keel is dry.\n\nBest regards,\nAnn\n\n{sentence}\n", "Keel")]
    assert kinds == ["text", "signature", "disclaimer"]
    assert [part.kind for part in segment_text(sentence, "Keel")] == ["text"]
    said = "The list of each addressee is confidential, and here in error."
    assert [part.kind for part in segment_text(f"The keel is dry.\n\n{said}\n", "Keel")] == ["text"]
