"""`memd llm setup`: find a language model on this machine, try it, and write it into the settings after asking."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...exit_codes import DONE, OF_CODE
from ..arguments import UsageError, command_text
from ..connect import daemon_of
from ..output import print_json
from ..render.prompts import SHOWN, can_ask, choose, confirmed
from ..render.terminal import one_line, say, say_command

if TYPE_CHECKING:
    from ...config.resolution import ResolvedSettings
    from ...config.settings import LLMSettings
    from ...llm_discovery import ModelServer
    from ...llm_probe import ProbeReport

SUGGESTED = "qwen3:4b"
"""A model that fits a laptop of 8 GB and keeps to the JSON; smaller ones mostly repeat the prompt."""
_OVER = ("llm.model", "llm.base_url", "llm.variant", "facts.extractor")
"""Settings that would keep what is written from being used, where the environment sets them."""


def run_setup(arguments: argparse.Namespace) -> int:
    """Find a model, try it, and write it into the settings; 6 when it is of no use, 7 when none is found."""
    from ..settings import resolved

    if not (arguments.yes or arguments.dry_run or can_ask()):
        hint = "--yes writes the settings without asking, --dry-run only tries the model"
        raise UsageError("there is no terminal on which to confirm this", hint)
    resolution = resolved(arguments)
    servers = _servers(arguments, resolution)
    models = [(server, model) for server in servers for model in server.chat_models]
    report: dict[str, Any] = {
        "servers": [{"name": each.name, "url": each.url, "models": list(each.models)} for each in servers]
    }
    if not models:
        return _none_found(arguments, report)
    if not arguments.json:
        _print_servers(servers)
    server, model = _chosen(arguments, models)
    settings, outcome = _tried(arguments, resolution, server.url, model)
    report |= _told(settings, outcome)
    if outcome.problem:
        return _of_no_use(arguments, report, settings, outcome)
    return _write(arguments, report, resolution, settings)


def _servers(arguments: argparse.Namespace, resolution: ResolvedSettings) -> Sequence[ModelServer]:
    """The servers of this machine, or the one that was named."""
    from ....memory.openai_http.loopback import require_local
    from ...config.credentials import credential
    from ...llm_discovery import ModelServer, local_servers, server_at

    if arguments.url is None:
        return local_servers()
    settings = _settings_for(resolution, _base_url(arguments.url), "")
    if settings.local_only:
        require_local(settings.base_url, "llm")
    key = credential(settings.api_key_file, settings.api_key_env)
    _tell_where(arguments, settings, with_key=bool(key))
    server = server_at(settings.base_url, key)
    if arguments.model and (server is None or arguments.model not in server.models):
        return [ModelServer("the server", settings.base_url, (arguments.model,))]
    return [] if server is None else [server]


def _base_url(url: str) -> str:
    """The address of the API; a bare host gets the usual path.

    Raises:
        UsageError: it is no address.
    """
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise UsageError(f"{url!r} is no address", "memd llm setup --url http://127.0.0.1:11434/v1")
    return url.rstrip("/") if urlsplit(url).path.strip("/") else f"{url.rstrip('/')}/v1"


def _tell_where(arguments: argparse.Namespace, settings: LLMSettings, *, with_key: bool) -> None:
    from ....memory.openai_http.loopback import is_loopback
    from ....schemas.secret_urls import without_password
    from ...config.credentials import key_source

    if arguments.json or is_loopback(settings.base_url):
        return
    key = key_source("llm", settings.api_key_file, settings.api_key_env)
    with_it = f", with the key of {key}" if with_key else ", without a key"
    say(
        f"{one_line(without_password(settings.base_url))} is not on this machine: it is sent a made-up conversation{with_it}"
    )
    say("once it is set, your messages are sent there to be read")


def _settings_for(resolution: ResolvedSettings, url: str, model: str) -> LLMSettings:
    """The section with this model. A key that is meant for another address does not go to this machine."""
    from ....memory.openai_http.loopback import is_loopback

    before = resolution.settings.llm
    keyless = is_loopback(url) and before.base_url.rstrip("/") != url.rstrip("/")
    changes: dict[str, Any] = {"model": model, "base_url": url}
    changes |= {"api_key_env": "", "api_key_file": None} if keyless else {}
    return before.model_copy(update=changes)


def _chosen(arguments: argparse.Namespace, models: Sequence[tuple[ModelServer, str]]) -> tuple[ModelServer, str]:
    """The model to be tried: the one that was named, the only one, the one that is picked, or the first.

    Raises:
        UsageError: no server has the one that was named.
    """
    if arguments.model:
        for server, model in models:
            if model == arguments.model:
                return server, model
        raise UsageError(f"no server here has the model {arguments.model}", f"ollama pull {arguments.model}")
    if len(models) == 1 or arguments.yes or arguments.json or not can_ask():
        return models[0]
    names = [f"{model} ({server.name})" for server, model in models]
    return models[choose("Which one is to be tried?", names)]


def _tried(
    arguments: argparse.Namespace, resolution: ResolvedSettings, url: str, model: str
) -> tuple[LLMSettings, ProbeReport]:
    """The settings and what came of trying them: with the whole prompt, else with the short one."""
    import anyio

    from ...llm_probe import probe

    settings = _settings_for(resolution, url, model).model_copy(update={"variant": "full"})
    if not arguments.json:
        say(f"trying {one_line(model)} … (the first answer may take a while, until the model is loaded)")
    outcome = anyio.run(probe, settings)
    if outcome.problem:
        short = settings.model_copy(update={"variant": "short"})
        if not (again := anyio.run(probe, short)).problem:
            return short, again
    return settings, outcome


def _told(settings: LLMSettings, outcome: ProbeReport) -> dict[str, Any]:
    from ....schemas.secret_urls import without_password

    return {
        "model": settings.model,
        "base_url": without_password(settings.base_url),
        "variant": settings.variant,
        "probe": {
            "ok": not outcome.problem,
            "problem": outcome.problem,
            "sentence": outcome.sentence,
            "seconds": round(outcome.seconds, 3),
            "prompt_tokens": outcome.usage.prompt_tokens,
            "completion_tokens": outcome.usage.completion_tokens,
        },
    }


def _write(
    arguments: argparse.Namespace, report: dict[str, Any], resolution: ResolvedSettings, settings: LLMSettings
) -> int:
    from ...config.file_edit import with_settings, write_settings

    path = Path(resolution.settings.config)
    text = path.read_bytes().decode() if path.exists() else ""  # with its line ends
    before = resolution.settings.llm
    values: dict[str, str | None] = {"model": settings.model, "base_url": settings.base_url}
    if settings.variant != before.variant:
        values["variant"] = settings.variant
    if settings.api_key_env != before.api_key_env:
        values["api_key_env"] = settings.api_key_env
    if settings.api_key_file != before.api_key_file:
        values["api_key_file"] = None
    changed = with_settings(text, "llm", values)
    probe = report["probe"]
    if not arguments.json:
        tokens = f"{probe['prompt_tokens'] + probe['completion_tokens']:,} tokens"
        say(f"it read “{one_line(probe['sentence'])}” in {probe['seconds']:.1f} s, {tokens}")
        say(f"to be written into {path}, under [llm]: {_in_toml(values)}")
    report |= {"config": str(path), "written": False}
    if arguments.dry_run or not (arguments.yes or confirmed("Write it?")):
        if arguments.json:
            print_json(report)
        return DONE
    write_settings(path, changed)
    hints = [*_hints(resolution), _next(arguments)]
    report |= {"written": True, "next": hints}
    if arguments.json:
        print_json(report)
        return DONE
    for hint in hints[:-1]:
        say(hint)
    say(f"next: {hints[-1]}")
    return DONE


def _in_toml(values: Mapping[str, str | None]) -> str:
    from ...config.template import toml_value

    lines = [f"{name} = {toml_value(value)}" for name, value in values.items() if value is not None]
    return ", ".join([*lines, *(f"no {name}" for name, value in values.items() if value is None)])


def _hints(resolution: ResolvedSettings) -> list[str]:
    """Return the reasons why the new settings would not take effect."""
    hints = [
        f"{resolution.origins[name].removeprefix('env ')} of the environment goes over the settings: unset it"
        for name in _OVER
        if resolution.origins.get(name, "").startswith("env ")
    ]
    if resolution.settings.facts.extractor in ("rules", "off"):
        hints.append(f'facts.extractor is "{resolution.settings.facts.extractor}": the model reads when it is "auto"')
    return hints


def _next(arguments: argparse.Namespace) -> str:
    test = command_text(arguments, ["llm", "test"])
    if (client := daemon_of(arguments)) is None:
        return f"{test}, to see what it makes of your messages"
    client.close()
    return f"start memd serve again, which runs with the former settings (systemctl --user restart memd), then {test}"


def _none_found(arguments: argparse.Namespace, report: dict[str, Any]) -> int:
    from ...llm_discovery import SERVERS

    if arguments.json:
        print_json(report | {"model": None})
        return OF_CODE["NOT_FOUND"]
    if report["servers"]:
        say(f"{one_line(report['servers'][0]['name'])} answers, and has no model that can read")
        say_command("next:", f"ollama pull {SUGGESTED}")
    elif arguments.url is not None:
        say("nothing at that address lists models")
        say_command(
            "next: name one:", command_text(arguments, ["llm", "setup", "--url", arguments.url, "--model", "NAME"])
        )
    else:
        say(f"no server of language models answers on this machine; looked for {', '.join(SERVERS)}")
        say(
            f"next: install Ollama (https://ollama.com/download), then `ollama pull {SUGGESTED}` and this command again"
        )
    return OF_CODE["NOT_FOUND"]


def _of_no_use(
    arguments: argparse.Namespace, report: dict[str, Any], settings: LLMSettings, outcome: ProbeReport
) -> int:
    if arguments.json:
        print_json(report | {"written": False})
        return OF_CODE["LLM"]
    say(f"{one_line(settings.model)} is of no use for memd: {outcome.problem}; nothing was written")
    say(f"next: try another model, such as {SUGGESTED}: memd llm setup --model NAME")
    return OF_CODE["LLM"]


def _print_servers(servers: Sequence[ModelServer]) -> None:
    from ....schemas.secret_urls import without_password

    for server in servers:
        models = ", ".join(one_line(each, 60) for each in server.models[:SHOWN]) or "no model"
        models += f" and {len(server.models) - SHOWN:,} more" if len(server.models) > SHOWN else ""
        say(f"{one_line(server.name)} at {one_line(without_password(server.url))}: {models}")
