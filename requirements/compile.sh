#!/bin/sh
# Renews the pins: one set of hashed versions for every supported Python and platform. Needs uv. Run in this folder.
set -eu
pin() {
    uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header \
        --annotation-style line --upgrade --quiet "$@"
}
pin -c constraints.in runtime.in -o runtime.txt
pin build.in -o build.txt
pin -c runtime.txt -c build.txt dev.in -o dev.txt
for peer in whatstk chat-miner mail-parser mem0; do
    pin bench-$peer.in -o bench-$peer.txt
done
