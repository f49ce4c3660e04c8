#!/usr/bin/env bash
# debian13-tree.sh FOLDER: makes a tree of Debian 13 with systemd and what the Debian packages of Waybill need, once for each list of
# packages. As root; MIRROR= names another server for Debian's packages.
set -euo pipefail

tree=$1
packages=acl,apt,ca-certificates,iproute2,libcurl4t64,libexpat1,libnss-systemd,libpcre2-8-0,libpq5,libsqlite3-0,libstdc++6,passwd,procps,systemd,systemd-sysv
[ "$(cat "$tree/.packages" 2> /dev/null)" != "$packages" ] || exit 0
[ "$(id -u)" = 0 ] || { echo "$tree is made as root: without it the tests on Debian 13 do not run" >&2; exit 0; }
rm -rf "$tree" "$tree.new"
mmdebstrap --variant=essential --mode=root --include="$packages" trixie "$tree.new" "${MIRROR:-http://deb.debian.org/debian}"
echo "$packages" > "$tree.new/.packages"
mv "$tree.new" "$tree"
