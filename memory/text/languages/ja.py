"""The words of Japanese: written without blanks, and with months that are numbers."""

from __future__ import annotations

from .language import Language

LANGUAGE = Language(
    code="ja",
    weekdays=(
        "月曜日, 月曜", "火曜日, 火曜", "水曜日, 水曜", "木曜日, 木曜", "金曜日, 金曜", "土曜日, 土曜", "日曜日, 日曜",
    ),
    seasons={3: "春", 6: "夏", 9: "秋", 12: "冬"},
    units={
        "minute": "分間, 分", "hour": "時間", "day": "日間, 日", "week": "週間, 週", "weekend": "週末",
        "month": "か月間, ヶ月間, ヵ月間, カ月間, ケ月間, 箇月間, か月, ヶ月, ヵ月, カ月, ケ月, 箇月, かげつ", "quarter": "四半期",
        "year": "年間, 年",
    },
    durations={"半年": (6, "month"), "半年間": (6, "month"), "半日": (12, "hour")},
    numbers=("一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二"),
    ordinals=("第一, 第1", "第二, 第2", "第三, 第3", "第四, 第4"),
    days={
        -3: "一昨昨日, さきおととい", -2: "一昨日, おととい", -1: "昨日, きのう", 0: "今日, きょう, 本日", 1: "明日, あした, あす", 2: "明後日, あさって",
    },
    units_from_now={
        ("week", -2): "先々週, 先先週, 二週前", ("week", -1): "先週, 前の週, 前週", ("week", 0): "今週", ("week", 1): "来週, 翌週", ("week", 2): "再来週",
        ("month", -2): "先々月, 先先月", ("month", -1): "先月, 前月", ("month", 0): "今月, 当月", ("month", 1): "来月, 翌月", ("month", 2): "再来月",
        ("year", -2): "一昨年, おととし", ("year", -1): "昨年, 去年, 前年", ("year", 0): "今年, 本年", ("year", 1): "来年, 翌年", ("year", 2): "再来年",
        ("weekend", -1): "先週末, 先週の週末, 前の週末", ("weekend", 0): "今週末, この週末", ("weekend", 1): "来週末",
        ("quarter", -1): "前四半期, 前の四半期", ("quarter", 0): "今四半期",
    },
    day_parts={
        "morning": "朝, 午前, 午前中", "noon": "昼, お昼, 正午", "afternoon": "午後, 昼過ぎ", "evening": "夕方, 夕べ, 晩", "night": "夜, 深夜, 夜中",
    },
    parts_from_now={
        (-1, "night"): "昨夜, 昨晩, ゆうべ", (0, "morning"): "今朝, けさ", (0, "night"): "今夜, 今晩", (1, "morning"): "明朝", (-2, "night"): "一昨夜, 一昨晩",
    },
    unit_parts={
        ("month", "beginning"): "月初, 月初め", ("month", "end"): "月末", ("week", "beginning"): "週明け, 週初め",
        ("year", "beginning"): "年初, 年明け",
    },
    feasts={
        "christmas": "クリスマス", "christmas_eve": "クリスマスイブ, クリスマス・イブ, イブ", "new_years_eve": "大晦日, 大みそか, おおみそか",
        "new_years_day": "元日, 元旦", "shogatsu": "お正月, 正月, 三が日", "year_end": "年末", "year_start": "年始", "year_turn": "年末年始",
        "valentine": "バレンタインデー, バレンタイン", "white_day": "ホワイトデー", "halloween": "ハロウィン, ハロウィーン",
        "golden_week": "ゴールデンウィーク, ゴールデンウイーク, gw", "obon": "お盆, 盆休み", "tanabata": "七夕", "hinamatsuri": "ひな祭り, ひなまつり, 雛祭り",
        "childrens_day": "こどもの日, 子どもの日, 子供の日", "setsubun": "節分", "mothers_day": "母の日", "fathers_day": "父の日",
        "first_half": "上半期, 上期, 前半", "second_half": "下半期, 下期, 後半", "easter": "イースター, 復活祭", "thanksgiving": "感謝祭", "black_friday": "ブラックフライデー", "culture_day": "文化の日",
    },
    roles={
        "last": "前の, この前の, 前回の", "past": "過去, ここ, 直近, 最近, 最近の, この", "next": "次の, 今度の", "this": "今, 今の",
        "ago": "前, まえ", "within": "", "before": "より前, の前, 以前, より以前", "after": "より後, の後, 後, 以後, のあと", "since": "から, 以降, 以来, からずっと",
        "from": "", "until": "まで, までに, までの", "to": "〜, ～, -, –, ー", "and": "と", "in": "に, は, には, で, の間に, の間, 中, 頃, ごろ, の頃",
        "the": "の, 、, 第, ,", "beginning": "上旬, 初旬, 初め, はじめ, 始め, 頭, 初頭", "middle": "中旬, 半ば, なかば, 中頃",
        "end": "下旬, 末, 終わり, おわり, 終わり頃", "half": "半期, 半", "few": "数",
        "every": "毎週, 毎月, 毎日, 毎年, 毎, 毎週の", "age": "歳, 才",
        "future": "予定, つもり, でしょう, だろう, 計画, ありますか, ある？, しなければ, 必要", "past_tense": "た？, た?, ました, だった, でした, たか",
        "title": "",
    },
    doubtful="春, 夏, 秋, 冬",
    bare=frozenset({"weekday", "year", "month", "feast"}),
    relation_last=True,
    capital_days=False,
)  # fmt: skip
"""Japanese."""
