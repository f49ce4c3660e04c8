#!/usr/bin/env bash
# axe-unpack.sh DIR PYTHON: puts axe.min.js, by which pages are looked through for what keeps people out, into DIR: it is in a
# package of PyPI.
set -euo pipefail
D=$1
[ ! -s "$D/axe.min.js" ] || exit 0
rm -rf "$D"
mkdir -p "$D"
"$2" -m pip --disable-pip-version-check -q download --no-deps -d "$D" axe-core-python==0.1.0
python3 - "$D" << 'END'
import glob, os, sys, zipfile
folder = sys.argv[1]
with zipfile.ZipFile(glob.glob(folder + "/*.whl")[0]) as wheel:
    name = next(name for name in wheel.namelist() if name.endswith("axe.min.js"))
    with open(os.path.join(folder, "axe.min.js"), "wb") as file:
        file.write(wheel.read(name))
END
