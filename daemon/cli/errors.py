"""Reports errors on standard error: a sentence and a hint, or with --json the error envelope."""

from __future__ import annotations

import re
import sys
import traceback
import uuid
from typing import TYPE_CHECKING, Any, cast

from ..client import OTHER_VERSION_HINT, DaemonError, DaemonGoneError, DaemonTimeoutError, ForeignDaemonError
from ..exit_codes import NOTHING_READ, OF_CODE
from .arguments import Parser, UsageError
from .output import print_json
from .render.terminal import clean, say

if TYPE_CHECKING:
    from collections.abc import Mapping


def report(error: Exception, *, as_json: bool) -> int:
    """Print the error; returns the exit code."""
    body, code, unexpected = _told(innermost(error))
    if as_json:
        print_json(body, sys.stderr)
        return code
    problems = body.get("problems", ())
    # Several are told one by one, and not in a sentence as well.
    several = len(problems) > 1 and body["message"] == "; ".join(problems)
    say(f"memd: {len(problems)} things are wrong:" if several else f"memd: {_in_a_line(body['message'])}")
    for problem in problems if several or list(problems) != [body["message"]] else ():
        say(f"  - {_in_a_line(problem)}")
    if body["hint"]:
        say(f"hint: {_in_a_line(body['hint'])}")
    if unexpected:
        say(f"correlation id: {body['correlation_id']}")
        for line in _places(error):
            say(line)
    elif body["code"] == "UNEXPECTED" and body.get(
        "correlation_id"
    ):  # else the sentence tells it all, and the log nothing
        say(f"correlation id: {clean(body['correlation_id'])}")
    return code


def in_flags(error: DaemonError, parser: Parser) -> DaemonError:
    """The same error with the flags of a verb in the place of the fields of its request, and a hint at that verb's help."""
    flags = {_singular(flag.removeprefix("--").replace("-", "_")): told for flag, told in parser.flag_names().items()}
    body = error.envelope()

    def in_its_flags(text: str) -> str:
        return _FIELD.sub(lambda match: flags.get(_singular(match[0]), match[0]), text)

    body["message"] = in_its_flags(error.message)
    if error.problems:
        body["problems"] = [in_its_flags(problem) for problem in error.problems]
    if body["message"] != error.message:
        body["hint"] = f"try: {parser.prog} --help"
    return DaemonError(body)


_FIELD = re.compile(r"(?:^|(?<=; ))[a-z_]+(?= must )")


def _singular(name: str) -> str:
    """Return the singular name of a field with several values, as its flag is called."""
    return "person" if name == "people" else name.removesuffix("s")


def _in_a_line(text: object) -> str:
    """A name of a file may hold line ends, which must not look like lines of ours."""
    return clean(text).replace("\n", "\\n")


def _told(error: BaseException) -> tuple[Mapping[str, Any], int, bool]:
    """The envelope, the exit code, and whether nobody foresaw this."""
    if isinstance(error, DaemonError):
        hint = {"hint": OTHER_VERSION_HINT} if error.of_other_version else {}
        return error.envelope() | hint, error.exit_code, False
    if isinstance(error, UsageError):
        return _body("VAL", error.message, error.hint), 2, False
    if isinstance(error, DaemonGoneError):
        hint = "start it with `memd serve`; what was acknowledged is kept"
        return _body("STORE", "the daemon went away in the middle of an answer", hint, retryable=True), 6, False
    if isinstance(error, DaemonTimeoutError):
        hint = "it may still be at work on this: look with `memd status` before you try again"
        return _body("TIMEOUT", str(error), hint), 6, False
    if isinstance(error, ForeignDaemonError):
        return _body("VAL", str(error), error.hint), 2, False
    # Only now: the light path has none of this, and an error of these kinds has imported it already.
    from ...schemas.errors import MemdError, SourceError, envelope, error_info

    correlation = uuid.uuid4().hex[:12]
    is_ours = isinstance(error, MemdError)
    code = NOTHING_READ if isinstance(error, SourceError) else OF_CODE[error_info(error).code]
    return envelope(error, "" if is_ours else correlation), code, not is_ours


def innermost(error: BaseException) -> BaseException:
    """Task groups wrap what went wrong inside them; one thing inside is that thing."""
    while isinstance(error, BaseExceptionGroup):
        group = cast("BaseExceptionGroup[BaseException]", error)
        foreseen = [each for each in group.exceptions if type(each).__module__.endswith("schemas.errors")]
        if not foreseen and len(group.exceptions) > 1:
            return group
        error = next(iter(foreseen or group.exceptions))
    return error


def _places(error: BaseException) -> list[str]:
    """Return the place of an error, without texts, which may quote private text."""
    inner = innermost(error)
    frames = traceback.extract_tb(inner.__traceback__)[-4:]
    if sys.stderr.isatty():  # a person reports one place; the rest is in the log, and in what is not a terminal
        return [f"{type(inner).__name__} in " + (f"{frames[-1].filename}:{frames[-1].lineno}" if frames else "memd")]
    return [f"  {type(inner).__name__}"] + [f"  {frame.filename}:{frame.lineno} in {frame.name}" for frame in frames]


def _body(code: str, message: str, hint: str, *, retryable: bool = False) -> dict[str, Any]:
    return {"code": code, "message": message, "hint": hint, "retryable": retryable, "correlation_id": ""}
