#!/usr/bin/env bash
# test-machine-root.sh RUN CHECKOUT DIRECTORY COMMAND…: process 1 of a machine of the tests, for test-machine.sh, in namespaces of its own. It
# puts the root together in RUN, over the layer that --make left, and runs the command.
set -euo pipefail
work=$1 checkout=$2 here=$3
shift 3
cd "$work"
# cover DIRECTORY NAME: changes of a directory of this machine go into layers/NAME. A layer that is there already lies between, as an overlay
# of its own that is never written to: the kernel takes no lower layer that is a directory of another one.
cover() {
  local lower=$1
  mkdir -p "layers/$2" "work/$2" "base/$2"
  if [ -d "../layer/$2" ]; then
    mkdir -p "../layer-work/$2"
    mount -t overlay overlay -o "ro,index=off,lowerdir=$lower,upperdir=../layer/$2,workdir=../layer-work/$2" "base/$2"
    lower=base/$2
  fi
  mount -t overlay overlay -o "index=off,lowerdir=$lower,upperdir=layers/$2,workdir=work/$2" "root$1"
}
cover / root
root=$(awk '$5 == "/" { id = $1 } END { print id }' /proc/self/mountinfo)
awk -v root="$root" '$2 == root { print $5 }' /proc/self/mountinfo | sort -u | while read -r place; do
  place=$(printf %b "$place")
  case $place in
    /proc | /proc/* | /sys | /sys/* | /dev | /dev/* | /run | /run/* | /tmp | /tmp/* | "$work"/*) ;;
    /etc | /usr | /var | /opt | /srv) cover "$place" "${place#/}" ;;
    *) [ ! -e "root$place" ] || mount --rbind "$place" "root$place" ;;
  esac
done
mount -t proc -o nosuid,nodev,noexec proc root/proc 2> /dev/null || mount --rbind /proc root/proc
mount --rbind /sys root/sys
mount --rbind /dev root/dev
mount -t tmpfs -o mode=1777,nosuid,nodev tmpfs root/dev/shm
mount -t tmpfs -o mode=755,nosuid,nodev tmpfs root/run
mkdir -m 1777 root/run/lock tmp
mount --bind tmp root/tmp
# Last, as the checkout may be below a directory that the machine has of its own.
mkdir -p "root$checkout"
mount --rbind "$checkout" "root$checkout"
# Another overlay of this machine, as systemd-up.sh makes one, cannot lie on these two: the kernel takes no more than two.
if [ -d ../layer/root ]; then
  mkdir root/run/test-machine
  mount --bind base/root root/run/test-machine
fi
# The names of hosts are asked for where this machine does, though its file may be in /run.
if [ -s /etc/resolv.conf ] && names=$(readlink -m /etc/resolv.conf) && case $names in /run/*) ;; *) false ;; esac; then
  mkdir -p "root${names%/*}"
  cp /etc/resolv.conf "root$names"
fi
mkdir root/run/this-machine
cd root
pivot_root . run/this-machine
umount -l /run/this-machine
rmdir /run/this-machine
cd "$here"
# Nobody but process 1 takes care of orphans, and without a trap it would not end by a signal.
trap : INT TERM HUP
WAYBILL_TEST_MACHINE=1 TMPDIR=/tmp "$@"
