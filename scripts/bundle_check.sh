#!/bin/bash
# Proves that a bundle runs where it should: scripts/bundle_check.sh FILE [--roots DIR]
#
#   FILE           what scripts/bundle.sh made. Read: what its files need of the host (scripts/check_bundle.py), and its size. Run: from a folder with
#                  blanks in its name, as root and as an ordinary user (tests/bundle/moved_test.py), a minute
#   --roots DIR    also in other systems, made in DIR once by debootstrap: minimal Debian 12 and 13 (and Ubuntu 24.04 where its keyring is installed, or KE_UBUNTU_KEYS names it),
#                  each without and with a g++, and one with nothing but glibc; with a coordinator here and a worker there
#                  (tests/bundle/roots_test.py). Needs root and packages; some 20 minutes the first time, then 10
#
# Exit code: 0; 1 it does not hold; 2 bad usage; 3 a root can't be made.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/packages.sh

ubuntu_keys=${KE_UBUNTU_KEYS:-/usr/share/keyrings/ubuntu-archive-keyring.gpg}
ubuntu_mirror=http://archive.ubuntu.com/ubuntu/
archive=
roots=
while [ $# -gt 0 ]; do
  case $1 in
    --roots)
      roots=${2:?--roots takes a folder}
      shift
      ;;
    -h | --help)
      sed -n '2,/^set /p' "$0" | sed -n 's/^# \{0,1\}//p'
      exit 0
      ;;
    -*)
      echo "scripts/bundle_check.sh knows FILE and --roots DIR, not '$1'" >&2
      exit 2
      ;;
    *) archive=$1 ;;
  esac
  shift
done
[ -f "$archive" ] || {
  echo "scripts/bundle_check.sh FILE: there is no bundle '$archive'; scripts/bundle.sh makes one" >&2
  exit 2
}
archive=$(readlink -f "$archive")

read_it() {
  local folder code=0
  folder=$(mktemp -d)
  tar --zstd -xf "$archive" -C "$folder"
  python3 scripts/check_bundle.py "$folder"/ke-runtime-* --archive "$archive" --foreign "$PWD" || code=1
  rm -rf "$folder"
  return $code
}

# The mirror of this machine's own packages, for any release of Debian.
debian_mirror() {
  apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Component: main' | grep -v security | head -n 1
}

make_root() { # make_root NAME SUITE MIRROR [DEBOOTSTRAP ARGUMENT...]
  local name=$1 suite=$2 mirror=$3 script=
  shift 3
  [ ! -e "$roots/$name.made" ] || return 0
  echo "-- making $roots/$name"
  rm -rf "${roots:?}/$name"
  # One script serves all of Ubuntu; an older debootstrap has no link of a newer release's name to it.
  [ -e "/usr/share/debootstrap/scripts/$suite" ] || script=/usr/share/debootstrap/scripts/gutsy
  # shellcheck disable=SC2086
  debootstrap --variant=minbase --merged-usr "$@" "$suite" "$roots/$name" "$mirror" $script > "$roots/$name.log" 2>&1 || {
    tail -n 20 "$roots/$name.log" >&2
    exit 3
  }
  touch "$roots/$name.made"
}

# The loader and the libraries of glibc from another root, and the folders that a kernel fills.
make_glibc_root() { # make_glibc_root FROM
  local file
  rm -rf "$roots/glibc"
  mkdir -p "$roots/glibc"/{dev,proc,sys,tmp,usr/lib/x86_64-linux-gnu,usr/lib64}
  ln -s usr/lib "$roots/glibc/lib"
  ln -s usr/lib64 "$roots/glibc/lib64"
  for file in ld-linux-x86-64.so.2 libc.so.6 libm.so.6 libpthread.so.0 libdl.so.2 librt.so.1 libresolv.so.2; do
    cp -L "$1/usr/lib/x86_64-linux-gnu/$file" "$roots/glibc/usr/lib/x86_64-linux-gnu/$file"
  done
  ln -s ../lib/x86_64-linux-gnu/ld-linux-x86-64.so.2 "$roots/glibc/usr/lib64/ld-linux-x86-64.so.2"
}

make_roots() {
  local suite mirror
  # shellcheck disable=SC2086
  install_packages "what other systems' roots need" debootstrap bubblewrap
  mkdir -p "$roots"
  mirror=$(debian_mirror)
  for suite in bookworm trixie; do
    make_root $suite $suite "$mirror"
    make_root $suite-compiler $suite "$mirror" --include=g++
  done
  make_glibc_root "$roots/bookworm"
  if [ -f "$ubuntu_keys" ]; then
    make_root noble noble "$ubuntu_mirror" --keyring="$ubuntu_keys"
    make_root noble-compiler noble "$ubuntu_mirror" --keyring="$ubuntu_keys" --include=g++
  elif [ ! -e "$roots/noble.made" ]; then
    echo "-- left out: Ubuntu 24.04; without its keyring (package ubuntu-keyring, or KE_UBUNTU_KEYS=FILE) nothing says whose packages these are"
  fi
}

echo "== read: $archive"
read_it
echo "== here, from a folder of another name"
KE_BUNDLE=$archive python3 -B -m unittest discover -v -s tests/bundle -p 'moved_test.py'
[ -n "$roots" ] || exit 0
make_roots
roots=$(cd "$roots" && pwd)
echo "== in other systems: $(cd "$roots" && ls -d */ | tr -d / | tr '\n' ' ')"
KE_BUNDLE=$archive KE_ROOTS=$roots KE_SCENARIO_SLACK=${KE_SCENARIO_SLACK:-2} python3 -B -m unittest discover -v -s tests/bundle -p 'roots_test.py'
