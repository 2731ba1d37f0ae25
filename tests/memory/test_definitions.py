"""Source code is cut at its definitions, in every common language, and each piece knows which it is."""

from __future__ import annotations

import itertools
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.memory.chunking.definitions import DefinitionsChunker
from memd.memory.embedding.bundled import BundledEmbedder
from memd.tests.cases import check_all, for_each
from memd.tests.contracts.chunker import GROWTH, check_linear, repeated, uncovered
from memd.tests.effort import examples
from memd.tests.executed_lines import executed_lines

TOKENIZER = BundledEmbedder()
CHUNKER = DefinitionsChunker(TOKENIZER)


def cut(text: str) -> list[tuple[str, str]]:
    """The section and the text of each chunk."""
    return [(span.section, text[span.start : span.end]) for span in CHUNKER.spans(text)]


def test_functions_and_methods_are_chunks_with_what_touches_them_from_above() -> None:
    """Decorators and comments go with the definition below; functions inside functions stay in theirs."""
    text = (
        '"""Sails."""\n\nimport math\n\n\nclass Sail:\n    """A sail."""\n\n    area = 3\n\n    # How it is set.\n    @property\n'
        "    def set(self) -> bool:\n        def inner():\n            return 1\n\n        return True\n\n    async def reef(\n        self,\n"
        "    ) -> None:\n        pass\n\n\ndef trim(sail):\n    if sail:\n        return 2\n\n\nif __name__ == '__main__':\n    trim(1)\n\nx = 2\n"
    )
    assert cut(text) == [
        ("", '"""Sails."""\n\nimport math'),
        ("Sail", 'class Sail:\n    """A sail."""\n\n    area = 3'),
        (
            "Sail > set",
            "# How it is set.\n    @property\n    def set(self) -> bool:\n        def inner():\n            return 1\n\n        return True",
        ),
        ("Sail > reef", "async def reef(\n        self,\n    ) -> None:\n        pass"),
        ("trim", "def trim(sail):\n    if sail:\n        return 2"),
        ("", "if __name__ == '__main__':\n    trim(1)\n\nx = 2"),
    ]


LANGUAGES = {
    "c": (
        """\
#include <stdio.h>

static int sum(int a, int b)
{
    if (a) {
        return sum(a, b);
    }
out:
    return b;
}

struct boat *find(const char *name, int most) {
    puts(name);
    return 0;
}

int declared(int a);
""",
        ["sum", "find"],
    ),
    "c++": (
        """\
namespace port {
enum class Tide : int { low, high };
}

void Boat::launch(int speed) const
{
  go(speed);
}

Boat::~Boat() {
}
""",
        ["port", "Tide", "Boat::launch", "Boat::~Boat"],
    ),
    "go": (
        """\
package main

type Boat struct {
\tName string
}

// Run runs.
func (b *Boat) Run(n int) error {
\tfor i := 0; i < n; i++ {
\t}
\treturn nil
}

func main() {
\tgo func() {}()
}
""",
        ["Boat", "Run", "main"],
    ),
    "rust": (
        """\
use std::fmt;

#[derive(Debug)]
pub struct Boat {
    name: String,
}

impl<T: Clone> Boat {
    pub(crate) fn name(&self) -> &str {
        match self { _ => &self.name }
    }
}

pub async fn run() {}
""",
        ["Boat", "Boat", "Boat > name", "run"],
    ),
    "java": (
        """\
package a.b;

@Deprecated
public final class Boat extends Ship {
    private int speed = 3;

    public Boat(int speed) {
        this.speed = speed;
    }

    @Override
    protected List<String> names(int most) throws Lost {
        while (true) {
        }
    }
}
""",
        ["Boat", "Boat > Boat", "Boat > names"],
    ),
    "typescript": (
        """\
import { a } from './a';

export interface Boat {
  name: string;
}

export const trim = async (sail: Sail): Promise<void> => {
  await sail.trim();
};

class Port {
  constructor(private boats: Boat[]) {
  }

  async find(name: string) {
    if (name) {
      return 1;
    }
  }
}

export default function main() {
  trim(1);
}

main();
""",
        ["Boat", "trim", "Port", "Port > constructor", "Port > find", "main"],
    ),
    "ruby": (
        """\
require 'set'

module Port
  class Boat
    def self.find(name)
      name
    end

    def gone?
      false
    end
  end
end
""",
        ["Port", "Port > Boat", "Port > Boat > self.find", "Port > Boat > gone?"],
    ),
    "shell": (
        """\
#!/bin/sh
set -eu

launch() {
    echo "$1"
}

launch boat
""",
        ["launch"],
    ),
    "sql": (
        """\
-- Boats.
CREATE TABLE IF NOT EXISTS boats (
  id INTEGER
);

CREATE INDEX boats_by_id ON boats (id);

SELECT 1;
""",
        ["boats", "boats_by_id"],
    ),
    "kotlin": (
        """\
data class Boat(val name: String)

fun Boat.sail(): Int {
    return 1
}

object Port {
    fun find(name: String) = name
}
""",
        ["Boat", "Boat.sail", "Port", "Port > find"],
    ),
    "elixir": (
        """\
defmodule Port.Boat do
  def sail(x) do
    x
  end

  defp hidden(x), do: x
end
""",
        ["Port.Boat", "Port.Boat > sail", "Port.Boat > hidden"],
    ),
    "lisp": (
        """\
(ns port)

(defn sail [x]
  x)

(define (trim y)
  y)
""",
        ["sail", "trim"],
    ),
    "r": (
        """\
sail <- function(x) {
  x
}
""",
        ["sail"],
    ),
    "php": (
        """\
<?php
final class Boat {
    public function sail(int $n): void {
    }
}
""",
        ["Boat", "Boat > sail"],
    ),
}


@for_each(LANGUAGES)
def test_definitions_of_every_common_language_are_found(language: str) -> None:
    """Their names in the order of the text; statements, calls and declarations begin nothing."""
    text, names = LANGUAGES[language]
    found = [section for section, _ in cut(text) if section]
    assert [section for section, _ in itertools.groupby(found)] == [each for each, _ in itertools.groupby(names)]


STRINGS = {
    "python": 'def f():\n    return """\nclass B:\n    def c(self):\n"""\n\n\ndef g():\n    pass\n',
    "single quotes": "def f():\n    x = '''\ndef b():\n'''\n    return x\n\n\ndef g():\n    pass\n",
    "go": "func f() {\n\tq := `\ncreate table b (\n  x int)`\n\trun(q)\n}\n\n\nfunc g() {\n}\n",
    "javascript": "function f() {\n  return `\nfunction b() {\n}\n`;\n}\n\n\nfunction g() {\n}\n",
    "shell": "f() {\n  cat <<EOF\nclass B:\ndef c():\nEOF\n  true\n}\n\n\ng() {\n  true\n}\n",
    "ruby": "def f\n  x = <<~SQL\ncreate table b (x int)\n  SQL\nend\n\n\ndef g\n  1\nend\n",
}


@for_each(STRINGS)
def test_what_stands_in_strings_defines_nothing(language: str) -> None:
    """The definition around the string stays whole, and the next one is found."""
    text = STRINGS[language]
    sections = [(section.path, text[section.start : section.end].rstrip()) for section in CHUNKER.sections(text)]
    first, _, second = text.partition("\n\n\n")
    assert sections == [("f", first), ("g", second.rstrip())]


@for_each(
    [
        "x = \"'''\"\n",
        'x = \'"""\'\n',
        '# three of """ begin a string\n',
        "// as in `this\n",
        "`(let ((x 1)) ,x)\n",
        "type t = [ `A | `B ]\n",
        "x = y <<z\n",
        "`timescale 1ns/1ps\n",
        "let s: &'a str = 'x'; // '''\n",
    ]
)
def test_an_odd_quote_hides_nothing(odd: str) -> None:
    """What has no end, or is a comment, is no string."""
    text = f"{odd}\ndef b():\n    pass\n\n{odd}\ndef c():\n    pass\n"
    assert {"b", "c"} <= {section.path for section in CHUNKER.sections(text)}


UNITS = ('"""', "'''\n", "= `x\n", "<<a\n", 'x = """\\"""\n', "`", '"\\', "x <<EOF\nEOF")
"""Beginnings of strings that do not end."""


def whole(text: str) -> None:
    """Check that the sections of a text are all of it."""
    assert "".join(text[section.start : section.end] for section in CHUNKER.sections(text)) == text


@pytest.mark.slow
def test_quotes_without_end_take_linear_time() -> None:
    """Twice as many beginnings take twice as many steps."""
    check_all(UNITS, lambda unit: check_linear(unit, 20_000, CHUNKER.sections, whole))


@pytest.mark.long
def test_a_megabyte_of_quotes_without_end_is_cut_in_time() -> None:
    """The test's own timeout is what is asserted."""
    check_all(UNITS, lambda unit: whole(repeated(unit, 1_000_000)))


def test_text_without_definitions_is_one_section() -> None:
    """It is cut like any other text."""
    for text in ("x = 1\ny = 2", "class of people\ntype the name"):
        assert cut(f"{text}\n") == [("", text)]


def test_a_long_definition_is_cut_and_each_piece_keeps_its_path() -> None:
    """No chunk exceeds the limit."""
    body = "".join(f"    value_{number} = compute(value_{number - 1}, {number})\n" for number in range(1, 200))
    spans = DefinitionsChunker(TOKENIZER, limit=100, overlap=10).spans(f"class A:\n\n  def long(self):\n{body}")
    assert len(spans) > 5
    assert {span.section for span in spans} == {"A", "A > long"}
    assert max(span.token_count for span in spans) <= 100


PIECES = st.sampled_from(
    [
        "def a():\n",
        "    def b(self):\n",
        "class A:\n",
        "  ",
        "\t",
        "\n",
        "\r\n",
        "x = 1\n",
        "# c\n",
        "@d\n",
        "}\n",
        "int f(int a) {\n",
        "fn g()",
        "(",
        "{",
        "é",
        "\N{COMBINING ACUTE ACCENT}",
        "end\n",
        '"""',
        "```\n",
        "out:\n",
    ]
)


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(PIECES, max_size=40).map("".join))
def test_sections_have_no_gaps(text: str) -> None:
    """Whatever the lines are, the sections follow each other and the chunks cover all that is not blank."""
    sections = CHUNKER.sections(text)
    assert "".join(text[section.start : section.end] for section in sections) == text
    assert not uncovered(text, CHUNKER.spans(text)).strip()


def test_many_definitions_and_long_lines_take_linear_time() -> None:
    """A file that looks like definitions throughout is cut at each of them."""

    def text(definitions: int) -> str:
        return "def f(a):\n  pass\n" * definitions + "a" * (15 * definitions) + " (" * (definitions // 20)

    assert len(CHUNKER.sections(text(4_000))) > 4_000
    half, whole = (executed_lines(partial(CHUNKER.sections, text(number))) for number in (500, 1_000))
    assert whole < half * GROWTH
