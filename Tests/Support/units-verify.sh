#!/bin/bash
# units-verify.sh UNITDIR [THRESHOLD]
# Checks UNITDIR/waybill.service and .socket with systemd-analyze, with no systemd running, and prints the exposure
# (0.0 … 10.0; THRESHOLD is ten times the most that is allowed). verify wants ExecStart to exist, so a root of its own
# holds a placeholder.
set -euo pipefail
UNITS=$(cd "$1" && pwd); THRESHOLD=${2:-20}
ROOT=$(mktemp -d); trap 'rm -rf "$ROOT"' EXIT
mkdir -p "$ROOT/usr/bin" "$ROOT/bin" "$ROOT/etc/systemd/system" "$ROOT/usr/lib/systemd"
cp "$UNITS"/waybill.service "$UNITS"/waybill.socket "$ROOT/etc/systemd/system/"
# the units that ours refer to
cp -r /lib/systemd/system "$ROOT/usr/lib/systemd/" 2>/dev/null || cp -r /usr/lib/systemd/system "$ROOT/usr/lib/systemd/"
ln -s usr/lib "$ROOT/lib"
for program in /usr/bin/waybilld /usr/bin/waybill /bin/kill; do printf '#!/bin/sh\n' > "$ROOT$program"; chmod 755 "$ROOT$program"; done
systemd-analyze verify --man=no --recursive-errors=yes --root="$ROOT" waybill.service waybill.socket
# RootDirectory=, PrivateNetwork= and the like cost points that this service cannot have
systemd-analyze security --offline=true --threshold="$THRESHOLD" --no-pager "$UNITS/waybill.service" | tail -n 1
