# shellcheck shell=bash
# dist/NOTICES: what is linked into the program, by whom, under which licence. Needs common.sh, the libraries' prefix,
# the packages, and the pinned environment.

chapter() { printf '\n\n%s\n%s\n\n' "$1" "$(printf '%s' "$1" | tr -c '' '=')"; }

write_notices() {
  local root=$toolchain_folder/root name version file sum
  {
    cat <<'TEXT'
NOTICES
=======

mynah is one program without shared libraries. It holds code of the projects below; their notices and licences follow.

x264, and FFmpeg as it is built with it, are under the GNU General Public License, version 2 or later. Mynah's own code is
under the Apache License 2.0, which goes together with version 3 of it: this program as a whole is distributed under the
GNU General Public License, version 3. alsa-lib, libgpiod and the GNU C library are under the GNU Lesser General Public
License, version 2.1 or later, LAME under version 2 or later of it. The sources are public: deploy/pins.txt names the exact sources of the libraries with their
checksums, and deploy/build makes the program from them, also from versions of them that you changed.

espeak-ng, with the data of its voices, is under the GNU General Public License, version 3 or later. libcurl, c-ares and
wslay are under licences like MIT's, Opus under one like BSD's, mbedTLS and Sonic under the Apache License 2.0.
TEXT
    chapter "Mynah"
    cat LICENSE
    for name in $libraries; do
      version=$({ pins_of source "$name" && pins_of headers "$name"; } | cut -d ' ' -f 2 | head -n 1)
      chapter "$name $version"
      find "$prefix/licences/$name" -type f | sort | while read -r file; do
        # Of files under other licences nothing gets in: tools, bindings, documents.
        case $file in */LICENSES/CC* | */LICENSES/GPL* | */LICENSES/Apache*) continue ;; esac
        printf -- '--- %s\n\n' "${file##*/}"
        cat "$file"
      done
    done
    read -r name version _ < <(pins_of swift)
    chapter "$name $version"
    cat "$cache/packages/$name-$version-$(package_key "$name")/LICENSE.txt"
    chapter "Swift's standard library, runtime and Dispatch"
    cat "$root/usr/share/doc/libswiftlang/copyright"
    chapter "GNU C library"
    cat "$root/usr/share/doc/libc6/copyright"
    chapter "GNU C++ library and GCC's runtime"
    while read -r name _ file sum; do
      dpkg-deb --fsys-tarfile "$(fetched "$file" "$sum")" | tar -x -O "./usr/share/doc/$name/copyright"
    done < <(pins_of copyright)
    for name in LGPL-2.1 GPL-2 GPL-3 Apache-2.0; do
      chapter "The text of $name, which some of the above refer to"
      cat "$root/usr/share/common-licenses/$name"
    done
  } >dist/NOTICES
  say "dist/NOTICES, $(wc -l <dist/NOTICES) lines"
}
