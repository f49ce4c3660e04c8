#!/usr/bin/env bash
# sshd-unpack.sh DIR: unpacks Debian's sshd into DIR. It is not installed: that would start a server on port 22.
set -euo pipefail
D=$1
[ ! -x "$D/usr/sbin/sshd" ] || exit 0
[ ! -x /usr/sbin/sshd ] || exit 0
command -v apt-get > /dev/null || { echo "not Debian: sshd is assumed to be there" >&2; exit 0; }
mkdir -p "$D"
(cd "$D" && apt-get -q download openssh-server && dpkg -x openssh-server_*.deb . && rm openssh-server_*.deb)
