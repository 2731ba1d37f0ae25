#!/bin/sh
# What `make demo` runs: both sample chats into a store of its own, three questions, and a fact that changed. No network, no key, no server.
#   usage: demo.sh [MEMD]   the command to run, default: memd
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
memd=${1:-memd}

# A store of its own, in a short private folder: nothing of the user's own memory is touched.
home=$(mktemp -d "${TMPDIR:-/tmp}/memd-demo.XXXXXX")
trap 'rm -rf "$home"' EXIT
trap 'exit 130' INT TERM
MEMD_DATA_DIR=$home/data MEMD_SOCKET=$home/memd.sock MEMD_CONFIG=$home/config.toml
export MEMD_DATA_DIR MEMD_SOCKET MEMD_CONFIG
: >"$MEMD_CONFIG"

run() {
    printf '\n$ memd'
    for word in "$@"; do
        case $word in *[!A-Za-z0-9_./-]*) printf ' "%s"' "$word" ;; *) printf ' %s' "$word" ;; esac
    done
    printf '\n'
    "$memd" "$@"
}

cd "$here/.."
run ingest examples/whatsapp --zone Europe/Berlin
run query "where is Priya moving to?" -k 2
run query "Wann fährt der Zug am Freitag?" -k 2
run query "who is allergic, and to what?" -k 3
run facts --subject "Priya Raman" --status all
# The id that the next commands need, as a person would copy it from the line above.
id=$("$memd" facts --subject "Priya Raman" --attribute home --json | sed 's/.*"id": "\([^"]*\)".*/\1/')
run history "$id"
run undo "$id"
run facts --attribute home
run undo "$id"
printf '\nThat was a store of its own, now gone. For your own: memd ingest ./whatsapp.zip\n'
