#!/usr/bin/env bash
# samba-unpack.sh DIR: unpacks Debian's smbd and smbclient into DIR, with the libraries of theirs that are not installed. They are not
# installed themselves: that would start servers.
set -euo pipefail
D=$1
[ ! -e "$D/.complete" ] || exit 0
[ ! -x /usr/sbin/smbd ] || [ ! -x /usr/bin/smbclient ] || exit 0
command -v apt-get > /dev/null || { echo "not Debian: smbd is assumed to be there" >&2; exit 0; }
rm -rf "$D"
mkdir -p "$D/archives/partial"
apt-get -q -y --no-install-recommends -o Dir::Cache::archives="$PWD/$D/archives" --download-only install samba smbclient
for package in "$D"/archives/*.deb; do dpkg -x "$package" "$D"; done
rm -r "$D/archives"
: > "$D/.complete"
