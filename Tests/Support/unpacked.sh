#!/usr/bin/env bash
# unpacked.sh TREE COMMAND…: runs a command of .build-test/TREE, which debian-unpack.sh made, or else the one that is installed.
set -euo pipefail
# shellcheck source=Tests/Support/own.sh
. "$(dirname "${BASH_SOURCE[0]}")/own.sh"
use_unpacked "$1"
# by its full path, as sshd wants to be run
program=$(type -P "$2") || { echo "$2: neither in .build-test/$1 nor installed" >&2; exit 127; }
exec "$program" "${@:3}"
