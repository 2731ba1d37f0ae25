#!/bin/sh
# Fetch Dovecot, Cyrus and GreenMail for the tests of IMAP, each into a folder. Nothing is installed. Dovecot and Cyrus need Debian
# or Ubuntu; GreenMail needs Maven, and is left out, loudly, where it cannot be fetched.
# Usage: fetch_servers.sh DOVECOT_FOLDER CYRUS_FOLDER GREENMAIL_FOLDER
set -eu
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT

# fetch NAME FOLDER PACKAGES...
fetch() {
    name=$1
    target=$2
    shift 2
    mkdir -p "$made/$name/packages" "$made/$name/unpacked/etc"
    (cd "$made/$name/packages" && apt-get -q download "$@")
    for package in "$made/$name"/packages/*.deb; do
        dpkg-deb -x "$package" "$made/$name/unpacked"
    done
    # Older packages have libraries in /lib, which is /usr/lib now.
    if [ -d "$made/$name/unpacked/lib" ]; then
        mkdir -p "$made/$name/unpacked/usr/lib"
        cp -R "$made/$name/unpacked/lib/." "$made/$name/unpacked/usr/lib"
    fi
    rm -rf "$target"
    mkdir -p "$target"
    cp -R "$made/$name/unpacked/usr" "$made/$name/unpacked/etc" "$target"
    # The folder is laid over /usr, which everybody may read.
    chmod -R u=rwX,go=rX "$target"
    echo "$name is in $target"
}

fetch dovecot "$1" dovecot-core dovecot-imapd
fetch cyrus "$2" cyrus-imapd cyrus-common sasl2-bin libsasl2-modules libwrap0 libxapian30 libical3 libpcre3

greenmail=com.icegreen:greenmail-standalone:2.1.7
if command -v mvn > "$made/mvn" && mvn -q -B dependency:copy -Dartifact="$greenmail" -DoutputDirectory="$made/greenmail" \
    -Dmdep.stripVersion=true > "$made/log" 2>&1; then
    rm -rf "$3"
    mkdir -p "$3"
    cp "$made/greenmail/greenmail-standalone.jar" "$3"
    echo "greenmail is in $3"
else
    echo "GREENMAIL WAS NOT FETCHED: the tests run without it" >&2
fi
