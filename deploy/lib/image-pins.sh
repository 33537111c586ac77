# shellcheck shell=bash
# Which files the image is made of. Needs common.sh, fetch.sh.
#
# image.d/packages.txt names the packages, image.d/pins.txt their versions and sums: PART NAME VERSION FILE SHA256.

image_suite=trixie
image_list=deploy/image.d/packages.txt
image_pins=deploy/image.d/pins.txt

# The names of the packages of part $1.
image_packages() { awk -v part="$1" '!/^#/ && $2 == part { print $1 }' "$image_list"; }

# The pins of part $1 (and name $2, if given): NAME VERSION FILE SHA256.
image_pins_of() {
  awk -v part="$1" -v name="${2:-}" '$1 == part && (name == "" || $2 == name) { print $2, $3, $4, $5 }' "$image_pins"
}

# Unpacks the packages of part $1 into folder $2; more arguments are for tar.
unpack_image_part() {
  local part=$1 root=$2 file sum
  shift 2
  while read -r _ _ file sum; do
    dpkg-deb --fsys-tarfile "$(fetched "$file" "$sum")" |
      tar -x -C "$root" --no-same-owner --same-permissions --keep-directory-symlink "$@"
  done < <(image_pins_of "$part")
}

# apt on lists of its own, of Debian 13, as if nothing were installed; nothing of this machine is changed.
image_apt() {
  local home=$cache/apt-image
  if [ ! -e "$home/apt.conf" ]; then
    echo "deb [arch=amd64,arm64 signed-by=$debian_key] $(archive_root) $image_suite main non-free-firmware" |
      make_apt_home "$home" "arm64 amd64"
  fi
  APT_CONFIG=$home/apt.conf "$@"
}

# Fetches every file of pins.txt that is not there yet, all in one go.
fetch_image_pins() {
  local root="" file sum kept words=()
  while read -r file sum; do
    kept=$(kept_at "$file" "$sum")
    [ ! -e "$kept" ] || continue
    [ -n "$root" ] || root=$(archive_root)
    mkdir -p "${kept%/*}"
    words+=("$root/$file" "$kept.part" "SHA256:$sum")
  done < <(awk '!/^#/ { print $4, $5 }' "$image_pins")
  [ ${#words[@]} -gt 0 ] || return 0
  say "fetching $((${#words[@]} / 3)) packages"
  /usr/lib/apt/apt-helper -q -o APT::Sandbox::User=root -o Acquire::Retries=3 download-file "${words[@]}" \
    >"$cache/apt-image.log" 2>&1 || {
    tail -n 5 "$cache/apt-image.log" >&2
    fail "a package could not be had. If the archive has a newer version, move the pins: deploy/image-pin"
  }
  while read -r file sum; do
    kept=$(kept_at "$file" "$sum")
    [ ! -e "$kept.part" ] || mv "$kept.part" "$kept"
  done < <(awk '!/^#/ { print $4, $5 }' "$image_pins")
}
