# shellcheck shell=bash
# Sourced by the scripts that start real servers for tests: a folder of their own, and processes of their own.
# A process is known by its pid and its start time, so that no other one that got the same number is ever ended.

# own_folder DIR: makes it, marked as ours.
own_folder() {
  [ ! -e "$1" ] || { echo "$1 exists: stop what runs there first" >&2; return 1; }
  mkdir -p "$1/run" "$1/log"
  : > "$1/.test-server"
}

# wipe_folder DIR: removes a folder that own_folder made, and no other.
wipe_folder() {
  [ -e "$1/.test-server" ] || { echo "$1 was not made by a test: left as it is" >&2; return 1; }
  rm -rf "$1"
}

# started_at PID: the start time in clock ticks; nothing for a process that is gone or a zombie.
started_at() {
  local stat
  stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 0
  stat=${stat##*) }
  case $stat in Z*|X*) return 0 ;; esac
  cut -d' ' -f20 <<< "$stat"
}

# start DIR NAME COMMAND…: runs it in a session of its own, with its output in DIR/log/NAME.out, and notes it.
# It inherits no descriptor: whoever waits for the end of a pipe does not wait for a server.
start() {
  local dir=$1 name=$2
  shift 2
  (
    for fd in /proc/self/fd/*; do
      fd=${fd##*/}
      [ "$fd" -le 2 ] || eval "exec $fd>&-"
    done
    exec setsid "$@"
  ) > "$dir/log/$name.out" 2>&1 < /dev/null &
  echo "$! $(started_at $!)" > "$dir/run/$name"
}

# runs DIR NAME: whether the noted process is still there.
runs() {
  local pid since
  read -r pid since < "$1/run/$2" && [ -n "$since" ] && [ "$(started_at "$pid")" = "$since" ]
}

# stop DIR NAME [SIGNAL]: ends the noted process; after 3 s with SIGKILL.
stop() {
  local pid
  [ -s "$1/run/$2" ] && runs "$1" "$2" || return 0
  read -r pid _ < "$1/run/$2"
  kill -CONT "$pid" 2>/dev/null || :
  kill -s "${3:-TERM}" "$pid" 2>/dev/null || :
  for _ in $(seq 30); do
    runs "$1" "$2" || return 0
    sleep 0.1
  done
  kill -KILL "$pid" 2>/dev/null || :
}

# wait_for SECONDS DIR NAME COMMAND…: until the command succeeds; fails when the process ends or time is up.
wait_for() {
  local until=$((SECONDS + $1)) dir=$2 name=$3
  shift 3
  until "$@" > /dev/null 2>&1; do
    if ! runs "$dir" "$name" || [ $SECONDS -ge $until ]; then
      echo "$name is not up; the end of its output:" >&2
      tail -n 20 "$dir/log/$name.out" >&2
      return 1
    fi
    sleep 0.1
  done
}

# run_to_end COMMAND…: runs a command, and returns its status. A signal that ends this script (INT, TERM, HUP) first ends the command
# and all that it started. Else they would run on: a shell waits for a command before it heeds a signal, and the test program of
# "swift test" is in a process group of its own. The command reads nothing: it is not in a terminal's foreground.
run_to_end() {
  local child status=0
  # Without job control a command in the background would ignore INT.
  set -m
  "$@" < /dev/null &
  child=$!
  set +m
  # shellcheck disable=SC2064
  trap "end_below $child; exit 130" INT
  # shellcheck disable=SC2064
  trap "end_below $child; exit 143" TERM HUP
  wait "$child" || status=$?
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  return $status
}

# below PID: the numbers and start times of a process, of its children, and so on.
below() {
  local child
  echo "$1 $(started_at "$1")"
  for child in $(cat "/proc/$1"/task/*/children 2>/dev/null); do below "$child"; done
}

# end_below PID: ends a process and all that it started; after 3 s with SIGKILL.
end_below() {
  local all pid since left turn
  # One signal is enough.
  trap '' INT TERM HUP
  all=$(below "$1")
  for turn in $(seq 0 30); do
    left=
    while read -r pid since; do
      [ -n "$since" ] && [ "$(started_at "$pid")" = "$since" ] || continue
      left=yes
      case $turn in
        0) kill -CONT "$pid" 2>/dev/null && kill -TERM "$pid" 2>/dev/null || : ;;
        30) kill -KILL "$pid" 2>/dev/null || : ;;
      esac
    done <<< "$all"
    [ -n "$left" ] || return 0
    sleep 0.1
  done
}

# free_port [TURN]: a TCP port of the loopback that nobody has now. Those from 26000 on are the scripts', and those below are the
# tests' own (Ports.swift). Another script may look before the server here takes it, so each has eight ports by its pid: TURN is
# 0 to 7, another one for each server of a script.
free_port() {
  local port try
  for try in $(seq 0 99); do
    port=$((26000 + (($$ + try * 97) * 8 + ${1:-0}) % 6000))
    (exec 3<> "/dev/tcp/127.0.0.1/$port") 2>/dev/null || { echo "$port"; return 0; }
  done
  echo "no free port found" >&2
  return 1
}

# use_unpacked TREE: from here on the programs, libraries and Python modules of .build-test/TREE, which debian-unpack.sh made, come
# before those that are installed.
use_unpacked() {
  local tree folder programs= libraries=
  tree=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)/.build-test/$1
  for folder in "$tree"/usr/lib/postgresql/*/bin "$tree"/usr/{sbin,bin}; do
    [ ! -d "$folder" ] || programs+=$folder:
  done
  for folder in "$tree"/usr/lib/*-linux-gnu{,/ceph,/samba}; do
    [ ! -d "$folder" ] || libraries+=$folder:
  done
  # one that is installed has its programs in a folder of its version too
  export PATH=$programs$PATH:/usr/sbin:$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -n 1)
  [ -z "$libraries" ] || export LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:-}
  [ ! -d "$tree/usr/lib/python3" ] || export PYTHONPATH=$tree/usr/lib/python3/dist-packages:${PYTHONPATH:-}
}
