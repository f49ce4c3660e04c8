#!/usr/bin/env bash
# postgres-up.sh FOLDER [OPTION…]: a PostgreSQL server of its own, on a Unix socket in FOLDER. It refuses to
# run as root, so as root it becomes the user "postgres" of Debian's package. Everybody on this machine may be any role.
set -euo pipefail
folder=$1
bin=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -n 1)
as=()
if [ "$(id -u)" = 0 ]; then
  as=(setpriv --reuid postgres --regid postgres --clear-groups --)
  chown postgres: "$folder"
  chmod 711 "$folder"
  chmod o+x "$(dirname "$folder")"
fi
cd /
if [ ! -d "$folder/data" ]; then
  # a throw-away server: what a crash of the machine would lose is of no use to anybody
  "${as[@]}" "$bin/initdb" --pgdata "$folder/data" --username postgres --auth trust --encoding UTF8 --locale C.UTF-8 \
    --no-sync > "$folder/initdb.log" 2>&1 || { cat "$folder/initdb.log" >&2; exit 1; }
fi
exec "${as[@]}" "$bin/postgres" -D "$folder/data" -k "$folder" -h "" -c max_connections=60 \
  -c shared_buffers=32MB -c log_min_messages=fatal "${@:2}"
