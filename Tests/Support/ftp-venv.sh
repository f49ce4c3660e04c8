#!/bin/bash
# ftp-venv.sh VENV: makes a Python environment with the FTP server pyftpdlib in it, unless it is there already.
set -euo pipefail
[ ! -e "$1/.complete" ] || exit 0
python=/usr/bin/python3
[ -x $python ] || python=python3
rm -rf "$1"
$python -m venv "$1"
"$1/bin/python" -m pip install --quiet --disable-pip-version-check 'pyftpdlib>=1.5,<3' pyasyncore pyasynchat
: > "$1/.complete"
