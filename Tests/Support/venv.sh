#!/usr/bin/env bash
# venv.sh VENV NAME: makes a Python environment with the packages of Tests/Support/python/NAME.txt, once for each such list. The lists are
# what "pip freeze" prints: all packages, each with its version.
set -euo pipefail
list=$(dirname "${BASH_SOURCE[0]}")/python/$2.txt
! cmp -s "$list" "$1/.packages" || exit 0
python=/usr/bin/python3
[ -x $python ] || python=python3
rm -rf "$1"
$python -m venv "$1"
"$1/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$list"
cp "$list" "$1/.packages"
