#!/bin/sh
# Fetch Dovecot for the tests of IMAP and unpack it into a folder. Nothing is installed. Needs Debian or Ubuntu.
# Usage: fetch_dovecot.sh FOLDER
set -eu
target=$1
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
mkdir "$made/packages" "$made/unpacked"
(cd "$made/packages" && apt-get -q download dovecot-core dovecot-imapd)
for package in "$made"/packages/*.deb; do
    dpkg-deb -x "$package" "$made/unpacked"
done
rm -rf "$target"
mkdir -p "$target"
cp -R "$made/unpacked/usr" "$target/usr"
# The folder is laid over /usr, which everybody may read.
chmod -R u=rwX,go=rX "$target"
echo "Dovecot is in $target"
