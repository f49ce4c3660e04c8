#!/bin/bash
# systemd-up.sh DIR [options]        boots a real systemd as PID 1 of a private pid/mount/uts/ipc/cgroup
#                                    namespace. Root only. Host's network (and its 127.0.0.1) by default.
#   --units HOSTDIR     bound at /usr/local/lib/systemd/system (a normal unit search path)
#   --bind HOST[:DEST]  bind read-write (not recursive; the rest of the host's root is seen through an overlay whose
#                       upper layer is a tmpfs: writes vanish with the machine); may be repeated
#   --root TREE         lower layer of the overlay instead of the host's / (a debootstrap tree)
#   --private-net       own network namespace, only its own lo (up)
#   --target UNIT       unit to boot (default testmachine.target: basic.target and nothing else)
#   --owner PID         the machine ends with this process, however that ends
#   --full              keep the host's generators and /etc/systemd/system (not recommended)
# DIR/pid   host pid of the inner PID 1     DIR/journal  its journal: journalctl --directory=DIR/journal
# DIR/console.log  stdout/stderr of PID 1   DIR/cgroup   its cgroup2 directory on the host
set -euo pipefail
[ "$(id -u)" = 0 ] || { echo "root only" >&2; exit 2; }
D=$1; shift
ROOT=/ UNITS= TARGET=testmachine.target FULL= NET=() BINDS=() OWNER=
while [ $# -gt 0 ]; do case $1 in
  --units) UNITS=$(cd "$2" && pwd); shift 2;;
  --bind) BINDS+=("$2"); shift 2;;
  --root) ROOT=$(cd "$2" && pwd); shift 2;;
  --private-net) NET=(--net); shift;;
  --target) TARGET=$2; shift 2;;
  --owner) OWNER=$2; shift 2;;
  --full) FULL=1; shift;;
  *) echo "unknown option $1" >&2; exit 2;;
esac; done
LOWER=$ROOT
# the machine of the tests is two overlays, and a third cannot lie on them: this one lies on the lower of the two
[ "$ROOT" != / ] || [ ! -d /run/test-machine ] || LOWER=/run/test-machine
mkdir -p "$D"; D=$(cd "$D" && pwd)
[ ! -e "$D/pid" ] || { echo "already up: $D" >&2; exit 1; }
mkdir -p "$D/journal" "$D/m"
# a cgroup2 directory of its own (hybrid hosts have cgroup2 at unified/, others at the top)
CG2=$(awk '$3=="cgroup2"{print $2; exit}' /proc/mounts)
[ -n "$CG2" ] || { CG2=$D/cg2; mkdir -p "$CG2"; mount -t cgroup2 cgroup2 "$CG2"; }
# limits (MemoryMax=, TasksMax=, CPUQuota=) need the controllers in cgroup2; on a host that has them in cgroup v1
# they are accepted and do nothing
for c in memory pids cpu io; do grep -qw $c "$CG2/cgroup.controllers" && ! grep -qw $c "$CG2/cgroup.subtree_control" && \
  echo +$c > "$CG2/cgroup.subtree_control" 2>/dev/null || :; done
CG=$CG2/testmachine-$(basename "$D")
mkdir "$CG"; echo "$CG" > "$D/cgroup"
UNPACKED=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)/.build-test/systemd
export D ROOT LOWER UNITS TARGET FULL UNPACKED
export BINDLIST; BINDLIST=$(printf '%s\n' "${BINDS[@]}")
INNER=$(cat <<'IN'
set -euo pipefail
mount --make-rprivate /
M=$D/m
mount -t tmpfs -o mode=755 testmachine "$M"
mkdir "$M/upper" "$M/work" "$M/root"
mount -t overlay -o "lowerdir=$LOWER,upperdir=$M/upper,workdir=$M/work" overlay "$M/root"
R=$M/root
mkdir -p "$R/proc" "$R/sys" "$R/dev" "$R/run" "$R/tmp"
mount -t proc -o nosuid,nodev,noexec proc "$R/proc"
for p in sys sysrq-trigger irq bus; do [ -e "$R/proc/$p" ] && { mount --bind "$R/proc/$p" "$R/proc/$p"; mount -o remount,bind,ro "$R/proc/$p"; }; done
mount -t sysfs -o nosuid,nodev,noexec,ro sysfs "$R/sys" 2>/dev/null || { mount --bind /sys "$R/sys"; mount -o remount,bind,ro "$R/sys"; }
mount -t cgroup2 -o nosuid,nodev,noexec cgroup2 "$R/sys/fs/cgroup"
mount -t tmpfs -o mode=755,nosuid tmpfs "$R/dev"
for n in null zero full random urandom tty; do cp -a "/dev/$n" "$R/dev/$n" 2>/dev/null || { : > "$R/dev/$n"; mount --bind "/dev/$n" "$R/dev/$n"; }; done
ln -s /proc/self/fd "$R/dev/fd"; ln -s /proc/self/fd/0 "$R/dev/stdin"; ln -s /proc/self/fd/1 "$R/dev/stdout"; ln -s /proc/self/fd/2 "$R/dev/stderr"
mkdir "$R/dev/pts" "$R/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts "$R/dev/pts"; ln -s pts/ptmx "$R/dev/ptmx"
mount -t tmpfs -o mode=1777,nosuid,nodev tmpfs "$R/dev/shm"
mount -t tmpfs -o mode=755,nosuid,nodev tmpfs "$R/run"
mount -t tmpfs -o mode=1777,nosuid,nodev tmpfs "$R/tmp"
mkdir -p "$R/var/log/journal"; mount --bind "$D/journal" "$R/var/log/journal"
if [ -z "$FULL" ]; then
  mount -t tmpfs -o mode=755 tmpfs "$R/etc/systemd/system"
  mount -t tmpfs -o mode=755 tmpfs "$R/usr/lib/systemd/system-generators"
  : > "$R/etc/fstab"
  for u in dev-hugepages.mount dev-mqueue.mount proc-sys-fs-binfmt_misc.automount sys-fs-fuse-connections.mount \
    sys-kernel-config.mount sys-kernel-debug.mount sys-kernel-tracing.mount kmod-static-nodes.service \
    systemd-binfmt.service systemd-firstboot.service systemd-machine-id-commit.service systemd-modules-load.service \
    systemd-pcrphase-sysinit.service systemd-pcrphase.service systemd-random-seed.service systemd-repart.service \
    systemd-sysctl.service systemd-tmpfiles-setup-dev.service systemd-update-utmp.service systemd-pstore.service \
    systemd-journald-audit.socket systemd-initctl.socket systemd-udevd.service systemd-udevd-control.socket \
    systemd-udevd-kernel.socket systemd-udev-trigger.service systemd-timesyncd.service systemd-networkd.service \
    systemd-resolved.service systemd-logind.service getty.target console-getty.service systemd-tmpfiles-clean.timer \
    systemd-ask-password-console.path systemd-ask-password-wall.path; do
    ln -s /dev/null "$R/etc/systemd/system/$u"
  done
  printf '[Unit]\nDescription=test machine\nRequires=basic.target\nAfter=basic.target\nAllowIsolate=yes\n' > "$R/etc/systemd/system/testmachine.target"
fi
# the names of DynamicUser=, on a machine that does not know them by itself
for library in "$UNPACKED"/usr/lib/*/libnss_systemd.so.2; do
  [ "$ROOT" = / ] && [ -e "$library" ] || continue
  cp "$library" "$R${library#"$UNPACKED"}"
  sed -i -E '/systemd/! s/^(passwd|group|shadow|gshadow):.*/& systemd/' "$R/etc/nsswitch.conf"
done
mkdir -p "$R/etc/systemd/system.conf.d" "$R/etc/systemd/journald.conf.d"
printf '[Manager]\nDefaultTimeoutStopSec=15s\nLogColor=no\n' > "$R/etc/systemd/system.conf.d/testmachine.conf"
printf '[Journal]\nStorage=persistent\nReadKMsg=no\nAudit=\nForwardToSyslog=no\nForwardToWall=no\nSplitMode=none\nSystemMaxUse=256M\n' > "$R/etc/systemd/journald.conf.d/testmachine.conf"
[ -s "$R/etc/machine-id" ] && [ "$(cat "$R/etc/machine-id")" != uninitialized ] || systemd-id128 new > "$R/etc/machine-id"
if [ -n "$UNITS" ]; then mkdir -p "$R/usr/local/lib/systemd/system"; mount --bind "$UNITS" "$R/usr/local/lib/systemd/system"; fi
while IFS= read -r b; do [ -n "$b" ] || continue; s=${b%%:*}; t=${b#*:}
  if [ -d "$s" ]; then mkdir -p "$R$t"; else mkdir -p "$R$(dirname "$t")"; [ -e "$R$t" ] || : > "$R$t"; fi
  mount --bind "$s" "$R$t"; done <<<"$BINDLIST"
echo testmachine > "$R/etc/hostname"
# root must be a shared mount when systemd starts in container mode: credentials and others propagate by it
cd "$R"; mkdir -p "$R/run/h-old"; pivot_root . run/h-old
cd /; exec env -i container=testmachine PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 TARGET="$TARGET" \
  /bin/bash -c 'umount -l /run/h-old; rmdir /run/h-old; mount --make-rshared /; I=/lib/systemd/systemd; [ -x $I ] || I=/usr/lib/systemd/systemd; exec $I --system --unit="$TARGET" --show-status=0 --log-level=info'
IN
)
# started from inside its cgroup, so that the cgroup namespace's root is that directory
# (descriptors that this script inherited are closed: whoever waits for their end does not wait for the machine)
( for F in /proc/self/fd/*; do N=${F##*/}; [ "$N" -le 2 ] || eval "exec $N>&-"; done
exec setsid bash -c 'echo $$ > "$1/cgroup.procs"; shift; exec unshare --pid --mount --uts --ipc --cgroup --fork --kill-child "$@"' _ "$CG" "${NET[@]}" bash -c "$INNER" ) \
  > "$D/console.log" 2>&1 </dev/null &
U=$!
fail() { echo "$1" >&2; tail -n 30 "$D/console.log" >&2; kill -KILL $U 2>/dev/null || :; wait $U 2>/dev/null || :; rmdir "$CG" 2>/dev/null || :; rm -f "$D/pid"; exit 1; }
for i in $(seq 18000); do P=$(cat /proc/$U/task/$U/children 2>/dev/null || :); P=${P%% *}; [ -n "$P" ] && break; sleep 0.01; done
[ -n "${P:-}" ] || fail "no child"
echo "$P" > "$D/pid"; echo "$U" > "$D/unshare.pid"
if [ -n "$OWNER" ]; then
  ( for F in /proc/self/fd/*; do N=${F##*/}; [ "$N" -le 2 ] || eval "exec $N>&-"; done
  exec setsid bash -c 'tail --pid="$1" -f /dev/null; exec "$2" "$3"' _ "$OWNER" "${BASH_SOURCE[0]%/*}/systemd-down.sh" "$D" ) \
    > /dev/null 2>&1 </dev/null &
  echo $! > "$D/watcher.pid"
fi
for i in $(seq 18000); do
  kill -0 "$P" 2>/dev/null || fail "PID 1 died"
  [ -S "/proc/$P/root/run/systemd/private" ] && [ "$(readlink /proc/$P/exe 2>/dev/null || :)" != "" ] && break; sleep 0.01
done
# PID 1 makes its socket, and answers at it a little later
for i in $(seq 1800); do
  S=$(nsenter -t "$P" -m -u -i -p -C -n -- systemctl is-system-running --wait 2>&1) || :
  case $S in *"Failed to connect"*) sleep 0.1 ;; *) break ;; esac
done
case $S in running) ;; degraded) nsenter -t "$P" -m -u -i -p -C -n -- systemctl --failed --no-legend --plain >&2;; *) fail "boot: $S";; esac
echo "$S" > "$D/state"
