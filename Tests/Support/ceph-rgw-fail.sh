#!/bin/bash
# ceph-rgw-fail.sh DIR MODE: makes the gateway of ceph-rgw-up.sh DIR fail, and heals it again.
#   slowdown|noslowdown   one request at a time, the others get 503 SlowDown at once
#   hang|nohang           requests hang: the OSD is stopped
#   suspend|nosuspend     403 UserSuspended
#   quota|noquota         403 QuotaExceeded above 1 MiB
#   readonly|noreadonly   writes get 403 AccessDenied
#   nokey|key             403 InvalidAccessKeyId
set -euo pipefail
# shellcheck source=Tests/Support/own.sh
. "$(dirname "${BASH_SOURCE[0]}")/own.sh"
use_unpacked ceph
D=$(cd "$1" && pwd)
# shellcheck disable=SC1091
. "$D/env"
admin() { radosgw-admin -c "$D/ceph.conf" -n client.admin "$@"; }
limit() { ceph --admin-daemon "$(echo "$D"/run/client.rgw.*.asok)" config set rgw_max_concurrent_requests "$1"; }
osd() { local pid; read -r pid _ < "$D/run/osd"; kill -s "$1" "$pid"; }
case $2 in
  slowdown) limit 1 ;;
  noslowdown) limit 1024 ;;
  hang) osd STOP ;;
  nohang) osd CONT ;;
  suspend) admin user suspend --uid=test ;;
  nosuspend) admin user enable --uid=test ;;
  quota)
    admin quota set --quota-scope=user --uid=test --max-size=1M
    admin quota enable --quota-scope=user --uid=test
    ;;
  noquota) admin quota disable --quota-scope=user --uid=test ;;
  readonly) admin user modify --uid=test --op-mask=read ;;
  noreadonly) admin user modify --uid=test --op-mask="read, write, delete" ;;
  nokey) admin key rm --uid=test --access-key="$S3_KEY" ;;
  key) admin key create --uid=test --access-key="$S3_KEY" --secret-key="$S3_SECRET" ;;
  *)
    echo "no such mode: $2" >&2
    exit 2
    ;;
esac > /dev/null
