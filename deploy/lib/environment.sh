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
  [ "$1" = "$(uname -m)" ] || fail "this machine's Swift builds for $(uname -m) only: --arch $(uname -m)"
  bin=$(dirname "$(readlink -f "$swift")")
  arch=$1
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

use_pinned() {
  local key
  arch=$1
  key=$({ pins_of target && cat deploy/lib/toolchain.sh; } | digest)
  toolchain_folder=$cache/toolchain/$key
  mkdir -p "$cache/toolchain"
  # Written anew, for the mirror of today.
  [ -e "$toolchain_folder" ] || rm -f "$cache/apt/apt.conf"
  made "$toolchain_folder" make_toolchain
  local sysroot=/mynah/toolchain/$key/sdks/mynah.artifactbundle/aarch64/sysroot
  triple=$arch-linux-gnu
  ar=llvm-ar
  ranlib=llvm-ranlib
  nm="nm"
  objcopy=llvm-objcopy
  case $arch in
  x86_64)
    cc=clang
    swift_build="swift build"
    ;;
  aarch64)
    cc="clang --target=aarch64-linux-gnu --sysroot=$sysroot"
    swift_build="swift build --swift-sdks-path /mynah/toolchain/$key/sdks --swift-sdk mynah-aarch64"
    ;;
  *) fail "--arch $arch: there are x86_64, aarch64 and all" ;;
  esac
  environment_name=pinned
  environment_id="pinned $key"
  within() { in_root "$toolchain_folder/root" "cd '/mynah/$1' && ROOT=/mynah && export ROOT && $2"; }
}

# Runs shell command $2 in root $1, with the cache at /mynah and no network: paths are the same on every machine, and
# nothing comes in that is not pinned. With the right to mount, or in a user namespace.
in_root() {
  local root=$1 share=--map-root-user
  [ "$(id -u)" != 0 ] || share=--mount
  # shellcheck disable=SC2016 # for the inner shell
  unshare $share --mount --net --propagation private sh -euc '
    mount --bind "$2" "$1/mynah"
    for folder in dev proc sys; do mount --rbind "/$folder" "$1/$folder"; done
    mount -t tmpfs none "$1/tmp"
    exec chroot "$1" /usr/bin/env -i PATH=/usr/libexec/swift/bin:/usr/bin HOME=/tmp LC_ALL=C.UTF-8 \
      SOURCE_DATE_EPOCH=0 sh -c "$3"' sh "$root" "$cache" "$2" </dev/null
}
