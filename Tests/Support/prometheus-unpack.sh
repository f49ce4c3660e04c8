#!/usr/bin/env bash
# prometheus-unpack.sh DIR: unpacks Debian's prometheus and promtool into DIR. It is not installed: that would start a server.
set -euo pipefail
D=$1
[ ! -x "$D/usr/bin/promtool" ] || exit 0
[ ! -x /usr/bin/promtool ] || exit 0
command -v apt-get > /dev/null || { echo "not Debian: prometheus and promtool are assumed to be there" >&2; exit 0; }
mkdir -p "$D"
(cd "$D" && apt-get -q download prometheus && dpkg -x prometheus_*.deb . && rm prometheus_*.deb)
