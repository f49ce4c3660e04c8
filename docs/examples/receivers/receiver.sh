#!/usr/bin/env bash
# Receives Waybill's registrations: bash, coreutils, jq and socat. It is a start for a small installation: each request starts a
# dozen processes, and lists all documents. It is as safe as the others, but it manages some ten requests a second.
#
# Run it:    export RECEIVER_TOKEN_FILE=$PWD/token RECEIVER_DATABASE=$PWD/documents
#            socat TCP-LISTEN:8080,bind=127.0.0.1,reuseaddr,backlog=128,fork,max-children=32 'EXEC:bash receiver.sh'
# Waybill:   [backend.main]
#            url   = "http://127.0.0.1:8080/documents"
#            token = { file = "/etc/waybill/keys/backend-token" }   # the same text as in the file "token"
#
# Each document is a file NUMBER.KEY.json with the body. It appears by a rename: a crash leaves document and key, or neither.
set -euo pipefail
export LC_ALL=C
limit=$((32 << 20)) # Waybill sends no larger body
part=

answer() { # STATUS JSON
  printf 'HTTP/1.1 %s -\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s' "$1" "${#2}" "$2"
  answered=yes
  exit 0
}
end() { # Waybill tries again after a 500. After a 503 it would not.
  [ -z "$part" ] || rm -f "$part"
  [ -n "${answered:-}" ] || answer 500 '{"error":"the receiver failed; see its standard error"}'
}
trap end EXIT

token=$(< "$RECEIVER_TOKEN_FILE")
mkdir -p "$RECEIVER_DATABASE/documents"
read -r -t 30 method path _
authorization= key= length=
while IFS= read -r -t 30 line && line=${line%$'\r'} && [ -n "$line" ]; do
  value=${line#*:} value=${value#"${value%%[! ]*}"}
  case ${line%%:*} in
    [Aa]uthorization) authorization=$value ;;
    [Ii]dempotency-[Kk]ey) key=${value//\"/} ;;
    [Cc]ontent-[Ll]ength) length=$value ;;
  esac
done

[[ $length =~ ^[0-9]{1,9}$ ]] || answer 411 '{"error":"Content-Length is missing"}'
[ "$length" -le $limit ] || answer 413 '{"error":"the body is too large"}'
part=$(mktemp "$RECEIVER_DATABASE/.part.XXXXXX")
head -c "$length" > "$part"
[ "$(stat -c %s "$part")" -eq "$length" ] || answer 400 '{"error":"the body is incomplete"}'
[ "$path" = /documents ] || answer 404 '{"error":"registrations go to /documents"}'
[ "$method" = POST ] || answer 405 '{"error":"registrations come by POST"}'
[ "$authorization" = "Bearer $token" ] || answer 401 '{"error":"the token is wrong"}'
[[ $key =~ ^[A-Za-z0-9-]{1,100}$ ]] || answer 400 '{"error":"Idempotency-Key is missing, or is no id"}'
jq -se 'length == 1 and (.[0] | (.link | type) == "string" and (.name | type) == "string")' "$part" > /dev/null 2>&1 ||
  answer 400 '{"error":"this is no registration: link and name are needed"}'

exec 9> "$RECEIVER_DATABASE/lock"
flock 9 # a second request with this key waits here
known=("$RECEIVER_DATABASE/documents"/*".$key.json")
if [ -e "${known[0]}" ]; then
  cmp -s "$part" "${known[0]}" || answer 422 '{"error":"this Idempotency-Key came with another body before"}'
  number=${known[0]##*/} number=${number%%.*}
else
  number=$(($(find "$RECEIVER_DATABASE/documents" -name '*.json' -printf .| wc -c) + 1))
  sync "$part"
  mv "$part" "$RECEIVER_DATABASE/documents/$number.$key.json"
fi
sync "$RECEIVER_DATABASE/documents" # before the answer, whoever renamed it
answer 201 "{\"number\":$number}"
