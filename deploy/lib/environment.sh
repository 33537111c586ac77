# shellcheck shell=bash
# Where things are compiled. Needs common.sh, fetch.sh.
#
# use_host      the Swift toolchain of this machine, for this machine's architecture: quick, for trials
# use_pinned    the pinned toolchain (toolchain.sh) in a root of its own: what releases are made with
#
# Both set arch, triple, cc, ar, ranlib, nm, environment_id, and define
#   within FOLDER COMMAND   runs a shell command in a folder of the cache; ROOT is the cache's path as it sees it

use_host() {
  local swift bin
  swift=$(command -v "${SWIFT:-swift}") || fail "there is no swift on the PATH"
  bin=$(dirname "$(readlink -f "$swift")")
  arch=$(uname -m)
  triple=$arch-linux-gnu
  cc=$bin/clang
  ar=$bin/llvm-ar
  ranlib=$bin/llvm-ranlib
  nm=$bin/llvm-nm
  objcopy=$bin/llvm-objcopy
  environment_name=host
  swift_build="$swift build"
  environment_id="host $("$swift" --version 2>/dev/null | head -n 1)"
  within() { (cd "$cache/$1" && ROOT=$cache && export ROOT && eval "$2" </dev/null); }
}
