#!/bin/sh
# Fetch Dovecot and Cyrus for the tests of IMAP and unpack each into a folder. Nothing is installed. Needs Debian or Ubuntu.
# Usage: fetch_servers.sh DOVECOT_FOLDER CYRUS_FOLDER
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
    rm -rf "$target"
    mkdir -p "$target"
    cp -R "$made/$name/unpacked/usr" "$made/$name/unpacked/etc" "$target"
    # The folder is laid over /usr, which everybody may read.
    chmod -R u=rwX,go=rX "$target"
    echo "$name is in $target"
}

fetch dovecot "$1" dovecot-core dovecot-imapd
fetch cyrus "$2" cyrus-imapd cyrus-common sasl2-bin libsasl2-modules libwrap0 libxapian30 libical3
