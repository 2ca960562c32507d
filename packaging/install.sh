#!/bin/sh
# Installs the command `wavelane` from an archive of a release, after comparing its checksum.
#
#   install.sh [--from URL|FOLDER] [--to FOLDER] [--version VERSION] [--target TARGET]
#
# The archive and SHA256SUMS are fetched from --from: a folder, or an address that curl knows. The target is by default that of
# this machine, with glibc.
set -eu
from=
to="${HOME:-.}/.local/bin"
version=0.1.0
target=
while [ $# -gt 0 ]; do
    [ $# -gt 1 ] || { echo "error: \`$1\` takes a value" >&2; exit 2; }
    case $1 in
        --from) from=$2 ;;
        --to) to=$2 ;;
        --version) version=$2 ;;
        --target) target=$2 ;;
        *) echo "error: unknown flag \`$1\`" >&2; exit 2 ;;
    esac
    shift 2
done
if [ -z "$target" ]; then
    machine="$(uname -s) $(uname -m)"
    case $machine in
        "Linux x86_64") target=x86_64-unknown-linux-gnu ;;
        "Linux aarch64") target=aarch64-unknown-linux-gnu ;;
        *) echo "error: this script has no archive for $machine; --target names one, or cargo builds the command" >&2; exit 1 ;;
    esac
fi
[ -n "$from" ] || from="https://github.com/wavelane/wavelane/releases/download/v$version"
name="wavelane-$version-$target"
case $target in
    *-windows-*) program=wavelane.exe ;;
    *) program=wavelane ;;
esac
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for file in SHA256SUMS "$name.tar.gz"; do
    case $from in
        *://*) curl --fail --silent --show-error --location --output "$scratch/$file" "$from/$file" ;;
        *) cp "$from/$file" "$scratch/$file" ;;
    esac
done
(
    cd "$scratch"
    grep "  $name.tar.gz\$" SHA256SUMS > sum || { echo "error: SHA256SUMS does not have $name.tar.gz" >&2; exit 1; }
    sha256sum --check --status sum || { echo "error: the checksum of $name.tar.gz is wrong" >&2; exit 1; }
    tar -xzf "$name.tar.gz"
)
mkdir -p "$to"
cp "$scratch/$name/$program" "$to/$program"
echo "installed $to/$program"
