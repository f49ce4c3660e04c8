#!/bin/bash
# journald-up.sh DIR [journald.conf line...]
# Starts a private, real systemd-journald (no PID 1 systemd needed). Root, or any user where
# unprivileged user namespaces are allowed (then a user namespace is used).
#   DIR/pid       pid of systemd-journald (its mount namespace is the one to enter)
#   DIR/log       the journal files: journalctl --directory=DIR/log ... (no namespace needed)
#   DIR/run       what is /run/systemd inside
# Run the program under test with  journald-exec.sh DIR cmd...
set -euo pipefail
D=$1; shift
mkdir -p "$D"; D=$(cd "$D" && pwd)
[ ! -e "$D/pid" ] || { echo "already up: $D" >&2; exit 1; }
mkdir -p "$D/run/journal" "$D/run/journald.conf.d" "$D/log"
{ printf '[Journal]\nStorage=volatile\nReadKMsg=no\nAudit=\nForwardToSyslog=no\nForwardToConsole=no\nForwardToWall=no\nForwardToKMsg=no\nRateLimitIntervalSec=0\nRuntimeMaxUse=256M\n'
  for l in "$@"; do printf '%s\n' "$l"; done; } > "$D/run/journald.conf.d/50-test.conf"
# journald writes nothing without a machine id (empty in many container images)
MID=; grep -qE '^[0-9a-f]{32}$' /etc/machine-id 2>/dev/null || { tr -d - < /proc/sys/kernel/random/uuid > "$D/machine-id"; MID=$D/machine-id
  [ -e /etc/machine-id ] || { echo "no /etc/machine-id to mount over: create it" >&2; exit 1; }; }
U=(); [ "$(id -u)" = 0 ] || U=(--user --map-root-user)
J=/lib/systemd/systemd-journald; [ -x $J ] || J=/usr/lib/systemd/systemd-journald
# the namespace's /run is a tmpfs so that nothing of the host's /run is touched or needed
setsid unshare "${U[@]}" --mount --propagation private -- bash -c '
  set -e
  mount -t tmpfs -o mode=755 tmpfs /run
  mkdir -p /run/systemd /run/log/journal
  mount --bind "$1/run" /run/systemd
  mount --bind "$1/log" /run/log/journal
  [ -z "$3" ] || mount --bind "$3" /etc/machine-id
  # no descriptor of the caller may live on in journald: a parent that waits for their end would wait for ever
  for fd in /proc/$$/fd/*; do n=${fd##*/}; [ "$n" -le 2 ] || eval "exec $n>&-"; done
  exec env SYSTEMD_LOG_TARGET=console "$2"
' _ "$D" "$J" "$MID" >"$D/journald.out" 2>&1 </dev/null &
echo $! > "$D/pid"
# Long enough for any machine: one that works never waits for it, and one that fails says so by its end.
until [ $SECONDS -ge 180 ]; do
  # the varlink socket is opened last; a line of our own proves that it is read
  [ -S "$D/run/journal/io.systemd.journal" ] && [ -n "$(ls "$D/log"/*/system.journal 2>/dev/null)" ] && exit 0
  kill -0 "$(cat "$D/pid")" 2>/dev/null || { echo "journald died:" >&2; cat "$D/journald.out" >&2; rm -f "$D/pid"; exit 1; }
  sleep 0.01
done
echo "journald not ready after 180 s" >&2; cat "$D/journald.out" >&2; exit 1
