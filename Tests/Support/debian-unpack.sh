#!/usr/bin/env bash
# debian-unpack.sh DIR PACKAGE…: unpacks Debian's packages into DIR, with all that they need and that is not installed. Installing them
# would start servers, make users and change /etc. Needs no root. unpacked.sh runs what is in there.
set -euo pipefail
packages=${*:2}
command -v apt-get > /dev/null || { echo "not Debian: what is in these packages is assumed to be there: $packages" >&2; exit 0; }
mkdir -p "$1"
dir=$(cd "$1" && pwd)
installed() { dpkg-query --show --showformat='${db:Status-Status} ${Package}\n' | sed -n 's/^installed //p' | LC_ALL=C sort -u; }

# It is made again for other packages, and when a package that was installed then has been removed since.
if [ "$(cat "$dir/.packages" 2> /dev/null)" = "$packages" ] && [ -z "$(LC_ALL=C comm -23 "$dir/.installed" <(installed))" ]; then
  exit 0
fi
echo "unpacking $packages"
rm -rf "$dir"
mkdir -p "$dir"/.apt/archives/partial "$dir"/usr/{bin,lib,lib64,sbin}
for folder in bin lib lib64 sbin; do ln -s "usr/$folder" "$dir/$folder"; done
installed > "$dir/.installed"
# Lists and packages are kept in folders of our own, which need neither root nor apt's locks. The lists serve all trees for an hour, unless
# they name what is not there.
lists=${dir%/*}/.apt-lists
mkdir -p "$lists/partial"
get() {
  DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Debug::NoLocking=1 -o APT::Sandbox::User= -o Dir::State::lists="$lists" \
    -o Dir::Cache="$dir/.apt" -o Dir::Cache::archives="$dir/.apt/archives" "$@" < /dev/null > "$dir/.apt/log" 2>&1 ||
    { tail -n 20 "$dir/.apt/log" >&2; return 1; }
}
[ -n "$(find "$lists.updated" -mmin -60 2> /dev/null)" ] || { get update && : > "$lists.updated"; }
# shellcheck disable=SC2086
get --no-install-recommends --download-only install $packages || { rm -f "$lists.updated"; exit 1; }
for package in "$dir"/.apt/archives/*.deb; do
  [ -e "$package" ] || continue # all of it is installed
  dpkg-deb --fsys-tarfile "$package" |
    tar -x -C "$dir" --keep-directory-symlink --no-same-owner --no-same-permissions --exclude='./usr/share/doc' --exclude='./usr/share/man'
done
rm -r "$dir/.apt"
echo "$packages" > "$dir/.packages"
