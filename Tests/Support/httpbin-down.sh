#!/bin/bash
# httpbin-down.sh DIR: ends what httpbin-up.sh DIR started, and removes DIR.
set -euo pipefail
# shellcheck source=Tests/Support/own.sh
. "$(dirname "${BASH_SOURCE[0]}")/own.sh"
[ -e "$1" ] || exit 0
stop "$1" httpbin
wipe_folder "$1"
