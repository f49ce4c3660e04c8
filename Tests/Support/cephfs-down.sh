#!/bin/bash
# cephfs-down.sh DIR: ends what cephfs-up.sh DIR started, and removes DIR.
set -euo pipefail
# shellcheck source=Tests/Support/own.sh
. "$(dirname "${BASH_SOURCE[0]}")/own.sh"
[ -e "$1" ] || exit 0
D=$(cd "$1" && pwd)
for note in "$D"/run/fuse*; do
  [ -e "$note" ] || continue
  # A client that is ended takes its mount with it only if nobody uses it.
  umount --lazy "$D/m${note##*/fuse}" 2> /dev/null || :
  stop "$D" "${note##*/}" KILL
done
for name in mds osd mon; do stop "$D" $name KILL; done
# Never through a mount that is still there.
if grep -qF " $D/m" /proc/self/mounts; then echo "mounts are left in $D" >&2; exit 1; fi
wipe_folder "$D"
