#!/usr/bin/env bash
# postgres-up.sh FOLDER [OPTION…]: a PostgreSQL server of its own, on a Unix socket in FOLDER, from .build-test/postgresql or installed.
# It refuses to run as root: as root it runs in a user namespace where root is known as "nobody", or where there are none as nobody
# itself. Everybody on this machine may be any role.
set -euo pipefail
folder=$1
# shellcheck source=Tests/Support/own.sh
. "$(dirname "${BASH_SOURCE[0]}")/own.sh"
use_unpacked postgresql
as=()
if [ "$(id -u)" = 0 ]; then
  chmod 711 "$folder"
  chmod o+x "$(dirname "$folder")"
  as=(unshare --user --map-user=65534 --map-group=65534 --)
  if ! "${as[@]}" true 2> /dev/null; then
    as=(setpriv --reuid 65534 --regid 65534 --clear-groups --)
    chown -R 65534:65534 "$folder"
  fi
fi
cd /
# cluster DIRECTORY: makes one. What a crash of the machine would lose of a throw-away server is of no use to anybody.
cluster() {
  "${as[@]}" initdb --pgdata "$1" --username postgres --auth trust --encoding UTF8 --locale C.UTF-8 --no-sync \
    > "$folder/initdb.log" 2>&1 || { cat "$folder/initdb.log" >&2; exit 1; }
}
if [ ! -d "$folder/data" ] && [ -n "${WAYBILL_TEST_FOLDER:-}" ]; then
  # The servers of one run of tests are copies of a cluster that is made once: to make one takes longer than most tests do.
  model=$WAYBILL_TEST_FOLDER/postgresql-$(id -u)-${as[0]:-self}
  (
    flock 9
    [ -d "$model" ] || { cluster "$folder/model" && mv "$folder/model" "$model"; }
  ) 9> "$model.lock"
  "${as[@]}" cp -a --reflink=auto "$model" "$folder/data"
elif [ ! -d "$folder/data" ]; then
  cluster "$folder/data"
fi
exec "${as[@]}" postgres -D "$folder/data" -k "$folder" -h "" -c max_connections=60 \
  -c shared_buffers=32MB -c log_min_messages=fatal "${@:2}"
