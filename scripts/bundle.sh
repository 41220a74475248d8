#!/bin/bash
# Makes one archive that runs from any folder of a Linux with glibc 2.36 or newer: scripts/bundle.sh [--output FILE] [--build DIR]
#
#   --output FILE    default: build/ke-runtime-VERSION-linux-x86_64.tar.zst
#   --build DIR      the build folder, default build/release; what lacks in it is built
#
# In it: what `cmake --install` installs (scripts/cmake/install.cmake), the libraries of these programs, bwrap with its own, and the licences of all.
# Of the host it needs glibc, and to evaluate kernels their compiler; `ke-runtime doctor` says what lacks. scripts/bundle_check.sh FILE proves it.
# The same sources, packages and compiler give the same bytes. Exit code: 0; 1 it can't be made here; 2 bad usage; 3 something could not be installed.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/packages.sh

output=
build=build/release
while [ $# -gt 0 ]; do
  case $1 in
    --output)
      output=${2:?--output takes a file}
      shift
      ;;
    --build)
      build=${2:?--build takes a folder}
      shift
      ;;
    -h | --help)
      sed -n '2,/^set /p' "$0" | sed -n 's/^# \{0,1\}//p'
      exit 0
      ;;
    *)
      echo "scripts/bundle.sh knows --output FILE and --build DIR, not '$1'" >&2
      exit 2
      ;;
  esac
  shift
done

# Libraries that are compiled into the programs: they leave no file to copy, their licences go along.
headers_of="libcli11-dev libmsgpack-cxx-dev nlohmann-json3-dev"

# Whose file this is, as NAME VERSION SOURCE-NAME SOURCE-VERSION; dpkg knows files by the path that they had before /lib moved below /usr.
package_of() {
  local file owner=
  for file in "$1" "${1#/usr}"; do
    owner=$(dpkg -S "$file" 2> /dev/null | head -n 1) && [ -n "$owner" ] && break
  done
  [ -n "$owner" ] || {
    echo "no Debian package owns $1, so its licence is unknown; link the program with a packaged library" >&2
    return 1
  }
  dpkg-query -W -f '${Package} ${Version} ${source:Package} ${source:Version}\n' "${owner%%: *}"
}

# Copies the programs' libraries into a folder, each under the name it is asked for. Those of glibc are the host's: only its own fit its loader and
# kernel.
copy_libraries() { # copy_libraries FOLDER PROGRAM...
  local folder=$1 name path real owner
  shift
  while read -r name path; do # all are looked up before the first is copied, or it would be found there
    [ "$path" != not ] || {
      echo "a program needs $name, which is not on this machine" >&2
      return 1
    }
    real=$(readlink -f "$path")
    owner=$(package_of "$real") || return 1
    [ "${owner%% *}" != libc6 ] || continue
    install -m 644 "$real" "$folder/$name"
    echo "$name $owner" >> "$list"
  done <<< "$(ldd "$@" | sed -n 's/^\t\([^ /]*\) => \([^ ]*\).*/\1 \2/p' | sort -u)"
}

# What a licence's text refers to comes along.
copy_licence() { # copy_licence PACKAGE
  local text=/usr/share/doc/$1/copyright common
  [ -e "$text" ] || {
    echo "$text is missing: install $1 with its documents" >&2
    return 1
  }
  install -D -m 644 "$(readlink -f "$text")" "$notices/$1.copyright"
  for common in $(grep -ohE '/usr/share/common-licenses/[A-Za-z0-9.+-]*[A-Za-z0-9]' "$text" || true); do
    [ ! -f "$common" ] || install -m 644 "$(readlink -f "$common")" "$notices/$(basename "$common").txt"
  done
}

write_notices() {
  local package
  mkdir -p "$notices"
  for package in $(cut -d ' ' -f 2 "$list") $headers_of; do
    copy_licence "$package" || return 1
  done
  {
    cat scripts/bundle/third-party.txt
    echo
    { # the columns of `list`, and those of what is compiled in
      cat "$list"
      # shellcheck disable=SC2086
      dpkg-query -W -f 'compiled-in ${Package} ${Version} ${source:Package} ${source:Version}\n' $headers_of
    } | sort -u | awk '{ printf "%-24s %-22s %-28s %s %s\n", $1, $2, $3, $4, $5 }'
  } > "$notices/README"
}

# shellcheck disable=SC2086
install_packages "what building and the bundle need" $packages_to_build $packages_to_bundle
[ -f "$build/build.ninja" ] || cmake --preset "$(basename "$build")" > /dev/null
ninja -C "$build" -j "${KE_JOBS:-$(nproc)}" ke-programs

# msgpack's headers use Boost's, of whichever version.
headers_of="$headers_of $(dpkg -S /usr/include/boost/version.hpp | cut -d : -f 1)"
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt")
name=ke-runtime-$version-linux-x86_64
output=${output:-build/$name.tar.zst}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/$name
list=$work/libraries
notices=$root/share/doc/ke-runtime/third-party
umask 022

cmake --install "$build" --prefix "$root" --strip > "$work/install.log" || {
  cat "$work/install.log" >&2
  exit 1
}
mkdir -p "$root/lib/ke-runtime" "$root/libexec/ke-runtime"
with_libraries=()
for program in "$root"/bin/*; do # one without a search path of its own takes the host's libraries
  [ -z "$(patchelf --print-rpath "$program")" ] || with_libraries+=("$program")
done
copy_libraries "$root/lib/ke-runtime" "${with_libraries[@]}"
# Its libraries lie apart: those of ke-runtime's that the host's name services bring (libcap, say) must be the host's.
install -m 755 "$(command -v bwrap)" "$root/libexec/ke-runtime/bwrap"
echo "bwrap $(package_of "$(readlink -f "$(command -v bwrap)")")" >> "$list"
copy_libraries "$root/libexec/ke-runtime" "$root/libexec/ke-runtime/bwrap"
patchelf --force-rpath --set-rpath '$ORIGIN' "$root/libexec/ke-runtime/bwrap"
write_notices
install -m 644 scripts/bundle/README.txt "$root/README.txt"

# The time of the sources, so that the same sources give the same archive.
epoch=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2> /dev/null || stat -c %Y CMakeLists.txt)}
mkdir -p "$(dirname "$output")"
tar --sort=name --format=gnu --mtime="@$epoch" --owner=0 --group=0 --numeric-owner --mode=u+w,go-w -C "$work" -cf - "$name" |
  zstd -q -f -T0 -"${KE_ZSTD:-15}" -o "$output"
echo "$output: $(($(stat -c %s "$output") / 1000)) kB packed, $(du -sk "$root" | cut -f 1) kB unpacked, $(ls "$root/lib/ke-runtime" | wc -l) libraries"
