"""The beginnings of names of weekdays in the languages of chat apps. Pure."""

from __future__ import annotations

from datetime import date

_WEEKDAYS = (  # Monday first
    ["mon", "lun", "seg", "пн", "t2", "จ", "月", "一", "월", "周一", "週一"],
    ["tue", "mar", "ter", "вт", "t3", "อ", "火", "二", "화", "周二", "週二"],
    ["wed", "mié", "mer", "qua", "ср", "t4", "พ", "水", "三", "수", "周三", "週三"],
    ["thu", "jue", "gio", "jeu", "qui", "чт", "t5", "พฤ", "木", "四", "목", "周四", "週四"],
    ["fri", "vie", "ven", "sex", "пт", "t6", "ศ", "金", "五", "금", "周五", "週五"],
    ["sat", "sáb", "sab", "sam", "сб", "t7", "ส", "土", "六", "토", "周六", "週六"],
    ["sun", "dom", "dim", "вс", "cn", "อา", "日", "日", "일", "周日", "週日"],
)


def is_weekday(word: str, day: date) -> bool:
    """Return whether a word in small letters names the weekday of a day."""
    return bool(word) and any(word.startswith(name) for name in _WEEKDAYS[day.weekday()])


_OTHERS = (  # German, Dutch, Swedish, Danish, Norwegian, Polish, Czech, Turkish, Finnish, Indonesian
    "mo", "di", "mi", "do", "fr", "sa", "so", "die", "mit", "don", "fre", "sam", "son",
    "maa", "din", "woe", "vri", "zat", "zon", "mån", "tis", "ons", "tor", "lör", "sön", "man", "tir", "lør", "søn",
    "pon", "wto", "śro", "czw", "pią", "sob", "nie", "pát", "úte", "stř", "čtv", "ned",
    "paz", "sal", "çar", "per", "cum", "cmt", "tii", "kes", "tor", "per", "lau", "sun", "sen", "sel", "rab", "kam", "jum", "sab", "min",
)  # fmt: skip


def begins_like_weekday(word: str) -> bool:
    """Return whether a word in small letters begins like a weekday in one of the languages; of two letters it must be the
    whole word.
    """
    beginnings = [name for names in _WEEKDAYS for name in names] + [*_OTHERS]
    return any(word == name or (len(name) > 2 and word.isalpha() and word.startswith(name)) for name in beginnings)
