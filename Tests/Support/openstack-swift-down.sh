#!/bin/bash
# openstack-swift-down.sh DIR: ends what openstack-swift-up.sh DIR started, and removes DIR.
set -euo pipefail
# shellcheck source=Tests/Support/own.sh
. "$(dirname "${BASH_SOURCE[0]}")/own.sh"
[ -e "$1" ] || exit 0
D=$(cd "$1" && pwd)
for name in proxy object container account memcached; do stop "$D" $name; done
wipe_folder "$D"
