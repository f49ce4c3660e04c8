#!/usr/bin/env bash
# test-users.sh: makes, as root, the users and the group that the tests of rights need, where they are missing: the daemon's
# (waybill-test) and one who drops files (waybill-drop-test).
set -euo pipefail

exec 9> /run/lock/waybill-test-users
flock 9
getent group waybill-drop-test > /dev/null || groupadd --system waybill-drop-test
getent passwd waybill-test > /dev/null \
  || useradd --system --user-group --groups waybill-drop-test --home-dir / --no-create-home --shell /usr/sbin/nologin waybill-test
getent passwd waybill-drop-test > /dev/null \
  || useradd --system --gid waybill-drop-test --home-dir / --no-create-home --shell /bin/sh waybill-drop-test
