#!/bin/bash
# ceph-rgw-up.sh DIR: a real S3 server for tests, Ceph's RADOS Gateway: one monitor, one OSD, one gateway, on 127.0.0.1.
# Needs curl, and radosgw, ceph-mon and ceph-osd in .build-test/ceph or installed. Works as root and as an ordinary user; a folder and
# processes of its own.
#   DIR/env    S3_ENDPOINT=… S3_KEY=… S3_SECRET=… S3_BUCKET=… (printed too), the bucket made
#   DIR/log    what the servers say
# Environment: RGW_PORT (a free one), RGW_STORE=memstore|bluestore (memstore forgets its data when the OSD stops)
set -euo pipefail
# shellcheck source=Tests/Support/own.sh
. "$(dirname "${BASH_SOURCE[0]}")/own.sh"
# shellcheck source=Tests/Support/ceph.sh
. "$(dirname "${BASH_SOURCE[0]}")/ceph.sh"
use_unpacked ceph
umask 022
own_folder "$1"
D=$(cd "$1" && pwd)
PORT=${RGW_PORT:-$(free_port)}
KEY=TESTKEY0000000000000
SECRET=testsecret/with+slash0000000000000000000
BUCKET=documents
trap '[ $? -eq 0 ] || "$(dirname "${BASH_SOURCE[0]}")/ceph-rgw-down.sh" "$D"' EXIT
ceph_configure "$D" "${RGW_STORE:-memstore}"
cat >> "$CEPH_CONF" <<EOC
[client]
rgw frontends = beast endpoint=127.0.0.1:$PORT
rgw thread pool size = 64
rgw data = $D/run
rgw dns name = localhost
rgw crypt require ssl = false
# else a key that was taken away may be known for a while, and be answered with a bare AccessDenied
rgw cache enabled = false
rgw enable ops log = false
rgw enable usage log = false
EOC
ceph_start "$D"
radosgw-admin -c "$CEPH_CONF" -n client.admin user create --uid=test --display-name=Test \
  --access-key="$KEY" --secret-key="$SECRET" --caps='roles=*;users=read' > "$D/user.json" 2> "$D/log/admin.out"
start "$D" rgw radosgw -c "$CEPH_CONF" -f -n client.rgw
wait_for 180 "$D" rgw curl -q -s --noproxy '*' -o /dev/null "http://127.0.0.1:$PORT/"
curl -q -sS --noproxy '*' --fail --retry 5 --retry-all-errors -X PUT --aws-sigv4 aws:amz:us-east-1:s3 --user "$KEY:$SECRET" \
  -H 'x-amz-content-sha256: UNSIGNED-PAYLOAD' "http://127.0.0.1:$PORT/$BUCKET"
printf 'S3_ENDPOINT=%s\nS3_KEY=%s\nS3_SECRET=%s\nS3_BUCKET=%s\n' "http://127.0.0.1:$PORT" "$KEY" "$SECRET" "$BUCKET" \
  | tee "$D/env"
