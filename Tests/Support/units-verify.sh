#!/bin/bash
# units-verify.sh UNITDIR [THRESHOLD]
# Checks UNITDIR/waybill.service and .socket, waybill-page.service, waybill-sandbox.service and those of the fleet, with systemd-analyze, with no systemd running, and
# prints the exposure (0.0 … 10.0; THRESHOLD is ten times the most that is allowed). verify wants ExecStart to exist, so a
# root of its own holds placeholders.
set -euo pipefail
# systemd-analyze makes /run/systemd where it is missing: it gets a /run of its own, which takes no root
if [ -z "${OWN_RUN:-}" ]; then
  USER_NAMESPACE=(); [ "$(id -u)" = 0 ] || USER_NAMESPACE=(--user --map-root-user)
  OWN_RUN=1 exec unshare "${USER_NAMESPACE[@]}" --mount bash -c 'mount -t tmpfs tmpfs /run && exec "$@"' _ "$0" "$@"
fi
UNITS=$(cd "$1" && pwd); THRESHOLD=${2:-20}
ROOT=$(mktemp -d); trap 'rm -rf "$ROOT"' EXIT
mkdir -p "$ROOT/usr/bin" "$ROOT/bin" "$ROOT/etc/systemd/system" "$ROOT/usr/lib/systemd"
cp "$UNITS"/waybill.service "$UNITS"/waybill.socket "$UNITS"/waybill-page.service "$UNITS"/waybill-sandbox.service "$UNITS"/waybill-fleet*.service "$ROOT/etc/systemd/system/"
# the units that ours refer to
cp -r /lib/systemd/system "$ROOT/usr/lib/systemd/" 2>/dev/null || cp -r /usr/lib/systemd/system "$ROOT/usr/lib/systemd/"
ln -s usr/lib "$ROOT/lib"
for program in /usr/bin/waybilld /usr/bin/waybill /usr/bin/waybill-page /usr/bin/waybill-sandbox /usr/bin/waybill-fleet /bin/kill; do
  printf '#!/bin/sh\n' > "$ROOT$program"
  chmod 755 "$ROOT$program"
done
systemd-analyze verify --man=no --recursive-errors=yes --root="$ROOT" waybill.service waybill.socket waybill-page.service waybill-sandbox.service \
  waybill-fleet.service waybill-fleet-web.service
# RootDirectory=, PrivateNetwork= and the like cost points that this service cannot have
for unit in waybill waybill-page waybill-sandbox waybill-fleet waybill-fleet-web; do
  systemd-analyze security --offline=true --threshold="$THRESHOLD" --no-pager "$UNITS/$unit.service" | tail -n 1
done
