"""Times that are over: which questions ask what held then, and until when; those of now do not, whatever time they name."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

from memd.memory.question.past_moments import asks_of_former_state, past_moment
from memd.memory.question.times import times_in
from memd.tests.cases import for_each

NOW = datetime(2024, 8, 14, 15, tzinfo=timezone(timedelta(hours=2)))


@for_each(
    [
        ("where did Ann live in 2022?", "2022-12-31"),
        ("what did Ann do in 2022?", "2022-12-31"),
        ("where did Ann live before 2022?", "2021-12-31"),
        ("where did Ann live prior to May 2022?", "2022-04-30"),
        ("where did Ann live before last week?", "2024-08-04"),
        ("where did Ann live the day before yesterday?", "2024-08-12"),
        ("wo wohnte Ann vor 2022?", "2021-12-31"),
        ("wo hat Ann vor dem 3. Mai 2022 gewohnt?", "2022-05-02"),
        ("wo wohnte Ann vor drei Monaten?", "2024-05-31"),
        ("¿dónde vivía Ann antes de mayo de 2022?", "2022-04-30"),
        ("¿dónde vivía Ann antes del 3 de mayo de 2022?", "2022-05-02"),
        ("¿dónde vivía Ann antes de ayer?", "2024-08-12"),
        ("Ann 2022'den önce nerede yaşıyordu?", "2021-12-31"),
        ("Ann Mayıs 2022'den önce nerede yaşıyordu?", "2022-04-30"),
        ("Ann 3 ay önce nerede yaşıyordu?", "2024-05-31"),
        ("アンは2022年より前にどこに住んでいましたか", "2021-12-31"),
        ("アンは2022年までどこに住んでいましたか", "2021-12-31"),
        ("アンが2022年にどこに住んでいたか知っていますか", "2022-12-31"),
        ("where did Ann live until 2022?", "2021-12-31"),
        ("where did Ann live until May 2022?", "2022-04-30"),
        ("wo hat Ann bis 2022 gewohnt?", "2021-12-31"),
        ("¿dónde vivía Ann hasta 2022?", "2021-12-31"),
        ("Ann 2022'ye kadar nerede yaşıyordu?", "2021-12-31"),
        ("Ann 2022'de nerede yaşıyordu?", "2022-12-31"),
        ("Ann 2022 yılında nerede yaşıyordu?", "2022-12-31"),
        ("Ann'in 2022'de nerede yaşadığını biliyor musun?", "2022-12-31"),
        ("where did Ann live during 2022?", "2022-12-31"),
        ("where did Ann live at the end of 2022?", "2022-12-31"),
        ("where did Ann live before the end of 2022?", "2022-08-31"),
        ("where did Ann live until the end of 2022?", "2022-12-31"),
        ("where did Ann live in early 2022?", "2022-05-02"),
        ("where did Ann live early in 2022?", "2022-05-02"),
        ("wo wohnte Ann Mitte 2022?", "2022-08-31"),
        ("¿dónde vivía Ann a finales de mayo de 2022?", "2022-05-31"),
        ("wo wohnte Ann 2022?", "2022-12-31"),
        ("Was hat Ann 2022 gemacht?", "2022-12-31"),
        ("was machte er 2022?", "2022-12-31"),
        ("do you know where Ann lived in 2022?", "2022-12-31"),
        ("do you know what Ann drove in 2022?", "2022-12-31"),
        ("is it known where Ann lived in 2022?", "2022-12-31"),
        ("what is the town where Ann lived in 2022?", "2022-12-31"),
        ("what are the things that Ann liked in 2022?", "2022-12-31"),
        ("is it true that Ann lived in Rome in 2022?", "2022-12-31"),
    ]
)
def test_a_question_of_a_time_that_is_over(question: str, day: str) -> None:
    """It asks for the last moment of it; "before" a time for the last one before it."""
    found = past_moment(question, times_in(question, NOW, {"ann"}), NOW)
    assert found is not None
    assert found.isoformat() == f"{day}T23:59:59.999999+02:00"


@for_each(
    [
        "where has Ann lived since 2022?",
        "where has Ann lived since the end of 2022?",
        "wo wohnte Ann seit Anfang 2022?",
        "¿dónde vivía Ann desde mediados de 2022?",
        "where did Ann live in August?",
        "where did Ann live in 2021 and in 2022?",
        "where does Ann live, did she leave in 2023?",
        "where did Ann move to, and where is she now, after May 2022?",
        "who is Ann's boss in May 2022?",
        "where's Ann living, she left in 2023?",
        "what car has Ann got, she sold hers in 2023?",
        "where is Ann employed, she left in 2023?",
        "is it true that Ann is employed, she left in 2023?",
        "where did Ann live after May 2022?",
        "where did Ann live after 2022?",
        "wo wohnte Ann nach 2021?",
        "¿dónde vivía Ann después de 2021?",
        "Ann 2022'den beri nerede yaşıyordu?",
        "Ann 2022'den sonra nerede yaşıyordu?",
        "アンは2022年以降どこに住んでいましたか",
        "what did Ann have to do until Friday?",
        "Wer war in Zimmer 2022?",
        "Wer hat 2022 Euro bezahlt?",
        "who was in room 2022?",
        "what was the price of 2000 bricks?",
        "who was there before May?",
        "who was there after May arrived?",
        "wo wohnt Ann seit Mai 2022?",
        "wo ist Ann jetzt, im Mai 2022 war sie in Rom?",
        "¿dónde vive Ann desde mayo de 2022?",
        "¿dónde está ahora Ann, en mayo de 2022 se fue?",
        "Ann Mayıs 2022'den önce gitti, nerede yaşıyor?",
        "2022年に引っ越したアンはどこに住んでいますか",
    ]
)
def test_a_question_of_now(question: str) -> None:
    """What has no end, or is asked of the present, turns nothing back."""
    assert past_moment(question, times_in(question, NOW, {"ann", "may"}), NOW) is None


@for_each(
    [
        ("where did Ann live before?", True),
        ("where did Ann live before that?", True),
        ("where did Ann live before Bergen?", True),
        ("what was Ann's previous job?", True),
        ("where did Ann use to live?", True),
        ("wo hat Ann früher gewohnt?", True),
        ("¿dónde vivía Ann antes?", True),
        ("Ann daha önce nerede yaşıyordu?", True),
        ("アンは以前どこに住んでいましたか", True),
        ("where did Ann live before 2022?", False),
        ("where did Ann live?", False),
        ("where does Ann live now, and where before?", False),
        ("what did Ann say before the party?", False),
    ]
)
def test_a_question_of_a_former_state(question: str, former: bool) -> None:
    """It names no time: one with a time asks what held then."""
    assert asks_of_former_state(question, times_in(question, NOW, {"ann"})) is former
