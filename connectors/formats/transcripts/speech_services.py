"""The JSON of services of speech recognition: Deepgram, Amazon, Google, Rev and Fireflies, as segments of one form. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from ...text.json_fields import list_of, object_of, text_of, words_of

Segment = dict[str, Any]
"""With ``text``, ``start`` and ``end`` in seconds, and ``speaker``."""
_RESULTS = re.compile(
    rb'"results"\s*:\s*(?:\[\s*\{\s*"alternatives"|\{\s*(?:"channels"\s*:\s*\[\s*\{\s*"alternatives"|"transcripts"\s*:\s*\[\s*\{\s*"transcript"))'
)
_MONOLOGUES = re.compile(rb'"monologues"\s*:\s*\[\s*\{\s*"speaker"')
_SENTENCES = re.compile(rb'"sentences"\s*:\s*\[\s*\{|\A\s*\[\s*\{\s*"sentence"')
_SPEAKER = re.compile(rb'"speaker_name"\s*:')
_CLOCK = re.compile(r"(?:(\d{1,3}):)?(\d{1,2}):(\d\d(?:\.\d+)?)", re.ASCII)


def is_of_service(head: bytes) -> bool:
    """Return whether a file that begins so is of one of the services."""
    return bool(
        _RESULTS.search(head) or _MONOLOGUES.search(head) or (_SENTENCES.search(head) and _SPEAKER.search(head))
    )


def segments_of_service(value: object) -> list[Segment]:
    """Return what was said; an empty list for JSON of another kind."""
    fields = object_of(value)
    fields = object_of(object_of(fields.get("data")).get("transcript")) or fields
    results = fields.get("results")
    if monologues := list_of(fields.get("monologues")):
        return [_of_monologue(object_of(each)) for each in monologues]
    if sentences := list_of(fields.get("sentences")) or list_of(value):
        return [_of_sentence(each) for each in map(object_of, sentences) if each.keys() & {"speaker_name", "sentence"}]
    if list_of(results):
        alternatives = (
            object_of(next(iter(list_of(object_of(each).get("alternatives"))), None)) for each in list_of(results)
        )
        return [segment for each in alternatives for segment in _of_words(each, "startTime", "endTime", "speakerTag")]
    heard = object_of(results)
    if channels := list_of(heard.get("channels")):
        return list(_of_deepgram(channels, list_of(heard.get("utterances"))))
    spoken = list_of(heard.get("audio_segments"))
    return [
        {
            "text": each.get("transcript"),
            "start": each.get("start_time"),
            "end": each.get("end_time"),
            "speaker": each.get("speaker_label"),
        }
        for each in map(object_of, spoken)
    ] or list(_of_amazon(map(object_of, list_of(heard.get("items")))))


def _of_monologue(monologue: dict[str, Any]) -> Segment:
    elements = [object_of(each) for each in list_of(monologue.get("elements"))]
    times = [each for each in elements if "ts" in each]
    return {
        "text": "".join(text_of(each.get("value")) for each in elements),
        "start": times[0].get("ts") if times else None,
        "end": times[-1].get("end_ts") if times else None,
        "speaker": monologue.get("speaker"),
    }


def _of_sentence(sentence: dict[str, Any]) -> Segment:
    start, end = (
        sentence.get(snake, sentence.get(camel))
        for snake, camel in (("start_time", "startTime"), ("end_time", "endTime"))
    )
    return {
        "text": sentence.get("sentence") or sentence.get("text") or sentence.get("raw_text"),
        "start": _seconds(start),
        "end": _seconds(end),
        "speaker": words_of(sentence.get("speaker_name")) or sentence.get("speaker_id"),
    }


def _of_deepgram(channels: list[Any], utterances: list[Any]) -> Iterator[Segment]:
    """Yield the utterances, else the sentences of the paragraphs, else the words; of several channels each is a speaker."""
    for each in map(object_of, utterances):
        yield {**each, "text": each.get("transcript"), "words": [], "speaker": each.get("speaker", each.get("channel"))}
    for number, channel in enumerate(map(object_of, [] if utterances else channels)):
        best = object_of(next(iter(list_of(channel.get("alternatives"))), None))
        paragraphs = list_of(object_of(best.get("paragraphs")).get("paragraphs"))
        segments = [
            {**object_of(sentence), "speaker": paragraph.get("speaker")}
            for paragraph in map(object_of, paragraphs)
            for sentence in list_of(paragraph.get("sentences"))
        ] or _of_words(best, "start", "end", "speaker")
        for segment in segments:
            yield {**segment, "speaker": number} if len(channels) > 1 else segment


def _of_words(alternative: dict[str, Any], start: str, end: str, speaker: str) -> list[Segment]:
    """Return the words of each speaker's turn; without words, the text of all."""
    words = [object_of(each) for each in list_of(alternative.get("words"))]
    turns = [(who, list(turn)) for who, turn in groupby(words, lambda each: each.get(speaker))]
    if len(turns) < 2:
        text = words_of(alternative.get("transcript")) or _joined(words)
        turns = [(turns[0][0] if turns else None, [*words[:1], *words[1:][-1:]])]
        return [_turn(text, *turns[0], start, end)] if text else []
    return [_turn(_joined(turn), who, turn, start, end) for who, turn in turns]


def _joined(words: Iterable[dict[str, Any]]) -> str:
    return " ".join(words_of(each.get("punctuated_word")) or words_of(each.get("word")) for each in words)


def _turn(text: str, speaker: object, words: list[dict[str, Any]], start: str, end: str) -> Segment:
    first, last = (words[0].get(start), words[-1].get(end)) if words else (None, None)
    return {"text": text, "start": _seconds(first), "end": _seconds(last), "speaker": speaker}


def _of_amazon(items: Iterable[dict[str, Any]]) -> Iterator[Segment]:
    """Yield the turns of words and signs, of which only words have times."""
    for speaker, turn in groupby(items, lambda each: each.get("speaker_label")):
        parts = [
            (each, words_of(object_of(next(iter(list_of(each.get("alternatives"))), None)).get("content")))
            for each in turn
        ]
        times = [each for each, _ in parts if "start_time" in each]
        text = "".join(word if each.get("type") == "punctuation" else f" {word}" for each, word in parts)
        first, last = (times[0].get("start_time"), times[-1].get("end_time")) if times else (None, None)
        yield {"text": text, "start": first, "end": last, "speaker": speaker}


def _seconds(value: object) -> object:
    """Return a time in seconds, also of ``00:06`` and ``1.500s``."""
    if not isinstance(value, str):
        return value
    if clock := _CLOCK.fullmatch(value):
        return (int(clock[1] or 0) * 60 + int(clock[2])) * 60 + float(clock[3])
    return value.removesuffix("s")
