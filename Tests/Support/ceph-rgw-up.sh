#!/bin/bash
# ceph-rgw-up.sh DIR: a real S3 server for tests, Ceph's RADOS Gateway: one monitor, one OSD, one gateway, on 127.0.0.1.
# Needs curl, and radosgw, ceph-mon and ceph-osd in .build-test/ceph or installed. Works as root and as an ordinary user; a folder and
# processes of its own.
#   DIR/env    S3_ENDPOINT=… S3_KEY=… S3_SECRET=… S3_BUCKET=… (printed too), the bucket made
#   DIR/log    what the servers say
# Environment: RGW_PORT (a free one), RGW_STORE=memstore|bluestore (memstore forgets its data when the OSD stops),
#   RGW_STS=true (temporary credentials), RGW_TLS_PORT (https too, with the self-signed DIR/tls.crt)
set -euo pipefail
# shellcheck source=Tests/Support/own.sh
. "$(dirname "${BASH_SOURCE[0]}")/own.sh"
use_unpacked ceph
umask 022
own_folder "$1"
D=$(cd "$1" && pwd)
PORT=${RGW_PORT:-$(free_port)}
MON_PORT=$(free_port 1)
KEY=TESTKEY0000000000000
SECRET=testsecret/with+slash0000000000000000000
BUCKET=documents
trap '[ $? -eq 0 ] || "$(dirname "${BASH_SOURCE[0]}")/ceph-rgw-down.sh" "$D"' EXIT
mkdir "$D/mon" "$D/osd"
# the modules of Ceph, which it looks for where it would have been installed
LIBRARIES=$(dirname "$(dirname "$(command -v ceph-mon)")")
LIBRARIES=$(echo "$LIBRARIES"/lib/*-linux-gnu)
[ -d "$LIBRARIES/rados-classes" ] || LIBRARIES=
cat > "$D/ceph.conf" <<EOC
[global]
fsid = $(cat /proc/sys/kernel/random/uuid)
mon host = [v2:127.0.0.1:$MON_PORT]
public addr = 127.0.0.1
cluster addr = 127.0.0.1
ms bind msgr1 = false
ms bind port min = 13400
ms bind port max = 15900
auth cluster required = none
auth service required = none
auth client required = none
ms mon client mode = crc
ms mon cluster mode = crc
ms mon service mode = crc
mon warn on pool no redundancy = false
keyring = $D/keyring
run dir = $D/run
pid file = $D/run/\$name.pid
admin socket = $D/run/\$name.\$pid.asok
log file = $D/log/\$name.log
crash dir = $D/run
setuser match path =
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 4
osd pool default pgp num = 4
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
mon allow pool size one = true
mon max pg per osd = 2000
paxos propose interval = 0.01
mon osd min down reporters = 1
mon data avail crit = 1
mon data avail warn = 2
${LIBRARIES:+plugin dir = $LIBRARIES/ceph
erasure code dir = $LIBRARIES/ceph/erasure-code
osd class dir = $LIBRARIES/rados-classes}
[mon]
mon data = $D/mon
mon cluster log file = $D/log/cluster.log
[osd]
osd data = $D/osd
osd objectstore = ${RGW_STORE:-memstore}
memstore device bytes = 4294967296
bluestore block size = 8589934592
bluestore block create = true
bluestore fsck on mkfs = false
osd memory target = 939524096
osd max object name len = 2048
[client]
rgw frontends = beast endpoint=127.0.0.1:$PORT
rgw thread pool size = 64
rgw data = $D/run
rgw dns name = localhost
rgw s3 auth use sts = ${RGW_STS:-false}
rgw sts key = abcdefghijklmnop
rgw crypt require ssl = false
# else a key that was taken away may be known for a while, and be answered with a bare AccessDenied
rgw cache enabled = false
rgw enable ops log = false
rgw enable usage log = false
EOC
if [ -n "${RGW_TLS_PORT:-}" ]; then
  openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost \
    -addext 'subjectAltName=DNS:localhost,DNS:*.localhost,IP:127.0.0.1' -keyout "$D/tls.key" -out "$D/tls.crt" 2> /dev/null
  sed -i "s|^rgw frontends.*|& ssl_endpoint=127.0.0.1:$RGW_TLS_PORT ssl_certificate=$D/tls.crt ssl_private_key=$D/tls.key|" \
    "$D/ceph.conf"
fi
export CEPH_CONF=$D/ceph.conf
: > "$D/keyring"
FSID=$(sed -n 's/^fsid = //p' "$CEPH_CONF")
monmaptool --create --fsid "$FSID" --addv a "[v2:127.0.0.1:$MON_PORT]" "$D/monmap" > /dev/null
ceph-mon -c "$CEPH_CONF" --mkfs -i a --monmap "$D/monmap" > "$D/log/mkfs.out" 2>&1
start "$D" mon ceph-mon -c "$CEPH_CONF" -f -i a
OSD=$(cat /proc/sys/kernel/random/uuid)
ceph -c "$CEPH_CONF" --connect-timeout 30 osd new "$OSD" > /dev/null
ceph-osd -c "$CEPH_CONF" -i 0 --mkfs --osd-uuid "$OSD" --no-mon-config >> "$D/log/mkfs.out" 2>&1
start "$D" osd ceph-osd -c "$CEPH_CONF" -f -i 0
wait_for 180 "$D" osd sh -c 'ceph -c "$CEPH_CONF" osd stat | grep -q " 1 up"'
radosgw-admin -c "$CEPH_CONF" -n client.admin user create --uid=test --display-name=Test \
  --access-key="$KEY" --secret-key="$SECRET" --caps='roles=*;users=read' > "$D/user.json" 2> "$D/log/admin.out"
start "$D" rgw radosgw -c "$CEPH_CONF" -f -n client.rgw
wait_for 180 "$D" rgw curl -q -s --noproxy '*' -o /dev/null "http://127.0.0.1:$PORT/"
curl -q -sS --noproxy '*' --fail --retry 5 --retry-all-errors -X PUT --aws-sigv4 aws:amz:us-east-1:s3 --user "$KEY:$SECRET" \
  -H 'x-amz-content-sha256: UNSIGNED-PAYLOAD' "http://127.0.0.1:$PORT/$BUCKET"
printf 'S3_ENDPOINT=%s\nS3_KEY=%s\nS3_SECRET=%s\nS3_BUCKET=%s\n' "http://127.0.0.1:$PORT" "$KEY" "$SECRET" "$BUCKET" \
  | tee "$D/env"
