# shellcheck shell=bash
# The program itself. Needs common.sh, an environment and the libraries' prefix.

# A copy of what the program is made of, at a place that does not depend on where this repository is. Times of files are
# kept, so that only what changed is compiled again.
copy_sources() {
  local target=$1
  mkdir -p "$target"
  rm -rf "$target/Package.swift" "$target/Sources" "$target/Tests"
  tar -c Package.swift Sources Tests | tar -x -C "$target"
}

# Builds for $arch; leaves dist/$arch/mynah, and the linker's map beside what the compiler made, in $scratch.
build_program() {
  local work=$cache/work/program-$environment_name
  scratch=$work/build-$arch
  copy_sources "$work/mynah"
  say "$arch: compiling mynah"
  mkdir -p "$scratch" "dist/$arch"
  local log=$work/build-$arch.log
  # Nothing in the program throws or unwinds (Sources/CTOML parses without exceptions): the tables for it, a tenth of all,
  # stay out.
  # Of characters the names that Unicode has for them stay out as well, half a megabyte: whoever asks is told that there is none.
  # Swift's runtime has 64 KiB of zeros of its own for where it finds a debugger: they need not be in the file.
  printf '%s\n' 'SECTIONS { /DISCARD/ : { *(.eh_frame) *(.eh_frame_hdr) *(.gcc_except_table*) } } INSERT AFTER .comment;' \
    'SECTIONS { swift5_backtrace (NOLOAD) : { *(swift5_backtrace) } } INSERT AFTER .bss;' >"$scratch/sections.ld"
  within "work/program-$environment_name/mynah" "$swift_build --configuration release --product mynah \
    --config-path \"\$ROOT/${package_configuration#"$cache"/}\" \
    --scratch-path \"\$ROOT/${scratch#"$cache"/}\" \
    --pkg-config-path \"\$ROOT/${prefix#"$cache"/}/usr/lib/pkgconfig\" \
    --static-swift-stdlib -Xswiftc -static-executable -Xswiftc -use-ld=lld \
    -Xswiftc -Xfrontend -Xswiftc -disable-implicit-string-processing-module-import \
    -Xswiftc -Xfrontend -Xswiftc -disable-implicit-concurrency-module-import \
    -Xcc \"-I\$ROOT/${prefix#"$cache"/}/usr/include\" -Xcxx \"-I\$ROOT/${prefix#"$cache"/}/usr/include\" \
    -Xlinker --defsym=_swift_stdlib_getScalarName=mynah_scalar_without_name \
    -Xlinker --gc-sections -Xlinker --icf=all -Xlinker --build-id=sha1 \
    -Xlinker -T -Xlinker \"\$ROOT/${scratch#"$cache"/}/sections.ld\" \
    -Xlinker -Map=\"\$ROOT/${scratch#"$cache"/}/mynah.map\"" >"$log" 2>&1 || {
    grep -E 'error:|undefined' "$log" | sort -u | head -n 30 >&2
    tail -n 10 "$log" >&2
    fail "mynah for $arch could not be built; all of the output is in $log"
  }
}

# Where in a program the 20 bytes of its build id are.
build_id_place() {
  local offset
  offset=$(readelf --sections --wide "$1" | sed -n 's/.* \.note\.gnu\.build-id  *NOTE  *[0-9a-f]*  *\([0-9a-f]*\) .*/\1/p')
  [ -n "$offset" ] || fail "$1 has no build id"
  echo $((16#$offset + 16))
}

# Gives the program $1, and $2 with its symbols, the SHA-1 of the program as their build id. The linker's is one of what is
# stripped afterwards, too: of paths and times, which are other ones wherever the same bytes are built.
name_build() {
  local file place id
  place=$(build_id_place "$1")
  id=$({ head -c "$place" "$1" && head -c 20 /dev/zero && tail -c +$((place + 21)) "$1"; } | sha1sum | cut -c 1-40)
  for file in "$@"; do
    # shellcheck disable=SC2059 # The digits are a format of bytes.
    printf "$(sed 's/../\\x&/g' <<<"$id")" | dd of="$file" bs=1 seek="$(build_id_place "$file")" conv=notrunc status=none
  done
}

# Takes out what only debuggers read, and what differs between two builds of the same thing.
strip_program() {
  local built=$scratch/release/mynah  # a link to the folder of the target
  within "${scratch#"$cache"/}/release" "$objcopy --strip-all --remove-section=.swift_modhash --remove-section=.comment mynah mynah.stripped"
  cp "$built.stripped" "dist/$arch/mynah.part"
  chmod 755 "dist/$arch/mynah.part"
  # What Scripts/symbolize reads.
  cp "$built" "dist/$arch/mynah.symbols"
  name_build "dist/$arch/mynah.part" "dist/$arch/mynah.symbols"
  mv "dist/$arch/mynah.part" "dist/$arch/mynah"
  say "$arch: dist/$arch/mynah, $(stat -c %s "dist/$arch/mynah") bytes"
}
