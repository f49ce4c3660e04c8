#!/usr/bin/env bash
# nginx-unpack.sh DIR: unpacks Debian's nginx into DIR. It is not installed: that would start a server on port 80.
set -euo pipefail
D=$1
[ ! -x "$D/usr/sbin/nginx" ] || exit 0
[ ! -x /usr/sbin/nginx ] || exit 0
command -v apt-get > /dev/null || { echo "not Debian: nginx is assumed to be there" >&2; exit 0; }
mkdir -p "$D"
(cd "$D" && apt-get -q download nginx && dpkg -x nginx_*.deb . && rm nginx_*.deb)
