"""Whom "I" and "my" mean while a daemon serves: the names of me.json as they are now."""

from __future__ import annotations

from pathlib import Path

import pytest

from memd.daemon.app import open_app, open_reader
from memd.daemon.config.user_names import remember, remember_only
from memd.schemas import ConversationDocument, Query
from memd.tests.daemon.house import START
from memd.tests.daemon.test_service import ingest, words_only

pytestmark = [pytest.mark.anyio, pytest.mark.slow]
ASKED = Query(text="who is my dentist?")


def chat(source: str, user: str, *lines: tuple[str, str]) -> ConversationDocument:
    """A talk whose messages are of one minute."""
    messages = [{"speaker": who, "content": text, "time": START} for who, text in lines]
    people = sorted({user, *(who for who, _ in lines)})
    talk = {"source": source, "people": people, "user": user, "conversation": messages}
    return ConversationDocument.model_validate({"id": f"{source}:1", "conversation": talk})


async def test_a_name_that_a_command_writes_holds_at_the_next_question(tmp_path: Path) -> None:
    """And one that is deleted holds no more; nothing is asked where nobody has it."""
    data = tmp_path / "d"
    async with open_app(words_only(data), serve=False) as service:
        await ingest(service, chat("t", "(me)", ("Bob", "my dentist is Dr Costa"), ("Ann", "my dentist is Dr Lund")))
        for name, speakers, notices in (
            ("Bob", ("Bob",), ()),
            ("ann", ("Ann",), ()),
            ("Zoe", (), ("nobody called Zoe wrote anything; who are you? memd config me NAME",)),
        ):
            remember(data, {"": name})
            result = await service.query(ASKED)
            assert result.understood is not None
            assert (result.understood.speakers, result.notices) == (speakers, notices)
            assert [each.name for each in await service.people._people.people() if each.person.is_user] == []  # pyright: ignore[reportPrivateUsage]
        remember_only(data, ())
        result = await service.query(ASKED)
        assert result.understood is not None
        assert (result.understood.anonymous, result.notices) == (True, ())
    remember(data, {"": "Zoe"})
    async with open_reader(words_only(data)) as reader:
        assert (await reader.query(ASKED)).notices[0].startswith("nobody called Zoe")


async def test_a_name_of_one_word_is_no_friends_where_the_user_is_known(tmp_path: Path) -> None:
    """A namesake in a source that names its user is somebody else."""
    data = tmp_path / "d"
    async with open_app(words_only(data), serve=False) as service:
        remember(data, {"": "Bob"})
        await ingest(service, chat("t", "Bert Lind", ("Bob", "my dentist is Dr Costa"), ("Bert Lind", "oh")))
        result = await service.query(ASKED)
        assert result.understood is not None
        assert result.understood.speakers == ("Bert Lind",)
