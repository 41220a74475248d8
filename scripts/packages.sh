# What the scripts need from the system, and one function that installs it. Sourced, never run:
#   . scripts/packages.sh; install_packages "to build" $packages_to_build

# The program: compiler, build tools, libraries. libfmt-dev and Boost's headers come with the libraries that use them.
packages_to_build="build-essential cmake ninja-build ccache mold pkg-config
  libcaf-dev libzmq3-dev libsodium-dev libmsgpack-cxx-dev liblmdb-dev libcli11-dev libtomlplusplus-dev libfmt-dev libspdlog-dev
  nlohmann-json3-dev libcurl4-openssl-dev libzstd-dev libxxhash-dev libseccomp-dev catch2"

# Evaluating candidates: the sandbox, the unprivileged outer user (setpriv), the disassembler, the profilers (valgrind, llvm-mca), and the
# library that problems with `vendor_libraries = true` allow.
packages_to_run="bubblewrap util-linux binutils ca-certificates valgrind llvm-19 libopenblas-dev"

# The bundle: what it holds besides the program (bubblewrap), and what makes and reads it.
packages_to_bundle="bubblewrap binutils patchelf zstd"

# The tests and checks: the second compiler with its sanitizers, formatter and linter; the venv; namespaces for the network tests.
packages_to_test="clang-19 libclang-rt-19-dev clang-tidy-19 clang-format-19 python3 python3-venv git iproute2 procps"

# install_packages PURPOSE PACKAGE...: installs with apt what dpkg does not list as installed. Quick (one dpkg-query) if all is there.
# Ends the script with 3 if apt is not there, is not allowed, or does not have a package.
install_packages() {
  purpose=$1
  shift
  installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "$@" 2>/dev/null | sed -n 's/^installed //p' || true)
  missing=
  for package in "$@"; do
    grep -qxF "$package" <<< "$installed" || missing="$missing $package" # no pipe: grep leaves it at the first match, and pipefail says failed
  done
  [ -n "$missing" ] || return 0
  as_root=
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo > /dev/null; then
      echo "Missing $purpose, and neither root nor sudo is here. As root: apt-get update && apt-get install -y --no-install-recommends$missing" >&2
      exit 3
    fi
    as_root="sudo"
  fi
  if ! command -v apt-get > /dev/null; then
    echo "Missing $purpose:$missing. This script installs with apt only; install what carries these names in your system." >&2
    exit 3
  fi
  echo "Installing $purpose with apt:$missing"
  $as_root apt-get update -qq || echo "apt-get update failed; trying with the package lists that are there" >&2
  # shellcheck disable=SC2086
  if ! $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing > "${TMPDIR:-/tmp}/ke-apt.log" 2>&1; then
    tail -n 15 "${TMPDIR:-/tmp}/ke-apt.log" >&2
    echo "apt could not install$missing (the lines above are its own; Debian 12, 13 and Ubuntu 24.04 have them)" >&2
    exit 3
  fi
  rm -f "${TMPDIR:-/tmp}/ke-apt.log"
}
