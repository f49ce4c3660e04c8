# shellcheck shell=bash
# Sourced, after own.sh, by the scripts that start Ceph: what each of its services stands on.

# ceph_configure DIR STORE: writes DIR/ceph.conf for one monitor and one OSD on 127.0.0.1, and names it in CEPH_CONF. STORE is memstore,
# which forgets its data when the OSD stops, or bluestore. Whoever wants more appends sections of its own.
ceph_configure() {
  local dir=$1 libraries port
  port=$(free_port 1)
  mkdir "$dir/mon" "$dir/osd"
  # the modules of Ceph, which it looks for where it would have been installed
  libraries=$(dirname "$(dirname "$(command -v ceph-mon)")")
  libraries=$(echo "$libraries"/lib/*-linux-gnu)
  [ -d "$libraries/rados-classes" ] || libraries=
  export CEPH_CONF=$dir/ceph.conf
  cat > "$CEPH_CONF" <<EOC
[global]
fsid = $(cat /proc/sys/kernel/random/uuid)
mon host = [v2:127.0.0.1:$port]
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
keyring = $dir/keyring
run dir = $dir/run
pid file = $dir/run/\$name.pid
admin socket = $dir/run/\$name.\$pid.asok
log file = $dir/log/\$name.log
crash dir = $dir/run
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
${libraries:+plugin dir = $libraries/ceph
erasure code dir = $libraries/ceph/erasure-code
osd class dir = $libraries/rados-classes}
[mon]
mon data = $dir/mon
mon cluster log file = $dir/log/cluster.log
[osd]
osd data = $dir/osd
osd objectstore = ${2:-memstore}
memstore device bytes = 4294967296
bluestore block size = 8589934592
bluestore block create = true
bluestore fsck on mkfs = false
osd memory target = 939524096
osd max object name len = 2048
EOC
  : > "$dir/keyring"
  monmaptool --create --fsid "$(sed -n 's/^fsid = //p' "$CEPH_CONF")" --addv a "[v2:127.0.0.1:$port]" "$dir/monmap" > /dev/null
}

# ceph_start DIR: starts the monitor and the OSD, and waits until they are up.
ceph_start() {
  local osd
  ceph-mon -c "$CEPH_CONF" --mkfs -i a --monmap "$1/monmap" > "$1/log/mkfs.out" 2>&1
  start "$1" mon ceph-mon -c "$CEPH_CONF" -f -i a
  osd=$(cat /proc/sys/kernel/random/uuid)
  ceph -c "$CEPH_CONF" --connect-timeout 30 osd new "$osd" > /dev/null
  ceph-osd -c "$CEPH_CONF" -i 0 --mkfs --osd-uuid "$osd" --no-mon-config >> "$1/log/mkfs.out" 2>&1
  start "$1" osd ceph-osd -c "$CEPH_CONF" -f -i 0
  wait_for 180 "$1" osd sh -c 'ceph -c "$CEPH_CONF" osd stat | grep -q " 1 up"'
}
