#!/bin/bash
# moto-venv.sh VENV: makes a Python environment with moto's server (AWS's STS and instance metadata) in it, unless it is there.
set -euo pipefail
[ ! -e "$1/.complete" ] || exit 0
python=/usr/bin/python3
[ -x $python ] || python=python3
rm -rf "$1"
$python -m venv "$1"
"$1/bin/python" -m pip install --quiet --disable-pip-version-check 'moto>=5.1,<6' 'flask>=3,<4' 'flask-cors>=4'
: > "$1/.complete"
