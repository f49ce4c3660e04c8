#!/bin/bash
# cephfs-up.sh DIR [N]: a network file system for tests, CephFS: one monitor, one OSD in memory, one metadata server on 127.0.0.1, and N
# (2) mounts of it by ceph-fuse, DIR/m1 and so on, each a client of its own with its own session, locks and cache.
# Needs root, /dev/fuse, and ceph-mon, ceph-osd, ceph-mds and ceph-fuse in .build-test/ceph or installed. A folder and processes of its own.
#   DIR/log    what the servers say
# A client that does not answer is stale and evicted after 30 s, the least that CephFS takes; its own times are 60 s and 300 s.
set -euo pipefail
# shellcheck source=Tests/Support/own.sh
. "$(dirname "${BASH_SOURCE[0]}")/own.sh"
# shellcheck source=Tests/Support/ceph.sh
. "$(dirname "${BASH_SOURCE[0]}")/ceph.sh"
use_unpacked ceph
umask 022
own_folder "$1"
D=$(cd "$1" && pwd)
trap '[ $? -eq 0 ] || "$(dirname "${BASH_SOURCE[0]}")/cephfs-down.sh" "$D"' EXIT
ceph_configure "$D" memstore
mkdir "$D/mds"
cat >> "$CEPH_CONF" <<EOC
[mds]
mds data = $D/mds
mds cache memory limit = 134217728
# one that is started again knows at once who may come back
mds reconnect timeout = 5
EOC
ceph_start "$D"
fs() { ceph -c "$CEPH_CONF" "$@" > /dev/null 2> "$D/log/fs.out" || { cat "$D/log/fs.out" >&2; return 1; }; }
fs osd pool create meta 4
fs osd pool create data 4
fs fs new fs meta data
fs fs set fs session_timeout 30
fs fs set fs session_autoclose 30
start "$D" mds ceph-mds -c "$CEPH_CONF" -f -i a
wait_for 60 "$D" mds sh -c 'ceph -c "$CEPH_CONF" mds stat | grep -q up:active'
for n in $(seq "${2:-2}"); do
  mkdir "$D/m$n"
  start "$D" "fuse$n" ceph-fuse -f -c "$CEPH_CONF" --client_mountpoint=/ "$D/m$n"
done
for n in $(seq "${2:-2}"); do wait_for 60 "$D" "fuse$n" mountpoint -q "$D/m$n"; done
