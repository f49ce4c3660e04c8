#!/bin/bash
# openstack-swift-up.sh DIR: a real S3 server for tests, OpenStack Swift with its s3api: proxy, account, container and object
# server, and memcached, on 127.0.0.1.
# Needs curl, and swift-proxy, swift-account, swift-container, swift-object and memcached in .build-test/openstack or installed.
# A folder and processes of its own; the
# folder has to lie on a file system with user xattrs (ext4, xfs, btrfs, tmpfs of Linux 6.6 or later).
#   DIR/env    S3_ENDPOINT=… S3_KEY=… S3_SECRET=… S3_BUCKET=… (printed too), the bucket made
#   DIR/log    what the servers say
set -euo pipefail
# shellcheck source=Tests/Support/own.sh
. "$(dirname "${BASH_SOURCE[0]}")/own.sh"
use_unpacked openstack
umask 022
own_folder "$1"
D=$(cd "$1" && pwd)
trap '[ $? -eq 0 ] || "$(dirname "${BASH_SOURCE[0]}")/openstack-swift-down.sh" "$D"' EXIT
PROXY=$(free_port) OBJECT=$(free_port 1) CONTAINER=$(free_port 2) ACCOUNT=$(free_port 3) CACHE=$(free_port 4)
# tempauth's S3 access key is ACCOUNT:USER
KEY=test:tester
SECRET=testing
BUCKET=documents
USER_NAME=$(id -un)
mkdir -p "$D/dev/d1" "$D/recon"
random=$(od -An -N8 -tx8 /dev/urandom | tr -d ' ')
cat > "$D/swift.conf" <<EOC
[swift-hash]
swift_hash_path_suffix = $random
swift_hash_path_prefix = $random
[storage-policy:0]
name = p0
default = yes
EOC
/usr/bin/python3 - "$D" "object=$OBJECT" "container=$CONTAINER" "account=$ACCOUNT" <<'EOP'
import sys

from swift.common.ring import RingBuilder

folder = sys.argv[1]
for number, word in enumerate(sys.argv[2:], 1):
    name, port = word.split("=")
    builder = RingBuilder(3, 1, 0)
    builder.add_dev(
        dict(id=0, region=1, zone=1, ip="127.0.0.1", port=int(port), device="d1", weight=1.0,
             replication_ip="127.0.0.1", replication_port=int(port), meta=""))
    builder.rebalance()
    builder.get_ring().save(f"{folder}/{name}.ring.gz")
EOP

# Swift looks for its swift.conf in /etc, whatever the servers' own configuration says.
SWIFT='
import runpy, shutil, sys
from swift.common.utils import set_swift_dir
set_swift_dir(sys.argv[1])
sys.argv = sys.argv[2:]
runpy.run_path(shutil.which(sys.argv[0]), run_name="__main__")'

server() {
  local name=$1 port=$2
  cat > "$D/$name-server.conf" <<EOC
[DEFAULT]
bind_ip = 127.0.0.1
bind_port = $port
workers = 0
user = $USER_NAME
swift_dir = $D
devices = $D/dev
mount_check = false
fallocate_reserve = 0
recon_cache_path = $D/recon
log_name = $name
db_preallocation = off
[pipeline:main]
pipeline = $name-server
[app:$name-server]
use = egg:swift#$name
EOC
  start "$D" "$name" /usr/bin/python3 -c "$SWIFT" "$D" swift-"$name"-server "$D/$name-server.conf" -v
}

cat > "$D/proxy-server.conf" <<EOC
[DEFAULT]
bind_ip = 127.0.0.1
bind_port = $PROXY
workers = 0
user = $USER_NAME
swift_dir = $D
log_name = proxy
[pipeline:main]
pipeline = catch_errors gatekeeper healthcheck cache listing_formats bulk s3api tempauth copy slo dlo versioned_writes symlink proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
allow_account_management = true
recheck_container_existence = 1
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
dns_compliant_bucket_names = true
check_bucket_owner = false
max_upload_part_num = 10000
storage_domain = localhost
[filter:tempauth]
use = egg:swift#tempauth
user_${KEY%%:*}_${KEY##*:} = $SECRET .admin
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:$CACHE
[filter:versioned_writes]
use = egg:swift#versioned_writes
allow_versioned_writes = true
allow_object_versioning = true
$(for name in catch_errors gatekeeper healthcheck listing_formats bulk copy slo dlo symlink; do
  printf '[filter:%s]\nuse = egg:swift#%s\n' $name $name
done)
EOC

start "$D" memcached memcached -l 127.0.0.1 -p "$CACHE" -U 0 -m 64 -t 1 -c 256 -u "$USER_NAME"
server object "$OBJECT"
server container "$CONTAINER"
server account "$ACCOUNT"
start "$D" proxy /usr/bin/python3 -c "$SWIFT" "$D" swift-proxy-server "$D/proxy-server.conf" -v

URL=http://127.0.0.1:$PROXY
for pair in object=$OBJECT container=$CONTAINER account=$ACCOUNT; do
  wait_for 180 "$D" "${pair%%=*}" curl -q -s --noproxy '*' -o /dev/null "http://127.0.0.1:${pair##*=}/"
done
wait_for 180 "$D" proxy curl -q -s --fail --noproxy '*' "$URL/healthcheck"
# the key's colon stands in no --user
wait_for 180 "$D" proxy curl -q -sS --fail --noproxy '*' --aws-sigv4 aws:amz:us-east-1:s3 -X PUT \
  -H "x-amz-content-sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" \
  "http://${KEY%%:*}%3A${KEY##*:}:$SECRET@127.0.0.1:$PROXY/$BUCKET"
printf 'S3_ENDPOINT=%s\nS3_KEY=%s\nS3_SECRET=%s\nS3_BUCKET=%s\n' "$URL" "$KEY" "$SECRET" "$BUCKET" | tee "$D/env"
