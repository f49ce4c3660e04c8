#!/bin/bash
# ceph-rgw-sts.sh DIR AWS: prints temporary credentials "KEY SECRET TOKEN" (AssumeRole) of the gateway that
# "RGW_STS=true ceph-rgw-up.sh DIR" started, by the awscli named. They are good for 15 minutes, the least there is.
set -euo pipefail
# shellcheck source=Tests/Support/own.sh
. "$(dirname "${BASH_SOURCE[0]}")/own.sh"
use_unpacked ceph
D=$(cd "$1" && pwd)
# shellcheck disable=SC1091
. "$D/env"
admin() { radosgw-admin -c "$D/ceph.conf" -n client.admin "$@"; }
# one test at a time
exec 9> "$D/role.lock"
flock 9
if ! admin role get --role-name=up > /dev/null 2>&1; then
  admin role create --role-name=up --path=/ --assume-role-policy-doc='{"Version":"2012-10-17","Statement":[{
    "Effect":"Allow","Principal":{"AWS":["arn:aws:iam:::user/test"]},"Action":["sts:AssumeRole"]}]}' > /dev/null
  admin role-policy put --role-name=up --policy-name=all --policy-doc='{"Version":"2012-10-17","Statement":[{
    "Effect":"Allow","Action":["s3:*"],"Resource":"arn:aws:s3:::*"}]}' > /dev/null
fi
exec 9>&-
env -u AWS_PROFILE -u AWS_SESSION_TOKEN AWS_ACCESS_KEY_ID="$S3_KEY" AWS_SECRET_ACCESS_KEY="$S3_SECRET" \
  AWS_DEFAULT_REGION=us-east-1 AWS_CONFIG_FILE=/dev/null AWS_SHARED_CREDENTIALS_FILE=/dev/null NO_PROXY='*' \
  "$2" --endpoint-url "$S3_ENDPOINT" sts assume-role --role-arn arn:aws:iam:::role/up --role-session-name waybill \
  --duration-seconds 900 --query 'Credentials.[AccessKeyId,SecretAccessKey,SessionToken]' --output text
