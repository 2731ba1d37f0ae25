"""Figures of an answer in words beside the one of the data set: from 0 to 1, from their definitions, without a model.

Where several tokenizations are in use, each function says its own; figures of two of them do not compare.
"""

from __future__ import annotations

import math
import re
import string
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from ...memory.text.stemmer import porter_stem

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_ARTICLES_AND = re.compile(r"\b(?:a|an|the|and)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ALPHANUMERIC = re.compile(r"[^\W_]+")
_ABSTENTIONS = ("no information available", "not mentioned")
SMOOTHING = 0.1
"""Counts of matching n-grams that are 0 become this: method 1 of Chen and Cherry (WMT 2014)."""
METEOR_ALPHA, METEOR_BETA, METEOR_GAMMA = 0.9, 3.0, 0.5
"""The weight of precision in METEOR's mean, and the exponent and weight of its penalty for scattered matches."""


def squad_tokens(text: str) -> list[str]:
    """Return the words of SQuAD's evaluation: lower case, without punctuation and articles (Rajpurkar et al., EMNLP 2016)."""
    return _ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split()


def exact_match(answer: str, gold: str) -> float:
    """Return 1 if both have the same words in the same order, by `squad_tokens`."""
    return float(squad_tokens(answer) == squad_tokens(gold))


def token_f1(answer: str, gold: str) -> float:
    """Return the F1 of the words with their counts, by `squad_tokens`: SQuAD's."""
    return _f1(squad_tokens(answer), squad_tokens(gold))


def locomo_f1(answer: str, gold: str, category: str) -> float:
    """Return LoCoMo's own figure (snap-research/locomo, task_eval/evaluation.py).

    Words are those of SQuAD without "and", stemmed by Porter (NLTK's stemmer departs from Porter's in few words). Of a
    multi-hop answer each part between commas gets its best F1; of an open-domain one what stands before a semicolon counts;
    an adversarial one is right if it says that it is not mentioned.
    """
    if category == "adversarial":
        return float(any(phrase in answer.lower() for phrase in _ABSTENTIONS))
    if category == "multi-hop":
        parts = [_locomo_tokens(part) for part in answer.split(",")]
        golds = [_locomo_tokens(part) for part in gold.split(",")]
        return sum(max(_f1(part, each) for part in parts) for each in golds) / len(golds)
    if category == "open-domain":
        gold = gold.split(";", 1)[0].strip()
    return _f1(_locomo_tokens(answer), _locomo_tokens(gold))


def set_f1(answer: str, gold: str) -> float:
    """Return the F1 of the sets of words, as A-MEM's code has it: lower case, only ``. , ! ?`` removed, no counts
    (WujiangXu/A-mem, utils.py). It is not LoCoMo's.
    """
    ours, theirs = (set(re.sub(r"[.,!?]", " ", text.lower()).split()) for text in (answer, gold))
    return _harmonic(len(ours & theirs), len(ours), len(theirs))


def rouge_n(answer: str, gold: str, size: int) -> float:
    """Return ROUGE-N as F1: common n-grams with their counts (Lin, ACL workshop 2004); letters and digits in lower case, not
    stemmed.
    """
    ours, theirs = _ngrams(_words(answer), size), _ngrams(_words(gold), size)
    return _harmonic((ours & theirs).total(), ours.total(), theirs.total())


def rouge_l(answer: str, gold: str) -> float:
    """Return ROUGE-L as F1: the longest common subsequence of words (Lin 2004), which are those of `rouge_n`."""
    ours, theirs = _words(answer), _words(gold)
    row = [0] * (len(theirs) + 1)
    for word in ours:
        before = 0
        for place, other in enumerate(theirs, 1):
            before, row[place] = row[place], before + 1 if word == other else max(row[place], row[place - 1])
    return _harmonic(row[-1], len(ours), len(theirs))


def bleu(answer: str, gold: str, size: int) -> float:
    """Return BLEU of n-grams up to ``size`` with equal weights and the brevity penalty (Papineni et al., ACL 2002), of one
    sentence and one reference, smoothed by `SMOOTHING`; 0 if no word is common. Words are those of `rouge_n`.
    """
    ours, theirs = _words(answer), _words(gold)
    logs = 0.0
    for length in range(1, size + 1):
        grams, others = _ngrams(ours, length), _ngrams(theirs, length)
        matches = (grams & others).total()
        if length == 1 and not matches:
            return 0.0
        logs += math.log((matches or SMOOTHING) / max(1, grams.total()))
    penalty = 1.0 if len(ours) > len(theirs) else math.exp(1 - len(theirs) / len(ours))
    return penalty * math.exp(logs / size)


def meteor(answer: str, gold: str) -> float:
    """Return METEOR of equal words and equal stems, with the constants of Banerjee and Lavie (ACL workshop 2005). Synonyms are
    not matched: WordNet does not ship with memd, so figures are below those that use it.
    """
    ours, theirs = _words(answer), _words(gold)
    matches = _aligned(ours, theirs)
    if not matches:
        return 0.0
    precision, recall = len(matches) / len(ours), len(matches) / len(theirs)
    mean = precision * recall / (METEOR_ALPHA * precision + (1 - METEOR_ALPHA) * recall)
    pairs = sorted(matches.items())
    chunks = 1 + sum(after != (at + 1, to + 1) for (at, to), after in pairwise(pairs))
    return mean * (1 - METEOR_GAMMA * (chunks / len(matches)) ** METEOR_BETA)


def text_figures(answer: str, gold: str, category: str) -> dict[str, float]:
    """Return all figures of one answer by name."""
    figures = {"exact_match": exact_match(answer, gold), "f1": token_f1(answer, gold)}
    figures |= {"f1_locomo": locomo_f1(answer, gold, category), "f1_set": set_f1(answer, gold)}
    figures |= {f"rouge_{size}": rouge_n(answer, gold, size) for size in (1, 2)}
    figures["rouge_l"] = rouge_l(answer, gold)
    figures |= {f"bleu_{size}": bleu(answer, gold, size) for size in (1, 2, 3, 4)}
    return figures | {"meteor": meteor(answer, gold)}


def _aligned(ours: Sequence[str], theirs: Sequence[str]) -> dict[int, int]:
    """Return the places of matching words: equal ones first, then equal stems; of several the next one that is free, which
    keeps neighbours together.
    """
    matches: dict[int, int] = {}
    for left, right in ((ours, theirs), (_stems(ours), _stems(theirs))):
        taken = set(matches.values())
        for place, word in enumerate(left):
            if place in matches:
                continue
            free = [other for other, each in enumerate(right) if each == word and other not in taken]
            if free:
                after = matches.get(place - 1, -1) + 1
                matches[place] = after if after in free else free[0]
                taken.add(matches[place])
    return matches


def _f1(ours: Sequence[str], theirs: Sequence[str]) -> float:
    if not ours or not theirs:  # as SQuAD: two empty answers are equal
        return float(list(ours) == list(theirs))
    return _harmonic((Counter(ours) & Counter(theirs)).total(), len(ours), len(theirs))


def _harmonic(common: int, ours: int, theirs: int) -> float:
    return 2 * common / (ours + theirs) if common else 0.0


def _ngrams(words: Sequence[str], size: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(words[at : at + size]) for at in range(len(words) - size + 1))


@lru_cache(maxsize=4096)
def _words(text: str) -> tuple[str, ...]:
    return tuple(_ALPHANUMERIC.findall(text.lower()))


def _stems(words: Sequence[str]) -> list[str]:
    return [porter_stem(word) for word in words]


def _locomo_tokens(text: str) -> list[str]:
    words = _ARTICLES_AND.sub(" ", text.replace(",", "").lower().translate(_PUNCTUATION)).split()
    return _stems(words)
