#!/usr/bin/env bash
# The machine of the tests: this one, seen through an overlay. What is installed in it, the users that are made in it, its /etc, /run, /tmp
# and processes are its own, and go with it; the checkout, the devices, the network and the kernel are this machine's.
#   test-machine.sh --make PACKAGE…   makes it ready: Debian's packages are installed in it by apt, once for each list, and the tests' users
#                                     are made
#   test-machine.sh COMMAND…          runs a command in it, in the same directory and as root. What the command changes outside of the
#                                     checkout is gone when it ends, as is all that it left running
# It takes root that may mount. Where it cannot be, it says so: --make then ends with 69, and a command is run without it.
set -euo pipefail
support=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
checkout=$(cd "$support/../.." && pwd)
machine=$checkout/.build-test/machine

# In it there is nothing to be done.
if [ -n "${WAYBILL_TEST_MACHINE:-}" ]; then
  [ "$1" != --make ] || exit 0
  exec "$@"
fi

# enter DIRECTORY COMMAND…: runs a command in a machine that is put together in a directory.
enter() {
  local run=$1 status=0
  shift
  mkdir "$run/root"
  # In a group of its own it gets the signals that are sent to this shell alone, and it does not outlive this shell.
  set -m
  setpriv --pdeathsig KILL -- unshare --mount --propagation private --pid --fork --kill-child \
    "$support/test-machine-root.sh" "$run" "$checkout" "$PWD" "$@" 8>&- 9<&- &
  child=$!
  set +m
  for signal in INT TERM HUP; do
    # shellcheck disable=SC2064
    trap "kill -s $signal -- -$child 2> /dev/null || :" $signal
  done
  while :; do
    status=0
    wait "$child" || status=$?
    kill -0 "$child" 2> /dev/null || break
  done
  trap - INT TERM HUP
  return $status
}

# new_run: a directory for a machine. Those of commands that were killed go: nobody holds their lock.
new_run() {
  local old
  mkdir -p "$machine"
  for old in "$machine"/run.*; do
    [ -d "$old" ] || continue
    (flock -n 9 && rm -rf --one-file-system "$old") 9< "$old" || :
  done
  run=$(mktemp -d "$machine/run.XXXXXX")
  chmod 755 "$run"
  exec 9< "$run"
  flock 9
}

# cannot: says why there can be no such machine here.
cannot() {
  [ "$(id -u)" = 0 ] || { echo "it takes root"; return; }
  mkdir -p "$machine/trial"
  # shellcheck disable=SC2016
  (cd "$machine/trial" && mkdir -p {1,2}/{upper,work,root} && unshare --mount --propagation private --pid --fork sh -ec '
    mount -t overlay overlay -o index=off,lowerdir=/,upperdir=1/upper,workdir=1/work 1/root
    mount -t overlay overlay -o index=off,lowerdir=1/root,upperdir=2/upper,workdir=2/work 2/root') 2>&1 || :
  rm -rf "$machine/trial"
}

why=$(cannot)
if [ "$1" = --make ]; then
  shift
  [ -z "$why" ] || { echo "no machine of the tests' own: $why" >&2; exit 69; }
  # It is made again for other packages, and when this machine has changed under it.
  key=$( (echo "$@"; cat /etc/os-release /etc/passwd /etc/group "$support"/test-users.sh; dpkg-query --show 2> /dev/null) | sha256sum)
  [ "$(cat "$machine/layer/.key" 2> /dev/null)" != "$key" ] || exit 0
  echo "making the machine of the tests"
  new_run
  trap 'rm -rf --one-file-system "$run"' EXIT
  # Machines that stand on the old layer keep it until their end. The new one has to hold all that the old one did, so it lies on this
  # machine alone.
  exec 8> "$machine/lock"
  flock 8
  rm -rf "$machine"/layer{,-work}
  # Nothing is started by what is installed.
  # shellcheck disable=SC2016
  enter "$run" bash -c 'set -euo pipefail
    printf "#!/bin/sh\nexit 101\n" > /usr/sbin/policy-rc.d
    chmod 755 /usr/sbin/policy-rc.d
    scripts/install-build-deps "$@"
    # Each call of apt reads what Debian has; the tests install only packages of our own.
    ! command -v apt-get > /dev/null || { apt-get clean; rm -rf /var/lib/apt/lists/*; }
    rm /usr/sbin/policy-rc.d
    Tests/Support/test-users.sh' _ "$@"
  echo "$key" > "$run/layers/.key"
  mv "$run/layers" "$machine/layer"
  exit 0
fi

if [ -z "$why" ] && [ ! -e "$machine/layer/.key" ]; then why="scripts/install-test-deps makes it"; fi
if [ -n "$why" ]; then
  echo "not in a machine of the tests' own: $why" >&2
  export WAYBILL_TEST_MACHINE=none
  exec "$@"
fi
exec 8> "$machine/lock"
flock --shared 8
new_run
if [ "${WAYBILL_TEST_KEEP:-}" = 1 ]; then
  echo "what the tests leave is in $run/layers and $run/tmp" >&2
else
  trap 'rm -rf --one-file-system "$run"' EXIT
fi
status=0
enter "$run" "$@" || status=$?
exit $status
