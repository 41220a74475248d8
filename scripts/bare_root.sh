#!/bin/bash
# Proves the two commands of the README on a bare Debian 12: scripts/bare_root.sh DIR [all|deps|quickstart] [ARGUMENT OF test.sh...]
#
# Makes a minimal system in DIR (debootstrap, once), copies this tree into it without build folders, and runs there `scripts/test.sh --deps-only`
# and then `scripts/quickstart.sh`. Package sources, proxies, certificates and pip's configuration are this machine's. Needs root, debootstrap, bwrap.
set -euo pipefail
cd "$(dirname "$0")/.."
root=${1:?scripts/bare_root.sh DIR [all|deps|quickstart]}
what=${2:-all}
shift $(($# < 2 ? $# : 2))
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Codename: bookworm' 'Component: main' | head -n 1)
if [ -z "$mirror" ]; then
  echo "apt on this machine knows no Debian 12 (bookworm) source to take packages from" >&2
  exit 3
fi

if [ ! -e "$root/etc/debian_version" ]; then
  mkdir -p "$root"
  debootstrap --variant=minbase --include=ca-certificates bookworm "$root" "$mirror" > "$root.log" 2>&1 || {
    tail -n 20 "$root.log" >&2
    exit 3
  }
fi
# What this machine knows about reaching the outside, and nothing else of it.
for file in /etc/resolv.conf /etc/hosts /etc/pip.conf /etc/ssl/certs/ca-certificates.crt; do
  [ ! -e $file ] || install -D -m 644 "$(readlink -f $file)" "$root$file"
done
cp -a /etc/apt/apt.conf.d/*proxy* "$root/etc/apt/apt.conf.d/" 2> /dev/null || true
rm -rf "$root/src"
mkdir -p "$root/src"
tar --exclude=./build --exclude=./.venv --exclude=./.git -cf - . | tar -xf - -C "$root/src"

inside() { # inside COMMAND...: as root of the bare system; /proc is the whole one, or the sandbox of candidates could not mount its own in there
  bwrap --bind "$root" / --dev-bind /dev /dev --bind /proc /proc --ro-bind-try /sys /sys --perms 1777 --tmpfs /tmp --cap-add ALL --chdir /src \
    --setenv HOME /root --setenv PATH /usr/sbin:/usr/bin:/sbin:/bin --unsetenv PIP_FIND_LINKS --die-with-parent "$@"
}
start=$SECONDS
[ "$what" = quickstart ] || inside bash scripts/test.sh --deps-only "$@"
echo "-- deps: $((SECONDS - start)) s"
[ "$what" != deps ] || exit 0
start=$SECONDS
inside bash scripts/quickstart.sh
echo "-- quickstart: $((SECONDS - start)) s"
