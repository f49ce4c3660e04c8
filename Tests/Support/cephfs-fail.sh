#!/bin/bash
# cephfs-fail.sh DIR MODE [N]: makes the CephFS of cephfs-up.sh DIR fail, and heals it again.
#   hang N|nohang N    calls on mount N hang: its client is stopped
#   evict N            the metadata server takes all that client N has, and refuses it from then on
#   noevict            clients that were evicted are mounted anew: ceph-fuse answers EIO to each lock of a file whose lock it has lost
#   restart            the metadata server dies and is started again
set -euo pipefail
# shellcheck source=Tests/Support/own.sh
. "$(dirname "${BASH_SOURCE[0]}")/own.sh"
use_unpacked ceph
D=$(cd "$1" && pwd)
export CEPH_CONF=$D/ceph.conf
client() { local pid; read -r pid _ < "$D/run/fuse$2"; kill -s "$1" "$pid"; }
# The number of the session whose client has this mount.
session() {
  ceph tell mds.a session ls 2> "$D/log/fail.out" | python3 -c 'import json, sys
for session in json.load(sys.stdin):
  if session["client_metadata"].get("mount_point") == sys.argv[1]: print(session["id"])' "$D/m$1"
}
case $2 in
  hang) client STOP "$3" ;;
  nohang) client CONT "$3" ;;
  evict)
    # One that has not answered for 30 s may be evicted by then.
    id=$(session "$3")
    [ -z "$id" ] || ceph tell mds.a client evict "id=$id" 2>> "$D/log/fail.out" || [ -z "$(session "$3")" ]
    : > "$D/run/evicted$3"
    ;;
  noevict)
    # First all such clients are ended: one that finds itself let in again opens a session, and ended then it leaves all others waiting
    # for what it holds, until the server gives it up.
    for note in "$D"/run/evicted*; do
      [ -e "$note" ] || continue
      n=${note##*evicted}
      umount --lazy "$D/m$n"
      stop "$D" "fuse$n" KILL
    done
    ceph osd blocklist clear 2>> "$D/log/fail.out"
    for note in "$D"/run/evicted*; do
      [ -e "$note" ] || continue
      n=${note##*evicted}
      start "$D" "fuse$n" ceph-fuse -f -c "$CEPH_CONF" --client_mountpoint=/ "$D/m$n"
      wait_for 60 "$D" "fuse$n" mountpoint -q "$D/m$n"
      rm "$note"
    done
    ;;
  restart)
    stop "$D" mds KILL
    start "$D" mds ceph-mds -c "$CEPH_CONF" -f -i a
    ;;
  *)
    echo "no such mode: $2" >&2
    exit 2
    ;;
esac > /dev/null
