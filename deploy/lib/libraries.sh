# shellcheck shell=bash
# The libraries, one after the other, each by its recipe, and all of them in one prefix. Needs common.sh, fetch.sh and
# an environment (environment.sh).
#
# A recipe runs in the unpacked sources with: ARCH (x86_64, aarch64), TRIPLE, CC, AR, RANLIB, NM, CFLAGS, LDFLAGS, JOBS, VERSION,
# STAGE, the root below which it installs to /usr, and NEEDED, the pkg-config path of the libraries that it needs itself.

libraries="zlib alsa-lib libgpiod libebur128 tomlplusplus x264 opus ffmpeg mbedtls c-ares curl wslay sonic lame libsodium espeak-ng"

# The libraries of ours that library $1 is built against; they come before it in the list.
needs_of() {
  case $1 in
  ffmpeg) echo x264 opus ;;
  curl) echo zlib mbedtls c-ares ;;
  esac
}
# Sections let the linker leave out what nobody calls; nobody unwinds through C; paths of the build machine stay out.
library_flags="-O2 -ffunction-sections -fdata-sections -fno-asynchronous-unwind-tables -fno-unwind-tables -fno-ident -g0 -ffile-prefix-map=\$PWD=."

library_key() {
  local need
  { for need in $(needs_of "$1"); do library_key "$need"; done && echo "$environment_id $arch $library_flags" && pins_of source "$1" && pins_of patches "$1" && pins_of headers "$1" &&
    cat "deploy/recipes/$1.sh" && declare -f make_library unpack_library needs_of; } | digest
}

# Sources of library $2 in folder $1, with Debian's patches.
unpack_library() {
  local folder=$1 name=$2 version file sum patch
  while read -r _ version file sum; do
    tar -x --strip-components=1 --no-same-owner -f "$(fetched "$file" "$sum")" -C "$folder"
  done < <(pins_of source "$name")
  while read -r _ version file sum; do
    tar -x --no-same-owner -f "$(fetched "$file" "$sum")" -C "$folder"
    [ ! -e "$folder/debian/patches/series" ] || while read -r patch _; do
      case $patch in '' | '#'*) continue ;; esac
      patch -d "$folder" -p1 -s -f <"$folder/debian/patches/$patch" || fail "$name: $patch does not apply"
    done <"$folder/debian/patches/series"
  done < <(pins_of patches "$name")
  while read -r _ version file sum; do
    dpkg-deb -x "$(fetched "$file" "$sum")" "$folder"
  done < <(pins_of headers "$name")
}

# Builds library $2 into folder $1.
make_library() {
  local stage=$1 name=$2 work=$cache/work/$2-$arch
  local log=$cache/work/$name-$arch.log
  local version need needed=
  # As seen from within, where ROOT is the cache.
  for need in $(needs_of "$name"); do
    needed="$needed\$ROOT/libraries/$arch/$need-$(library_key "$need")/usr/lib/pkgconfig:"
  done
  version=$( { pins_of source "$name" && pins_of headers "$name"; } | cut -d ' ' -f 2 | head -n 1)
  say "$arch: building $name $version"
  rm -rf "$work"
  mkdir -p "$work"
  unpack_library "$work" "$name"
  cp "deploy/recipes/$name.sh" "$work/.recipe.sh"
  within "${work#"$cache"/}" "ARCH='$arch' TRIPLE='$triple' CC='$cc' AR='$ar' RANLIB='$ranlib' NM='$nm' JOBS='$jobs' \
    VERSION='$version' CFLAGS=\"$library_flags\" LDFLAGS='-fuse-ld=lld -static' STAGE=\"\$ROOT/${stage#"$cache"/}\" NEEDED=\"$needed\"; \
    export NEEDED ARCH TRIPLE CC AR RANLIB NM JOBS VERSION CFLAGS LDFLAGS STAGE; sh -eu ./.recipe.sh" >"$log" 2>&1 || {
    tail -n 30 "$log" >&2
    fail "$name for $arch could not be built; all of its output is in $log"
  }
  # SwiftPM warns of -pthread, which the C library no longer needs.
  # Found wherever the prefix is; and libtool's files would only mislead.
  find "$stage" -name '*.la' -delete
  # shellcheck disable=SC2016 # for pkg-config
  find "$stage" -name '*.pc' -exec sed -i \
    -e 's|^prefix=.*|prefix=${pcfiledir}/../..|' -e 's|^\([a-z_]*\)=/usr|\1=${prefix}|' \
    -e '/^Libs/s/ -pthread//g' {} +
  mkdir -p "$stage/licences/$name"
  keep_licences "$work" "$stage/licences/$name"
  rm -rf "$work"
}

# Copies what says who may do what with the sources in $1 to $2.
keep_licences() {
  local found
  for found in debian/copyright COPYING COPYING.LGPLv2.1 COPYING.APACHE COPYING.BSD2 COPYING.UCD LICENSE LICENSE.md LICENSES doc/license \
    usr/share/doc/libtomlplusplus-dev/copyright; do
    [ ! -e "$1/$found" ] || cp -R "$1/$found" "$2/${found//\//-}"
  done
}

# All libraries together, in folder $1.
merge_libraries() {
  local name
  for name in $libraries; do cp -R "$cache/libraries/$arch/$name-$(library_key "$name")/." "$1"; done
}

# Builds what is missing; sets prefix to the folder of the cache that then holds all of them.
build_libraries() {
  local name keys=
  mkdir -p "$cache/libraries/$arch" "$cache/work"
  for name in $libraries; do
    made "$cache/libraries/$arch/$name-$(library_key "$name")" make_library "$name"
    keys="$keys $(library_key "$name")"
  done
  prefix=$cache/libraries/$arch/all-$(echo "$keys" | digest)
  made "$prefix" merge_libraries
}
