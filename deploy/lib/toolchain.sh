# shellcheck shell=bash
# The pinned Swift, C library and C++ library, and a small Debian around them to run them in. Needs common.sh, fetch.sh.
#
# What gets into the program, or decides how it is compiled (lines `target` of pins.txt), is pinned by checksum. What
# only has to run (a shell, make, git, the compiler's shared libraries) is taken from the same suite of Debian as it is
# now, signed by Debian: it moves every day, and leaves no trace in the program.

suite=sid
tools="bash dash coreutils sed grep gawk findutils diffutils tar make nasm binutils git pkgconf
  libcurl4t64 libedit2 libncurses6 libsqlite3-0 libuuid1 libxml2-16 libzstd1 zlib1g"

# apt on lists of its own, for $suite, as if nothing were installed; nothing of this machine is changed.
suite_apt() {
  local home=$cache/apt
  if [ ! -e "$home/apt.conf" ]; then
    local root
    root=$(archive_root)
    {
      echo "deb [arch=amd64,arm64 signed-by=$debian_key] $root $suite main"
      echo "deb-src [signed-by=$debian_key] $root $suite main"
      echo "deb-src [signed-by=$debian_key] $root trixie main"
      echo "deb-src [signed-by=$debian_key] $root bookworm main"
      echo "deb [arch=amd64 signed-by=$debian_key] $root bookworm main"
    } | make_apt_home "$home" "amd64 arm64" "APT::Default-Release \"$suite\";" 'APT::Install-Recommends "false";'
  fi
  APT_CONFIG=$home/apt.conf "$@"
}

# What no build needs, and would fill the cache.
needless=(--exclude='./usr/share/man' --exclude='./usr/share/locale' --exclude='*lldb*' --exclude='*sourcekit*'
  --exclude='*/bin/clangd' --exclude='*/bin/docc' --exclude='*/bin/swift-format' --exclude='*/swift*/embedded/*'
  --exclude='*/FrameworkABIBaseline/*' --exclude='*/libLTO.so*' --exclude='*/libclang.so*' --exclude='*/gconv/*')

# Unpacks the target packages of Debian's architecture $2 into folder $1; more arguments are for tar.
unpack_targets() {
  local root=$1 architecture=$2 file sum
  shift 2
  while read -r _ _ file sum; do
    dpkg-deb --fsys-tarfile "$(fetched "$file" "$sum")" |
      tar -x -C "$root" --no-same-owner --keep-directory-symlink "${needless[@]}" "$@"
  done < <(pins_of target "$architecture")
}

# Makes, in folder $1, root (to run in, and to build for x86_64) and sdks (the Swift SDK for aarch64).
make_toolchain() {
  make_root "$1/root"
  make_sdk "$1/sdks/mynah.artifactbundle"
}

make_root() {
  local root=$1 package
  say "making the toolchain's root (some 700 MB are fetched once)"
  suite_apt apt-get update -q >"$cache/apt.log" 2>&1 || { tail -n 5 "$cache/apt.log" >&2 && fail "no lists of $suite"; }
  mkdir -p "$root/usr"
  for package in bin sbin lib lib64; do
    mkdir -p "$root/usr/$package"
    ln -s "usr/$package" "$root/$package"
  done
  # shellcheck disable=SC2086 # a list of names
  suite_apt apt-get install -q -y --download-only $tools >"$cache/apt.log" 2>&1 ||
    { tail -n 5 "$cache/apt.log" >&2 && fail "the tools of $suite could not be had"; }
  for package in "$cache"/apt/archives/*.deb; do
    dpkg-deb --fsys-tarfile "$package" | tar -x -C "$root" --no-same-owner --keep-directory-symlink \
      --exclude='./usr/share/doc' "${needless[@]}"
  done
  unpack_targets "$root" amd64
  # What maintainers' scripts would do.
  [ -e "$root/usr/bin/awk" ] || ln -s gawk "$root/usr/bin/awk"
  mkdir -p "$root"/{dev,proc,sys,tmp,mynah,etc,root}
  echo "root:x:0:0:root:/root:/bin/sh" >"$root/etc/passwd"
  rm -f "$cache"/apt/archives/*.deb
}

# A Swift SDK: the libraries of the arm64 packages, and how to use them.
make_sdk() {
  local sdk=$1 sysroot=$1/aarch64/sysroot part
  mkdir -p "$sysroot/usr/lib"
  ln -s usr/lib "$sysroot/lib"
  unpack_targets "$sysroot" arm64 --exclude='./usr/libexec/swift/bin' --exclude='*/swift/host/*' --exclude='./usr/bin'
  rm -f "$sysroot/usr/lib/swift" "$sysroot/usr/lib/swift_static"
  for part in swift swift_static clang; do mv "$sysroot/usr/libexec/swift/lib/$part" "$sysroot/usr/lib/$part"; done
  rm -rf "$sysroot/usr/libexec"
  cat >"$sdk/info.json" <<'JSON'
{"schemaVersion": "1.0", "artifacts": {"mynah-aarch64": {"type": "swiftSDK", "version": "1",
  "variants": [{"path": "aarch64"}]}}}
JSON
  cat >"$sdk/aarch64/swift-sdk.json" <<'JSON'
{"schemaVersion": "4.0", "targetTriples": {"aarch64-unknown-linux-gnu": {"sdkRootPath": "sysroot",
  "swiftResourcesPath": "sysroot/usr/lib/swift", "swiftStaticResourcesPath": "sysroot/usr/lib/swift_static",
  "toolsetPaths": ["toolset.json"]}}}
JSON
  cat >"$sdk/aarch64/toolset.json" <<'JSON'
{"schemaVersion": "1.0", "swiftCompiler": {"extraCLIOptions": ["-use-ld=lld", "-static-executable"]}}
JSON
}
