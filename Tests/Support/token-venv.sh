#!/bin/bash
# token-venv.sh VENV: makes a Python environment with Authlib (an OAuth 2 server) in it, unless it is there.
set -euo pipefail
[ ! -e "$1/.complete" ] || exit 0
python=/usr/bin/python3
[ -x $python ] || python=python3
rm -rf "$1"
$python -m venv "$1"
"$1/bin/python" -m pip install --quiet --disable-pip-version-check 'authlib>=1.3,<2' 'flask>=3,<4' 'waitress>=3,<4'
: > "$1/.complete"
