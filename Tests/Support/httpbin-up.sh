#!/bin/bash
# httpbin-up.sh DIR [VENV]: httpbin on a free port of 127.0.0.1, a backend that others wrote.
#   DIR/env   HTTPBIN=http://127.0.0.1:PORT (printed too)
#   VENV      a Python environment with it, made where it is missing; default: DIR/venv
# Needs python3 with venv. Environment: HTTPBIN_PORT (a free one).
set -euo pipefail
# shellcheck source=Tests/Support/own.sh
. "$(dirname "${BASH_SOURCE[0]}")/own.sh"
own_folder "$1"
D=$(cd "$1" && pwd)
VENV=${2:-$D/venv}
PORT=${HTTPBIN_PORT:-$(free_port)}
trap '[ $? -eq 0 ] || "$(dirname "${BASH_SOURCE[0]}")/httpbin-down.sh" "$D"' EXIT
"$(dirname "${BASH_SOURCE[0]}")/venv.sh" "$VENV" httpbin
start "$D" httpbin "$VENV/bin/python" -m waitress --listen="127.0.0.1:$PORT" --threads=16 httpbin:app
wait_for 180 "$D" httpbin curl -q -sS --fail --noproxy '*' "http://127.0.0.1:$PORT/status/200"
printf 'HTTPBIN=%s\n' "http://127.0.0.1:$PORT" | tee "$D/env"
