#!/bin/sh
# What `make bench` runs: every figure beside what it is measured against, in the same run.
#   MEMD_BENCH_PYTHON: an interpreter with whatstk; without it that comparison is skipped, with a word.
#   MEMD_BENCH_SIZES:  sizes of the store, default "10000 100000".
#   MEMD_LOCOMO:       a folder of LoCoMo conversations; without it recall is not measured.
set -eu
cd "$(dirname "$0")"
python=${PYTHON:-python}

heading() { printf '\n== %s\n' "$1"; }

heading 'parse a WhatsApp export'
if [ -n "${MEMD_BENCH_PYTHON:-}" ] && "$MEMD_BENCH_PYTHON" -c 'import whatstk' 2>/dev/null; then
    "$python" parse_whatsapp.py --whatstk-python "$MEMD_BENCH_PYTHON"
else
    echo 'whatstk is not installed: memd alone'
    "$python" parse_whatsapp.py
fi

heading 'embed, the bare embedder'
"$python" embed.py

heading 'ingest, against the bare embedder on the same texts; again, unchanged'
"$python" ingest.py

heading 'the store: words and vectors'
"$python" store.py

heading 'query over the socket, against its raw parts'
# shellcheck disable=SC2086 # the sizes are words
"$python" query.py ${MEMD_BENCH_SIZES:-10000 100000}

heading 'recall on chats in five languages'
"$python" recall.py

if [ -n "${MEMD_LOCOMO:-}" ]; then
    heading 'recall on LoCoMo'
    "$python" locomo.py "$MEMD_LOCOMO"
fi
