"""What ends a mail: a signature is none of its author's words, and a sentence there is no signature."""

from __future__ import annotations

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
