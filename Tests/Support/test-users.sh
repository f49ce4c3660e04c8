#!/usr/bin/env bash
# test-users.sh [COMMAND…]: the users that the tests of rights run programs as, for root: the daemon's (waybill-test), and one who
# drops files (waybill-drop-test), each with a group of that name.
#
# With a command they are there for that command alone: it runs where /etc/passwd and /etc/group are others. Without one they are made
# where they are missing, and stay. Any number of these may run at once.
set -euo pipefail
names="waybill-test waybill-drop-test"

if [ $# -gt 0 ]; then
  exec unshare --mount --propagation slave -- bash -c '
    set -e
    names=$1
    shift
    made=$(mktemp -d)
    mount -t tmpfs -o mode=755 tmpfs "$made"
    cp -p /etc/passwd /etc/group "$made"
    id=999
    for name in $names; do
      if grep -q "^$name:" /etc/passwd && grep -q "^$name:" /etc/group; then continue; fi
      sed -i "/^$name:/d" "$made/passwd" "$made/group"
      while cut -d: -f3 "$made/passwd" "$made/group" | grep -qx "$id"; do id=$((id - 1)); done
      echo "$name:x:$id:$id::/nonexistent:/bin/sh" >> "$made/passwd"
      echo "$name:x:$id:" >> "$made/group"
    done
    for file in passwd group; do mount --bind "$made/$file" "/etc/$file"; done
    umount --lazy "$made"
    rmdir "$made"
    exec "$@"' _ "$names" "$@"
fi

# One at a time: a lock on the directory needs no file of its own.
exec 9< /etc
flock 9
for name in $names; do
  getent group "$name" > /dev/null || groupadd --system "$name"
  getent passwd "$name" > /dev/null \
    || useradd --system --gid "$name" --no-create-home --home-dir /nonexistent --shell /bin/sh "$name"
done
